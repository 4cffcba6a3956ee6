"""Other conversations: who reaches which, what is said there, and where that ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.other_sessions import AgentsTalk
from moltbot_desktop.sdk.models import GenerationRequest
from moltbot_desktop.sdk.session_access import HelperTask
from moltbot_desktop.security.labels import Labels
from tests.fakes.chat_model import ScriptedTurn, calls, hangs, says
from tests.fakes.company import Company, asked, users
from tests.integration.gateway.test_front_desk import KEY, play

CLI = SessionKey("agent:main:cli")
WORK = SessionKey("agent:work:main")
ADA = SessionKey("agent:main:telegram:dm:7")
RUN = RunId("r1")


def begun(company: Company, *keys: SessionKey) -> None:
    for key in keys:
        session = company.desks.of(key).session
        session.transcript.append_user(f"hello from {key}", RunId(f"run {key}"))
    company.assistant.store.save()


async def keys(company: Company, by: SessionKey, **more: object) -> list[SessionKey]:
    asking = {"kinds": frozenset(), "limit": 20, "minutes": 0, "lines": 0, **more}
    return sorted(one.key for one in await company.access.listed(by, **asking))  # type: ignore[arg-type]


def test_the_owner_reaches_their_agents_conversations_a_contact_their_own(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("done")) as company:
            begun(company, KEY, CLI, ADA, WORK)
            assert await keys(company, KEY) == sorted([KEY, CLI, ADA])
            assert await keys(company, ADA) == [ADA]
            started = company.helpers.spawn(ADA, HelperTask("look"))
            company.assistant.store.save()
            assert await keys(company, ADA) == sorted([ADA, started.session])
            with pytest.raises(UserInputInvalid, match="no conversation"):
                await company.access.history(ADA, CLI, 10, tools=False)
            with pytest.raises(UserInputInvalid, match="no conversation"):
                await company.access.send(ADA, RUN, "main", "what did the owner say?", 1)
            await company.becomes(lambda: company.helpers.of(ADA)[0].state == "answered")

    play(scenario)


def test_another_agent_is_out_of_reach_until_both_are_allowed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("done")) as company:
            begun(company, KEY, WORK)
            for talk, reached in (
                (AgentsTalk(), False),
                (AgentsTalk(enabled=True), True),
                (AgentsTalk(True, ("*",)), True),
                (AgentsTalk(True, ("work",)), False),
                (AgentsTalk(True, ("Main", "work")), True),
                (AgentsTalk(True, ("m*", "wor*")), True),
                (AgentsTalk(True, ("main", "wor*s")), False),
                (AgentsTalk(True, ("main", " ")), False),
            ):
                company.talk = talk
                assert (WORK in await keys(company, KEY)) is reached, talk

    play(scenario)


def test_lists_are_narrowed_and_show_the_last_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("done")) as company:
            begun(company, KEY, CLI, ADA)
            assert await keys(company, KEY, kinds=frozenset({"dm"})) == [ADA]
            assert len(await keys(company, KEY, limit=2)) == 2
            rows = await company.access.listed(KEY, frozenset(), 20, 0, 1)
            texts = {row.key: [line.text for line in row.lines] for row in rows}
            assert texts[CLI] == [f"hello from {CLI}"]
            assert {row.key for row in rows if row.untrusted} == {ADA}
            company.assistant.clock.advance(7200)
            begun(company, CLI)
            assert await keys(company, KEY, minutes=60) in ([], [CLI])

    play(scenario)


def test_a_name_means_one_conversation_of_the_agent_that_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("done")) as company:
            company.talk = AgentsTalk(enabled=True)
            begun(company, KEY, CLI, WORK)
            for key in (CLI, WORK):
                company.assistant.store.change_settings(key, lambda old: replace(old, label="tax"))
            company.assistant.store.save()
            with pytest.raises(UserInputInvalid, match="2 conversations are called") as told:
                await company.access.send(KEY, RUN, "tax", "is it done?", 30)
            assert str(CLI) in told.value.hint
            answer = await company.access.send(KEY, RUN, "tax", "is it done?", 30, "Work")
            assert (answer.key, answer.text) == (WORK, "done")
            answer = await company.access.send(KEY, RUN, "main", "is it done?", 30, "work")
            assert answer.key == WORK
            with pytest.raises(UserInputInvalid, match="no conversation"):
                await company.access.send(KEY, RUN, "tax", "is it done?", 30, "nobody")

    play(scenario)


def test_an_answer_comes_back_and_labels_go_both_ways(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("The draft is done.")) as company:
            begun(company, KEY, CLI)
            mine = company.desk.session.transcript
            mine.append_labels(Labels(private=True).as_mapping())
            theirs = company.desks.of(CLI).session.transcript
            theirs.append_labels(Labels(untrusted=True).as_mapping())
            answer = await company.access.send(KEY, RUN, "cli", "Is the draft done?", 30)
            assert (answer.status, answer.text) == ("ok", "The draft is done.")
            assert (answer.untrusted, answer.private) == (True, True)
            assert Labels.from_mapping(theirs.labels()) == Labels(True, True)
            assert users(company.requests[0])[-1].startswith(f"[from the conversation {KEY}")

    play(scenario)


def test_nothing_is_learned_of_the_owner_from_what_agents_say(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("I see.")) as company:
            begun(company, KEY, CLI)
            text = "my dentist is Doctor Okafor"
            await company.access.send(CLI, RUN, "main", text, 30)
            company.turns.take(KEY)
            await company.becomes(lambda: len(company.ends()) == 2)
            await company.assistant.settled()
            inbox = company.assistant.inbox
            assert list(inbox.proposals()) == [] and list(inbox.recent()) == []

    play(scenario)


def test_what_nobody_said_is_not_said_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("one")) as company:
            await company.say("what is up?")
            company.turns.take(KEY)
            await company.becomes(lambda: len(company.ends()) == 2)
            assert company.desk.session.transcript.rewind().text == "what is up?"

    play(scenario)


def test_a_late_answer_is_told_when_it_comes(tmp_path: Path) -> None:
    def answer(request: GenerationRequest) -> ScriptedTurn:
        return says("It is done there.") if "has answered" in asked(request) else says("Done.")

    async def scenario() -> None:
        async with Company(tmp_path, answer) as company:
            begun(company, KEY, CLI)
            sent = await company.access.send(KEY, RUN, CLI, "Is it done?", 0)
            assert sent.status == "accepted"
            await company.becomes(lambda: company.ends())
            assert company.ends()[0].outcome.text == "It is done there."

    play(scenario)


def test_who_does_not_answer_in_time_keeps_nobody(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: hangs()) as company:
            begun(company, KEY, CLI)
            assert (await company.access.send(KEY, RUN, CLI, "well?", 0.01)).status == "timeout"

    play(scenario)


def test_one_run_sends_only_so_many(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Company(tmp_path, lambda _: says("yes")) as company:
            company.talk = AgentsTalk(turns=2)
            begun(company, KEY, CLI)
            for _ in range(3):
                await company.access.send(KEY, RUN, CLI, "again", 10)
            with pytest.raises(UserInputInvalid, match="3 messages"):
                await company.access.send(KEY, RUN, CLI, "again", 10)
            assert (await company.access.send(KEY, RunId("r2"), CLI, "anew", 10)).text == "yes"
            with pytest.raises(UserInputInvalid, match="this conversation"):
                await company.access.send(KEY, RUN, KEY, "me", 10)

    play(scenario)


def test_who_is_asked_cannot_ask_on(tmp_path: Path) -> None:
    """Two agents that ask each other are ended by the verdict: an unattended run sends nothing."""

    def answer(request: GenerationRequest) -> ScriptedTurn:
        if request.messages[-1].role.value == "tool":
            return says(request.messages[-1].content)
        return calls("sessions_send", {"sessionKey": "main", "message": "and you?"})

    async def scenario() -> None:
        async with Company(tmp_path, answer) as company:
            begun(company, KEY, CLI)
            answered = await company.access.send(KEY, RUN, CLI, "who are you?", 30)
            assert "denied" in answered.text

    play(scenario)


def test_tools_through_the_runner(tmp_path: Path) -> None:
    script = iter(
        [
            calls("sessions_list", {"messageLimit": 1}),
            calls("sessions_history", {"sessionKey": "cli", "limit": 5}),
            calls("session_status", {}),
            calls("sessions_history", {"sessionKey": "nowhere"}),
            says("There is one about tea."),
        ]
    )

    async def scenario() -> None:
        async with Company(tmp_path, lambda _: next(script)) as company:
            begun(company, CLI)
            end = await company.say("what else did we talk about?")
            assert end.outcome.text == "There is one about tea."
            results = [m.content for m in company.requests[-1].messages if m.role.value == "tool"]
            assert f"hello from {CLI}" in results[0] and f"hello from {CLI}" in results[1]
            assert f"{KEY} is well" in results[2] and "no conversation" in results[3]
            assert await company.access.status(KEY, "cli", Language.ENGLISH) == f"{CLI} is well"

    play(scenario)
