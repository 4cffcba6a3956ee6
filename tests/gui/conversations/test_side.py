"""The list of conversations beside the chat, and going from one to another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QSize, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.gateway.client import HistoryLoaded
from moltbot_desktop.sdk.sessions import ExportForm, SessionInfo, Shelf
from moltbot_desktop.ui.appearance import application_font
from moltbot_desktop.ui.chat_page import ChatPage
from moltbot_desktop.ui.conversations.past import SideParts
from moltbot_desktop.ui.conversations.side import ConversationsSide
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.theme import LIGHT
from tests.fakes.assistant_client import SESSION, FakeAssistantClient, stored
from tests.fakes.conversations_desk import FakeConversationsDesk, kept
from tests.gui.places import Stage

TELEGRAM = SessionKey("agent:main:telegram:dm:42")
WIDE = QSize(1_000, 640)


def some() -> list[SessionInfo]:
    return [
        kept("now", "What is on today?", "2026-08-01T08:55:00+00:00"),
        kept("anna", "Hello from Anna", "2026-08-01T08:30:00+00:00", TELEGRAM),
        kept("rome", "Trip to Rome", "2026-07-31T20:00:00+00:00"),
        kept("牙医", "我的牙医是谁", "2026-07-30T20:00:00+00:00"),
        kept("old", "Something long ago", "2025-01-02T03:04:00+00:00"),
        kept("away", "Put away", "2025-01-01T03:04:00+00:00", shelf=Shelf.ARCHIVED),
    ]


class Chat:
    """A chat with a list beside it."""

    def __init__(self, stage: Stage, place: Path, width: QSize = WIDE, *, dark: bool = False):
        self.stage = stage
        self.desk = FakeConversationsDesk(some())
        self.client = FakeAssistantClient(items=stored(["What is on today?", "Nothing."]))
        parts = stage.parts
        self.page = ChatPage(
            WindowParts(
                *(parts.icons, parts.worker, parts.clock, LIGHT),
                font=application_font(),
                settings_file=place / "window.ini",
                past=SideParts(self.desk, parts),
            )
        )
        self.client.subscribe(lambda event: self.page.deliver([event]))
        stage.show(self.page, size=width, dark=dark)
        self.client.past["rome"] = HistoryLoaded(
            SESSION, tuple(stored(["Rome?", "In May."])), False
        )
        self.client.past["anna"] = HistoryLoaded(TELEGRAM, tuple(stored(["Hi!"])), False)
        self.page.set_client(self.client)
        self.settle()

    @property
    def side(self) -> ConversationsSide:
        side = self.page.past.side
        assert side is not None
        return side

    def settle(self) -> None:
        view = self.page.transcript
        self.stage.qtbot.waitUntil(lambda: view.idle and self.stage.parts.worker.idle)

    def titles(self) -> list[str]:
        self.settle()
        return [one.title for one in self.side.rows.rows]

    def open(self, name: str) -> None:
        self.side.open_row(name)
        self.settle()

    def choose(self, name: str) -> None:
        self.settle()
        self.side.rows.choose(name)
        self.side.rows.setFocus()

    def do(self, words: str) -> None:
        """An entry of the menu."""
        menu = self.side.menu()
        assert menu is not None
        next(one for one in menu.actions() if one.text() == words).trigger()
        menu.deleteLater()
        self.settle()

    def text(self) -> str:
        self.settle()
        return self.page.transcript.toPlainText()


@pytest.fixture
def chat(stage: Stage, tmp_path: Path) -> Chat:
    return Chat(stage, tmp_path)


def test_conversations_stand_under_their_days(chat: Chat) -> None:
    assert chat.titles() == [
        *("Today", "What is on today?", "Hello from Anna"),
        *("Yesterday", "Trip to Rome"),
        *("This week", "我的牙医是谁"),
        *("Earlier", "Something long ago"),
    ]
    assert "Telegram" in chat.side.rows.rows[2].detail
    assert chat.side.rows.current == "now"  # the one that is shown


def test_what_came_while_nobody_saw_the_list_is_there_when_they_do(chat: Chat) -> None:
    chat.page.hide()
    chat.desk.infos.insert(0, kept("new", "Hello from Eve", "2026-08-01T08:59:00+00:00", TELEGRAM))
    chat.page.show()
    assert chat.titles()[1] == "Hello from Eve"


def test_one_is_opened_by_keyboard_and_what_is_typed_stays_with_its_own(chat: Chat) -> None:
    chat.page.composer.set_text("half a sentence")
    chat.choose("rome")
    QTest.keyClick(chat.side.rows, Qt.Key.Key_Return)
    assert "In May." in chat.text() and "Nothing." not in chat.text()
    assert chat.page.composer.text == ""
    assert chat.side.rows.current == "rome"
    chat.client.past["now"] = HistoryLoaded(SESSION, tuple(chat.client.items), False)
    chat.open("now")
    assert chat.page.composer.text == "half a sentence"


def test_a_channels_conversation_can_only_be_read_and_there_is_a_way_back(chat: Chat) -> None:
    chat.open("anna")
    assert not chat.page.composer.isVisible() and chat.page.past.bar.isVisible()
    assert "Telegram" in chat.page.past.bar.label.text()
    chat.page.past.bar.back.click()
    assert chat.page.composer.isVisible() and not chat.page.past.bar.isVisible()
    assert "Nothing." in chat.text()


def test_what_is_answered_elsewhere_meanwhile_is_not_drawn_into_it(chat: Chat) -> None:
    chat.open("anna")
    chat.client.start(RunId("r"), "from elsewhere")
    chat.client.say(RunId("r"), "not here")
    assert "not here" not in chat.text()
    chat.client.end(RunId("r"), "not here")


def test_delete_archives_and_undo_brings_it_back(chat: Chat) -> None:
    chat.choose("rome")
    QTest.keyClick(chat.side.rows, Qt.Key.Key_Delete)
    assert "Trip to Rome" not in chat.titles()
    assert chat.side.done.label.text() == "Archived: Trip to Rome"
    chat.side.done.undo.click()
    assert "Trip to Rome" in chat.titles()


def test_archiving_the_one_that_is_shown_begins_a_new_one(chat: Chat) -> None:
    chat.choose("now")
    QTest.keyClick(chat.side.rows, Qt.Key.Key_Delete)
    chat.settle()
    assert chat.client.sessions == 1


def test_from_the_archive_into_the_bin_and_back(chat: Chat) -> None:
    chat.side.shelves.choose(Shelf.ARCHIVED)
    assert "Put away" in chat.titles()
    chat.choose("away")
    chat.do("Put into the bin")
    assert chat.side.rows.isHidden() and chat.side.empty.isVisible()
    chat.side.shelves.choose(Shelf.DELETED)
    chat.choose("away")
    chat.do("Bring back")
    assert chat.titles() == []
    assert next(one for one in chat.desk.infos if one.id == "away").shelf is Shelf.KEPT


def test_f2_asks_for_a_name(chat: Chat) -> None:
    chat.choose("rome")
    QTest.keyClick(chat.side.rows, Qt.Key.Key_F2)
    [asked] = chat.side.findChildren(QInputDialog)
    assert asked.textValue() == "Trip to Rome"
    asked.setTextValue("Italy")
    asked.accept()
    assert "Italy" in chat.titles()


def test_a_pinned_one_stands_first_and_stays_so(chat: Chat, tmp_path: Path) -> None:
    chat.choose("old")
    chat.do("Pin")
    assert chat.titles()[:2] == ["Pinned", "Something long ago"]
    chat.do("Unpin")
    assert chat.titles()[0] == "Today"


@pytest.mark.parametrize(
    ("words", "form"),
    [("Export as Markdown…", ExportForm.MARKDOWN), ("Export as JSON…", ExportForm.JSON)],
)
def test_one_is_written_to_a_file(
    chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, form: ExportForm
) -> None:
    asked: list[ExportForm] = []
    write: Callable[..., None] = chat.side.export_to
    target = tmp_path / "out"

    def export(info: SessionInfo, form: ExportForm) -> None:
        asked.append(form)
        write(info, form, target)

    monkeypatch.setattr(chat.side, "export", export)
    chat.choose("rome")
    chat.do(words)
    assert asked == [form] and chat.desk.written == {target: ("rome", form)}
    assert str(target) in chat.side.done.label.text()


def test_a_refusal_is_told_and_nothing_is_lost(chat: Chat) -> None:
    chat.choose("rome")
    chat.desk.refusal = StorageError("The disk is full.", hint="Free some space.")
    chat.do("Pin")  # looks anew
    assert "The disk is full." in chat.side.done.label.text()
    assert "Trip to Rome" in chat.titles()


def test_a_search_finds_names_and_words_and_opens_at_the_place(chat: Chat) -> None:
    chat.desk.said = [("牙医", "e7", "我的牙医是王医生"), ("rome", "e1", "no such thing")]
    chat.side.search.setText("牙医")
    chat.side.refresh()
    assert chat.titles() == ["Called so", "我的牙医是谁", "Said there", "我的牙医是谁"]
    chat.open("牙医/e7")
    assert chat.client.opened[-1] == ("牙医", "e7")
    chat.side.search.setText("nobody said this")
    chat.side.refresh()
    chat.settle()
    assert "nobody said this" in chat.side.empty.text()


def test_ctrl_shift_t_opens_what_was_closed_last(chat: Chat) -> None:
    chat.page.new_chat()
    chat.settle()
    chat.page.past.again.trigger()
    assert chat.client.opened[-1][0] == "now"
    chat.page.past.again.trigger()
    assert len(chat.client.opened) == 1  # there was only one


def test_the_list_is_folded_away_and_stays_so(stage: Stage, tmp_path: Path) -> None:
    chat = Chat(stage, tmp_path)
    assert chat.side.isVisible()
    chat.page.past.toggle.trigger()
    assert not chat.side.isVisible()
    kept_there = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    assert kept_there.value("conversations/folded") == "yes"
    again = Chat(stage, tmp_path)
    assert not again.side.isVisible()


@pytest.mark.parametrize("folded", [True, False])
def test_ctrl_k_goes_to_the_search_of_all_conversations(
    stage: Stage, tmp_path: Path, folded: bool
) -> None:
    chat = Chat(stage, tmp_path)
    if folded:
        chat.page.past.toggle.trigger()
    chat.side.search.setText("rome")
    chat.page.composer.set_text("half a message")
    chat.page.composer.edit.setFocus()
    chat.page.composer.edit.moveCursor(QTextCursor.MoveOperation.Start)
    QTest.keyClick(chat.page.composer.edit, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    stage.qtbot.waitUntil(chat.side.search.hasFocus)
    assert chat.side.isVisible()
    assert chat.side.search.selectedText() == "rome"
    assert chat.page.composer.text == "half a message"


def test_a_narrow_window_has_no_list(stage: Stage, tmp_path: Path) -> None:
    chat = Chat(stage, tmp_path, QSize(520, 600))
    assert not chat.side.isVisible()
    chat.page.resize(WIDE)
    stage.qtbot.waitUntil(chat.side.isVisible)


@pytest.mark.parametrize("stage", [Language.CHINESE], indirect=True)
def test_in_chinese(stage: Stage, tmp_path: Path) -> None:
    chat = Chat(stage, tmp_path, dark=True)
    assert chat.titles()[0] == "今天"
    chat.open("anna")
    stage.screenshot("conversations-zh-dark")


def test_in_english(chat: Chat) -> None:
    chat.open("rome")
    chat.stage.screenshot("conversations-en-light")
