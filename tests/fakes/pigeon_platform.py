"""A platform of our own on loopback, and the channel for it: the smallest that can do everything.

    platform = PigeonPlatform()
    await platform.start()
    await platform.say("1", "hello")            # to whoever is connected, until it is acknowledged
    platform.posts                              # what the assistant has written there, by id

One JSON object a line. The channel logs in with a token; messages come until they are acknowledged,
and come again to a new connection when they were not.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.channel_contract import Post
from tests.fakes.held import hold
from tests.fakes.plugins import make_plugin

CODE = """
import asyncio, base64, itertools, json, pathlib
from datetime import UTC, datetime
from moltbot_desktop.core.errors import (
    ChannelAuthFailed, ChannelError, ChannelNotFound, ChannelRateLimited, ChannelTooLong)
from moltbot_desktop.sdk.channel_abilities import Capabilities, EditLimits, Markup, TextUnit
from moltbot_desktop.sdk.channels import Envelope, Peer, PeerKind, RemoteFile, Sender
from moltbot_desktop.sdk.plugins import PluginChannel

CAN = Capabilities(
    kinds=frozenset({PeerKind.DM, PeerKind.GROUP}), text_limit=300, unit=TextUnit.BYTES,
    markup=Markup.PLAIN, reply=True, edit=EditLimits(0.01), delete=True, react=True,
    typing_seconds=5.0, media_in=1_000_000, media_out=1_000_000, idempotent=True)
FAILURES = {"auth": ChannelAuthFailed, "rate": ChannelRateLimited, "long": ChannelTooLong,
            "gone": ChannelNotFound}


async def connected(settings):
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", settings["port"], limit=10**7)
    except OSError as error:
        raise ChannelError("The pigeons do not answer.", hint="Is the loft open?") from error
    writer.write(json.dumps({"token": settings["token"]}).encode() + b"\\n")
    try:
        hello = json.loads(await reader.readline() or b"{}")
    except BaseException:
        writer.close()
        raise
    if "error" in hello:
        writer.close()
        raise ChannelAuthFailed("The pigeons do not know this token.", hint="Get another one.")
    return reader, writer, hello.get("name", "")


async def probe(settings):
    _, writer, name = await connected(settings)
    writer.close()
    return name


class Pigeon:
    def __init__(self, account):
        self.account = account
        self.numbers = itertools.count()
        self.waiting = {}
        self.writer = None

    async def run(self):
        reader, self.writer, _ = await connected(self.account.settings)
        try:
            self.account.reaches("127.0.0.1")
            self.account.online()
            while line := await reader.readline():
                told = json.loads(line)
                if "answer" in told:
                    asked = self.waiting.pop(told["answer"])
                    if not asked.done():  # whoever asked may have been stopped
                        asked.set_result(told)
                elif "ping" in told:
                    self.account.heard()
                else:
                    await self.taken(told)
            raise ChannelError("The line was cut.")
        except ConnectionError as error:
            raise ChannelError("The line was cut.") from error
        finally:
            self.writer.close()
            for one in self.waiting.values():
                one.cancel()

    async def taken(self, told):
        peer = Peer(PeerKind(told["kind"]), told["peer"])
        files = [RemoteFile(f["ref"], f["name"], f["type"], f["size"]) for f in told["files"]]
        await self.account.receive([Envelope(
            "pigeon", told["id"], Sender(told["sender"]), told["text"], datetime.now(UTC),
            peer=peer, mentioned=told["mentioned"], files=tuple(files))])
        self.writer.write(json.dumps({"ack": told["id"]}).encode() + b"\\n")

    async def ask(self, what, **more):
        number = next(self.numbers)
        self.waiting[number] = asyncio.get_running_loop().create_future()
        line = json.dumps({"do": what, "number": number, **more})
        self.writer.write(line.encode() + b"\\n")
        told = await self.waiting[number]
        if "error" in told:
            raise FAILURES[told["error"]]("The pigeons refuse it.")
        return told

    async def send(self, message, idempotency_key):
        files = [[one.name, base64.b64encode(one.path.read_bytes()).decode()]
                 for one in message.attachments]
        told = await self.ask("send", key=idempotency_key, text=message.text, files=files,
                              to=message.target.peer.id, reply=message.reply_to)
        return told["id"]

    async def edit(self, message_id, message):
        await self.ask("edit", id=message_id, text=message.text)

    async def delete(self, target, message_id):
        await self.ask("delete", id=message_id)

    async def react(self, target, message_id, emoji, *, remove=False):
        await self.ask("react", id=message_id, emoji=emoji, remove=remove)

    async def show_typing(self, target):
        await self.ask("typing", to=target.peer.id)

    async def fetch(self, file):
        told = await self.ask("fetch", ref=file.ref)
        yield base64.b64decode(told["bytes"])


