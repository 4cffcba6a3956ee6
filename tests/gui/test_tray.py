from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from moltbot_desktop.gateway.client import AssistantStatus, PauseLength, ReminderDue
from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.tray import Tray, TrayState, size_in_words, tray_state
from tests.fakes.assistant_client import SESSION


@pytest.fixture
def tray(qapp: QApplication, checkout: Path) -> Iterator[Tray]:
    icon = QSystemTrayIcon()
    made = Tray(Icons(checkout / "resources"), icon)
    yield made
    made.close()
    made.deleteLater()
    icon.deleteLater()


def labels(tray: Tray) -> list[str]:
    shown = (one for one in tray.menu.actions() if one.isVisible() and not one.isSeparator())
    return [one.text() for one in shown]


def test_what_needs_the_person_is_shown_first() -> None:
    assert tray_state(busy=True, waiting=True, trouble=True) is TrayState.NEEDS_YOU
    assert tray_state(busy=True, waiting=False, trouble=True) is TrayState.ERROR
    assert tray_state(busy=True, waiting=False, trouble=False) is TrayState.THINKING
    assert tray_state(busy=False, waiting=False, trouble=False) is TrayState.IDLE
    assert tray_state(busy=False, waiting=False, trouble=False, sealed=True) is TrayState.SEALED
    assert tray_state(busy=True, waiting=False, trouble=False, sealed=True) is TrayState.THINKING


def test_each_state_has_a_picture_of_its_own(qapp: QApplication, checkout: Path) -> None:
    icons = Icons(checkout / "resources")
    pictures = [icons.picture(f"tray-{state}").pixmap(16, 16).toImage() for state in TrayState]
    assert all(pictures[one] != pictures[other] for one in range(5) for other in range(one))
    for picture in pictures:
        solid = sum(picture.pixelColor(x, y).alpha() > 128 for x in range(16) for y in range(16))
        assert 60 < solid < 230


def test_the_menu_tells_reminders_and_the_model_with_its_size(tray: Tray) -> None:
    assert labels(tray) == [
        "Open chat",
        "New chat",
        "Quick question",
        "Do nothing by yourself",
        "No reminders set",
        "No model loaded yet",
        "Let nothing leave this computer",
        "Settings",
        "Quit",
    ]
    tray.set_status(AssistantStatus("starter", 4_700_000, 2048, SESSION, "", 2, False))
    assert "Nothing has left this computer today" in labels(tray), "unknown before"
    assert "Reminders set: 2" in labels(tray)
    assert "Model: starter, 4.7 MB" in labels(tray)


def test_the_menu_tells_what_left_this_computer(tray: Tray) -> None:
    status = AssistantStatus("", 0, 0, SESSION, "", 0, False, sent_today=412)
    tray.set_status(status)
    assert "412 B left this computer today" in labels(tray)
    tray.set_status(replace(status, sealed=True))
    assert "Sealed: nothing leaves this computer" in labels(tray)
    assert tray.state is TrayState.SEALED


def test_the_menu_tells_a_mode_that_is_not_the_usual_one(tray: Tray) -> None:
    status = AssistantStatus("", 0, 0, SESSION, "", 0, False)
    tray.set_status(replace(status, mode=Mode.PAUSED))
    assert "Paused: I only talk; no tool runs." in labels(tray)
    tray.set_status(status)
    assert not any("Paused" in one or "Normal" in one for one in labels(tray))


def test_the_menu_tells_that_no_walls_hold(tray: Tray) -> None:
    """policy.md, Sandbox: no sandbox proven, and the tray says so."""
    status = AssistantStatus("", 0, 0, SESSION, "", 0, False)
    said = "No walls hold commands here: I ask before most of them"
    for walled, told in ((None, False), (True, False), (False, True)):
        tray.set_status(replace(status, walled=walled))
        assert (said in labels(tray)) is told


def seal_action(tray: Tray) -> QAction:
    return next(one for one in tray.menu.actions() if one.isCheckable())


