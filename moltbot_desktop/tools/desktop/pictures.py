"""Pictures of the screen: the one file that touches mss."""

from __future__ import annotations

from dataclasses import dataclass

import mss
import mss.exception
import mss.tools

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble

_COMPRESSION = 6


@dataclass(frozen=True)
class Picture:
    """`png` of what `box` of the desktop showed; one pixel of it is one of the screen."""

    png: bytes
    box: Box


def screens() -> tuple[Box, ...]:
    """The screens in the system's order; screen 1 is the first."""
    try:
        with mss.MSS() as grabber:
            return tuple(_box(one) for one in grabber.monitors[1:])
    except mss.exception.ScreenShotError as error:
        raise _no_picture() from error


def picture(box: Box | None = None) -> Picture:
    """What `box` shows now; all screens for None. Raises ScreenTrouble without a screen."""
    try:
        with mss.MSS() as grabber:
            area = grabber.monitors[0] if box is None else _area(box)
            shot = grabber.grab(area)
            png = mss.tools.to_png(shot.rgb, shot.size, level=_COMPRESSION)
            if png is None:
                raise _no_picture()
            return Picture(png, _box(area))
    except mss.exception.ScreenShotError as error:
        raise _no_picture() from error


def _no_picture() -> ScreenTrouble:
    return ScreenTrouble("the screen gives no picture", "no_picture")


def _box(area: dict[str, int]) -> Box:
    return Box(area["left"], area["top"], area["width"], area["height"])


def _area(box: Box) -> dict[str, int]:
    return {"left": box.x, "top": box.y, "width": box.width, "height": box.height}
