"""The quick question: asked in the conversation of the chat, shown where the person is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QRect, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.ids import ApprovalId, RunId
from moltbot_desktop.core.permissions import ONLY_ONCE
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.appearance import application_font
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.quick_ask import QuickAsk, QuickAskParts, place_on, with_clip
from moltbot_desktop.ui.theme import DARK, LIGHT
from tests.fakes.assistant_client import SESSION, FakeAssistantClient
from tests.gui.times import START

Make = Callable[..., QuickAsk]


class Rig:
    def __init__(self, folder: Path, resources: Path, qtbot: QtBot) -> None:
        self.clock, self.worker = ManualClock(START), Worker()
        self.client, self.qtbot = FakeAssistantClient(), qtbot
        self.parts = QuickAskParts(
            Icons(resources), self.worker, self.clock, LIGHT, application_font(),
            folder / "window.ini", resources,
        )  # fmt: skip
        self.made: list[QuickAsk] = []
        self.quick = self.make()

    def make(self, *, ready: bool = True) -> QuickAsk:
        quick = QuickAsk(self.parts)
        self.made.append(quick)
        self.client.subscribe(lambda event: quick.deliver([event]))
        if ready:
            quick.set_client(self.client)
        return quick

    def show(self, text: str | None = None) -> None:
        self.quick.come_up(text)
        self.qtbot.waitUntil(self.quick.isActiveWindow)

    def type(self, text: str, key: Qt.Key | None = Qt.Key.Key_Return) -> None:
        self.qtbot.keyClicks(self.quick.composer.edit, text)
        if key is not None:
            self.qtbot.keyClick(self.quick.composer.edit, key)

    def answered(self, question: str, answer: str) -> None:
        """Ask, and let the assistant answer."""
        self.type(question)
        run = RunId(f"run-{len(self.client.sent)}")
        self.client.start(run, question)
        self.client.say(run, answer)
        self.client.end(run, answer)

    def said(self) -> str:
        self.qtbot.waitUntil(lambda: self.quick.transcript.idle and self.worker.idle)
        return self.quick.transcript.toPlainText()

    def close(self) -> None:
        assert self.worker.close()
        for one in self.made:
            one.hide()
            one.deleteLater()
        self.client.listeners.clear()


@pytest.fixture
def rig(qtbot: QtBot, tmp_path: Path, checkout: Path) -> Iterator[Rig]:
    made = Rig(tmp_path, checkout / "resources", qtbot)
    yield made
    made.close()


def test_a_question_and_its_answer(rig: Rig) -> None:
    rig.show()
    before = rig.quick.height()
    rig.answered("What is 6*7?", "It is **42**.")
    assert rig.client.sent == ["What is 6*7?"]
    assert "It is 42." in rig.said()
    assert rig.quick.composer.text == ""
    assert rig.quick.height() > before
    assert rig.quick.isVisible()


def test_what_others_ask_is_not_shown_here(rig: Rig) -> None:
    rig.show()
    rig.client.start(RunId("of the chat"), "something else")
    rig.client.say(RunId("of the chat"), "private")
    rig.client.end(RunId("of the chat"), "private")
    assert rig.said().strip() == ""


def test_escape_hides_and_the_draft_stays(rig: Rig) -> None:
    rig.show()
    rig.type("half a thought", key=None)
    rig.qtbot.keyClick(rig.quick.composer.edit, Qt.Key.Key_Escape)
    assert not rig.quick.isVisible()
    assert rig.client.stops == 0  # an answer goes on
    assert rig.make().composer.text == "half a thought"


def test_while_a_word_is_composed_enter_is_the_input_methods(rig: Rig) -> None:
    rig.show()
    edit = rig.quick.composer.edit
    QApplication.sendEvent(edit, QInputMethodEvent("ni hao", []))
    rig.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert rig.client.sent == []
    done = QInputMethodEvent("", [])
    done.setCommitString("你好")
    QApplication.sendEvent(edit, done)
    rig.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert rig.client.sent == ["你好"]


def test_a_card_is_answered_in_the_chat(rig: Rig) -> None:
    asked: list[bool] = []
    rig.quick.answer_needed.connect(lambda: asked.append(True))
    rig.show()
    rig.type("delete the letters")
    run = RunId("run-1")
    rig.client.start(run, "delete the letters")
    card = _card(run)
    rig.client.tell(card)
    assert asked == [True]
    assert not rig.quick.isVisible()
    assert rig.client.approvals == []
    rig.client.tell(_card(RunId("of the chat")))
    assert asked == [True]


def _card(run: RunId) -> ApprovalRequested:
    return ApprovalRequested(
        run,
        SESSION,
        9,
        ApprovalId("a1"),
        "write",
        {"path": "plan.md"},
        "Write plan.md",
        "",
        ONLY_ONCE,
    )


def test_go_on_in_the_chat(rig: Rig) -> None:
    told: list[str] = []
    rig.quick.chat_requested.connect(told.append)
    rig.show("a long story")
    control = Qt.KeyboardModifier.ControlModifier
    rig.qtbot.keyClick(rig.quick.composer.edit, Qt.Key.Key_Return, control)
    assert told == ["a long story"]
    assert rig.client.sent == []
    assert rig.quick.composer.text == ""
    assert not rig.quick.isVisible()


def test_copied_text_comes_along_when_its_button_is_pressed(rig: Rig) -> None:
    QGuiApplication.clipboard().setText("one\ntwo")
    rig.show("Summarise this")
    assert not rig.quick.clip.isVisible()  # nobody looks at it unasked
    rig.quick._attach.click()
    assert rig.quick.clip.isVisible()
    rig.quick._send("Summarise this")
    assert rig.client.sent == ["Summarise this\n\none\ntwo"]
    assert not rig.quick.clip.isVisible()
    QGuiApplication.clipboard().clear()
    rig.quick._attach.click()
    assert "not copied" in rig.quick.note.text()


def test_copied_text_that_is_too_long_stays_out(rig: Rig) -> None:
    QGuiApplication.clipboard().setText("x" * 30_000)
    rig.show()
    rig.quick._attach.click()
    assert not rig.quick.clip.isVisible()
    assert "30,000" in rig.quick.note.text()
    QGuiApplication.clipboard().clear()


def test_what_comes_too_early_is_sent_when_the_assistant_is_ready(rig: Rig) -> None:
    rig.quick = rig.make(ready=False)
    rig.show()
    rig.type("are you there?")
    assert rig.client.sent == []
    assert "starting" in rig.quick.note.text()
    rig.quick.set_client(rig.client)
    assert rig.client.sent == ["are you there?"]
    assert rig.quick.note.text() == ""


def test_what_was_answered_long_ago_is_gone(rig: Rig) -> None:
    rig.show()
    rig.answered("hi", "hello")
    assert "hello" in rig.said()
    rig.quick.hide()
    rig.clock.advance(300)
    rig.quick.come_up()
    assert "hello" in rig.said()
    rig.quick.hide()
    rig.clock.advance(601)
    rig.quick.come_up()
    assert rig.said().strip() == ""


def test_toggle_and_themes(rig: Rig) -> None:
    rig.quick.toggle()
    assert rig.quick.isVisible()
    rig.quick.set_theme(DARK)
    assert DARK.ground in rig.quick.styleSheet()
    rig.quick.set_theme(LIGHT)
    assert LIGHT.ground in rig.quick.styleSheet()


@pytest.mark.parametrize(
    "screen", [QRect(0, 0, 1280, 900), QRect(1280, -200, 3840, 2160), QRect(0, 0, 640, 480)]
)
def test_it_stands_in_the_upper_third(screen: QRect) -> None:
    place = place_on(screen, 100)
    assert screen.contains(place)
    assert place.top() < screen.top() + screen.height() / 3
    assert abs(place.center().x() - screen.center().x()) <= 1


def test_a_question_and_what_it_is_about() -> None:
    assert with_clip(" why? ", "") == "why?"
    assert with_clip("why?", " because\n") == "why?\n\nbecause"


def test_files_are_named_by_their_paths_because_none_come_along(rig: Rig) -> None:
    rig.show()
    edit, data = rig.quick.composer.edit, QMimeData()
    data.setUrls([QUrl.fromLocalFile("/home/ada/报告.pdf"), QUrl.fromLocalFile("/home/ada/a b.md")])
    QGuiApplication.clipboard().setMimeData(data)
    edit.paste()
    assert edit.toPlainText() == '/home/ada/报告.pdf "/home/ada/a b.md" '
    edit.clear()
    web = QMimeData()
    web.setUrls([QUrl("https://example.org/a.pdf")])
    QGuiApplication.clipboard().setMimeData(web)
    edit.paste()
    assert edit.toPlainText() == "https://example.org/a.pdf"
    assert not rig.quick.composer.clip.isVisible()
