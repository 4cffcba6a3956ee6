"""One account of Matrix: syncs, hands messages over, and answers.

    channel = MatrixChannel(account, house)             # `sdk.plugin_values.RunningChannel`

A sync is acknowledged by asking for the next one, so its token is written down after its messages
are kept. The first sync of all says only where we are: nothing old is answered. What a room has
more than a sync brings is asked for page by page, backwards, until the last token.
https://spec.matrix.org/v1.11/client-server-api/#syncing
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

import nio

from moltbot_desktop.core.errors import ChannelAuthFailed, ChannelError, ChannelRefused
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.matrix.asking import file_bytes
from moltbot_desktop.extensions.matrix.house import House
from moltbot_desktop.extensions.matrix.keys import is_heard, keys_in_order
from moltbot_desktop.extensions.matrix.login import entered
from moltbot_desktop.extensions.matrix.notebook import Notebook
from moltbot_desktop.extensions.matrix.reading import (
    RoomView,
    answered_event,
    envelope_of,
    invite_of,
    since_we_came,
)
from moltbot_desktop.extensions.matrix.refusals import heard_as, in_short, wanted
from moltbot_desktop.extensions.matrix.sending import Sending
from moltbot_desktop.extensions.matrix.settings import settings_from
from moltbot_desktop.extensions.matrix.words import PHRASES
from moltbot_desktop.sdk.channels import (
    DeliveryTarget,
    Envelope,
    OutboundMessage,
    PeerKind,
    RemoteFile,
)
from moltbot_desktop.sdk.plugin_values import ChannelAccount

POLL_MS: Final = 30_000
_PAGE: Final = 100
_MOST_PAGES: Final = 20
_QUOTE_SECONDS: Final = 3.0
_MOST_STRANGERS: Final = 50
"""Rooms of people we do not know that are entered in one connection."""
_FILTER: Final = {
    "presence": {"types": []},
    "account_data": {"types": []},
    "room": {
        "timeline": {"limit": 50, "lazy_load_members": True},
        "state": {"lazy_load_members": True},
        "ephemeral": {"types": []},
        "account_data": {"types": []},
    },
}
_log = logging.getLogger(__name__)


class MatrixChannel:
    """Lives on the account's thread; the methods are explained in `sdk.channel_abilities`."""

    def __init__(self, account: ChannelAccount, house: House) -> None:
        self._account = account
        self._house = house
        self._settings = settings_from(account.settings)
        self._client: nio.AsyncClient | None = None
        self._notebook: Notebook | None = None
        self._sending: Sending | None = None
        self._my_name = ""
        self._strangers = 0
        self._complained = ""
        self._keyless: dict[str, str] = {}

    async def run(self) -> None:
        """See `RunningChannel.run`."""
        language = self._house.language
        async with entered(self._settings, self._account.name, self._house) as (client, notebook):
            self._client, self._notebook = client, notebook
            self._sending = Sending(client, self._settings, notebook, language)
            try:
                with heard_as(self._settings.homeserver, language):
                    await self._follow(client, notebook)
            finally:
                self._sending = None

    async def send(self, message: OutboundMessage, idempotency_key: str) -> str:
        return await self._out().send(message, idempotency_key)

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        await self._out().edit(message_id, message)

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        await self._out().delete(target, message_id)

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool = False
    ) -> None:
        await self._out().react(target, message_id, emoji, remove=remove)

    async def show_typing(self, target: DeliveryTarget) -> None:
        await self._out().show_typing(target)

    async def fetch(self, file: RemoteFile) -> AsyncIterator[bytes]:
        client = self._out().client
        with heard_as(self._settings.homeserver, self._house.language):
            most, language = self._settings.media_bytes, self._house.language
            async for piece in file_bytes(client, file.ref, most, language):
                yield piece

    async def _follow(self, client: nio.AsyncClient, notebook: Notebook) -> None:
        self._account.reaches(urlsplit(self._settings.homeserver).hostname or "")
        since = notebook.since or self._account.cursor
        told = await self._synced(client, since, whole=True)
        name = await client.get_displayname(client.user_id)
        self._my_name = str(getattr(name, "displayname", "") or "")
        await self._tend(client)
        self._account.online()
        await self._take(client, notebook, told, since)
        while True:
            since = notebook.since
            told = await self._synced(client, since, whole=False)
            self._account.heard()
            await self._tend(client)
            await self._take(client, notebook, told, since)

    async def _synced(self, client: nio.AsyncClient, since: str, *, whole: bool) -> Any:
        """The next sync. nio has no rooms after a start: `whole` asks for what they are."""
        answer = await client.sync(
            timeout=0 if whole else POLL_MS,
            sync_filter=_FILTER,
            since=since or None,
            full_state=whole or None,
            set_presence=None,
        )
        return wanted(answer, nio.SyncResponse, self._house.language)

    async def _tend(self, client: nio.AsyncClient) -> None:
        """Keys that are due. One that is refused is told, and the rest goes on."""
        for refusal in await keys_in_order(client, self._settings.trusted):
            try:
                wanted(refusal, nio.SyncResponse, self._house.language)
            except ChannelAuthFailed:
                raise
            except ChannelRefused as error:
                _log.info("keys were refused: %s", error)
                if isinstance(refusal, nio.KeysUploadError):
                    self._complain("keys", reason=in_short(str(refusal.message)))
            except ChannelError as error:
                _log.info("keys have to wait: %s", error)

    async def _take(
        self, client: nio.AsyncClient, notebook: Notebook, told: Any, since: str
    ) -> None:
        """Keep what a sync has brought, then the place where it ended."""
        cursor = str(told.next_batch)
        kept: list[Envelope] = []
        keyless, self._keyless = self._keyless, {}
        if since:
            for room_id, info in told.rooms.join.items():
                events = await self._all_events(client, room_id, info.timeline, since)
                start = since_we_came([_source(one) for one in events], client.user_id)
                kept += await self._messages(client, notebook, room_id, events[start:], cursor)
            kept += await self._with_late_keys(client, notebook, told, cursor)
        for event_id, sender in keyless.items():  # a key mostly comes a moment after its message
            if event_id in notebook.unread:
                self._complain("unreadable", person=sender)
        if kept:
            await self._account.receive(kept)
        for room_id, invite in told.rooms.invite.items():
            state = [_source(one) for one in invite.invite_state]
            await self._consider(client, room_id, state)
        notebook.since = cursor
        self._save(notebook)
        await self._mark_read(client, kept)

    async def _all_events(
        self, client: nio.AsyncClient, room_id: str, timeline: Any, since: str
    ) -> list[Any]:
        """A room's events since the last sync, the oldest first."""
        events = list(timeline.events)
        place = timeline.prev_batch
        if not timeline.limited or since_we_came([_source(e) for e in events], client.user_id):
            return events
        for _ in range(_MOST_PAGES):
            if not place:
                break
            answer = await client.room_messages(
                room_id, place, end=since, direction=nio.MessageDirection.back, limit=_PAGE
            )
            page = wanted(answer, nio.RoomMessagesResponse, self._house.language)
            events[:0] = reversed(page.chunk)
            if not page.chunk or not page.end or page.end == place:
                break
            place = page.end
        else:
            _log.warning("matrix: a room had more news than are read; the oldest are left out")
        return events

    async def _messages(
        self,
        client: nio.AsyncClient,
        notebook: Notebook,
        room_id: str,
        events: Sequence[Any],
        cursor: str,
    ) -> list[Envelope]:
        room, found = client.rooms[room_id], []
        view = RoomView(
            room_id,
            client.user_id,
            self._my_name,
            room.member_count,
            lambda person: str(room.user_name(person) or ""),
        )
        for event in events:
            envelope = await self._message(client, notebook, view, event, cursor)
            if envelope is not None:
                found.append(envelope)
                if envelope.peer is not None and envelope.peer.kind is PeerKind.DM:
                    notebook.talked(envelope.sender.id, room_id)
        return found

    async def _message(
        self, client: nio.AsyncClient, notebook: Notebook, view: RoomView, event: Any, cursor: str
    ) -> Envelope | None:
        trusted = self._settings.trusted
        encrypted = bool(client.rooms[view.id].encrypted)
        sender = str(getattr(event, "sender", ""))
        if isinstance(event, nio.MegolmEvent):
            if sender != view.me:
                notebook.wait_for(str(event.event_id), view.id, str(event.session_id))
                self._keyless[str(event.event_id)] = sender
                with contextlib.suppress(nio.LocalProtocolError):  # it was asked for already
                    await client.request_room_key(event)
            return None
        now = self._house.clock.now()
        envelope = envelope_of(event.source, view, self._settings.threads, now, cursor)
        if envelope is None:
            return None
        if not is_heard(event, encrypted_room=encrypted, trusted=trusted):
            # The device may only not have been asked for yet.
            await self._tend(client)
            again = await client.room_get_event(view.id, envelope.message_id)
            event = getattr(again, "event", event)
            if not is_heard(event, encrypted_room=encrypted, trusted=trusted):
                self._complain("untrusted", person=sender)
                return None
        if getattr(event, "decrypted", False):
            self._complain("")
        return await self._with_quote(client, view, envelope) if envelope.reply_to else envelope

    async def _with_quote(
        self, client: nio.AsyncClient, view: RoomView, envelope: Envelope
    ) -> Envelope:
        """With what it answers as the server has it. In an encrypted room the server could have
        made up what is not encrypted there; then what whoever writes says is all that there is."""
        encrypted = bool(client.rooms[view.id].encrypted)
        trusted = self._settings.trusted
        try:
            async with asyncio.timeout(_QUOTE_SECONDS):
                found = await client.room_get_event(view.id, envelope.reply_to)
        except TimeoutError:
            return envelope
        event = getattr(found, "event", None)
        if event is None or isinstance(event, nio.MegolmEvent):
            return envelope
        if not is_heard(event, encrypted_room=encrypted, trusted=trusted):
            return envelope
        return replace(envelope, quoted=answered_event(event.source, view) or envelope.quoted)

    async def _with_late_keys(
        self, client: nio.AsyncClient, notebook: Notebook, told: Any, cursor: str
    ) -> list[Envelope]:
        """Messages that waited for the keys that this sync has brought."""
        keys = (nio.RoomKeyEvent, nio.ForwardedRoomKeyEvent)
        came = {one.session_id for one in told.to_device_events if isinstance(one, keys)}
        found: list[Envelope] = []
        for event_id, (room_id, session) in list(notebook.unread.items()):
            if session not in came or room_id not in client.rooms:
                continue
            answer = await client.room_get_event(room_id, event_id)
            if not isinstance(answer, nio.RoomGetEventResponse):
                continue
            if isinstance(answer.event, nio.MegolmEvent):
                continue
            del notebook.unread[event_id]
            found += await self._messages(client, notebook, room_id, [answer.event], cursor)
        return found

    async def _mark_read(self, client: nio.AsyncClient, kept: Sequence[Envelope]) -> None:
        last = {}
        for one in kept:
            room = self._room_of(one)
            if room:
                last[room] = one.message_id
        for room, event in last.items():
            answer = await client.room_read_markers(room, event, event)
            if isinstance(answer, nio.ErrorResponse):
                _log.info("matrix: not marked as read: %s", answer.status_code)

    def _room_of(self, envelope: Envelope) -> str:
        peer = envelope.peer
        if peer is None or self._notebook is None:
            return ""
        return self._notebook.talks.get(peer.id, "") if peer.kind is PeerKind.DM else peer.id

    async def _consider(
        self, client: nio.AsyncClient, room_id: str, state: Sequence[JsonObject]
    ) -> None:
        """Take an invitation, or leave it."""
        invite = invite_of(room_id, state, client.user_id)
        if invite is None or not self._settings.joins(invite):
            return
        if invite.inviter not in self._settings.known:
            self._strangers += 1
            if self._strangers > _MOST_STRANGERS:
                _log.warning("matrix: too many invitations of people who are not known")
                return
        answer = await client.join(room_id)
        if not isinstance(answer, nio.JoinResponse):
            _log.info("matrix: an invitation cannot be taken: %s", answer.status_code)

    def _complain(self, phrase: str, **slots: object) -> None:
        """Tell the person what does not work, or, with "", that it works again."""
        said = ""
        if phrase:
            said = PHRASES.say(phrase, self._house.language, **slots)
            said += " " + PHRASES.say(f"{phrase}_hint", self._house.language)
        if said != self._complained:
            self._complained = said
            self._account.problem(said)

    def _save(self, notebook: Notebook) -> None:
        try:
            notebook.save()
        except OSError as error:
            language, folder = self._house.language, notebook.folder
            said = PHRASES.say("store", language, folder=folder, reason=error.strerror or error)
            raise ChannelError(said, hint=PHRASES.say("store_hint", language)) from error

    def _out(self) -> Sending:
        if self._sending is None:
            server = self._settings.homeserver
            said = PHRASES.say("away", self._house.language, server=server)
            raise ChannelError(said, hint=PHRASES.say("away_hint", self._house.language))
        return self._sending


def _source(event: Any) -> JsonObject:
    """An event as it came; nio takes the content out of those about members."""
    more = {
        name: getattr(event, name)
        for name in ("content", "prev_content")
        if name not in event.source and getattr(event, name, None) is not None
    }
    return {**event.source, **more}
