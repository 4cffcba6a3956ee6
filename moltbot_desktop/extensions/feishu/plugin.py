"""Feishu and Lark as a channel: an app of the owner's own, without an address on the internet.

    { "plugins": { "entries": { "feishu": { "enabled": true } } },
      "channels": { "feishu": { "appId": "cli_…", "appSecret": "keyring:feishu" } } }

The long connection and the Open Platform are HTTP: aiohttp is all that it needs. The platform's own
SDK weighs 66 MB and takes seconds to load.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP}),
    # A post may have 30 KB, escaped: https://open.feishu.cn/document/server-docs/im-v1/message/create
    text_limit=4_000,
    markup=Markup.MARKDOWN,
    reply=True,
    threads=True,
    # https://open.feishu.cn/document/server-docs/im-v1/message/update
    edit=EditLimits(1.5, most=20),
    delete=True,
    react=True,
    media_in=100_000_000,
    media_out=30_000_000,
    idempotent=True,
    quotes_in=True,
)
SILENCE_SECONDS = 90.0
"""Of a line that is pinged every twenty."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.feishu.channel import FeishuChannel

        return FeishuChannel(account, clock, language)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.feishu import channel

        return await channel.probe(settings, language)

    api.register_channel(
        PluginChannel("feishu", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="server")
    )
