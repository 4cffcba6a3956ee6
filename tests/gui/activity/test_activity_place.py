"""The place "Activity": runs and their steps, filters, older ones, and a run told anew."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit

from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, RunId
from moltbot_desktop.core.memories import Use, UsedMemory
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.core.run_facts import PromptPiece, Ruling, RunFacts
from moltbot_desktop.sdk.activity import (
    Change,
    Origin,
    ReplayCall,
    ReplayReport,
    ReplaySide,
    ReplayWanted,
    RunDetail,
    RunStep,
)
from moltbot_desktop.ui.activity.page import FAILED, ActivityPlace
from moltbot_desktop.ui.activity.replay import ReplayForm
from moltbot_desktop.ui.activity.words import arguments_words
from moltbot_desktop.ui.place import CHAT
from tests.fakes.activity_desk import FakeRunsDesk, run
from tests.fakes.assistant_client import FakeAssistantClient
from tests.gui.places import Stage, button_in, texts_in

LONG = "A line of what came back, as long as results are. " * 40
ROME = run(
    3, "Weather in Rome?", tools=("web_search",), calls=1, origin=Origin.CHANNEL, channel="telegram"
)
BOOK = run(2, "Book a table", outcome=OutcomeKind.FAILED, reason="The model does not answer.")
WORK = run(1, "给我念一下今天的日程", agent=AgentId("work"), outcome=OutcomeKind.CANCELLED)
STEP = RunStep(
    "web_search",
    {"query": "weather Rome", "count": 3},
    said="I look it up.",
    outcome="ok",
    ruling=Ruling("ask", "web_read", "owner"),
    result=LONG,
    seconds=0.8,
    skill="weather",
    version="ab12",
)
DETAIL = RunDetail(
    ROME,
    "Weather in Rome?",
    "",
    ("And tomorrow?",),
    (STEP,),
    "Sunny, 21 degrees.",
    "The person asks for weather.",
    RunFacts("qwen3-4b", 8192, "full", pieces=(PromptPiece("persona", 2400),)),
    (UsedMemory("MEMORY.md", 12, 12, 0.9, "ff", Use.RECALLED),),
)
THEN = ReplaySide("qwen3-4b", OutcomeKind.ANSWERED, "", "Sunny.", Usage(1200, 800, 40), 2.5)
NOW = ReplaySide("starter", OutcomeKind.ANSWERED, "", "Cloudy.", Usage(900, 0, 12), 61.0)
REPORT = ReplayReport(
    ROME.id,
    THEN,
    NOW,
    "--- then\n+++ now\n@@ -1 +1 @@\n-Sunny.\n+Cloudy.",
    (
        ReplayCall(Change.SAME, "web_search", {"query": "weather Rome"}, from_record=True),
        ReplayCall(Change.NEW, "message", {"text": "Hi"}),
        ReplayCall(Change.GONE, "calc", {}),
    ),
    ("memory",),
    1,
)


@pytest.fixture
def desk() -> FakeRunsDesk:
    desk = FakeRunsDesk()
    desk.past = [ROME, BOOK, WORK]
    desk.details = {ROME.id: DETAIL}
    return desk


def opened(stage: Stage, desk: FakeRunsDesk) -> ActivityPlace:
    return stage.show(ActivityPlace(stage.parts, desk))


def titles(place: ActivityPlace) -> list[str]:
    return [one.title for one in place.rows.rows]


def replaying(stage: Stage, place: ActivityPlace) -> ReplayForm:
    button_in(place, "Tell it anew").click()
    stage.settle()
    [form] = place.findChildren(ReplayForm)
    return form


def test_runs_stand_newest_first_with_where_they_came_from(
    stage: Stage, desk: FakeRunsDesk
) -> None:
    place = opened(stage, desk)
    assert [(one.title, one.detail, one.badge) for one in place.rows.rows] == [
        ("Weather in Rome?", "2026-11-23 09:00 · telegram · 2.5 s · Search the web", ""),
        ("Book a table", "2026-11-23 09:00 · You · 2.5 s", "failed"),
        ("给我念一下今天的日程", "2026-11-23 09:00 · You · 2.5 s", "stopped"),
    ]
    stage.screenshot("activity-light-en")


def test_a_run_shows_its_steps_with_who_allowed_them(stage: Stage, desk: FakeRunsDesk) -> None:
    place = opened(stage, desk)
    texts = texts_in(place)
    for wanted in (
        "answered · 2.5 s",
        "Model: qwen3-4b",
        "1,200 tokens read (800 kept from before), 40 written",
        "Prompt, in characters: character 2,400",
        "Memory: MEMORY.md, 12",
        "1. Searched the web",
        "query: weather Rome\ncount: 3",
        "And tomorrow?",
        "Sunny, 21 degrees.",
    ):
        assert wanted in texts
    [verdict] = [one for one in texts if "decided by" in one]
    assert verdict == "done · decided by: you · skill weather, version ab12 · 0.8 s"
    assert LONG.strip() not in texts
    button_in(place, "Show all").click()
    assert LONG.strip() in texts_in(place)
    stage.screenshot("activity-unfolded-light-en")


def test_no_run_took_no_time_and_the_usual_agent_needs_no_name(
    stage: Stage, desk: FakeRunsDesk
) -> None:
    desk.past = [replace(BOOK, seconds=0.02, outcome=OutcomeKind.ANSWERED)]
    desk.details = {BOOK.id: replace(DETAIL, summary=desk.past[0])}
    place = opened(stage, desk)
    assert place.rows.rows[0].detail == "2026-11-23 09:00 · You · at once"
    assert "2026-11-23 09:00 · You" in texts_in(place)


def test_what_failed_says_why(stage: Stage, desk: FakeRunsDesk) -> None:
    place = opened(stage, desk)
    stage.press(Qt.Key.Key_Down)
    assert "failed · 2.5 s: The model does not answer." in texts_in(place)


def test_the_list_is_narrowed_and_searched(stage: Stage, desk: FakeRunsDesk) -> None:
    desk.known_agents = ("main", "work")
    place = opened(stage, desk)
    place.segments.choose(FAILED)
    stage.settle()
    assert titles(place) == ["Book a table"]
    place.segments.choose("all")
    place.origin.setCurrentIndex(place.origin.findText("Channels"))
    stage.settle()
    assert titles(place) == ["Weather in Rome?"]
    place.origin.setCurrentIndex(0)
    assert place.agent.isVisible()
    place.agent.setCurrentIndex(place.agent.findText("work"))
    stage.settle()
    assert titles(place) == ["给我念一下今天的日程"]
    place.agent.setCurrentIndex(0)
    place.search.setText("日程")
    place.refresh()
    stage.settle()
    assert titles(place) == ["给我念一下今天的日程"]
    place.search.setText("nothing of this")
    place.refresh()
    stage.settle()
    assert place.state.text.startswith("Nothing found.")


def test_one_agent_needs_no_choice(stage: Stage, desk: FakeRunsDesk) -> None:
    assert not opened(stage, desk).agent.isVisible()


def test_older_ones_come_at_a_press(stage: Stage, desk: FakeRunsDesk) -> None:
    desk.past = [run(number, f"Question {number}") for number in range(120, 0, -1)]
    place = opened(stage, desk)
    assert len(place.rows.rows) == 51 and titles(place)[-1] == "Show older ones"
    stage.press(Qt.Key.Key_End)
    stage.press(Qt.Key.Key_Return)
    assert len(place.rows.rows) == 101
    stage.press(Qt.Key.Key_End)
    stage.press(Qt.Key.Key_Return)
    assert titles(place)[-1] == "Question 1" and len(place.rows.rows) == 120


def test_of_today_the_time_says_enough(stage: Stage, desk: FakeRunsDesk) -> None:
    today = f"{stage.parts.clock.now().astimezone():%Y-%m-%d}"
    now = run(5, "Just now", started=f"{today}T07:05:00+00:00")
    desk.past = [now, run(4, "Long ago", started="2020-02-29T07:05:00+00:00")]
    place = opened(stage, desk)
    details = [one.detail.split(" · ")[0] for one in place.rows.rows]
    assert details == ["07:05", "2020-02-29 07:05"]
    assert any(one.startswith(f"{today} 07:05") for one in texts_in(place)), "the whole of it"


def test_where_nothing_failed_that_is_good(stage: Stage, desk: FakeRunsDesk) -> None:
    desk.past = [ROME]
    place = opened(stage, desk)
    place.segments.choose(FAILED)
    stage.settle()
    assert place.state.text.startswith("Everything went well.")
    place.search.setText("Paris")
    stage.qtbot.waitUntil(lambda: place.state.text.startswith("Nothing found."))


def test_an_empty_place_teaches_and_a_broken_one_says_why(stage: Stage) -> None:
    desk = FakeRunsDesk()
    place = opened(stage, desk)
    assert place.state.text.startswith("Nothing was asked yet.")
    stage.screenshot("activity-empty-light-en")
    desk.refusal = StorageError("The list cannot be read.", hint="Free some space.")
    place.refresh()
    stage.settle()
    assert "The list cannot be read." in place.state.text and "Free some space" in place.state.text


def test_a_run_that_ends_is_seen_at_once(stage: Stage, desk: FakeRunsDesk) -> None:
    place = opened(stage, desk)
    desk.past.insert(0, run(9, "Newest"))
    chosen = place.rows.current
    place.deliver([RunEnded(RunId("run-9"), ROME.session, 2, RunOutcome(OutcomeKind.ANSWERED))])
    stage.settle()
    assert titles(place)[0] == "Newest" and place.rows.current == chosen


def test_what_is_known_already_is_not_asked_for_again(stage: Stage, desk: FakeRunsDesk) -> None:
    place = opened(stage, desk)
    asked = desk.asked_details
    desk.past.insert(0, run(9, "Newest"))
    place.refresh()
    stage.settle()
    assert "Sunny, 21 degrees." in texts_in(place) and desk.asked_details == asked


def test_all_of_it_is_copied(stage: Stage, desk: FakeRunsDesk) -> None:
    place = opened(stage, desk)
    stage.press(
        Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    text = QGuiApplication.clipboard().text()
    assert LONG in text and "query: weather Rome" in text and text.endswith("Sunny, 21 degrees.")
    assert place.done.label.text() == "Copied."
    QGuiApplication.clipboard().clear()


def test_its_conversation_is_gone_to(stage: Stage, desk: FakeRunsDesk) -> None:
    place, client = opened(stage, desk), FakeAssistantClient()
    button_in(place, "Go to the conversation").click()
    assert place.done.label.text().startswith("The assistant is not ready yet.")
    place.set_client(client)
    with stage.qtbot.waitSignal(place.place_requested) as gone:
        button_in(place, "Go to the conversation").click()
    assert gone.args == [CHAT, ""]
    assert client.opened == [(ROME.session_id, "")]


# ----------------------------------------------------------------------------- told anew


def test_a_run_is_told_anew_and_compared(stage: Stage, desk: FakeRunsDesk) -> None:
    place = opened(stage, desk)
    form = replaying(stage, place)
    assert form.model.count() == 3  # the one that answers now, and two of the library
    form.model.setCurrentText("starter")
    form.skill.setCurrentIndex(form.skill.findText("weather"))
    form.folder.setText("/tmp/weather-2")
    assert form.folder.isVisible()
    form.start.click()
    stage.settle()
    assert desk.begun == [ReplayWanted(ROME.id, "starter", {"weather": "/tmp/weather-2"})]
    assert form.told.text().startswith("It thinks") and form.stop.isVisible()
    desk.report = REPORT
    stage.qtbot.waitUntil(lambda: form.start.isVisible())
    texts = texts_in(place)
    for wanted in (
        "Sunny.",
        "Cloudy.",
        "answered · 1 min 1 s",
        "900 tokens read (0 kept from before), 12 written",
        "As then: Search the web (query: weather Rome)",
        "New, not carried out: Write to somebody (text: Hi)",
        "Not as it was then in the prompt: memory",
        "Memories of then that are gone: 1",
    ):
        assert wanted in texts, texts
    [diff] = place.findChildren(QPlainTextEdit)
    assert "-Sunny." in diff.toPlainText()
    stage.screenshot("activity-replay-light-en")
    button_in(place, "Back").click()
    stage.settle()
    assert place.rows.isEnabled() and not place.findChildren(ReplayForm)


def test_a_replay_is_stopped_by_hand_and_by_going_away(stage: Stage, desk: FakeRunsDesk) -> None:
    place = opened(stage, desk)
    form = replaying(stage, place)
    form.start.click()
    stage.settle()
    form.stop.click()
    stage.settle()
    assert desk.stopped == 1 and form.told.text() == "Stopped."
    form.start.click()
    stage.settle()
    QTest.keyClick(form, Qt.Key.Key_Escape)
    stage.settle()
    assert desk.stopped == 2 and not place.findChildren(ReplayForm)
    form = replaying(stage, place)
    form.start.click()
    stage.settle()
    place.left()
    stage.settle()
    assert desk.stopped == 3


def test_why_it_cannot_be_told_anew_is_said(stage: Stage, desk: FakeRunsDesk) -> None:
    place = opened(stage, desk)
    form = replaying(stage, place)
    desk.replay_refusal = UserInputInvalid("There is no model of that name.")
    form.start.click()
    stage.qtbot.waitUntil(lambda: "There is no model" in form.told.text())
    assert form.start.isVisible() and not form.stop.isVisible()


def test_what_nobody_asked_cannot_be_told_anew(stage: Stage, desk: FakeRunsDesk) -> None:
    desk.past = [run(1, "")]
    place = opened(stage, desk)
    assert titles(place) == ["Nobody asked for it"]
    assert not button_in(place, "Tell it anew").isEnabled()


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_it_speaks_chinese(stage: Stage, desk: FakeRunsDesk) -> None:
    place = stage.show(ActivityPlace(stage.parts, desk), dark=True)
    assert place.title.text() == "活动"
    assert place.rows.rows[1].badge == "失败"
    stage.screenshot("activity-dark-zh")
    button_in(place, "重放一遍").click()
    stage.settle()
    [form] = place.findChildren(ReplayForm)
    desk.report = replace(REPORT, answer_diff="", calls=())
    form.start.click()
    stage.qtbot.waitUntil(lambda: "回答相同。" in texts_in(place))
    stage.screenshot("activity-replay-dark-zh")


def test_arguments_are_called_by_a_word() -> None:
    given = {"text": "你好", "limit": 3, "of_a_plugin": ["x"]}
    assert arguments_words(given, Language.CHINESE).splitlines()[0] == "文字: 你好"
    assert arguments_words(given, Language.CHINESE).endswith('of_a_plugin: ["x"]')
    assert arguments_words(given, Language.ENGLISH) == 'text: 你好\nlimit: 3\nof_a_plugin: ["x"]'
