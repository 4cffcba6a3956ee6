"""The icon and its menu where the desktop draws them itself, over a real session bus.

KDE, Xfce and others are told about icons and menus over D-Bus; what stands there is Qt's doing, so
only the whole program shows whether each line is there, says what it is, and does what it says.
"""

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
from tests.e2e.program import CHECKOUT, Program
from tests.fakes.tray_host import Item, tray_host

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(missing_programs()), reason=f"needs {missing_programs()}"),
]
_SEAL = "Let nothing leave this computer"
_PAUSE = "Do nothing by yourself"


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DesktopDriver]:
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    with virtual_desktop(tmp_path, tray=False) as desktop:
        made = DesktopDriver(desktop, [sys.executable, "-m", "moltbot_desktop"])
        been_here(made.home)
        yield made
        if made.running:
            made.kill()


@pytest.fixture
def item(driver: DesktopDriver) -> Iterator[Item]:
    """The program's icon; the program is ready to be used."""
    with tray_host(driver.desktop.environment["DBUS_SESSION_BUS_ADDRESS"]) as host:
        driver.start()
        found = host.item()
        wait_until(lambda: found.line(_SEAL).enabled, "an assistant behind the menu", 60)
        yield found


def test_the_menu_is_told_whole_and_says_what_is_on(item: Item) -> None:
    labels = item.labels()
    for label in ("Open chat", "New chat", "Quick question", _PAUSE, _SEAL, "Settings", "Quit"):
        assert labels.count(label) == 1, labels
    assert labels[-1] == "Quit"
    assert not item.line("No reminders set").enabled  # it only tells
    assert item.line(_SEAL).checked is False
    pauses = [one.label for one in item.line(_PAUSE).below]
    assert pauses == ["For one hour", "Until tomorrow morning", "Until I say so"]
    told = item.properties()
    assert told["Status"] in ("Active", "NeedsAttention")
    assert told["IconPixmap"] or told["IconName"]
    assert "Moltbot" in str(told["ToolTip"])


def test_a_switch_in_the_menu_switches_and_shows_how_it_stands(
    driver: DesktopDriver, item: Item
) -> None:
    item.press(_SEAL)
    wait_until(lambda: item.line(_SEAL).checked is True, "a closed seal", 60)
    wait_until(lambda: "Sealed: nothing leaves this computer" in item.labels(), "its words", 60)
    assert "Sealed" in str(item.properties()["ToolTip"])
    told = Program(driver.home).run("network", "list", "--json")
    assert told.returncode == 0 and '"sealed": true' in told.stdout.lower(), told.stdout


def test_what_loosens_is_asked_about_and_nothing_is_loosened_before(
    driver: DesktopDriver, item: Item
) -> None:
    item.press(_SEAL)
    wait_until(lambda: item.line(_SEAL).checked is True, "a closed seal", 60)
    item.press(_SEAL)
    wait_until(lambda: bool(driver.desktop.windows("Offline seal")), "a question", 60)
    assert item.line(_SEAL).checked is True
    told = Program(driver.home).run("network", "list", "--json")
    assert '"sealed": true' in told.stdout.lower()


def test_a_pause_is_taken_from_the_menu_below_and_ended_in_the_menu(item: Item) -> None:
    item.press(_PAUSE, "Until I say so")
    wait_until(lambda: "Go on (paused)" in item.labels(), "the pause", 60)
    assert _PAUSE not in item.labels()
    item.press("Go on (paused)")
    wait_until(lambda: _PAUSE in item.labels(), "the end of the pause", 60)


def test_the_icon_hides_and_shows_the_window_and_the_menu_opens_and_quits(
    driver: DesktopDriver, item: Item
) -> None:
    item.click()
    wait_until(lambda: not driver.window_shown, "no window", 60)
    item.press("Open chat")
    wait_until(lambda: driver.window_shown, "the window", 60)
    item.press("Quit")
    wait_until(lambda: not driver.running, "its end", 60)
    assert driver.quit() == 0, driver.printed
