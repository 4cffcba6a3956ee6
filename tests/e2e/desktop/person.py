"""Somebody in front of the program: reads what it shows, presses, types, and tells what went wrong.

    with a_person(home, title="first day") as person:
        with person.step("says something"):
            person.driver.say("What is 6 times 7?")
            person.reads("42")

A step that fails leaves a picture of the screen in tests/artifacts, and says its name and what the
window showed. MOLTBOT_JOURNEY_PICTURES=1 keeps a picture of every step, to be looked at.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from moltbot_desktop.tools.desktop.elements import Element
from tests.e2e.desktop.driver import DesktopDriver, missing_programs, virtual_desktop, wait_until
from tests.e2e.desktop.sight import BUS_LAUNCHER, TELLING, Sight, sight_of
from tests.e2e.program import CHECKOUT

MISSING = [*missing_programs(), *([] if BUS_LAUNCHER.exists() else ["at-spi2-core"])]
"""What a person's desktop needs and this computer lacks."""
PATIENCE_SECONDS = 90.0
_ANOTHER_PRESS_SECONDS = 3.0
_ALL_PICTURES = bool(os.environ.get("MOLTBOT_JOURNEY_PICTURES"))


class Person:
    """Waits for what should show, as long as a busy machine may need.

    Attributes:
        driver: the program and its keys.
    """

    def __init__(self, driver: DesktopDriver, sight: Sight, title: str) -> None:
        self.driver = driver
        self._sight = sight
        self._title = title
        self._steps = 0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """What is done next, for whoever reads of its failure."""
        self._steps += 1
        picture = f"journey-{self._title}-{self._steps:02}"
        try:
            yield
        except Exception as error:
            file = self.driver.screenshot(picture)
            shown = "\n".join(self._told(one) for one in self._looks() if one.name)
            raise AssertionError(
                f"step {self._steps}, “{name}”: {error}\nSee {file}. It showed:\n{shown}\n"
                f"It printed:\n{self.driver.printed[-2000:]}\n"
                f"It wrote down:\n{self.driver.written_down}"
            ) from error
        if _ALL_PICTURES:
            self.driver.screenshot(picture)

    # ------------------------------------------------------------------ eyes

    def sees(self, words: str, role: str = "") -> Element:
        """Wait until something whose name begins with `words` shows (a part of it may be
        scrolled away); what it is.

        Args:
            role: as AT-SPI calls it, "" for any.
        """
        found: list[Element] = []

        def shows() -> bool:
            found[:] = self._named(words, role)
            return bool(found)

        wait_until(shows, f"{words!r} to be seen", PATIENCE_SECONDS)
        return found[0]

    def shows(self, words: str, role: str = "") -> Element | None:
        """What is called so just now, if anything."""
        return next(iter(self._named(words, role)), None)

    def reads(self, *words: str) -> str:
        """Wait until one text has all the `words` in it, in a name or in what is written there."""
        found: list[str] = []

        def shows() -> bool:
            texts = [text for one in self._looks() for text in (one.name, one.value)]
            found[:] = [one for one in texts if all(word in one for word in words)]
            return bool(found)

        wait_until(shows, f"{words} to be read", PATIENCE_SECONDS)
        return found[0]

    def reads_like(self, pattern: re.Pattern[str]) -> re.Match[str]:
        """Wait until a text, in a name or in what is written there, has something like that."""
        found: list[re.Match[str]] = []

        def shows() -> bool:
            texts = (text for one in self._looks() for text in (one.name, one.value))
            found[:] = [match for text in texts if (match := pattern.search(text))]
            return bool(found)

        wait_until(shows, f"{pattern.pattern!r} to be read", PATIENCE_SECONDS)
        return found[0]

    def is_on(self, words: str) -> None:
        """Wait until the keyboard is with what is called so."""
        wait_until(
            lambda: any("focused" in one.states for one in self._named(words, "")),
            f"{words!r} to have the keyboard",
            PATIENCE_SECONDS,
        )

    def _named(self, words: str, role: str) -> list[Element]:
        return [
            one for one in self._looks() if one.name.startswith(words) and role in ("", one.role)
        ]

    def _looks(self) -> tuple[Element, ...]:
        return self._sight.of(self.driver.pid) if self.driver.running else ()

    def _told(self, one: Element) -> str:
        return f"  {one.role} {one.name[:120]!r} {one.value[-300:]!r}"

    # ------------------------------------------------------------------ hands

    def presses(self, words: str, role: str = "") -> None:
        """Click on what is called so, once it stands still."""
        before: list[Element] = []

        def stands_still() -> bool:
            found = [one for one in self._named(words, role) if not one.box.empty]
            still = bool(found) and [one.box for one in found] == [one.box for one in before]
            before[:] = found
            return still

        wait_until(stands_still, f"{words!r} to be pressed", PATIENCE_SECONDS)
        x, y = before[0].box.centre
        self.driver.desktop.xdotool("mousemove", str(x), str(y), "click", "1")

    def presses_until(self, words: str, done: Callable[[], bool]) -> None:
        """Press what does not take a press in its first moment, again while it is there."""

        def tried() -> bool:
            if done():
                return True
            if any(not one.box.empty for one in self._named(words, "push button")):
                self.presses(words, "push button")
            try:
                wait_until(done, words, _ANOTHER_PRESS_SECONDS)
            except AssertionError:
                return False
            return True

        wait_until(tried, f"what {words!r} is for", PATIENCE_SECONDS)

    def goes(self, keys: str, title: str) -> None:
        """To a place by its keys; it is there when the window is called so."""
        self.driver.press(keys)
        self.sees(title, "frame")

    def puts(self, words: str, text: str) -> None:
        """Write `text` into the field that is called so, in place of what stood there."""
        self.presses(words, "text")
        self.driver.press("ctrl+a")
        self.driver.type_text(text)

    def says(self, text: str, *answer: str) -> None:
        """Tell the assistant, and read the answer."""
        self.driver.say(text)
        self.reads(text, *answer)


@contextmanager
def a_person(home: Path, title: str) -> Iterator[Person]:
    """Starts nothing yet: the program's home may be filled first, then `driver.start()`."""
    environment = {"PYTHONPATH": str(CHECKOUT), **TELLING}
    with (
        patch.dict(os.environ, environment),
        virtual_desktop(home) as desktop,
        sight_of(desktop) as sight,
    ):
        driver = DesktopDriver(desktop, [sys.executable, "-m", "moltbot_desktop"])
        yield Person(driver, sight, title)
        if driver.running:
            driver.kill()
