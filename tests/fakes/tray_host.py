"""A tray as KDE, Xfce and GNOME's extension have it: icons are items on the session bus, and the
desktop draws their menus itself.

    with tray_host(address) as host:
        item = host.item()                      # when one has come
        item.properties()["ToolTip"]
        item.press("Settings")                  # as somebody who opens the menu and clicks

Written to https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/ and to
com.canonical.dbusmenu; on a real bus, for a program that is not told about it.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    Properties,
    new_error,
    new_method_call,
    new_method_return,
)
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_PATIENCE = 60.0
_OWNED = 1
_LOOKS = 0.2


@dataclass(frozen=True)
class Line:
    """One of a menu, as a desktop would draw it.

    Attributes:
        checked: None where it is no switch.
    """

    id: int
    label: str
    enabled: bool
    checked: bool | None
    below: tuple[Line, ...]


def line_of(told: Sequence[Any]) -> Line:
    """(id, properties, children) of GetLayout."""
    number, properties, children = told
    said = {name: value for name, (_, value) in properties.items()}
    below = tuple(line_of(one) for _, one in children)
    shown = tuple(one for one in below if one.label)
    checked = said.get("toggle-state") == 1 if said.get("toggle-type") else None
    is_there = said.get("visible", True) and said.get("type") != "separator"
    label = str(said.get("label", "")).replace("_", "") if is_there else ""
    return Line(int(number), label, bool(said.get("enabled", True)), checked, shown)


@dataclass(frozen=True)
class Item:
    """An icon in the tray."""

    bus: DBusConnection
    service: str

    def properties(self) -> Mapping[str, Any]:
        item = DBusAddress("/StatusNotifierItem", self.service, ITEM)
        (found,) = self._ask(Properties(item).get_all())
        return {name: value for name, (_, value) in found.items()}

    def click(self) -> None:
        """The main button, on the icon."""
        item = DBusAddress("/StatusNotifierItem", self.service, ITEM)
        self._ask(new_method_call(item, "Activate", "ii", (0, 0)))

    def menu(self) -> tuple[Line, ...]:
        """Its lines that are to be seen, as they are when the menu is opened."""
        self._ask(new_method_call(self._menu, "AboutToShow", "i", (0,)))
        _, layout = self._ask(new_method_call(self._menu, "GetLayout", "iias", (0, -1, [])))
        return line_of(layout).below

    def labels(self) -> list[str]:
        return [one.label for one in self.menu()]

    def line(self, *labels: str) -> Line:
        """The one of that name; with several, that of the last in the menus of the others."""
        lines = self.menu()
        for label in labels[:-1]:
            lines = next(one.below for one in lines if one.label == label)
        return next(one for one in lines if one.label == labels[-1])

    def press(self, *labels: str) -> None:
        """Open the menu and click on a line."""
        line = self.line(*labels)
        assert line.enabled, line
        event = (line.id, "clicked", ("i", 0), 0)
        self._ask(new_method_call(self._menu, "Event", "isvu", event))

    @property
    def _menu(self) -> DBusAddress:
        return DBusAddress(self.properties()["Menu"], self.service, MENU)

    def _ask(self, message: Message) -> tuple[Any, ...]:
        reply = self.bus.send_and_get_reply(message, timeout=_PATIENCE)
        assert reply.header.message_type is MessageType.method_return, reply.body
        return tuple(reply.body)


@dataclass
class TrayHost:
    """Whom items register with. `came`: their names on the bus, in their order."""

    address: str
    came: list[str] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)

    def item(self) -> Item:
        """The first one, when it has come."""
        last = time.monotonic() + _PATIENCE
        while not self.came:
            assert time.monotonic() < last, "no icon came into the tray"
            time.sleep(0.05)
        return Item(self._asking, self.came[0])

    def __enter__(self) -> TrayHost:
        self._serving = open_dbus_connection(self.address)
        self._asking = open_dbus_connection(self.address)
        reply = self._serving.send_and_get_reply(message_bus.RequestName(WATCHER))
        assert reply.body == (_OWNED,)
        self._thread = threading.Thread(target=self._serve, name="tray host")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._serving.close()
        self._asking.close()

    def _serve(self) -> None:
        while not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                message = self._serving.receive(timeout=_LOOKS)
                if message.header.message_type is MessageType.method_call:
                    self._serving.send(self._answer(message))

    def _answer(self, message: Message) -> Message:
        fields = message.header.fields
        member, sender = fields.get(HeaderFields.member), str(fields.get(HeaderFields.sender))
        if member == "RegisterStatusNotifierItem":
            (name,) = message.body
            self.came.append(sender if name.startswith("/") else name)
            return new_method_return(message)
        if member == "RegisterStatusNotifierHost":
            return new_method_return(message)
        properties = {
            "IsStatusNotifierHostRegistered": ("b", True),
            "ProtocolVersion": ("i", 0),
            "RegisteredStatusNotifierItems": ("as", list(self.came)),
        }
        if fields.get(HeaderFields.interface) == _PROPERTIES:
            if member == "GetAll":
                return new_method_return(message, "a{sv}", (properties,))
            if member == "Get" and message.body[1] in properties:
                return new_method_return(message, "v", (properties[message.body[1]],))
        return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")


@contextlib.contextmanager
def tray_host(address: str) -> Iterator[TrayHost]:
    """`address`: of the session bus; start it before the program, which looks once."""
    with TrayHost(address) as host:
        yield host
