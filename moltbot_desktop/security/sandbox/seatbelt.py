"""The profile for macOS's `sandbox-exec`; pure. Written from its documentation, never tried by us.

["/usr/bin/sandbox-exec", "-p", seatbelt_profile(walls), "/bin/ls", "-la"]
"""

from __future__ import annotations

import json
from pathlib import Path

from moltbot_desktop.security.sandbox.walls import Walls

SANDBOX_EXEC = "/usr/bin/sandbox-exec"
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library",
    "/opt",
    "/private/etc",
    "/dev",
    "/private/var/db",
)


def seatbelt_profile(walls: Walls) -> str:
    """Later rules win, so what is hidden stands last."""
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow process-fork process-exec sysctl-read)",
        "(allow signal (target same-sandbox))",
        '(allow file-read-metadata (subpath "/"))',
        *(f"(allow file-read* (subpath {_text(Path(one))}))" for one in _SYSTEM),
        *(f"(allow file-read* (subpath {_text(one)}))" for one in (walls.folder, *walls.readable)),
        f"(allow file-read* file-write* (subpath {_text(walls.scratch)}))",
        '(allow file-write* (literal "/dev/null") (literal "/dev/tty"))',
    ]
    if walls.writable:
        lines.append(f"(allow file-write* (subpath {_text(walls.folder)}))")
    if walls.network:
        lines.append("(allow network-outbound) (allow system-socket)")
    lines += [f"(deny file-write* (subpath {_text(one)}))" for one in walls.kept]
    lines += [f"(deny file-read* file-write* (subpath {_text(one)}))" for one in walls.hidden]
    return "\n".join(lines)


def _text(path: Path) -> str:
    """A path as the profile's language writes text: as JSON does, for what a path may hold."""
    return json.dumps(str(path), ensure_ascii=False)
