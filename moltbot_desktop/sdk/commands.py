"""A call that starts programs, as it was judged before the verdict.

The tool looks at its own words (nobody else understands them), the policy decides by what comes
out, the card shows `title` and `notes`, and `mark` binds the owner's yes to exactly that: a tool
that finds another mark when it runs does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from moltbot_desktop.sdk.tools import ToolContext, ToolInput


class Power(StrEnum):
    """What the programs may do, as far as their words tell."""

    LOOKS = "looks"
    """Known programs that read what the assistant may read anyhow."""
    ADDS = "adds"
    """Known programs that make new things in the workspace."""
    ANYTHING = "anything"
    NEVER = "never"
    """It reaches for keys, or for this program's own state."""


@dataclass(frozen=True)
class Program:
    """One program that would run.

    Attributes:
        program: its real path, links followed.
        words: its name as it is started, then its arguments.
        settled: it does not lie where the assistant may write.
    """

    program: Path
    words: tuple[str, ...]
    settled: bool


@dataclass(frozen=True)
class JudgedCommand:
    """What a call would start.

    Attributes:
        walled: walls that were seen to hold stand around it.
        network: it would reach the internet.
        wary: the settings want a card for every command.
        title: for the card, in the person's language: the exact words that would run.
        notes: where, behind which walls, and what to look at.
        mark: of all that was judged; programs, words, folder, variables.
        programs: all that would run; () where a shell reads the line, or where variables or a
            terminal come with it: then nobody can say what it will do another time.
        folder: the real one that they run in.
    """

    power: Power
    walled: bool
    network: bool
    title: str
    notes: str
    mark: str
    wary: bool = False
    programs: tuple[Program, ...] = ()
    folder: Path = Path()


@runtime_checkable
class CommandTool(Protocol):
    """A tool that starts programs."""

    async def judged(self, given: ToolInput, context: ToolContext) -> JudgedCommand:
        """Asked on the event loop before the verdict, when the effect of a call is `EXEC` or
        `OPEN_EXTERNAL`.

        Raises:
            ToolError: the call makes no sense; its words go to the model.
        """
        ...
