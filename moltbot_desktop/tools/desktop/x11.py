"""Windows under X11: which there are, whose they are, which one is in front.

    with X11Windows.opened() as windows:
        front = windows.listed()[0]
        windows.activate(front)
        windows.owner_at(640, 400)       # the process whose window lies there, None if it hides it

The process is what tells our own windows from others: whatever belongs to this program is neither
listed nor touched, so that the assistant cannot answer its own questions.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from Xlib import X, display, error
from Xlib.protocol import event
from Xlib.xobject.drawable import Window as XWindow

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.system import OpenWindow
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble

_LEVELS = 8
_FROM_PAGER = 2
_TITLES = ("_NET_WM_NAME", "_NET_WM_VISIBLE_NAME", "WM_NAME")
_WIDE = 32
"""Bits of a property's numbers; a program may have put anything there."""
_ENTRY_OF_NOBODY = b"\x01\x00" + bytes(8)
"""An entry of that file, of this computer, for no display, with no password."""


@contextmanager
def authority() -> Iterator[None]:
    """Around every connection of Xlib's: it demands a file of passwords for the X server even where
    none is needed, and prints a complaint among the program's own words when that is empty."""
    named = os.environ.get("XAUTHORITY")
    if (Path(named) if named else Path.home() / ".Xauthority").is_file():
        yield
        return
    with tempfile.NamedTemporaryFile() as stand_in:
        stand_in.write(_ENTRY_OF_NOBODY)
        stand_in.flush()
        os.environ["XAUTHORITY"] = stand_in.name
        try:
            yield
        finally:
            if named is None:
                del os.environ["XAUTHORITY"]
            else:
                os.environ["XAUTHORITY"] = named


class X11Windows:
    """One connection to the X server; for one thread."""

    def __init__(self, connection: display.Display) -> None:
        self._display = connection
        self._root = connection.screen().root
        self._own = os.getpid()

    @classmethod
    def opened(cls) -> Self:
        """Raises ScreenTrouble when there is no X server."""
        try:
            with authority():
                return cls(display.Display())
        except (error.DisplayError, error.XauthError, OSError) as problem:
            raise ScreenTrouble("the screen does not answer", "no_answer") from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._display.close()

    def listed(self) -> tuple[OpenWindow, ...]:
        """Windows of other programs that can be seen, the one in front first."""
        ids = self._numbers(self._root, "_NET_CLIENT_LIST_STACKING")
        active = next(iter(self._numbers(self._root, "_NET_ACTIVE_WINDOW")), 0)
        found = [self._described(one, active) for one in reversed(ids)]
        return tuple(one for one in found if one is not None and one.pid != self._own)

    def activate(self, window: OpenWindow) -> None:
        """Ask the window manager to bring `window` to the front and give it the keys."""
        target = self._display.create_resource_object("window", window.id)
        message = event.ClientMessage(
            window=target,
            client_type=self._display.intern_atom("_NET_ACTIVE_WINDOW"),
            data=(32, [_FROM_PAGER, X.CurrentTime, 0, 0, 0]),
        )
        mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
        self._root.send_event(message, event_mask=mask)
        self._display.flush()

    def owner_of_keys(self) -> int:
        """The process that gets what is typed now; 0 when nobody knows."""
        focus = self._display.get_input_focus().focus
        return self._owner_above(focus) if isinstance(focus, XWindow) else 0

    def owner_at(self, x: int, y: int) -> int:
        """The process whose window a click there would meet; 0 when it does not tell. Windows that
        let clicks through do not count."""
        window = self._root
        for _ in range(_LEVELS):
            try:
                child = window.translate_coords(self._root, x, y).child
            except error.XError:
                break  # closed meanwhile
            if not isinstance(child, XWindow):
                break
            window = child
            if pid := self._pid(window):
                return pid
        return 0

    def is_own(self, pid: int) -> bool:
        return pid == self._own

    def _described(self, id: int, active: int) -> OpenWindow | None:
        window = self._display.create_resource_object("window", id)
        try:
            if window.get_attributes().map_state != X.IsViewable:
                return None
            size = window.get_geometry()
            place = window.translate_coords(self._root, 0, 0)
            title = next(filter(None, (self._text(window, one) for one in _TITLES)), "")
            program = self._text(window, "WM_CLASS").partition("\0")[0]
        except error.XError:
            return None  # closed meanwhile
        # `translate_coords` says where the root is in the window.
        box = Box(-place.x, -place.y, size.width, size.height)
        return OpenWindow(id, self._pid(window), title or program, program, box, id == active)

    def _text(self, window: XWindow, name: str) -> str:
        """Xlib gives text that is not UTF-8 as bytes, and what is no text as numbers."""
        found = window.get_full_property(self._display.intern_atom(name), X.AnyPropertyType)
        value = found.value if found is not None else ""
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        text = value if isinstance(value, str) else ""
        return "".join(one for one in text if one.isprintable() or one == "\0")

    def _pid(self, window: XWindow) -> int:
        try:
            return next(iter(self._numbers(window, "_NET_WM_PID")), 0)
        except error.XError:
            return 0

    def _owner_above(self, window: XWindow) -> int:
        for _ in range(_LEVELS):
            if pid := self._pid(window):
                return pid
            try:
                window = window.query_tree().parent
            except error.XError:
                return 0
            if not isinstance(window, XWindow):
                return 0
        return 0

    def _numbers(self, window: XWindow, name: str) -> list[int]:
        found = window.get_full_property(self._display.intern_atom(name), X.AnyPropertyType)
        wide = found is not None and found.format == _WIDE
        return [int(one) for one in found.value] if wide else []
