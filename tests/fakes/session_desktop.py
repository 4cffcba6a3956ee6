"""Services of a desktop on a session bus, for tests: notifications, screen lock, shortcuts portal.

    python -m tests.fakes.session_desktop [notifications] [locked] [portal] [refusing]

Run in a process of its own with DBUS_SESSION_BUS_ADDRESS set. Prints "ready", then one JSON line
per thing it was asked; each line of its standard input is JSON: ["action", number, key] or
["activated"]. Written to the specifications that `qt.notifications` and `qt.hotkeys.portal` name.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

NOTES = "org.freedesktop.Notifications"
LOCK = "org.freedesktop.ScreenSaver"
PORTAL = "org.freedesktop.portal.Desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
REQUEST = "org.freedesktop.portal.Request"
ROOT = "/org/freedesktop/portal/desktop"


def told(*what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Desktop:
    def __init__(self, bus: DBusConnection, has: frozenset[str]) -> None:
        self.bus = bus
        self.has = has
        self.notes = 0
        self.session = ""
        self.to = ""

    def serve(self) -> None:
        while True:
            message = self.bus.receive()
            if message.header.message_type is MessageType.method_call:
                self.answer(message)

    def answer(self, message: Message) -> None:
        fields = message.header.fields
        member = fields.get(HeaderFields.member)
        sender = str(fields.get(HeaderFields.sender, ""))
        given = message.body
        match member:
            case "GetCapabilities":
                self.reply(message, "as", (["actions", "body", "body-markup"],))
            case "Notify":
                assert fields[HeaderFields.signature] == "susssasa{sv}i"
                self.notes += 1
                told("note", given[3], given[4], list(given[5]), given[7])
                self.reply(message, "u", (self.notes,))
            case "GetActive":
                self.reply(message, "b", ("locked" in self.has,))
            case "CreateSession":
                self.portal(message, sender, given[0])
            case "BindShortcuts":
                told("bound", given[1][0][0], _plain(given[1][0][1]))
                self.portal(message, sender, given[3])
            case "Close":
                told("closed", str(fields.get(HeaderFields.path)))
                self.reply(message, "", ())
            case _:
                self.bus.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))

    def portal(self, message: Message, sender: str, options: dict[str, Any]) -> None:
        """The answer comes as a signal of the request, at the path that follows from its token."""
        us = sender.removeprefix(":").replace(".", "_")
        path = f"{ROOT}/request/{us}/{options['handle_token'][1]}"
        self.reply(message, "o", (path,))
        results: dict[str, Any] = {}
        if "session_handle_token" in options:
            self.session = f"{ROOT}/session/{us}/{options['session_handle_token'][1]}"
            results = {"session_handle": ("s", self.session)}
        code = 1 if "refusing" in self.has and not results else 0
        signal = new_signal(
            DBusAddress(path, interface=REQUEST), "Response", "ua{sv}", (code, results)
        )
        self.bus.send(signal)

    def reply(self, message: Message, signature: str, body: tuple[object, ...]) -> None:
        self.bus.send(new_method_return(message, signature or None, body))

    def hear(self) -> None:
        for line in sys.stdin:
            match json.loads(line):
                case ["action", number, key]:
                    where = DBusAddress("/org/freedesktop/Notifications", interface=NOTES)
                    self.bus.send(new_signal(where, "ActionInvoked", "us", (number, key)))
                case ["activated"]:
                    where = DBusAddress(ROOT, interface=SHORTCUTS)
                    body = (self.session, "quick-ask", 1, {})
                    self.bus.send(new_signal(where, "Activated", "osta{sv}", body))


def _plain(variants: dict[str, Any]) -> dict[str, Any]:
    return {key: value[1] for key, value in variants.items()}


def main() -> int:
    has = frozenset(sys.argv[1:])
    bus = open_dbus_connection(bus="SESSION")
    names = {"notifications": NOTES, "locked": LOCK, "unlocked": LOCK, "portal": PORTAL}
    for what, name in names.items():
        if what in has:
            bus.send_and_get_reply(message_bus.RequestName(name))
    desktop = Desktop(bus, has)
    threading.Thread(target=desktop.hear, daemon=True).start()
    told("ready")
    desktop.serve()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
