"""An XMPP account as a channel: `RunningChannel`, `Editing`, `Deleting`, `Reacting`, `Typing`.

    channel = XmppChannel(account, clock, Language.ENGLISH)
    await channel.run()

What was written while we were away is read from the server's archives first (XEP-0313), and what
comes meanwhile waits behind it, so that nothing is out of order. A server confirms no message: each
is followed by a ping, whose answer comes behind a refusal of what went before.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
from collections.abc import AsyncIterator
from xml.etree import ElementTree as ET

from slixmpp.exceptions import IqError, IqTimeout, PresenceError
from slixmpp.jid import JID, InvalidJID
from slixmpp.stanza import Message, Presence
from slixmpp.xmlstream.xmlstream import NotConnectedError

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.xmpp.cursors import Cursors
from moltbot_desktop.extensions.xmpp.link import Link, session
from moltbot_desktop.extensions.xmpp.settings import settings_from
from moltbot_desktop.extensions.xmpp.stanzas import (
    Heard,
    names,
    read_archived,
    read_message,
    xml_text,
)
from moltbot_desktop.extensions.xmpp.words import PHRASES
from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    Peer,
    PeerKind,
    Quoted,
    Sender,
    quoted,
)
from moltbot_desktop.sdk.lately import Lately
from moltbot_desktop.sdk.plugins import ChannelAccount

PING_SECONDS = 30.0
ANSWER_SECONDS = 45.0
ENTER_SECONDS = 30.0
NICK_TRIES = 3
ARCHIVE_PAGE = 50
MOST_REACTIONS = 500
_NICK_CHANGED = 303
"""https://xmpp.org/extensions/xep-0045.html#registrar-statuscodes"""
_NOT_NOW = frozenset({"remote-server-timeout", "resource-constraint", "internal-server-error"})


