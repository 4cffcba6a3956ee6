"""The bytes of a file that came with a message.

    async for chunk in downloaded(line, file, settings, language): ...

Addresses of files are good for a day; so the message is asked for a fresh one. The bot's token
never goes with a download, and none goes to a computer that is not Discord's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import aiohttp
import discord

from moltbot_desktop.core.errors import ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.discord.line import Line, connector
from moltbot_desktop.extensions.discord.reading import attachments_of, parts_of
from moltbot_desktop.extensions.discord.refusals import told
from moltbot_desktop.extensions.discord.settings import Settings
from moltbot_desktop.extensions.discord.words import say
from moltbot_desktop.sdk.channels import RemoteFile

_HOMES = ("https://cdn.discordapp.com", "https://media.discordapp.net")
_CHUNK = 64 * 1024
_SECONDS = aiohttp.ClientTimeout(total=300.0, connect=30.0)


async def downloaded(
    line: Line, file: RemoteFile, settings: Settings, language: Language
) -> AsyncIterator[bytes]:
    """Raises:
    ChannelNotFound: the message or its file is gone.
    ChannelRefused: larger than wanted, or a page that says something else.
    ChannelError: Discord does not answer.
    """
    with told(language):
        found = await _found(line, file.ref)
        if found is None:
            raise ChannelNotFound(say("gone", language, reason=file.name[:80]))
        if found.size > settings.most:
            raise ChannelRefused(say("large", language))
        if not _is_discords(found.url):
            raise ChannelRefused(say("elsewhere", language))
        async with (
            aiohttp.ClientSession(connector=connector(), timeout=_SECONDS) as session,
            session.get(found.url, proxy=settings.proxy or None, allow_redirects=False) as response,
        ):
            if response.status != 200:
                raise ChannelNotFound(say("gone", language, reason=f"HTTP {response.status}"))
            if response.content_type == "text/html" and "html" not in (found.content_type or ""):
                raise ChannelRefused(say("page", language))
            loaded = 0
            async for chunk in response.content.iter_chunked(_CHUNK):
                loaded += len(chunk)
                if loaded > settings.most:
                    raise ChannelRefused(say("large", language))
                yield chunk


async def _found(line: Line, ref: str) -> discord.Attachment | None:
    parts = parts_of(ref)
    if parts is None:
        return None
    room, message, attachment = parts
    told_again = await line.get_partial_messageable(room).fetch_message(message)
    return next((one for one in attachments_of(told_again) if one.id == attachment), None)


def _is_discords(address: str) -> bool:
    own = urlsplit(discord.http.Route.BASE)
    at = urlsplit(address)
    return f"{at.scheme}://{at.netloc}" in (*_HOMES, f"{own.scheme}://{own.netloc}")
