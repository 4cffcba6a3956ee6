"""matrix: the assistant as a user of a Matrix server, in rooms that are encrypted or not.

    { "channels": { "matrix": { "homeserver": "https://matrix.example.org", "accessToken": "…" } } }

Its library is loaded in the account's own thread, when an account is switched on.
"""

from __future__ import annotations

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.matrix.house import House
from moltbot_desktop.extensions.matrix.settings import MEGABYTE, settings_from
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup
from moltbot_desktop.sdk.channels import PeerKind
from moltbot_desktop.sdk.plugins import ChannelAccount, PluginApi, PluginChannel, RunningChannel

CAN = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.CHANNEL}),
    text_limit=4_000,
    markup=Markup.MATRIX_HTML,
    reply=True,
    threads=True,
    # Each edit is an event that stays in the room's history.
    edit=EditLimits(2.0),
    delete=True,
    react=True,
    typing_seconds=20.0,
    media_in=20 * MEGABYTE,
    media_out=20 * MEGABYTE,
    idempotent=True,
    quotes_in=True,
)
SILENCE_SECONDS = 150.0


def register(api: PluginApi) -> None:
    """Offer the channel."""
    runtime = api.runtime
    house = House(runtime.state, runtime.language, runtime.clock)

    def opened(account: ChannelAccount) -> RunningChannel:
        from moltbot_desktop.extensions.matrix.channel import MatrixChannel

        return MatrixChannel(account, house)

    async def probe(settings: JsonObject) -> str:
        from moltbot_desktop.extensions.matrix.login import who_is

        return await who_is(settings_from(settings), runtime.language)

    api.register_channel(
        PluginChannel(
            "matrix", opened, CAN, probe=probe, silence_seconds=SILENCE_SECONDS, extra="matrix"
        )
    )
