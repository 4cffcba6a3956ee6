"""`screenshot`: a picture of the screen as a file in the workspace."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.changing import Put
from moltbot_desktop.tools.desktop.pictures import picture
from moltbot_desktop.tools.desktop.system import System
from moltbot_desktop.tools.desktop.texts import PHRASES
from moltbot_desktop.tools.desktop.trouble import ScreenTrouble, in_words
from moltbot_desktop.tools.file_access import shown_path, writable
from moltbot_desktop.tools.replies import arguments, failure
from moltbot_desktop.tools.undo import FileHands

_FOLDER = "screenshots"


class Screenshot:
    """All screens as they are now, marks and banner included."""

    def __init__(self, hands: FileHands, system: System, clock: Clock) -> None:
        self._hands = hands
        self._system = system
        self._clock = clock

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "screenshot",
            "Take a picture of the screen; gives the file.",
            arguments(),
            Effect.SCREENSHOT,
            keywords="screen capture picture of the screen 截图 截屏 屏幕",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        try:
            if why := self._system.no_picture():
                raise ScreenTrouble("this system shows no picture of other programs", why)
            shot = picture()
        except ScreenTrouble as error:
            return failure(str(error), in_words(error, context.language))
        path = _free(self._clock.now(), context)
        self._hands.carry_out([Put(path, shot.png)], context)
        shown = shown_path(path, context)
        return ToolResult(
            {"path": shown, "width": shot.box.width, "height": shot.box.height},
            PHRASES.say("picture", context.language, path=shown),
            private=True,
        )


def _free(now: datetime, context: ToolContext) -> Path:
    """A name that nothing has; pictures of one second are counted."""
    stem = f"{_FOLDER}/{now:%Y-%m-%d_%H-%M-%S}"
    count, path = 1, writable(f"{stem}.png", context)
    while path.exists():
        count += 1
        path = writable(f"{stem}_{count}.png", context)
    return path
