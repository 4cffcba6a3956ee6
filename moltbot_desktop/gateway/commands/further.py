"""Commands that come and go while the program runs: those of plugins and of skills.

    further.commands()["weather"]           # Further(Command("weather", ...))
    found_in("/weather Beijing", further.commands())      # (Further(...), "Beijing")
    await further.answer(CommandCall("weather", "Beijing", ...))

The table (`table`) stays what this program is; whoever has commands of the moment gives them
through `CommandPorts.further`. A name of the table is never theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.gateway.commands.command import Command
from moltbot_desktop.gateway.commands.detection import slash_word


@dataclass(frozen=True)
class Further:
    """A command of the moment.

    Attributes:
        everybody: also who has no right to commands may give it.
        hidden: no list shows it; whoever types it is told why it cannot be used.
    """

    command: Command
    everybody: bool = False
    hidden: bool = False


def found_in(
    text: str, further: Mapping[str, Further], bot: str = ""
) -> tuple[Further, str] | None:
    """The command of `further` that `text` is and what stands behind its name, or None.

    Args:
        further: by name, lower-case.
        bot: as in `detection.typed`.
    """
    found = slash_word(text, further, bot) if further else None
    if found is None:
        return None
    name, rest, more = found
    one = further[name]
    if rest and not one.command.arguments:
        return None  # words for the agent, as with the table's own
    if one.command.lines and more:
        rest = f"{rest}\n{more}".strip()
    return one, rest


class FurtherNames(Protocol):
    """What there is now."""

    def commands(self) -> Mapping[str, Further]:
        """By name; the same object as long as nothing has changed."""
        ...
