"""`python -m moltbot_desktop`: the same program as the `moltbot-desktop` command.

Also the entry of a frozen build, which starts itself again for its own children.
"""

import sys

from moltbot_desktop.models.worker.roles import run_role
from moltbot_desktop.security.sandbox.starting import CHILD_OPTION as BEHIND_WALLS
from moltbot_desktop.security.sandbox.starting import LAUNCHER
from moltbot_desktop.tools.documents.reading import CHILD_OPTION as READ_DOCUMENT


def entry() -> int:
    """Do a child's work, or be the program."""
    code = run_role(sys.argv[1:])
    if code is not None:
        return code
    # Late: a child needs neither the window nor the assistant, and they not the child's parsers.
    if sys.argv[1:2] == [READ_DOCUMENT]:
        from moltbot_desktop.tools.documents.child import main as read_document  # noqa: PLC0415

        return read_document(sys.argv[2:])
    if sys.argv[1:2] == [BEHIND_WALLS]:
        from moltbot_desktop.security.sandbox import attempts, launcher  # noqa: PLC0415

        child = launcher.main if sys.argv[2] == LAUNCHER else attempts.main
        return child(sys.argv[3:])
    from moltbot_desktop.app.main import main  # noqa: PLC0415

    return main()


if __name__ == "__main__":
    sys.exit(entry())
