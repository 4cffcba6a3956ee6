"""A global key by the desktop portal (Wayland): the desktop asks its user, and keeps the key.

Protocol: org.freedesktop.portal.GlobalShortcuts,
https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.GlobalShortcuts.html
A session is made (`CreateSession`), one shortcut is bound in it (`BindShortcuts`, with the keys we
would like), and `Activated` tells each press. Answers come as a signal of a request object, whose
path follows from our name on the bus, so it is listened to before we ask.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject

from moltbot_desktop.qt.chord import Chord, portal_trigger
from moltbot_desktop.qt.hotkeys.port import Laid
from moltbot_desktop.qt.session_bus import Body, Followed, Service, SessionBus

PORTAL = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
_REQUEST = "org.freedesktop.portal.Request"
_SESSION = "org.freedesktop.portal.Session"
_OURS = "quick-ask"


class PortalKey(QObject):
    """Calls `pressed` for each press, and `laid` once with what came of it."""

    def __init__(
        self,
        bus: SessionBus,
        chord: Chord,
        description: str,
        pressed: Callable[[], None],
        laid: Callable[[Laid], None],
        parent: QObject | None = None,
    ) -> None:
        """`description`: what the desktop shows its user."""
        super().__init__(parent)
        self._bus = bus
        self._chord = chord
        self._description = description
        self._pressed = pressed
        self._laid = laid
        self._session = ""
        self._closed = False
        self._service = Service(PORTAL, _PATH, _SHORTCUTS)

    def begin(self) -> None:
        """Ask for it."""
        self._bus.follow(Followed(PORTAL, _PATH, _SHORTCUTS, "Activated"), self._on_activated)
        options = {"session_handle_token": ("s", _token())}
        self._request("CreateSession", "a{sv}", (), options, self._on_session)

    def close(self) -> None:
        """Give the key back."""
        self._closed = True
        if self._session:
            session = Service(PORTAL, self._session, _SESSION)
            self._bus.call(session, "Close", "", (), lambda _: None)
        self.deleteLater()

    def _on_session(self, results: dict[str, Any]) -> None:
        handle = results.get("session_handle")
        if not isinstance(handle, str):
            self._tell(Laid.NOT_HERE)
            return
        self._session = handle
        shortcut = {
            "description": ("s", self._description),
            "preferred_trigger": ("s", portal_trigger(self._chord)),
        }
        before = (handle, [(_OURS, shortcut)], "")
        self._request("BindShortcuts", "oa(sa{sv})sa{sv}", before, {}, self._on_bound)

    def _on_bound(self, _results: dict[str, Any]) -> None:
        self._tell(Laid.HERE)

    def _on_activated(self, body: Body) -> None:
        if not self._closed and len(body) >= 2 and body[:2] == (self._session, _OURS):
            self._pressed()

    def _request(
        self,
        method: str,
        signature: str,
        before: tuple[object, ...],
        options: dict[str, tuple[str, Any]],
        done: Callable[[dict[str, Any]], None],
    ) -> None:
        token = _token()
        us = self._bus.name.removeprefix(":").replace(".", "_")
        path = f"{_PATH}/request/{us}/{token}"

        def responded(body: Body) -> None:
            if self._closed:
                return
            match body:
                case (0, dict() as results):
                    done({key: _value(one) for key, one in results.items()})
                case (1, _):
                    self._tell(Laid.REFUSED)
                case _:
                    self._tell(Laid.NOT_HERE)

        def answered(body: Body | None) -> None:
            if body is None and not self._closed:
                self._tell(Laid.NOT_HERE)

        self._bus.follow(Followed(PORTAL, path, _REQUEST, "Response"), responded)
        body = (*before, {**options, "handle_token": ("s", token)})
        self._bus.call(self._service, method, signature, body, answered)

    def _tell(self, what: Laid) -> None:
        if not self._closed:
            self._laid(what)


def _token() -> str:
    return f"moltbot_{uuid.uuid4().hex}"


def _value(variant: object) -> object:
    """What a variant carries; jeepney gives its signature along."""
    return variant[1] if isinstance(variant, tuple) and len(variant) == 2 else variant
