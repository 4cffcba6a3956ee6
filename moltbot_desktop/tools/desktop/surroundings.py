"""Whether the screen can be seen and used here, from the environment; pure.

    why_not("linux", os.environ)         # "" or the key of a sentence in `texts`

Under Wayland pictures and clicks would silently reach only the windows of old programs, which is
worse than a plain no.
"""

from __future__ import annotations

from collections.abc import Mapping


def why_not(platform: str, environment: Mapping[str, str]) -> str:
    """The key of the reason in `texts.PHRASES`; "" when it can."""
    if not platform.startswith("linux"):
        return "other_system"
    wayland = environment.get("XDG_SESSION_TYPE", "").lower() == "wayland"
    if wayland or environment.get("WAYLAND_DISPLAY"):
        return "wayland"
    return "" if environment.get("DISPLAY") else "no_display"
