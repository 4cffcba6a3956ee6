"""What can be done with a message, what an answer took, and how large it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QGuiApplication

from moltbot_desktop.core.events import RunEnded, RunStarted
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.gateway.client import HistoryLoaded, SaidPlace
from moltbot_desktop.ui.conversations.message_menu import MOST_QUOTED, quoted
from moltbot_desktop.ui.entries import EntryId
from tests.fakes.assistant_client import SESSION, FakeAssistantClient, stored
from tests.gui.conftest import Desk, MakeDesk

SAID = ["Who is she?", "My sister.", "How old?", "Ninety."]
RUN = RunId("run-1")


def choose(desk: Desk, number: int, words: str) -> list[str]:
    """Press `words` in the menu of a message; what it offers that can be done."""
    entries = desk.window.transcript.entry_ids()
    menu = desk.window.messages.menu(entries[number] if number >= 0 else EntryId(-1))
    assert menu is not None
    offered = [one.text() for one in menu.actions() if one.isEnabled()]
    for one in menu.actions():
        if one.text() == words:
            one.trigger()
    menu.deleteLater()
    return offered


def test_any_message_is_copied_and_quoted(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(SAID)))
    assert choose(desk, 1, "Copy") == ["Copy", "Quote", "Answer again"]
    assert QGuiApplication.clipboard().text() == "My sister."
    desk.window.composer.set_text("What is that?")
    choose(desk, 1, "Quote")
    assert desk.window.composer.text == "> My sister.\n\nWhat is that?"


def test_an_answer_is_copied_with_its_markdown_without_it_or_its_code_alone(
    make_desk: MakeDesk,
) -> None:
    answer = "Do **this**:\n\n```sh\nls -a\n```\n\nand `that`:\n\n```\ncd\n```"
    desk = make_desk(FakeAssistantClient(items=stored(["How?", answer])))
    forms = ["Copy", "Copy without Markdown", "Copy the code", "Quote", "Answer again"]
    assert choose(desk, 1, "Copy") == forms
    assert QGuiApplication.clipboard().text() == answer
    choose(desk, 1, "Copy the code")
    assert QGuiApplication.clipboard().text() == "ls -a\n\ncd"
    choose(desk, 1, "Copy without Markdown")
    assert "Do this:" in QGuiApplication.clipboard().text()
    assert "**" not in QGuiApplication.clipboard().text()


def test_any_answer_can_be_asked_for_again(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(SAID)))
    choose(desk, 1, "Answer again")
    assert desk.client.instead == [(SaidPlace("now", "said-1"), "")]
    assert desk.client.sent == []
    assert desk.window.events.busy


def test_while_an_answer_is_written_it_is_said_why_nothing_else_is(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient(items=stored(SAID)))
    desk.client.start(RUN, "go")
    assert choose(desk, 0, "") == ["Copy", "Quote"]
    menu = desk.window.messages.menu(desk.window.transcript.entry_ids()[0])
    assert menu is not None
    told = [one.text() for one in menu.actions() if not one.isEnabled()]
    assert [one.split("\u2002")[0] for one in told] == ["Edit and send again…", "Answer again"]
    assert all("An answer is being written" in one for one in told)
    menu.deleteLater()
    desk.client.end(RUN, "Done.")
    assert "Answer again" in choose(desk, 0, "")


def test_where_nobody_answers_a_message_is_only_copied(make_desk: MakeDesk) -> None:
    desk = make_desk(FakeAssistantClient())
    desk.client.tell(HistoryLoaded(SESSION, tuple(stored(SAID)), False, "x", answerable=False))
    desk.settle()
    assert choose(desk, -1, "") == ["Copy"]


def test_what_a_command_said_is_copied_and_quoted_alone(desk: Desk) -> None:
    desk.client.tell(RunStarted(RUN, SESSION, 1, "/status", command=True))
    desk.client.end(RUN, "All is **well**.")
    desk.settle()
    assert choose(desk, 0, "") == choose(desk, 1, "") == ["Copy", "Quote"]


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
