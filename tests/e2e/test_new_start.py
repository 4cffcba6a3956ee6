"""Another language, chosen with the keys: the program starts again and speaks it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.desktop.driver import (
    DesktopDriver,
    been_here,
    missing_programs,
    virtual_desktop,
    wait_until,
)
from tests.e2e.program import CHECKOUT

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(missing_programs()), reason=f"needs {missing_programs()}"),
]


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DesktopDriver]:
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    with virtual_desktop(tmp_path) as desktop:
        driver = DesktopDriver(desktop, [sys.executable, "-m", "moltbot_desktop"])
        been_here(driver.home)
        yield driver
        if driver.running:
            driver.kill()


def test_another_language_holds_after_a_new_start_from_the_window(driver: DesktopDriver) -> None:
    driver.start()
    process = driver.pid
    driver.press("ctrl+comma")
    wait_until(lambda: bool(driver.desktop.windows("^Settings – ")), "the settings", 60)
    # The search answers even before the settings are read; from it Tab comes to what it found.
    driver.press("ctrl+f")
    driver.type_text("ui.language")
    file = driver.home / "moltbot.json"

    def chosen() -> bool:
        driver.press("ctrl+f", "Tab", "End", "ctrl+s")
        return file.exists() and "zh" in file.read_text()

    wait_until(chosen, "the language in the file", 60)
    # By now the button stands between the search and the field.
    wait_until(lambda: _pressed(driver), "the window in the other language", 120)
    assert driver.running and driver.pid == process, "whoever waits for the program still does"
    driver.screenshot("settings-after-a-new-start")
    driver.focus()
    assert driver.quit() == 0
    assert "Traceback" not in driver.printed


def _pressed(driver: DesktopDriver) -> bool:
    """Whether the one that came back has its Chinese name. (xdotool finds no Chinese words.)

    While the settings are still being saved there is no button yet, and Tab comes to the field,
    whose list the blank opens: Escape closes it."""
    if driver.desktop.windows("Moltbot Desktop"):
        driver.press("Escape", "ctrl+comma", "ctrl+f", "Tab", "space")
    gone = not driver.desktop.windows("Moltbot Desktop")
    return gone and bool(driver.desktop.windows("Moltbot"))