def register(api):
    api.register_channel(PluginChannel(
        "pigeon", Pigeon, CAN, probe=probe, silence_seconds=600))
"""
CONFIG = {
    "pigeon": {
        "label": "Pigeon",
        "schema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["port", "token"],
            "properties": {"port": {"type": "integer"}, "token": {"type": "string"}},
        },
        "uiHints": {"token": {"sensitive": True}},
    }
}
TOKEN = "coo"


def add_plugin(home: Path) -> None:
    make_plugin(home / "extensions", "pigeon", CODE, channels=["pigeon"], channelConfigs=CONFIG)


@dataclass
class PigeonPlatform:
    """Lives on the test's loop.

    Attributes:
        posts: by id, in the order in which they came.
        failures: what the next sends are answered with: ``auth``, ``rate``, ``long``, ``gone``.
        reactions: by message.
        typing: to whom it was shown that we write.
        history: each text that a post had.
    """

    port: int = 0
    posts: dict[str, Post] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    reactions: dict[str, set[str]] = field(default_factory=dict)
    typing: list[str] = field(default_factory=list)
    history: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    connections: int = 0
    _keys: dict[str, str] = field(default_factory=dict)
    _unacknowledged: dict[str, str] = field(default_factory=dict)
    _lines: set[asyncio.StreamWriter] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, limit=10**7)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is None:
            return
        self._server.close()
        for line in tuple(self._lines):
            line.transport.abort()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks))
        await self._server.wait_closed()
        self._server = None

    async def hold(self) -> None:
        """It answers nothing any more, and lets nobody go."""
        assert self._server is not None
        hold(self._server, [line.transport for line in self._lines])

    async def say(
        self,
        message_id: str,
        text: str,
        *,
        sender: str = "ada",
        group: str = "",
        mentioned: bool | None = None,
        file: tuple[str, str, bytes] | None = None,
        times: int = 1,
    ) -> None:
        files = []
        if file is not None:
            self.files[message_id] = file[2]
            files = [{"ref": message_id, "name": file[0], "type": file[1], "size": len(file[2])}]
        line = json.dumps(
            {
                "id": message_id,
                "kind": "group" if group else "dm",
                "peer": group or sender,
                "sender": sender,
                "text": text,
                "mentioned": mentioned,
                "files": files,
            }
        )
        self._unacknowledged[message_id] = line
        for writer in self._lines:
            for _ in range(times):
                writer.write(line.encode() + b"\n")

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._talk(reader, writer)
        except ConnectionError:
            pass
        finally:
            self._lines.discard(writer)
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hello = json.loads(await reader.readline() or b"{}")
        known = hello.get("token") == TOKEN
        answer = {"name": "@pigeon"} if known else {"error": "auth"}
        writer.write(json.dumps(answer).encode() + b"\n")
        if not known:
            return
        self.connections += 1
        self._lines.add(writer)
        for line in tuple(self._unacknowledged.values()):
            writer.write(line.encode() + b"\n")
        while line := await reader.readline():
            told = json.loads(line)
            if "ack" in told:
                self._unacknowledged.pop(told["ack"], None)
            else:
                answer = {"answer": told["number"], **self._done(told)}
                writer.write(json.dumps(answer).encode() + b"\n")

    def _done(self, told: dict[str, object]) -> dict[str, object]:
        name = str(told.get("id", ""))
        match told["do"]:
            case "send":
                return self._sent(told)
            case "edit" if name in self.posts:
                post = self.posts[name]
                self.posts[name] = Post(post.id, post.to, str(told["text"]), post.reply_to)
                self.history[name].append(str(told["text"]))
            case "edit":
                return {"error": "gone"}
            case "delete":
                self.posts.pop(name, None)
            case "react":
                found = self.reactions.setdefault(name, set())
                (found.discard if told["remove"] else found.add)(str(told["emoji"]))
            case "typing":
                self.typing.append(str(told["to"]))
            case "fetch":
                return {"bytes": base64.b64encode(self.files[str(told["ref"])]).decode()}
        return {}

    def _sent(self, told: dict[str, object]) -> dict[str, object]:
        if self.failures:
            return {"error": self.failures.pop(0)}
        key = str(told["key"])
        if key not in self._keys:
            name = self._keys[key] = f"p{len(self._keys)}"
            sent = told["files"]
            assert isinstance(sent, list)
            files = tuple((one, base64.b64decode(data)) for one, data in sent)
            post = Post(name, str(told["to"]), str(told["text"]), str(told["reply"]), files)
            self.posts[name] = post
            self.history[name] = [post.text]
        return {"id": self._keys[key]}
