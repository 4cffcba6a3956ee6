"""Whatever a model, a tool, an extension and a person do: a run has one end, told and stored."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.hooks import HOOKS, HookEvent
from moltbot_desktop.sdk.tools import ToolInput, ToolResult
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.sessions.entries import OutcomeEntry
from tests.fakes.chat_model import (
    ScriptedChatModel,
    ScriptedTurn,
    calls,
    fails,
    hangs,
    misspells,
    says,
)
from tests.fakes.talk import Talk
from tests.fakes.tools import FakeTool, spec


def _tool(given_now: ToolInput) -> ToolResult:
    match given_now.text("text"):
        case "bug":
            raise ZeroDivisionError
        case "asks":
            return ToolResult({}, "", ok=False, question="Which?")
        case text:
            return ToolResult({"text": text * 4_000}, text, sent=text)


TURNS = st.one_of(
    st.sampled_from(["Hi.", "", "NO_REPLY", "tea"]).map(says),
    st.sampled_from(["tea", "bug", "asks"]).map(lambda text: calls("note", {"text": text})),
    st.just(calls("note", {"count": "x"})),
    st.just(calls("nothing", {})),
    st.just(misspells("note(", "no end")),
    st.just(fails(ModelError("It broke."), "half")),
    st.just(hangs("half")),
)


def _bad_hook(kind: str) -> object:
    async def hangs_on(_: HookEvent) -> None:
        await asyncio.Event().wait()

    def breaks(_: HookEvent) -> None:
        raise ZeroDivisionError

    return {"hangs": hangs_on, "breaks": breaks, "nonsense": lambda _: 7}[kind]


@pytest.mark.expect_log
@settings(max_examples=60)
@given(
    st.lists(TURNS, min_size=1, max_size=5),
    st.integers(0, 60) | st.none(),
    st.dictionaries(
        st.sampled_from(sorted(HOOKS)), st.sampled_from(["hangs", "breaks", "nonsense"]), max_size=4
    ),
)
def test_a_run_has_exactly_one_outcome(
    turns: list[ScriptedTurn], stopped_after: int | None, bad: dict[str, str]
) -> None:
    if any(turn.hangs for turn in turns) and stopped_after is None:
        stopped_after = 60

    async def scenario(home: Path) -> None:
        model = ScriptedChatModel([*turns, *[says("The end.")] * 30])
        # The same result again and again becomes a card, which only a stop would take away here.
        presence = Presence.SCRIPT if stopped_after is None else Presence.PRESENT
        tools = (FakeTool(spec("note"), _tool),)
        hooks = HookBus(limit_seconds=0.001)
        async with Talk(home, model, tools=tools, hooks=hooks, presence=presence) as talk:
            for name, kind in bad.items():
                with contextlib.suppress(Exception):  # a coroutine where none may be
                    talk.hooks.on(HOOKS[name], _bad_hook(kind), name=name)  # type: ignore[arg-type]
            run = asyncio.ensure_future(talk.say("go"))
            if stopped_after is not None:
                for _ in range(stopped_after):
                    await asyncio.sleep(0)
                run.cancel()
            await asyncio.wait([run])
            told = [event for event in talk.events if isinstance(event, RunEnded)]
            stored = [
                one for one in talk.session.transcript.entries() if isinstance(one, OutcomeEntry)
            ]
            begun = bool(talk.events)
            assert len(told) == len(stored) == int(begun)
            assert [event.seq for event in talk.events] == list(range(1, len(talk.events) + 1))
            if begun:
                assert told[0].outcome == stored[0].outcome and talk.events[-1] is told[0]

    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with TemporaryDirectory() as home:
            asyncio.run(scenario(Path(home)))
    finally:
        logging.disable(level)
