"""MQTT as a channel: programs and devices of a household write to the assistant over a broker.

{ "plugins": { "entries": { "mqtt": { "enabled": true } } },
  "channels": { "mqtt": { "host": "broker.example.org", "username": "molty",
                          "password": "keyring:mqtt" } } }
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Capabilities, Markup
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAPABILITIES = Capabilities(
    kinds=frozenset({PeerKind.DM}), text_limit=30_000, markup=Markup.MARKDOWN, reply=True
)


def register(api: PluginApi) -> None:
    """Offer the channel."""
    clock, language = api.runtime.clock, api.runtime.language

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.mqtt.channel import MqttChannel

        return MqttChannel(account, clock, language)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.mqtt import channel

        return await channel.probe(settings, language)

    # The library pings by itself, and ends a connection that answers none.
    api.register_channel(PluginChannel("mqtt", opened, CAPABILITIES, probe, extra="mqtt"))
