"""A home in working memory, as the first page sees it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.first_start import Beginning

RESOURCES = Path(__file__).parents[2] / "resources"


class FakeFirstStartDesk:
    """Promises what `sdk.first_start.FirstStartDesk` does.

    Attributes:
        spoken: the languages that were written down.
        refusal: raised instead of anything, None for nothing.
    """

    def __init__(self, *others: Path) -> None:
        self.found = Beginning(Path("/home/ada/.moltbot"), RESOURCES, others, False)
        self.spoken: list[Language] = []
        self.refusal: MoltbotError | None = None

    def look(self) -> Beginning:
        self._may()
        return self.found

    def speak(self, language: Language) -> None:
        self._may()
        self.spoken.append(language)

    def start_with_computer(self, *, wanted: bool) -> None:
        self._may()
        self.found = replace(self.found, with_computer=wanted)

    def _may(self) -> None:
        if self.refusal is not None:
            raise self.refusal
