"""The desktop program on a real X server with a window manager and a tray."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.desktop.driver import (
    DesktopDriver,
    VirtualDesktop,
    missing_programs,
    virtual_desktop,
    wait_until,
)

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(bool(missing_programs()), reason=f"needs {missing_programs()}"),
]


Program = Callable[..., DesktopDriver]


class _Programs:
    """Makes drivers of the program; what still runs at the end is killed."""

    def __init__(self, desktop: VirtualDesktop, checkout: Path) -> None:
        desktop.environment["PYTHONPATH"] = str(checkout)
        self._desktop = desktop
        self._made: list[DesktopDriver] = []

    def make(self, *options: str) -> DesktopDriver:
        home = self._desktop.environment["MOLTBOT_HOME"]
        command = [sys.executable, "-m", "tests.fakes.desktop_program", home, *options]
        self._made.append(DesktopDriver(self._desktop, command))
        return self._made[-1]

    def close(self) -> None:
        for driver in self._made:
            if driver.running:
                driver.kill()


@pytest.fixture
def program(tmp_path: Path, checkout: Path) -> Iterator[Program]:
    with (
        virtual_desktop(tmp_path) as desktop,
        closing(_Programs(desktop, checkout)) as programs,
    ):
        yield programs.make


def test_keys_go_in_and_a_signal_ends_it_cleanly(program: Program) -> None:
    driver = program()
    driver.start()
    driver.wait_for_output("ready")
    driver.say("hello from outside")
    driver.wait_for_output("heard hello from outside")
    driver.say("你好，世界")
    driver.wait_for_output("heard 你好，世界")
    driver.screenshot("desktop-light-en")
    driver.say("wait")
    driver.wait_for_output("heard wait")
    driver.press("Escape")
    driver.wait_for_output("stopped")
    assert driver.quit() == 0
    assert driver.printed.endswith("assistant ended\n")


def test_a_second_start_shows_the_first_and_ends(program: Program) -> None:
    first = program("dark", "zh")
    first.start()
    first.wait_for_output("ready")
    first.say("remind")
    first.wait_for_output("heard remind")
    first.screenshot("desktop-dark-zh")
    # Closing goes into the tray.
    first.close_window()
    assert first.running
    second = program()
    second.start(wait_for_window=False)
    wait_until(lambda: not second.running, "the second to end")
    assert second.quit() == 0
    wait_until(lambda: first.window_shown, "the window to be raised")
    assert first.quit() == 0


def test_a_click_on_the_tray_icon_hides_and_shows_the_window(program: Program) -> None:
    driver = program()
    driver.start()
    driver.wait_for_output("ready")
    wait_until(lambda: driver.desktop.tray_width() > 20, "the icon in the tray")
    driver.desktop.click_tray(beside=-7)
    wait_until(lambda: not driver.window_shown, "the window to hide")
    driver.desktop.click_tray(beside=7)
    wait_until(lambda: driver.window_shown, "the window to come back")
    driver.desktop.click_tray(button=3)
    driver.screenshot("tray-menu")
    assert driver.quit() == 0


def test_ctrl_q_quits(program: Program) -> None:
    driver = program()
    driver.start()
    driver.wait_for_output("ready")
    driver.press("ctrl+q")
    wait_until(lambda: not driver.running, "the end")
    assert driver.quit() == 0


def test_an_assistant_that_breaks_leaves_the_window_and_a_report(program: Program) -> None:
    driver = program()
    driver.start()
    driver.wait_for_output("ready")
    driver.say("crash")
    driver.wait_for_output("report ValueError('asked to crash')")
    assert driver.window_shown
    driver.screenshot("desktop-problem")
    assert driver.quit() == 1


def test_without_a_tray_closing_minimises(tmp_path: Path, checkout: Path) -> None:
    with (
        virtual_desktop(tmp_path, tray=False) as desktop,
        closing(_Programs(desktop, checkout)) as programs,
    ):
        first = programs.make()
        first.start()
        first.wait_for_output("ready")
        first.close_window()
        assert first.running
        second = programs.make()
        second.start(wait_for_window=False)
        wait_until(lambda: not second.running, "the second to end")
        assert second.quit() == 0
        wait_until(lambda: first.window_shown, "the window to come back")
        assert first.quit() == 0
