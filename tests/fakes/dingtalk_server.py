"""A DingTalk on loopback that keeps to the public documents: the Open Platform and its stream.

    dingtalk = DingTalkServer()
    await dingtalk.start()                        # again after `stop`: same port, same messages
    dingtalk.write("msg1", "hello", user="0147")  # told once, to whoever listens now
    dingtalk.faults.append(Fault("/v1.0/robot/oToMessages/batchSend", "send.too.fast"))
    dingtalk.posts                                # what the robot said, in order

What is assumed of DingTalk is in `ASSUMED`: the document that says so, and the test that holds the
channel to it (`tests/integration/channels/test_dingtalk.py`).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.held import hold_web

DOCS = "https://open.dingtalk.com/document/development"
STREAM = "https://open-dingtalk.github.io/developerpedia/docs/learn/stream"
ASSUMED: Mapping[str, tuple[str, str]] = {
    "a push is answered with its own id and a code": (
        f"{STREAM}/protocol",
        "test_a_message_is_acknowledged_once_it_is_kept",
    ),
    "a ping has its own data back": (
        f"{STREAM}/protocol",
        "test_a_ping_has_its_own_data_back",
    ),
    "a line says goodbye ten seconds before it ends": (
        f"{STREAM}/protocol",
        "test_a_line_that_says_goodbye_has_a_successor_before_it_ends",
    ),
    "a ticket is good once": (
        f"{STREAM}/protocol",
        "test_every_line_has_a_ticket_of_its_own",
    ),
    "a robot's message is told once, whatever is answered": (
        f"{STREAM}/protocol",
        "test_a_message_that_could_not_be_kept_is_not_acknowledged",
    ),
    "a message brings an address where answers go until a time": (
        f"{DOCS}/receive-message",
        "test_an_answer_goes_within_the_session_while_it_lasts",
    ),
    "a session that is over is 300001": (
        "https://github.com/agentscope-ai/QwenPaw/issues/2221",
        "test_a_session_that_is_over_is_told_by_its_number",
    ),
    "a token that is over is InvalidAuthentication or 40014": (
        "https://github.com/satorijs/satori/issues/240",
        "test_a_token_that_is_over_is_asked_for_anew",
    ),
    "a wrong id or secret is invalidClientIdOrSecret": (
        f"{DOCS}/obtain-the-access-token-of-an-internal-app",
        "test_a_wrong_secret_says_so",
    ),
    "parameters have 15,000 bytes": (
        f"{DOCS}/the-robot-sends-a-group-message",
        "test_what_is_too_long_is_cut_once_more",
    ),
    "people who are not there are named in the answer": (
        f"{DOCS}/chatbots-send-one-on-one-chat-messages-in-batches",
        "test_a_person_who_is_not_there_is_refused",
    ),
    "a file is fetched by a code, from an address": (
        f"{DOCS}/download-the-file-content-of-the-robot-receiving-message",
        "test_files_come_within_their_limits",
    ),
    "pictures and files are uploaded to the older API": (
        f"{DOCS}/upload-media-files",
        "test_files_go_as_pictures_and_as_files",
    ),
    "what the API sent is taken back by its number": (
        f"{DOCS}/batch-message-recall-chat",
        "test_what_the_api_sent_is_taken_back",
    ),
    "limits have names and a time": (
        f"{DOCS}/how-to-process-api-throttling-on-the-dingtalk-server",
        "test_what_is_limited_says_how_long",
    ),
}
CLIENT_ID = "dinga1b2c3"
CLIENT_SECRET = "canary-secret-that-nobody-may-ever-see"
ROOM = "cid77/abc+DEF=="
SESSION_SECONDS = 5_400
_LONGEST_PARAM = 15_000
_LONGEST_SESSION = 20_000
_KINDS = frozenset("doc docx xls xlsx ppt pptx zip pdf rar".split())
_ROBOT = "/v1.0/im/bot/messages/get"


@dataclass(frozen=True)
class Fault:
    """What the next call of a path is answered with; "" as `code` cuts the line."""

    path: str
    code: str
    status: int = 400


@dataclass
class Sent:
    """Something the robot said. `way` is ``session`` or the API's msgKey."""

    id: str
    to: str
    way: str
    param: dict[str, Any]
    files: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def text(self) -> str:
        return str(self.param.get("text", ""))


