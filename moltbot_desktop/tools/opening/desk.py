"""Who opens things on this computer, and how they are told: Linux, macOS and Windows.

    desk = desk_here(os.environ, home)
    desk.no_screen()                        # nothing can be shown here
    desk.opener_of("text/plain")            # Opener("Mousepad", ...); None when nobody does
    desk.start((*opener.words, "/home/…/a.pdf"))

Linux is tried on a real desktop; the other two are written after their documentation and have not
been seen to work.
"""

from __future__ import annotations

import contextlib
import locale
import shutil
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.tools.opening.entries import Entry, entries, matching

_QUESTION_SECONDS = 3
_START_SECONDS = 2
"""A launcher that has not failed by then has started something."""
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("browser", "web browser", "internet", "浏览器", "网页浏览器"), "https"),
    **dict.fromkeys(("mail", "email", "e-mail", "mail program", "邮件", "邮箱"), "mailto"),
    **dict.fromkeys(("files", "file manager", "文件管理器", "文件夹"), "inode/directory"),
    **dict.fromkeys(("text editor", "editor", "文本编辑器", "记事本"), "text/plain"),
}
"""Programs that people call by what they are for."""
_NOT_OURS = ("LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "QT_PLUGIN_PATH")
"""Set by a frozen program for itself; another program breaks over them."""


class OpenFailed(ToolError):
    """The system's own launcher said no."""


@dataclass(frozen=True)
class Opener:
    """Who would open something.

    Attributes:
        name: for the person; "" where the system does not say.
        words: what starts it; the address or path comes after them.
        mark: what it is, to the letter: a change of it is another opener.
    """

    name: str
    words: tuple[str, ...]
    mark: str = ""


@dataclass(frozen=True)
class Start:
    """A program that would be started, and with which words; `shown` is for the person."""

    name: str
    shown: str
    words: tuple[str, ...]


class Desk(Protocol):
    """Blocks; for worker threads."""

    def no_screen(self) -> bool:
        """Whether nothing can be shown here."""
        ...

    def opener_of(self, kind: str) -> Opener | None:
        """Who opens a media type, or ``x-scheme-handler/…``; None when nobody does."""
        ...

    def programs(self, name: str) -> Sequence[Start]:
        """The programs that `name` may mean."""
        ...

    def start(self, words: Sequence[str]) -> None:
        """Raises OpenFailed."""
        ...


@dataclass
class _Started:
    """What was started and may still run; the ended ones are fetched at the next start, so that
    none stays a zombie for long."""

    environment: Mapping[str, str]
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, words: Sequence[str]) -> None:
        with self._lock:
            self._running = [one for one in self._running if one.poll() is None]
            child = subprocess.Popen(
                list(words),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=clean_environment(self.environment),
                start_new_session=True,
            )
            self._running.append(child)
        with contextlib.suppress(subprocess.TimeoutExpired):
            if status := child.wait(_START_SECONDS):
                raise OpenFailed(f"the system's launcher ended with {status}")


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What another program is started with: ours, without what was set for this one alone."""
    kept = {name: value for name, value in environment.items() if name not in _NOT_OURS}
    before = {one: environment[f"{one}_ORIG"] for one in _NOT_OURS if f"{one}_ORIG" in environment}
    return kept | before


@dataclass(frozen=True)
class LinuxDesk:
    """`data`: the folders that hold ``applications``, the person's own first."""

    environment: Mapping[str, str]
    data: tuple[Path, ...]
    _started: _Started

    def no_screen(self) -> bool:
        screen = self.environment.get("DISPLAY") or self.environment.get("WAYLAND_DISPLAY")
        return not screen or not (self._tool("gio") or self._tool("gtk-launch"))

    def opener_of(self, kind: str) -> Opener | None:
        entry = self._default(kind)
        if entry is None:
            return None
        # Not xdg-open, which tries others when this one fails: what the card names is started.
        return Opener(entry.name, self._start_of(entry).words, entry.command)

    def programs(self, name: str) -> Sequence[Start]:
        kind = _KINDS.get(name.casefold().strip())
        usual = self._default(_as_type(kind)) if kind else None
        found = [usual] if usual else matching(self._entries().values(), name)
        return [self._start_of(one) for one in found]

    def start(self, words: Sequence[str]) -> None:
        self._started.start(words)

    def _start_of(self, entry: Entry) -> Start:
        launcher = self._tool("gio")
        words = (
            (launcher, "launch", str(entry.path))
            if launcher
            else (self._tool("gtk-launch") or "gtk-launch", entry.id)
        )
        return Start(entry.name, f"{entry.command} ({entry.path})", words)

    def _entries(self) -> dict[str, Entry]:
        return entries((one / "applications" for one in self.data), _locale(self.environment))

    def _default(self, kind: str) -> Entry | None:
        asks = self._tool("xdg-mime")
        if asks is None:
            return None
        try:
            answer = subprocess.run(
                [asks, "query", "default", kind],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_QUESTION_SECONDS,
                env=clean_environment(self.environment),
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        name = answer.stdout.decode("utf-8", "replace").strip().split(";")[0]
        return self._entries().get(name) if name else None

    def _tool(self, name: str) -> str | None:
        return shutil.which(name, path=self.environment.get("PATH"))


@dataclass(frozen=True)
class MacDesk:
    """macOS: ``open`` asks Launch Services, and says what it thinks of a file that came from the
    internet before it runs anything."""

    _started: _Started

    def no_screen(self) -> bool:
        return False

    def opener_of(self, kind: str) -> Opener | None:
        del kind
        return Opener("", ("/usr/bin/open", "--"))

    def programs(self, name: str) -> Sequence[Start]:
        folders = (
            Path("/Applications"),
            Path("/System/Applications"),
            Path.home() / "Applications",
        )
        asked = name.casefold().strip()
        kinds = ("*.app", "*/*.app")
        paths = (one for folder in folders for kind in kinds for one in folder.glob(kind))
        return [
            Start(one.stem, str(one), ("/usr/bin/open", "-a", str(one)))
            for one in paths
            if one.stem.casefold() == asked
        ]

    def start(self, words: Sequence[str]) -> None:
        self._started.start(words)


@dataclass(frozen=True)
class WindowsDesk:
    """Windows: the shell opens what it is given as a double click would; programs are found in the
    Start menu."""

    environment: Mapping[str, str]
    _started: _Started

    def no_screen(self) -> bool:
        return False

    def opener_of(self, kind: str) -> Opener | None:
        del kind
        return Opener("", ("rundll32.exe", "url.dll,FileProtocolHandler"))

    def programs(self, name: str) -> Sequence[Start]:
        menu = Path("Microsoft", "Windows", "Start Menu", "Programs")
        roots = [self.environment.get(one) for one in ("ProgramData", "APPDATA")]
        folders = [Path(one) / menu for one in roots if one]
        asked = name.casefold().strip()
        links = (one for folder in folders for one in sorted(folder.rglob("*.lnk"))[:1_000])
        return [
            Start(one.stem, str(one), ("explorer.exe", str(one)))
            for one in links
            if one.stem.casefold() == asked
        ]

    def start(self, words: Sequence[str]) -> None:
        self._started.start(words)


def desk_here(
    environment: Mapping[str, str], user_home: Path, platform: str = sys.platform
) -> Desk:
    """The one of this computer."""
    started = _Started(environment)
    if platform == "win32":
        return WindowsDesk(environment, started)
    if platform == "darwin":
        return MacDesk(started)
    own = environment.get("XDG_DATA_HOME") or str(user_home / ".local" / "share")
    shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    data = tuple(Path(one) for one in (own, *shared.split(":")) if Path(one).is_absolute())
    return LinuxDesk(environment, data, started)


def _as_type(kind: str) -> str:
    return kind if "/" in kind else f"x-scheme-handler/{kind}"


def _locale(environment: Mapping[str, str]) -> str:
    told = (environment.get(one) for one in ("LC_ALL", "LC_MESSAGES", "LANG"))
    return next((one for one in told if one), None) or locale.getlocale()[0] or ""
