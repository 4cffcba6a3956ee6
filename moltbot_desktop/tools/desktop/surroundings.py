"""Whether the screen can be seen and used here, from the environment; pure.

    why_not("linux", os.environ)         # "" or the key of a sentence in `texts`

Windows and macOS always have a screen; what they do not allow shows when it is used. Under Wayland
pictures and clicks would silently reach only the windows of old programs, which is
worse than a plain no.
"""

from __future__ import annotations

from collections.abc import Mapping


def why_not(platform: str, environment: Mapping[str, str]) -> str:
    """The key of the reason in `texts.PHRASES`; "" when it can."""
    if platform in ("win32", "darwin"):
        return ""
    if not platform.startswith("linux"):
        return "other_system"
    wayland = environment.get("XDG_SESSION_TYPE", "").lower() == "wayland"
    if wayland or environment.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "" if environment.get("DISPLAY") else "no_display"


def needed(platform: str) -> tuple[str, ...]:
    """The modules that the screen is used with there."""
    match platform:
        case "win32":
            return ("pyautogui", "mss", "comtypes")
        case "darwin":
            return ("pyautogui", "mss", "ApplicationServices", "Quartz", "AppKit")
        case _:
            return ("pyautogui", "mss", "jeepney", "Xlib")


def missing_library(platform: str) -> str:
    """The key of the sentence with the line that installs what is missing."""
    return "no_library_windows" if platform == "win32" else "no_library"
