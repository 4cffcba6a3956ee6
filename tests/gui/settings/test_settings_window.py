"""The settings window on a desk in working memory: what a person sees and does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import AssistantStatus
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.sdk.panels import Panel, PanelAction, PanelPart, PanelRow, Tone
from moltbot_desktop.ui.appearance import dress
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.kit.list_place import PlaceParts
from moltbot_desktop.ui.place import MODELS
from moltbot_desktop.ui.settings.fields import (
    ChoiceField,
    FlagField,
    RawField,
    SecretField,
    TextField,
)
from moltbot_desktop.ui.settings.rows import FieldRow
from moltbot_desktop.ui.settings.view import SettingsView
from moltbot_desktop.ui.theme import DARK, LIGHT
from tests.fakes.assistant_client import FakeAssistantClient
from tests.fakes.settings_desk import FakeSettingsDesk
from tests.gui.conftest import ARTIFACTS
from tests.gui.places import Stage, texts_in
from tests.gui.times import START

Open = Callable[..., "Opened"]


class Opened:
    """A window that shows a page."""

    def __init__(self, window: SettingsView, desk: FakeSettingsDesk, qtbot: QtBot) -> None:
        self.window, self.desk, self.qtbot = window, desk, qtbot

    def row(self, *place: str | int) -> FieldRow:
        found = self.window.view.row(place)
        assert found is not None, place
        return found

    def field(self, *place: str | int) -> object:
        return self.row(*place).editor

    def text(self, *place: str | int) -> TextField:
        editor = self.field(*place)
        assert isinstance(editor, TextField)
        return editor

    def type(self, words: str, *place: str | int) -> None:
        line = self.text(*place).line
        line.selectAll()
        QTest.keyClicks(line, words)
        QTest.keyClick(line, Qt.Key.Key_Return)

    def save(self) -> None:
        QTest.keyClick(self.window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
        self.window.save()
        self.settle()

    def settle(self) -> None:
        self.qtbot.waitUntil(lambda: not self.window._busy and self.window._worker.idle)

    def labels(self) -> list[str]:
        return [row.node.label for row in self.window.view.rows]


def come(view: SettingsView) -> None:
    """As somebody goes to this place of the window."""
    view.show()
    view.activateWindow()
    view.entered()


@pytest.fixture
def open_settings(qtbot: QtBot, checkout: Path) -> Iterator[Open]:
    made: list[tuple[SettingsView, Worker]] = []

    def open_page(
        page: int = 1, language: Language = Language.ENGLISH, *, dark: bool = False
    ) -> Opened:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        dress(application, DARK if dark else LIGHT, checkout / "resources")
        worker, desk = Worker(), FakeSettingsDesk()
        icons, clock = Icons(checkout / "resources"), ManualClock(START)
        window = SettingsView(PlaceParts(icons, worker, language, clock), desk, "Settings")
        made.append((window, worker))
        window.resize(900, 660)
        come(window)
        opened = Opened(window, desk, qtbot)
        opened.settle()
        qtbot.waitUntil(lambda: window.form is not None)
        item = window.tree.topLevelItem(page)
        assert isinstance(item, QTreeWidgetItem)
        window.tree.setCurrentItem(item)
        opened.settle()
        return opened

    yield open_page
    for window, worker in made:
        assert worker.close()
        window.hide()
        window.deleteLater()


@pytest.fixture
def opened(open_settings: Open) -> Opened:
    return open_settings()


def test_every_kind_of_field_is_there_and_advanced_ones_are_folded(opened: Opened) -> None:
    assert opened.labels() == [
        "Switched on",
        "Units",
        "Days",
        "API key",
        "Folder",
        "Store",
        "Steps",
        "odd",
        "Cities",
        "Entry 1",
        "Names",
    ]
    opened.window.advanced.click()
    assert "Longest wait" in opened.labels()


def test_typing_saving_and_what_is_written(opened: Opened) -> None:
    opened.type("5", "days")
    assert not opened.row("days").problem
    assert opened.window.save_button.isEnabled()
    opened.save()
    assert opened.desk.saved["plugin:weather"] == {
        "cities": ["Beijing"],
        "apiKey": "very secret",
        "odd": [1],
        "days": 5,
    }
    assert not opened.window.save_button.isEnabled()
    assert opened.window.told.text() == "Saved."


@pytest.mark.parametrize(
    ("words", "problem"),
    [("9", "at most 7"), ("many", "whole number"), ("1.5", "whole number")],
)
def test_what_does_not_fit_is_told_at_the_field_and_not_saved(
    opened: Opened, words: str, problem: str
) -> None:
    opened.type(words, "days")
    assert problem in opened.row("days").problem
    opened.save()
    assert "days" not in opened.desk.saved["plugin:weather"]
    assert opened.text("days").line.text() == words


def test_a_key_is_set_without_ever_being_shown(opened: Opened) -> None:
    field = opened.field("apiKey")
    assert isinstance(field, SecretField)
    field.replace.click()
    QTest.keyClicks(field.line, "new key")
    QTest.keyClick(field.line, Qt.Key.Key_Return)
    assert field.line.text() == ""
    opened.save()
    assert opened.desk.keys == {("apiKey",): "new key"}
    assert opened.desk.saved["plugin:weather"]["apiKey"] == "keyring:weather"


def test_lists_grow_and_shrink(opened: Opened) -> None:
    opened.row("cities").button("add").click()
    opened.type("Lhasa", "cities", 1)
    opened.row("cities", 1).button("up").click()
    opened.save()
    assert opened.desk.saved["plugin:weather"]["cities"] == ["Lhasa", "Beijing"]
    opened.row("cities", 0).button("remove").click()
    opened.window.undo_button.click()
    opened.window.revert_button.click()
    assert opened.desk.saved["plugin:weather"]["cities"] == ["Lhasa", "Beijing"]
    assert not opened.window.save_button.isEnabled()


def test_entries_get_names(opened: Opened) -> None:
    row = opened.row("names")
    assert row.new_entry is not None
    QTest.keyClicks(row.new_entry.line, "home")
    QTest.keyClick(row.new_entry.line, Qt.Key.Key_Return)
    opened.type("Beijing", "names", "home")
    opened.save()
    assert opened.desk.saved["plugin:weather"]["names"] == {"home": "Beijing"}


def test_an_entry_gets_another_name_and_keeps_what_it_holds(opened: Opened) -> None:
    opened.desk.saved["plugin:weather"] = {"names": {"home": "Beijing", "work": "Lhasa"}}
    opened.window.hide()
    come(opened.window)
    opened.settle()
    opened.row("names", "home").button("rename").click()
    line = opened.row("names", "home").other_name
    assert line is not None
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert opened.window.isVisible() and not line.isVisible()
    opened.row("names", "home").button("rename").click()
    QTest.keyClicks(line, "house")
    QTest.keyClick(line, Qt.Key.Key_Return)
    opened.save()
    assert opened.desk.saved["plugin:weather"]["names"] == {"house": "Beijing", "work": "Lhasa"}


def test_the_first_item_goes_not_up_and_the_last_not_down(opened: Opened) -> None:
    opened.row("cities").button("add").click()

    def offered(number: int) -> list[str]:
        row = opened.row("cities", number)
        return [key for key in ("up", "down") if row.button(key).isVisibleTo(row)]

    assert (offered(0), offered(1)) == (["down"], ["up"])


def test_the_wheel_scrolls_and_changes_no_choice(opened: Opened) -> None:
    units = opened.field("units")
    assert isinstance(units, ChoiceField)
    turn = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(units.box, turn)
    assert not opened.row("units").node.written
    assert not turn.isAccepted()


def test_saving_goes_to_what_is_wrong_in_another_part(open_settings: Open) -> None:
    opened = open_settings(0)
    page = opened.window.tree.topLevelItem(0)
    assert page is not None
    opened.window.tree.setCurrentItem(page.child(1))
    opened.window._edit(lambda form: form.put(("models", "limit"), "x"))
    opened.window.tree.setCurrentItem(page.child(0))
    opened.window.save()
    assert "whole number" in opened.row("models", "limit").problem
    assert opened.desk.saved["general"] == {"ui": {"theme": "dark"}}


def test_an_alternative_brings_its_own_fields(opened: Opened) -> None:
    store = opened.field("store")
    assert isinstance(store, ChoiceField)
    store.box.setCurrentIndex(1)
    store.box.activated.emit(1)
    opened.type("/srv", "store", "path")
    opened.save()
    assert opened.desk.saved["plugin:weather"]["store"] == {"path": "/srv"}


def test_json_is_edited_as_json_and_told_when_it_is_none(opened: Opened) -> None:
    field = opened.field("odd")
    assert isinstance(field, RawField)
    field.area.setPlainText("[1, 2")
    opened.qtbot.waitUntil(lambda: "not JSON" in opened.row("odd").problem)
    assert not opened.window.save_button.isEnabled()
    field.area.setPlainText("[1, 2]")
    opened.qtbot.waitUntil(lambda: not opened.row("odd").problem)
    opened.save()
    assert opened.desk.saved["plugin:weather"]["odd"] == [1, 2]


def test_with_the_keyboard_alone(opened: Opened) -> None:
    box = opened.field("enabled")
    assert isinstance(box, FlagField)
    box.box.setFocus()
    QTest.keyClick(box.box, Qt.Key.Key_Space)
    opened.save()
    assert opened.desk.saved["plugin:weather"]["enabled"] is True


def test_tab_goes_through_the_fields_before_the_buttons(opened: Opened) -> None:
    window = opened.window
    opened.row("cities").button("add").click()  # rows are made anew
    with opened.qtbot.waitActive(window):
        window.activateWindow()
    window.advanced.setFocus()
    passed = []
    for _ in range(40):
        QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Tab)
        passed.append(window.focusWidget())
        if passed[-1] is window.revert_button:
            break
    box, line = opened.field("enabled"), opened.text("days").line
    assert isinstance(box, FlagField)
    assert passed.index(box.box) < passed.index(line) < passed.index(window.revert_button)


def test_tab_goes_from_the_search_to_what_was_found(opened: Opened) -> None:
    window = opened.window
    with opened.qtbot.waitActive(window):
        window.activateWindow()
    window.search.setFocus()
    QTest.keyClicks(window.search, "days")
    opened.qtbot.waitUntil(lambda: opened.text("days").line.isVisible(), timeout=30_000)
    for _ in range(2):
        QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Tab)
    assert window.focusWidget() is opened.text("days").line


def test_an_edit_leaves_the_focus_where_it_is(opened: Opened) -> None:
    line = opened.text("days").line
    line.setFocus()
    QTest.keyClicks(line, "4")
    opened.qtbot.waitUntil(lambda: opened.row("days").node.value == 4)
    assert opened.window.focusWidget() is line


def test_search_shows_what_it_finds(opened: Opened) -> None:
    opened.window.search.setText("fahrenheit")
    assert opened.labels() == ["Units"]
    opened.window.search.setText("nonsense")
    assert opened.labels() == []
    opened.qtbot.waitUntil(lambda: opened.window._empty.text() == "No setting is called that.")


def test_a_large_form_is_shown_group_by_group(open_settings: Open) -> None:
    opened = open_settings(0)
    page = opened.window.tree.topLevelItem(0)
    assert page is not None
    assert page.childCount() == 6
    opened.window.tree.setCurrentItem(page.child(0))
    assert opened.labels() == ["Theme", "Limit"]
    assert opened.row("ui", "theme").node.value == "dark"


def test_a_refusal_is_told_and_the_edits_stay(opened: Opened) -> None:
    opened.desk.refuse = "The disk is full."
    opened.type("5", "days")
    opened.save()
    assert "The disk is full." in opened.window.told.text()
    assert opened.window.save_button.isEnabled()
    opened.window.hide()
    come(opened.window)
    opened.settle()
    assert opened.row("days").node.value == 5


@pytest.mark.parametrize(
    ("language", "dark"), [(Language.ENGLISH, False), (Language.CHINESE, True)]
)
def test_pictures_for_people(open_settings: Open, language: Language, dark: bool) -> None:
    opened = open_settings(1, language, dark=dark)
    opened.type("9", "days")
    name = f"settings-{'dark' if dark else 'light'}-{language.value}"
    opened.qtbot.waitUntil(lambda: opened.text("days").line.isVisible(), timeout=30_000)
    ARTIFACTS.mkdir(exist_ok=True)
    assert opened.window.grab().save(str(ARTIFACTS / f"{name}.png"))


def test_a_plugin_that_runs_is_brought_in_anew_and_its_page_says_how_it_stands(
    open_settings: Open,
) -> None:
    general = open_settings(0)
    assert not general.window.reload_button.isVisible()
    opened = open_settings()
    button = opened.window.reload_button
    assert button.isVisible() and button.text() == "Reload"
    opened.type("5", "days")
    button.setFocus()
    button.click()
    opened.settle()
    assert opened.window.focusWidget() is button, (
        "whoever works with the keyboard stays where they were"
    )
    assert opened.window.told.text() == "On: the settings switch it on."
    assert opened.window._note.text() == "Brought in 1 times."
    assert opened.window.form is not None and opened.window.form.dirty, "what was typed is kept"
    opened.desk.refuse = "It is off."
    button.click()
    opened.settle()
    assert "It is off." in opened.window.told.text() and button.isEnabled()


def test_the_reload_button_speaks_chinese(open_settings: Open) -> None:
    opened = open_settings(language=Language.CHINESE)
    assert opened.window.reload_button.text() == "重新载入"


def chosen_again(opened: Opened) -> None:
    """The person comes back from another window."""
    opened.window.isActiveWindow = lambda: True  # type: ignore[method-assign]
    QApplication.sendEvent(opened.window, QEvent(QEvent.Type.ActivationChange))
    opened.settle()


def test_what_another_program_wrote_is_shown_when_the_window_is_chosen(opened: Opened) -> None:
    opened.desk.saved["plugin:weather"] = {"days": 5}
    chosen_again(opened)
    assert opened.text("days").line.text() == "5"
    assert "changed elsewhere" in opened.window.told.text()
    opened.type("6", "days")
    opened.desk.saved["plugin:weather"] = {"days": 2}
    chosen_again(opened)
    assert opened.text("days").line.text() == "6"
    opened.window.revert_button.click()
    opened.settle()
    assert opened.text("days").line.text() == "2"


def test_nothing_moves_when_nothing_was_written(opened: Opened) -> None:
    rows = list(opened.window.view.rows)
    chosen_again(opened)
    assert opened.window.view.rows == rows
    assert opened.window.told.text() == ""


def test_a_file_that_cannot_be_read_is_told_until_it_can_be(opened: Opened) -> None:
    saved = opened.desk.saved.pop("plugin:weather")
    chosen_again(opened)
    assert "no such page" in opened.window.told.text()
    opened.desk.saved["plugin:weather"] = saved
    chosen_again(opened)
    assert opened.window.told.text() == ""


def test_a_page_that_cannot_be_opened_shows_no_other_pages_fields(open_settings: Open) -> None:
    opened = open_settings(0)
    opened.window.search.setText("ui")
    assert opened.labels()
    del opened.desk.saved["plugin:weather"]
    opened.window.tree.setCurrentItem(opened.window.tree.topLevelItem(1))
    opened.settle()
    assert "no such page" in opened.window.told.text()
    assert opened.labels() == []


def test_saving_one_page_has_the_others_read_anew(open_settings: Open) -> None:
    opened = open_settings(1)
    opened.window.tree.setCurrentItem(opened.window.tree.topLevelItem(0))
    opened.settle()
    opened.desk.saved["plugin:weather"] = {"days": 4}
    opened.window._part = "ui"
    opened.window._show_form()
    opened.type("3", "ui", "limit")
    opened.save()
    opened.window.tree.setCurrentItem(opened.window.tree.topLevelItem(1))
    opened.settle()
    assert opened.text("days").line.text() == "4"


def test_tab_passes_everything_once_and_comes_round_again(opened: Opened) -> None:
    window = opened.window
    with opened.qtbot.waitActive(window):
        window.activateWindow()
    opened.qtbot.waitUntil(lambda: opened.text("days").line.isVisible(), timeout=30_000)
    window.search.setFocus()
    passed = []
    for _ in range(60):
        QTest.keyClick(window.focusWidget() or window, Qt.Key.Key_Tab)
        if window.focusWidget() is window.search:
            break
        passed.append(window.focusWidget())
    assert window.focusWidget() is window.search
    assert len(passed) == len(set(passed))
    assert {window.tree, opened.text("days").line} <= set(passed)


def test_a_key_that_was_typed_is_saved_without_taking_it_first(opened: Opened) -> None:
    field = opened.field("apiKey")
    assert isinstance(field, SecretField)
    field.replace.click()
    QTest.keyClicks(field.line, "new key")
    chosen_again(opened)  # back from where the key is copied, in two pieces
    assert field.line.text() == "new key"
    opened.save()
    assert opened.desk.keys == {("apiKey",): "new key"}


def test_screen_readers_are_told_what_a_button_does_and_to_what(opened: Opened) -> None:
    field = opened.field("apiKey")
    assert isinstance(field, SecretField)
    assert field.replace.accessibleName() == "Replace…, API key"
    assert field.clear.accessibleName() == "Clear, API key"
    clear = opened.row("odd").button("reset")
    assert clear.accessibleName() == f"{clear.text()}, odd"


def test_before_a_page_is_read_it_says_so_and_offers_nothing(stage: Stage) -> None:
    window = SettingsView(stage.parts, FakeSettingsDesk(), "Settings")
    stage.made.append(window)
    held = threading.Event()
    stage.parts.worker.submit(held.wait, lambda _: None)  # the desk takes its time
    window.show()
    window.entered()
    try:
        assert texts_in(window) == ["Settings"]
        said = ["Settings", "One moment…", "Reading the settings…"]
        stage.qtbot.waitUntil(lambda: texts_in(window) == said)
        assert not (window.reload_button.isVisible() or window.save_button.isVisible())
        assert not window.save_button.isEnabled() and not window.state.button.isVisible()
    finally:
        held.set()
    stage.qtbot.waitUntil(window.tree.isVisible)


def test_who_searches_before_there_is_anything_is_not_forgotten(stage: Stage) -> None:
    """Ctrl+F, and the first letters, while the settings are still read."""
    window = SettingsView(stage.parts, FakeSettingsDesk(), "Settings")
    stage.made.append(window)
    held = threading.Event()
    stage.parts.worker.submit(held.wait, lambda _: None)
    window.show()
    with stage.qtbot.waitActive(window):
        window.activateWindow()
    window.entered()
    window.take_focus()
    try:
        QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(window.focusWidget() or window, "the")
    finally:
        held.set()
    stage.qtbot.waitUntil(lambda: window.form is not None)
    QTest.keyClicks(window.focusWidget() or window, "me")
    assert window.focusWidget() is window.search and window.search.text() == "theme"


WAITS = "In force from the next start on: Days."


def status(*, busy: bool) -> AssistantStatus:
    return replace(FakeAssistantClient().status(), busy=busy)


def test_what_takes_a_new_start_is_told_where_it_is_saved(opened: Opened) -> None:
    window = opened.window
    assert not window.again_button.isVisible()
    opened.desk.waits = WAITS
    opened.type("5", "days")
    opened.save()
    assert window.told.text() == "Saved." and window.later.text() == WAITS
    assert window.again_button.isVisible() and window.again_button.isEnabled()
    opened.type("6", "days")
    assert window.later.isVisible() and not window.again_button.isEnabled(), (
        "what is not saved would be gone"
    )
    opened.desk.waits = ""
    opened.save()
    assert not window.again_button.isVisible()


def test_who_comes_back_still_sees_what_waits(opened: Opened) -> None:
    opened.desk.waits = WAITS
    come(opened.window)
    opened.qtbot.waitUntil(lambda: opened.window.later.text() == WAITS)


def test_the_program_starts_again_at_a_press(opened: Opened) -> None:
    opened.desk.waits = WAITS
    opened.type("5", "days")
    opened.save()
    opened.window.deliver([status(busy=False)])
    with opened.qtbot.waitSignal(opened.window.new_start_requested):
        QTest.keyClick(opened.window.again_button, Qt.Key.Key_Space)


def test_whoever_waits_for_an_answer_is_asked_first(opened: Opened) -> None:
    wanted: list[bool] = []
    opened.window.new_start_requested.connect(lambda: wanted.append(True))
    opened.desk.waits = WAITS
    opened.type("5", "days")
    opened.save()
    opened.window.deliver([status(busy=True)])
    for answer, count in ((1, 0), (0, 1)):
        QTest.keyClick(opened.window.again_button, Qt.Key.Key_Space)
        question = opened.window.findChild(QMessageBox)
        assert isinstance(question, QMessageBox) and "An answer is being written" in question.text()
        question.buttons()[answer].click()
        opened.qtbot.waitUntil(lambda: opened.window.findChild(QMessageBox) is None)
        assert len(wanted) == count


def test_who_came_before_the_pages_gets_the_keys_there(stage: Stage) -> None:
    window = stage.show(SettingsView(stage.parts, FakeSettingsDesk(), "Settings"))
    stage.qtbot.waitUntil(lambda: window.form is not None)
    assert window.tree.hasFocus() and texts_in(window)[0] == "Settings"


def test_where_there_are_no_pages_it_says_so(stage: Stage) -> None:
    window = stage.show(SettingsView(stage.parts, FakeSettingsDesk(), "Models", MODELS))
    assert texts_in(window) == ["Models", "There is nothing here yet."]


def test_pages_that_cannot_be_read_can_be_asked_for_again(stage: Stage) -> None:
    desk = FakeSettingsDesk(no_pages="The disk is gone.")
    window = stage.show(SettingsView(stage.parts, desk, "Settings"))
    assert texts_in(window) == ["Settings", "This cannot be shown now.", "The disk is gone."]
    desk.no_pages = ""
    window.take_focus()
    assert window.state.button.hasFocus()
    stage.press(Qt.Key.Key_Space)
    stage.qtbot.waitUntil(lambda: window.form is not None)
    assert window.tree.isVisible()


def test_one_can_come_to_a_part_of_a_page(stage: Stage) -> None:
    window = stage.show(SettingsView(stage.parts, FakeSettingsDesk(), "Settings"))
    window.entered("general#memory")
    stage.qtbot.waitUntil(lambda: "All about memory." in texts_in(window))
    assert window.tree.currentItem().text(0) == "Memory"


def test_enter_in_a_keys_line_takes_it_and_presses_nothing_else(opened: Opened) -> None:
    with opened.qtbot.waitActive(opened.window):
        opened.window.activateWindow()
    field = opened.field("apiKey")
    assert isinstance(field, SecretField)
    field.replace.click()
    QTest.keyClicks(field.line, "new key")
    QTest.keyClick(field.line, Qt.Key.Key_Return)
    assert not field.line.isVisible() and field.replace.isVisible()
    shown = [one for one in opened.window.findChildren(QPushButton) if one.isVisible()]
    assert [one.text() for one in shown if one.autoDefault()] == []


# ------------------------------------------------------------------ what stands above a form

GUIDE = "Go to [the loft](https://example.org/loft). ![x](file:///etc/passwd) Then **come back**."


def panel(state: str = "connected") -> Panel:
    return (
        PanelPart(
            "How it stands",
            (
                PanelRow(
                    f"default: {state}",
                    "Install it: pip install 'x'",
                    Tone.BAD,
                    (
                        PanelAction("copy:x", "Copy the line", copies="pip install 'x'"),
                        PanelAction("test:default", "Test", "Test, default"),
                        PanelAction("logout:default", "Log out", asks="Forget the keys?"),
                    ),
                ),
            ),
        ),
        PanelPart("Who asks", empty="Nobody."),
        PanelPart("Guide", guide=GUIDE),
    )


@pytest.fixture
def channels(open_settings: Open) -> Opened:
    opened = open_settings()
    opened.desk.shown = panel()
    item = opened.window.tree.topLevelItem(2)
    assert isinstance(item, QTreeWidgetItem)
    opened.window.tree.setCurrentItem(item)
    opened.qtbot.waitUntil(lambda: bool(opened.window.panel.buttons))
    opened.settle()
    return opened


def shown_texts(opened: Opened) -> list[str]:
    found = opened.window.panel.findChildren(QLabel)
    return [one.text() for one in found if one.isVisible()]


def test_a_live_page_says_how_things_stand_and_what_is_empty(channels: Opened) -> None:
    texts = shown_texts(channels)
    assert "▲ default: connected" in texts and "Nobody." in texts
    assert not channels.window._empty.isVisible()
    assert channels.window.panel.buttons["test:default"].accessibleName() == "Test, default"


def test_what_changes_by_itself_is_seen_and_the_focus_stays(channels: Opened) -> None:
    channels.window.panel.buttons["test:default"].setFocus()
    channels.desk.shown = panel("not connected")
    channels.qtbot.waitUntil(
        lambda: "▲ default: not connected" in shown_texts(channels), timeout=30_000
    )
    assert channels.window.focusWidget() is channels.window.panel.buttons["test:default"]


def test_of_many_rows_the_first_are_shown_and_the_rest_on_demand(channels: Opened) -> None:
    rows = tuple(
        PanelRow(f"a{number}", actions=(PanelAction(f"test:{number}", "Test"),))
        for number in range(200)
    )
    channels.desk.shown = (PanelPart("How it stands", rows),)
    buttons = channels.window.panel.buttons
    channels.qtbot.waitUntil(
        lambda: "more:How it stands" in channels.window.panel.buttons, timeout=30_000
    )
    buttons = channels.window.panel.buttons
    assert "test:19" in buttons and "test:20" not in buttons
    assert "200" in buttons["more:How it stands"].text()
    buttons["more:How it stands"].setFocus()
    QTest.keyClick(buttons["more:How it stands"], Qt.Key.Key_Space)
    buttons = channels.window.panel.buttons
    assert "test:199" in buttons
    assert channels.window.focusWidget() is buttons["more:How it stands"]
    QTest.keyClick(buttons["more:How it stands"], Qt.Key.Key_Space)
    assert "test:20" not in channels.window.panel.buttons


def test_where_a_button_is_gone_the_next_one_has_the_focus(channels: Opened) -> None:
    channels.window.panel.buttons["test:default"].setFocus()
    channels.desk.shown = (PanelPart("How it stands", (PanelRow("a", actions=LEFT),)),)
    channels.qtbot.waitUntil(lambda: "on:x" in channels.window.panel.buttons, timeout=30_000)
    assert channels.window.focusWidget() is channels.window.panel.buttons["on:x"]


LEFT = (PanelAction("off:x", "Off"), PanelAction("on:x", "On"))


def test_a_button_is_carried_out_and_told(channels: Opened) -> None:
    QTest.keyClick(channels.window.panel.buttons["test:default"], Qt.Key.Key_Space)
    channels.qtbot.waitUntil(lambda: channels.desk.acted == ["test:default"])
    channels.settle()
    assert channels.window.told.text() == "Done: test:default."
    channels.desk.refuse = "The code is too old."
    QTest.keyClick(channels.window.panel.buttons["test:default"], Qt.Key.Key_Space)
    channels.settle()
    channels.qtbot.waitUntil(lambda: channels.window.told.text() == "The code is too old.")


def test_what_cannot_be_undone_is_asked_before(channels: Opened) -> None:
    for answer, acted in ((1, []), (0, ["logout:default"])):
        QTest.keyClick(channels.window.panel.buttons["logout:default"], Qt.Key.Key_Space)
        question = channels.window.panel.findChild(QMessageBox)
        assert isinstance(question, QMessageBox) and question.text() == "Forget the keys?"
        question.buttons()[answer].click()
        channels.settle()
        channels.qtbot.waitUntil(lambda: channels.window.panel.findChild(QMessageBox) is None)
        assert channels.desk.acted == acted


def test_a_line_is_copied(channels: Opened) -> None:
    QTest.keyClick(channels.window.panel.buttons["copy:x"], Qt.Key.Key_Space)
    assert QApplication.clipboard().text() == "pip install 'x'"
    assert channels.desk.acted == []


def test_a_guide_is_unfolded_without_its_pictures(channels: Opened) -> None:
    QTest.keyClick(channels.window.panel.buttons["fold:Guide"], Qt.Key.Key_Space)
    guides = channels.window.panel.findChildren(QLabel, "guide")
    [guide] = [one for one in guides if one.isVisible()]
    assert "the loft" in guide.text() and "passwd" not in guide.text()
    guide.linkActivated.emit("https://example.org/loft")
    question = channels.window.panel.findChild(QMessageBox)
    assert isinstance(question, QMessageBox)
    assert question.informativeText() == "https://example.org/loft"
    question.reject()
    guide.linkActivated.emit("file:///etc/passwd")
    channels.qtbot.waitUntil(lambda: channels.window.panel.findChild(QMessageBox) is None)


def test_who_goes_to_a_page_has_the_keys_in_the_list(channels: Opened) -> None:
    """The button that was pressed is gone; the keys must not fall out of the place."""
    go = PanelAction("page:x", "Open", page="plugin:weather")
    channels.desk.shown = (PanelPart("Channels", (PanelRow("Weather", actions=(go,)),)),)
    channels.qtbot.waitUntil(lambda: "page:x" in channels.window.panel.buttons, timeout=30_000)
    channels.window.panel.buttons["page:x"].setFocus()
    QTest.keyClick(channels.window.panel.buttons["page:x"], Qt.Key.Key_Space)
    channels.settle()
    channels.qtbot.waitUntil(lambda: "Days" in channels.labels())
    tree = channels.window.tree
    item = tree.currentItem()
    assert channels.window.focusWidget() is tree
    assert item is not None and item.text(0) == "Plugin: Weather"


def test_where_nothing_can_be_set_nothing_is_to_be_saved(channels: Opened) -> None:
    window = channels.window
    assert not any(one.isVisible() for one in (window.save_button, window.undo_button))
    item = window.tree.topLevelItem(1)
    assert isinstance(item, QTreeWidgetItem)
    window.tree.setCurrentItem(item)
    channels.settle()
    assert window.save_button.isVisible()


def test_another_page_has_nothing_of_it(channels: Opened) -> None:
    item = channels.window.tree.topLevelItem(1)
    assert isinstance(item, QTreeWidgetItem)
    channels.window.tree.setCurrentItem(item)
    channels.settle()
    assert not channels.window.panel.isVisible() and channels.labels()
