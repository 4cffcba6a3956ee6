"""Telegram as a channel: a bot of the owner's own, asked for its messages.

    { "plugins": { "entries": { "telegram": { "enabled": true } } },
      "channels": { "telegram": { "botToken": "keyring:telegram" } } }

Nothing of Telegram's calls this computer, so it works behind any router. A program of the owner's
own at a web address (a webhook) is not pushed aside unless the settings say so.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup, TextUnit
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP}),
    text_limit=4_000,
    unit=TextUnit.UTF16,
    markup=Markup.TELEGRAM_HTML,
    reply=True,
    threads=True,
    # Of a group's messages twenty in a minute: https://core.telegram.org/bots/faq
    edit=EditLimits(3.0),
    delete=True,
    react=True,
    typing_seconds=5.0,
    media_in=20_000_000,
    media_out=50_000_000,
    quotes_in=True,
)
SILENCE_SECONDS = 150.0
"""Of a poll that takes 25, and the longest pause that Telegram may ask for."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.telegram.channel import TelegramChannel

        return TelegramChannel(account, clock, language)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.telegram import channel

        return await channel.probe(settings, language)

    api.register_channel(
        PluginChannel("telegram", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="server")
    )
