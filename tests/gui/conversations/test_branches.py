"""An earlier message is said in other words, and all its versions stay in reach."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt, QUrl
from PySide6.QtGui import QAccessible, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.client import ForksShown, HistoryLoaded, SaidPlace
from moltbot_desktop.sdk.sessions import Fork
from moltbot_desktop.ui.conversations import message_menu
from moltbot_desktop.ui.conversations.message_menu import Doing
from moltbot_desktop.ui.entries import EntryId
from tests.fakes.assistant_client import SESSION, FakeAssistantClient, stored
from tests.gui.conftest import Desk, MakeDesk

SAID = ["Who is she?", "My sister.", "How old?", "Ninety."]
RUN = RunId("instead-1")
WORDS = Fork("said-2", (("said-2",), ("other",)), ("said-2", "other"))
ANSWERS = Fork("said-2", (("first", "said-2", "third"),), ("said-2",))


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    """A window on two exchanges."""
    return make_desk(FakeAssistantClient(items=stored(SAID)))


def entry(desk: Desk, number: int) -> EntryId:
    return desk.window.transcript.entry_ids()[number]


def edit(desk: Desk, number: int) -> None:
    desk.window.messages.do(entry(desk, number), Doing.EDIT)


def forked(desk: Desk, *forks: Fork) -> None:
    desk.client.tell(ForksShown("now", forks))
    desk.settle()


def press(desk: Desk, key: Qt.Key) -> None:
    QTest.keyClick(desk.window.transcript, key)


def goes_through(desk: Desk) -> None:
    """As Ctrl+Up does."""
    desk.window.transcript.setFocus(Qt.FocusReason.ShortcutFocusReason)


def heard(desk: Desk) -> str:
    """What a screen reader says of the conversation."""
    return desk.window.transcript.accessibleDescription()


# ----------------------------------------------------------------------------- other words


def test_an_earlier_message_is_edited_in_the_input_and_what_followed_makes_room(
    desk: Desk,
) -> None:
    window = desk.window
    window.composer.set_text("my draft")
    edit(desk, 2)
    assert window.composer.text == "How old?"
    assert window.messages.editing.isVisible()
    assert window.composer.edit.hasFocus()
    window.composer.set_text("How old was she?")
    QTest.keyClick(window.composer.edit, Qt.Key.Key_Return)
    assert desk.client.instead == [(SaidPlace("now", "said-2"), "How old was she?")]
    assert desk.client.sent == []
    assert (window.composer.text, window.messages.editing.isVisible()) == ("my draft", False)
    desk.client.tell(HistoryLoaded(SESSION, tuple(stored(SAID[:2])), False, "now", left="said-2"))
    forked(desk, Fork(RUN, (("said-2",), (RUN,)), ("said-2", RUN)))
    desk.client.start(RUN, "How old was she?")
    desk.client.say(RUN, "Eighty.")
    desk.client.end(RUN, "Eighty.")
    assert "Ninety." not in desk.text() and "How old?" not in desk.text()
    assert "How old was she?" in desk.text() and "Eighty." in desk.text()
    assert "2/2" in desk.text()
    assert not window.events.busy


def test_escape_leaves_the_message_as_it_is(desk: Desk) -> None:
    desk.window.composer.set_text("my draft")
    edit(desk, 0)
    desk.window.composer.set_text("something else")
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Escape)
    assert desk.window.composer.text == "my draft"
    assert not desk.window.messages.editing.isVisible()
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Return)
    assert (desk.client.sent, desk.client.instead) == (["my draft"], [])


def test_another_message_edited_meanwhile_takes_the_place_and_the_draft_waits(desk: Desk) -> None:
    desk.window.composer.set_text("my draft")
    edit(desk, 0)
    edit(desk, 2)
    assert desk.window.composer.text == "How old?"
    desk.window.messages.editing.close_button.click()
    assert desk.window.composer.text == "my draft"


def test_words_that_could_not_be_said_instead_are_there_to_be_sent_again(desk: Desk) -> None:
    edit(desk, 2)
    desk.window.composer.set_text("How old was she?")
    QTest.keyClick(desk.window.composer.edit, Qt.Key.Key_Return)
    desk.client.end(RUN, "The disk is full.", OutcomeKind.FAILED, "The disk is full.")
    assert desk.window.composer.text == "How old was she?"
    assert desk.window.messages.editing.said == "said-2"
    assert desk.window.banner.text == "The disk is full."
    assert "Ninety." in desk.text()


def test_another_conversation_ends_editing_and_each_keeps_its_draft(desk: Desk) -> None:
    desk.client.past["old"] = HistoryLoaded(SESSION, tuple(stored(["Hi", "Hello"])), False)
    desk.window.composer.set_text("my draft")
    edit(desk, 2)
    desk.window.past.open("old")
    assert desk.window.composer.text == ""
    assert not desk.window.messages.editing.isVisible()
    desk.client.request_history()
    assert desk.window.composer.text == "my draft"


def test_the_draft_and_not_the_edited_message_is_there_after_a_restart(
    desk: Desk, tmp_path: Path
) -> None:
    desk.window.composer.set_text("my draft")
    edit(desk, 2)
    desk.window.keep()
    settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
    assert settings.value("window/draft") == "my draft"


def test_nothing_can_be_sent_in_its_place_while_an_answer_is_written(desk: Desk) -> None:
    desk.client.start(RunId("r"), "go")
    edit(desk, 0)
    assert desk.window.messages.editing.said == ""
    assert "An answer is being written" in desk.window.status.label.text()


# ----------------------------------------------------------------------------- versions


def test_versions_stand_beside_the_message_or_beside_the_answer(desk: Desk) -> None:
    forked(desk, WORDS)
    before, after = desk.text().split("Ninety.")
    assert "1/2" in before and "1/2" not in after
    forked(desk, ANSWERS)
    before, after = desk.text().split("Ninety.")
    assert "2/3" in after and "2/3" not in before
    forked(desk)
    assert "/3" not in desk.text()


@pytest.mark.parametrize(("way", "there"), [("back", "first"), ("on", "third")])
def test_a_press_on_an_arrow_turns_to_the_version(desk: Desk, way: str, there: str) -> None:
    forked(desk, ANSWERS)
    link = QUrl(f"moltbot:version/{entry(desk, 3)}/{way}")
    desk.window.transcript.anchorClicked.emit(link)
    assert desk.client.turned == [(SaidPlace("now", there), "said-2")]


def test_a_link_that_names_what_is_not_there_does_nothing(desk: Desk) -> None:
    for link in ("moltbot:version/9999/on", "moltbot:version/x", "moltbot:file/1/7", "moltbot:"):
        desk.window.transcript.anchorClicked.emit(QUrl(link))
    assert desk.client.turned == []


def test_turning_leaves_what_stands_above_where_it_is(make_desk: MakeDesk) -> None:
    texts = [f"Line {n}\n\nof {n}" for n in range(60)]
    long = "\n\n".join(["Ninety."] * 40)
    desk = make_desk(FakeAssistantClient(items=stored([*texts, "How old?", long])))
    view, bar = desk.window.transcript, desk.window.transcript.verticalScrollBar()
    view.show_entry(entry(desk, 60))
    stood, kept = bar.value(), view.entry_ids()[:60]
    other = [replace(one, said="other") for one in stored(["How tall?", long])]
    items = (*stored(texts), *other)
    desk.client.tell(HistoryLoaded(SESSION, items, False, "now", left="said-31", taken="other"))
    assert "How tall?" in desk.text() and "How old?" not in desk.text()
    assert view.entry_ids()[:60] == kept and len(view.entry_ids()) == 62
    assert bar.value() == stood


# ----------------------------------------------------------------------------- by keys


def test_arrows_go_from_message_to_message_and_each_is_heard(desk: Desk) -> None:
    goes_through(desk)
    assert heard(desk) == "Answer. Ninety."
    told = []
    for _ in range(4):
        press(desk, Qt.Key.Key_Up)
        told.append(heard(desk))
    assert told == ["You. How old?", "Answer. My sister.", "You. Who is she?", "You. Who is she?"]
    press(desk, Qt.Key.Key_End)
    assert heard(desk) == "Answer. Ninety."
    press(desk, Qt.Key.Key_Home)
    assert heard(desk) == "You. Who is she?"
    press(desk, Qt.Key.Key_Escape)
    assert desk.window.composer.edit.hasFocus()


def test_versions_are_heard_and_left_and_right_turn_to_them(desk: Desk) -> None:
    forked(desk, ANSWERS)
    goes_through(desk)
    assert heard(desk) == "Answer. Ninety. Version 2 of 3."
    press(desk, Qt.Key.Key_Right)
    press(desk, Qt.Key.Key_Left)
    assert [place.said for place, _ in desk.client.turned] == ["third", "first"]
    press(desk, Qt.Key.Key_Up)
    press(desk, Qt.Key.Key_Left)
    assert len(desk.client.turned) == 2


@pytest.fixture
def menus(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], QPoint]]:
    """What the menus that open offer, and where they open; offscreen none can be shown."""
    opened: list[tuple[list[str], QPoint]] = []

    def popup(menu: QMenu, place: QPoint) -> None:
        opened.append(([one.text() for one in menu.actions()], place))
        menu.deleteLater()

    monkeypatch.setattr(QMenu, "popup", popup)
    return opened


def test_enter_and_the_menu_key_open_what_can_be_done_at_the_message(
    desk: Desk, menus: list[tuple[list[str], QPoint]]
) -> None:
    view = desk.window.transcript
    goes_through(desk)
    press(desk, Qt.Key.Key_Up)
    press(desk, Qt.Key.Key_Return)
    point = view.viewport().rect().center()
    reason = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(view.viewport(), QContextMenuEvent(reason, point, point))
    rect = view.entry_rect(entry(desk, 2))
    assert rect is not None and len(menus) == 2
    for offered, place in menus:
        assert "Edit and send again…" in offered
        assert rect.contains(view.viewport().mapFromGlobal(place))


def test_ctrl_c_copies_the_message_where_nothing_is_marked(desk: Desk) -> None:
    goes_through(desk)
    QTest.keyClick(desk.window.transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "Ninety."


def test_ctrl_up_goes_from_the_input_to_the_messages(desk: Desk) -> None:
    edit_field = desk.window.composer.edit
    edit_field.setFocus()
    QTest.keyClick(edit_field, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert desk.window.transcript.hasFocus()


def test_a_long_message_is_read_through_before_the_next_one(make_desk: MakeDesk) -> None:
    long = "\n\n".join(f"Paragraph {n}" for n in range(120))
    desk = make_desk(FakeAssistantClient(items=stored(["Tell me", long, "Thanks"])))
    goes_through(desk)
    press(desk, Qt.Key.Key_Home)
    seen = [heard(desk)]
    bar = desk.window.transcript.verticalScrollBar()
    press(desk, Qt.Key.Key_Down)
    places = []
    while heard(desk).startswith("Answer"):
        places.append(bar.value())
        press(desk, Qt.Key.Key_Down)
    assert len(places) > 3 and places == sorted(set(places))
    assert heard(desk) == "You. Thanks."
    assert seen == ["You. Tell me."]


# ----------------------------------------------------------------------------- by mouse


def over(desk: Desk, number: int) -> None:
    """The mouse is over that message."""
    view = desk.window.transcript
    rect = view.entry_rect(entry(desk, number))
    assert rect is not None
    QTest.mouseMove(view.viewport(), QPoint(1, 1))  # a mouse that is there already does not move
    QTest.mouseMove(view.viewport(), rect.center())


def shown(desk: Desk) -> list[str]:
    bar = desk.window.messages.bar
    if bar.isHidden():
        return []
    return [one.accessibleName() for one in bar.buttons.values() if not one.isHidden()]


def test_buttons_come_with_the_mouse_and_move_nothing(desk: Desk) -> None:
    view = desk.window.transcript
    before = [view.entry_rect(one) for one in view.entry_ids()]
    over(desk, 2)
    assert shown(desk) == ["Copy", "Edit and send again…", "More"]
    over(desk, 3)
    assert shown(desk) == ["Copy", "Answer again", "More"]
    assert [view.entry_rect(one) for one in view.entry_ids()] == before
    view.pointed.emit(-1)
    assert shown(desk) == []


def test_a_moving_mouse_reads_no_message_anew(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_: object) -> str:
        raise AssertionError("read")

    monkeypatch.setattr(message_menu, "plain_of", read)
    monkeypatch.setattr(message_menu, "code_of", read)
    over(desk, 3)
    assert shown(desk) == ["Copy", "Answer again", "More"]


def test_the_buttons_do_what_they_say(desk: Desk) -> None:
    over(desk, 2)
    desk.window.messages.bar.buttons[Doing.COPY].click()
    assert QApplication.clipboard().text() == "How old?"
    desk.window.messages.bar.buttons[Doing.EDIT].click()
    assert desk.window.messages.editing.said == "said-2"
    over(desk, 1)
    desk.window.messages.bar.buttons[Doing.AGAIN].click()
    assert desk.client.instead == [(SaidPlace("now", "said-1"), "")]


def test_the_buttons_say_why_they_do_nothing(desk: Desk) -> None:
    over(desk, 2)
    desk.client.start(RunId("r"), "go")
    button = desk.window.messages.bar.buttons[Doing.EDIT]
    assert not button.isEnabled()
    assert "An answer is being written" in button.toolTip()


def test_the_buttons_go_with_their_message_when_the_window_changes(desk: Desk) -> None:
    desk.frame.resize(900, 700)
    over(desk, 2)
    before = desk.window.messages.bar.geometry()
    desk.frame.resize(760, 700)
    bar, view = desk.window.messages.bar, desk.window.transcript
    rect = view.entry_rect(entry(desk, 2))
    assert rect is not None
    assert bar.isHidden() or (bar.geometry() != before and bar.geometry().right() <= rect.right())


def test_the_buttons_stay_inside_of_the_window(desk: Desk) -> None:
    desk.frame.resize(420, 360)
    desk.settle()
    view = desk.window.transcript
    for number in range(4):
        over(desk, number)
        if shown(desk):
            assert view.viewport().rect().contains(desk.window.messages.bar.geometry())


def test_a_message_has_a_name_for_those_who_do_not_see_it(desk: Desk) -> None:
    over(desk, 2)
    for button in desk.window.messages.bar.buttons.values():
        assert button.isHidden() or button.accessibleName()
    edit(desk, 2)
    assert QAccessible.queryAccessibleInterface(desk.window.messages.editing) is not None
    assert "earlier message" in desk.window.messages.editing.accessibleName()
    assert desk.window.messages.editing.close_button.accessibleName()
