"""What goes to one place goes in the order in which it was said, whatever the disk does."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway import answers
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.mail_desk import MailDesk
from moltbot_desktop.gateway.mail_items import Accepted
from moltbot_desktop.gateway.reply_text import ReplyRules, messages
from moltbot_desktop.gateway.routing import RoutingRules, resolve_routes, route_input
from moltbot_desktop.sdk.channels import OutboundMessage
from tests.fakes.chat_model import says
from tests.fakes.mail import envelope
from tests.integration.gateway.test_channel_desk import in_thread, rig
from tests.integration.gateway.test_front_desk import play


@pytest.mark.expect_log("waits for the disk")
def test_an_answer_that_the_disk_refuses_at_first_holds_up_what_is_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = MailBook.finish
    refused: list[RunId] = []

    def finish(
        book: MailBook, run_id: RunId, parts: Sequence[OutboundMessage], **more: Any
    ) -> None:
        if len(refused) < 3:
            refused.append(run_id)
            raise StorageError("the disk is full", hint="make room")
        taken(book, run_id, parts, **more)

    monkeypatch.setattr(MailBook, "finish", finish)
    monkeypatch.setattr(answers, "_DISK_PAUSE", 0.0)

    async def scenario() -> None:
        async with rig(tmp_path, [says("A"), says("B"), says("C")]) as made:
            await made.desk.receive([envelope(str(one), f"{one}") for one in range(3)])
            async with asyncio.timeout(30):
                assert await made.answers(3) == ["A", "B", "C"]
            assert len(set(refused)) == 1  # nobody else tried meanwhile
            assert made.book.unfinished() == ()

    play(scenario)


def test_an_answer_that_is_stopped_before_its_turn_leaves_nothing_begun(tmp_path: Path) -> None:
    """The end of the program may cancel a task before its first step."""

    async def scenario() -> None:
        async with rig(tmp_path, []) as made:
            desk = answers.Answers(
                MailDesk(made.book, in_thread),
                lambda text, one: messages(text, one, ReplyRules()),
                lambda text, one: messages(text, one, ReplyRules()),
                made.gate,
                lambda *_: None,
            )
            (accepted,) = made.book.receive([envelope("1")])
            assert isinstance(accepted, Accepted)
            routes = resolve_routes(RoutingRules(), route_input(accepted.envelope))
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                for said in ("one", "two"):
                    desk.post(answers.Job(accepted, routes), RunId(said), said)
                for task in asyncio.all_tasks():
                    if task.get_name() == "answers":
                        task.cancel()
                await desk.close()
            assert [str(one.message) for one in told] == []
            assert made.book.heads() == ()
            assert made.book.unfinished() == (accepted,)

    play(scenario)
