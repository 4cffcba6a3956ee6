"""The hands on the screen, where there are any: `screenshot` and `desktop` for every agent.

    screen = Screen(options.face, clock, files, cancel)
    screen.tools()                       # () where the screen cannot be used
    missing_hands(options.face)          # then the reason, in words

Pictures can be taken wherever there is a screen. Keys and clicks need a window of this program
beside them: nobody would see the banner of a terminal.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.sdk.desktop import ControlFace
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.tools.desktop.surroundings import missing_library, needed, why_not
from moltbot_desktop.tools.desktop.texts import PHRASES
from moltbot_desktop.tools.missing import MissingTool
from moltbot_desktop.tools.undo import FileHands

if TYPE_CHECKING:
    from moltbot_desktop.tools.desktop.control import ScreenControl

_SCREENSHOT, _DESKTOP = "screenshot", "desktop"

Cancel = Callable[[SessionKey, RunId], None]


class Screen:
    """One for the program; the same tools for every agent, because there is one screen."""

    def __init__(
        self,
        face: ControlFace | None,
        clock: Clock,
        files: FileHands,
        cancel: Cancel,
    ) -> None:
        self._face = face
        self._control: ScreenControl | None = None
        self._tools: tuple[AnyTool, ...] = ()
        if not _why_not():
            from moltbot_desktop.tools.desktop.making import screen_tools  # noqa: PLC0415

            self._control, self._tools = screen_tools(face, clock, files, cancel)

    def tools(self) -> tuple[AnyTool, ...]:
        return self._tools

    def over(self, run: RunId) -> None:
        """A run has ended: banner and numbers go."""
        if self._control is not None:
            self._control.over(run)

    def close(self) -> None:
        if self._control is not None:
            self._control.close()


def missing_hands(face: ControlFace | None) -> Mapping[str, MissingTool]:
    """What to say when a screen tool is asked for that is not there."""
    if reason := _why_not():
        return dict.fromkeys((_SCREENSHOT, _DESKTOP), _sentence(reason))
    return {} if face is not None else {_DESKTOP: _sentence("no_window")}


def _why_not() -> str:
    here = why_not(sys.platform, os.environ)
    found = (importlib.util.find_spec(one) is not None for one in needed(sys.platform))
    return here or ("" if all(found) else missing_library(sys.platform))


def _sentence(key: str) -> MissingTool:
    return MissingTool(
        PHRASES.say(key, Language.ENGLISH),
        PHRASES.say(key, Language.CHINESE),
    )
