"""`python -m moltbot_desktop`: the same program as the `moltbot-desktop` command."""

import sys

from moltbot_desktop.app.main import main

if __name__ == "__main__":
    sys.exit(main())
