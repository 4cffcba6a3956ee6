"""Discord as a channel: a bot of the owner's own.

    { "plugins": { "entries": { "discord": { "enabled": true } } },
      "channels": { "discord": { "token": "keyring:discord" } } }

The library is loaded in the account's own thread, when an account is switched on.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup, TextUnit
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.CHANNEL}),
    # Of 2,000: markup comes on top.
    text_limit=1_900,
    unit=TextUnit.UTF16,
    markup=Markup.DISCORD,
    reply=True,
    threads=True,
    # Five in five seconds are let through: https://discord.com/developers/docs/topics/rate-limits
    edit=EditLimits(1.2),
    delete=True,
    react=True,
    typing_seconds=10.0,
    media_in=100_000_000,
    media_out=10_000_000,
    idempotent=True,
    quotes_in=True,
)
SILENCE_SECONDS = 150.0
"""Of a heart that beats every 41."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language
    began: dict[str, int] = {}

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.discord.channel import DiscordChannel

        return DiscordChannel(account, clock, language, began)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.discord import channel

        return await channel.probe(settings, language)

    api.register_channel(
        PluginChannel("discord", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="discord")
    )
