"""Where a browser is looked for."""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.tools.browser.finding import find_browser, places


def test_on_linux_chrome_comes_before_edge_before_chromium_and_a_snap_last() -> None:
    environment = {"PATH": "relative:/snap/bin:/home/eve/bin:/usr/bin"}
    found = places("linux", environment)
    assert found[0] == "/home/eve/bin/google-chrome-stable"
    assert found.index("/usr/bin/microsoft-edge") < found.index("/usr/bin/chromium")
    assert all(one.startswith("/") for one in found)
    first_snap = min(found.index(one) for one in found if one.startswith("/snap/"))
    assert all(one.startswith("/snap/") for one in found[first_snap:])


def test_on_windows_the_persons_own_programs_too() -> None:
    environment = {"PROGRAMFILES": r"C:\Program Files", "LOCALAPPDATA": r"C:\Users\Eve\AppData"}
    found = places("win32", environment)
    assert found[0] == r"C:\Program Files\Google\Chrome\Application\chrome.exe"
    assert r"C:\Users\Eve\AppData\Microsoft\Edge\Application\msedge.exe" in found


def test_on_a_mac_both_folders_of_programs() -> None:
    found = places("darwin", {"HOME": "/Users/eve"})
    assert found[0] == "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    assert "/Users/eve/Applications/Chromium.app/Contents/MacOS/Chromium" in found


def test_the_first_that_is_there(tmp_path: Path) -> None:
    there = Path("/usr/bin/chromium")
    assert find_browser("linux", {}, lambda path: path == there) == there
    assert find_browser("linux", {}, lambda _: False) is None
