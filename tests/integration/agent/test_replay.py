"""A past run told anew: it sees what was there then, is answered from the record, and does nothing.

The first run is a real one, in a real transcript; so is the second, by the same runner and
dispatcher.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import socket
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.agent.recorded import RecordedCalls, Step, same_call
from moltbot_desktop.agent.replaying import ReplayHow, answer_diff, changed_pieces, replayed
from moltbot_desktop.agent.run import RunCancel
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.memories import Use
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.core.run_facts import CallFacts, PromptPiece, RunFacts
from moltbot_desktop.sdk.activity import Change, ReplayReport
from moltbot_desktop.sdk.hooks import BeforeAgentStart
from moltbot_desktop.sdk.memory import SearchHit, used_memory
from moltbot_desktop.sdk.models import ModelInfo, PromptStyle
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.tools import Effect, ToolInput, ToolResult
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Decision, Place, Presence, Situation, decide
from moltbot_desktop.sessions.activity import StoredRuns
from moltbot_desktop.sessions.entries import ToolResultEntry
from tests.fakes.chat_model import ScriptedChatModel, ScriptedTurn, calls, calls_all, says
from tests.fakes.talk import MAIN, Talk
from tests.fakes.tools import FakeTool, spec

HOW = ReplayHow()


def tools(outside: Path) -> tuple[FakeTool, FakeTool, FakeTool]:
    """Three that do what must not happen twice: a file, a message, a request to the web."""

    def write(given: ToolInput) -> ToolResult:
        with (outside / "file.txt").open("a") as file:
            file.write(given.text("text"))
        return ToolResult({"written": given.text("text")}, "Written.")

    def send(given: ToolInput) -> ToolResult:
        with (outside / "sent.txt").open("a") as file:
            file.write(given.text("text"))
        return ToolResult({"sent": True}, "Sent.")

    def fetch(given: ToolInput) -> ToolResult:
        socket.create_connection(("127.0.0.1", 1), timeout=0.01)  # refused, or never tried
        return ToolResult({}, "")

    return (
        FakeTool(spec("note", Effect.NONE), write),
        FakeTool(spec("tell", Effect.NONE), send),
        FakeTool(spec("fetch", Effect.WEB_READ), fetch),
    )


def files(folder: Path) -> Mapping[str, tuple[bytes, int]]:
    """Every file with what it holds and when it was changed. The cache of runs is the reader's."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("runs.sqlite")
    }


async def told_anew(
    talk: Talk, run: str, script: list[ScriptedTurn], how: ReplayHow = HOW
) -> tuple[ReplayReport, ScriptedChatModel]:
    model = ScriptedChatModel(script)
    talk.model = model
    past = StoredRuns(talk.home).past(run)
    return await replayed(talk.runner.parts, past, how, RunCancel()), model


def test_nothing_happens_again_and_the_results_are_those_of_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    outside.mkdir()
    connected: list[object] = []
    asked: list[str] = []

    def heard(event: BeforeAgentStart) -> None:
        asked.append(event.prompt)

    async def scenario() -> ReplayReport:
        script = [
            calls_all(ToolCall("1", "note", {"text": "a"}), ToolCall("2", "tell", {"text": "b"})),
            says("Both done."),
        ]
        hands = tools(outside)
        async with Talk(home, ScriptedChatModel(script), hands) as talk:
            talk.hooks.on(BeforeAgentStart, heard, name="watcher")
            await talk.say("Write a, send b")
            before, heard_before = (files(home), files(outside)), list(asked)
            events, settings = len(talk.events), talk.store.settings(MAIN)
            monkeypatch.setattr(socket.socket, "connect", lambda *args: connected.append(args))
            report, _ = await told_anew(
                talk,
                "run-0",
                [
                    calls("note", {"text": "a"}),
                    calls("fetch", {"text": "http://example.org"}),
                    calls("note", {"text": "other"}),
                    says("Done again."),
                ],
            )
            monkeypatch.undo()
            assert (files(home), files(outside)) == before
            assert asked == heard_before == ["Write a, send b"]
            assert len(talk.events) == events
            assert talk.store.settings(MAIN) == settings
            for tool in hands:
                assert len(tool.got) == (0 if tool.spec.name == "fetch" else 1)
            return report

    report = asyncio.run(scenario())
    assert not connected
    assert report.after.outcome is OutcomeKind.ANSWERED
    assert (report.before.answer, report.after.answer) == ("Both done.", "Done again.")
    assert "-Both done." in report.answer_diff and "+Done again." in report.answer_diff
    assert [(one.change, one.tool, one.from_record) for one in report.calls] == [
        (Change.SAME, "note", True),
        (Change.GONE, "tell", False),
        (Change.NEW, "fetch", False),
        (Change.NEW, "note", False),
    ]


