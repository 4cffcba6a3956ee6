"""A connection to an IRC server: `RunningChannel`.

    channel = IrcChannel(account, clock, Language.ENGLISH)
    await channel.run()                         # until it is cut
    await channel.send(message, key)            # when the server has taken every line

IRC confirms nothing, so after an answer comes a PING: what the server answers it with comes behind
any complaint about the lines before. Messages are handed over in the order in which they came.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import ssl
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
    MoltbotError,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.irc.dialogue import (
    Answered,
    Dialogue,
    Echoed,
    Event,
    Found,
    Noted,
    NotSent,
    Online,
    Said,
)
from moltbot_desktop.extensions.irc.lines import LineBuffer, read_line, write_line
from moltbot_desktop.extensions.irc.settings import IrcSettings, settings_from
from moltbot_desktop.extensions.irc.text import folded, parts_of, room_in_a_line
from moltbot_desktop.extensions.irc.throttle import Throttle
from moltbot_desktop.extensions.irc.words import PHRASES
from moltbot_desktop.sdk.channels import Envelope, OutboundMessage, Peer, PeerKind, Sender
from moltbot_desktop.sdk.plugins import ChannelAccount

READ_BYTES = 16_384
ANSWER_SECONDS = 60.0
PING_SECONDS = 30.0
KEEP_TRIES = 5
_NOT_NOW = frozenset("401 404 477".split())
"""Nobody has that nick, or the channel lets us not speak: both may pass."""
_NOT_IN_A_TARGET = frozenset(" ,:!\r\n\0\x07")


class IrcChannel:
    """Belongs to the account's event loop."""

    def __init__(self, account: ChannelAccount, clock: Clock, language: Language) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings)
        self._talk = Dialogue(self._settings, language, clock, account.cursor)
        self._throttle = Throttle(self._settings.line_seconds)
        self._writer: asyncio.StreamWriter | None = None
        self._sending = asyncio.Lock()
        self._tokens = itertools.count(1)
        self._waited_for = ""
        self._answer: asyncio.Future[Event] | None = None
        self._complaints: list[NotSent] = []
        self._echo = ""

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        self._account.reaches(self._settings.host)
        reader, writer = await connected(self._settings, self._language)
        self._writer = writer
        ticking = asyncio.get_running_loop().create_task(self._tick(), name="irc ping")
        try:
            writer.writelines(self._talk.hello())
            buffer = LineBuffer()
            while data := await reader.read(READ_BYTES):
                self._account.heard()
                await self._take([*buffer.feed(data)])
            raise self._error("ended", reason="EOF")
        except OSError as error:
            raise self._error("ended", reason=_reason(error)) from error
        finally:
            ticking.cancel()
            if self._answer is not None and not self._answer.done():
                self._answer.set_exception(self._error("ended", reason="EOF"))
            await _closed(writer)

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`."""
        peer = message.target.peer
        if peer is None or not peer.id or _NOT_IN_A_TARGET & set(peer.id) - set("!"):
            raise ChannelNotFound(self._say("no_target", target=peer.id if peer else ""))
        async with self._sending:
            target = await self._target(peer)
            room = room_in_a_line("PRIVMSG", target, self._talk.prefix_bytes)
            lines = [*parts_of(message.text, max(room, 64))]
            most = self._settings.most_lines
            if len(lines) > most:
                left = len(lines) - most + 1
                lines[most - 1 :] = [self._say("more", count=left)]
            self._complaints, self._echo = [], ""
            for line in lines:
                await asyncio.sleep(self._throttle.wait(asyncio.get_running_loop().time()))
                await self._write(write_line("PRIVMSG", target, line))
            token = f"moltbot-{next(self._tokens)}"
            await self._asked(token, write_line("PING", token))
            if self._complaints:
                raise self._not_taken(self._complaints[0])
            return self._echo

    async def _target(self, peer: Peer) -> str:
        """Where to write to.

        Raises:
            ChannelError: we are not in the channel now, or the person is away, or cannot be told
                from somebody who has taken their nick.
            ChannelNotFound: the channel is not one of ours.
        """
        if peer.kind is not PeerKind.DM:
            if self._talk.is_joined(peer.id):
                return peer.id
            if self._talk.is_wanted(peer.id):
                raise self._error("joins_first", channel=peer.id)
            hint = PHRASES.say("joins_first_hint", self._language)
            raise ChannelNotFound(self._say("joins_first", channel=peer.id), hint=hint)
        nick = self._talk.people.nick_of(peer.id) or peer.id.partition("!")[0]
        if self._settings.by_nick:
            return nick
        # Asked each time: whoever has the nick now need not be who had it before.
        found = await self._asked(folded(nick, self._talk.mapping), write_line("WHOIS", nick))
        if isinstance(found, Found) and found.person == peer.id:
            return nick
        # Nobody keeps messages for those who are away: it is tried until they are back.
        raise self._error("not_there", name=nick)

    def _not_taken(self, complaint: NotSent) -> ChannelError:
        if complaint.command in _NOT_NOW:
            return self._error("not_taken", reason=complaint.reason)
        return ChannelRefused(self._say("not_taken", reason=complaint.reason))

    async def _asked(self, token: str, line: bytes) -> Event:
        """Write `line` and wait for the answer to it.

        Raises:
            ChannelError: none comes, or the connection ends.
        """
        self._waited_for, self._answer = token, asyncio.get_running_loop().create_future()
        try:
            await self._write(line)
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self._answer
        except TimeoutError as error:
            raise self._error("slow") from error
        finally:
            self._waited_for, self._answer = "", None

    async def _write(self, line: bytes) -> None:
        if self._writer is None or self._writer.is_closing():
            raise self._error("ended", reason="EOF")
        try:
            self._writer.write(line)
            await self._writer.drain()
        except OSError as error:
            raise self._error("ended", reason=_reason(error)) from error

    # ------------------------------------------------------------ what comes

    async def _take(self, lines: Sequence[bytes]) -> None:
        said: list[Envelope] = []
        try:
            for raw in lines:
                line = read_line(raw, self._settings.fallback)
                for event in self._talk.take(line) if line is not None else ():
                    if isinstance(event, Said):
                        said.append(self._envelope(event))
                    else:
                        self._heard(event)
        finally:  # what was said before the server threw us out counts
            if said:
                await self._keep(said)
        for answer in self._talk.to_write():
            await self._write(answer)

    def _heard(self, event: Event) -> None:
        match event:
            case Online():
                self._account.online()
            case Noted(problem):
                self._account.problem(problem)
            case NotSent():
                self._complaints.append(event)
            case Echoed(_, message_id):
                self._echo = message_id
            case Answered(token) | Found(token):
                if token == self._waited_for and self._answer is not None:
                    if not self._answer.done():
                        self._answer.set_result(event)

    async def _keep(self, said: Sequence[Envelope]) -> None:
        """Hand messages over. IRC says nothing twice, so that it is tried a few times."""
        for left in reversed(range(KEEP_TRIES)):
            try:
                await self._account.receive(said)
                return
            except ChannelError:
                raise  # we are at our end
            except MoltbotError:
                if not left:
                    raise
                await asyncio.sleep(1.0)

    def _envelope(self, said: Said) -> Envelope:
        peer = Peer(PeerKind.GROUP, said.channel) if said.channel else None
        return Envelope(
            "irc",
            said.message_id,
            Sender(said.person, said.nick, said.nick),
            said.text,
            _when(said.time, self._clock.now()),
            peer=peer or Peer(PeerKind.DM, said.person),
            # Without our nick in it, the names of the agent may still be.
            mentioned=True if said.named else None,
            cursor=said.time,
        )

    async def _tick(self) -> None:
        """A line that is dead is noticed by its silence, and every minute what failed is tried."""
        for number in itertools.count(1):
            await asyncio.sleep(PING_SECONDS)
            if number % 2 == 0:
                self._talk.again()
            with contextlib.suppress(ChannelError):  # `run` tells it
                for line in (*self._talk.to_write(), write_line("PING", "still-there")):
                    await self._write(line)

    def _say(self, phrase: str, **slots: object) -> str:
        return PHRASES.say(phrase, self._language, **{"host": self._settings.host, **slots})

    def _error(self, phrase: str, **slots: object) -> ChannelError:
        return ChannelError(self._say(phrase, **slots))


async def probe(raw: JsonObject, clock: Clock, language: Language) -> str:
    """Who we are there: nick and server. Joins nothing and says nothing.

    Raises:
        ChannelError: we are not let in.
    """
    settings = replace(settings_from(raw), channels=(), nickserv_password="")
    reader, writer = await connected(settings, language)
    talk, buffer = Dialogue(settings, language, clock), LineBuffer()
    try:
        writer.writelines(talk.hello())
        while data := await reader.read(READ_BYTES):
            for one in buffer.feed(data):
                line = read_line(one, settings.fallback)
                for event in talk.take(line) if line is not None else ():
                    if isinstance(event, Online):
                        return f"{talk.nick} @ {settings.host}"
            writer.writelines(talk.to_write())
    except OSError as error:
        raise _ended(settings, language, _reason(error)) from error
    finally:
        await _closed(writer)
    raise _ended(settings, language, "EOF")


def _ended(settings: IrcSettings, language: Language, reason: str) -> ChannelError:
    return ChannelError(PHRASES.say("ended", language, host=settings.host, reason=reason))


async def connected(
    settings: IrcSettings, language: Language
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A line to the server.

    Raises:
        ChannelRefused: the settings lack a server, or would tell a password to everybody.
        ChannelError: the server cannot be reached, or is not the one it should be.
    """

    def say(phrase: str, **slots: object) -> str:
        given = {"host": settings.host, "port": settings.port, **slots}
        return PHRASES.say(phrase, language, **given)

    for phrase, wrong in (("no_host", not settings.host), ("in_the_open", settings.tells_secrets)):
        if wrong:
            raise ChannelRefused(say(phrase), hint=say(f"{phrase}_hint"))
    context = None
    try:
        if settings.tls:
            context = _trusting(settings.ca_file)
    except OSError as error:  # ssl.SSLError too
        said = say("ca_file", file=settings.ca_file)
        raise ChannelRefused(said, hint=say("ca_file_hint")) from error
    try:
        return await asyncio.open_connection(settings.host, settings.port, ssl=context)
    except ssl.SSLCertVerificationError as error:
        said = say("certificate", reason=error.verify_message)
        raise ChannelError(said, hint=say("certificate_hint")) from error
    except OSError as error:
        said = say("unreachable", reason=_reason(error))
        raise ChannelError(said, hint=say("unreachable_hint")) from error


def _trusting(ca_file: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca_file:
        context.load_verify_locations(ca_file)
    return context


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Say good-bye, and leave it to nobody else to close the socket."""
    with contextlib.suppress(OSError, TimeoutError):
        if not writer.is_closing():
            writer.write(write_line("QUIT", "Moltbot Desktop"))
        writer.close()
        async with asyncio.timeout(0.5):
            await writer.wait_closed()
    writer.transport.abort()


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _when(time: str, now: datetime) -> datetime:
    """A server's time, or `now` where it is none."""
    try:
        found = datetime.fromisoformat(time)
    except ValueError:
        return now
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
