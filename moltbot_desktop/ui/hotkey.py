"""The key of the quick question, on whichever desktop this is.

    hotkey = Hotkey(bus, parent)
    hotkey.pressed.connect(quick.toggle)
    hotkey.lay("Ctrl+Alt+Space")         # `told` follows, with words for the person or none

Always there, whatever the desktop allows: `moltbot-desktop toggle`, bound in its own settings.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from moltbot_desktop.qt.chord import Chord, parse_chord
from moltbot_desktop.qt.hotkeys.port import GlobalKey, Laid
from moltbot_desktop.qt.hotkeys.windows import lay_windows_key

_log = logging.getLogger(__name__)
COMMAND = "moltbot-desktop toggle"


def key_system(platform: str, window_system: str) -> str:
    """How a key is laid here: "x11", "portal", "windows", or "" for not at all. A program under
    XWayland would hear its key over other such windows only, so Wayland means the portal."""
    if platform == "win32":
        return "windows"
    if platform == "darwin":
        return ""
    return {"xcb": "x11", "wayland": "portal"}.get(window_system, "")


class Hotkey(QObject):
    """One key at a time.

    Signals:
        pressed: wherever the keys go.
        told: what came of laying it (`Laid`), and the combination in words.
    """

    pressed = Signal()
    told = Signal(object, str)

    def __init__(self, bus: Callable[[], QObject | None], parent: QObject | None = None) -> None:
        """`bus`: the session's D-Bus, opened at the first use; None where there is none."""
        super().__init__(parent)
        self._bus = bus
        self._key: GlobalKey | None = None
        self._written = ""

    def lay(self, written: str) -> None:
        """Lay the key of the settings in the place of the one before; "" lays none."""
        if written == self._written and self._key is not None:
            return
        self.close()
        self._written = written
        if not written.strip():
            return
        chord = parse_chord(written)
        if chord is None:
            self.told.emit(Laid.NO_KEY, written)
            return
        self._lay(chord)

    def close(self) -> None:
        """Give the key back."""
        key, self._key = self._key, None
        if key is not None:
            key.close()

    def _lay(self, chord: Chord) -> None:
        system = key_system(sys.platform, _window_system())
        try:
            if system == "x11":
                # Late: an extra, and only X11 needs it.
                from moltbot_desktop.qt.hotkeys.x11 import lay_x11_key  # noqa: PLC0415

                self._keep(lay_x11_key(chord, self.pressed.emit, self), chord)
            elif system == "windows":
                self._keep(lay_windows_key(chord, self.pressed.emit), chord)
            elif system == "portal":
                self._lay_in_portal(chord)
            else:
                self.told.emit(Laid.NOT_HERE, str(chord))
        except ModuleNotFoundError as error:
            _log.info("no global key: %s", error)
            self.told.emit(Laid.PARTS, str(chord))

    def _lay_in_portal(self, chord: Chord) -> None:
        # Late: jeepney is there on Linux alone.
        from moltbot_desktop.qt.hotkeys.portal import PortalKey  # noqa: PLC0415
        from moltbot_desktop.qt.session_bus import SessionBus  # noqa: PLC0415

        bus = self._bus()
        if not isinstance(bus, SessionBus):
            self.told.emit(Laid.NOT_HERE, str(chord))
            return
        key = PortalKey(
            bus,
            chord,
            self.tr("Quick question"),
            self.pressed.emit,
            lambda what: self.told.emit(what, str(chord)),
            self,
        )
        self._key = key
        key.begin()

    def _keep(self, key: GlobalKey | Laid, chord: Chord) -> None:
        if isinstance(key, Laid):
            self.told.emit(key, str(chord))
        else:
            self._key = key
            self.told.emit(Laid.HERE, str(chord))


def _window_system() -> str:
    """Qt's own, unless it speaks X11 inside a Wayland session."""
    own = QGuiApplication.platformName()
    return "wayland" if own == "xcb" and os.environ.get("WAYLAND_DISPLAY") else own
