"""The window shows one conversation; what goes on elsewhere reaches the person all the same."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from moltbot_desktop.core.events import (
    ApprovalRequested,
    AssistantDelta,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolStarted,
    ToolUpdated,
)
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.gateway.client import ContextShare, HistoryLoaded, Notice, NoticeKind
from moltbot_desktop.ui.origins import origin_words
from tests.fakes.assistant_client import SESSION, FakeAssistantClient, stored
from tests.gui.conftest import ARTIFACTS, Desk, MakeDesk

RUN, OTHER = RunId("run-1"), RunId("theirs")
ELSEWHERE = SessionKey("agent:main:telegram:dm:4711")


def theirs() -> list[RunEvent]:
    outcome = RunOutcome(OutcomeKind.FAILED, "Their words.", "Their reason.")
    return [
        RunStarted(OTHER, ELSEWHERE, 1, "What they ask"),
        ToolStarted(OTHER, ELSEWHERE, 2, "c", "read", {}),
        AssistantDelta(OTHER, ELSEWHERE, 3, "Their words."),
        RunEnded(OTHER, ELSEWHERE, 4, outcome),
    ]


def card(number: str, session: SessionKey) -> ApprovalRequested:
    arguments = {"path": "notes.txt"}
    return ApprovalRequested(
        *(OTHER, session, 2, ApprovalId(number), "write", arguments),
        title="Write notes.txt",
        reason="It changes a file.",
    )


def labels(desk: Desk) -> list[str]:
    return [one.text() for one in desk.window.approval.findChildren(QLabel) if one.isVisible()]


def test_a_run_elsewhere_leaves_no_trace_in_the_shown_conversation(desk: Desk) -> None:
    for event in theirs():
        desk.client.tell(event)
    assert desk.window.welcome.isVisible()
    assert desk.window.composer.button.accessibleName() == "Send", "the window is not busy"


def test_a_card_from_elsewhere_says_where_it_comes_from_and_goes_with_its_run(desk: Desk) -> None:
    desk.client.tell(card("a1", ELSEWHERE))
    assert labels(desk)[0] == "Asked in telegram (dm 4711)"
    examples = desk.window.welcome.examples
    desk.qtbot.waitUntil(
        lambda: all(one.height() >= one.sizeHint().height() for one in examples if one.isVisible())
    )
    assert any(one.isVisible() for one in examples)
    desk.screenshot("approval-elsewhere-light-en")
    desk.client.tell(theirs()[-1])
    assert not desk.window.approval.waiting
    desk.client.tell(card("a2", SESSION))
    assert labels(desk)[0] == "Write notes.txt", "of the shown conversation nothing more is said"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("agent:main:telegram:group:-100:thread:7", "Asked in telegram (group -100 thread 7)"),
        ("agent:main:cron:backup", "Asked by a scheduled job"),
        ("agent:main:subagent:9f", "Asked by a helper"),
        ("agent:work:subagent:9f", "Asked by a helper of work"),
        ("agent:work:main", "Asked in the main conversation of work"),
        ("agent:main:odd", "Asked in another conversation (agent:main:odd)"),
        ("", "Asked in another conversation ()"),
        ("x" * 500, f"Asked in another conversation ({'x' * 60})"),
    ],
)
def test_a_conversation_in_words(key: str, words: str) -> None:
    assert origin_words(SessionKey(key)) == words


def test_many_news_of_a_job_take_one_line_that_unfolds(desk: Desk) -> None:
    for number in range(40):
        text = f"Scheduled job “mail”: {number} new\n" + "a long list " * 40
        desk.client.tell(Notice(text, kind=NoticeKind.NEWS, title="mail"))
    desk.client.tell(Notice("Scheduled job “sum”: 42", kind=NoticeKind.NEWS, title="sum"))
    desk.client.tell(
        Notice("Scheduled job “sum” failed: no disk", "", True, NoticeKind.NEWS, "sum")
    )
    shown = desk.text().split("\n")
    assert len(shown) == 3
    assert shown[0].startswith("40 times, the last one: Scheduled job “mail”: 39 new a long")
    assert shown[0].endswith("▸") and len(shown[0]) < 100
    assert shown[1:] == ["Scheduled job “sum”: 42", "Scheduled job “sum” failed: no disk"]
    assert not desk.window.banner.isVisible()
    desk.screenshot("news-light-en")


def test_a_new_day_begins_an_empty_view_with_a_line_and_the_message(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(["yesterday", "was long"])))
    desk.window.send("good morning")
    desk.client.tell(HistoryLoaded(SESSION, (), more=False))
    desk.client.tell(Notice("This is a new conversation.", kind=NoticeKind.CONVERSATION))
    desk.client.start(RUN, "good morning")
    desk.client.end(RUN, "Good morning!")
    assert desk.text().split("\n")[:3] == [
        "This is a new conversation.",
        "good morning",
        "Good morning!",
    ]


def test_what_waited_and_was_stopped_says_that_it_was_not_answered(desk: Desk) -> None:
    desk.window.send("first")
    desk.client.start(RUN, "first")
    desk.window.send("second")
    assert "waits for its turn" in desk.text()
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Escape)
    desk.client.end(RunId("run-2"), "", OutcomeKind.CANCELLED, "stopped before it began")
    assert desk.text().split("\n") == ["first", "second", "not answered: stopped before its turn"]
    assert desk.window.composer.button.accessibleName() == "Send"


def test_what_a_command_says_is_shown_as_it_is(desk: Desk) -> None:
    desk.window.send("/context")
    desk.client.tell(RunStarted(RUN, SESSION, 1, "/context", command=True))
    said = "What comes along:\n- system: *12* tokens\nIn all <12> of `100`."
    desk.client.end(RUN, said)
    assert desk.text().split("\n")[1:4] == said.split("\n")


def test_a_slow_tool_says_how_far_it_is(desk: Desk) -> None:
    desk.client.start(RUN, "go")
    desk.client.tell(ToolStarted(RUN, SESSION, 2, "c", "web_fetch", {"url": "https://a.example"}))
    desk.client.tell(ToolUpdated(RUN, SESSION, 3, "c", "web_fetch", "3 of 10 MB"))
    assert "Reading a page… ▸   3 of 10 MB" in desk.text()


def test_the_status_line_opens_the_table_of_the_window(make_desk: MakeDesk) -> None:
    client = FakeAssistantClient(
        window=2048,
        context=(
            ContextShare("system", 600, 150),
            ContextShare("AGENTS.md", 1_200, 300, "system"),
            ContextShare("tools", 2_963, 741),
            ContextShare("chat", 400, 100),
        ),
    )
    desk = make_desk(client)
    outcome = RunOutcome(
        OutcomeKind.ANSWERED, "Hi.", usage=Usage(prompt_tokens=1_000, completion_tokens=24)
    )
    desk.client.tell(RunEnded(RUN, SESSION, 2, outcome))
    assert desk.window.status.context_button.text() == "Context: 50 %"
    QTest.mouseClick(desk.window.status.context_button, Qt.MouseButton.LeftButton)
    panel = desk.window.context
    assert panel.isVisible()
    assert panel.rows() == [
        "Instructions 150 tokens",
        "AGENTS.md 300 tokens",
        "Tools 741 tokens",
        "Conversation 100 tokens",
    ]
    assert panel.summary == "991 of 2,048 tokens: 48 % of the window."
    panel.grab().save(str(ARTIFACTS / "context-light-en.png"))
    client.context = ()
    desk.client.request_context()
    assert panel.rows() == []
    assert panel.summary == "This cannot be counted now."
    client.context, client.window = (ContextShare("system", 600, None),), 0
    desk.client.request_context()
    assert panel.rows() == ["Instructions 600 characters"]
    assert "once a model is loaded" in panel.summary
    client.window = 2048
    desk.client.request_context()
    assert "has not counted all" in panel.summary
    QTest.mouseClick(panel.close_button, Qt.MouseButton.LeftButton)
    assert not panel.isVisible()
