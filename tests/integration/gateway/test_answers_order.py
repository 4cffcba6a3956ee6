"""What goes to one place goes in the order in which it was said, whatever the disk does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway import answers
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.sdk.channels import OutboundMessage
from tests.fakes.chat_model import says
from tests.fakes.mail import envelope
from tests.integration.gateway.test_channel_desk import rig
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
