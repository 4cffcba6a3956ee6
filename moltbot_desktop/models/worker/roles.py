"""The entry of a frozen build for its own children; see `command`.

if (code := run_role(sys.argv[1:])) is not None:
    sys.exit(code)
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.models.worker.channel import claim_stdout
from moltbot_desktop.models.worker.command import CHILD_OPTION, ChildRole


def run_role(arguments: Sequence[str]) -> int | None:
    """Do a child's work when `arguments` (without the program's name) ask for it.

    Returns:
        The exit code; None when this is no child.
    """
    if list(arguments[:1]) != [CHILD_OPTION]:
        return None
    # llama.cpp and numpy: not for every start of the program, and not before stdout is claimed.
    if arguments[1] == ChildRole.WORKER:
        answers = claim_stdout()
        from moltbot_desktop.models.worker.child import serve  # noqa: PLC0415

        return serve(answers)
    from moltbot_desktop.models import probe  # noqa: PLC0415

    return probe.main(arguments[2:])
