"""The screen tools put together; the one module that `app` imports late, because it needs an extra.

control, tools = screen_tools(face, clock, files, cancel)
"""

from __future__ import annotations

import sys

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.desktop import ControlFace
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.tools.desktop.control import Cancel, ScreenControl
from moltbot_desktop.tools.desktop.hands import Hands
from moltbot_desktop.tools.desktop.screenshot import Screenshot
from moltbot_desktop.tools.desktop.system import System
from moltbot_desktop.tools.desktop.tool import DesktopTool
from moltbot_desktop.tools.undo import FileHands

# Each touches libraries that only its own system has.
if sys.platform == "win32":
    from moltbot_desktop.tools.desktop.windows import WindowsSystem as Here
elif sys.platform == "darwin":
    from moltbot_desktop.tools.desktop.macos import MacSystem as Here
else:
    from moltbot_desktop.tools.desktop.linux import LinuxSystem as Here


def screen_tools(
    face: ControlFace | None, clock: Clock, files: FileHands, cancel: Cancel
) -> tuple[ScreenControl | None, tuple[AnyTool, ...]]:
    """Without a face nobody would see what is done, so then only pictures are taken."""
    system: System = Here(clock)
    screenshot = Screenshot(files, system, clock)
    if face is None:
        return None, (screenshot,)
    control = ScreenControl(face, cancel, system)
    hands = Hands(face.injections, system)
    return control, (DesktopTool(control, hands, screenshot, system, clock), screenshot)
