"""What a call would do, where its arguments alone do not say it: ``{"ref": "e5"}`` is a button.

The tool looks, before the verdict; the card shows `title`; and `mark` comes back to the tool as
`ToolContext.judged`, so that it does nothing where what it sees by then is something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from moltbot_desktop.sdk.tools import ToolContext, ToolInput


@dataclass(frozen=True)
class Foreseen:
    """`title` in the person's language, "" where the usual words of a call do; `mark` of all that
    was seen, "" where nothing has to be as it was."""

    title: str
    mark: str = ""


@runtime_checkable
class ForeseeingTool(Protocol):
    """A tool that knows more about a call than its arguments."""

    def foreseen(self, given: ToolInput, context: ToolContext) -> Foreseen:
        """Asked on the event loop before the verdict; never raises and never waits."""
        ...
