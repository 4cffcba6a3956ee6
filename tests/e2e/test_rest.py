"""Started with the computer the program waits in the tray, and its assistant is not even loaded."""

from __future__ import annotations

import json
import time
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
from tests.e2e.program import CHECKOUT, Program
from tests.e2e.test_settings import command

pytestmark = pytest.mark.skipif(
    bool(missing_programs()), reason=f"needs a virtual desktop: {missing_programs()}"
)
_A_WHILE_SECONDS = 1.0


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DesktopDriver]:
    """Waits in the tray."""
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    with virtual_desktop(tmp_path) as desktop:
        driver = DesktopDriver(desktop, command("--hidden"))
        been_here(driver.home)
        driver.start(wait_for_window=False)
        wait_until((driver.home / "gateway.sock").exists, "the door of the assistant", 60)
        yield driver
        if driver.running:
            driver.kill()


def is_awake(driver: DesktopDriver) -> bool:
    """Whether the assistant has its thread."""
    tasks = Path(f"/proc/{driver.pid}/task").glob("*/comm")
    return "agent" in [one.read_text("utf-8").strip() for one in tasks]


def rests_on(driver: DesktopDriver) -> bool:
    time.sleep(_A_WHILE_SECONDS)
    return not is_awake(driver)


def test_a_command_in_a_shell_wakes_it_and_is_answered(driver: DesktopDriver) -> None:
    assert rests_on(driver)
    done = Program(driver.home).run("status")
    assert done.returncode == 0, done.stderr
    assert f"process {driver.pid}" in done.stdout and is_awake(driver)
    assert driver.quit() == 0


def test_a_reminder_from_elsewhere_wakes_it(driver: DesktopDriver) -> None:
    asked = Program(driver.home).run("chat", "--local", lines="what is 17 % of 340?\n")
    assert asked.returncode == 0 and "57.8" in asked.stdout, asked.stderr
    assert rests_on(driver), "that left nothing to do"
    said = Program(driver.home).run(
        "chat", "--local", lines="remind me in 3 hours to water the plants\n"
    )
    assert said.returncode == 0, said.stderr
    wait_until(lambda: is_awake(driver), "that the reminder wakes it", 30)
    assert "water the plants" in Program(driver.home).run("ask", "which reminders are set?").stdout
    assert driver.quit() == 0


def test_changed_settings_wake_it_and_hold(driver: DesktopDriver) -> None:
    assert rests_on(driver)
    channel = {"dmPolicy": "allowlist", "allowFrom": ["local"]}
    account = {"build": {"in": str(driver.home / "in"), "out": str(driver.home / "out")}}
    settings = {"channels": {"pipe": {**channel, "accounts": account}}}
    (driver.home / "moltbot.json").write_text(json.dumps(settings), "utf-8")
    wait_until(lambda: is_awake(driver), "that the settings wake it", 30)

    def is_there() -> bool:
        return "build" in Program(driver.home).run("channels", "status").stdout

    wait_until(is_there, "the channel that they have", 60)
    assert driver.quit() == 0


def test_it_ends_from_its_rest(driver: DesktopDriver) -> None:
    assert rests_on(driver)
    assert driver.quit() == 0
    assert not (driver.home / "gateway.sock").exists()
    assert "Traceback" not in driver.printed
