"""What goes out of a room's events: messages, edits, redactions, reactions, typing, files.

    desk = Sending(client, settings, notebook, language)
    await desk.send(message, "run-9:0")

Every event has a transaction id that is made of the idempotency key: the server answers the second
try with the event of the first. In encrypted rooms nio encrypts on the way.
https://spec.matrix.org/v1.11/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace

import nio
from nio.crypto.attachments import encrypt_attachment

from moltbot_desktop.core.errors import (
    ChannelNotFound,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.matrix.asking import got_json, place
from moltbot_desktop.extensions.matrix.keys import keys_in_order
from moltbot_desktop.extensions.matrix.notebook import Notebook
from moltbot_desktop.extensions.matrix.reading import group, sequence, text_in
from moltbot_desktop.extensions.matrix.refusals import heard_as, wanted
from moltbot_desktop.extensions.matrix.settings import MatrixSettings
from moltbot_desktop.extensions.matrix.words import PHRASES
from moltbot_desktop.extensions.matrix.writing import (
    TEXT_LIMIT,
    changed,
    file_content,
    key_of,
    reaction_content,
    without_page,
    words_content,
)
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget, OutboundMessage, PeerKind

TYPING_SECONDS = 20.0
_MESSAGE = "m.room.message"


@dataclass
class Sending:
    """On the account's loop. Its methods raise what `sdk.channel_abilities` says."""

    client: nio.AsyncClient
    settings: MatrixSettings
    notebook: Notebook
    language: Language
    _typing: set[str] = field(default_factory=set)

    async def send(self, message: OutboundMessage, key: str) -> str:
        """The words first, then each file as an event of its own; the id of the first event."""
        with heard_as(self.settings.homeserver, self.language):
            room = await self._room_of(message.target)
            sent = []
            if message.text.strip():
                sent.append(await self._words(room, words_content(message), key_of(key, "words")))
                message = replace(message, reply_to="")
            for number, one in enumerate(message.attachments):
                content = await self._file(room, one, message)
                sent.append(await self._event(room, _MESSAGE, content, key_of(key, f"{number}")))
            if room in self._typing:
                self._typing.discard(room)
                await self.client.room_typing(room, False)
            return sent[0] if sent else ""

    async def edit(self, message_id: str, message: OutboundMessage) -> None:
        """See `Editing.edit`."""
        with heard_as(self.settings.homeserver, self.language):
            room = await self._room_of(message.target)
            await self._words(room, changed(message_id, message), None)

    async def delete(self, target: DeliveryTarget, message_id: str) -> None:
        """See `Deleting.delete`."""
        with heard_as(self.settings.homeserver, self.language):
            room = await self._room_of(target)
            key = key_of(message_id, "redact")
            answer = await self.client.room_redact(room, message_id, tx_id=key)
            try:
                wanted(answer, nio.RoomRedactResponse, self.language)
            except ChannelNotFound:
                return  # it is gone already

    async def react(
        self, target: DeliveryTarget, message_id: str, emoji: str, *, remove: bool
    ) -> None:
        """See `Reacting.react`."""
        with heard_as(self.settings.homeserver, self.language):
            room = await self._room_of(target)
            mine = await self._my_reactions(room, message_id, emoji)
            if remove:
                for one in mine:
                    answer = await self.client.room_redact(room, one, tx_id=key_of(one, "redact"))
                    wanted(answer, nio.RoomRedactResponse, self.language)
            elif not mine:
                content = reaction_content(message_id, emoji)
                await self._event(room, "m.reaction", content, None)

    async def show_typing(self, target: DeliveryTarget) -> None:
        """See `Typing.show_typing`."""
        with heard_as(self.settings.homeserver, self.language):
            room = await self._room_of(target)
            milliseconds = int(TYPING_SECONDS * 1000) + 5_000
            answer = await self.client.room_typing(room, True, milliseconds)
            wanted(answer, nio.RoomTypingResponse, self.language)
            self._typing.add(room)

    async def _words(self, room: str, content: JsonObject, key: str | None) -> str:
        try:
            return await self._event(room, _MESSAGE, content, key)
        except ChannelTooLong:
            pass  # with all its markup; the words alone may do
        try:
            return await self._event(room, _MESSAGE, without_page(content), key)
        except ChannelTooLong as error:
            raise ChannelTooLong(error.message, limit=TEXT_LIMIT // 2) from error

    async def _event(self, room: str, kind: str, content: JsonObject, key: str | None) -> str:
        if self.client.olm is not None and self.client.rooms[room].encrypted:
            if not self.client.rooms[room].members_synced:
                answer = await self.client.joined_members(room)
                wanted(answer, nio.JoinedMembersResponse, self.language)
            await keys_in_order(self.client, self.settings.trusted)
        answer = await self.client.room_send(
            room, kind, dict(content), tx_id=key, ignore_unverified_devices=True
        )
        return str(wanted(answer, nio.RoomSendResponse, self.language).event_id)

    async def _file(self, room: str, one: Attachment, message: OutboundMessage) -> JsonObject:
        encrypted = self.client.olm is not None and self.client.rooms[room].encrypted
        try:
            with one.path.open("rb") as file:
                data = file.read(self.settings.media_bytes + 1)
        except OSError as error:
            reason = error.strerror or str(error)
            raise ChannelRefused(self._say("file", reason=reason)) from error
        if len(data) > self.settings.media_bytes:
            raise ChannelRefused(self._say("too_large"))
        size, locked = len(data), None
        if encrypted:
            data, locked = encrypt_attachment(data)
        # Of an encrypted file not even the name is the server's business.
        kind = "" if encrypted else one.media_type
        answer, _ = await self.client.upload(
            io.BytesIO(data),
            content_type=kind or "application/octet-stream",
            filename=None if encrypted else one.name,
            filesize=len(data),
        )
        try:
            url = str(wanted(answer, nio.UploadResponse, self.language).content_uri)
        except ChannelTooLong as error:  # cutting the words would not help
            raise ChannelRefused(self._say("too_large")) from error
        address = {"file": {**locked, "url": url}} if locked else {"url": url}
        return file_content(one.name, one.media_type, size, address, message)

    async def _my_reactions(self, room: str, message_id: str, emoji: str) -> list[str]:
        """The events that are our reaction `emoji` under a message; the server is asked, because
        another run of the program may have set them."""
        parts = ("rooms", room, "relations", message_id, "m.annotation", "m.reaction")
        told = await got_json(self.client, place("v1", *parts), self.language)
        return [
            text_in(event, "event_id")
            for event in sequence(told.get("chunk"))
            if event.get("sender") == self.client.user_id
            and group(group(event.get("content")).get("m.relates_to")).get("key") == emoji
        ]

    async def _room_of(self, target: DeliveryTarget) -> str:
        """The room of a target; for a person that in which they wrote last to us alone.

        Raises:
            ChannelNotFound: there is none.
        """
        peer = target.peer
        if peer is not None and (peer.kind is not PeerKind.DM or peer.id.startswith("!")):
            if peer.id in self.client.rooms:
                return peer.id
            raise ChannelNotFound(self._say("gone"))
        person = peer.id if peer is not None else ""
        last = self.notebook.talks.get(person, "")
        if last in self.client.rooms:
            return last
        for name, room in self.client.rooms.items():
            if person and room.member_count <= 2 and person in room.users:
                return str(name)
        raise ChannelNotFound(self._say("no_room", person=person), hint=self._say("no_room_hint"))

    def _say(self, phrase: str, **slots: object) -> str:
        return PHRASES.say(phrase, self.language, **slots)
