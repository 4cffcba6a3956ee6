"""Slack as a channel: an app of the owner's own, without an address on the internet.

    { "plugins": { "entries": { "slack": { "enabled": true } } },
      "channels": { "slack": { "botToken": "keyring:slack", "appToken": "keyring:slack-app" } } }

Socket mode and the Web API are JSON over HTTP: aiohttp is all that it needs.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.CHANNEL}),
    # Of 4,000, after which Slack may part a message itself: markup comes on top.
    # https://docs.slack.dev/changelog/2018-truncating-really-long-messages
    text_limit=3_000,
    markup=Markup.SLACK_MRKDWN,
    threads=True,
    # Fifty in a minute: https://docs.slack.dev/apis/web-api/rate-limits
    edit=EditLimits(1.5),
    delete=True,
    react=True,
    media_in=100_000_000,
    media_out=100_000_000,
    quotes_in=True,
)
SILENCE_SECONDS = 60.0
"""Of a line that is pinged every ten."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.slack.channel import SlackChannel

        return SlackChannel(account, clock, language)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.slack import channel

        return await channel.probe(settings, language)

    api.register_channel(
        PluginChannel("slack", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="server")
    )
