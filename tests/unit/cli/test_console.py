"""What a terminal, a pipe and a script read."""

from __future__ import annotations

import io
import json
import re

from moltbot_desktop.cli.console import JsonConsole, PlainConsole, TerminalConsole
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import (
    AssistantDelta,
    CompactionEnded,
    CompactionStarted,
    RunEnded,
    RunEvent,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
)
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.gateway.client import InboxChanged, Notice, ReminderDue
from moltbot_desktop.sdk.inbox import Proposal

RUN = (RunId("r"), SessionKey("k"), 1)
TURN: list[RunEvent] = [
    ToolStarted(*RUN, "c1", "calc", {"expression": "6*7"}),
    ToolEnded(*RUN, "c1", "calc", True, "ok", "42", 0.1),
    AssistantDelta(*RUN, "It is "),
    AssistantDelta(*RUN, "42."),
    RunEnded(*RUN, RunOutcome(OutcomeKind.ANSWERED, "It is 42.", "", Usage(10, 4, 6), 0.25)),
]


def test_a_script_reads_one_object_a_line() -> None:
    out, err = io.StringIO(), io.StringIO()
    console = JsonConsole(out, err)
    for text in ("6*7?", "again"):
        console.asked(text)
        for event in TURN:
            console.happened(event)
    console.reminder(ReminderDue(1, "tea", "2026-01-05 12:00", missed=False))
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [line["input"] for line in lines] == ["6*7?", "again"]
    assert lines[0] == {
        "input": "6*7?",
        "text": "It is 42.",
        "tool_calls": [
            {"name": "calc", "arguments": {"expression": "6*7"}, "ok": True, "outcome": "ok"}
        ],
        "outcome": "answered",
        "reason": "",
        "tokens": {"prompt": 10, "cached": 4, "completion": 6},
        "seconds": 0.25,
    }
    assert "tea" in err.getvalue()


def test_a_refused_line_still_has_its_object() -> None:
    out = io.StringIO()
    console = JsonConsole(out, io.StringIO())
    console.asked("x" * 5_000)
    console.refused("x" * 5_000, UserInputInvalid("Too long.", hint="Save it as a file."))
    line = json.loads(out.getvalue())
    assert (line["outcome"], line["reason"]) == ("failed", "input_invalid")
    assert len(line["input"]) < 5_000


def test_a_pipe_reads_answers_and_reminders_only() -> None:
    out, err = io.StringIO(), io.StringIO()
    console = PlainConsole(out, err)
    for event in TURN:
        console.happened(event)
    console.notice(Notice("A section fell back.", "Mend it."))
    console.reminder(ReminderDue(1, "tea", "2026-01-05 12:00", missed=True))
    assert out.getvalue() == "It is 42.\n⏰ tea — 2026-01-05 12:00 (missed while I was off)\n"
    assert err.getvalue() == "A section fell back. Mend it.\n"


def test_a_person_sees_the_answer_once_even_when_the_harness_replaced_it() -> None:
    for final in ("It is 42.", "6*7 = 42"):
        out = io.StringIO()
        console = TerminalConsole(out, io.StringIO())
        console.asked("6*7?")
        for event in TURN[:-1]:
            console.happened(event)
        console.happened(RunEnded(*RUN, RunOutcome(OutcomeKind.ANSWERED, final)))
        assert out.getvalue().count(final) == 1
        assert out.getvalue().endswith(f"{final}\n")


def test_a_terminal_obeys_nothing_that_an_answer_holds() -> None:
    out = io.StringIO()
    console = TerminalConsole(out, io.StringIO())
    console.asked("read it")
    console.happened(AssistantDelta(*RUN, "It says \x1b]0;owned\x07hi\x9b2J\u202e.\n"))
    assert out.getvalue() == "It says ]0;ownedhi2J.\n"


def test_what_was_just_proposed_is_one_quiet_line_with_its_command() -> None:
    out, err = io.StringIO(), io.StringIO()
    old, new = (
        Proposal(number, text, "fact", text, "2026-01-05T12:00:00+00:00", SessionKey("k"))
        for number, text in (("1", "I live in Leeds"), ("2", "我住在杭州"))
    )
    event = InboxChanged((old, new), (), fresh=("2",))
    TerminalConsole(out, err).inbox(event)
    assert out.getvalue() == "\r\x1b[2m· 要记住吗？“我住在杭州”  /keep 2 或 /no 2\x1b[0m\n> "
    PlainConsole(out, err).inbox(InboxChanged((old,), (), fresh=("1",)))
    JsonConsole(out, err).inbox(InboxChanged((old,), (), told="Undone."))
    assert err.getvalue().splitlines() == [
        "Waits for your yes: “I live in Leeds” (moltbot-desktop memory accept 1)",
        "Undone.",
    ]


def test_an_inbox_without_news_says_nothing() -> None:
    out = io.StringIO()
    for console in (TerminalConsole(out, out), PlainConsole(out, out), JsonConsole(out, out)):
        console.inbox(InboxChanged((), ()))
    assert out.getvalue() == ""


def test_a_slow_tool_and_a_summary_are_told_in_dim_lines() -> None:
    out = io.StringIO()
    console = TerminalConsole(out, io.StringIO())
    console.asked("整理一下")
    console.happened(CompactionStarted(*RUN, 900))
    console.happened(CompactionEnded(*RUN, 0, 900, 900, 0, False))
    console.happened(CompactionEnded(*RUN, 4, 900, 300, 0, False))
    console.happened(ToolStarted(*RUN, "c", "web_fetch", {}))
    console.happened(ToolUpdated(*RUN, "c", "web_fetch", "3 of 10\nMB" + "x" * 500))
    console.happened(ToolUpdated(*RUN, "c", "web_fetch", "9 of 10 MB"))
    console.happened(ToolEnded(*RUN, "c", "web_fetch", True, "ok", "", 1.0))
    console.happened(AssistantDelta(*RUN, "Done."))
    console.happened(RunEnded(*RUN, RunOutcome(OutcomeKind.ANSWERED, "Done.")))
    shown = on_screen(out.getvalue())
    assert shown == [
        "· 正在整理对话的开头…",
        "· 已为模型整理好；每一句话都还在，也能搜索到",
        "· 正在读取网页…",
        "Done.",
    ]


def test_a_notice_stands_before_the_prompt_and_not_behind_it() -> None:
    both = io.StringIO()
    console = TerminalConsole(both, both)
    console.notice(Notice("Starting."))
    console.asked("hello")
    console.happened(RunEnded(*RUN, RunOutcome(OutcomeKind.ANSWERED, "Hi.")))
    both.write("> ")
    console.notice(Notice("Tokens: 3 read."))
    assert on_screen(both.getvalue()) == ["Starting.", "Hi.", "Tokens: 3 read.", ">"]


def on_screen(written: str) -> list[str]:
    """The lines as a terminal shows them, without their looks."""
    plain = re.sub(r"\x1b\[(?:0|2)m", "", written)
    lines = [re.split(r"\r(?:\x1b\[2K)?", line) for line in plain.split("\n")]
    return [parts[-1].rstrip() for parts in lines if parts[-1].strip()]
