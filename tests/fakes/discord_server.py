"""Discord on loopback, after its public documents: the REST API v10 and the gateway.

    server = DiscordServer()                # has a port from the beginning
    with pointed_at(server):                # the library's addresses, until the end of the block
        await server.start()
        server.say("hello", author=BOB)                     # a private message
        server.posts(BOB)                                   # what the bot has written to him
        server.cut()                                        # the line breaks; RESUME works
        server.faults.append(Fault("POST", "/messages", 429, {"retry_after": 0.1}))

Each assumption about the platform is a test in tests/integration/channels/test_discord_server.py,
with the address of the page that says it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import re
import socket
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import discord
import yarl
from aiohttp import WSMsgType, web

from tests.fakes.held import hold_web

TOKEN = "MTA.canary.discord-token"
ME, BOB, EVE, OTHER_BOT = "900", "42", "43", "77"
GUILD, ROOM, THREAD = "500", "501", "502"
ROLE = "510"
EPOCH_MS = 1_420_070_400_000
Event = dict[str, Any]
_MEMBER: Event = {
    "roles": [],
    "joined_at": "2024-01-01T00:00:00+00:00",
    "deaf": False,
    "mute": False,
    "flags": 0,
}


@dataclass(frozen=True)
class Fault:
    """The next request of that kind is answered so. `before_doing`: not even carried out."""

    method: str
    ending: str
    status: int
    body: Mapping[str, object] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    before_doing: bool = True


@dataclass(eq=False)
class Session:
    """What was told in one session, for RESUME; `line` is who listens now."""

    id: str
    log: list[Event] = field(default_factory=list)
    line: Line | None = None


@dataclass(eq=False)
class Line:
    """One connection to the gateway."""

    socket: web.WebSocketResponse
    request: web.Request
    packer: Any
    mute: bool = False

    async def tell(self, payload: Event) -> None:
        text = json.dumps(payload).encode()
        packed = self.packer.compress(text) + self.packer.flush(zlib.Z_SYNC_FLUSH)
        with contextlib.suppress(ConnectionError):
            await self.socket.send_bytes(packed)

    def cut(self) -> None:
        if self.request.transport is not None:
            self.request.transport.abort()


def user(number: str) -> Event:
    names = {ME: "molt", BOB: "bob", EVE: "eve"}
    name = names.get(number, f"u{number}")
    return {
        "id": number,
        "username": name,
        "discriminator": "0",
        "avatar": None,
        "global_name": name.title(),
        "bot": number in (ME, OTHER_BOT),
    }


def room_of(person: str) -> str:
    """The id of the private room with somebody."""
    return f"7{int(person):06}"


@contextlib.contextmanager
def pointed_at(server: DiscordServer) -> Iterator[None]:
    """The library has no setting for its addresses."""
    gateway = discord.gateway.DiscordWebSocket
    before = discord.http.Route.BASE, gateway.DEFAULT_GATEWAY
    discord.http.Route.BASE = f"{server.address}/api/v10"
    gateway.DEFAULT_GATEWAY = yarl.URL(server.gateway)
    try:
        yield
    finally:
        discord.http.Route.BASE, gateway.DEFAULT_GATEWAY = before
        server.give_port_back()


class DiscordServer:
    """Lives on the test's loop.

    Attributes:
        history: messages by room, the oldest first.
        versions: each text that a post had.
        reactions: of the bot, by message.
        faults: see `Fault`; each is used once.
        calls: method and path of each request.
        intents: that the bot may ask for; others close the line with 4014.
        close_with: the next IDENTIFY is answered with this close code.
        beats: heartbeats that came.
        stalls: whether files never come; `stalled`: how often one was asked for then.
    """

    def __init__(self) -> None:
        self._socket: socket.socket | None = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        first = (int(datetime.now(UTC).timestamp() * 1000) - EPOCH_MS) << 22
        self._ids = itertools.count(first)
        self._runner: web.AppRunner | None = None
        self._sessions: dict[str, Session] = {}
        self._session_ids = itertools.count(1)
        self._nonces: dict[str, Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.history: dict[str, list[Event]] = {}
        self.versions: dict[str, list[str]] = {}
        self.reactions: dict[str, list[str]] = {}
        self.files: dict[str, tuple[str, bytes]] = {}
        self.sent_files: dict[str, list[tuple[str, bytes]]] = {}
        self.typing: list[str] = []
        self.faults: list[Fault] = []
        self.calls: list[tuple[str, str]] = []
        self.intents = ~0 & ~discord.Intents(members=True, presences=True).value
        self.application_flags = 1 << 18
        self.close_with = 0
        self.heartbeat_ms = 41_250
        self.beats = 0
        self.identifies = 0
        self.resumes = 0
        self.stalls = False
        self.stalled = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def gateway(self) -> str:
        return f"ws://127.0.0.1:{self.port}/gateway/"

    async def start(self) -> None:
        app = web.Application(client_max_size=30 * 2**20)
        app.router.add_get("/gateway/", self._gateway)
        app.router.add_get("/cdn/{key}", self._cdn)
        app.router.add_route("*", "/api/v10/{path:.*}", self._rest)
        self._runner = web.AppRunner(app, shutdown_timeout=0.2, handler_cancellation=True)
        await self._runner.setup()
        if self._socket is None:
            self._socket = socket.create_server(("127.0.0.1", self.port))
        await web.SockSite(self._runner, self._socket).start()
        self._socket = None

    async def stop(self) -> None:
        """The server goes with its sessions; what was written stays."""
        self.cut()
        self._sessions.clear()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def hold(self) -> None:
        """It answers nothing any more, and lets nobody go."""
        hold_web(self._runner)

    def give_port_back(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def cut(self) -> None:
        """Every line breaks without a word."""
        for session in self._sessions.values():
            if session.line is not None:
                session.line.cut()
                session.line = None

    def go_mute(self) -> None:
        """Lines stay, and nothing comes over them any more, not even the answer to a heartbeat."""
        for session in self._sessions.values():
            if session.line is not None:
                session.line.mute = True

    def tell(self, op: int, data: object = None) -> None:
        """An order of the gateway: 7 to connect anew, 9 that the session is none."""
        for session in self._sessions.values():
            if session.line is not None:
                self._later(session.line, {"op": op, "d": data, "s": None, "t": None})

    def forget_sessions_and_cut(self) -> None:
        """Every line breaks, and nobody can go on where it was."""
        self.cut()
        self._sessions.clear()

    def event(self, name: str, data: Mapping[str, object]) -> None:
        """For everybody who listens, and whoever comes back later in the same session."""
        for session in self._sessions.values():
            payload = {"op": 0, "t": name, "s": len(session.log) + 1, "d": dict(data)}
            session.log.append(payload)
            if session.line is not None and not session.line.mute:
                self._later(session.line, payload)

    def say(
        self,
        text: str,
        *,
        author: str = BOB,
        room: str = "",
        times: int = 1,
        file: tuple[str, str, bytes] | None = None,
        **more: object,
    ) -> Event:
        """Somebody writes, into a private room unless `room` says another."""
        there = room or room_of(author)
        message = self._message(there, user(author), text)
        if file is not None:
            message["attachments"] = [self._attachment(*file)]
        message.update(more)
        self.history.setdefault(there, []).append(message)
        for _ in range(times):
            self.event("MESSAGE_CREATE", self._told(message))
        return message

    def answering(self, number: str) -> Event:
        """What a message has that answers another one.
        https://discord.com/developers/docs/resources/message#message-object"""
        known = (one for there in self.history.values() for one in there)
        told = next(one for one in known if one["id"] == number)
        place = {"message_id": number, "channel_id": told["channel_id"]}
        return {"type": 19, "message_reference": place, "referenced_message": told}

    def posts(self, person_or_room: str) -> list[Event]:
        """What the bot has written there, the oldest first."""
        there = person_or_room if person_or_room in (ROOM, THREAD) else room_of(person_or_room)
        return [one for one in self.history.get(there, ()) if one["author"]["id"] == ME]

    def new_id(self) -> str:
        return str(next(self._ids))

    # ------------------------------------------------------------ values

    def _message(self, room: str, author: Event, text: str, **more: object) -> Event:
        return {
            "id": self.new_id(),
            "channel_id": room,
            "author": author,
            "content": text,
            "timestamp": datetime.now(UTC).isoformat(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [user(one) for one in re.findall(r"<@!?(\d+)>", text)],
            "mention_roles": re.findall(r"<@&(\d+)>", text),
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "type": 0,
            "flags": 0,
            "components": [],
            **more,
        }

    def _told(self, message: Event) -> Event:
        """As the gateway has it: with the server, and the member of it."""
        if message["channel_id"] not in (ROOM, THREAD):
            return {**message, "channel_type": 1}
        return {**message, "guild_id": GUILD, "member": _MEMBER}

    def _attachment(self, name: str, media_type: str, content: bytes) -> Event:
        number = self.new_id()
        self.files[number] = (media_type, content)
        address = f"{self.address}/cdn/{number}"
        return {
            "id": number,
            "filename": name,
            "size": len(content),
            "url": address,
            "proxy_url": address,
            "content_type": media_type,
        }

    def _guild(self) -> Event:
        def last(room: str) -> str | None:
            return self.history[room][-1]["id"] if self.history.get(room) else None

        everyone = {"id": GUILD, "name": "@everyone", "permissions": "1071698660929"}
        ours = {"id": ROLE, "name": "helpers", "permissions": "0"}
        more = {
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "position": 0,
            "managed": False,
            "mentionable": True,
            "flags": 0,
        }
        room = {
            "id": ROOM,
            "type": 0,
            "name": "general",
            "position": 0,
            "permission_overwrites": [],
            "nsfw": False,
            "parent_id": None,
            "topic": None,
            "last_message_id": last(ROOM),
            "rate_limit_per_user": 0,
        }
        thread = {
            "id": THREAD,
            "type": 11,
            "guild_id": GUILD,
            "parent_id": ROOM,
            "owner_id": BOB,
            "name": "plans",
            "last_message_id": last(THREAD),
            "message_count": 0,
            "member_count": 1,
            "rate_limit_per_user": 0,
            "thread_metadata": {
                "archived": False,
                "auto_archive_duration": 1440,
                "archive_timestamp": "2026-01-01T00:00:00+00:00",
                "locked": False,
            },
        }
        empty: dict[str, list[object]] = {
            name: []
            for name in "emojis features stickers voice_states presences stage_instances"
            " guild_scheduled_events soundboard_sounds".split()
        }
        return {
            **empty,
            "id": GUILD,
            "name": "club",
            "unavailable": False,
            "icon": None,
            "owner_id": BOB,
            "afk_timeout": 300,
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "roles": [{**everyone, **more}, {**ours, **more}],
            "mfa_level": 0,
            "system_channel_flags": 0,
            "premium_tier": 0,
            "preferred_locale": "en-US",
            "nsfw_level": 0,
            "premium_progress_bar_enabled": False,
            "joined_at": "2024-01-01T00:00:00+00:00",
            "large": False,
            "member_count": 3,
            "members": [{**_MEMBER, "roles": [ROLE], "user": user(ME)}],
            "channels": [room],
            "threads": [thread],
        }

    # ------------------------------------------------------------ gateway

    def _later(self, line: Line, payload: Event) -> None:
        task = asyncio.get_running_loop().create_task(line.tell(payload))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        answer = web.WebSocketResponse()
        await answer.prepare(request)
        line = Line(answer, request, zlib.compressobj())
        await line.tell({"op": 10, "d": {"heartbeat_interval": self.heartbeat_ms}})
        async for message in answer:
            if message.type is not WSMsgType.TEXT:
                break
            asked = json.loads(message.data)
            if line.mute:
                continue
            match asked["op"]:
                case 1:
                    self.beats += 1
                    await line.tell({"op": 11})
                case 2:
                    await self._identify(line, asked["d"])
                case 6:
                    await self._resume(line, asked["d"])
        return answer

    async def _identify(self, line: Line, asked: Event) -> None:
        self.identifies += 1
        code, self.close_with = self.close_with, 0
        if asked["token"] != TOKEN:
            code = 4004
        elif asked["intents"] & ~self.intents:
            code = 4014
        if code:
            await line.socket.close(code=code)
            return
        name = f"session-{next(self._session_ids)}"
        self._sessions = {name: Session(name, line=line)}
        self.event(
            "READY",
            {
                "v": 10,
                "user": user(ME),
                "guilds": [{"id": GUILD, "unavailable": True}],
                "session_id": name,
                "resume_gateway_url": self.gateway,
                "application": {"id": "901", "flags": self.application_flags},
                "private_channels": [],
            },
        )
        self.event("GUILD_CREATE", self._guild())

    async def _resume(self, line: Line, asked: Event) -> None:
        session = self._sessions.get(asked["session_id"])
        if session is None or asked["token"] != TOKEN:
            await line.tell({"op": 9, "d": False})
            return
        self.resumes += 1
        for payload in session.log[asked["seq"] :]:
            await line.tell(payload)
        session.line = line
        self.event("RESUMED", {})

    # ------------------------------------------------------------ REST

    async def _cdn(self, request: web.Request) -> web.Response:
        media_type, content = self.files[request.match_info["key"]]
        if self.stalls:
            self.stalled += 1
            await asyncio.Event().wait()
        return web.Response(body=content, content_type=media_type)

    async def _rest(self, request: web.Request) -> web.Response:
        path = "/" + request.match_info["path"]
        self.calls.append((request.method, path))
        if request.headers.get("Authorization") != f"Bot {TOKEN}":
            return _json({"message": "401: Unauthorized", "code": 0}, 401)
        fault = self._fault(request.method, path)
        if fault is not None and fault.before_doing:
            return _json(fault.body, fault.status, fault.headers)
        asked, files = await _body(request)
        answer = self._answered(request, path, asked, files)
        return answer if fault is None else _json(fault.body, fault.status, fault.headers)

    def _fault(self, method: str, path: str) -> Fault | None:
        for one in self.faults:
            if one.method == method and path.endswith(one.ending):
                self.faults.remove(one)
                return one
        return None

    def _answered(
        self, request: web.Request, path: str, asked: Event, files: list[tuple[str, bytes]]
    ) -> web.Response:
        routes: tuple[tuple[str, str, Callable[..., web.Response]], ...] = (
            ("GET", r"/users/@me", lambda: _json(user(ME))),
            ("GET", r"/oauth2/applications/@me", lambda: _json(self._application())),
            ("POST", r"/users/@me/channels", lambda: self._private(asked)),
            ("POST", r"/channels/(\d+)/messages", lambda room: self._post(room, asked, files)),
            ("GET", r"/channels/(\d+)/messages", lambda room: self._page(room, request)),
            ("GET", r"/channels/(\d+)/messages/(\d+)", self._one),
            (
                "PATCH",
                r"/channels/(\d+)/messages/(\d+)",
                lambda room, number: self._edit(room, number, asked),
            ),
            ("DELETE", r"/channels/(\d+)/messages/(\d+)", self._delete),
            ("PUT", r"/channels/(\d+)/messages/(\d+)/reactions/(.+)/@me", self._react),
            ("DELETE", r"/channels/(\d+)/messages/(\d+)/reactions/(.+)/@me", self._unreact),
            ("POST", r"/channels/(\d+)/typing", self._typing),
        )
        for method, pattern, answer in routes:
            found = re.fullmatch(pattern, path)
            if found and method == request.method:
                return answer(*found.groups())
        return _json({"message": "404: Not Found", "code": 0}, 404)

    def _application(self) -> Event:
        return {
            "id": "901",
            "name": "molt",
            "icon": None,
            "description": "",
            "bot_public": True,
            "bot_require_code_grant": False,
            "verify_key": "x",
            "owner": user(BOB),
            "flags": self.application_flags,
            "summary": "",
            "team": None,
        }

    def _private(self, asked: Event) -> web.Response:
        person = str(asked["recipient_id"])
        return _json({"id": room_of(person), "type": 1, "recipients": [user(person)]})

    def _post(self, room: str, asked: Event, files: list[tuple[str, bytes]]) -> web.Response:
        text = asked.get("content") or ""
        if len(text) > 2000:
            return _form_error(
                "content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length."
            )
        if not text and not files:
            return _json({"message": "Cannot send an empty message", "code": 50_006}, 400)
        nonce = asked.get("nonce")
        if nonce is not None and len(str(nonce)) > 25:
            return _form_error("nonce", "NONCE_TYPE_TOO_LONG", "Nonce too long.")
        if nonce and asked.get("enforce_nonce") and nonce in self._nonces:
            return _json(self._nonces[nonce])
        message = self._message(room, user(ME), text, nonce=nonce)
        message["mentions"] = []
        message["allowed_mentions"] = asked.get("allowed_mentions")
        message["flags"] = asked.get("flags", 0)
        message["message_reference"] = asked.get("message_reference")
        if message["message_reference"]:
            message["type"] = 19
        else:
            del message["message_reference"]
        message["attachments"] = [self._attachment(name, "image/png", data) for name, data in files]
        self.sent_files[message["id"]] = files
        self.versions[message["id"]] = [text]
        self.history.setdefault(room, []).append(message)
        if nonce:
            self._nonces[nonce] = message
        self.event("MESSAGE_CREATE", self._told(message))
        return _json(message)

    def _page(self, room: str, request: web.Request) -> web.Response:
        after = int(request.query.get("after", 0))
        before = int(request.query.get("before", 1 << 70))
        limit = int(request.query.get("limit", 50))
        within = [one for one in self.history.get(room, ()) if after < int(one["id"]) < before]
        page = within[:limit] if "after" in request.query else within[-limit:]
        return _json(page[::-1])

    def _one(self, room: str, number: str) -> web.Response:
        found = next((one for one in self.history.get(room, ()) if one["id"] == number), None)
        return _json(found) if found is not None else _unknown_message()

    def _edit(self, room: str, number: str, asked: Event) -> web.Response:
        found = next((one for one in self.history.get(room, ()) if one["id"] == number), None)
        if found is None:
            return _unknown_message()
        if found["author"]["id"] != ME:
            said = "Cannot edit a message authored by another user"
            return _json({"message": said, "code": 50_005}, 403)
        if len(asked["content"]) > 2000:
            return _form_error(
                "content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length."
            )
        found["content"] = asked["content"]
        found["edited_timestamp"] = datetime.now(UTC).isoformat()
        self.versions[number].append(asked["content"])
        return _json(found)

    def _delete(self, room: str, number: str) -> web.Response:
        kept = [one for one in self.history.get(room, ()) if one["id"] != number]
        if len(kept) == len(self.history.get(room, ())):
            return _unknown_message()
        self.history[room] = kept
        return web.Response(status=204)

    def _react(self, _: str, number: str, emoji: str) -> web.Response:
        if emoji.isascii() and ":" not in emoji:
            return _json({"message": "Unknown Emoji", "code": 10_014}, 400)
        if emoji not in self.reactions.setdefault(number, []):
            self.reactions[number].append(emoji)
        return web.Response(status=204)

    def _unreact(self, _: str, number: str, emoji: str) -> web.Response:
        with contextlib.suppress(ValueError):
            self.reactions.get(number, []).remove(emoji)
        return web.Response(status=204)

    def _typing(self, room: str) -> web.Response:
        self.typing.append(room)
        return web.Response(status=204)


def _json(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    # The library compares the header with exactly this, without a charset.
    named = {**(headers or {}), "Content-Type": "application/json"}
    return web.Response(body=json.dumps(value).encode(), status=status, headers=named)


def _form_error(name: str, code: str, said: str) -> web.Response:
    errors = {name: {"_errors": [{"code": code, "message": said}]}}
    return _json({"code": 50_035, "message": "Invalid Form Body", "errors": errors}, 400)


def _unknown_message() -> web.Response:
    return _json({"message": "Unknown Message", "code": 10_008}, 404)


async def _body(request: web.Request) -> tuple[Event, list[tuple[str, bytes]]]:
    if request.content_type == "application/json":
        return await request.json(), []
    asked: Event = {}
    files: list[tuple[str, bytes]] = []
    if request.content_type.startswith("multipart/"):
        for name, value in (await request.post()).items():
            if name == "payload_json":
                assert isinstance(value, str)
                asked = json.loads(value)
            elif isinstance(value, web.FileField):
                files.append((value.filename, value.file.read()))
    return asked, files
