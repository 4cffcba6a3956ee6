"""Signal as a channel: an account of its own or a device of yours, by signal-cli.

    { "plugins": { "entries": { "signal": { "enabled": true } } },
      "channels": { "signal": { "account": "+491701234567" } } }

signal-cli (Java, GPL-3) is no part of this program: the person installs it, and it is talked to
over HTTP on this computer. aiohttp is all that this needs.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, TextUnit
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP}),
    # Of 2,000 bytes on, an app folds a text behind “Read more” and sends it as a file.
    text_limit=2_000,
    unit=TextUnit.BYTES,
    reply=True,
    # Signal's apps change one message ten times, within a day.
    edit=EditLimits(3.0, 9),
    delete=True,
    react=True,
    typing_seconds=10.0,
    media_in=50_000_000,
    media_out=25_000_000,
    quotes_in=True,
)
SILENCE_SECONDS = 60.0
"""signal-cli sends a sign of life every fifteen."""


def register(api: PluginApi) -> None:
    """Offer the channel."""
    language = api.runtime.language

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.signal.channel import SignalChannel

        return SignalChannel(account, language)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.signal import channel

        return await channel.probe(settings, language)

    api.register_channel(
        PluginChannel("signal", opened, CAPABILITIES, probe, SILENCE_SECONDS, extra="server")
    )
