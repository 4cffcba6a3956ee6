"""Whether somebody has used a home before.

if is_new(paths): ...        # nobody has been here
"""

from __future__ import annotations

from moltbot_desktop.app.paths import Paths

WINDOW_FILE = "window.ini"
"""Where the window keeps its place: the first one that was closed wrote it."""


def is_new(paths: Paths) -> bool:
    """Whether nobody has used this home: no settings, no conversation, no window was closed."""
    used = (paths.config, paths.home / WINDOW_FILE, paths.home / "agents")
    return not any(one.exists() for one in used)
