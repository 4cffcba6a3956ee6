"""Hands over what people wrote, each message once it is its turn, and looks for what was missed.

    await Inbox(line, account, clock, began).run()       # until cancelled

A message counts as read when it is on this computer's disk. What was lost before, because a line
broke or the program was not there, is asked for in each room: Discord keeps it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import discord

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.discord.cursor import Cursor
from moltbot_desktop.extensions.discord.line import Line, LookBack
from moltbot_desktop.extensions.discord.reading import envelope_of
from moltbot_desktop.extensions.discord.refusals import told
from moltbot_desktop.sdk.channels import Envelope
from moltbot_desktop.sdk.plugins import ChannelAccount

MOST_MISSED = 1_000
"""Messages of one room; the oldest of them are read, the rest was too much to be answered."""
_Room = discord.TextChannel | discord.VoiceChannel | discord.Thread
_log = logging.getLogger(__name__)


@dataclass
class Inbox:
    """Attributes:
    began: id at which this program first listened with this bot; nothing before it is looked for
        unless something was kept before.
    """

    line: Line
    account: ChannelAccount
    clock: Clock
    language: Language
    began: int

    async def run(self) -> None:
        """Until cancelled.

        Raises:
            MoltbotError: a message was not kept; it is found again over the next connection.
            ChannelError: Discord does not tell what was missed.
        """
        cursor = Cursor.read(self.account.cursor)
        while True:
            came = await self.line.came.get()
            if isinstance(came, LookBack):
                await self.line.told.wait()
                missed = await self._missed(cursor, came.guild)
                cursor = await self._kept(missed, cursor)
            else:
                cursor = await self._kept([came], cursor)

    async def _kept(self, messages: Sequence[discord.Message], cursor: Cursor) -> Cursor:
        """Have them kept; how far it is read then."""
        envelopes: list[Envelope] = []
        for one in messages:
            envelope = envelope_of(one, self._me)
            if envelope is not None:
                direct = one.channel.id if one.guild is None else 0
                cursor = cursor.after(one.id, direct=direct)
                envelopes.append(replace(envelope, cursor=str(cursor)))
        if envelopes:
            await self.account.receive(envelopes)
        return cursor

    async def _missed(self, cursor: Cursor, guild: discord.Guild | None) -> list[discord.Message]:
        """What was written behind the cursor, the oldest first."""
        since = cursor.since(self.clock.now().timestamp()) or self.began
        found: list[discord.Message] = []
        for room in self._rooms(cursor, guild, since):
            with told(self.language):
                try:
                    found += await _behind(room, since)
                except (discord.Forbidden, discord.NotFound) as error:
                    _log.info("discord: a room cannot be looked through: %s", error.code)
        return sorted(found, key=lambda one: one.id)

    def _rooms(
        self, cursor: Cursor, guild: discord.Guild | None, since: int
    ) -> Iterator[discord.abc.Messageable]:
        """Those in which something was written since."""
        for one in self.line.guilds if guild is None else (guild,):
            rooms: list[_Room] = [*one.text_channels, *one.voice_channels, *one.threads]
            yield from (room for room in rooms if (room.last_message_id or 0) > since)
        if guild is None:
            private = discord.ChannelType.private
            for talk in cursor.talks:
                yield self.line.get_partial_messageable(talk, type=private)

    @property
    def _me(self) -> int:
        return self.line.user.id if self.line.user is not None else 0


async def _behind(room: discord.abc.Messageable, since: int) -> list[discord.Message]:
    after = discord.Object(since)
    return [one async for one in room.history(limit=MOST_MISSED, after=after, oldest_first=True)]
