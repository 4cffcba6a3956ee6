"""What a person does to have a channel, as a shell or a window sees it.

[telegram] = [one for one in setup.known() if one.id == "telegram"]
for field in setup.asked("telegram", ""): ...       # label, help, secret
setup.log_in("telegram", "", {"botToken": "123:abc"})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class ChannelStanding(StrEnum):
    """How the plugin stands that brings a channel."""

    ON = "on"
    OFF = "off"
    """It came with the program; a word switches it on."""
    OUTSIDE = "outside"
    """Off, and from outside: its owner looks at it first."""
    BROKEN = "broken"


@dataclass(frozen=True)
class KnownChannel:
    """A channel that a plugin here brings, on or off.

    Attributes:
        label: for the person.
        plugin: id of the plugin.
        reason: why it stands so, for the person.
        accounts: names of those in the settings; none while it is not set up.
        whole_plugin: the plugin came with the program and is this channel and nothing else, so
            that the channel's page is the plugin's as well, also while it is off.
    """

    id: str
    label: str
    plugin: str
    standing: ChannelStanding
    reason: str
    accounts: tuple[str, ...] = ()
    whole_plugin: bool = False


@dataclass(frozen=True)
class AskedField:
    """One thing that a login asks for.

    Attributes:
        name: of the setting.
        secret: it is typed unseen and kept in the password store.
        needed: the channel does not work without it.
        there: it stands in the settings already.
    """

    name: str
    label: str
    help: str
    secret: bool
    needed: bool
    there: bool


class Setup(Protocol):
    """As `app.channel_setup.ChannelSetup`; each method blocks and raises MoltbotError."""

    def known(self) -> Sequence[KnownChannel]: ...

    def asked(self, channel: str, account: str) -> Sequence[AskedField]: ...

    def log_in(self, channel: str, account: str, values: Mapping[str, str]) -> None: ...

    def log_out(self, channel: str, account: str) -> Sequence[str]:
        """Labels of the keys that were forgotten."""
        ...
