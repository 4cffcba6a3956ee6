"""What all places of the window promise: lists, details, states, keys, undo, as one of them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.sdk.panels import Tone
from moltbot_desktop.ui.kit.list_place import (
    Emptiness,
    ListPlace,
    Look,
    PlaceParts,
    buttons_of,
    column_of,
)
from moltbot_desktop.ui.kit.rows import Row
from moltbot_desktop.ui.kit.texts import button, plain
from tests.gui.places import Stage, answer, texts_in

FRUIT = (
    Row("a", "Apple", "red", "due", Tone.BAD),
    Row("b", "Banana", "yellow", "fine", Tone.GOOD),
    Row("c", "Cherry", "dark", faded=True),
)


class Fruit(ListPlace[str]):
    """A place over rows that a test changes."""

    def __init__(self, parts: PlaceParts, rows: tuple[Row, ...] = FRUIT) -> None:
        super().__init__(parts, "Fruit", "memory")
        self.found = rows
        self.wrong = ""
        self.emptied = "What you buy stands here."
        self.waiting = 0
        self.begun = 0
        self.made: list[str] = []

    def look(self, searched: str) -> Look[str]:
        if self.wrong:
            raise ToolError(self.wrong, hint="Plug it in.")
        rows = tuple(one for one in self.found if searched.lower() in one.title.lower())
        return Look(rows, tuple(one.id for one in rows), f"{len(rows)} kinds", self.waiting)

    def details(self, thing: str) -> QWidget:
        self.made.append(thing)
        return column_of((plain(f"About {thing}"), buttons_of((button("Eat it"),))))

    def emptiness(self, searched: str) -> Emptiness:
        if searched:
            return Emptiness("Nothing found.", "Try another word.")
        return Emptiness("No fruit yet.", self.emptied, "Buy some")

    def begin(self) -> None:
        self.begun += 1


def test_it_shows_the_first_and_the_keys_go_through_the_rest(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts))
    assert place.rows.current == "a" and "About a" in texts_in(place)
    stage.press(Qt.Key.Key_Down)
    assert place.rows.current == "b" and "About b" in texts_in(place)
    assert "3 kinds" in texts_in(place)


@pytest.mark.parametrize("width", [460, 860, 1400])
def test_an_empty_place_says_its_text_to_the_last_line(stage: Stage, width: int) -> None:
    place = Fruit(stage.parts, ())
    place.emptied = "What you buy stands here. " * 8
    stage.show(place, size=QSize(width, 620))
    words = [one for one in place.state.findChildren(QLabel) if one.isVisible() and one.text()]
    assert len(words) == 2
    for one in words:
        assert one.height() >= one.heightForWidth(one.width())


def test_what_was_chosen_stays_chosen_and_a_neighbour_takes_the_place_of_what_is_gone(
    stage: Stage,
) -> None:
    place = stage.show(Fruit(stage.parts))
    place.rows.choose("b")
    place.found = (Row("0", "Aronia"), *FRUIT)
    place.refresh()
    stage.settle()
    assert place.rows.current == "b"
    place.found = (FRUIT[0], FRUIT[2])
    place.refresh()
    stage.settle()
    assert place.rows.current == "c" and "About c" in texts_in(place)
    place.found = ()
    place.refresh()
    stage.settle()
    assert place.rows.current == ""


def test_what_is_the_same_is_left_alone(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts))
    made = [*place.made]
    place.refresh()
    stage.settle()
    assert place.made == made


def test_an_empty_place_teaches_and_its_button_begins(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts, ()))
    assert place.state.text == "No fruit yet.\nWhat you buy stands here."
    assert place.focusWidget() is place.state.button
    stage.press(Qt.Key.Key_Space)
    assert place.begun == 1


def test_a_search_that_finds_nothing_says_so_and_offers_nothing(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts))
    stage.press(Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert place.focusWidget() is place.search
    place.search.setText("ban")
    stage.qtbot.waitUntil(lambda: [one.id for one in place.rows.rows] == ["b"])
    place.search.setText("quince")
    stage.qtbot.waitUntil(lambda: place.state.isVisible())
    assert place.state.text == "Nothing found.\nTry another word."
    assert not place.state.button.isVisible()


def test_what_is_wrong_says_what_to_do_and_looks_again(stage: Stage) -> None:
    place = Fruit(stage.parts)
    place.wrong = "The shelf is not there."
    stage.show(place)
    assert place.state.text == "This cannot be shown now.\nThe shelf is not there. Plug it in."
    place.wrong = ""
    place.state.button.click()
    stage.settle()
    assert place.rows.isVisible() and len(place.rows.rows) == 3


def test_only_the_answer_to_the_last_look_counts(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts))
    place.search.blockSignals(True)
    for word in ("apple", "banana", "cherry"):
        place.search.setText(word)
        place.refresh()
    stage.settle()
    assert [one.id for one in place.rows.rows] == ["c"]


def test_what_waits_is_told_to_the_rail(stage: Stage) -> None:
    place = Fruit(stage.parts)
    place.waiting = 2
    with stage.qtbot.waitSignal(place.badge_changed, check_params_cb=lambda count: count == 2):
        stage.show(place)


@pytest.mark.parametrize(("works", "told"), [(True, "Bought."), (False, "No money. Earn some.")])
def test_an_act_is_told_at_the_foot_and_looked_at(stage: Stage, works: bool, told: str) -> None:
    place = stage.show(Fruit(stage.parts))

    def buy() -> str:
        if not works:
            raise ToolError("No money.", hint="Earn some.")
        place.found = (*FRUIT, Row("d", "Date"))
        return "Bought."

    place.act(buy, place.done.tell)
    stage.settle()
    assert place.done.label.text() == told and place.done.isVisible()
    assert len(place.rows.rows) == (4 if works else 3)


def test_what_was_done_can_be_undone_once(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts))
    undone: list[str] = []
    place.done.tell("Eaten.", lambda: undone.append("a"))
    place.done.undo.click()
    assert undone == ["a"] and not place.done.isVisible()
    place.done.complain("No.")
    assert not place.done.undo.isVisible()


def test_a_question_does_nothing_until_it_is_answered(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts))
    done: list[str] = []
    agree: Callable[[], None] = lambda: done.append("yes")  # noqa: E731
    place.confirm("Throw all away?", "Throw away", agree)
    assert answer(place, "Cancel") == "Throw all away?" and done == []
    stage.qtbot.waitUntil(lambda: not place.findChildren(QWidget, "qt_msgbox_label"))
    place.confirm("Throw all away?", "Throw away", agree)
    answer(place, "Throw away")
    assert done == ["yes"]


def test_a_narrow_window_shows_one_side_and_escape_goes_back(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts), size=QSize(460, 600))
    assert place.rows.isVisible() and not place.area.isVisible()
    stage.press(Qt.Key.Key_Down)
    stage.press(Qt.Key.Key_Return)
    assert place.area.isVisible() and not place.rows.isVisible()
    assert "About b" in texts_in(place)
    stage.press(Qt.Key.Key_Escape)
    assert place.rows.isVisible() and not place.area.isVisible()
    place.resize(860, 620)
    stage.qtbot.waitUntil(lambda: place.area.isVisible() and place.rows.isVisible())


def test_screen_readers_hear_the_whole_row(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts))
    listed = QAccessible.queryAccessibleInterface(place.rows)
    assert listed.text(QAccessible.Text.Name) == "Fruit"
    first = listed.child(0)
    assert first.text(QAccessible.Text.Name) == "Apple, due, red"


def test_ten_thousand_rows_are_not_ten_thousand_widgets(stage: Stage) -> None:
    many = tuple(Row(str(n), f"Fruit {n}", "juicy") for n in range(10_000))
    place = stage.show(Fruit(stage.parts, many))
    assert len(place.rows.findChildren(QWidget)) < 20
    place.rows.choose("9999")
    assert "About 9999" in texts_in(place)


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_of_it(stage: Stage, dark: bool) -> None:
    place = stage.show(Fruit(stage.parts), dark=dark)
    place.done.tell("Eaten: one apple", lambda: None)
    stage.screenshot(f"kit-{'dark' if dark else 'light'}")


def test_a_button_may_change_what_it_stands_in(stage: Stage) -> None:
    place = stage.show(Fruit(stage.parts))
    button = buttons_of((press := QPushButton("Peel"),))
    gone: list[str] = []
    press.destroyed.connect(lambda: gone.append("press"))
    place.show_instead(button)
    press.clicked.connect(lambda: place.show_instead(QWidget()))
    press.clicked.connect(lambda: gone.append("clicked"))
    press.click()
    assert gone == ["clicked"]  # it lives until its press is over
    stage.qtbot.waitUntil(lambda: gone == ["clicked", "press"])


def test_a_first_look_that_takes_long_says_so_and_the_keys_go_to_what_it_finds(
    stage: Stage,
) -> None:
    place = Fruit(stage.parts)
    let_go = Event()
    found = place.look

    def slow(searched: str) -> Look[str]:
        assert let_go.wait(60)
        return found(searched)

    place.look = slow  # type: ignore[method-assign]
    stage.made.append(place)
    try:
        place.show()
        with stage.qtbot.waitActive(place):
            place.activateWindow()
        place.entered()
        place.take_focus()
        assert not place.rows.isVisible()
        stage.qtbot.waitUntil(lambda: "One moment…" in texts_in(place), timeout=60_000)
    finally:
        let_go.set()
    stage.settle()
    assert place.rows.isVisible() and place.rows.hasFocus()
    assert place.rows.selectionModel().isSelected(place.rows.currentIndex())


def test_titles_stand_at_one_height_with_a_button_beside_them_and_without(stage: Stage) -> None:
    plainly, busy = Fruit(stage.parts), Fruit(stage.parts)
    busy.add_action("Add", busy.begin)
    heights = [stage.show(one).title.geometry().center().y() for one in (plainly, busy)]
    assert heights[0] == heights[1]


def test_the_line_below_a_title_goes_on_below_its_badge(stage: Stage) -> None:
    def ink_below_badge(badge: str) -> int:
        row = Row("a", "Apple", "m" * 200, badge)
        rows = stage.show(Fruit(stage.parts, (row,))).rows
        image = rows.grab().toImage()
        area = rows.visualRect(rows.model().index(0, 0))
        right = range(area.right() - 60, area.right() - 14)
        lower = range(area.center().y() + 2, area.bottom() - 8)
        ground = image.pixelColor(area.right() - 4, area.center().y())
        return sum(image.pixelColor(x, y) != ground for x in right for y in lower)

    assert ink_below_badge("unreadable") == ink_below_badge("")
