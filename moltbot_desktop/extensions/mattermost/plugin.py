"""Mattermost as a channel: a bot account on a server of a company's or the owner's own.

    { "plugins": { "entries": { "mattermost": { "enabled": true } } },
      "channels": { "mattermost": { "baseUrl": "https://chat.example.com",
                                    "botToken": "keyring:mattermost" } } }

REST and a WebSocket are JSON over HTTP: aiohttp is all that it needs.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP, PeerKind.CHANNEL}),
    # Of 16,383: what keeps a name from calling everybody comes on top.
    text_limit=15_000,
    markup=Markup.MARKDOWN,
    threads=True,
    edit=EditLimits(1.0),
    delete=True,
    react=True,
    # Clients forget the sign after five: TimeBetweenUserTypingUpdatesMilliseconds.
    typing_seconds=4.0,
    media_in=100_000_000,
    media_out=100_000_000,
    idempotent=True,
    quotes_in=True,
)
SILENCE_SECONDS = 60.0
"""Of a line that is pinged every ten."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language
    began: dict[str, int] = {}

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.mattermost.channel import MattermostChannel

        return MattermostChannel(account, clock, language, began)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.mattermost import channel

        return await channel.probe(settings, language, clock)

    api.register_channel(
        PluginChannel("mattermost", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="server")
    )
