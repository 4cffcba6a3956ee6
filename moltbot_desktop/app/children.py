"""The children of a frozen build: it has no Python of its own to start, so it starts itself again
with one of these options first."""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.models.worker.roles import run_role
from moltbot_desktop.security.sandbox.starting import CHILD_OPTION as BEHIND_WALLS
from moltbot_desktop.security.sandbox.starting import LAUNCHER
from moltbot_desktop.tools.documents.reading import CHILD_OPTION as READ_DOCUMENT


def child_work(argv: Sequence[str]) -> int | None:
    """Do what `argv` says, which is without the program's name; None when it is no child's."""
    code = run_role(argv)
    if code is not None:
        return code
    # Late: one child does not need the parsers and walls of another.
    if argv[:1] == [READ_DOCUMENT]:
        from moltbot_desktop.tools.documents.child import main as read_document  # noqa: PLC0415

        return read_document(argv[1:])
    if argv[:1] == [BEHIND_WALLS]:
        from moltbot_desktop.security.sandbox import attempts, launcher  # noqa: PLC0415

        child = launcher.main if argv[1] == LAUNCHER else attempts.main
        return child(argv[2:])
    return None
