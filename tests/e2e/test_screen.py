"""The assistant works in other programs on a real X server: it asks, is seen, and can be stopped.

A scripted model says what to do; everything else is the real program, and the cards are answered
with the mouse.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.desktop.driver import (
    DesktopDriver,
    been_here,
    missing_programs,
    virtual_desktop,
    wait_until,
)
from tests.e2e.desktop.sight import BUS_LAUNCHER, TELLING, end_services_of
from tests.e2e.program import CHECKOUT
from tests.fakes.screen_program import LETTER

MISSING = [
    *missing_programs(),
    *(one for one in ("galculator", "mousepad") if shutil.which(one) is None),
    *([] if BUS_LAUNCHER.exists() else ["at-spi2-core"]),
]
pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {MISSING}"),
]


class Screen:
    """The program beside others on one screen."""

    def __init__(self, driver: DesktopDriver, stack: ExitStack) -> None:
        self.driver = driver
        self._stack = stack

    def start(self, *command: str, title: str) -> None:
        process = subprocess.Popen(
            command,
            env=self.driver.desktop.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._stack.callback(_end, process)
        wait_until(lambda: bool(self.driver.desktop.windows(title)), f"the window of {command}")

    def say(self, text: str) -> None:
        self.driver.focus()
        self.driver.say(text)

    def allow(self, term: str = "for this task") -> None:
        """Answer the card that is shown, with the mouse."""
        self._click(term)
        self._click("Allow")

    def allow_once(self) -> None:
        """Answer a card that offers no more: keys and clicks, once words of others are there."""
        self._click("Allow this once")

    def shows(self, words: str) -> None:
        wait_until(lambda: bool(self._places(words)), words)

    def _click(self, button: str) -> None:
        found: list[str] = []

        def stands_still() -> bool:
            before, found[:] = found[:], self._places(button)
            return bool(found) and found == before

        wait_until(stands_still, f"the button {button!r}")
        # A card takes no answer in its first moments, nor right after a click of the assistant's.
        time.sleep(1.0)
        self.driver.desktop.xdotool("mousemove", *found[0].split(), "click", "1")

    def _places(self, button: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", _FIND, str(self.driver.pid), button],
            env=self.driver.desktop.environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return done.stdout.splitlines()


_FIND = """
import sys, time
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.atspi import AccessibilityTree
with AccessibilityTree.opened(SystemClock(), time.sleep) as tree:
    for one in tree.window(int(sys.argv[1]), "Moltbot Desktop", Box(0, 0, 1280, 900)):
        if one.name.startswith(sys.argv[2]) and not one.box.empty:
            print(*one.box.centre)
"""


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


@pytest.fixture
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    for name, value in TELLING.items():
        monkeypatch.setenv(name, value)
    been_here(tmp_path / ".moltbot")
    with virtual_desktop(tmp_path) as desktop, ExitStack() as stack:
        command = [sys.executable, "-m", "tests.fakes.screen_program"]
        driver = DesktopDriver(desktop, command)
        driver.start()
        yield Screen(driver, stack)
        if driver.running:
            driver.kill()
        end_services_of(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])


def test_it_calculates_by_numbers_after_a_yes(screen: Screen) -> None:
    screen.start("galculator", title="galculator")
    screen.say("sum")
    screen.allow()  # to look, while nothing of others is in the conversation
    screen.shows("Press in “galculator”: button “1”, button “2”, button “*”")
    screen.driver.screenshot("screen-card-banner-marks")
    screen.allow_once()  # and to act, now that the words of a window are
    screen.driver.wait_for_transcript("6 text: “408”")
    wait_until(lambda: not banner(screen), "the banner to go with the task")
    assert screen.driver.quit() == 0
    assert "Traceback" not in screen.driver.printed


def test_chinese_is_written_into_an_editor_and_saved(screen: Screen, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("")
    screen.start("mousepad", str(letter), title="letter.txt")
    screen.say("letter")
    screen.allow()
    screen.shows("Type into")
    screen.driver.screenshot("screen-card-type")
    screen.allow_once()
    screen.shows("Press keys in")
    screen.allow_once()
    wait_until(lambda: letter.read_text() == LETTER, "the saved letter")
    assert screen.driver.quit() == 0


def test_the_owners_key_stops_it(screen: Screen) -> None:
    screen.start("galculator", title="galculator")
    screen.say("busy")
    screen.allow()
    wait_until(lambda: banner(screen), "the banner")
    screen.driver.screenshot("screen-banner")
    screen.driver.press("shift+Escape")
    wait_until(lambda: not banner(screen), "the banner to go")
    screen.driver.wait_for_transcript('"cancelled"')
    assert screen.driver.quit() == 0


def banner(screen: Screen) -> bool:
    """Whether the screen is marked as used; its window has a name though no manager frames it."""
    found = screen.driver.desktop.xdotool(
        "search", "--onlyvisible", "--pid", str(screen.driver.pid), check=False
    )
    tree = screen.driver.desktop.xdotool
    return any(
        "Moltbot is using" in tree("getwindowname", one, check=False) for one in found.split()
    )
