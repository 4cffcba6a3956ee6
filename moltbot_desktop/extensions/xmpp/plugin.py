"""XMPP as a channel: an account of the assistant's own, on any server.

{ "plugins": { "entries": { "xmpp": { "enabled": true } } },
  "channels": { "xmpp": { "jid": "molty@example.org", "password": "keyring:xmpp" } } }
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP}),
    text_limit=8_000,
    markup=Markup.PLAIN,
    reply=True,
    # Whoever's program knows no corrections sees each of them as a message.
    edit=EditLimits(3.0, most=20),
    delete=True,
    react=True,
    typing_seconds=20.0,
    quotes_in=True,
)
SILENCE_SECONDS = 120.0


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.xmpp.channel import XmppChannel

        return XmppChannel(account, clock, language)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.xmpp import channel

        return await channel.probe(settings, language)

    api.register_channel(
        PluginChannel("xmpp", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="xmpp")
    )
