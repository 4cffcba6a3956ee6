"""A Mattermost on loopback that keeps to the public documents: REST v4, the WebSocket, files.

    there = MattermostServer()
    await there.start()                          # again after `stop`: same port, same posts
    there.write("hello", user=ADA)               # told over each line, and kept in the room
    there.faults.append(Fault("POST /posts", 429, wait="1"))
    there.own                                    # what the bot wrote, as it stands, in order

What is assumed of Mattermost is in `ASSUMED`, each with the address of the document that says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.held import hold_web

API = "https://api.mattermost.com"
CODE = "https://github.com/mattermost/mattermost/blob/master"
ASSUMED = {
    "a line is opened with authentication_challenge": f"{API}/#tag/WebSocket",
    "events have numbers that go up by one": f"{API}/#tag/WebSocket",
    "a refusal has an id": f"{API}/#tag/errors",
    "429 with X-Ratelimit-Reset": f"{API}/#tag/rate-limiting",
    "a room's posts come the youngest first": f"{API}/#tag/posts/operation/GetPostsForChannel",
    "one pending_post_id is one post, for a while": f"{CODE}/server/channels/app/post.go",
    "a post keeps its properties": f"{API}/#tag/posts/operation/CreatePost",
    "a patch leaves what it does not name": f"{API}/#tag/posts/operation/PatchPost",
    "a message has 16,383 characters": f"{CODE}/server/public/model/post.go",
    "a reaction is a name": f"{API}/#tag/reactions/operation/SaveReaction",
    "a file goes to a room before it is part of a post": f"{API}/#tag/files/operation/UploadFile",
    "what is gone is 404": f"{API}/#tag/posts/operation/GetPost",
}
TOKEN = "canarytokenthatnobodyseesx"
_LONGEST = 16_383
_NAMES = frozenset({"eyes", "+1", "heart", "tada"})
_KNOWN_ID = re.compile(r"[a-z0-9]{26}")


def ident(name: str) -> str:
    """An id as Mattermost's: 26 small letters and digits."""
    bare = re.sub(r"[^a-z0-9]", "", name.lower())
    return (bare + "x" * 26)[:26]


ME, ADA, EVE, OTHER_BOT = ident("bot"), ident("ada"), ident("eve"), ident("otherbot")
PEOPLE = {ME: "molt", ADA: "ada", EVE: "eve", OTHER_BOT: "otherbot"}
ROOM, TEAM = ident("room"), ident("team")


@dataclass(frozen=True)
class Fault:
    """What the next call is answered with; 0 as status cuts the line, `done` after the work."""

    call: str
    status: int = 0
    id: str = "api.fault"
    wait: str = ""
    done: bool = False


@dataclass
class Post:
    """A message; `texts` has each text it had."""

    id: str
    room: str
    user: str
    texts: list[str]
    at: int
    root: str = ""
    files: list[str] = field(default_factory=list)
    props: dict[str, Any] = field(default_factory=dict)
    type: str = ""
    deleted: bool = False


