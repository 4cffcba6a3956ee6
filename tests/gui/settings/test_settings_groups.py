"""The settings of the program as somebody finds them who never saw its file."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeWidgetItem

from moltbot_desktop.ui.settings.view import SettingsView
from tests.fakes.settings_desk import FakeSettingsDesk
from tests.gui.places import Stage, texts_in

USUAL = [
    "General",
    "Chat and models",
    "Memory",
    "Schedule",
    "Web",
    "Safety",
    "Channels",
    "Skills and plugins",
]
OTHER_PAGES = ["Plugin: Weather", "Channels"]


class Settings:
    """The place, and what can be seen in it."""

    def __init__(self, stage: Stage, desk: FakeSettingsDesk) -> None:
        self.stage, self.desk = stage, desk
        self.view = stage.show(SettingsView(stage.parts, desk, "Settings"))
        stage.qtbot.waitUntil(lambda: self.view.form is not None)

    def lines(self) -> list[str]:
        """What can be seen of the list."""
        tree, found = self.view.tree, []
        for number in range(tree.topLevelItemCount()):
            item = tree.topLevelItem(number)
            assert isinstance(item, QTreeWidgetItem)
            found.append(item.text(0))
            if item.isExpanded():
                found += [item.child(one).text(0) for one in range(item.childCount())]
        return found

    def here(self) -> str:
        item = self.view.tree.currentItem()
        assert isinstance(item, QTreeWidgetItem)
        return item.text(0)

    def fields(self) -> list[str]:
        return [row.node.label for row in self.view.view.rows]

    def go(self, line: str) -> None:
        self.view.tree.setCurrentItem(self.view.tree.line(line))
        self.stage.settle()

    def searched(self, words: str) -> None:
        """Type it, until all pages were looked through."""
        self.view.search.setText(words)
        self.stage.qtbot.waitUntil(lambda: self.view._looked_for == words.strip())

    def until(self, line: str) -> None:
        self.stage.qtbot.waitUntil(lambda: self.here() == line)


@pytest.fixture
def settings(stage: Stage) -> Settings:
    return Settings(stage, FakeSettingsDesk(whole=True))


def test_it_opens_on_what_people_change(settings: Settings) -> None:
    assert settings.here() == "General"
    assert settings.fields()[:4] == [
        "Language",
        "Look",
        "Start with the computer",
        "Key for the quick question",
    ]
    assert "What most people change." in " ".join(texts_in(settings.view))


def test_what_hardly_anybody_needs_is_closed_and_last(settings: Settings) -> None:
    assert settings.lines() == [*USUAL, *OTHER_PAGES, "Advanced"]
    assert not settings.view.advanced.isVisible(), "one way to the rare ones is enough"


def test_with_the_keys_alone_one_comes_to_a_rare_setting(settings: Settings) -> None:
    tree = settings.view.tree
    tree.setFocus()
    for key in (Qt.Key.Key_End, Qt.Key.Key_Return, Qt.Key.Key_Down):
        QTest.keyClick(tree, key)
        settings.stage.settle()
    assert settings.here() == "Answers in detail"
    assert "Timeout (seconds)" in settings.fields()
    QTest.keyClick(tree, Qt.Key.Key_Up)
    QTest.keyClick(tree, Qt.Key.Key_Return)
    assert settings.lines()[-1] == "Advanced" and settings.here() == "Advanced"
    assert "Everything." in texts_in(settings.view) and settings.fields() == []


def test_a_click_on_advanced_opens_it(settings: Settings) -> None:
    tree = settings.view.tree
    place = tree.visualItemRect(tree.line("Advanced")).center()  # type: ignore[arg-type]
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert "Gateway" in settings.lines()


def test_an_edit_in_one_group_is_kept_while_another_is_looked_at(settings: Settings) -> None:
    settings.view._edit(lambda form: form.put(("ui", "theme"), "light"))
    settings.go("Safety")
    assert settings.fields()[0] == "How much I do by myself"
    assert settings.view.save_button.isEnabled()
    settings.view.save()
    settings.stage.qtbot.waitUntil(lambda: not settings.view._busy)
    assert settings.desk.saved["general"] == {"ui": {"theme": "light"}}
    assert settings.here() == "Safety"


def test_the_search_finds_the_rare_ones_too_and_says_where_they_are(settings: Settings) -> None:
    settings.searched("gateway port")
    assert settings.lines() == ["Advanced", "Gateway"]
    assert settings.fields() == ["Port"]
    assert "Gateway" in texts_in(settings.view), "the name of the group stands above it"
    settings.view.search.clear()
    assert settings.here() == "General" and settings.lines()[-1] == "Advanced"


def test_the_search_finds_what_is_on_another_page(settings: Settings) -> None:
    settings.view.search.setText("fahrenheit")
    settings.until("Plugin: Weather")
    assert settings.fields() == ["Units"] and settings.lines() == ["Plugin: Weather"]
    settings.view.search.clear()
    settings.until("General")
    assert settings.fields()[0] == "Language"


def test_who_edits_what_was_found_stays_there(settings: Settings) -> None:
    settings.view.search.setText("fahrenheit")
    settings.until("Plugin: Weather")
    settings.view._edit(lambda form: form.put(("units",), "imperial"))
    settings.view.search.clear()
    assert settings.here() == "Plugin: Weather" and settings.view.save_button.isEnabled()


def test_a_setting_is_found_by_its_place_in_the_file(settings: Settings) -> None:
    """As a page of help or a notice names it."""
    settings.searched("ui.theme")
    assert settings.fields() == ["Look"]


def test_a_group_is_found_by_its_name(settings: Settings) -> None:
    settings.searched("safety")
    assert "How much I do by myself" in settings.fields()


def test_a_field_that_is_shown_twice_is_found_once(settings: Settings) -> None:
    settings.searched("chat model")
    assert settings.fields().count("Chat model") == 1


def test_nothing_found_is_said_when_all_was_looked_through(settings: Settings) -> None:
    settings.searched("xylophone")
    assert "No setting is called that." in texts_in(settings.view)


@pytest.mark.parametrize(
    ("link", "line", "field"),
    [
        ("general#web", "Web", ""),
        ("general#gateway", "Gateway", ""),
        ("general#ui.theme", "General", "Look"),
        ("general#gateway.port", "Gateway", "Port"),
        (
            "general#agents.defaults.memorySearch.cache.maxEntries",
            "Memory in detail",
            "Max entries",
        ),
        ("general#models.providers", "Models in detail", ""),
    ],
)
def test_a_link_leads_to_its_setting(settings: Settings, link: str, line: str, field: str) -> None:
    settings.view.search.setText("something else")
    settings.view.entered(link)
    settings.until(line)
    assert settings.view.search.text() == ""

    def focused() -> bool:
        rows = [row for row in settings.view.view.rows if row.node.label == field]
        focus = settings.view.focusWidget()
        return not field or any(focus is not None and row.isAncestorOf(focus) for row in rows)

    settings.stage.qtbot.waitUntil(focused)


def test_a_link_leads_to_a_field_that_is_shown_on_demand(settings: Settings) -> None:
    settings.view.entered("plugin:weather#timeout")
    settings.stage.qtbot.waitUntil(lambda: "Longest wait" in settings.fields())


def test_saving_what_is_wrong_goes_to_it_behind_advanced_too(settings: Settings) -> None:
    settings.view._edit(lambda form: form.put(("gateway", "port"), -1))
    settings.view.save()
    settings.until("Gateway")
    assert any(row.problem for row in settings.view.view.rows)


def test_no_key_is_a_choice_too(settings: Settings) -> None:
    """An empty line is a key that is none, and not the usual one again."""
    row = settings.view.view.row(("ui", "hotkey"))
    assert row is not None and row.editor is not None
    line = row.editor.target
    QTest.keyClicks(line, "x")
    QTest.keyClick(line, Qt.Key.Key_Backspace)
    QTest.keyClick(line, Qt.Key.Key_Return)
    settings.view.save()
    settings.stage.qtbot.waitUntil(lambda: not settings.view._busy)
    assert settings.desk.saved["general"]["ui"] == {"theme": "dark", "hotkey": ""}


def test_nobody_is_asked_to_leave_a_line_null(settings: Settings) -> None:
    settings.view._edit(lambda form: form.put(("models", "chat"), "some.gguf"))
    row = settings.view.view.row(("models", "chat"))
    assert row is not None
    assert row.button("reset").isVisible() and not row.button("null").isVisible()
    assert not any("null" in text for text in texts_in(settings.view))
