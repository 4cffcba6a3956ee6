"""A Slack on loopback that keeps to the public documents: Web API, socket mode, files.

    slack = SlackServer()
    await slack.start()                          # again after `stop`: same port, same messages
    slack.write("1.000001", "hello", user="U42") # told until somebody acknowledges it
    slack.faults.append(Fault("chat.postMessage", "ratelimited", retry_after=1))
    slack.posts                                  # what the app wrote, by ts, as it stands

What is assumed of Slack is in `ASSUMED`, each with the address of the document that says so.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.held import hold_web

DOCS = "https://docs.slack.dev"
ASSUMED = {
    "an envelope is told until its id was sent back": f"{DOCS}/apis/events-api/using-socket-mode",
    "a line is renewed with disconnect": f"{DOCS}/apis/events-api/using-socket-mode",
    "refusals come with HTTP 200 and ok false": f"{DOCS}/apis/web-api",
    "429 with Retry-After": f"{DOCS}/apis/web-api/rate-limits",
    "missing_scope names what is needed": f"{DOCS}/reference/methods/chat.postMessage",
    "chat.update wants the id of the conversation": f"{DOCS}/reference/methods/chat.update",
    "a reaction is a name": f"{DOCS}/reference/methods/reactions.add",
    "a file without a right to it is a page": f"{DOCS}/reference/objects/file-object",
    "files come in three steps": f"{DOCS}/messaging/working-with-files#uploading_files",
}
BOT_TOKEN = "xoxb-canary-token-that-nobody-may-ever-see"
APP_TOKEN = "xapp-canary-token-that-nobody-may-ever-see"
ME = "UBOT"
PEOPLE = {"U42": "Ada", "U66": "Eve"}
ROOM = "C77"
_NAMES = frozenset({"eyes", "+1", "heart", "tada"})
_LONGEST = 4_000


@dataclass(frozen=True)
class Fault:
    """What the next call of a method is answered with; "" as `error` cuts the line."""

    method: str
    error: str
    needed: str = ""
    retry_after: int | None = None
    status: int = 200


@dataclass
class Sent:
    """A message of the app; `texts` has each text it had."""

    ts: str
    room: str
    texts: list[str]
    thread: str = ""
    files: list[tuple[str, bytes]] = field(default_factory=list)


@dataclass
class SlackServer:
    """Lives on the test's loop.

    Attributes:
        calls: (method, parameters) in order.
        pending: envelopes that nobody has acknowledged.
        lines: how often one was opened.
        refuses_files: the app has no right to them.
    """

    port: int = 0
    posts: dict[str, Sent] = field(default_factory=dict)
    calls: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    reactions: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, tuple[str, str, bytes]] = field(default_factory=dict)
    pending: dict[str, dict[str, Any]] = field(default_factory=dict)
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    lines: int = 0
    refuses_files: bool = False
    _uploads: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    _next: int = 0
    _open: list[web.WebSocketResponse] = field(default_factory=list)
    _runner: web.AppRunner | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    async def start(self) -> None:
        app = web.Application(client_max_size=60 * 2**20)
        app.router.add_post("/api/{method}", self._call)
        app.router.add_get("/line", self._line)
        app.router.add_get("/files/{id}", self._file)
        app.router.add_get("/login", self._login)
        app.router.add_post("/upload/{id}", self._upload)
        self._runner = web.AppRunner(
            app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        await self.drop()
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def hold(self) -> None:
        """It answers nothing any more, and lets nobody go."""
        hold_web(self._runner)

    async def drop(self) -> None:
        """Every line breaks, without a word."""
        for one in self._open:
            if one._req is not None and one._req.transport is not None:
                one._req.transport.abort()
        self._open.clear()

    async def goodbye(self, reason: str) -> None:
        """Slack ends the lines."""
        for one in list(self._open):
            with contextlib.suppress(OSError):  # it has gone by itself
                await one.send_json({"type": "disconnect", "reason": reason})
                await one.close()

    def write(self, ts: str, text: str, *, user: str = "U42", room: str = "", **more: Any) -> None:
        """Somebody writes, privately or in a room."""
        direct = not room
        event = {
            "type": "message",
            "user": user,
            "text": text,
            "ts": ts,
            "channel": room or f"D{user[1:]}",
            "channel_type": "im" if direct else "channel",
            **more,
        }
        self.said[ts] = event
        self.happen("events_api", {"type": "event_callback", "team_id": "T1", "event": event})

    def happen(self, kind: str, payload: Mapping[str, Any]) -> None:
        """An envelope of any kind."""
        self._next += 1
        envelope = {"envelope_id": f"e{self._next}", "type": kind, "payload": dict(payload)}
        self.pending[f"e{self._next}"] = envelope
        if self._open:
            self._tell(self._open[-1], envelope)

    def _tell(self, line: web.WebSocketResponse, envelope: Mapping[str, Any]) -> None:
        async def told() -> None:
            with contextlib.suppress(OSError):  # told again on the next line
                await line.send_json(envelope)

        task = asyncio.get_running_loop().create_task(told())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _line(self, request: web.Request) -> web.WebSocketResponse:
        line = web.WebSocketResponse()
        await line.prepare(request)
        await line.send_json({"type": "hello", "num_connections": 1})
        self._open.append(line)
        for one in list(self.pending.values()):
            self._tell(line, one)
        try:
            async for frame in line:
                if frame.type is WSMsgType.TEXT:
                    self.pending.pop(json.loads(frame.data)["envelope_id"], None)
        finally:
            if line in self._open:
                self._open.remove(line)
        return line

    async def _file(self, request: web.Request) -> web.Response:
        right = request.headers.get("Authorization") == f"Bearer {BOT_TOKEN}"
        if self.refuses_files or not right:
            raise web.HTTPFound("/login")
        _, media_type, data = self.files[request.match_info["id"]]
        return web.Response(body=data, content_type=media_type)

    async def _login(self, request: web.Request) -> web.Response:
        if "Authorization" in request.headers:
            raise web.HTTPBadRequest(text="nobody asked for a token")
        return web.Response(text="<html>log in</html>", content_type="text/html")

    async def _upload(self, request: web.Request) -> web.Response:
        name = self._uploads[request.match_info["id"]][0]
        assert "Authorization" not in request.headers
        self._uploads[request.match_info["id"]] = (name, await request.read())
        return web.Response(text="OK")

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method, given = request.match_info["method"], dict(await request.post())
        self.calls.append((method, given))
        fault = next((one for one in self.faults if one.method == method), None)
        if fault is not None:
            self.faults.remove(fault)
            if not fault.error:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            wait = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
            said = {"ok": False, "error": fault.error, "needed": fault.needed}
            return web.json_response(said, status=fault.status, headers=wait)
        right = APP_TOKEN if method == "apps.connections.open" else BOT_TOKEN
        if request.headers.get("Authorization") != f"Bearer {right}":
            return web.json_response({"ok": False, "error": "invalid_auth"})
        answer = self._answer(method, {name: str(value) for name, value in given.items()})
        if isinstance(answer, str):
            return web.json_response({"ok": False, "error": answer})
        return web.json_response({"ok": True, **answer})

    def _answer(self, method: str, given: Mapping[str, str]) -> dict[str, Any] | str:
        match method:
            case "auth.test":
                return {"user_id": ME, "user": "molt", "team_id": "T1", "bot_id": "B1"}
            case "apps.connections.open":
                self.lines += 1
                return {"url": f"ws://127.0.0.1:{self.port}/line?ticket=secret"}
            case "users.info":
                name = PEOPLE.get(given["user"])
                user = {"name": str(name).lower(), "profile": {"display_name": name}}
                return {"user": user} if name else "user_not_found"
            case "conversations.replies":
                return self._thread(given["channel"], given["ts"])
            case "conversations.open":
                return {"channel": {"id": f"D{given['users'][1:]}"}}
            case "chat.postMessage" | "chat.update" | "chat.delete":
                return self._said(method, given)
            case "reactions.add" | "reactions.remove":
                return self._reacted(method, given)
            case _:
                return self._about_files(method, given)

    def _thread(self, room: str, ts: str) -> dict[str, Any] | str:
        """The first of a thread; the fake is asked for no more."""
        if (post := self.posts.get(ts)) is not None and post.room == room:
            ours = {"type": "message", "user": ME, "bot_id": "B1", "text": post.texts[-1]}
            return {"messages": [{**ours, "ts": ts}], "has_more": True}
        if (said := self.said.get(ts)) is not None and said["channel"] == room:
            return {"messages": [said], "has_more": True}
        return "thread_not_found"

    def _said(self, method: str, given: Mapping[str, str]) -> dict[str, Any] | str:
        words, room = given.get("text", ""), given["channel"]
        if not room.startswith(("C", "D")):
            return "channel_not_found"
        if method != "chat.delete":
            if not words.strip():
                return "no_text"
            if len(words) > _LONGEST:
                return "msg_too_long"
        if method == "chat.postMessage":
            self._next += 1
            ts = f"1760009999.{self._next:06d}"
            self.posts[ts] = Sent(ts, room, [words], given.get("thread_ts", ""))
            return {"ts": ts, "channel": room}
        known = self.posts.get(given["ts"])
        if known is None or known.room != room:
            return "message_not_found"
        if method == "chat.delete":
            del self.posts[given["ts"]]
        else:
            known.texts.append(words)
        return {"ts": given["ts"], "channel": room}

    def _reacted(self, method: str, given: Mapping[str, str]) -> dict[str, Any] | str:
        there = self.reactions.setdefault(given["timestamp"], [])
        if given["name"] not in _NAMES:
            return "invalid_name"
        if (given["name"] in there) is (method == "reactions.add"):
            return "already_reacted" if method == "reactions.add" else "no_reaction"
        (there.append if method == "reactions.add" else there.remove)(given["name"])
        return {}

    def _about_files(self, method: str, given: Mapping[str, str]) -> dict[str, Any] | str:
        if method == "files.info":
            if given["file"] not in self.files:
                return "file_not_found"
            name, media_type, data = self.files[given["file"]]
            where = f"http://127.0.0.1:{self.port}/files/{given['file']}"
            file = {"name": name, "mimetype": media_type, "size": len(data), "url_private": where}
            return {"file": file}
        if method == "files.getUploadURLExternal":
            self._next += 1
            file_id = f"F{self._next}"
            self._uploads[file_id] = (given["filename"], b"")
            where = f"http://127.0.0.1:{self.port}/upload/{file_id}"
            return {"upload_url": where, "file_id": file_id}
        if method == "files.completeUploadExternal":
            files = [self._uploads.pop(one["id"]) for one in json.loads(given["files"])]
            self._next += 1
            ts = f"1760009999.{self._next:06d}"
            self.posts[ts] = Sent(ts, given["channel_id"], [""], files=files)
            return {"files": []}
        return "unknown_method"
