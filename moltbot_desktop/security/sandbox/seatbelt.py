"""The profile for macOS's `sandbox-exec`; pure. Written from what is known, never tried by us.

    ["/usr/bin/sandbox-exec", "-p", seatbelt_profile(walls), "/bin/ls", "-la"]

Apple documents the language nowhere. What is used here stands in profiles that others publish and
run: the last rule that fits wins, a `subpath` is compared with a path whose links were followed,
and network rules count sockets in the disk too. So the internet alone is opened, by `remote ip`:
with plain `network-outbound` a command could speak to ssh-agent or Docker. What is kept may not be
carried away with a folder around it either, or a new one could be put in its place.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
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
    "/private/var/db",
    "/private/var/select",
    "/dev",
)
_WRITTEN = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper")
_ASKED_ONLINE = (
    *("com.apple.SystemConfiguration.configd", "com.apple.SystemConfiguration.DNSConfiguration"),
    *("com.apple.trustd", "com.apple.trustd.agent", "com.apple.networkd"),
)
"""Services by which a program finds names and judges certificates."""


def seatbelt_profile(walls: Walls) -> str:
    """What is kept and what is hidden stands last."""
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow process-fork process-exec sysctl-read)",
        "(allow process-info* (target same-sandbox))",
        "(allow signal (target same-sandbox))",
        # Who somebody is, for whoami, git and most languages.
        '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
        '(allow file-read-metadata (subpath "/"))',
        # The loader lists the root before any program starts.
        '(allow file-read-data (literal "/"))',
        *(f"(allow file-read* (subpath {_text(Path(one))}))" for one in _SYSTEM),
        *(f"(allow file-read* (subpath {_text(one)}))" for one in (walls.folder, *walls.readable)),
        f"(allow file-read* file-write* (subpath {_text(walls.scratch)}))",
        *(f"(allow file-write-data (literal {_text(Path(one))}))" for one in _WRITTEN),
    ]
    if walls.writable:
        lines.append(f"(allow file-write* (subpath {_text(walls.folder)}))")
    if walls.network:
        lines += _online()
    for one in walls.kept:
        lines.append(f"(deny file-write* (subpath {_text(one)}))")
        lines += (f"(deny file-write-unlink (literal {_text(folder)}))" for folder in _above(one))
    lines += [f"(deny file-read* file-write* (subpath {_text(one)}))" for one in walls.hidden]
    return "\n".join(lines)


def _online() -> Iterator[str]:
    yield '(allow network-outbound (remote ip "*:*"))'
    yield '(allow network-outbound (literal "/private/var/run/mDNSResponder"))'
    yield "(allow system-socket)"
    yield from (f"(allow mach-lookup (global-name {json.dumps(one)}))" for one in _ASKED_ONLINE)


def _above(path: Path) -> tuple[Path, ...]:
    return tuple(one for one in path.parents if one != one.parent)


def _text(path: Path) -> str:
    """A path as the profile's language writes text: as JSON does, for what a path may hold."""
    return json.dumps(str(path), ensure_ascii=False)
