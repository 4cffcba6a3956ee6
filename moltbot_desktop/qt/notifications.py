"""Notifications of the desktop with buttons, and whether its screen is locked.

    shown = Notifications(bus)
    shown.show(Note("Reminder", "call Anna", (Button("done", "Done"),)), pressed, not_shown)

Protocol: https://specifications.freedesktop.org/notification-spec/latest/
Pressing the note itself is the button `OPEN`. A desktop without a service, or without buttons, is
told apart at the first note (`GetCapabilities`).
"""

from __future__ import annotations

import html
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject

from moltbot_desktop.qt.session_bus import Body, Followed, Service, SessionBus

OPEN = "default"
_NAME = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_SERVICE = Service(_NAME, _PATH, _NAME)
_MOST_NOTES = 50
_FOR_EVER = 0
_AS_USUAL = -1
_SCREEN_SAVERS = (
    Service(
        "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver"
    ),
    Service("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver", "org.gnome.ScreenSaver"),
    Service("org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver", "org.cinnamon.ScreenSaver"),
    Service("org.mate.ScreenSaver", "/org/mate/ScreenSaver", "org.mate.ScreenSaver"),
    Service("org.xfce.ScreenSaver", "/org/xfce/ScreenSaver", "org.xfce.ScreenSaver"),
)


@dataclass(frozen=True)
class Button:
    key: str
    label: str


@dataclass(frozen=True)
class Note:
    """What is shown. `stays`: until somebody has seen to it."""

    title: str
    text: str
    buttons: tuple[Button, ...] = ()
    stays: bool = False


Pressed = Callable[[str], None]


class Notifications(QObject):
    """For the main thread."""

    def __init__(self, bus: SessionBus, program: str, parent: QObject | None = None) -> None:
        """`program`: the name of its .desktop file, which gives the notes its icon."""
        super().__init__(parent)
        self._bus = bus
        self._program = program
        self._abilities: frozenset[str] | None = None
        # The last ones. That a note was closed is not waited for: some desktops tell of it before
        # they tell which button closed it.
        self._pressed: dict[int, Pressed] = {}
        bus.follow(Followed(_NAME, _PATH, _NAME, "ActionInvoked"), self._on_action)

    def show(self, note: Note, pressed: Pressed, not_shown: Callable[[], None]) -> None:
        """Show it; `pressed` hears the key of its button, `not_shown` that nobody shows any."""

        def known(body: Body | None) -> None:
            match body:
                case ([*abilities],):
                    self._abilities = frozenset(map(str, abilities))
                    self._send(note, pressed, not_shown)
                case _:
                    not_shown()

        if self._abilities is None:
            self._bus.call(_SERVICE, "GetCapabilities", "", (), known)
        else:
            self._send(note, pressed, not_shown)

    def _send(self, note: Note, pressed: Pressed, not_shown: Callable[[], None]) -> None:
        able = self._abilities or frozenset()
        text = html.escape(note.text, quote=False) if "body-markup" in able else note.text
        buttons = (Button(OPEN, ""), *note.buttons) if "actions" in able else ()
        actions = [word for one in buttons for word in (one.key, one.label)]
        hints = {"desktop-entry": ("s", self._program), "urgency": ("y", 1)}
        seconds = _FOR_EVER if note.stays else _AS_USUAL
        body = ("Moltbot", 0, self._program, note.title, text, actions, hints, seconds)

        def sent(answer: Body | None) -> None:
            match answer:
                case (int() as number,):
                    while len(self._pressed) >= _MOST_NOTES:
                        del self._pressed[next(iter(self._pressed))]
                    self._pressed[number] = pressed
                case _:
                    self._abilities = None  # it went, and another may come
                    not_shown()

        self._bus.call(_SERVICE, "Notify", "susssasa{sv}i", body, sent)

    def _on_action(self, body: Body) -> None:
        match body:
            case (int() as number, str() as key) if number in self._pressed:
                self._pressed.pop(number)(key)


def ask_locked(bus: SessionBus, told: Callable[[bool], None]) -> None:
    """Whether the screen is locked, as far as any desktop says; `told` is called once."""
    left = [len(_SCREEN_SAVERS)]

    def answered(body: Body | None) -> None:
        if left[0] <= 0:
            return
        left[0] -= 1
        if body == (True,):
            left[0] = 0
            told(True)
        elif left[0] == 0:
            told(False)

    for service in _SCREEN_SAVERS:
        bus.call(service, "GetActive", "", (), answered, start=False)
