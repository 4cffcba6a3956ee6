"""The session's D-Bus inside the main thread's event loop: calls with answers, and signals.

    bus = SessionBus.opened()                   # None where there is none
    bus.call(address, "Notify", "susssasa{sv}i", (...), answered)
    bus.follow(Followed(path, interface, "ActionInvoked"), heard)
    bus.close()

Spoken with jeepney, which keyring brings along, and not with QtDBus: that cannot say from Python
that a number is unsigned, which every notification needs. Nothing here blocks longer than it takes
to hand a message to the bus; answers come as they come, or as None after `SECONDS`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageFlag,
    MessageType,
    new_method_call,
)
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Slot

_log = logging.getLogger(__name__)

SECONDS = 20
"""A desktop may start a program before it can answer."""
_AT_ONCE = 200
_BROKEN = (OSError, ValueError, RuntimeError, KeyError, TypeError, IndexError)
"""What a bus that is gone, or one that sends what is no message, comes to in jeepney."""
Body = tuple[Any, ...]
Answered = Callable[[Body | None], None]
Heard = Callable[[Body], None]


@dataclass(frozen=True)
class Service:
    """Whom to ask."""

    name: str
    path: str
    interface: str


@dataclass(frozen=True)
class Followed:
    """Which signals to hear; `sender` is a well-known or unique name."""

    sender: str
    path: str
    interface: str
    member: str


class SessionBus(QObject):
    """One connection; for the main thread."""

    def __init__(self, connection: DBusConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bus: DBusConnection | None = connection
        self._waiting: dict[int, Answered] = {}
        self._followed: list[tuple[Followed, Heard]] = []
        self._notifier = QSocketNotifier(connection.sock.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_readable)

    @classmethod
    def opened(cls, parent: QObject | None = None) -> Self | None:
        """None where there is no session bus."""
        try:
            connection = open_dbus_connection(bus="SESSION")
            connection.sock.settimeout(1.0)
            return cls(connection, parent)
        except _BROKEN as error:
            _log.info("no session bus: %s", error)
            return None

    @property
    def name(self) -> str:
        """Ours on the bus, such as ``:1.42``; "" when it is gone."""
        return str(self._bus.unique_name) if self._bus is not None else ""

    def call(
        self,
        service: Service,
        method: str,
        signature: str,
        body: Body,
        answered: Answered,
        *,
        start: bool = True,
    ) -> None:
        """Ask, and call `answered` later, once: with what came, or None for an error or nothing.

        `start`: the desktop may start the service when it does not run.
        """
        address = DBusAddress(service.path, bus_name=service.name, interface=service.interface)
        message = new_method_call(address, method, signature or None, body)
        if not start:
            message.header.flags |= MessageFlag.no_auto_start
        self._send(message, answered)

    def follow(self, wanted: Followed, heard: Heard) -> None:
        """Call `heard` with what each such signal carries."""
        rule = MatchRule(
            type="signal",
            sender=wanted.sender,
            path=wanted.path,
            interface=wanted.interface,
            member=wanted.member,
        )
        self._followed.append((wanted, heard))
        self._send(message_bus.AddMatch(rule), lambda _: None)

    def close(self) -> None:
        """Hear nothing any more; who waits for an answer gets none."""
        self._notifier.setEnabled(False)
        bus, self._bus = self._bus, None
        self._waiting.clear()
        self._followed.clear()
        if bus is not None:
            bus.close()

    def _send(self, message: Message, answered: Answered) -> None:
        if self._bus is None:
            QTimer.singleShot(0, self, lambda: answered(None))
            return
        serial = next(self._bus.outgoing_serial)
        self._waiting[serial] = answered
        try:
            self._bus.send(message, serial=serial)
        except _BROKEN as error:
            self._lost(error)
        QTimer.singleShot(SECONDS * 1000, self, lambda: self._answer(serial, None))

    @Slot()
    def _on_readable(self) -> None:
        for _ in range(_AT_ONCE):
            if self._bus is None:
                return
            try:
                message = self._bus.receive(timeout=0)
            except TimeoutError:
                return
            except _BROKEN as error:
                self._lost(error)
                return
            self._take(message)

    def _take(self, message: Message) -> None:
        fields = message.header.fields
        match message.header.message_type:
            case MessageType.method_return:
                self._answer(fields.get(HeaderFields.reply_serial, 0), tuple(message.body))
            case MessageType.error:
                _log.info("D-Bus: %s %s", fields.get(HeaderFields.error_name), message.body)
                self._answer(fields.get(HeaderFields.reply_serial, 0), None)
            case MessageType.signal:
                said = (
                    fields.get(HeaderFields.path),
                    fields.get(HeaderFields.interface),
                    fields.get(HeaderFields.member),
                )
                for wanted, heard in tuple(self._followed):
                    if said == (wanted.path, wanted.interface, wanted.member):
                        heard(tuple(message.body))

    def _answer(self, serial: int, body: Body | None) -> None:
        answered = self._waiting.pop(serial, None)
        if answered is not None:
            answered(body)

    def _lost(self, error: Exception) -> None:
        """The bus is gone: nobody answers any more."""
        _log.info("the session bus is gone: %s", error)
        waiting = tuple(self._waiting.values())
        self.close()
        for answered in waiting:
            answered(None)
