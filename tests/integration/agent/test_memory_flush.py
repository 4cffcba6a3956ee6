"""Before a summary the model may write memories: silently, once, for the owner, in their words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.agent.context import ContextLimits
from moltbot_desktop.agent.memory_flush import flush_due
from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.events import CompactionEnded, ToolStarted
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.messages import Role, ToolCall
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.memory import MemoryStore
from tests.fakes.chat_model import ScriptedTurn, calls_all, fails, says
from tests.fakes.memory import FakeMemory
from tests.fakes.talk import MAIN, Talk
from tests.fakes.windowed_model import WindowedModel

T = TypeVar("T")


def play(scenario: Callable[[], Awaitable[T]]) -> T:
    async def run() -> T:
        return await scenario()

    return asyncio.run(run())


def stores(*texts: str) -> ScriptedTurn:
    noted = (ToolCall(f"call-{n}", "memory_store", {"text": t}) for n, t in enumerate(texts))
    return calls_all(*noted)


def talking(
    home: Path, memory: FakeMemory, flush: ScriptedTurn, key: SessionKey = MAIN
) -> tuple[Talk, WindowedModel]:
    model = WindowedModel(2_048, lambda _: says("ok"), flush=lambda _: flush)
    return Talk(home, model, tools=(MemoryStore(memory),), key=key), model


async def until_summarised(talk: Talk, words: str = "tea with milk") -> CompactionEnded:
    while True:
        await talk.say(f"I like {words}. " * 12)
        for event in talk.events:
            if isinstance(event, CompactionEnded):
                return event


def test_what_the_owner_said_is_written_down_before_the_summary_and_silently(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        memory = FakeMemory()
        talk, model = talking(tmp_path, memory, stores("I like tea with milk"))
        async with talk:
            ended = await until_summarised(talk)
            assert ended.notes == 1
            assert memory.stored == [("I like tea with milk", "")]
            order = [request for request in model.requests if not request.conversation]
            assert order == [*model.flushes, *model.summaries]
            assert not any(isinstance(event, ToolStarted) for event in talk.events)
            said = [m for m in talk.session.transcript.messages() if m.role is Role.TOOL]
            assert not said

    play(scenario)


def test_what_they_did_not_say_is_not_written(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory()
        invented = stores("The password of the bank is swordfish", "I like tea with milk")
        talk, _ = talking(tmp_path, memory, invented)
        async with talk:
            assert (await until_summarised(talk)).notes == 1
            assert [text for text, _ in memory.stored] == ["I like tea with milk"]

    play(scenario)


def test_chinese_words_are_known_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory()
        talk, _ = talking(tmp_path, memory, stores("我喜欢喝龙井茶", "我讨厌上海的冬天"))
        async with talk:
            assert (await until_summarised(talk, "我很喜欢喝龙井茶")).notes == 1

    play(scenario)


def test_it_happens_once_for_each_summary(tmp_path: Path) -> None:
    async def scenario() -> None:
        talk, model = talking(tmp_path, FakeMemory(), says("NO_REPLY"))
        async with talk:
            for _ in range(40):
                await talk.say("I like tea with milk. " * 8)
            count = talk.store.settings(MAIN).compaction_count
            assert count >= 2
            assert len(model.flushes) == count
            assert talk.store.settings(MAIN).memory_flush_compaction_count == count - 1
            assert talk.store.settings(MAIN).memory_flush_at

    play(scenario)


@pytest.mark.parametrize(
    ("key", "presence"),
    [
        (SessionKey("agent:main:telegram:group:7"), Presence.PRESENT),
        (SessionKey("agent:main:telegram:dm:7"), Presence.PRESENT),
        (MAIN, Presence.NOBODY),
    ],
)
def test_others_and_schedules_write_no_memories(
    tmp_path: Path, key: SessionKey, presence: Presence
) -> None:
    async def scenario() -> None:
        talk, model = talking(tmp_path, FakeMemory(), stores("I like tea with milk"), key)
        talk.presence = presence
        async with talk:
            await until_summarised(talk)
            assert not model.flushes

    play(scenario)


def test_text_of_strangers_marks_the_notes(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory()
        talk, _ = talking(tmp_path, memory, stores("I like tea with milk"))
        async with talk:
            talk.session.transcript.append_labels({"untrusted": True, "private": False})
            await until_summarised(talk)
            assert [mark for _, mark in memory.stored] == ["untrusted"]
            assert talk.session.transcript.labels()["untrusted"]

    play(scenario)


def test_a_model_that_fails_at_it_costs_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        talk, _ = talking(tmp_path, FakeMemory(), fails(ModelError("broken")))
        async with talk:
            assert (await until_summarised(talk)).exchanges

    play(scenario)


def test_the_settings_turn_it_off_or_word_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        talk, model = talking(tmp_path / "off", FakeMemory(), says("NO_REPLY"))
        talk.context = ContextLimits(flush=False)
        async with talk:
            await until_summarised(talk)
            assert not model.flushes
        talk, model = talking(tmp_path / "own", FakeMemory(), says("NO_REPLY"))
        talk.context = replace(ContextLimits(), flush_task="Note what matters.")
        async with talk:
            await until_summarised(talk)
            task = model.flushes[0].messages[0].content
            assert task.startswith("Note what matters.\n\n")
            assert "NO_REPLY" in task

    play(scenario)


def test_it_is_due_near_the_end_of_any_window() -> None:
    for window in (2_048, 8_192, 24_000, 131_072):
        assert not flush_due(window // 2, window, 20_000, 4_000, 0, None)
        assert flush_due(window, window, 20_000, 4_000, 0, None)
        assert not flush_due(window, window, 20_000, 4_000, 3, 3)