def test_a_call_that_was_not_made_then_is_said_to_be_not_carried_out(tmp_path: Path) -> None:
    async def scenario() -> list[str]:
        script = [calls("note", {"text": "a"}), says("Done.")]
        async with Talk(tmp_path / "home", ScriptedChatModel(script), tools(tmp_path)) as talk:
            await talk.say("Write a")
            again = [calls("note", {"text": " a "}), calls("tell", {"text": "x"}), says("So.")]
            _, model = await told_anew(talk, "run-0", again)
            return [
                message.content
                for message in model.requests[-1].messages
                if message.role is Role.TOOL
            ]

    assert asyncio.run(scenario()) == [
        '{"written":"a"}',
        '{"error":"not carried out in a replay"}',
    ]


def test_the_model_reads_what_it_read_then_and_nothing_later(tmp_path: Path) -> None:
    async def scenario() -> tuple[ScriptedChatModel, ScriptedChatModel]:
        first = ScriptedChatModel([says("one"), says("two"), says("three")])
        async with Talk(tmp_path, first) as talk:
            for words in ("First?", "Second?", "Third?"):
                await talk.say(words)
            clock = talk.runner.parts.clock
            assert isinstance(clock, ManualClock)
            clock.advance(100_000)
            report, again = await told_anew(talk, "run-1", [says("two")])
            assert report.answer_diff == ""
            assert talk.lent[-1] == ""
            await told_anew(talk, "run-1", [says("2")], ReplayHow(model="small"))
            assert talk.lent[-1] == "small"
        return first, again

    first, again = asyncio.run(scenario())
    then, now = first.requests[1], again.requests[0]
    assert now.messages == then.messages  # the day and hour of then, too
    assert now.tools == then.tools
    assert now.conversation == ""  # the model keeps nothing of it


def test_words_that_came_while_it_went_on_come_at_the_same_place(tmp_path: Path) -> None:
    async def scenario() -> tuple[ScriptedChatModel, ScriptedChatModel]:
        script = [calls("note", {"text": "a"}), calls("note", {"text": "b"}), says("Done.")]
        first = ScriptedChatModel(script)
        async with Talk(tmp_path / "home", first, tools(tmp_path)) as talk:
            turns = itertools.count()

            def said() -> tuple[str, ...]:
                if next(turns):
                    return ()
                talk.session.transcript.append_user("And b", RunId("late"))
                talk.session.transcript.append_outcome(
                    RunId("late"), RunOutcome(OutcomeKind.JOINED, "", "run-0")
                )
                return ("And b",)

            await talk.say("Write a", said)
            _, again = await told_anew(talk, "run-0", script)
        return first, again

    first, again = asyncio.run(scenario())
    for then, now in zip(first.requests, again.requests, strict=True):
        assert [(one.role, one.content) for one in now.messages] == [
            (one.role, one.content) for one in then.messages
        ]


def test_a_skill_is_read_in_the_version_that_is_given(tmp_path: Path) -> None:
    path = "~/skills/tea/SKILL.md"
    old = FakeTool(
        dataclasses.replace(
            spec("read", Effect.NONE),
            parameters={"type": "object", "properties": {"path": {"type": "string"}}},
        ),
        lambda given: ToolResult({"path": given.text("path"), "text": "Boil it."}, "Boil it."),
    )

    async def scenario() -> tuple[str, ReplayReport]:
        script = [calls("read", {"path": path}), says("Boiled.")]
        async with Talk(tmp_path, ScriptedChatModel(script), (old,)) as talk:
            await talk.say("Tea")
            how = ReplayHow(versions={"tea": "Brew it."})
            report, model = await told_anew(
                talk, "run-0", [calls("read", {"path": path}), says("Brewed.")], how
            )
        return model.requests[-1].messages[-1].content, report

    shown, report = asyncio.run(scenario())
    assert shown == f'{{"path":"{path}","text":"Brew it."}}'
    assert report.calls[0].change is Change.SAME
    assert len(old.got) == 1


def test_memories_of_then_are_brought_up_and_lost_ones_are_counted(tmp_path: Path) -> None:
    hit = SearchHit("MEMORY.md", 1, 1, "Anna likes tea", 0.9, "memory")

    async def scenario() -> tuple[ScriptedChatModel, ReplayReport, ReplayReport]:
        async with Talk(tmp_path, ScriptedChatModel([says("Tea.")])) as talk:
            await talk.say("What does Anna like?")
            past = StoredRuns(tmp_path).past("run-0")
            past = dataclasses.replace(past, memories=(used_memory(hit, Use.RECALLED),))
            talk.model = model = ScriptedChatModel([says("Tea."), says("Hm.")])
            parts = talk.runner.parts
            how = ReplayHow(found=((past.memories[0], hit),))
            kept = await replayed(parts, past, how, RunCancel())
            lost = await replayed(parts, past, HOW, RunCancel())
        return model, kept, lost

    model, kept, lost = asyncio.run(scenario())
    first, second = (one.messages[-1].content for one in model.requests)
    assert "Anna likes tea" in first and "Anna likes tea" not in second
    assert (kept.lost_memories, lost.lost_memories) == (0, 1)


