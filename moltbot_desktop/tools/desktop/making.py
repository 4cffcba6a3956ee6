"""The screen tools put together; the one module that `app` imports late, because it needs an extra.

control, tools = screen_tools(face, clock, files, cancel)
"""

from __future__ import annotations

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.desktop import ControlFace
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.tools.desktop.control import Cancel, ScreenControl
from moltbot_desktop.tools.desktop.hands import Hands
from moltbot_desktop.tools.desktop.screenshot import Screenshot
from moltbot_desktop.tools.desktop.tool import DesktopTool
from moltbot_desktop.tools.undo import FileHands


def screen_tools(
    face: ControlFace | None, clock: Clock, files: FileHands, cancel: Cancel
) -> tuple[ScreenControl | None, tuple[AnyTool, ...]]:
    """Without a face nobody would see what is done, so then only pictures are taken."""
    screenshot = Screenshot(files, clock)
    if face is None:
        return None, (screenshot,)
    control = ScreenControl(face, cancel)
    return control, (DesktopTool(control, Hands(face.injections), screenshot, clock), screenshot)
