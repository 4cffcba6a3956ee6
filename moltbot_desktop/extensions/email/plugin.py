"""E-mail as a channel: a mailbox of the assistant's own, with any provider that takes passwords.

{ "plugins": { "entries": { "email": { "enabled": true } } },
  "channels": { "email": { "address": "molty@example.org", "password": "keyring:email" } } }
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, Markup
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM}),
    text_limit=200_000,
    markup=Markup.PLAIN,
    reply=True,
    threads=True,
    media_in=25_000_000,
    # Of the 25 MB that most providers take a quarter goes into the form of the transfer.
    media_out=15_000_000,
)
SILENCE_SECONDS = 600.0
"""Idling is renewed every four minutes, which asks the server something."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language, state = api.runtime.clock, api.runtime.language, api.runtime.state

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.email.channel import EmailChannel

        return EmailChannel(account, clock, language, state)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.email import channel

        return await channel.probe(settings, language)

    api.register_channel(
        PluginChannel("email", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="email")
    )
