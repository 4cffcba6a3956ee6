"""What notifications say and do: words only where nobody else reads them, and never a yes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

from moltbot_desktop.gateway.client import Notice, NoticeKind, ReminderDue
from moltbot_desktop.qt.notifications import OPEN, Note
from moltbot_desktop.ui.notifier import DONE, LATER, Notifier

ANNA = ReminderDue(7, "call Anna", "2026-11-22 14:30", missed=False)


class Shown:
    """A desktop that shows notes, and presses their buttons."""

    def __init__(self, *, able: bool = True) -> None:
        self.able = able
        self.notes: list[tuple[Note, Callable[[str], None]]] = []

    def show(
        self, note: Note, pressed: Callable[[str], None], not_shown: Callable[[], None]
    ) -> None:
        if self.able:
            self.notes.append((note, pressed))
        else:
            not_shown()


class Rig:
    def __init__(self, *, able: bool = True, service: bool = True, locked: bool = False) -> None:
        self.desktop = Shown(able=able)
        self.balloons: list[tuple[str, str]] = []
        self.did: list[tuple[object, ...]] = []
        self.notifier = Notifier(
            self.desktop if service else None,
            lambda told: told(locked),
            lambda title, text: self.balloons.append((title, text)),
        )
        self.notifier.open_requested.connect(lambda: self.did.append(("open",)))
        self.notifier.done.connect(lambda number: self.did.append(("done", number)))
        self.notifier.later_requested.connect(lambda *later: self.did.append(("later", *later)))

    @property
    def note(self) -> Note:
        return self.desktop.notes[-1][0]

    def press(self, key: str) -> None:
        self.desktop.notes[-1][1](key)


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> None:
    """Signals need one."""


def test_a_reminder_with_its_buttons() -> None:
    rig = Rig()
    rig.notifier.remind(ANNA)
    assert (rig.note.title, rig.note.text, rig.note.stays) == ("Reminder", "call Anna", True)
    assert [one.label for one in rig.note.buttons] == ["Done", "In 10 minutes"]
    for key in (DONE, LATER, OPEN):
        rig.press(key)
    assert rig.did == [("done", 7), ("later", 7, "call Anna", 10), ("open",)]


@pytest.mark.parametrize("why", ["locked", "setting"])
def test_nothing_private_is_shown_to_others(why: str) -> None:
    rig = Rig(locked=why == "locked")
    rig.notifier.says_what = why != "setting"
    rig.notifier.remind(ANNA)
    rig.notifier.news(Notice("Scheduled job “bank”: 1,204.11 left", kind=NoticeKind.NEWS))
    said = " ".join(note.title + note.text for note, _ in rig.desktop.notes)
    assert len(rig.desktop.notes) == 2
    assert "Anna" not in said
    assert "bank" not in said


def test_a_card_is_shown_and_never_answered() -> None:
    rig = Rig()
    rig.notifier.needs_answer()
    assert [one.key for one in rig.note.buttons] == [OPEN]
    for key in (OPEN, "allow", "yes"):
        rig.press(key)
    assert rig.did == [("open",)] * 3


@pytest.mark.parametrize("given", [{"able": False}, {"service": False}])
def test_where_the_desktop_shows_none_the_tray_does(given: dict[str, bool]) -> None:
    rig = Rig(**given)
    rig.notifier.remind(ANNA)
    assert rig.balloons == [("Reminder", "call Anna")]


def test_a_missed_one_says_so() -> None:
    rig = Rig()
    rig.notifier.remind(ReminderDue(1, "x", "2026-11-22 14:30", missed=True))
    assert rig.note.title == "Missed reminder"
