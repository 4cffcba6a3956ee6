"""Whether an account's settings work, without listening for anybody.

await where({"port": 18795}, state, language)     # "http://127.0.0.1:18795"
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.webchat.house import HOST, House
from moltbot_desktop.extensions.webchat.settings import settings_from
from moltbot_desktop.extensions.webchat.words import PHRASES


async def where(settings: JsonObject, state: Path, language: Language, clock: Clock) -> str:
    """The address of the page; "" where it will be known at the start.

    Raises:
        ChannelRefused: another program has the port, or it may not be used.
    """
    port = settings_from(settings).port
    address = f"http://{HOST}:{port}"
    there = _addresses(state, language, clock)
    if address in there:
        return address
    if not port:
        return next(iter(there), "")
    try:
        server = await asyncio.get_running_loop().create_server(asyncio.Protocol, HOST, port)
    except OSError as error:
        said = {"host": HOST, "port": port, "reason": error.strerror or error}
        hint = PHRASES.say("port_hint", language)
        raise ChannelRefused(PHRASES.say("port", language, **said), hint=hint) from error
    server.close()
    await server.wait_closed()
    return address


def _addresses(state: Path, language: Language, clock: Clock) -> list[str]:
    """Of all accounts that listen."""
    folders = sorted(state.iterdir()) if state.is_dir() else []
    return [found for folder in folders if (found := House(folder, language, clock).address())]
