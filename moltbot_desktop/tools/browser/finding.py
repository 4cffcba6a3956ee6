"""Where a browser of the Chrome family is on this computer. Nothing is ever downloaded.

    for place in places("linux", os.environ): ...        # the first that is there is taken

Chrome first, then Edge, then Chromium: the first two bring what a page may want to play. A browser
out of a snap comes last, because it is not let into the program's folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath

_LINUX = (
    *("google-chrome-stable", "google-chrome", "microsoft-edge-stable", "microsoft-edge"),
    *("chromium", "chromium-browser", "ungoogled-chromium", "brave-browser"),
)
_LINUX_FOLDERS = ("/usr/local/bin", "/usr/bin", "/opt/google/chrome", "/opt/microsoft/msedge")
_SNAP = "/snap/bin"
_MAC = (
    *("Google Chrome.app/Contents/MacOS/Google Chrome",),
    *("Microsoft Edge.app/Contents/MacOS/Microsoft Edge",),
    *("Chromium.app/Contents/MacOS/Chromium", "Brave Browser.app/Contents/MacOS/Brave Browser"),
)
_WINDOWS = (
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"Chromium\Application\chrome.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)


def places(system: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Paths to look at, best first; `system` as in `sys.platform`. Pure."""
    if system == "win32":
        names = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
        folders = dict.fromkeys(environment[name] for name in names if environment.get(name))
        return tuple(str(PureWindowsPath(base) / one) for one in _WINDOWS for base in folders)
    if system == "darwin":
        homes = ("/Applications", f"{environment.get('HOME', '')}/Applications")
        return tuple(str(PurePosixPath(base) / one) for one in _MAC for base in homes)
    searched = [one for one in environment.get("PATH", "").split(":") if one.startswith("/")]
    folders = dict.fromkeys((*searched, *_LINUX_FOLDERS))
    usual = [one for one in folders if not one.startswith(_SNAP)]
    found = (str(PurePosixPath(base) / name) for name in _LINUX for base in usual)
    return (*found, *(f"{_SNAP}/{name}" for name in _LINUX))


def find_browser(
    system: str, environment: Mapping[str, str], is_program: Callable[[Path], bool]
) -> Path | None:
    """The first place where a program is."""
    return next((Path(one) for one in places(system, environment) if is_program(Path(one))), None)
