"""`moltbot-desktop settings` beside a running window: the window goes to its settings."""

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


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "moltbot_desktop", *arguments]


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DesktopDriver]:
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    with virtual_desktop(tmp_path) as desktop:
        driver = DesktopDriver(desktop, command())
        been_here(driver.home)
        yield driver
        if driver.running:
            driver.kill()


def test_a_second_start_opens_the_settings_of_the_first(driver: DesktopDriver) -> None:
    driver.start()
    second = DesktopDriver(driver.desktop, command("settings"))
    second.start(wait_for_window=False)
    wait_until(lambda: not second.running, "the second start to end", 60)
    assert second.quit() == 0
    wait_until(lambda: bool(driver.desktop.windows("^Settings – ")), "the settings", 60)
    driver.screenshot("settings-on-a-desktop")
    driver.focus()
    assert driver.quit() == 0
    assert "Traceback" not in driver.printed
