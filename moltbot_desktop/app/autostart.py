"""Started with the computer: an entry of the system's own, written and read back.

    place = autostart_place(sys.platform, os.environ, Path.home())
    state = follow_setting(place, wanted=True, command=start_command(...))
    state is Autostart.ON

Linux: the freedesktop specification "Desktop Application Autostart",
https://specifications.freedesktop.org/autostart-spec/latest/
macOS: launchd.plist(5). Windows: the Run key,
https://learn.microsoft.com/windows/win32/setupapi/run-and-runonce-registry-keys
The last two have been run against the tests' stand-ins only. An entry that the system's own
settings have switched off stays off: that was the owner's hand too.
"""

from __future__ import annotations

import logging
import os
import plistlib
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.storage.bounded import UnfitFile, read_plain
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic

_log = logging.getLogger(__name__)
_NAME = "moltbot-desktop"
_LABEL = "io.github.moltbot_desktop.MoltbotDesktop"
_MOST_BYTES = 65_536
_RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"
_OWN_LINE = "X-Moltbot-Autostart=true"
_OFF_LINES = ("hidden=true", "x-gnome-autostart-enabled=false")


class Autostart(StrEnum):
    """How it stands in the system."""

    ON = "on"
    OFF = "off"
    OFF_THERE = "off-there"
    """There is an entry, and the system's own settings have switched it off."""
    NOT_HERE = "not-here"
    """This system cannot be asked."""


class Place(Protocol):
    """Where a system keeps what is started with it. All methods may raise StorageError."""

    def state(self) -> Autostart: ...

    def put(self, command: Sequence[str]) -> None: ...

    def remove(self) -> None: ...


@dataclass(frozen=True)
class DesktopEntry:
    """``~/.config/autostart/moltbot-desktop.desktop``."""

    file: Path

    def state(self) -> Autostart:
        lines = [line.strip().replace(" ", "").lower() for line in self._text().splitlines()]
        if not lines:
            return Autostart.OFF
        return Autostart.OFF_THERE if any(one in lines for one in _OFF_LINES) else Autostart.ON

    def put(self, command: Sequence[str]) -> None:
        make_private_dir(self.file.parent)
        write_atomic(self.file, desktop_entry(command).encode(), mode=0o644)

    def remove(self) -> None:
        """Only what we have written."""
        if _OWN_LINE in self._text():
            with disk_errors(self.file):
                self.file.unlink(missing_ok=True)

    def _text(self) -> str:
        try:
            return read_plain(self.file, _MOST_BYTES).decode("utf-8", "replace")
        except (FileNotFoundError, NotADirectoryError):
            return ""
        except (OSError, UnfitFile) as error:
            raise StorageError(f"{self.file} cannot be read.") from error


@dataclass(frozen=True)
class LaunchAgent:
    """``~/Library/LaunchAgents/io.github.moltbot_desktop.MoltbotDesktop.plist``; launchd reads it
    at the next login."""

    file: Path

    def state(self) -> Autostart:
        try:
            read = plistlib.loads(read_plain(self.file, _MOST_BYTES))
        except (FileNotFoundError, NotADirectoryError):
            return Autostart.OFF
        except (OSError, UnfitFile, ValueError, plistlib.InvalidFileException) as error:
            raise StorageError(f"{self.file} cannot be read.") from error
        off = not isinstance(read, dict) or read.get("Disabled") is True
        return Autostart.OFF_THERE if off else Autostart.ON

    def put(self, command: Sequence[str]) -> None:
        make_private_dir(self.file.parent)
        entry = {"Label": _LABEL, "ProgramArguments": list(command), "RunAtLoad": True}
        write_atomic(self.file, plistlib.dumps(entry), mode=0o644)

    def remove(self) -> None:
        with disk_errors(self.file):
            self.file.unlink(missing_ok=True)


