"""The quick question on a real X server: by its key, by a shell, by a link."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from moltbot_desktop.qt.doorbell import ring
from moltbot_desktop.qt.wishes import TOGGLE, wish_of_link
from tests.e2e.desktop.driver import DesktopDriver, missing_programs, virtual_desktop, wait_until
from tests.gui.test_real_desktop import _Programs

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(bool(missing_programs()), reason=f"needs {missing_programs()}"),
]
LAY = """
from PySide6.QtCore import QCoreApplication
from moltbot_desktop.qt.chord import parse_chord
from moltbot_desktop.qt.hotkeys.x11 import lay_x11_key
application = QCoreApplication([])
print(lay_x11_key(parse_chord("Ctrl+Alt+Space"), lambda: None), flush=True)
"""
TITLE = "^Quick question$"


@pytest.fixture
def driver(tmp_path: Path, checkout: Path) -> Iterator[DesktopDriver]:
    with (
        virtual_desktop(tmp_path) as desktop,
        closing(_Programs(desktop, checkout)) as programs,
    ):
        made = programs.make("hotkey")
        made.start()
        made.wait_for_output("ready")
        yield made


def is_taken(driver: DesktopDriver) -> bool:
    """What another program is told that wants the same key."""
    done = subprocess.run(
        [sys.executable, "-c", LAY],
        env=driver.desktop.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.strip() == "taken"


def shown(driver: DesktopDriver) -> bool:
    return bool(driver.desktop.windows(TITLE))


def comes_up(driver: DesktopDriver) -> None:
    """It is there, and the keys go to it."""
    wait_until(lambda: shown(driver), "the quick question", 60)
    window = driver.desktop.windows(TITLE)[0]
    driver.desktop.xdotool("windowactivate", "--sync", window)


def test_the_key_of_the_desktop(driver: DesktopDriver) -> None:
    wait_until(lambda: is_taken(driver), "the key to be laid", 120)
    driver.press("ctrl+alt+space")
    comes_up(driver)
    driver.say("what is this?")
    driver.wait_for_output("heard what is this?")
    driver.screenshot("quick-ask")
    driver.press("Escape")
    wait_until(lambda: not shown(driver), "it to be gone")
    assert driver.quit() == 0


def test_a_shell_and_a_link(driver: DesktopDriver) -> None:
    driver.close_window()
    assert ring(driver.home, TOGGLE)
    comes_up(driver)
    driver.press("Escape")
    wait_until(lambda: not shown(driver), "it to be gone")
    assert ring(driver.home, wish_of_link("moltbot://ask?text=from%20a%20link"))
    comes_up(driver)
    assert "heard" not in driver.printed  # a link sends nothing: the owner does
    driver.press("Return")
    driver.wait_for_output("heard from a link")
    driver.type_text("more of it")
    driver.press("ctrl+Return")
    wait_until(lambda: not shown(driver), "it to be gone")
    wait_until(lambda: bool(driver.desktop.windows("Moltbot Desktop")), "the chat")
    assert driver.quit() == 0
