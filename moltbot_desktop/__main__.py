"""`python -m moltbot_desktop`: the same program as the `moltbot-desktop` command.

Also the entry of a frozen build, which starts itself again for its own children.
"""

import sys

from moltbot_desktop.models.worker.roles import run_role


def entry() -> int:
    """Do a child's work, or be the program."""
    code = run_role(sys.argv[1:])
    if code is not None:
        return code
    # Late: a child needs neither the window nor the assistant.
    from moltbot_desktop.app.main import main  # noqa: PLC0415

    return main()


if __name__ == "__main__":
    sys.exit(entry())
