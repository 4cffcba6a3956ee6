"""The accessibility tree of Linux, over D-Bus.

    tree = AccessibilityTree.opened(clock, pause)
    tree.window(4711, "galculator", area)      # its elements, () when its program does not tell

Spoken directly: the bindings are a system package for one Python alone. Requests of a whole level
of the tree go out before the first answer is waited for, so a window takes some 50 ms and not a
second. Whatever a program answers is checked; what it does not answer in time is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.elements import Element, NodeRef
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble

_PREFIX = "org.a11y.atspi."
_ACCESSIBLE = f"{_PREFIX}Accessible"
_TEXT = f"{_PREFIX}Text"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_ROOT = "/org/a11y/atspi/accessible/root"
_MOST_NODES = 4_000
_MOST_LEVELS = 60
_MOST_TEXT = 400
_SECONDS = 4.0
_SWITCH = ("org.a11y.Status", "IsEnabled")
_WAKING_SECONDS = 2.5
"""Programs that run already tell nothing before somebody listens, and then need a moment."""
_POLL_SECONDS = 0.1
_SCREEN = 0
_AT_ONCE = 512
"""Requests whose answers are waited for together."""
_CLIPPING = frozenset({"scroll pane", "viewport"})
Pause = Callable[[float], None]

STATES = {
    1: "active", 4: "checked", 7: "editable", 10: "expanded", 12: "focused", 20: "pressed",
    23: "selected", 24: "sensitive", 25: "showing",
}  # fmt: skip
"""Numbers of AtspiStateType that matter here."""


@dataclass(frozen=True)
class _Found:
    element: Element
    clip: Box | None


class AccessibilityTree:
    """One connection; for one thread. Close it, or use it in a `with`."""

    def __init__(
        self, connection: DBusConnection, clock: Clock, pause: Pause, *, awake: bool
    ) -> None:
        """`awake`: programs have been told before that somebody listens."""
        self._bus = connection
        self._clock = clock
        self._deadline = 0.0
        self._pause = pause
        self._awake = awake

    @classmethod
    def opened(cls, clock: Clock, pause: Pause) -> Self:
        """`pause` waits so many seconds.

        Raises:
            ScreenTrouble: this desktop has no accessibility.
        """
        try:
            with open_dbus_connection(bus="SESSION") as session:
                awake = _asked(session, _PROPERTIES, "Get", "ss", _SWITCH) == (("b", True),)
                if not awake:
                    _asked(session, _PROPERTIES, "Set", "ssv", (*_SWITCH, ("b", True)))
                (address,) = _asked(session, "org.a11y.Bus", "GetAddress")
            return cls(open_dbus_connection(bus=str(address)), clock, pause, awake=awake)
        except (OSError, KeyError, ValueError, RuntimeError) as error:
            raise ScreenTrouble("there is no accessibility bus here", "silent") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._bus.close()

    def window(self, pid: int, title: str, area: Box) -> tuple[Element, ...]:
        """What the window of process `pid` with `title` shows; nothing when its program does not
        tell. `area` is the window's place, for programs that have several of one title."""
        until = self._clock.monotonic() + _WAKING_SECONDS
        frames = self._frames(pid)
        while not frames and not self._awake and self._clock.monotonic() < until:
            self._pause(_POLL_SECONDS)
            frames = self._frames(pid)
        if not frames:
            return ()
        frame = max(frames, key=lambda one: (one.name == title, _covered(one.box, area)))
        return self._below(frame)

    def _frames(self, pid: int) -> list[Element]:
        self._deadline = self._clock.monotonic() + _SECONDS
        return [
            frame
            for program in self._programs(pid)
            for frame in self._elements(self._children([program])[0])
            if "showing" in frame.states
        ]

    def again(self, element: Element) -> Element | None:
        """`element` as it is now; None when it is gone."""
        self._deadline = self._clock.monotonic() + _SECONDS
        return next(iter(self._elements([element.ref])), None)

    def _programs(self, pid: int) -> list[NodeRef]:
        roots = self._children([NodeRef(f"{_PREFIX}Registry", _ROOT)])[0]
        bus = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
        asked = [
            new_method_call(bus, "GetConnectionUnixProcessID", "s", (one.bus,)) for one in roots
        ]
        answers = self._answers(asked)
        return [one for one, body in zip(roots, answers, strict=True) if body == (pid,)]

    def _below(self, frame: Element) -> tuple[Element, ...]:
        level = [_Found(frame, None)]
        found: list[_Found] = []
        for _ in range(_MOST_LEVELS):
            lists = self._children([one.element.ref for one in level])
            clips = {
                ref: _clip(parent)
                for parent, refs in zip(level, lists, strict=True)
                for ref in refs
            }
            refs = list(clips)[: _MOST_NODES - len(found)]
            level = [
                _Found(_clipped(one, clips[one.ref]), clips[one.ref])
                for one in self._elements(refs)
                if "showing" in one.states
            ]
            found += level
            if not level:
                break
        return self._with_texts([one.element for one in found])

    def _children(self, refs: Sequence[NodeRef]) -> list[list[NodeRef]]:
        asked = [_call(ref, "Accessible", "GetChildren") for ref in refs]
        return [_references(body) for body in self._answers(asked)]

    def _elements(self, refs: Sequence[NodeRef]) -> list[Element]:
        asked: list[Message] = []
        for ref in refs:
            asked += (
                _call(ref, "Accessible", "GetRoleName"),
                _property(ref, _ACCESSIBLE, "Name"),
                _call(ref, "Accessible", "GetState"),
                _call(ref, "Component", "GetExtents", "u", (_SCREEN,)),
            )
        answers = self._answers(asked)
        found = []
        for at, ref in enumerate(refs):
            role, name, state, extents = answers[4 * at : 4 * at + 4]
            states = _states(state)
            if states is not None:
                text = _variant(name)
                box = _box(extents)
                found.append(Element(ref, _text(role), text, box, box, states))
        return found

    def _with_texts(self, elements: Sequence[Element]) -> tuple[Element, ...]:
        """Fields with what stands in them."""
        fields = [one for one in elements if one.readable]
        counts = self._answers([_property(one.ref, _TEXT, "CharacterCount") for one in fields])
        asked = [
            _call(one.ref, "Text", "GetText", "ii", (0, min(_count(count), _MOST_TEXT)))
            for one, count in zip(fields, counts, strict=True)
        ]
        texts = dict(zip((one.ref for one in fields), self._answers(asked), strict=True))
        return tuple(
            replace(one, value=_text(texts[one.ref])) if one.ref in texts else one
            for one in elements
        )

    def _answers(self, asked: Sequence[Message]) -> list[tuple[object, ...]]:
        """The bodies of the answers in the order of `asked`, () for an error or none in time."""
        found: list[tuple[object, ...]] = []
        for start in range(0, len(asked), _AT_ONCE):
            found += self._some_answers(asked[start : start + _AT_ONCE])
        return found

    def _some_answers(self, asked: Sequence[Message]) -> list[tuple[object, ...]]:
        waiting: dict[int, int] = {}
        found: list[tuple[object, ...]] = [()] * len(asked)
        try:
            for at, message in enumerate(asked):
                serial = next(self._bus.outgoing_serial)
                waiting[serial] = at
                self._bus.send(message, serial=serial)
            while waiting and (left := self._deadline - self._clock.monotonic()) > 0:
                reply = self._bus.receive(timeout=left)
                place = waiting.pop(reply.header.fields.get(HeaderFields.reply_serial, 0), None)
                if place is not None and reply.header.message_type is MessageType.method_return:
                    found[place] = tuple(reply.body)
        except TimeoutError:
            return found
        except (OSError, ConnectionError, ValueError) as error:
            raise ScreenTrouble("the connection to the other programs broke", "broke") from error
        return found


