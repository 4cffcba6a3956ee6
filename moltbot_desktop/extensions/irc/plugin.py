"""IRC as a channel.

    { "plugins": { "entries": { "irc": { "enabled": true } } },
      "channels": { "irc": { "host": "irc.libera.chat", "channels": ["#tea"] } } }

It needs no library, so that everything is imported at once.
"""

from __future__ import annotations

from collections.abc import Awaitable

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.irc.connection import IrcChannel, probe
from moltbot_desktop.sdk.channel_abilities import Capabilities, Markup, TextUnit
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

# An answer is one message for the program and several lines here: what is too long is cut, and a
# sentence says so, by the channel, which alone knows how many lines it has become.
CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP}),
    text_limit=30_000,
    unit=TextUnit.BYTES,
    markup=Markup.IRC,
)
SILENCE_SECONDS = 90.0
"""Three PINGs of ours without an answer."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language

    def opened(account: ChannelAccount) -> RunningChannel:
        return IrcChannel(account, clock, language)

    def probed(settings: JsonObject) -> Awaitable[str]:
        return probe(settings, clock, language)

    api.register_channel(
        PluginChannel("irc", opened, CAPABILITIES, probe=probed, silence_seconds=SILENCE_SECONDS)
    )
