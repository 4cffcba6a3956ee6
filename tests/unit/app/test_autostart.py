"""Started with the computer: what the system's own entry says is what is told."""

from __future__ import annotations

import plistlib
from contextlib import contextmanager
from pathlib import Path

import pytest

from moltbot_desktop.app.autostart import (
    Autostart,
    DesktopEntry,
    LaunchAgent,
    RunKey,
    StartsWithComputer,
    autostart_place,
    desktop_entry,
    follow_setting,
    start_command,
)
from moltbot_desktop.app.paths import Paths

COMMAND = ("/opt/my programs/moltbot-desktop", "--hidden")


class Registry:
    """What of winreg is used; its contract:
    https://docs.python.org/3/library/winreg.html"""

    HKEY_CURRENT_USER, KEY_READ, KEY_SET_VALUE, REG_SZ = "hkcu", 1, 2, 1

    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    @contextmanager
    def OpenKey(self, root: str, path: str, reserved: int, access: int):
        assert (root, reserved) == (self.HKEY_CURRENT_USER, 0)
        assert path.endswith(r"CurrentVersion\Run")
        yield access

    def QueryValueEx(self, key: int, name: str):
        assert key == self.KEY_READ
        if name not in self.values:
            raise FileNotFoundError(name)
        return self.values[name], self.REG_SZ

    def SetValueEx(self, key: int, name: str, reserved: int, kind: int, value: str) -> None:
        assert key == self.KEY_SET_VALUE
        self.values[name] = value

    def DeleteValue(self, key: int, name: str) -> None:
        if name not in self.values:
            raise FileNotFoundError(name)
        del self.values[name]


@pytest.mark.parametrize("kind", ["linux", "macos", "windows"])
def test_on_and_off_are_read_back_from_the_system(tmp_path: Path, kind: str) -> None:
    place = {
        "linux": DesktopEntry(tmp_path / "autostart" / "moltbot-desktop.desktop"),
        "macos": LaunchAgent(tmp_path / "LaunchAgents" / "assistant.plist"),
        "windows": RunKey(Registry()),
    }[kind]
    assert place.state() is Autostart.OFF
    assert follow_setting(place, wanted=False, command=COMMAND) is Autostart.OFF
    assert follow_setting(place, wanted=True, command=COMMAND) is Autostart.ON
    assert follow_setting(place, wanted=True, command=COMMAND) is Autostart.ON
    assert follow_setting(place, wanted=False, command=COMMAND) is Autostart.OFF


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled = false"])
def test_one_that_the_system_switched_off_stays_off(tmp_path: Path, line: str) -> None:
    """https://specifications.freedesktop.org/autostart-spec/latest/ : Hidden; GNOME's own key."""
    file = tmp_path / "moltbot-desktop.desktop"
    written = desktop_entry(COMMAND).replace("X-GNOME-Autostart-enabled=true", line)
    file.write_text(written, encoding="utf-8")
    place = DesktopEntry(file)
    assert follow_setting(place, wanted=True, command=COMMAND) is Autostart.OFF_THERE
    assert file.read_text(encoding="utf-8") == written


def test_an_entry_of_the_owners_own_is_left(tmp_path: Path) -> None:
    file = tmp_path / "moltbot-desktop.desktop"
    file.write_text("[Desktop Entry]\nExec=moltbot-desktop\n", encoding="utf-8")
    assert follow_setting(DesktopEntry(file), wanted=False, command=COMMAND) is Autostart.ON
    assert file.exists()


def test_the_entry_starts_what_is_meant() -> None:
    """https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html"""
    lines = desktop_entry(("/opt/a b/x", "50%", 'say "hi"')).splitlines()
    assert r'Exec="/opt/a b/x" 50%% "say \\"hi\\""' in lines
    assert "TryExec=/opt/a b/x" in lines


def test_the_entry_is_none_where_the_program_is_gone() -> None:
    at_a_home = ("env", "MOLTBOT_HOME=/home/a", r"/opt/a\b/moltbot-desktop", "--hidden")
    assert r"TryExec=/opt/a\\b/moltbot-desktop" in desktop_entry(at_a_home).splitlines()


def test_the_command_keeps_the_home(tmp_path: Path) -> None:
    assert start_command({}, tmp_path)[-1] == "--hidden"
    own = start_command({"MOLTBOT_HOME": str(tmp_path)}, tmp_path)
    assert own[:2] == ("env", f"MOLTBOT_HOME={tmp_path}")


def test_the_mac_gets_arguments_and_no_line(tmp_path: Path) -> None:
    file = tmp_path / "x.plist"
    LaunchAgent(file).put(COMMAND)
    read = plistlib.loads(file.read_bytes())
    assert read["ProgramArguments"] == list(COMMAND)
    assert read["RunAtLoad"] is True


def test_where_it_stands() -> None:
    home = Path("/home/ada")
    config = autostart_place("linux", {"XDG_CONFIG_HOME": "/cfg"}, home)
    assert config == DesktopEntry(Path("/cfg/autostart/moltbot-desktop.desktop"))
    usual = autostart_place("linux", {"XDG_CONFIG_HOME": "relative"}, home)
    assert usual == DesktopEntry(home / ".config/autostart/moltbot-desktop.desktop")
    assert isinstance(autostart_place("darwin", {}, home), LaunchAgent)
    assert autostart_place("plan9", {}, home) is None
    assert follow_setting(None, wanted=True, command=COMMAND) is Autostart.NOT_HERE


@pytest.mark.expect_log
def test_a_system_that_cannot_be_asked_costs_nothing(tmp_path: Path, checkout: Path) -> None:
    (tmp_path / ".config" / "autostart" / "moltbot-desktop.desktop").mkdir(parents=True)
    starting = StartsWithComputer(Paths(tmp_path / ".moltbot", tmp_path, checkout), {})
    assert starting.follow(True) is None
    assert starting.follow(True) is None  # and is not asked again
