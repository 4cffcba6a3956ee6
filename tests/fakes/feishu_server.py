"""A Feishu on loopback that keeps to the public documents: the Open Platform and its line.

    feishu = FeishuServer()
    await feishu.start()                         # again after `stop`: same port, same messages
    feishu.write("om_1", "hello", user="ou_42")  # told until somebody acknowledges it
    feishu.faults.append(Fault("POST", "/open-apis/im/v1/messages", 99991400))
    feishu.posts                                 # what the bot wrote, by id, as it stands

What is assumed of Feishu is in `ASSUMED`, each with the address of the document that says so. Its
frames are coded here by themselves, after lark_oapi/ws/pb/pbbp2_pb2.py of the SDK.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.held import hold_web

DOCS = "https://open.feishu.cn/document/server-docs"
ASSUMED = {
    "a token is good for two hours": f"{DOCS}/authentication-management/access-token/"
    "tenant_access_token_internal",
    "an app without a right id or secret gets 10003 or 10014": f"{DOCS}/authentication-management/"
    "access-token/tenant_access_token_internal",
    "a token that is over is 99991663": f"{DOCS}/api-call-guide/generic-error-code",
    "too often is 99991400 with x-ogw-ratelimit-reset": f"{DOCS}/api-call-guide/frequency-control",
    "an event is told until it was answered with 200": f"{DOCS}/event-subscription-guide/"
    "event-subscription-configure-/request-url-configuration-case",
    "a message with the same uuid is sent once in an hour": f"{DOCS}/im-v1/message/create",
    "text and post may be changed twenty times": f"{DOCS}/im-v1/message/update",
    "a reaction is a name, and taken back by its id": f"{DOCS}/im-v1/message-reaction/delete",
    "a picture is uploaded by itself": f"{DOCS}/im-v1/image/create",
    "a file of a message is fetched by message, key and kind": f"{DOCS}/im-v1/message/get-2",
}
APP_ID = "cli_a1b2c3"
APP_SECRET = "canary-secret-that-nobody-may-ever-see"
ME = "ou_bot"
ROOM = "oc_77"
_NAMES = frozenset({"GLANCE", "THUMBSUP", "HEART", "DONE"})
_MOST_EDITS = 20
_LARGEST = 30 * 1024


@dataclass(frozen=True)
class Fault:
    """What the next call of a path is answered with; 0 as `code` cuts the line."""

    verb: str
    path: str
    code: int
    status: int = 400
    reset: int | None = None


@dataclass
class Sent:
    """A message of the bot; `contents` has each that it had."""

    id: str
    to: str
    kind: str
    contents: list[dict[str, Any]]
    answers: str = ""
    in_thread: bool = False
    files: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [_words(one) for one in self.contents]


@dataclass
class FeishuServer:
    """Lives on the test's loop.

    Attributes:
        pending: events that nobody has acknowledged, by the id of their frame.
        answers: the code each frame was answered with.
        parts: in how many frames an event is told.
        tokens: how often one was given; `forget` makes the last one stale.
    """

    port: int = 0
    posts: dict[str, Sent] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    reactions: dict[str, dict[str, str]] = field(default_factory=dict)
    files: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    rooms: dict[str, str] = field(default_factory=dict)
    pending: dict[str, bytes] = field(default_factory=dict)
    answers: list[tuple[str, int]] = field(default_factory=list)
    pings: list[int] = field(default_factory=list)
    said: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    parts: int = 1
    tokens: int = 0
    lines: int = 0
    handshake: tuple[str, str] | None = None
    _by_key: dict[str, str] = field(default_factory=dict)
    _uploads: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    _next: int = 0
    _open: list[web.WebSocketResponse] = field(default_factory=list)
    _runner: web.AppRunner | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return f"t-canary-{self.tokens}"

    def forget(self) -> None:
        """The token that was given is over, though its time was not."""
        self.tokens += 1

    async def start(self) -> None:
        app = web.Application(client_max_size=60 * 2**20)
        app.router.add_post("/callback/ws/endpoint", self._endpoint)
        app.router.add_get("/ws/v2", self._line)
        app.router.add_route("*", "/open-apis/{rest:.*}", self._call)
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

    def write(
        self,
        message_id: str,
        text: str,
        *,
        user: str = "ou_42",
        room: str = "",
        mentioned: bool = False,
        kind: str = "text",
        content: Mapping[str, Any] | None = None,
        sender_type: str = "user",
        **more: Any,
    ) -> None:
        """Somebody writes, privately or in a room."""
        words = f"@_user_1 {text}" if mentioned else text
        who = {"key": "@_user_1", "id": {"open_id": ME}, "name": "molt", "tenant_key": "T1"}
        self.rooms[message_id] = room or user
        message = {
            "message_id": message_id,
            "create_time": "1760000000000",
            "chat_id": room or f"oc_{user}",
            "chat_type": "group" if room else "p2p",
            "message_type": kind,
            "content": json.dumps({"text": words} if content is None else content),
            **({"mentions": [who]} if mentioned else {}),
            **more,
        }
        self.said[message_id] = (user, message)
        sender = {"sender_id": {"open_id": user}, "sender_type": sender_type, "tenant_key": "T1"}
        self.happen("im.message.receive_v1", {"sender": sender, "message": message})

    def happen(self, kind: str, event: Mapping[str, Any]) -> None:
        self._next += 1
        name = f"f{self._next}"
        head = {"event_id": f"e{self._next}", "event_type": kind, "tenant_key": "T1"}
        whole = {"schema": "2.0", "header": head, "event": dict(event)}
        self.pending[name] = json.dumps(whole, ensure_ascii=False).encode()
        if self._open:
            self._tell(self._open[-1], name)

    def _tell(self, line: web.WebSocketResponse, name: str) -> None:
        payload = self.pending[name]
        length = -(-len(payload) // self.parts)
        pieces = [payload[at : at + length] for at in range(0, len(payload), length)]

        async def told() -> None:
            with contextlib.suppress(OSError):  # told again on the next line
                for number, piece in reversed(list(enumerate(pieces))):
                    headers = {"type": "event", "message_id": name, "trace_id": "t"}
                    headers |= {"sum": str(len(pieces)), "seq": str(number)}
                    await line.send_bytes(frame(1, headers, piece))

        task = asyncio.get_running_loop().create_task(told())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _endpoint(self, request: web.Request) -> web.Response:
        given = await request.json()
        if fault := self._fault(request):
            return web.json_response({"code": fault.code, "msg": "fault"}, status=fault.status)
        if (given["AppID"], given["AppSecret"]) != (APP_ID, APP_SECRET):
            return web.json_response({"code": 514, "msg": "app_id or app_secret is invalid"})
        self.lines += 1
        address = f"ws://127.0.0.1:{self.port}/ws/v2?device_id=1&service_id=33&ticket=secret"
        data = {"URL": address, "ClientConfig": {"PingInterval": 120, "ReconnectCount": -1}}
        return web.json_response({"code": 0, "msg": "ok", "data": data})

    async def _line(self, request: web.Request) -> web.StreamResponse:
        if self.handshake is not None:
            code, msg = self.handshake
            said = {"Handshake-Status": "514", "Handshake-AuthErrCode": code, "Handshake-Msg": msg}
            return web.Response(status=401, headers=said)
        line = web.WebSocketResponse()
        await line.prepare(request)
        self._open.append(line)
        for one in list(self.pending):
            self._tell(line, one)
        try:
            async for message in line:
                if message.type is WSMsgType.BINARY:
                    await self._answered(line, message.data)
        finally:
            if line in self._open:
                self._open.remove(line)
        return line

    async def _answered(self, line: web.WebSocketResponse, raw: bytes) -> None:
        method, service, headers, payload = taken_apart(raw)
        if method == 0:
            assert headers == {"type": "ping"}
            self.pings.append(service)
            conf = json.dumps({"PingInterval": 120}).encode()
            await line.send_bytes(frame(0, {"type": "pong"}, conf))
            return
        code = json.loads(payload)["code"]
        self.answers.append((headers["message_id"], code))
        if code == 200:
            self.pending.pop(headers["message_id"], None)

    def _fault(self, request: web.Request) -> Fault | None:
        asked = (request.method, request.path)
        found = next((one for one in self.faults if (one.verb, one.path) == asked), None)
        if found is not None:
            self.faults.remove(found)
        return found

    async def _call(self, request: web.Request) -> web.StreamResponse:
        # Whole, before anything is said.
        form = await request.post() if request.content_type == "multipart/form-data" else {}
        body = b"" if form else await request.read()
        if fault := self._fault(request):
            if not fault.code:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            head = {} if fault.reset is None else {"x-ogw-ratelimit-reset": str(fault.reset)}
            said = {"code": fault.code, "msg": "fault"}
            return web.json_response(said, status=fault.status, headers=head)
        path = request.path.removeprefix("/open-apis")
        if path == "/auth/v3/tenant_access_token/internal":
            return web.json_response(self._given(json.loads(body)))
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            said = {"code": 99991663, "msg": "Invalid access token for authorization."}
            return web.json_response(said, status=400)
        if path == "/bot/v3/info":
            bot = {"app_name": "molt", "open_id": ME, "activate_status": 2}
            return web.json_response({"code": 0, "msg": "ok", "bot": bot})
        if path in ("/im/v1/images", "/im/v1/files"):
            return web.json_response(self._upload(form, path))
        if "/resources/" in path:
            return self._resource(request, path)
        given = json.loads(body) if body else {}
        answer = self._about_messages(request, path.removeprefix("/im/v1/messages"), given)
        if isinstance(answer, int):
            return web.json_response({"code": answer, "msg": "no"}, status=400)
        return web.json_response({"code": 0, "msg": "success", "data": answer})

    def _given(self, keys: Mapping[str, str]) -> dict[str, Any]:
        if keys["app_id"] != APP_ID:
            return {"code": 10003, "msg": "invalid param"}
        if keys["app_secret"] != APP_SECRET:
            return {"code": 10014, "msg": "app secret invalid"}
        self.tokens += 1
        return {"code": 0, "msg": "ok", "tenant_access_token": self.token, "expire": 7200}

    def _upload(self, form: Mapping[str, Any], path: str) -> dict[str, Any]:
        field_name = "image" if path.endswith("images") else "file"
        file: Any = form[field_name]
        data = file.file.read()
        if not data:
            return {"code": 234010, "msg": "File's size can't be 0."}
        assert form["image_type" if field_name == "image" else "file_type"]
        self._next += 1
        key = f"{field_name}_{self._next}"
        self._uploads[key] = (file.filename, data)
        return {"code": 0, "msg": "success", "data": {f"{field_name}_key": key}}

    def _resource(self, request: web.Request, path: str) -> web.Response:
        _, _, _, _, message_id, _, key = path.split("/")
        kind, data = self.files.get(f"{message_id}/{key}", ("", b""))
        if not kind or request.query["type"] != kind:
            return web.json_response({"code": 234003, "msg": "File not in msg."}, status=400)
        return web.Response(body=data, content_type="application/octet-stream")

    def _about_messages(
        self, request: web.Request, path: str, given: Mapping[str, Any]
    ) -> dict[str, Any] | int:
        match request.method, path.split("/")[1:]:
            case "POST", []:
                to = given["receive_id"]
                sort = {"ou_": "open_id", "oc_": "chat_id"}[to[:3]]
                if request.query["receive_id_type"] != sort:
                    return 230001
                return self._new(to, given)
            case "POST", [answers, "reply"]:
                to = self.rooms.get(answers, "")
                return self._new(to, given, answers) if to else 230011
            case "GET", [message_id]:
                return self._one(message_id)
            case ("PUT" | "DELETE") as verb, [message_id]:
                return self._changed(verb, message_id, given)
            case verb, [message_id, "reactions", *more]:
                return self._reacted(verb, message_id, more, given, request.query)
            case _:
                return 99992402

    def _one(self, message_id: str) -> dict[str, Any] | int:
        """https://open.feishu.cn/document/server-docs/im-v1/message/get"""
        item: dict[str, Any] = {"message_id": message_id, "deleted": False}
        if (post := self.posts.get(message_id)) is not None:
            sender = {"id": APP_ID, "id_type": "app_id", "sender_type": "app"}
            # As it is got, rich text has one language.
            content = post.contents[-1].get("zh_cn", post.contents[-1])
            item |= {"msg_type": post.kind, "sender": sender}
            return {"items": [{**item, "body": {"content": json.dumps(content)}}]}
        if (said := self.said.get(message_id)) is not None:
            user, told = said
            sender = {"id": user, "id_type": "open_id", "sender_type": "user"}
            item |= {"msg_type": told["message_type"], "sender": sender}
            return {"items": [{**item, "body": {"content": told["content"]}}]}
        return 230110

    def _new(self, to: str, given: Mapping[str, Any], answers: str = "") -> dict[str, Any] | int:
        assert len(given["uuid"]) <= 50
        if known := self._by_key.get(given["uuid"]):
            return {"message_id": known}
        if len(given["content"].encode()) > _LARGEST:
            return 230025
        self._next += 1
        name = f"om_x{self._next}"
        content = json.loads(given["content"])
        keys = [content[one] for one in ("image_key", "file_key") if one in content]
        files = [self._uploads[one] for one in keys]
        in_thread = given.get("reply_in_thread", False)
        sent = Sent(name, to, given["msg_type"], [content], answers, in_thread, files)
        self.posts[name], self.rooms[name] = sent, to
        self._by_key[given["uuid"]] = name
        return {"message_id": name, "chat_id": to}

    def _changed(
        self, verb: str, message_id: str, given: Mapping[str, Any]
    ) -> dict[str, Any] | int:
        known = self.posts.get(message_id)
        if known is None:
            return 230071 if message_id in self.rooms else 230011
        if verb == "DELETE":
            del self.posts[message_id], self.rooms[message_id]
            return {}
        if len(known.contents) > _MOST_EDITS:
            return 230072
        known.contents.append(json.loads(given["content"]))
        return {"message_id": message_id}

    def _reacted(
        self,
        verb: str,
        message_id: str,
        more: Sequence[str],
        given: Mapping[str, Any],
        query: Mapping[str, str],
    ) -> dict[str, Any] | int:
        there = self.reactions.setdefault(message_id, {})
        if verb == "GET":
            who = {"operator_id": APP_ID, "operator_type": "app"}
            items = [
                {"reaction_id": one, "operator": who, "reaction_type": {"emoji_type": name}}
                for one, name in there.items()
                if name == query["reaction_type"]
            ]
            return {"items": items, "has_more": False}
        if verb == "DELETE":
            return {} if there.pop(more[0], "") else 231010
        name = given["reaction_type"]["emoji_type"]
        if name not in _NAMES:
            return 231001
        if name not in there.values():
            self._next += 1
            there[f"r{self._next}"] = name
        return {"reaction_id": next(one for one, known in there.items() if known == name)}


