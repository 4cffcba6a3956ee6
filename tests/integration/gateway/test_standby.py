"""While the owner has paused things, messages of channels wait; then they are answered in order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.fakes.chat_model import says
from tests.fakes.mail import envelope
from tests.integration.gateway.test_channel_desk import rig
from tests.integration.gateway.test_front_desk import play


def test_messages_wait_and_are_answered_afterwards(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("one"), says("two")]) as made:
            paused = [True]
            made.desk._parts = replace(made.desk._parts, later=lambda: paused[0])
            await made.desk.receive([envelope("1", "first"), envelope("2", "second")])
            await made.assistant.settled()
            assert len(made.book.unfinished()) == 2  # kept, so that no platform sends them again
            assert made.assistant.model.requests == []
            paused[0] = False
            made.desk.go_on()
            assert await made.answers(2) == ["one", "two"]
            asked = [one.messages[-1].content for one in made.assistant.model.requests]
            assert [words.startswith(("first", "second")) for words in asked] == [True, True]
            assert asked[0].startswith("first")
            made.desk.go_on()  # nothing waits any more
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)


def test_messages_of_before_the_start_wait_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with rig(tmp_path, [says("one")]) as made:
            paused = [True]
            made.desk._parts = replace(made.desk._parts, later=lambda: paused[0])
            await made.desk.receive([envelope("1", "first")])
            made.desk._waiting.messages.clear()  # as if the program had ended here
            await made.desk.recover()
            await made.assistant.settled()
            assert made.assistant.model.requests == []
            paused[0] = False
            made.desk.go_on()
            assert await made.answers(1) == ["one"]
            await made.assistant.becomes(lambda: made.book.unfinished() == ())

    play(scenario)
