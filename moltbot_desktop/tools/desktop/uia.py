"""Controls through UI Automation: the one file that touches comtypes. Written to Microsoft's
documents and driven by a stand-in made of them; never run on Windows yet.

    trees = UiaTrees(clock, begin_automation)
    with trees.opened(pause) as tree:
        tree.window(window)

All of it happens on a thread of its own, in the multithreaded apartment and without windows, as
https://learn.microsoft.com/windows/win32/winauto/uiauto-threading asks; a program that hangs costs
`_TRANSACTION_MS` a request and `_LONGEST` in all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.tools.desktop.elements import Element, NodeRef
from moltbot_desktop.tools.desktop.one_thread import OneThread
from moltbot_desktop.tools.desktop.system import OpenWindow, Pause, Tree
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble, changed
from moltbot_desktop.tools.desktop.uia_records import (
    PROPERTIES,
    Deed,
    Record,
    deed_of,
    record_of,
    takes_text,
    told,
)
from moltbot_desktop.tools.desktop.walking import LIMITS, Told, seen_below

_CLIENT = "{e22ad333-b25f-460c-83d0-0581107395c9}"
"""CUIAutomation8, which has IUIAutomation2 and its time limits."""
_CONNECTION_MS = 1_500
_TRANSACTION_MS = 3_000
_LONGEST = 12.0
_WAKING_SECONDS = 2.5
"""Browsers tell nothing before somebody asked, and then need a moment."""
_POLL_SECONDS = 0.2
_CHILDREN = 2
_VALUE_PATTERN = 10002
_VALUE_INTERFACE = "IUIAutomationValuePattern"
_MULTITHREADED = 0
_GONE = 0x80040201
_NOT_ENABLED = 0x80040200
_UNSIGNED = 0xFFFFFFFF

Popups = Callable[[OpenWindow], Sequence[int]]
"""Handles of the menus and lists that stand open over a window; they are windows of their own."""


@dataclass(frozen=True)
class Automation:
    """What comtypes gives: the client, its interfaces by name, and what its calls raise."""

    client: Any
    interfaces: Mapping[str, Any]
    error: type[Exception]
    end: Callable[[], None]


class UiaTrees:
    """One for the program."""

    def __init__(
        self,
        clock: Clock,
        popups: Popups,
        begin: Callable[[], Automation] | None = None,
    ) -> None:
        self._clock = clock
        self._popups = popups
        self._thread: OneThread[_Looking] = OneThread(
            "accessibility",
            lambda: _Looking((begin or _begun)(), clock),
            lambda looking: looking.let_go(),
        )
        self._woken: set[int] = set()

    @contextmanager
    def opened(self, pause: Pause) -> Iterator[Tree]:
        yield _Tree(self, pause)

    def close(self) -> None:
        self._thread.close()

    def window(self, window: OpenWindow, pause: Pause) -> tuple[Element, ...]:
        """Its elements; a program that tells nothing at first is given a moment, once."""
        until = self._clock.monotonic() + _WAKING_SECONDS
        while True:
            found = self._look(window)
            known = window.pid in self._woken
            if any(one.usable for one in found) or known or self._clock.monotonic() >= until:
                self._woken.add(window.pid)
                return found
            pause(_POLL_SECONDS)

    def _look(self, window: OpenWindow) -> tuple[Element, ...]:
        handles = (window.id, *self._popups(window))
        return self._thread.call(lambda it: it.window(window, handles), _LONGEST)

    def again(self, element: Element) -> Element | None:
        return self._thread.call(lambda it: it.again(element), _LONGEST)

    def press(self, element: Element) -> bool:
        return self._thread.call(lambda it: it.press(element), _LONGEST)

    def put(self, element: Element, text: str) -> bool:
        return self._thread.call(lambda it: it.put(element, text), _LONGEST)


class _Tree:
    """Implements `system.Tree`."""

    def __init__(self, trees: UiaTrees, pause: Pause) -> None:
        self._trees = trees
        self._pause = pause

    def window(self, window: OpenWindow) -> tuple[Element, ...]:
        return self._trees.window(window, self._pause)

    def again(self, element: Element) -> Element | None:
        return self._trees.again(element)

    def press(self, element: Element) -> bool:
        return self._trees.press(element)

    def put(self, element: Element, text: str) -> bool:
        return self._trees.put(element, text)


class _Looking:
    """On that thread: requests, and the controls of the last look."""

    def __init__(self, automation: Automation, clock: Clock) -> None:
        self.automation = automation
        client = automation.client
        client.ConnectionTimeout = _CONNECTION_MS
        client.TransactionTimeout = _TRANSACTION_MS
        self._clock = clock
        self._all = client.ControlViewCondition
        self._request = client.CreateCacheRequest()
        for number in PROPERTIES:
            self._request.AddProperty(number)
        self._looks = count(1)
        self._kept: dict[NodeRef, Any] = {}
        self._own = os.getpid()

    def let_go(self) -> None:
        """Of every object, before the thread leaves COM."""
        end = self.automation.end
        self._kept.clear()
        del self.automation, self._request, self._all
        end()

    def window(self, window: OpenWindow, handles: Sequence[int]) -> tuple[Element, ...]:
        look = f"{next(self._looks)}"
        end = self._clock.monotonic() + LIMITS.seconds
        self._kept.clear()
        found: list[Element] = []
        for at, handle in enumerate(handles):
            client = self.automation.client
            native = self._asked(client.ElementFromHandleBuildCache, handle, self._request)
            if not native:
                continue
            root = self._told(native, look)
            if root is not None:
                area = window.box if at == 0 else None
                found += seen_below(
                    root,
                    area,
                    lambda parent: self._children(parent, look),
                    LIMITS,
                    lambda: self._clock.monotonic() >= end,
                )
        return tuple(found)

    def again(self, element: Element) -> Element | None:
        record = self._now(element)
        return None if record is None else told(record, element.ref).element

    def press(self, element: Element) -> bool:
        record = self._now(element)
        if record is None:
            raise changed("it is gone; observe again")
        deed = deed_of(record)
        if deed is None:
            return False
        pattern = self._pattern(element, abs(deed.value), _INTERFACES[deed])
        if pattern is None:
            return False
        acts = {
            Deed.INVOKE: lambda: pattern.Invoke(),
            Deed.SELECT: lambda: pattern.Select(),
            Deed.TOGGLE: lambda: pattern.Toggle(),
            Deed.EXPAND: lambda: pattern.Expand(),
            Deed.COLLAPSE: lambda: pattern.Collapse(),
        }
        try:
            acts[deed]()
        except self.automation.error as error:
            if _code(error) == _NOT_ENABLED:
                raise changed("it cannot be pressed now; observe again") from error
            # A button that closes its window, or opens a dialog and waits, has been pressed all
            # the same; a click on top would press twice. The next look shows what came of it.
        return True

    def put(self, element: Element, text: str) -> bool:
        record = self._now(element)
        if record is None or not takes_text(record):
            return False
        pattern = self._pattern(element, _VALUE_PATTERN, _VALUE_INTERFACE)
        if pattern is None:
            return False
        try:
            pattern.SetValue(text)
        except self.automation.error:
            return False
        now = self._now(element)
        return now is not None and now.value == text[: len(now.value)] and bool(now.value)

    # ------------------------------------------------------------------ requests

    def _children(self, parent: Told, look: str) -> list[Told]:
        native = self._kept[parent.element.ref]
        found = self._asked(native.FindAllBuildCache, _CHILDREN, self._all, self._request)
        length = self._asked(lambda: found.Length) if found else 0
        children = []
        for at in range(min(length or 0, LIMITS.children)):
            child = self._asked(found.GetElement, at)
            one = self._told(child, look) if child else None
            if one is not None:
                children.append(one)
        return children

    def _told(self, native: Any, look: str) -> Told | None:
        """None for what is ours, and for what does not tell."""
        record = self._record(native)
        if record is None or record.process == self._own:
            return None
        ref = NodeRef("uia", f"{look}/{len(self._kept)}")
        self._kept[ref] = native
        return told(record, ref)

    def _now(self, element: Element) -> Record | None:
        """Raises ScreenTrouble when it belongs to this program."""
        native = self._kept.get(element.ref)
        if native is None:
            return None
        fresh = self._asked(native.BuildUpdatedCache, self._request)
        record = self._record(fresh) if fresh else None
        if record is not None and record.process == self._own:
            raise ScreenTrouble("that is this assistant's own window; never press it", "own")
        return record

    def _record(self, native: Any) -> Record | None:
        values: dict[int, object] = {}
        for number in PROPERTIES:
            try:
                values[number] = native.GetCachedPropertyValue(number)
            except self.automation.error as error:
                if _code(error) == _GONE:
                    return None
        return record_of(values)

    def _pattern(self, element: Element, number: int, interface: str) -> Any | None:
        native = self._kept[element.ref]
        found = self._asked(native.GetCurrentPattern, number)
        if not found:
            return None
        wanted = self.automation.interfaces[interface]
        return self._asked(found.QueryInterface, wanted)

    def _asked(self, ask: Callable[..., Any], *arguments: object) -> Any:
        """None where the program does not answer, or not in time."""
        try:
            return ask(*arguments)
        except self.automation.error:
            return None


_INTERFACES: Mapping[Deed, str] = {
    Deed.INVOKE: "IUIAutomationInvokePattern",
    Deed.SELECT: "IUIAutomationSelectionItemPattern",
    Deed.TOGGLE: "IUIAutomationTogglePattern",
    Deed.EXPAND: "IUIAutomationExpandCollapsePattern",
    Deed.COLLAPSE: "IUIAutomationExpandCollapsePattern",
}


def _code(error: Exception) -> int:
    """comtypes gives an HRESULT as a signed number, the first of its arguments."""
    number = error.args[0] if error.args else 0
    return number & _UNSIGNED if isinstance(number, int) else 0


def _begun() -> Automation:
    """On the thread that keeps it."""
    # comtypes' own way to be told which apartment the thread that imports it first enters.
    told = vars(sys)
    before = told.get("coinit_flags")
    told["coinit_flags"] = _MULTITHREADED
    try:
        import comtypes  # noqa: PLC0415 - Windows alone has it; importing it enters COM
        import comtypes.client  # noqa: PLC0415 - the same
    except (ImportError, OSError) as error:
        raise _no_automation() from error
    finally:
        del told["coinit_flags"]
        if before is not None:
            told["coinit_flags"] = before
    try:
        comtypes.CoInitializeEx(_MULTITHREADED)
        module = comtypes.client.GetModule("UIAutomationCore.dll")
        client = comtypes.client.CreateObject(_CLIENT, interface=module.IUIAutomation2)
        names = {*_INTERFACES.values(), _VALUE_INTERFACE}
        interfaces = {name: getattr(module, name) for name in names}
    except (OSError, AttributeError, comtypes.COMError) as error:
        raise _no_automation() from error
    return Automation(client, interfaces, comtypes.COMError, comtypes.CoUninitialize)


def _no_automation() -> ScreenTrouble:
    return ScreenTrouble("UI Automation does not start here", "no_automation")
