"""Where a frozen build begins: the program, or one of its own children."""

import sys

from moltbot_desktop.__main__ import entry

sys.exit(entry())
