"""Why something on the screen was not done: English for the model, and in words for the person.

raise ScreenTrouble("the window is closed; observe again", "changed")
in_words(error, Language.CHINESE)
"""

from __future__ import annotations

from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.tools.desktop.texts import PHRASES


class ScreenTrouble(ToolError):
    """`told` is the key of the person's sentence in `texts`."""

    code = "screen_trouble"

    def __init__(self, message: str, told: str) -> None:
        super().__init__(message)
        self.told = told


class ScreenReleased(ScreenTrouble):
    """The owner took the screen back; the run must not go on with it."""

    code = "screen_released"

    def __init__(self) -> None:
        super().__init__("the owner took the screen back; stop", "stopped")


def unclear(message: str) -> ScreenTrouble:
    """The arguments of a call do not say what to do; `message` says what to write instead."""
    return ScreenTrouble(message, "unclear")


def changed(message: str) -> ScreenTrouble:
    """The screen is not any more as it was observed."""
    return ScreenTrouble(message, "changed")


def in_words(error: ToolError, language: Language) -> str:
    """For the person; what another room refused, as it is."""
    return PHRASES.say(error.told, language) if isinstance(error, ScreenTrouble) else str(error)
