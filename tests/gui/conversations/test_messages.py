"""What can be done with a message, what an answer took, and how large it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QGuiApplication

from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.gateway.client import HistoryLoaded
from moltbot_desktop.ui.conversations.message_menu import MOST_QUOTED, quoted
from moltbot_desktop.ui.entries import EntryId
from tests.fakes.assistant_client import SESSION, FakeAssistantClient, stored
from tests.gui.conftest import Desk, MakeDesk

SAID = ["Who is she?", "My sister.", "How old?", "Ninety."]


def choose(desk: Desk, number: int, words: str) -> list[str]:
    """Press `words` in the menu of a message; what else it offers."""
    entries = desk.window.transcript.entry_ids()
    menu = desk.window.message_menu(entries[number] if number >= 0 else EntryId(-1))
    assert menu is not None
    offered = [one.text() for one in menu.actions()]
    for one in menu.actions():
        if one.text() == words:
            one.trigger()
    menu.deleteLater()
    return offered


def test_any_message_is_copied_and_quoted(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(SAID)))
    assert choose(desk, 1, "Copy") == ["Copy", "Quote"]
    assert QGuiApplication.clipboard().text() == "My sister."
    desk.window.composer.set_text("What is that?")
    choose(desk, 1, "Quote")
    assert desk.window.composer.text == "> My sister.\n\nWhat is that?"


def test_the_last_exchange_is_asked_again_or_said_differently(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(SAID)))
    assert "Ask for another answer" in choose(desk, -1, "Ask for another answer")
    assert desk.client.sent == ["/regenerate"]
    desk = make_desk(FakeAssistantClient(items=stored(SAID)))
    assert choose(desk, 2, "Say it differently…") == ["Copy", "Quote", "Say it differently…"]
    assert desk.window.composer.text == "/edit How old?"


def test_where_nobody_answers_a_message_is_only_copied(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient())
    desk.client.tell(HistoryLoaded(SESSION, tuple(stored(SAID)), False, "x", answerable=False))
    desk.settle()
    assert choose(desk, -1, "") == ["Copy"]


def test_a_long_quotation_is_cut() -> None:
    assert quoted("a\nb") == "> a\n> b\n\n"
    assert len(quoted("x" * 9_000)) < MOST_QUOTED + 20


def test_an_answer_says_what_it_took(make_desk: MakeDesk) -> None:
    desk = make_desk()
    run = RunId("r")
    desk.client.start(run, "hello")
    desk.client.say(run, "Hi.")
    outcome = RunOutcome(OutcomeKind.ANSWERED, "Hi.", "", Usage(10, 0, 231), 12.3)
    desk.client.tell(RunEnded(run, SESSION, 99, outcome))
    assert "231 tokens in 12.3 s (19 a second)" in desk.text()


@pytest.mark.parametrize("kept", ["125", "7", "-3", "x", "999999999999"])
def test_the_size_of_the_text_is_kept_and_nonsense_is_none(
    make_desk: MakeDesk, tmp_path: Path, kept: str
) -> None:
    QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat).setValue(
        "window/zoom", kept
    )
    zoom = make_desk().window.zoom
    assert zoom.share == (1.25 if kept == "125" else 1.0)


def test_ctrl_plus_writes_larger_and_ctrl_0_as_usual(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(SAID)))
    view, zoom = desk.window.transcript, desk.window.zoom

    def height() -> float:
        desk.settle()
        return view.document().size().height()

    usual = height()
    for _ in range(20):
        zoom.larger.trigger()
    assert zoom.share == 2.5 and height() > usual
    for _ in range(20):
        zoom.smaller.trigger()
    assert zoom.share == 0.7 and height() < usual
    zoom.whole.trigger()
    assert zoom.share == 1.0
