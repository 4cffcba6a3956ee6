"""`message`: to whom, with whose yes, and what of the words."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.channels import DeliveryTarget, Peer, PeerKind
from moltbot_desktop.sdk.models import GenerationRequest
from moltbot_desktop.security.labels import Labels
from tests.fakes.chat_model import ScriptedTurn, calls, says
from tests.fakes.company import Company
from tests.integration.gateway.test_front_desk import KEY, play
from tests.integration.gateway.test_other_sessions import ADA, begun

TO_ADA = DeliveryTarget("telegram", peer=Peer(PeerKind.DM, "7"))


def writing(target: str, text: str = "The draft is ready.") -> object:
    def answer(request: GenerationRequest) -> ScriptedTurn:
        if request.messages[-1].role.value == "tool":
            return says(text)
        return calls("message", {"channel": "Telegram", "target": target, "message": text})

    return answer


@pytest.mark.parametrize("allow", [True, False])
def test_the_owner_says_yes_to_each_message_to_somebody(tmp_path: Path, allow: bool) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, writing("7")) as company:  # type: ignore[arg-type]
            begun(company, ADA)
            run_id = company.assistant.client.send("tell Ada")
            asked = await company.assistant.until(lambda e: isinstance(e, ApprovalRequested))
            assert "The draft is ready." in asked.title  # type: ignore[attr-defined]
            company.desk.answer_approval(asked.approval_id, allow)  # type: ignore[attr-defined]
            end = await company.assistant.ended(run_id)
            assert end.outcome.kind is OutcomeKind.ANSWERED  # elsewhere: it is said here as well
            assert company.posted == ([(TO_ADA, "The draft is ready.")] if allow else [])

    play(scenario)


def test_nobody_unknown_is_written_to(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, writing("666")) as company:  # type: ignore[arg-type]
            begun(company, ADA)
            run_id = company.assistant.client.send("tell Eve")
            asked = await company.assistant.until(lambda e: isinstance(e, ApprovalRequested))
            company.desk.answer_approval(asked.approval_id, True)  # type: ignore[attr-defined]
            await company.assistant.ended(run_id)
            results = [m.content for m in company.requests[-1].messages if m.role.value == "tool"]
            assert "no conversation" in results[0] and company.posted == []

    play(scenario)


def test_to_where_it_was_asked_it_is_a_reply_and_not_said_twice(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, writing("7")) as company:  # type: ignore[arg-type]
            begun(company, KEY, ADA)
            answer = await company.access.send(KEY, RunId("r"), ADA, "tell them", 30)
            assert (answer.status, answer.text) == ("ok", "")
            assert company.posted == [(TO_ADA, "The draft is ready.")]

    play(scenario)


def test_with_words_of_others_there_links_are_left_out(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("")) as company:
            begun(company, ADA)
            session = company.desks.of(ADA).session
            session.transcript.append_labels(Labels(untrusted=True).as_mapping())
            session.transcript.append_user("see https://known.example/a", RunId("r2"))
            text = "https://known.example/a and https://evil.example/?secret=7"
            sent = await company.outbox.send(ADA, TO_ADA, text)
            assert "https://known.example/a" in sent and "secret" not in sent
            assert "secret" not in await company.outbox.send(SessionKey("?"), TO_ADA, text)

    play(scenario)


def test_another_channels_person_of_that_id_is_somebody_else(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("")) as company:
            assert company.outbox.is_here(ADA, TO_ADA)
            assert company.outbox.is_here(SessionKey(f"{ADA}:thread:3"), TO_ADA)
            assert not company.outbox.is_here(SessionKey("agent:main:dm:7"), TO_ADA)
            assert not company.outbox.is_here(KEY, TO_ADA)
            company.outbox.post = None
            with pytest.raises(ChannelRefused):
                await company.outbox.send(ADA, TO_ADA, "hi")

    play(scenario)