class XmppChannel:
    """Belongs to the account's event loop."""

    def __init__(self, account: ChannelAccount, clock: Clock, language: Language) -> None:
        self._account = account
        self._clock = clock
        self._language = language
        self._settings = settings_from(account.settings)
        self._cursors = Cursors.parsed(account.cursor)
        self._nicks: dict[str, str] = {}
        self._problems: dict[str, str] = {}
        self._reactions: dict[tuple[str, str], list[str]] = {}
        self._lately = Lately()
        self._link: Link | None = None
        self._sending = asyncio.Lock()

    # ------------------------------------------------------------ what comes

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        self._account.reaches(self._settings.host or self._settings.domain)
        async with session(self._settings, self._language) as link:
            self._link = link
            link.client.add_event_handler("presence_subscribe", self._asked_to_be_seen)
            link.client.add_event_handler("groupchat_invite", self._invited)
            link.client.add_event_handler("groupchat_direct_invite", self._invited_directly)
            ticking = asyncio.get_running_loop().create_task(self._tick(link), name="xmpp ping")
            try:
                await self._catch_up(link, self._settings.jid)
                link.client.send_presence()
                await link.client.get_roster()
                for room, password in self._settings.rooms:
                    await self._enter(link, room, password)
                self._account.online()
                self._tell_problems()
                while True:
                    xml, writer = await link.next()
                    heard = read_message(xml)
                    if heard is not None:
                        await self._take(heard, writer)
            except (IqError, IqTimeout, NotConnectedError) as error:
                raise self._error("ended") from error
            finally:
                self._link = None
                ticking.cancel()

    async def _take(self, heard: Heard, writer: str = "") -> None:
        """Hand a message over, unless it is our own or comes from behind a room's curtain.

        `writer` is who the room says has written it. A nick is no proof; and who had it a while
        ago need not have it now. Without a writer somebody is known by their place in the room,
        which is nobody's address.
        """
        self._account.heard()
        room = heard.bare if heard.kind == "groupchat" else ""
        ours = self._nicks.get(heard.bare) if room else None
        own = heard.resource == ours if room else heard.bare == self._settings.jid
        if own and room:  # a room gives messages ids of its own, by which they are answered
            self._lately.wrote(_seen_as(room, heard.archive_id(room) or heard.id), heard.text)
        private = not room and heard.bare in self._nicks  # somebody of a room, to us alone
        if own or private or (room and (ours is None or not heard.resource)):
            return
        archive = room or self._settings.jid
        kept = heard.archive_id(archive)
        cursors = self._cursors.moved(archive, kept)
        said_now = heard.sent_at is None
        in_room = writer if writer and said_now else f"{room}/{heard.resource}"
        person = in_room if room else heard.bare
        envelope = Envelope(
            "xmpp",
            # In a room everybody's ids may be alike: there the room's own counts.
            (kept or heard.id) if room else (heard.id or kept),
            Sender(person, heard.resource if room else heard.bare.partition("@")[0]),
            heard.text,
            heard.sent_at or self._clock.now(),
            peer=Peer(PeerKind.GROUP, room) if room else Peer(PeerKind.DM, heard.bare),
            reply_to=heard.reply_to,
            quoted=self._quoted(heard),
            mentioned=(True if names(heard.text, ours or "") else None) if room else True,
            cursor=cursors.text,
        )
        await self._account.receive([envelope])
        self._lately.saw(_seen_as(heard.bare, envelope.message_id), heard.text, envelope.sender)
        self._cursors = cursors

    def _quoted(self, heard: Heard) -> Quoted | None:
        """What is answered: as it was seen here, else as whoever answers says, and then of nobody
        who is known."""
        seen = self._lately.answered(_seen_as(heard.bare, heard.reply_to))
        return seen or quoted(heard.quoted, Sender("", heard.answered))

    async def _catch_up(self, link: Link, archive: str) -> None:
        """What an archive has behind what was kept last; nothing where nothing ever was."""
        last = self._cursors.last.get(archive)
        if last is None:
            return
        try:
            async for xml in self._archived(link, archive, last):
                heard = read_archived(xml, archive)
                if heard is not None:
                    await self._take(heard)
        except (IqError, IqTimeout) as error:
            reason = error.condition if isinstance(error, IqError) else "timeout"
            self._problems[archive] = self._say("history", reason=reason)

    async def _archived(self, link: Link, archive: str, last: str) -> AsyncIterator[ET.Element]:
        plugin = link.client.plugin["xep_0313"]
        # Servers leave away that our own archive is ours; the query's random id says it as well.
        whose = None if archive == self._settings.jid else JID(archive)
        found = plugin.iterate(jid=whose, rsm={"after": last, "max": ARCHIVE_PAGE})
        async for result in found:
            yield result.xml

    async def _tick(self, link: Link) -> None:
        """A line that is dead is noticed by its silence."""
        for number in itertools.count(1):
            await asyncio.sleep(PING_SECONDS)
            with contextlib.suppress(ChannelError):  # the silence tells it
                await self._answered(link)
                self._account.heard()
            if number % 4 == 0:
                for room, password in self._settings.rooms:
                    if room not in self._nicks:
                        await self._enter(link, room, password)
                self._tell_problems()

    # ------------------------------------------------------------ rooms

    async def _enter(self, link: Link, room: str, password: str = "") -> None:
        rooms = link.client.plugin["xep_0045"]
        for nick in (f"{self._settings.nick}{'_' * tries}" for tries in range(NICK_TRIES)):
            try:
                await rooms.join_muc_wait(
                    JID(room), nick, password=password or None, maxstanzas=0, timeout=ENTER_SECONDS
                )
            except PresenceError as error:
                self._problems[room] = self._say(
                    "not_entered", room=room, reason=str(error.condition)
                )
                if error.condition != "conflict":
                    return
            except (TimeoutError, InvalidJID):
                self._problems[room] = self._say("not_entered", room=room, reason="timeout")
                return
            else:
                self._problems.pop(room, None)
                self._nicks[room] = nick
                link.client.add_event_handler(f"muc::{room}::self-presence", self._own_presence)
                await self._catch_up(link, room)
                return

    def _own_presence(self, presence: Presence) -> None:
        room = str(presence["from"].bare)
        if presence["type"] != "unavailable":
            self._nicks[room] = str(presence["from"].resource)
        elif _NICK_CHANGED not in presence["muc"]["status_codes"]:
            self._nicks.pop(room, None)
            self._problems[room] = self._say("put_out", room=room)
            self._tell_problems()

    async def _invited(self, stanza: Message) -> None:
        """A room passes an invitation on (XEP-0045, 7.8.2)."""
        await self._maybe_enter(str(stanza["muc"]["invite"]["from"].bare), str(stanza["from"].bare))

    async def _invited_directly(self, stanza: Message) -> None:
        room = str(stanza["groupchat_invite"]["jid"])
        await self._maybe_enter(str(stanza["from"].bare), room)

    async def _maybe_enter(self, by: str, room: str) -> None:
        wanted = self._settings.on_invite and by.lower() in self._settings.known
        if wanted and self._link is not None and room and room.lower() not in self._nicks:
            await self._enter(self._link, room.lower())

    def _asked_to_be_seen(self, presence: Presence) -> None:
        """Those who may write may see whether we are here."""
        person = str(presence["from"].bare)
        if person.lower() in self._settings.known and self._link is not None:
            self._link.client.send_presence(pto=person, ptype="subscribed")

    def _tell_problems(self) -> None:
        self._account.problem(" ".join(self._problems.values()))

    # ------------------------------------------------------------ what goes

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        """See `Outgoing.send`."""
        name = hashlib.sha256(idempotency_key.encode()).hexdigest()[:24]
        stanza = self._written(message.target, message.text)
        stanza["id"] = name
        if message.reply_to:
            stanza["reply"]["to"] = stanza["to"]
            stanza["reply"]["id"] = message.reply_to
        await self._given(stanza)
        self._lately.wrote(_seen_as(stanza["to"].bare, name), message.text)
        return name

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`; XEP-0308, which always names the first of the versions."""
        stanza = self._written(message.target, message.text)
        stanza["replace"]["id"] = message_id
        await self._given(stanza)
        self._lately.wrote(_seen_as(stanza["to"].bare, message_id), message.text)

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`; XEP-0424."""
        stanza = self._written(target, "")
        stanza["retract"]["id"] = message_id
        stanza.enable("store")
        await self._given(stanza)

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        """See `Reacting.react`; XEP-0444, which always tells all reactions of ours."""
        stanza = self._written(target, "")
        place = (str(stanza["to"]), message_id)
        now = [one for one in self._reactions.get(place, []) if one != emoji]
        now += [] if remove else [emoji]
        if len(self._reactions) >= MOST_REACTIONS:
            self._reactions.clear()
        self._reactions[place] = now
        self._open_link().client.plugin["xep_0444"].set_reactions(stanza, message_id, now)
        stanza.enable("store")
        await self._given(stanza)

    async def show_typing(self, target: DeliveryTarget) -> None:
        """See `Typing.show_typing`; XEP-0085."""
        stanza = self._written(target, "")
        stanza["chat_state"] = "composing"
        stanza.send()

    def _written(self, target: DeliveryTarget, text: str) -> Message:
        """A message to `target`.

        Raises:
            ChannelNotFound: there is no such place.
            ChannelError: the room is not entered now.
        """
        link, peer = self._open_link(), target.peer
        try:
            to = JID(peer.id if peer is not None else "")
        except InvalidJID as error:
            raise ChannelNotFound(self._say("not_taken", to="?", reason="JID")) from error
        if peer is None or not to.user:
            raise ChannelNotFound(self._say("not_taken", to=str(to), reason="JID"))
        in_room = peer.kind is not PeerKind.DM
        if in_room and peer.id not in self._nicks:
            said = self._say("room_first", room=peer.id)
            if any(room == peer.id for room, _ in self._settings.rooms):
                raise ChannelError(said)
            hint = PHRASES.say("room_first_hint", self._language)
            raise ChannelNotFound(said, hint=hint)
        stanza: Message = link.client.make_message(mto=to, mtype="groupchat" if in_room else "chat")
        if text:
            stanza["body"] = xml_text(text)
            if not in_room:
                stanza["chat_state"] = "active"
        return stanza

    async def _given(self, stanza: Message) -> None:
        """Send it, and wait until the server has it.

        Raises:
            ChannelRefused: it was not taken.
            ChannelError: it was not taken now, or nobody knows whether it was.
        """
        link, name = self._open_link(), str(stanza["id"])
        async with self._sending:
            stanza.send()
            await self._answered(link)
        condition = link.bounced.pop(name, "")
        if condition:
            said = self._say("not_taken", to=str(stanza["to"]), reason=condition)
            raise ChannelError(said) if condition in _NOT_NOW else ChannelRefused(said)

    async def _answered(self, link: Link) -> None:
        ping = link.client.plugin["xep_0199"]
        asked = asyncio.ensure_future(
            ping.send_ping(JID(self._settings.domain), timeout=ANSWER_SECONDS)
        )
        # The library goes on waiting for an answer after the connection is gone; what is written
        # next would wait with it.
        over = asyncio.ensure_future(link.over.wait())
        try:
            await asyncio.wait((asked, over), return_when=asyncio.FIRST_COMPLETED)
            if asked.done():
                await asked
        except IqError:
            pass  # an answer too: it need not know pings
        except (IqTimeout, NotConnectedError) as error:
            raise self._error("slow") from error
        finally:
            asked.cancel()
            over.cancel()
        if not link.is_open:
            raise self._error("ended")

    def _open_link(self) -> Link:
        if self._link is None or not self._link.is_open:
            raise self._error("ended")
        return self._link

    def _say(self, phrase: str, **slots: object) -> str:
        return PHRASES.say(phrase, self._language, **{"host": self._settings.server, **slots})

    def _error(self, phrase: str, **slots: object) -> ChannelError:
        return ChannelError(self._say(phrase, **slots))


def _seen_as(place: str, message_id: str) -> str:
    """In another talk the same id means another message."""
    return f"{place} {message_id}".lower() if message_id else ""


async def probe(raw: JsonObject, language: Language) -> str:
    """Who we are there: the JID. Nobody sees us come.

    Raises:
        ChannelError: we are not let in.
    """
    settings = settings_from(raw)
    async with session(settings, language):
        return settings.jid
