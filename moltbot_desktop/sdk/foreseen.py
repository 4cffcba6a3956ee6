"""What a call would do, where its arguments alone do not say it: ``{"ref": "e5"}`` is a button.

The tool looks, before the verdict; the card shows `title`; and `mark` comes back to the tool as
`ToolContext.judged`, so that it does nothing where what it sees by then is something else. All of
a `Foreseen` comes of one look, so that what is judged, shown and allowed is one and the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from moltbot_desktop.sdk.tools import ToolContext, ToolInput, ToolResult


@dataclass(frozen=True)
class Foreseen:
    """What was seen of one call.

    Attributes:
        title: in the person's language, "" where the usual words of a call do.
        mark: of all that was seen, "" where nothing has to be as it was.
        sites: the hosts that something would be done at, in small letters; "" for one that nobody
            can say, () for none, None where the arguments say it.
        refusal: of a call that cannot come to anything: its result, so that nobody is asked first.
    """

    title: str
    mark: str = ""
    sites: tuple[str, ...] | None = None
    refusal: ToolResult | None = None


@runtime_checkable
class ForeseeingTool(Protocol):
    """A tool that knows more about a call than its arguments."""

    def foreseen(self, given: ToolInput, context: ToolContext) -> Foreseen:
        """Asked on the event loop before the verdict; never raises and never waits."""
        ...
