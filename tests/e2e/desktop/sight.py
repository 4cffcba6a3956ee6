"""What a window shows, read as a screen reader reads it: from the accessibility tree.

    with sight_of(desktop) as sight:
        for one in sight.of(driver.pid):
            print(one.role, one.name, one.value)

The desktop's programs have to be started with `TELLING` in their environment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from jeepney import DBusAddress, Message, new_method_call

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.tools.desktop.atspi import AccessibilityTree
from moltbot_desktop.tools.desktop.elements import Element
from tests.e2e.desktop.driver import VirtualDesktop

BUS_LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
TELLING = {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
_CUT = 400


class Sight(AccessibilityTree):
    """Sees all windows of a program, the small ones above the large ones too."""

    def of(self, pid: int) -> tuple[Element, ...]:
        """Everything that shows, the windows themselves among it; () while nothing does."""
        return tuple(one for frame in self._frames(pid) for one in (frame, *self._below(frame)))

    def _with_texts(self, elements: Sequence[Element]) -> tuple[Element, ...]:
        """A conversation is read to its end; what acts on the screen needs less."""
        found = super()._with_texts(elements)
        cut = [one for one in found if len(one.value) >= _CUT]
        bodies = self._answers([_whole_text(one) for one in cut])
        whole = {one.ref: str(body[0]) for one, body in zip(cut, bodies, strict=True) if body}
        return tuple(replace(one, value=whole.get(one.ref, one.value)) for one in found)


def _whole_text(element: Element) -> Message:
    address = DBusAddress(element.ref.path, element.ref.bus, "org.a11y.atspi.Text")
    return new_method_call(address, "GetText", "ii", (0, -1))


@contextmanager
def sight_of(desktop: VirtualDesktop) -> Iterator[Sight]:
    """Eyes for this desktop; the services that its bus started for them end with them."""
    address = desktop.environment["DBUS_SESSION_BUS_ADDRESS"]
    try:
        with patch.dict(os.environ, {"DBUS_SESSION_BUS_ADDRESS": address}):
            sight = Sight.opened(SystemClock(), time.sleep)
        with sight:
            yield sight
    finally:
        end_services_of(address)


def end_services_of(bus: str) -> None:
    """End what the session bus at this address has started."""
    for left in _of_this_bus(bus):
        with suppress(ProcessLookupError):
            os.kill(left, 15)


def _of_this_bus(address: str) -> list[int]:
    mark = f"DBUS_SESSION_BUS_ADDRESS={address}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdecimal() and mark in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return [one for one in found if one != os.getpid()]
