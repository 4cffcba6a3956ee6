"""The words that start a program behind bubblewrap's walls; pure.

    [*bubblewrap_words("/usr/bin/bwrap", walls, seccomp=7), "/usr/bin/ls", "-la"]

An empty root is filled with what may be seen, so nothing is open because it was forgotten. The
program sees no other process, its own /tmp, no network, and dies with whoever started it. System
calls that could speak to a service outside (sockets of any kind) are refused by the filter that
stands behind the file descriptor `seccomp`.
"""

from __future__ import annotations

from collections.abc import Iterator

from moltbot_desktop.security.sandbox.walls import SYSTEM_FOLDERS, Walls


def bubblewrap_words(
    program: str, walls: Walls, seccomp: int, *, terminal: bool = False
) -> list[str]:
    """`terminal`: the program has a terminal of its own, which a new session would take away."""
    words = [program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
    words += ["--share-net"] if walls.network else []
    words += [] if terminal else ["--new-session"]
    for folder in SYSTEM_FOLDERS:
        words += ["--ro-bind-try", str(folder), str(folder)]
    words += ["--proc", "/proc", "--dev", "/dev", "--bind", str(walls.scratch), "/tmp"]
    words += ["--ro-bind-try", "/run/systemd/resolve", "/run/systemd/resolve"] * walls.network
    words += list(_opened(walls))
    return [*words, "--seccomp", str(seccomp), "--"]


def _opened(walls: Walls) -> Iterator[str]:
    for one in walls.readable:
        yield from ("--ro-bind-try", str(one), str(one))
    yield from ("--bind" if walls.writable else "--ro-bind", str(walls.folder), str(walls.folder))
    for one in walls.kept:
        yield from ("--ro-bind-try", str(one), str(one))
    for one in walls.hidden:
        # Only what lies in an opened folder is there at all; a mount elsewhere would make folders.
        if any(one.is_relative_to(folder) for folder in (walls.folder, *walls.readable)):
            yield from ("--tmpfs", str(one))
