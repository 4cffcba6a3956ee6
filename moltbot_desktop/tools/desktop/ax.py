"""Controls through the accessibility of macOS: the one file that touches ApplicationServices.
Written to Apple's documents and driven by a stand-in made of them; never run on macOS yet.

    trees = AxTrees(clock, services)
    with trees.opened(pause) as tree:
        tree.window(window)

https://developer.apple.com/documentation/applicationservices/axuielement_h. The owner has to allow
it: System Settings, Privacy & Security, Accessibility. All of it happens on one thread; a program
that hangs costs `_MESSAGE_SECONDS` a message and `_LONGEST` in all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count, islice
from typing import Any, TypeVar

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.ax_records import (
    ATTRIBUTES,
    CHILDREN,
    PLACE,
    RAISE,
    SIZE,
    Record,
    action_of,
    record_of,
    told,
    with_names,
)
from moltbot_desktop.tools.desktop.elements import Element, NodeRef
from moltbot_desktop.tools.desktop.one_thread import OneThread
from moltbot_desktop.tools.desktop.system import OpenWindow, Pause, Tree
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble, changed
from moltbot_desktop.tools.desktop.walking import LIMITS, Told, seen_below

R = TypeVar("R")

_MESSAGE_SECONDS = 1.5
_LONGEST = 12.0
_WAKING_SECONDS = 2.5
_POLL_SECONDS = 0.2
_MOST_WINDOWS = 60
_NEAR = 4
"""Points by which the two ways to ask for a window's place may differ."""
_POINT, _SIZE = 1, 2
_DONE, _INVALID, _NO_ANSWER, _NOT_ALLOWED = 0, -25202, -25204, -25211
_PROMPT = "AXTrustedCheckOptionPrompt"


class AxTrees:
    """One for the program."""

    def __init__(self, clock: Clock, load: Callable[[], Any] | None = None) -> None:
        self._clock = clock
        self._thread: OneThread[_Looking] = OneThread(
            "accessibility", lambda: _Looking((load or _loaded)(), clock), lambda _: None
        )
        self._woken: set[int] = set()

    @contextmanager
    def opened(self, pause: Pause) -> Iterator[Tree]:
        """Raises ScreenTrouble when the owner has not allowed it."""
        self.check_allowed()
        yield _Tree(self, pause)

    def check_allowed(self) -> None:
        """Raises ScreenTrouble with where to allow it."""
        self.ask(lambda it: it.check_allowed())

    def close(self) -> None:
        self._thread.close()

    def titles(self, pid: int) -> tuple[tuple[str, Box], ...]:
        """Of the windows of `pid`; the window server tells them only to who may take pictures."""
        return self.ask(lambda it: it.titles(pid))

    def bring(self, window: OpenWindow) -> None:
        self.ask(lambda it: it.bring(window))

    def front(self) -> int:
        """The process that gets the keys; 0 when nobody knows."""
        return self.ask(lambda it: it.front())

    def window(self, window: OpenWindow, pause: Pause) -> tuple[Element, ...]:
        """Its elements; a program that tells nothing at first is given a moment, once."""
        until = self._clock.monotonic() + _WAKING_SECONDS
        while True:
            found = self.ask(lambda it: it.window(window))
            known = window.pid in self._woken
            if any(one.usable for one in found) or known or self._clock.monotonic() >= until:
                self._woken.add(window.pid)
                return found
            self.ask(lambda it: it.wake(window.pid))
            pause(_POLL_SECONDS)

    def ask(self, work: Callable[[_Looking], R]) -> R:
        return self._thread.call(work, _LONGEST)


class _Tree:
    """Implements `system.Tree`."""

    def __init__(self, trees: AxTrees, pause: Pause) -> None:
        self._trees = trees
        self._pause = pause

    def window(self, window: OpenWindow) -> tuple[Element, ...]:
        return self._trees.window(window, self._pause)

    def again(self, element: Element) -> Element | None:
        return self._trees.ask(lambda it: it.again(element))

    def press(self, element: Element) -> bool:
        return self._trees.ask(lambda it: it.press(element))

    def put(self, element: Element, text: str) -> bool:
        return self._trees.ask(lambda it: it.put(element, text))


