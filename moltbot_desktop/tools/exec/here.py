"""Commands on this computer: its system's ways, and what starts them."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    from moltbot_desktop.tools.exec.windows_running import BEGIN as begin
    from moltbot_desktop.tools.exec.windows_system import windows

    SYSTEM = windows(os.environ)
else:
    from moltbot_desktop.tools.exec.posix_running import begin
    from moltbot_desktop.tools.exec.posix_system import POSIX as SYSTEM

__all__ = ["SYSTEM", "begin"]