def test_a_run_that_nobody_asked_for_cannot_be_asked_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Talk(tmp_path, ScriptedChatModel([])) as talk:
            await talk.say("")
            with pytest.raises(UserInputInvalid, match="no words of anybody"):
                await told_anew(talk, "run-0", [])

    asyncio.run(scenario())


def test_no_card_is_shown_and_a_small_model_may_replay_as_well(tmp_path: Path) -> None:
    small = ModelInfo("small", 512, 0, style=PromptStyle.COMMAND)

    async def scenario() -> tuple[ReplayReport, list[object]]:
        script = [calls("tell", {"text": "b"}), says("Sent.")]
        async with Talk(tmp_path / "home", ScriptedChatModel(script), tools(tmp_path)) as talk:
            await talk.say("Send b")
            talk.model = ScriptedChatModel([calls("tell", {"text": "b"})], info=small)
            past = StoredRuns(talk.home).past("run-0")
            report = await replayed(talk.runner.parts, past, HOW, RunCancel())
            return report, [one for one in talk.events if isinstance(one, ApprovalRequested)]

    report, cards = asyncio.run(scenario())
    assert not cards
    assert report.after.model == "small"
    assert report.after.answer == "Sent."  # the tool's own words, as they were shown then


# ----------------------------------------------------------------------------- the pure half


def test_the_policy_says_no_to_everything_in_a_replay() -> None:
    for effect, place, mode in itertools.product(Effect, Place, Mode):
        for labels in (Labels(), Labels(untrusted=True, private=True)):
            verdict = decide(Situation(effect, place, labels, Presence.REPLAY, None, mode))
            assert (verdict.decision, verdict.rule) == (Decision.DENY, "replay")


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(TEXT, VALUES, max_size=4)


@given(ARGUMENTS)
def test_the_order_of_names_and_blanks_around_texts_make_no_other_call(
    arguments: dict[str, JsonValue],
) -> None:
    turned = {
        name: f"  {value}\n" if isinstance(value, str) else value
        for name, value in reversed(arguments.items())
    }
    one, other = ToolCall("1", "t", arguments), ToolCall("2", "t", turned)
    assert same_call(one, None) == same_call(other, None)
    assert same_call(one, None) != same_call(ToolCall("1", "u", arguments), None)


@given(ARGUMENTS, TEXT)
def test_whatever_a_result_looked_like_it_is_handed_out(
    arguments: dict[str, JsonValue], content: str
) -> None:
    message = ChatMessage(Role.TOOL, content, tool_call_id="1", tool_name="t")
    entry = ToolResultEntry("e", "", "", RunId("r"), message, True, "shown", CallFacts("ok"))
    recorded = RecordedCalls([Step(ToolCall("1", "t", arguments), entry)])
    ran = recorded.answer(ToolCall("9", "t", arguments), None)
    assert ran is not None and ran.result.display == "shown"
    assert recorded.answer(ToolCall("9", "other", arguments), None) is None


def test_a_call_made_twice_is_answered_as_it_was_each_time() -> None:
    def step(content: str) -> Step:
        message = ChatMessage(Role.TOOL, content, tool_call_id="1", tool_name="t")
        entry = ToolResultEntry("e", "", "", RunId("r"), message, True, content)
        return Step(ToolCall("1", "t", {"n": 2}), entry)

    recorded = RecordedCalls([step('{"a":1}'), step('{"a":2}')])
    call = ToolCall("1", "t", {"n": 2.0})
    found = [recorded.answer(call, None) for _ in range(3)]
    assert [dict(one.result.data) for one in found if one] == [{"a": 1}, {"a": 2}, {"a": 2}]


def test_what_changed_of_a_prompt_is_named() -> None:
    then = RunFacts(style="full", pieces=(PromptPiece("persona", 3, "a"), PromptPiece("x", 1, "b")))
    now = RunFacts(style="full", pieces=(PromptPiece("persona", 3, "a"), PromptPiece("y", 1, "b")))
    assert changed_pieces(then, now) == ("x", "y")
    assert changed_pieces(RunFacts(), now) == ()  # nobody wrote down what they were
    assert answer_diff("same\n", "same") == ""
