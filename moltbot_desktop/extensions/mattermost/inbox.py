"""One WebSocket: hands over what people wrote, each message once it is its turn.

    await Inbox(client, people, account, settings, me, language, since).follow(line)

A message counts as read when it is on this computer's disk. What was lost before, because a line
broke or the program was not there, is looked for in the history of the rooms; so it is where the
numbers of events have a gap. https://api.mattermost.com/#tag/WebSocket
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import aiohttp

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.mattermost.client import MattermostClient
from moltbot_desktop.extensions.mattermost.events import (
    Frame,
    Me,
    Reply,
    Said,
    addresses,
    envelope_of,
    quoted_post,
    read_frame,
    read_posted,
)
from moltbot_desktop.extensions.mattermost.history import SLACK_MS, missed
from moltbot_desktop.extensions.mattermost.people import People
from moltbot_desktop.extensions.mattermost.settings import Settings
from moltbot_desktop.extensions.mattermost.values import group, identity
from moltbot_desktop.extensions.mattermost.words import say
from moltbot_desktop.sdk.channels import Envelope, PeerKind, Quoted
from moltbot_desktop.sdk.plugins import ChannelAccount

HELLO_SECONDS = 20.0
_MOST_WAITING = 5_000
_MOST_ROOTS = 5_000


@dataclass(frozen=True)
class _LookBack:
    """Something may have been missed: at the beginning of a line, and behind a gap."""


@dataclass
class Inbox:
    """Attributes:
    since: behind which time there may be messages that nobody has seen, in milliseconds.
    """

    client: MattermostClient
    people: People
    account: ChannelAccount
    settings: Settings
    me: Me
    language: Language
    since: int
    _last: int = 0
    _ours: dict[str, bool] = field(default_factory=dict)

    async def follow(self, line: aiohttp.ClientWebSocketResponse) -> None:
        """Until the line ends.

        Raises:
            ChannelAuthFailed: the token is not taken.
            ChannelError: the line broke, or never stood.
            MoltbotError: a message was not kept; it is found again over the next connection.
        """
        token = {"token": self.settings.token}
        await line.send_json({"seq": 1, "action": "authentication_challenge", "data": token})
        came: asyncio.Queue[Said | _LookBack | None] = asyncio.Queue()
        reader = asyncio.create_task(self._read(line, came))
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                first = await came.get()
            if first is None:
                await reader
                raise ChannelError(say("ended", self.language))
            self.account.online()
            await self._keep(await missed(self.client, self.since))
            while (one := await came.get()) is not None:
                if isinstance(one, Said):
                    await self._keep([one])
                else:
                    await self._keep(await missed(self.client, max(self.since, self._behind())))
            await reader
        except TimeoutError:
            raise ChannelError(say("slow", self.language)) from None
        finally:
            reader.cancel()
            with contextlib.suppress(asyncio.CancelledError, ChannelError):
                await reader
        raise ChannelError(say("ended", self.language))

    async def _read(
        self,
        line: aiohttp.ClientWebSocketResponse,
        came: asyncio.Queue[Said | _LookBack | None],
    ) -> None:
        """Puts what comes into `came`, and None at the end. It waits for nothing else, so that
        the line lives however long a message takes.

        Raises:
            ChannelAuthFailed: the token is not taken.
            ChannelError: more came than can be remembered; it is found in the history.
        """
        expected = 0
        try:
            async for frame in line:
                self.account.heard()
                if frame.type is aiohttp.WSMsgType.PING:
                    await line.pong(frame.data)
                if frame.type is not aiohttp.WSMsgType.TEXT:
                    continue
                match read_frame(frame.data):
                    case Reply(ok=False):
                        hint = say("token_hint", self.language)
                        raise ChannelAuthFailed(say("token", self.language), hint=hint)
                    case Frame() as told:
                        if told.event == "hello" or told.number > expected:
                            came.put_nowait(_LookBack())
                        expected = max(expected, told.number + 1)
                        said = read_posted(told.data) if told.event == "posted" else None
                        if said is not None:
                            came.put_nowait(said)
                        if came.qsize() > _MOST_WAITING:
                            raise ChannelError(say("ended", self.language))
        finally:
            came.put_nowait(None)

    async def _keep(self, messages: Sequence[Said]) -> None:
        envelopes: list[Envelope] = []
        for said in messages:
            if said.user == self.me.id:
                continue
            person = await self.people.who(said.user)
            if person is not None and person.is_bot:
                continue
            ours, answers = await self._began(said.root)
            if said.kind is PeerKind.DM:
                self.people.writes_from(said.user, said.room)
                to_us = True
            else:
                # What answers a message of ours is addressed to us.
                to_us = addresses(said, self.me, self.settings) or ours
            self._last = max(self._last, said.at)
            envelope = envelope_of(
                said, self.me, self.settings, person, to_us=to_us, answers=answers
            )
            envelopes.append(replace(envelope, cursor=str(self._last)))
        if envelopes:
            await self.account.receive(envelopes)

    def _behind(self) -> int:
        return self._last - SLACK_MS if self._last else 0

    async def _began(self, root: str) -> tuple[bool, Quoted | None]:
        """Whether a thread began with a message of ours; and that message, the first time that
        somebody writes there: to write in a thread is Mattermost's way to answer."""
        if not root or root in self._ours:
            return self._ours.get(root, False), None
        try:
            post = group(await self.client.ask("GET", f"/posts/{root}"))
        except (ChannelNotFound, ChannelRefused):
            post = {}
        writer = identity(post.get("user_id"))
        if len(self._ours) >= _MOST_ROOTS:
            self._ours.clear()
        self._ours[root] = ours = writer == self.me.id
        person = await self.people.who(writer) if writer and not ours else None
        return ours, quoted_post(post, person, self.me)