def _asked(
    session: DBusConnection,
    interface: str,
    method: str,
    signature: str = "",
    body: tuple[object, ...] = (),
) -> tuple[object, ...]:
    """Of the session's accessibility service. Raises ValueError when it answers with an error."""
    address = DBusAddress("/org/a11y/bus", "org.a11y.Bus", interface)
    message = new_method_call(address, method, signature or None, body)
    reply = session.send_and_get_reply(message, timeout=_SECONDS)
    if reply.header.message_type is not MessageType.method_return:
        raise ValueError(f"{method}: {reply.body}")
    return tuple(reply.body)


def _call(
    ref: NodeRef, interface: str, method: str, signature: str = "", body: tuple[object, ...] = ()
) -> Message:
    address = DBusAddress(ref.path, ref.bus, f"{_PREFIX}{interface}")
    return new_method_call(address, method, signature or None, body)


def _property(ref: NodeRef, interface: str, name: str) -> Message:
    address = DBusAddress(ref.path, ref.bus, _PROPERTIES)
    return new_method_call(address, "Get", "ss", (interface, name))


def _references(body: tuple[object, ...]) -> list[NodeRef]:
    rows = body[0] if body and isinstance(body[0], list) else []
    return [
        NodeRef(row[0], row[1])
        for row in rows
        if isinstance(row, tuple) and len(row) == 2 and all(isinstance(one, str) for one in row)
    ]


def _text(body: tuple[object, ...]) -> str:
    return body[0] if body and isinstance(body[0], str) else ""


def _variant(body: tuple[object, ...]) -> str:
    value = body[0] if body else None
    return value[1] if isinstance(value, tuple) and isinstance(value[1], str) else ""


def _count(body: tuple[object, ...]) -> int:
    value = body[0] if body else None
    return value[1] if isinstance(value, tuple) and isinstance(value[1], int) else 0


def _states(body: tuple[object, ...]) -> frozenset[str] | None:
    words = body[0] if body else None
    if not isinstance(words, list) or len(words) != 2:
        return None
    bits = int(words[0]) | int(words[1]) << 32
    return frozenset(name for number, name in STATES.items() if bits >> number & 1)


def _box(body: tuple[object, ...]) -> Box:
    numbers = body[0] if body else None
    if isinstance(numbers, tuple) and len(numbers) == 4:
        return Box(*map(int, numbers))
    return Box(0, 0, 0, 0)


def _clip(parent: _Found) -> Box | None:
    """What a child can be seen through."""
    if parent.element.role not in _CLIPPING:
        return parent.clip
    box = parent.element.box
    return box if parent.clip is None else box.common(parent.clip)


def _clipped(element: Element, clip: Box | None) -> Element:
    return element if clip is None else replace(element, box=element.box.common(clip))


def _covered(one: Box, other: Box) -> int:
    common = one.common(other)
    return common.width * common.height