def test_the_seal_is_asked_for_and_shown_as_it_is(tray: Tray) -> None:
    asked: list[bool] = []
    tray.seal_requested.connect(asked.append)
    action = seal_action(tray)
    assert not action.isEnabled()  # nobody knows yet how it stands
    status = AssistantStatus("", 0, 0, SESSION, "", 0, False)
    tray.set_status(status)
    action.trigger()
    assert asked == [True]
    assert not action.isChecked()  # it is not closed before somebody says so
    tray.set_status(replace(status, sealed=True))
    assert action.isChecked()
    action.trigger()
    assert asked == [True, False]
    assert action.isChecked()


def test_sizes_are_said_as_people_say_them() -> None:
    assert size_in_words(4_700_000) == "4.7 MB"
    assert size_in_words(5_200_000_000) == "5.2 GB"


def test_the_menu_asks_the_application(tray: Tray) -> None:
    asked: list[str] = []
    tray.open_requested.connect(lambda: asked.append("open"))
    tray.new_chat_requested.connect(lambda: asked.append("new"))
    tray.settings_requested.connect(lambda: asked.append("settings"))
    tray.quit_requested.connect(lambda: asked.append("quit"))
    tray.quick_requested.connect(lambda: asked.append("quick"))
    for action in tray.menu.actions():
        if action.isVisible():
            action.trigger()
    assert asked == ["open", "new", "quick", "settings", "quit"]


def entry(tray: Tray, text: str) -> QAction:
    """An entry of the menu or of one inside it."""
    found: list[QAction] = []
    for action in tray.menu.actions():
        menu = action.menu()
        found += [action, *(menu.actions() if isinstance(menu, QMenu) else [])]
    return next(one for one in found if one.text() == text)


def test_a_pause_is_asked_for_and_shown_with_its_end(tray: Tray) -> None:
    asked: list[object] = []
    tray.pause_requested.connect(asked.append)
    status = AssistantStatus("", 0, 0, SESSION, "", 0, False)
    tray.set_status(status)
    for name in ("For one hour", "Until tomorrow morning", "Until I say so"):
        entry(tray, name).trigger()
    assert asked == list(PauseLength)
    assert "Do nothing by yourself" in labels(tray)  # nothing is paused before somebody says so
    tray.set_status(replace(status, paused=True, paused_until="2026-11-22T15:30:00+01:00"))
    assert "Go on (paused until 15:30)" in labels(tray)
    assert "Do nothing by yourself" not in labels(tray)
    tray.set_status(replace(status, paused=True))
    entry(tray, "Go on (paused)").trigger()
    assert asked[-1] is None


def test_a_reminder_stays_in_the_menu_until_somebody_sees_to_it(tray: Tray) -> None:
    later: list[tuple[str, int]] = []
    tray.later_requested.connect(lambda text, minutes: later.append((text, minutes)))
    for number, text in ((1, "call Anna"), (2, "tea & cake"), (3, "bins")):
        tray.add_due(ReminderDue(number, text, "2026-11-22 14:30", missed=False))
    assert "Reminders due: 3" in labels(tray)
    due = entry(tray, "Reminders due: 3").menu()
    assert isinstance(due, QMenu)
    menus = [action.menu() for action in due.actions()]
    assert [action.text() for action in due.actions()] == ["call Anna", "tea && cake", "bins"]
    first = menus[0]
    assert isinstance(first, QMenu)
    assert [one.text() for one in first.actions()] == ["Done", "In 10 minutes", "In an hour"]
    first.actions()[0].trigger()
    assert "Reminders due: 2" in labels(tray)
    assert later == []
    in_an_hour = due.actions()[0].menu()
    assert isinstance(in_an_hour, QMenu)
    in_an_hour.actions()[2].trigger()
    assert later == [("tea & cake", 60)]
    tray.done(3)
    assert not any("Reminders due" in one for one in labels(tray))


def test_the_models_memory_is_given_back_when_nothing_uses_it(tray: Tray) -> None:
    asked: list[bool] = []
    tray.unload_requested.connect(lambda: asked.append(True))
    status = AssistantStatus("starter", 4_700_000, 2048, SESSION, "", 0, False, model_loaded=True)
    tray.set_status(status)
    entry(tray, "Give the model's memory back (4.7 MB)").trigger()
    assert asked == [True]
    tray.set_status(replace(status, busy=True))
    assert not entry(tray, "Give the model's memory back (4.7 MB)").isEnabled()
    tray.set_status(replace(status, model_loaded=False))
    assert not any("memory back" in one for one in labels(tray))