def _words(content: Mapping[str, Any]) -> str:
    lines = content.get("zh_cn", {}).get("content", [])
    return "\n".join("".join(piece["text"] for piece in line) for line in lines)


def frame(method: int, headers: Mapping[str, str], payload: bytes) -> bytes:
    """``pbbp2.Frame`` with SeqID 7, LogID 300 and service 33."""
    out = b"\x08\x07\x10\xac\x02\x18\x21" + b"\x20" + bytes([method])
    for name, value in headers.items():
        inner = _field(1, name.encode()) + _field(2, value.encode())
        out += _field(5, inner)
    return out + _field(8, payload) + _field(9, b"log")


def taken_apart(raw: bytes) -> tuple[int, int, dict[str, str], bytes]:
    """method, service, headers and payload of a frame that must be right."""
    numbers: dict[int, int] = {}
    headers: dict[str, str] = {}
    payload = b""
    for number, value in _fields(raw):
        if isinstance(value, int):
            numbers[number] = value
        elif number == 5:
            inner = dict(_fields(value))
            headers[bytes(inner[1]).decode()] = bytes(inner[2]).decode()
        elif number == 8:
            payload = value
    assert {1, 2, 3, 4} <= set(numbers)  # all of them are required
    return numbers[4], numbers[3], headers, payload


def _fields(raw: bytes) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = raw[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(raw):
        key = number()
        if key & 7 == 0:
            found.append((key >> 3, number()))
            continue
        assert key & 7 == 2
        length = number()
        found.append((key >> 3, raw[at : at + length]))
        at += length
    return found


def _field(number: int, value: bytes) -> bytes:
    length = len(value)
    size = b""
    while length > 0x7F:
        size += bytes([length & 0x7F | 0x80])
        length >>= 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + value
