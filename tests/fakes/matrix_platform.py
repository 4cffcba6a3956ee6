"""People on a real Matrix server, for the channel's tests: `channel_contract.Platform`.

    with people(server, folder) as them:                 # one for all tests of a module
        platform = MatrixPlatform(server, them)          # a bot and rooms of its own for each test

The owner's private room is encrypted, the others are not. The bot reaches the server through a gate
that can be shut, because Synapse takes seconds to start. People live on a thread and a loop of
their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import logging
import re
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import nio
from nio.crypto.attachments import decrypt_attachment, encrypt_attachment

from moltbot_desktop.extensions.matrix.keys import GuardedStore, close_store
from moltbot_desktop.extensions.matrix.plugin import CAN
from moltbot_desktop.sdk.channel_abilities import Capabilities
from tests.fakes.channel_contract import PATIENCE_SECONDS, Post
from tests.fakes.chat_servers import HOST, ChatServer, add_to_synapse
from tests.fakes.held import hold

T = TypeVar("T")
PASSWORD = "pw"
TOKEN = "syt_canary_c4n4ry"
_NUMBERS = itertools.count(1)


def full(name: str) -> str:
    return f"@{name}:lab.local"


@dataclass
class Person:
    """Somebody with a client of their own; `events`: what was said, by room, as they read it."""

    client: Any
    events: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    syncing: asyncio.Task[None] | None = None

    async def follow(self) -> None:
        while True:
            told = await self.client.sync(timeout=10_000)
            if not isinstance(told, nio.SyncResponse):
                await asyncio.sleep(0.2)
                continue
            for room, info in told.rooms.join.items():
                for event in info.timeline.events:
                    if isinstance(event, nio.MegolmEvent):
                        self.unread.append(event.event_id)
                    self.events.setdefault(room, []).append(event.source)
            if self.client.should_upload_keys:
                await self.client.keys_upload()
            if self.client.should_query_keys:
                await self.client.keys_query()
            await self.client.send_to_device_messages()


class People:
    """Ada, who owns the assistant, and Eve, whom nobody knows; or, at the address of any server,
    those whose ids and passwords are given."""

    def __init__(
        self, server: ChatServer | str, folder: Path, given: Mapping[str, str] | None = None
    ) -> None:
        self._server = server
        self._folder = folder
        self._given = given or {full(name): PASSWORD for name in ("ada", "eve")}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="matrix people", daemon=True
        )
        self.persons: dict[str, Person] = {}

    def ask(self, work: Coroutine[Any, Any, T]) -> T:
        """Have it done on the people's loop; blocks."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_SECONDS)

    async def asked(self, work: Coroutine[Any, Any, T]) -> T:
        """The same from another loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def open(self) -> None:
        logging.getLogger("nio").setLevel(logging.ERROR)  # as the channel has it
        self._thread.start()
        for person, password in self._given.items():
            if isinstance(self._server, ChatServer):
                add_to_synapse(self._server, person[1:].partition(":")[0], password)
            self.ask(self._enter(person, password))

    def close(self) -> None:
        try:
            self.ask(self._leave())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _enter(self, name: str, password: str) -> None:
        config = nio.AsyncClientConfig(store=GuardedStore, request_timeout=30)
        server = self._server
        address = server if isinstance(server, str) else f"http://{HOST}:{server.port}"
        folder = self._folder / str(len(self.persons))
        folder.mkdir()
        client = nio.AsyncClient(address, name, store_path=str(folder), config=config)
        person = self.persons[name] = Person(client)
        assert isinstance(await client.login(password), nio.LoginResponse)
        person.syncing = asyncio.get_running_loop().create_task(person.follow())

    async def _leave(self) -> None:
        for person in self.persons.values():
            if person.syncing is not None:
                person.syncing.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await person.syncing
            close_store(person.client)
            await person.client.close()
        await self._loop.shutdown_default_executor()

    async def room(
        self, owner: str, others: Sequence[str], *, encrypted: bool, direct: bool
    ) -> str:
        """Make a room and invite into it; its id."""
        state = [nio.EnableEncryptionBuilder().as_dict()] if encrypted else []
        client = self.persons[owner].client
        made = await client.room_create(
            is_direct=direct,
            invite=list(others),
            initial_state=state,
            name=None if direct else "Club",
        )
        assert isinstance(made, nio.RoomCreateResponse), made
        async with asyncio.timeout(PATIENCE_SECONDS):
            while made.room_id not in client.rooms:
                await asyncio.sleep(0.02)
        for other in others:
            if other in self.persons:
                await self.persons[other].client.join(made.room_id)
        return str(made.room_id)

    async def joined(self, room: str, person: str, member: str) -> None:
        """Wait until somebody is in a room."""
        client = self.persons[person].client
        async with asyncio.timeout(PATIENCE_SECONDS):
            while member not in {m.user_id for m in (await client.joined_members(room)).members}:
                await asyncio.sleep(0.05)
            # Other clients ask for keys before they send; nio only when it is told of new ones.
            while not list(client.device_store.active_user_devices(member)):
                client.olm.users_for_key_query.add(member)
                await client.keys_query()

    async def looks_again(self, person: str, member: str) -> None:
        """Somebody may have come with another device."""
        client = self.persons[person].client
        client.olm.users_for_key_query.add(member)
        await client.keys_query()

    def session_key(self, person: str) -> str:
        """As clients show it: in groups of four."""
        key = str(self.persons[person].client.olm.account.identity_keys["ed25519"])
        return " ".join(key[n : n + 4] for n in range(0, len(key), 4))

    async def write(self, person: str, room: str, content: Mapping[str, Any], key: str) -> str:
        client = self.persons[person].client
        sent = await client.room_send(
            room, "m.room.message", dict(content), tx_id=key, ignore_unverified_devices=True
        )
        assert isinstance(sent, nio.RoomSendResponse), sent
        return str(sent.event_id)

    async def put(self, person: str, room: str, data: bytes, kind: str) -> dict[str, Any]:
        """Upload a file; what belongs into its event."""
        client = self.persons[person].client
        locked = None
        if client.rooms[room].encrypted:
            data, locked = encrypt_attachment(data)
        answer, _ = await client.upload(io.BytesIO(data), content_type=kind, filesize=len(data))
        url = answer.content_uri
        return {"file": {**locked, "url": url}} if locked else {"url": url}

    async def got(self, person: str, content: Mapping[str, Any]) -> bytes:
        """The bytes of a file that somebody sent."""
        client = self.persons[person].client
        locked = content.get("file")
        answer = await client.download(mxc=locked["url"] if locked else content["url"])
        data = bytes(answer.body)
        if not locked:
            return data
        key, digest = locked["key"]["k"], locked["hashes"]["sha256"]
        return bytes(decrypt_attachment(data, key, digest, locked["iv"]))


@contextlib.contextmanager
def people(server: ChatServer, folder: Path) -> Iterator[People]:
    them = People(server, folder)
    try:
        them.open()
        yield them
    finally:
        them.close()


@dataclass
class Gate:
    """A way to a server on another port, that can be shut."""

    target: int
    port: int = 0
    _server: asyncio.Server | None = None
    _lines: set[asyncio.StreamWriter] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, HOST, self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def shut(self) -> None:
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        for line in tuple(self._lines):
            line.transport.abort()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))
        await server.wait_closed()

    def hold(self) -> None:
        """Nobody gets an answer any more, and nobody is let go."""
        assert self._server is not None
        hold(self._server, [line.transport for line in self._lines])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        far = writer
        try:
            far_reader, far = await asyncio.open_connection(HOST, self.target)
            self._lines |= {writer, far}
            await asyncio.gather(_copied(reader, far), _copied(far_reader, writer))
        except OSError:
            pass
        finally:
            for one in (writer, far):
                self._lines.discard(one)
                one.transport.abort()
            self._tasks.discard(task)


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()


class MatrixPlatform:
    """Implements `channel_contract.Platform` for one test."""

    channel = "matrix"
    capabilities: Capabilities = CAN

    def __init__(self, server: ChatServer, them: People) -> None:
        self.server = server
        self.gate = Gate(server.port)
        self._begin(them)

    def _begin(self, them: People) -> None:
        self.them = them
        self.name = f"bot{next(_NUMBERS)}"
        self.bot = full(self.name)
        self.owner, self.stranger, self.group = full("ada"), full("eve"), "the group"
        self.rooms: dict[str, str] = {}
        self._events: dict[str, str] = {}
        self._entered: set[str] = set()
        self._bytes: dict[str, bytes] = {}

    def prepare(self, home: Path) -> Mapping[str, object]:
        del home
        return {"plugins": {"entries": {"matrix": {"enabled": True}}}}

    def account(self, *, token_is_right: bool = True) -> Mapping[str, object]:
        address = {"homeserver": f"http://{HOST}:{self.gate.port}"}
        if token_is_right:
            return {**address, "userId": self.bot, "password": PASSWORD}
        return {**address, "accessToken": TOKEN}

    async def start(self) -> None:
        await self.gate.open()
        if self.rooms:
            return
        await asyncio.to_thread(add_to_synapse, self.server, self.name, PASSWORD)
        await self.make_rooms()

    async def make_rooms(self) -> None:
        """For each person and the assistant, and one for all of them."""
        them, bot = self.them, [self.bot]
        for person in them.persons:
            # A stranger writes before the bot has come in, and then with no key for it.
            room = them.room(person, bot, encrypted=person == self.owner, direct=True)
            self.rooms[person] = await them.asked(room)
        others = [one for one in them.persons if one != self.owner]
        room = them.room(self.owner, [*others, *bot], encrypted=False, direct=False)
        self.rooms[self.group] = await them.asked(room)

    async def stop(self) -> None:
        await self.gate.shut()

    async def hold(self) -> None:
        self.gate.hold()

    async def say(
        self,
        message_id: str,
        text: str,
        *,
        sender: str,
        group: str = "",
        mentioned: bool = False,
        file: tuple[str, str, bytes] | None = None,
        times: int = 1,
        answers: str = "",
        thread: str = "",
    ) -> None:
        room = self.rooms[group or sender]
        if sender == self.owner and room not in self._entered:
            await self.them.asked(self.them.joined(room, sender, self.bot))
            self._entered.add(room)
        for known, event in self._events.items():  # the tests speak of messages by their own ids
            text = re.sub(rf'("messageId": "){re.escape(known)}"', rf'\g<1>{event}"', text)
        content: dict[str, Any] = {"msgtype": "m.text", "body": text}
        if file is not None:
            name, kind, data = file
            where = await self.them.asked(self.them.put(sender, room, data, kind))
            info = {"mimetype": kind, "size": len(data)}
            content = {"msgtype": "m.image", "body": text, "filename": name, "info": info, **where}
        content["m.mentions"] = {"user_ids": [self.bot]} if mentioned else {}
        if answers:
            event = self._events.get(answers, answers)
            content["m.relates_to"] = {"m.in_reply_to": {"event_id": event}}
        if thread:
            content["m.relates_to"] = {"rel_type": "m.thread", "event_id": self._events[thread]}
        key = f"say-{self.name}-{message_id}"
        for _ in range(times):
            sent = self.them.write(sender, room, content, key)
            self._events[message_id] = await self.them.asked(sent)

    def posts(self, to: str) -> Sequence[Post]:
        gone = {
            str(e.get("redacts") or e["content"].get("redacts")) for e in self._of(to, "redact")
        }
        names = {event: known for known, event in self._events.items()}
        found = []
        for event in self._of(to, "message"):
            relation = event["content"].get("m.relates_to", {})
            if event["event_id"] in gone or relation.get("rel_type") == "m.replace":
                continue
            answered = relation.get("m.in_reply_to", {}).get("event_id", "")
            text, files = self.versions(event["event_id"])[-1], self._files(to, event)
            known = names.get(answered, answered)
            found.append(Post(event["event_id"], to, "" if files else text, known, files))
        return found

    def _files(self, to: str, event: Mapping[str, Any]) -> tuple[tuple[str, bytes], ...]:
        content = event["content"]
        if "url" not in content and "file" not in content:
            return ()
        if event["event_id"] not in self._bytes:
            person = to if to in self.them.persons else self.owner
            self._bytes[event["event_id"]] = self.them.ask(self.them.got(person, content))
        return ((content["filename"], self._bytes[event["event_id"]]),)

    def contents(self, to: str) -> list[Mapping[str, Any]]:
        """Of all that the assistant has written there, edits too."""
        return [event["content"] for event in self._of(to, "message")]

    def event(self, message_id: str) -> str:
        """The server's id of a message of the test."""
        return self._events[message_id]

    def devices(self) -> list[str]:
        """The bot's devices, as the owner's client knows them."""
        client = self.them.persons[self.owner].client
        return [one.id for one in client.device_store.active_user_devices(self.bot)]

    def versions(self, post_id: str) -> Sequence[str]:
        found = []
        for to in self.rooms:
            for event in self._of(to, "message"):
                content = event["content"]
                relation = content.get("m.relates_to", {})
                if event["event_id"] == post_id:
                    found.append(str(content.get("body", "")))
                elif relation.get("rel_type") == "m.replace" and relation["event_id"] == post_id:
                    found.append(str(content["m.new_content"]["body"]))
        return found

    def reactions(self, message_id: str) -> Sequence[str]:
        event_id = self._events[message_id]
        found = []
        for to in self.rooms:
            gone = {str(e.get("redacts")) for e in self._of(to, "redact")}
            for event in self._of(to, "reaction"):
                relation = event["content"].get("m.relates_to", {})
                if relation.get("event_id") == event_id and event["event_id"] not in gone:
                    found.append(str(relation["key"]))
        return sorted(found)

    def _of(self, to: str, kind: str) -> list[Mapping[str, Any]]:
        """The bot's own events of one kind, each once, as the people have read them."""
        types = {
            "message": "m.room.message",
            "redact": "m.room.redaction",
            "reaction": "m.reaction",
        }
        person = self.them.persons[to if to in self.them.persons else self.owner]
        seen = {}
        for event in tuple(person.events.get(self.rooms.get(to, ""), ())):
            if event.get("sender") == self.bot and event.get("type") == types[kind]:
                if event["content"]:
                    seen.setdefault(event["event_id"], event)
        return list(seen.values())
