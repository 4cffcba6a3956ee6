"""ApplicationServices as Apple's documents and PyObjC give it, for tests.

    services = FakeServices({4711: [Native("AXWindow", [Native("AXButton", AXTitle="7")])]})
    AxTrees(clock, lambda: services)

https://developer.apple.com/documentation/applicationservices/axuielement_h. PyObjC gives what a C
function fills in after its result, and wants None in its place:
https://pyobjc.readthedocs.io/en/latest/core/intro.html. Strict: the number of arguments and that
None are checked, AXValueGetValue takes nothing but an AXValue.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

OK, INVALID, CANNOT_COMPLETE, ACTION_UNSUPPORTED = 0, -25202, -25204, -25206
ATTRIBUTE_UNSUPPORTED, DISABLED, NO_VALUE = -25205, -25211, -25212
OWN = os.getpid()


@dataclass
class Point:
    x: float
    y: float


@dataclass
class Size:
    width: float
    height: float


@dataclass
class AxValue:
    """AXValueRef: 1 a point, 2 a size, 5 an error."""

    kind: int
    value: object


class Array:
    """NSArray: no list, but with a length and items."""

    def __init__(self, items: Sequence[object]) -> None:
        self._items = list(items)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, at: int) -> object:
        return self._items[at]


class Native:
    """AXUIElementRef of a control of the pretended program, and what became of it."""

    def __init__(
        self,
        role: str,
        children: Sequence[Native] = (),
        *,
        box: tuple[float, float, float, float] = (10, 10, 50, 20),
        actions: Sequence[str] = (),
        pid: int = 4711,
        **more: object,
    ) -> None:
        x, y, width, height = box
        self.attributes: dict[str, object] = {
            "AXRole": role,
            "AXEnabled": True,
            "AXChildren": Array(children),
            "AXPosition": AxValue(1, Point(x, y)),
            "AXSize": AxValue(2, Size(width, height)),
            **more,
        }
        self.actions = list(actions)
        self.pid = pid
        self.settable = False
        self.error = OK
        """What every message gives."""
        self.action_error = OK
        self.said: list[object] = []

    def place(self, x: float, y: float) -> None:
        self.attributes["AXPosition"] = AxValue(1, Point(x, y))


class FakeServices:
    def __init__(self, programs: dict[int, list[Native]], front: int = 4711) -> None:
        self.trusted = True
        self.prompts = 0
        self.timeouts: list[tuple[object, float]] = []
        self.programs = {
            pid: Native("AXApplication", pid=pid, AXWindows=Array(windows))
            for pid, windows in programs.items()
        }
        self.everything = Native("", AXFocusedApplication=self.programs.get(front))
        self.asleep: Callable[[], None] | None = None

    def AXIsProcessTrusted(self) -> bool:
        return self.trusted

    def AXIsProcessTrustedWithOptions(self, options: dict[str, bool]) -> bool:
        assert options == {"AXTrustedCheckOptionPrompt": True}
        self.prompts += 1
        return self.trusted

    def AXUIElementCreateSystemWide(self) -> Native:
        return self.everything

    def AXUIElementCreateApplication(self, pid: int) -> Native:
        """There is always one, also for a process that is not there."""
        gone = Native("", pid=pid)
        gone.error = INVALID
        return self.programs.get(pid, gone)

    def AXUIElementSetMessagingTimeout(self, native: Native, seconds: float) -> int:
        self.timeouts.append((native, seconds))
        return OK

    def AXUIElementCopyAttributeValue(self, native: Native, name: str, out: None) -> Any:
        assert out is None
        if not self.trusted or native.error:
            return (native.error or DISABLED, None)
        value = native.attributes.get(name)
        return (OK, value) if value is not None else (NO_VALUE, None)

    def AXUIElementCopyMultipleAttributeValues(
        self, native: Native, names: list[str], options: int, out: None
    ) -> Any:
        assert (options, out) == (0, None)
        if not self.trusted or native.error:
            return (native.error or DISABLED, None)
        missing = AxValue(5, ATTRIBUTE_UNSUPPORTED)
        return (OK, Array([native.attributes.get(name, missing) for name in names]))

    def AXUIElementGetPid(self, native: Native, out: None) -> tuple[int, int]:
        assert out is None
        return (OK, native.pid)

    def AXUIElementCopyActionNames(self, native: Native, out: None) -> Any:
        assert out is None
        return (native.error, None) if native.error else (OK, Array(native.actions))

    def AXUIElementPerformAction(self, native: Native, action: str) -> int:
        if action not in native.actions:
            return ACTION_UNSUPPORTED
        native.said.append(action)
        return native.action_error

    def AXUIElementIsAttributeSettable(self, native: Native, name: str, out: None) -> Any:
        assert (name, out) == ("AXValue", None)
        return (OK, native.settable)

    def AXUIElementSetAttributeValue(self, native: Native, name: str, value: object) -> int:
        native.said.append((name, value))
        if name == "AXManualAccessibility" and self.asleep is not None:
            self.asleep()
        if native.action_error == OK:
            native.attributes[name] = value
        return native.action_error

    def AXValueGetValue(self, value: object, kind: int, out: None) -> tuple[bool, object]:
        assert out is None
        if not isinstance(value, AxValue):
            raise ValueError("no AXValueRef")
        return (True, value.value) if value.kind == kind else (False, None)
