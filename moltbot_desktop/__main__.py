"""The `moltbot-desktop` command, also as `python -m moltbot_desktop`.

Also the entry of a frozen build, which starts itself again for its own children. Each way in loads
only what it needs: a key that runs `moltbot-desktop toggle` has its window at once, the program has
its icon in the tray before it is loaded, and a child needs neither the window nor the assistant.
"""

import sys


def entry() -> int:
    """Do what was asked for, and where the owner wants a new start, start again."""
    if not (status := _carried_out()):
        return status
    from moltbot_desktop.app.again import after  # noqa: PLC0415

    return after(status)


def _carried_out() -> int:
    """Show the quick question of the program that runs, do a child's work, or be the program."""
    if sys.argv[1:] == ["toggle"]:
        from moltbot_desktop.app.toggling import toggled  # noqa: PLC0415

        if toggled():
            return 0
    elif sys.argv[1:] in ([], ["--hidden"]):
        from moltbot_desktop.app.arriving import arrive  # noqa: PLC0415

        if (code := arrive(sys.argv[1:])) is not None:
            return code
    elif len(sys.argv) > 1 and sys.argv[1].startswith("--"):
        from moltbot_desktop.app.children import child_work  # noqa: PLC0415

        if (code := child_work(sys.argv[1:])) is not None:
            return code
    from moltbot_desktop.app.main import main  # noqa: PLC0415

    return main()


if __name__ == "__main__":
    sys.exit(entry())
