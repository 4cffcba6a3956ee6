"""UI Automation as Microsoft's documents and comtypes give it, for tests.

    button = Control(50000, "7", can={INVOKE})
    automation = FakeAutomation({77: Control(50032, "Calculator", [button])})
    UiaTrees(clock, popups, automation.begun)

https://learn.microsoft.com/windows/win32/api/uiautomationclient/. Strict: a property that was not
asked for in the cache request is an error, a call from a thread that has not entered COM is
RPC_E_WRONG_THREAD, and so is a second `CoUninitialize`. A method of comtypes' raises COMError with
the HRESULT as a signed number; a NULL pointer is false.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from moltbot_desktop.tools.desktop.uia import Automation

INVOKE, VALUE, EXPAND, SCROLL, SELECT, TOGGLE = 10000, 10002, 10005, 10004, 10010, 10015
GONE, NOT_ENABLED, TIMEOUT = 0x80040201, 0x80040200, 0x80131505
WRONG_THREAD, INVALID = 0x8001010E, 0x80070057
_AVAILABLE = {EXPAND: 30028, INVOKE: 30031, SCROLL: 30034, SELECT: 30036, TOGGLE: 30041,
              VALUE: 30043}  # fmt: skip
_DEFAULTS: Mapping[int, object] = {
    30001: (0.0, 0.0, 0.0, 0.0), 30002: 0, 30003: 50025, 30005: "", 30008: False, 30010: False,
    30019: False, 30022: False, 30045: "", 30046: True, 30070: 3, 30079: False, 30086: 2,
}  # fmt: skip
INTERFACES = {
    name: name
    for name in (
        "IUIAutomationInvokePattern",
        "IUIAutomationSelectionItemPattern",
        "IUIAutomationTogglePattern",
        "IUIAutomationExpandCollapsePattern",
        "IUIAutomationValuePattern",
    )
}


class FakeComError(Exception):
    """comtypes.COMError: hresult, text and details."""

    def __init__(self, code: int) -> None:
        signed = code - (1 << 32) if code >= 1 << 31 else code
        super().__init__(signed, "text", (None,) * 5)


@dataclass
class Control:
    """One control of the pretended program, and what became of it."""

    type: int
    name: str = ""
    children: Sequence[Control] = ()
    can: frozenset[int] | set[int] = frozenset()
    box: tuple[float, float, float, float] = (10.0, 10.0, 50.0, 20.0)
    pid: int = 4711
    more: dict[int, object] = field(default_factory=dict)
    fails: dict[str, int] = field(default_factory=dict)
    """Names of methods and the error each gives."""
    said: list[str] = field(default_factory=list)
    waits: threading.Event | None = None
    forgets: bool = False
    """It takes a text without an error and shows the one from before."""

    def property(self, number: int) -> object:
        own = {30001: self.box, 30002: self.pid, 30003: self.type, 30005: self.name,
               30010: True, 30022: False}  # fmt: skip
        available = {what: pattern in self.can for pattern, what in _AVAILABLE.items()}
        return {**_DEFAULTS, **available, **own, **self.more}[number]


class FakeAutomation:
    def __init__(self, windows: Mapping[int, Control]) -> None:
        self.windows = dict(windows)
        self.asked = 0
        self.inside: set[int] = set()
        """Threads that are in the multithreaded apartment."""
        self.threads: list[int] = []
        self.ended = 0
        self.limits: dict[str, int] = {}

    def begun(self) -> Automation:
        self.threads.append(threading.get_ident())
        self.inside.add(self.threads[-1])
        return Automation(_Client(self), dict(INTERFACES), FakeComError, self._end)

    def check(self) -> None:
        if threading.get_ident() not in self.inside:
            raise FakeComError(WRONG_THREAD)
        self.asked += 1

    def _end(self) -> None:
        self.check()
        self.inside.remove(threading.get_ident())
        self.ended += 1


class _Client:
    def __init__(self, automation: FakeAutomation) -> None:
        object.__setattr__(self, "_it", automation)
        object.__setattr__(self, "ControlViewCondition", "control view")

    def __setattr__(self, name: str, value: int) -> None:
        assert name in ("ConnectionTimeout", "TransactionTimeout")
        self._it.check()
        self._it.limits[name] = value

    def CreateCacheRequest(self) -> _Request:
        self._it.check()
        return _Request(self._it)

    def ElementFromHandleBuildCache(self, handle: int, request: _Request) -> _Element:
        self._it.check()
        if handle not in self._it.windows:
            raise FakeComError(GONE)
        return _Element(self._it, self._it.windows[handle], request)


class _Request:
    def __init__(self, automation: FakeAutomation) -> None:
        self._it = automation
        self.numbers: list[int] = []

    def AddProperty(self, number: int) -> None:
        self._it.check()
        self.numbers.append(number)


class _Element:
    def __init__(self, automation: FakeAutomation, control: Control, request: _Request) -> None:
        self._it = automation
        self._control = control
        self._cached = {number: control.property(number) for number in request.numbers}

    def GetCachedPropertyValue(self, number: int) -> object:
        self._it.check()
        if number not in self._cached:
            raise FakeComError(INVALID)
        return self._cached[number]

    def FindAllBuildCache(self, scope: int, condition: str, request: _Request) -> _Array:
        self._call("FindAllBuildCache")
        assert (scope, condition) == (2, "control view")
        found = [_Element(self._it, one, request) for one in self._control.children]
        return _Array(self._it, found)

    def BuildUpdatedCache(self, request: _Request) -> _Element:
        self._call("BuildUpdatedCache")
        return _Element(self._it, self._control, request)

    def GetCurrentPattern(self, number: int) -> _Unknown | None:
        self._call("GetCurrentPattern")
        return _Unknown(self._it, self._control, number) if number in self._control.can else None

    def _call(self, name: str) -> None:
        self._it.check()
        if self._control.waits is not None:
            self._control.waits.wait(60)
        if name in self._control.fails:
            raise FakeComError(self._control.fails[name])


class _Array:
    """IUIAutomationElementArray."""

    def __init__(self, automation: FakeAutomation, found: Sequence[_Element]) -> None:
        self._it = automation
        self._found = found

    @property
    def Length(self) -> int:
        self._it.check()
        return len(self._found)

    def GetElement(self, at: int) -> _Element:
        self._it.check()
        return self._found[at]


class _Unknown:
    """IUnknown of a pattern."""

    def __init__(self, automation: FakeAutomation, control: Control, number: int) -> None:
        self._parts = automation, control
        self._number = number

    def QueryInterface(self, interface: str) -> Any:
        automation, control = self._parts
        automation.check()
        wanted = {INVOKE: "Invoke", SELECT: "SelectionItem", TOGGLE: "Toggle",
                  EXPAND: "ExpandCollapse", VALUE: "Value"}  # fmt: skip
        assert interface == f"IUIAutomation{wanted[self._number]}Pattern"
        return _Pattern(automation, control)


class _Pattern:
    def __init__(self, automation: FakeAutomation, control: Control) -> None:
        self._it = automation
        self._control = control

    def __getattr__(self, name: str) -> Callable[..., None]:
        def deed(*given: str) -> None:
            self._it.check()
            self._control.said.append(" ".join((name, *given)))
            if name in self._control.fails:
                raise FakeComError(self._control.fails[name])
            if name == "SetValue" and not self._control.forgets:
                self._control.more[30045] = given[0]

        assert name in ("Invoke", "Select", "Toggle", "Expand", "Collapse", "SetValue")
        return deed


OWN = os.getpid()