class _Looking:
    """On that thread: messages, and the controls of the last look.

    `services` is PyObjC's ApplicationServices: a function that fills something in gives it after
    the error code, and is passed None for it.
    """

    def __init__(self, services: Any, clock: Clock) -> None:
        self._ax = services
        self._clock = clock
        self._everything = services.AXUIElementCreateSystemWide()
        services.AXUIElementSetMessagingTimeout(self._everything, _MESSAGE_SECONDS)
        self._looks = count(1)
        self._kept: dict[NodeRef, Any] = {}
        self._own = os.getpid()
        self._prompted = False

    def check_allowed(self) -> None:
        if self._ax.AXIsProcessTrusted():
            return
        if not self._prompted:
            self._prompted = True  # macOS shows its own window once, with a button that leads there
            self._ax.AXIsProcessTrustedWithOptions({_PROMPT: True})
        raise ScreenTrouble("macOS does not allow this program to use others", "mac_control")

    def window(self, window: OpenWindow) -> tuple[Element, ...]:
        look = str(next(self._looks))
        end = self._clock.monotonic() + LIMITS.seconds
        self._kept.clear()
        program = self._ax.AXUIElementCreateApplication(window.pid)
        roots: list[tuple[Any, Box | None]] = [(self._window_of(program, window), window.box)]
        if window.in_front:
            roots.append((self._value(program, "AXMenuBar"), None))
        found: list[Element] = []
        for native, area in roots:
            root = self._told(native, look) if native is not None else None
            if root is not None:
                found += seen_below(
                    root,
                    area,
                    lambda parent: self._children(parent, look),
                    LIMITS,
                    lambda: self._clock.monotonic() >= end,
                )
        return with_names(found)

    def again(self, element: Element) -> Element | None:
        record = self._now(element)
        if record is None:
            return None
        now = told(record, element.ref).element
        # A row's name is what is written in it, which is not asked again.
        return now if now.name or not element.name else replace(now, name=element.name)

    def press(self, element: Element) -> bool:
        record = self._now(element)
        if record is None:
            raise changed("it is gone; observe again")
        native = self._kept[element.ref]
        error, offered = self._ax.AXUIElementCopyActionNames(native, None)
        names = [one for one in _items(offered) if isinstance(one, str)] if error == _DONE else []
        action = action_of(record, names)
        if not action:
            return False
        error = self._ax.AXUIElementPerformAction(native, action)
        self._refuse_not_allowed(error)
        if error == _INVALID:
            raise changed("it is gone; observe again")
        # No answer in time is what a dialog that waits gives: Apple says the action may have been
        # done all the same. A click on top would press twice.
        return error in (_DONE, _NO_ANSWER)

    def put(self, element: Element, text: str) -> bool:
        record = self._now(element)
        if record is None or not element.writable or not element.readable:
            return False
        native = self._kept[element.ref]
        error, settable = self._ax.AXUIElementIsAttributeSettable(native, "AXValue", None)
        if error != _DONE or not settable:
            return False
        if self._ax.AXUIElementSetAttributeValue(native, "AXValue", text) != _DONE:
            return False
        now = self._now(element)
        return now is not None and bool(now.value) and now.value == text[: len(now.value)]

    def titles(self, pid: int) -> tuple[tuple[str, Box], ...]:
        program = self._ax.AXUIElementCreateApplication(pid)
        found = (self._record(one) for one in self._windows(program))
        return tuple((one.name, one.box) for one in found if one is not None)

    def bring(self, window: OpenWindow) -> None:
        program = self._ax.AXUIElementCreateApplication(window.pid)
        native = self._window_of(program, window)
        if native is not None:
            self._ax.AXUIElementPerformAction(native, RAISE)
        self._ax.AXUIElementSetAttributeValue(program, "AXFrontmost", True)

    def front(self) -> int:
        program = self._value(self._everything, "AXFocusedApplication")
        return self._pid(program) if program is not None else 0

    def wake(self, pid: int) -> None:
        """Chromium and what is made with it tell of themselves once they are asked to."""
        program = self._ax.AXUIElementCreateApplication(pid)
        self._ax.AXUIElementSetAttributeValue(program, "AXManualAccessibility", True)

    # ------------------------------------------------------------------ messages

    def _window_of(self, program: Any, window: OpenWindow) -> Any | None:
        """The one that lies where the window server says; nothing tells its number."""
        best, native = (False, -1), None
        for one in self._windows(program):
            record = self._record(one)
            if record is not None:
                common = record.box.common(window.box)
                fit = (near(record.box, window.box), common.width * common.height)
                if fit > best:
                    best, native = fit, one
        return native

    def _windows(self, program: Any) -> list[Any]:
        return list(islice(_items(self._value(program, "AXWindows")), _MOST_WINDOWS))

    def _children(self, parent: Told, look: str) -> list[Told]:
        native = self._kept.get(parent.element.ref)
        found: list[Any] = []
        for name in CHILDREN:
            found = list(islice(_items(self._value(native, name)), LIMITS.children))
            if found:
                break
        told = (self._told(one, look) for one in found)
        return [one for one in told if one is not None]

    def _told(self, native: Any, look: str) -> Told | None:
        """None for what is ours, and for what does not tell."""
        record = self._record(native)
        if record is None or self._pid(native) == self._own:
            return None
        ref = NodeRef("ax", f"{look}/{len(self._kept)}")
        self._kept[ref] = native
        return told(record, ref)

    def _now(self, element: Element) -> Record | None:
        """Raises ScreenTrouble when it belongs to this program."""
        native = self._kept.get(element.ref)
        if native is None:
            return None
        if self._pid(native) == self._own:
            raise ScreenTrouble("that is this assistant's own window; never press it", "own")
        return self._record(native)

    def _record(self, native: Any) -> Record | None:
        """All in one message; an attribute that is not there comes as an error in its place."""
        error, values = self._ax.AXUIElementCopyMultipleAttributeValues(
            native, list(ATTRIBUTES), 0, None
        )
        self._refuse_not_allowed(error)
        told = list(_items(values)) if error == _DONE else []
        if len(told) != len(ATTRIBUTES):
            return None
        found = dict(zip(ATTRIBUTES, told, strict=True))
        found[PLACE] = self._pair(found[PLACE], _POINT, "x", "y")
        found[SIZE] = self._pair(found[SIZE], _SIZE, "width", "height")
        return record_of(found)

    def _pair(self, value: Any, kind: int, first: str, second: str) -> tuple[float, float] | None:
        try:
            right, pair = self._ax.AXValueGetValue(value, kind, None)
        except (TypeError, ValueError):
            return None  # no AXValue at all
        return (getattr(pair, first), getattr(pair, second)) if right else None

    def _value(self, native: Any, name: str) -> Any | None:
        error, value = self._ax.AXUIElementCopyAttributeValue(native, name, None)
        self._refuse_not_allowed(error)
        return value if error == _DONE else None

    def _pid(self, native: Any) -> int:
        error, pid = self._ax.AXUIElementGetPid(native, None)
        return pid if error == _DONE and isinstance(pid, int) else 0

    def _refuse_not_allowed(self, error: int) -> None:
        if error == _NOT_ALLOWED:
            raise ScreenTrouble("macOS does not allow this program to use others", "mac_control")


def near(one: Box, other: Box) -> bool:
    """Whether both ways to ask mean the same window."""
    gaps = (one.x - other.x, one.y - other.y, one.width - other.width, one.height - other.height)
    return max(map(abs, gaps)) <= _NEAR


def _items(value: Any) -> Sequence[Any]:
    """Of an array, which PyObjC gives as a sequence of its own."""
    if value is None or isinstance(value, str | bytes):
        return ()
    try:
        return [value[at] for at in range(min(len(value), LIMITS.nodes))]
    except (TypeError, IndexError, KeyError):
        return ()


def _loaded() -> Any:
    try:
        import ApplicationServices  # noqa: PLC0415 - macOS alone has it, and it takes long
    except ImportError as error:
        raise ScreenTrouble("PyObjC does not start here", "no_automation") from error
    return ApplicationServices
