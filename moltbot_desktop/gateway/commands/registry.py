"""Every command there is, to look up.

    COMMANDS["think"].aliases            # ("thinking", "t")
    NAMES["停止"].name                   # "stop"
    enabled({"config"})                  # those that exist with commands.config switched on

What they are stands in `table`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType

from moltbot_desktop.gateway.commands.command import Command, Topic, Who
from moltbot_desktop.gateway.commands.table import ALL

__all__ = [
    "COMMANDS",
    "NAMES",
    "SIMPLE",
    "SWITCHES",
    "Command",
    "Topic",
    "Who",
    "enabled",
    "listed",
]

COMMANDS: Mapping[str, Command] = MappingProxyType({one.name: one for one in ALL})
"""By name, in the order of the help."""

NAMES: Mapping[str, Command] = MappingProxyType(
    {name: one for one in COMMANDS.values() for name in one.names}
)
"""By name or alias, in either language."""

SWITCHES = frozenset(one.switch for one in COMMANDS.values() if one.switch)
"""What `commands` in the settings can switch on."""

SIMPLE = frozenset({"help", "commands", "whoami", "status"})
"""They may stand inside a message that says more, and change nothing."""


def enabled(switches: Set[str]) -> tuple[Command, ...]:
    """Those a person can use; `switches` are the hidden ones that the settings show."""
    return tuple(one for one in COMMANDS.values() if not one.switch or one.switch in switches)


def listed(switches: Set[str], who: Who) -> tuple[Command, ...]:
    """What the help of somebody shows: what works here and is theirs to use."""
    return tuple(one for one in enabled(switches) if one.built and one.who <= who)
