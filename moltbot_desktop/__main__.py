"""The `moltbot-desktop` command, also as `python -m moltbot_desktop`.

Also the entry of a frozen build, which starts itself again for its own children. Each way in loads
only what it needs: a key that runs `moltbot-desktop toggle` has its window at once, the program has
its icon in the tray before it is loaded, and a child needs neither the window nor the assistant.
"""

import sys
from typing import TYPE_CHECKING

from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    from moltbot_desktop.app import again, arriving, children, main, toggling
else:
    again = LateModule("moltbot_desktop.app.again")
    arriving = LateModule("moltbot_desktop.app.arriving")
    children = LateModule("moltbot_desktop.app.children")
    main = LateModule("moltbot_desktop.app.main")
    toggling = LateModule("moltbot_desktop.app.toggling")


def entry() -> int:
    """Do what was asked for, and where the owner wants a new start, start again."""
    status = _carried_out()
    return again.after(status) if status else status


def _carried_out() -> int:
    """Show the quick question of the program that runs, do a child's work, or be the program."""
    words = sys.argv[1:]
    if words == ["toggle"]:
        if toggling.toggled():
            return 0
    elif words in ([], ["--hidden"]):
        if (code := arriving.arrive(words)) is not None:
            return code
    elif words and words[0].startswith("--") and (code := children.child_work(words)) is not None:
        return code
    return main.main()


if __name__ == "__main__":
    sys.exit(entry())