@dataclass
class _Line:
    socket: web.WebSocketResponse
    open: set[str] = field(default_factory=set)
    leaving: bool = False


@dataclass
class DingTalkServer:
    """Lives on the test's loop.

    Attributes:
        answers: (id of a push, code, data) of what it was answered.
        lost: messages that were written while nobody listened.
        people: who is in the organisation; others cannot be written to.
        file_host, endpoint: where files lie and lines go, "" for here.
    """

    port: int = 0
    posts: list[Sent] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    answers: list[tuple[str, int, str]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    people: set[str] = field(default_factory=lambda: {"0147", "0266"})
    calls: list[str] = field(default_factory=list)
    tokens: int = 0
    lines: int = 0
    tickets: set[str] = field(default_factory=set)
    file_host: str = ""
    endpoint: str = ""
    _sessions: dict[str, str] = field(default_factory=dict)
    _uploads: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    _held: list[dict[str, Any]] = field(default_factory=list)
    _opening: int = 0
    _still: bool = False
    _next: int = 0
    _open: list[_Line] = field(default_factory=list)
    _runner: web.AppRunner | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return f"t-canary-{self.tokens}"

    @property
    def standing(self) -> int:
        return len(self._open)

    def forget(self) -> None:
        """The token that was given is over, though its time was not."""
        self.tokens += 1

    def end_sessions(self) -> None:
        """All that were opened are over, though their time was not."""
        self._sessions.clear()

    async def start(self) -> None:
        app = web.Application(client_max_size=60 * 2**20)
        app.router.add_get("/connect", self._connected)
        app.router.add_get("/files/{code:.*}", self._file)
        app.router.add_post("/{rest:.*}", self._call)
        self._runner = web.AppRunner(
            app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """What was told to a line that stands is heard first: nothing is told twice here, so that
        the words of a test would otherwise be gone."""
        async with asyncio.timeout(30):
            while not self._still and any(line.open for line in self._open):
                await asyncio.sleep(0.005)
        self._still = False
        await self.drop()
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def hold(self) -> None:
        """It answers nothing any more, and lets nobody go."""
        self._still = True
        hold_web(self._runner)

    async def drop(self) -> None:
        """Every line breaks, without a word."""
        for line in self._open:
            request = line.socket._req
            if request is not None and request.transport is not None:
                request.transport.abort()
        self._open.clear()

    async def say_goodbye(self) -> None:
        """To every line; nothing is told to it after."""
        for line in self._open:
            line.leaving = True
            reason = json.dumps({"reason": "connection is expired"})
            await self._push(line, "SYSTEM", "disconnect", reason, answered=False)

    async def close_leaving(self) -> None:
        for line in [one for one in self._open if one.leaving]:
            await line.socket.close()

    async def ping(self, opaque: str) -> None:
        data = json.dumps({"opaque": opaque})
        await self._push(self._open[-1], "SYSTEM", "ping", data)

    def write(
        self,
        message_id: str,
        text: str,
        *,
        user: str = "0147",
        room: str = "",
        mentioned: bool = False,
        kind: str = "text",
        content: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Somebody writes, privately or in a room. A room is told whole here, which is more than
        the platform does: it tells a robot what calls it."""
        self._next += 1
        session = f"canary-session-{self._next}"
        self._sessions[session] = room or user
        now = int(time.time() * 1000)
        message: dict[str, Any] = {
            "conversationId": room or f"cid{user}==",
            "atUsers": [{"dingtalkId": "$:LWCP_v1:$robot"}] if mentioned else [],
            "chatbotCorpId": "ding9f50",
            "chatbotUserId": "$:LWCP_v1:$robot",
            "msgId": message_id,
            "senderNick": "Ada",
            "isAdmin": True,
            "senderStaffId": user,
            "sessionWebhookExpiredTime": now + SESSION_SECONDS * 1000,
            "createAt": now,
            "senderCorpId": "ding9f50",
            "conversationType": "2" if room else "1",
            "senderId": f"$:LWCP_v1:${user}",
            "isInAtList": mentioned,
            "sessionWebhook": f"{self.root}/robot/sendBySession?session={session}",
            "robotCode": CLIENT_ID,
            "msgtype": kind,
            **({"text": {"content": f" {text}"}} if content is None else {"content": content}),
            **more,
        }
        ready = [line for line in self._open if not line.leaving]
        if ready:
            self._tell(ready[-1], message)
        elif self._opening:  # whoever was just let in hears it
            self._held.append(message)
        else:
            self.lost.append(message_id)

    def _tell(self, line: _Line, message: Mapping[str, Any]) -> None:
        data = json.dumps(message, ensure_ascii=False)
        task = asyncio.get_running_loop().create_task(
            self._push(line, "CALLBACK", _ROBOT, data, name=f"push-{message['msgId']}")
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _push(
        self,
        line: _Line,
        kind: str,
        topic: str,
        data: str,
        *,
        name: str = "",
        answered: bool = True,
    ) -> None:
        self._next += 1
        name = f"{name or topic}-{self._next}"
        head = {"topic": topic, "contentType": "application/json", "time": "1690362102194"}
        whole = {"specVersion": "1.0", "type": kind, "headers": head, "data": data}
        if answered:
            head["messageId"] = name
            line.open.add(name)
        with contextlib.suppress(OSError):
            await line.socket.send_str(json.dumps(whole, ensure_ascii=False))

    async def _connected(self, request: web.Request) -> web.StreamResponse:
        if request.query.get("ticket") not in self.tickets:
            return web.Response(status=401)
        self.tickets.discard(request.query["ticket"])
        self._opening += 1
        line = _Line(web.WebSocketResponse())
        try:
            await line.socket.prepare(request)
            self._open.append(line)
        finally:
            self._opening -= 1
        held, self._held = self._held, []
        for one in held:
            self._tell(line, one)
        try:
            async for message in line.socket:
                if message.type is WSMsgType.TEXT:
                    self._answered(line, json.loads(message.data))
        finally:
            if line in self._open:
                self._open.remove(line)
        return line.socket

    def _answered(self, line: _Line, answer: Mapping[str, Any]) -> None:
        assert answer["headers"]["contentType"] == "application/json"
        name = answer["headers"]["messageId"]
        line.open.remove(name)  # of this line, and once
        self.answers.append((name, answer["code"], answer["data"]))

    async def _file(self, request: web.Request) -> web.Response:
        assert "x-acs-dingtalk-access-token" not in request.headers
        data = self.files.get(request.match_info["code"])
        return web.Response(status=403) if data is None else web.Response(body=data)

    async def _call(self, request: web.Request) -> web.Response:
        # Whole, before anything is said.
        form = await request.post() if request.content_type == "multipart/form-data" else {}
        given = {} if form else await request.json()
        path = request.path
        self.calls.append(path)
        older = not path.startswith("/v1.0/")
        fault = next((one for one in self.faults if one.path == path), None)
        if fault is not None:
            self.faults.remove(fault)
            if not fault.code:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            return _refused(fault.code, fault.status, older=older)
        if path == "/robot/sendBySession":
            return self._in_session(request.query["session"], given)
        if path == "/v1.0/oauth2/accessToken":
            return self._given(given)
        if path == "/v1.0/gateway/connections/open":
            return self._ticket(given)
        known = request.query.get("access_token") if older else _token(request)
        if known != self.token:
            return _refused("40014" if older else "InvalidAuthentication", older=older)
        if path == "/media/upload":
            return self._upload(request.query["type"], form)
        assert given["robotCode"] == CLIENT_ID
        match path.removeprefix("/v1.0/robot/"):
            case "messageFiles/download":
                return self._address(given["downloadCode"])
            case "oToMessages/batchSend":
                return self._to_people(given)
            case "groupMessages/send":
                return self._sent(given["openConversationId"], given)
            case "otoMessages/batchRecall" | "groupMessages/recall":
                return self._taken_back(given)
            case _:
                return web.Response(status=404)

    def _given(self, keys: Mapping[str, str]) -> web.Response:
        if (keys["appKey"], keys["appSecret"]) != (CLIENT_ID, CLIENT_SECRET):
            return _refused("invalidClientIdOrSecret")
        self.tokens += 1
        return web.json_response({"accessToken": self.token, "expireIn": 7200})

    def _ticket(self, keys: Mapping[str, Any]) -> web.Response:
        if (keys["clientId"], keys["clientSecret"]) != (CLIENT_ID, CLIENT_SECRET):
            return _refused("authFailed", 401)
        assert keys["subscriptions"] == [{"type": "CALLBACK", "topic": _ROBOT}]
        self.lines += 1
        ticket = f"canary-ticket/{self.lines}+="
        self.tickets.add(ticket)
        endpoint = self.endpoint or f"ws://127.0.0.1:{self.port}/connect"
        return web.json_response({"endpoint": endpoint, "ticket": ticket})

    def _in_session(self, session: str, given: Mapping[str, Any]) -> web.Response:
        to = self._sessions.get(session)
        if to is None:
            return _refused("300001", older=True)
        if len(json.dumps(given, ensure_ascii=False).encode()) > _LONGEST_SESSION:
            return _refused("460101", older=True)
        assert given["msgtype"] == "markdown" and given["markdown"]["title"]
        self._keep(to, "session", given["markdown"])
        return web.json_response({"errcode": 0, "errmsg": "ok"})

    def _to_people(self, given: Mapping[str, Any]) -> web.Response:
        [user] = given["userIds"]
        if user not in self.people:
            answer = {"processQueryKey": "", "invalidStaffIdList": [user]}
            return web.json_response({**answer, "flowControlledStaffIdList": []})
        return self._sent(user, given)

    def _sent(self, to: str, given: Mapping[str, Any]) -> web.Response:
        if len(given["msgParam"].encode()) > _LONGEST_PARAM:
            return _refused("invalidParameter.msgParam.tooLong")
        sent = self._keep(to, given["msgKey"], json.loads(given["msgParam"]))
        empty: list[str] = []
        lists = {"invalidStaffIdList": empty, "flowControlledStaffIdList": empty}
        return web.json_response({"processQueryKey": sent.id, **lists})

    def _keep(self, to: str, way: str, param: Mapping[str, Any]) -> Sent:
        self._next += 1
        keys = [param[one] for one in ("photoURL", "mediaId") if one in param]
        files = [self._uploads[one] for one in keys]
        self.posts.append(Sent(f"pqk{self._next}", to, way, dict(param), files))
        return self.posts[-1]

    def _taken_back(self, given: Mapping[str, Any]) -> web.Response:
        done, failed = [], {}
        for key in given["processQueryKeys"]:
            found = [one for one in self.posts if one.id == key and one.way != "session"]
            if not found:
                failed[key] = "invalid"
                continue
            assert given.get("openConversationId", found[0].to) == found[0].to
            self.posts.remove(found[0])
            done.append(key)
        return web.json_response({"successResult": done, "failedResult": failed})

    def _address(self, code: str) -> web.Response:
        where = self.file_host or self.root
        return web.json_response({"downloadUrl": f"{where}/files/{code}"})

    def _upload(self, kind: str, form: Mapping[str, Any]) -> web.Response:
        file: Any = form["media"]
        data, ending = file.file.read(), file.filename.rpartition(".")[2]
        if kind == "file" and ending not in _KINDS:
            return _refused("40004", older=True)
        self._next += 1
        media_id = f"@lAz{self._next}"
        self._uploads[media_id] = (file.filename, data)
        return web.json_response({"errcode": 0, "errmsg": "ok", "media_id": media_id})


def _token(request: web.Request) -> str:
    return request.headers.get("x-acs-dingtalk-access-token", "")


def _refused(code: str, status: int = 400, *, older: bool = False) -> web.Response:
    if older:
        return web.json_response({"errcode": int(code), "errmsg": "no"})
    said = {"requestid": "E60CC236", "code": code, "message": "no"}
    return web.json_response(said, status=status)
