"""WebChat: the assistant on a page in a browser of this computer.

    $ moltbot-desktop channels login webchat
    $ moltbot-desktop webchat --open

Off until it is switched on. In the window ``/webchat`` gives the link.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.webchat.house import House, folder_name
from moltbot_desktop.extensions.webchat.links import Links
from moltbot_desktop.extensions.webchat.trying import where
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import (
    ChannelAccount,
    CliCommand,
    PluginApi,
    PluginChannel,
    PluginCommand,
    RunningChannel,
)

CAN = Capabilities(
    kinds=frozenset({PeerKind.DM}),
    text_limit=20_000,
    markup=Markup.MARKDOWN,
    edit=EditLimits(0.2),
    delete=True,
    react=True,
    typing_seconds=2.0,
    media_in=20_000_000,
    media_out=20_000_000,
    idempotent=True,
)


def register(api: PluginApi) -> None:
    """Offer the channel, and the ways to its page."""
    runtime = api.runtime

    def house(account: str) -> House:
        return House(runtime.state / folder_name(account), runtime.language, runtime.clock)

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.webchat.channel import WebChat
        from moltbot_desktop.extensions.webchat.serving import page_files

        return WebChat(account, house(account.name), page_files(api.resolve_path("page")))

    async def probe(settings: JsonObject) -> str:
        return await where(settings, runtime.state, runtime.language, runtime.clock)

    links = Links(house, runtime.language)
    api.register_channel(PluginChannel("webchat", opened, CAN, probe, extra="server", local=True))
    api.register_cli(
        CliCommand(
            "webchat",
            "a link to the page in a browser",
            "网页聊天的链接",
            links.in_shell,
            links.options,
        )
    )
    api.register_command(
        PluginCommand(
            "webchat",
            "a link to the page in a browser",
            "网页聊天的链接",
            links.in_chat,
            "[ACCOUNT]",
        )
    )