@dataclass(frozen=True)
class RunKey:
    """A value of the user's Run key. `registry` is the module winreg, or a stand-in."""

    registry: Any

    def state(self) -> Autostart:
        try:
            with self._opened(self.registry.KEY_READ) as key:
                self.registry.QueryValueEx(key, _NAME)
        except FileNotFoundError:
            return Autostart.OFF
        except OSError as error:
            raise StorageError("The registry cannot be read.") from error
        return Autostart.ON

    def put(self, command: Sequence[str]) -> None:
        line = " ".join(f'"{one}"' if " " in one else one for one in command)
        try:
            with self._opened(self.registry.KEY_SET_VALUE) as key:
                self.registry.SetValueEx(key, _NAME, 0, self.registry.REG_SZ, line)
        except OSError as error:
            raise StorageError("The registry cannot be written.") from error

    def remove(self) -> None:
        try:
            with self._opened(self.registry.KEY_SET_VALUE) as key:
                self.registry.DeleteValue(key, _NAME)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError("The registry cannot be written.") from error

    def _opened(self, access: int) -> Any:
        return self.registry.OpenKey(self.registry.HKEY_CURRENT_USER, _RUN_KEY, 0, access)


def autostart_place(platform: str, environment: Mapping[str, str], home: Path) -> Place | None:
    """Where it stands on this system; None where nobody knows."""
    if platform == "darwin":
        return LaunchAgent(home / "Library" / "LaunchAgents" / f"{_LABEL}.plist")
    if platform == "win32":
        import winreg  # noqa: PLC0415 - it is there on Windows alone

        return RunKey(winreg)
    if platform.startswith("linux"):
        named = environment.get("XDG_CONFIG_HOME", "")
        config = Path(named) if named.startswith("/") else home / ".config"
        return DesktopEntry(config / "autostart" / f"{_NAME}.desktop")
    return None


def follow_setting(place: Place | None, *, wanted: bool, command: Sequence[str]) -> Autostart:
    """Let the system do as the setting says; how it stands afterwards, read from the system.

    Raises:
        StorageError: it cannot be read or written.
    """
    if place is None:
        return Autostart.NOT_HERE
    before = place.state()
    if wanted and before is not Autostart.OFF_THERE:
        place.put(command)  # also again: the program may have moved
    elif not wanted and before is not Autostart.OFF:
        place.remove()
    return place.state()


def start_command(environment: Mapping[str, str], home: Path) -> tuple[str, ...]:
    """What starts this very program, hidden in the tray, for this very home."""
    if getattr(sys, "frozen", False):
        program: tuple[str, ...] = (sys.executable,)
    elif found := shutil.which(_NAME):
        program = (found,)
    else:
        program = (sys.executable, "-m", "moltbot_desktop")
    own = environment.get("MOLTBOT_HOME")
    before = ("env", f"MOLTBOT_HOME={home}") if own and os.name == "posix" else ()
    return (*before, *program, "--hidden")


@dataclass
class StartsWithComputer:
    """Follows the setting `ui.autostart`; a system that cannot be asked costs nobody more."""

    paths: Paths
    environment: Mapping[str, str]
    _last: bool | None = None

    def follow(self, wanted: bool) -> Autostart | None:
        """How it stands in the system now; None where nothing changed or nothing could be done."""
        if wanted is self._last:
            return None
        self._last = wanted
        try:
            place = autostart_place(sys.platform, self.environment, self.paths.user_home)
            command = start_command(self.environment, self.paths.home)
            state = follow_setting(place, wanted=wanted, command=command)
        except StorageError as error:
            _log.warning("started with the computer: %s", error.message)
            return None
        _log.info("started with the computer: %s", state)
        return state


def desktop_entry(command: Sequence[str]) -> str:
    """The file's text; arguments quoted as the desktop entry specification wants it."""
    return "\n".join(
        [
            "[Desktop Entry]",
            "Type=Application",
            "Name=Moltbot Desktop",
            f"Exec={' '.join(map(_quoted, command))}",
            # A package that is removed cannot take this file along: without the program it is none.
            f"TryExec={_program_of(command)}",
            f"Icon={_NAME}",
            "Terminal=false",
            "X-GNOME-Autostart-enabled=true",
            _OWN_LINE,
            "",
        ]
    )


def _program_of(command: Sequence[str]) -> str:
    """What is started in the end, not the `env` before it; as the file has a text."""
    named = [one for one in command if one != "env" and not one.startswith("MOLTBOT_HOME=")]
    return named[0].replace("\\", "\\\\")


def _quoted(argument: str) -> str:
    """https://specifications.freedesktop.org/desktop-entry-spec/latest/exec-variables.html"""
    plain = argument.replace("%", "%%")
    if shlex.quote(argument) == argument:
        return plain
    for sign in '\\"`$':
        plain = plain.replace(sign, f"\\{sign}")
    return f'"{plain}"'.replace("\\", "\\\\")
