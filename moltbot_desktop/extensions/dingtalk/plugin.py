"""DingTalk as a channel: an app of the owner's own, without an address on the internet.

    { "plugins": { "entries": { "dingtalk": { "enabled": true } } },
      "channels": { "dingtalk": { "clientId": "ding…", "clientSecret": "keyring:dingtalk" } } }

The stream and the Open Platform are HTTP: aiohttp is all that it needs.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, Markup, TextUnit
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP}),
    # Of 15,000 bytes, escaped, with two blanks for each line.
    # https://open.dingtalk.com/document/development/the-robot-sends-a-group-message
    text_limit=6_000,
    unit=TextUnit.BYTES,
    markup=Markup.MARKDOWN,
    delete=True,
    media_in=100_000_000,
    # https://open.dingtalk.com/document/development/upload-media-files
    media_out=20_000_000,
)
"""No message can be changed but cards, whose form the owner would have to draw first on another
site: answers come whole or in blocks. https://open-dingtalk.github.io/developerpedia/docs/learn/stream/faq"""
SILENCE_SECONDS = 90.0
"""Of a line that is pinged every twenty."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.dingtalk.channel import DingTalkChannel

        return DingTalkChannel(account, clock, language)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.dingtalk import channel

        return await channel.probe(settings, language)

    api.register_channel(
        PluginChannel("dingtalk", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="server")
    )
