"""Drives a program on a real X server, as a person would: keys in, pictures and files out.

What a window shows is not read from pixels. A test looks at what the program writes (transcripts,
memory files, its own log) and keeps screenshots for people to look at.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

ARTIFACTS = Path(__file__).parents[2] / "artifacts"
NEEDED = ("Xvfb", "openbox", "trayer", "xdotool", "xprop", "dbus-daemon")
_POLL_SECONDS = 0.05
_TRAY_TRIES = 3
_CLOSE_TRIES = 3
_CLOSE_SECONDS = 10.0
_CLIPBOARD = (
    "import sys; from PySide6.QtGui import QGuiApplication; a = QGuiApplication([]);"
    "a.clipboard().setText(sys.stdin.buffer.read().decode()); print('set', flush=True); a.exec()"
)
_CLIPBOARD_OF_FILES = (
    "import sys; from PySide6.QtCore import QMimeData, QUrl;"
    "from PySide6.QtGui import QGuiApplication; a = QGuiApplication([]); data = QMimeData();"
    "lines = sys.stdin.buffer.read().decode().splitlines();"
    "data.setUrls([QUrl.fromLocalFile(one) for one in lines]);"
    "a.clipboard().setMimeData(data); print('set', flush=True); a.exec()"
)
_GRAB = (
    "import sys; from PySide6.QtWidgets import QApplication; a = QApplication([]);"
    "a.primaryScreen().grabWindow(0).save(sys.argv[1])"
)


def missing_programs() -> list[str]:
    """What a virtual desktop needs and this computer lacks."""
    return [name for name in NEEDED if shutil.which(name) is None]


def wait_until(ready: Callable[[], bool], what: str, seconds: float = 30.0) -> None:
    """Poll `ready`; on time-out an AssertionError says `what` did not happen."""
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, f"not within {seconds:.0f} s: {what}"
        time.sleep(_POLL_SECONDS)


class VirtualDesktop:
    """An X server with a window manager, a tray and a session bus."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)

    def xdotool(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ["xdotool", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def has_window_manager(self) -> bool:
        done = subprocess.run(
            ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        return "window id" in done.stdout

    def answers(self, *arguments: str) -> bool:
        """Whether xdotool finds or knows it."""
        return bool(self.xdotool(*arguments, check=False))

    def screenshot(self, name: str) -> Path:
        """The whole screen as tests/artifacts/`name`.png."""
        ARTIFACTS.mkdir(exist_ok=True)
        file = ARTIFACTS / f"{name}.png"
        environment = {**self.environment, "QT_QPA_PLATFORM": "xcb"}
        subprocess.run(
            [sys.executable, "-c", _GRAB, str(file)], env=environment, check=True, timeout=60
        )
        return file

    def tray_width(self) -> int:
        """Width of the tray in pixels; it grows with its icons."""
        place = self._tray_place()
        return place["WIDTH"]

    def click_tray(self, *, button: int = 1, beside: int = 0) -> None:
        """Click on the tray's only icon; `beside` pixels off its middle, so that two clicks
        after each other are no double click."""
        place = self._tray_place()
        x, y = place["X"] + place["WIDTH"] // 2 + beside, place["Y"] + place["HEIGHT"] // 2
        self.xdotool("mousemove", str(x), str(y), "click", str(button))

    def _tray_place(self) -> dict[str, int]:
        window = self.xdotool("search", "--class", "trayer").split()[-1]
        lines = self.xdotool("getwindowgeometry", "--shell", window).splitlines()
        pairs = (line.split("=") for line in lines)
        return {name: int(value) for name, value in pairs if value.lstrip("-").isdecimal()}

    def windows(self, title: str) -> list[str]:
        """Ids of the visible windows with `title` in their name."""
        found = self.xdotool("search", "--onlyvisible", "--name", title, check=False)
        return found.split()


def been_here(home: Path) -> None:
    """A window was closed in `home` before, so that the program starts with the chat."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "window.ini").touch()


@contextmanager
def virtual_desktop(
    home: Path, *, tray: bool = True, size: tuple[int, int] = (1280, 900)
) -> Iterator[VirtualDesktop]:
    """A desktop of its own, `size` in pixels; `home` becomes HOME of all that runs on it."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("XDG_")},
        "HOME": str(home),
        "MOLTBOT_HOME": str(home / ".moltbot"),
        "QT_QPA_PLATFORM": "xcb",
        "LC_ALL": "C.UTF-8",
    }
    with ExitStack() as stack:
        environment["DISPLAY"] = _start_x_server(stack, size)
        environment["DBUS_SESSION_BUS_ADDRESS"] = _start_bus(stack, environment)
        _start(stack, ["openbox"], environment)
        desktop = VirtualDesktop(environment)
        wait_until(desktop.has_window_manager, "a window manager")
        if tray:
            _start_tray(stack, desktop)
        yield desktop


def _start_tray(stack: ExitStack, desktop: VirtualDesktop) -> None:
    """trayer sometimes gives up on a busy machine; then it is started again."""
    place = ["--edge", "top", "--align", "right", "--widthtype", "request", "--height", "26"]
    for tried in range(1, _TRAY_TRIES + 1):
        _start(stack, ["trayer", *place], desktop.environment)
        try:
            wait_until(lambda: desktop.answers("search", "--class", "trayer"), "a tray host", 10)
        except AssertionError:
            if tried == _TRAY_TRIES:
                raise
        else:
            return


def _start_x_server(stack: ExitStack, size: tuple[int, int]) -> str:
    read_end, write_end = os.pipe()
    # Without -noreset the server starts over whenever its only client leaves, and a window
    # manager that is just connecting is lost.
    screen = f"{size[0]}x{size[1]}x24"
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", screen, "-noreset"]
    process = subprocess.Popen(
        [*command, "-nolisten", "tcp"], pass_fds=[write_end], stderr=subprocess.DEVNULL
    )
    stack.callback(_end, process)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        return f":{pipe.readline().strip()}"


def _start_bus(stack: ExitStack, environment: Mapping[str, str]) -> str:
    process = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    stack.callback(_end, process)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    stack.callback(process.stdout.close)
    return address


def _start(stack: ExitStack, command: Sequence[str], environment: Mapping[str, str]) -> None:
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    stack.callback(_end, process)


def _end(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class DesktopDriver:
    """One run of the program.

    Attributes:
        home: the program's folder (`MOLTBOT_HOME`).
        output: file with what it printed.
    """

    def __init__(
        self, desktop: VirtualDesktop, command: Sequence[str], title: str = "Moltbot"
    ) -> None:
        self.desktop = desktop
        self.home = Path(desktop.environment["MOLTBOT_HOME"])
        self.home.mkdir(parents=True, exist_ok=True)
        self.output = self.home.parent / "output.txt"
        self._title = title
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._clipboard: subprocess.Popen[bytes] | None = None

    def start(self, *, wait_for_window: bool = True) -> None:
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                self._command, env=self.desktop.environment, stdout=output, stderr=output
            )
        if wait_for_window:
            wait_until(lambda: self.window_shown or not self.running, "the window", 60)
            assert self.running, self.printed
            self.focus()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def window_shown(self) -> bool:
        return bool(self.desktop.windows(self._title))

    @property
    def printed(self) -> str:
        return self.output.read_text(encoding="utf-8", errors="replace")

    @property
    def written_down(self) -> str:
        """What it noted of itself: the crash note and the end of its log."""
        files = sorted((self.home / "logs").glob("*"))
        return "\n".join(
            f"{file.name}:\n{file.read_text(encoding='utf-8', errors='replace')[-4000:]}"
            for file in files
            if file.is_file()
        )

    def focus(self) -> None:
        """Give the window the keyboard, and wait until it has it."""
        found: list[str] = []

        def shown() -> bool:
            """xdotool finds nothing at all when a window goes while it looks through them."""
            found[:] = self.desktop.windows(self._title)
            return bool(found)

        wait_until(shown, "the window", 30)
        self.desktop.xdotool("windowactivate", "--sync", found[0])

    def type_text(self, text: str) -> None:
        """Write `text` into what has the keyboard: typed, or pasted where a keyboard has no key.

        xdotool can type Chinese by changing the keyboard's map for each character, but on a busy
        machine the program sees the map of the next one.
        """
        if text.isascii():
            self.desktop.xdotool("type", "--delay", "12", "--", text)
        else:
            self._put_on_clipboard(text)
            self.press("ctrl+v")

    def press(self, *keys: str) -> None:
        """Press keys by their X names: Return, Escape, ctrl+n."""
        self.desktop.xdotool("key", "--clearmodifiers", *keys)

    def close_window(self) -> None:
        """Alt+F4, and wait until the window is gone.

        The key is the window manager's, and one that it takes while it is still arranging the
        window is lost (seen once in some hundred runs): a person would press again.
        """
        wait_until(lambda: self.window_shown, "the window")
        for _ in range(_CLOSE_TRIES):
            self.focus()
            self.press("alt+F4")
            with suppress(AssertionError):
                wait_until(lambda: not self.window_shown, "the window to be gone", _CLOSE_SECONDS)
                return
        raise AssertionError(f"{_CLOSE_TRIES} times Alt+F4, and the window is still there")

    def say(self, text: str) -> None:
        self.type_text(text)
        self.press("Return")

    def screenshot(self, name: str) -> Path:
        return self.desktop.screenshot(name)

    def transcripts(self) -> str:
        """All that the program's transcripts hold by now."""
        files = sorted(self.home.rglob("sessions/*.jsonl"))
        return "\n".join(one.read_text(encoding="utf-8", errors="replace") for one in files)

    def wait_for_transcript(self, text: str, seconds: float = 60.0) -> None:
        """Until `text` stands in a transcript (JSON-escaped Chinese counts too)."""
        escaped = text.encode("ascii", "backslashreplace").decode()
        wait_until(
            lambda: text in (said := self.transcripts()) or escaped in said,
            f"{text!r} in a transcript; it holds:\n{self.transcripts()[-3000:]}",
            seconds,
        )

    def wait_for_output(self, text: str, seconds: float = 30.0) -> None:
        wait_until(lambda: text in self.printed, f"{text!r} printed", seconds)

    def paste_files(self, *paths: Path) -> None:
        """Copied in a file manager, pasted where the focus is."""
        self._put_on_clipboard("\n".join(map(str, paths)), _CLIPBOARD_OF_FILES)
        self.press("ctrl+v")

    def _put_on_clipboard(self, text: str, script: str = _CLIPBOARD) -> None:
        """Somebody must own the clipboard for as long as it is pasted from."""
        self._drop_clipboard()
        owner = subprocess.Popen(
            [sys.executable, "-c", script],
            env=self.desktop.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert owner.stdin is not None
        assert owner.stdout is not None
        owner.stdin.write(text.encode())
        owner.stdin.close()
        assert owner.stdout.readline().strip() == b"set"
        self._clipboard = owner

    def _drop_clipboard(self) -> None:
        if self._clipboard is not None:
            assert self._clipboard.stdout is not None
            self._clipboard.kill()
            self._clipboard.wait()
            self._clipboard.stdout.close()
            self._clipboard = None

    def kill(self) -> None:
        """As a power cut would."""
        self._drop_clipboard()
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def quit(self, seconds: float = 30.0) -> int:
        """Ask it to end, as a log-out would; its exit code."""
        self._drop_clipboard()
        assert self._process is not None
        if self.running:
            self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(
                f"it did not end within {seconds:.0f} s:\n{self.printed}"
            ) from None