@dataclass
class MattermostServer:
    """Lives on the test's loop.

    Attributes:
        rooms: types of rooms by id, ``O`` for an open one; private ones come by themselves.
        calls: verb and path, in order.
        swallows: how many of the next events are lost, though they are counted.
        forgets_keys: a ``pending_post_id`` is forgotten at once, as it is after half a minute.
        logins: how many lines were let in.
    """

    port: int = 0
    posts: dict[str, Post] = field(default_factory=dict)
    rooms: dict[str, str] = field(default_factory=lambda: {ROOM: "O"})
    calls: list[tuple[str, Any]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)
    swallows: int = 0
    forgets_keys: bool = False
    logins: int = 0
    _pending: dict[str, str] = field(default_factory=dict)
    _next: int = 0
    _last: int = 0
    _lines: dict[web.WebSocketResponse, asyncio.Queue[str]] = field(default_factory=dict)
    _numbers: dict[web.WebSocketResponse, int] = field(default_factory=dict)
    _runner: web.AppRunner | None = None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def own(self) -> list[Post]:
        """What the bot wrote and did not take back."""
        return [one for one in self.posts.values() if one.user == ME and not one.deleted]

    async def start(self) -> None:
        app = web.Application(client_max_size=60 * 2**20)
        app.router.add_get("/api/v4/websocket", self._line)
        app.router.add_route("*", "/api/v4/{path:.*}", self._call)
        self._runner = web.AppRunner(
            app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        self.drop()
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def hold(self) -> None:
        """It answers nothing any more, and lets nobody go."""
        hold_web(self._runner)

    def drop(self) -> None:
        """Every line breaks, without a word."""
        for one in list(self._lines):
            if one._req is not None and one._req.transport is not None:
                one._req.transport.abort()
        self._lines.clear()

    def direct(self, user: str) -> str:
        """The room in which the bot and somebody talk privately."""
        room = ident(f"dm{user}")
        self.rooms[room] = "D"
        return room

    def write(
        self,
        text: str,
        *,
        user: str = ADA,
        room: str = "",
        post_id: str = "",
        root: str = "",
        files: tuple[str, ...] = (),
        props: Mapping[str, Any] | None = None,
        type_: str = "",
    ) -> Post:
        """Somebody writes, privately or in a room."""
        place = room or self.direct(user)
        post = Post(post_id or self._new(), place, user, [text], self._now(), root)
        post.files, post.props, post.type = list(files), dict(props or {}), type_
        self.posts[post.id] = post
        self.tell(post)
        return post

    def tell(self, post: Post) -> None:
        """An event ``posted``."""
        named = set(re.findall(r"@([a-z0-9_-]+)", post.texts[-1].lower()))
        told = [one for one, name in PEOPLE.items() if name in named]
        if self.rooms[post.room] == "D" or "all" in named:
            told.append(ME)
        data = {
            "channel_type": self.rooms[post.room],
            "sender_name": f"@{PEOPLE.get(post.user, post.user)}",
            "team_id": "" if self.rooms[post.room] in "DG" else TEAM,
            "post": json.dumps(self._json(post)),
            **({"mentions": json.dumps(told)} if told else {}),
        }
        self.happen("posted", data)

    def happen(self, event: str, data: Mapping[str, Any]) -> None:
        lost = self.swallows > 0
        self.swallows -= lost
        for line, waiting in self._lines.items():
            number = self._numbers[line]
            self._numbers[line] = number + 1
            if not lost:
                told = {"event": event, "data": data, "broadcast": {}, "seq": number}
                waiting.put_nowait(json.dumps(told))

    def _new(self) -> str:
        self._next += 1
        return ident(f"p{self._next}")

    def _now(self) -> int:
        """Milliseconds; no two posts have the same, so that their order is known."""
        self._last = max(self._last + 1, int(time.time() * 1000))
        return self._last

    def _json(self, post: Post) -> dict[str, Any]:
        about = [self._about(one) for one in post.files]
        return {
            "id": post.id,
            "create_at": post.at,
            "update_at": post.at,
            "edit_at": 0,
            "delete_at": post.at if post.deleted else 0,
            "user_id": post.user,
            "channel_id": post.room,
            "root_id": post.root,
            "original_id": "",
            "message": "" if post.deleted else post.texts[-1],
            "type": post.type,
            "props": post.props,
            "file_ids": post.files,
            "pending_post_id": "",
            "metadata": {"files": about} if about else {},
        }

    def _about(self, file_id: str) -> dict[str, Any]:
        name, media_type, data = self.files[file_id]
        return {"id": file_id, "name": name, "mime_type": media_type, "size": len(data)}

    # ------------------------------------------------------------ the line

    async def _line(self, request: web.Request) -> web.WebSocketResponse:
        line = web.WebSocketResponse()
        await line.prepare(request)
        waiting: asyncio.Queue[str] = asyncio.Queue()

        async def tells() -> None:
            while True:
                await line.send_str(await waiting.get())

        teller = asyncio.get_running_loop().create_task(tells())
        try:
            async for frame in line:
                if frame.type is not WSMsgType.TEXT:
                    continue
                asked = json.loads(frame.data)
                assert asked["action"] == "authentication_challenge"
                if asked["data"] != {"token": TOKEN}:
                    await line.send_json({"status": "FAIL", "seq_reply": asked["seq"]})
                    break
                self.logins += 1
                self._numbers[line], self._lines[line] = 1, waiting
                hello = {"event": "hello", "data": {"server_version": "11.11.1"}, "seq": 0}
                waiting.put_nowait(json.dumps(hello))
                waiting.put_nowait(json.dumps({"status": "OK", "seq_reply": asked["seq"]}))
        finally:
            self._lines.pop(line, None)
            teller.cancel()
            await asyncio.gather(teller, return_exceptions=True)
        return line

    # ------------------------------------------------------------ REST

    async def _call(self, request: web.Request) -> web.StreamResponse:
        path, verb = f"/{request.match_info['path']}", request.method
        is_file = path == "/files" and verb == "POST"
        raw = await request.read()
        given = raw if is_file else json.loads(raw) if raw else None
        self.calls.append((f"{verb} {path}", given))
        fault = next((one for one in self.faults if f"{verb} {path}".startswith(one.call)), None)
        if fault is not None:
            self.faults.remove(fault)
            if fault.done:
                self._answer(verb, path, given, request.query)
            if not fault.status:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            return _refused(fault.status, fault.id, fault.wait)
        if path == "/system/ping":
            return web.json_response({"status": "OK"})
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return _refused(401, "api.context.session_expired.app_error")
        answer = self._answer(verb, path, given, request.query)
        if isinstance(answer, web.Response):
            return answer
        return web.json_response(answer, status=201 if verb == "POST" else 200)

    def _answer(self, verb: str, path: str, given: Any, query: Mapping[str, str]) -> Any:
        match verb, *path.strip("/").split("/"):
            case "GET", "users", "me":
                return {"id": ME, "username": PEOPLE[ME], "is_bot": True}
            case "POST", "users", "ids":
                return [self._person(one) for one in given if one in PEOPLE]
            case "GET", "users", "me", "channels":
                return [self._room(one) for one in self.rooms]
            case "POST", "channels", "direct":
                [other] = [one for one in given if one != ME]
                if other not in PEOPLE:
                    return _refused(404, "app.user.missing_account.const")
                return {"id": self.direct(other), "type": "D"}
            case "GET", "channels", room, "posts":
                return self._history(room, query)
            case "POST", "users", user, "typing":
                assert user == ME and given["channel_id"] in self.rooms
                return {"status": "OK"}
            case _, "posts", *rest:
                return self._post(verb, rest, given)
            case "POST", "reactions":
                return self._reacted(given["post_id"], given["emoji_name"], given["user_id"])
            case "DELETE", "users", user, "posts", post, "reactions", name:
                return self._reacted(post, name, user, remove=True)
            case _, "files", *rest:
                return self._file(verb, rest, given, query)
        return _refused(404, "api.context.404.app_error")

    def _person(self, user: str) -> dict[str, Any]:
        username = PEOPLE[user]
        is_bot = {"is_bot": True} if user in (ME, OTHER_BOT) else {}
        return {"id": user, "username": username, "first_name": username.title(), **is_bot}

    def _room(self, room: str) -> dict[str, Any]:
        last = max((one.at for one in self.posts.values() if one.room == room), default=0)
        team = "" if self.rooms[room] in "DG" else TEAM
        return {"id": room, "type": self.rooms[room], "team_id": team, "last_post_at": last}

    def _history(self, room: str, query: Mapping[str, str]) -> Any:
        if room not in self.rooms:
            return _refused(403, "api.context.permissions.app_error")
        size = min(int(query.get("per_page", "60")), 200)
        begin = int(query.get("page", "0")) * size
        there = [one for one in self.posts.values() if one.room == room and not one.deleted]
        page = sorted(there, key=lambda one: one.at, reverse=True)[begin : begin + size]
        return {
            "order": [one.id for one in page],
            "posts": {one.id: self._json(one) for one in page},
        }

    def _post(self, verb: str, rest: list[str], given: Any) -> Any:
        if verb == "POST" and not rest:
            return self._created(given)
        known = self.posts.get(rest[0])
        if known is None or known.deleted:
            masked = verb == "PUT"  # the server does not say that it is not there
            return _refused(403 if masked else 404, "app.post.get.app_error")
        if verb == "DELETE":
            known.deleted = True
            return {"status": "OK"}
        if verb == "PUT":
            assert rest[1:] == ["patch"] and set(given) == {"message"}
            if known.user != ME:
                return _refused(403, "api.context.permissions.app_error")
            if len(given["message"]) > _LONGEST:
                return _refused(400, "model.post.is_valid.message_length.app_error")
            known.texts.append(given["message"])
        return self._json(known)

    def _created(self, given: Mapping[str, Any]) -> Any:
        room, pending = given["channel_id"], given["pending_post_id"]
        if pending in self._pending and not self.forgets_keys:
            return self._json(self.posts[self._pending[pending]])
        if room not in self.rooms:
            return _refused(403, "api.context.permissions.app_error")
        if len(given["message"]) > _LONGEST:
            return _refused(400, "model.post.is_valid.message_length.app_error")
        if given["root_id"] and given["root_id"] not in self.posts:
            return _refused(400, "api.post.create_post.root_id.app_error")
        assert given["message"].strip() or given["file_ids"]
        post = self.write(
            given["message"],
            user=ME,
            room=room,
            root=given["root_id"],
            files=tuple(given["file_ids"]),
            # Set by the server for what a bot account writes.
            props={**given["props"], "from_bot": "true"},
        )
        self._pending[pending] = post.id
        return self._json(post)

    def _reacted(self, post: str, name: str, user: str, *, remove: bool = False) -> Any:
        there = self.reactions.setdefault(post, [])
        if name not in _NAMES and not remove:
            return _refused(404, "app.emoji.get_by_name.no_result")
        if user != ME or post not in self.posts:
            return _refused(403, "api.reaction.save_reaction.user_id.app_error")
        if remove:
            with contextlib.suppress(ValueError):
                there.remove(name)
        elif name not in there:
            there.append(name)
        return {"status": "OK"}

    def _file(self, verb: str, rest: list[str], given: bytes, query: Mapping[str, str]) -> Any:
        if verb == "POST":
            if query["channel_id"] not in self.rooms:
                return _refused(403, "api.context.permissions.app_error")
            file_id = self._new()
            self.files[file_id] = (query["filename"], "application/octet-stream", given)
            return {"file_infos": [self._about(file_id)], "client_ids": []}
        if rest[0] not in self.files or not _KNOWN_ID.fullmatch(rest[0]):
            return _refused(404, "app.file_info.get.app_error")
        if rest[1:] == ["info"]:
            return self._about(rest[0])
        _, media_type, data = self.files[rest[0]]
        return web.Response(body=data, content_type=media_type)


def _refused(status: int, error: str, wait: str = "") -> web.Response:
    headers = {"X-Ratelimit-Reset": wait} if wait else {}
    said = {"id": error, "message": "words of the server", "status_code": status}
    return web.json_response(said, status=status, headers=headers)
