"""Discord's gateway: everything that comes over it, in the order in which it came.

    line = Line(heard=account.heard, online=account.online, proxy="")
    await line.login(token)
    await line.connect(reconnect=False)         # ends when Discord cannot be reached any more
    match await line.came.get(): ...

The library takes a short cut for itself: it resumes, and Discord tells again what was missed. What
it may have missed for longer is a `LookBack`, which comes before whatever was written since.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord

GUILDS_SECONDS = 0.5
"""Without another server after this long, all are counted as told; later ones come one by one."""
ZOMBIE_SECONDS = 60.0
"""A line on which nothing came for so long is cut, and resumed."""
LONGEST_PAUSE = 30.0
"""A pause that Discord asks for is waited for up to here; the program waits for a longer one."""
CLOSE_SECONDS = 1.0


@dataclass(frozen=True)
class LookBack:
    """There may be messages that were not told: on one server, or everywhere."""

    guild: discord.Guild | None = None


Came = discord.Message | LookBack


def wanted_intents() -> discord.Intents:
    """What is told of what happens: servers and their rooms, messages and their words."""
    return discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)


def connector() -> aiohttp.TCPConnector:
    """With the system's own way of finding addresses, whatever else is installed."""
    return aiohttp.TCPConnector(limit=0, resolver=aiohttp.ThreadedResolver())


class Line(discord.Client):
    """Lives on the account's loop. `came` is what it has brought; `told` is set once all servers
    are known."""

    def __init__(
        self, heard: Callable[[], None], online: Callable[[], None], proxy: str = ""
    ) -> None:
        _quiet()
        lines = connector()
        super().__init__(
            intents=wanted_intents(),
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            guild_ready_timeout=GUILDS_SECONDS,
            heartbeat_timeout=ZOMBIE_SECONDS,
            max_ratelimit_timeout=LONGEST_PAUSE,
            allowed_mentions=discord.AllowedMentions.none(),
            proxy=proxy or None,
            connector=lines,
            enable_debug_events=True,
        )
        self._connector = lines
        self._heard = heard
        self._online = online
        self.came: asyncio.Queue[Came] = asyncio.Queue()
        self.told = asyncio.Event()

    async def shut(self) -> None:
        """Close everything, also where the other end does not answer any more."""
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.close()
        except TimeoutError:
            await self.http.close()
        finally:
            await self._connector.close()  # which is the session's only after a login

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """What the library tells of. It would make a task for each event, of which none holds up
        the next; here things are only put down, in their order, and nothing once it is closed."""
        match event, args:
            case "socket_raw_receive", _:
                self._heard()
            case "connect", _:
                self.told.clear()
                self.came.put_nowait(LookBack())
                self._online()
            case "ready", _:
                self.told.set()
            case "guild_available", (discord.Guild() as guild,) if self.told.is_set():
                self.came.put_nowait(LookBack(guild))  # one that was away, or slow
            case "message", (discord.Message() as message,):
                self.came.put_nowait(message)


def _quiet() -> None:
    """What the library tells in the log, the channel tells the person in a sentence; and there is
    never any voice."""
    logging.getLogger("discord").setLevel(logging.CRITICAL)
    discord.VoiceClient.warn_nacl = False
