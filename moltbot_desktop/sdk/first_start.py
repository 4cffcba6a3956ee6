"""What the window's first page shows and changes.

desk.look().home             # where everything is kept
desk.speak(Language.CHINESE)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.i18n import Language


@dataclass(frozen=True)
class Beginning:
    """How things stand.

    Attributes:
        home: the folder in which everything is kept.
        resources: the program's own folder of pictures and translations.
        others: folders of Moltbot, Clawdbot or OpenClaw on this computer.
        with_computer: whether the assistant starts with the computer.
    """

    home: Path
    resources: Path
    others: tuple[Path, ...]
    with_computer: bool


class FirstStartDesk(Protocol):
    """For worker threads; raises MoltbotError for what cannot be read or written."""

    def look(self) -> Beginning: ...

    def speak(self, language: Language) -> None:
        """Write the language down; the assistant speaks it from its next start on."""
        ...

    def start_with_computer(self, *, wanted: bool) -> None:
        """Write down whether to; the program that runs sees to it."""
        ...
