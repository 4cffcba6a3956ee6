"""A ``signal-cli daemon --http`` on loopback that keeps to the public manuals.

    there = SignalCli()
    await there.start()                          # again after `stop`: same port, same events
    there.write(1_760_000_001_000, "hello", sender=ADA)
    there.posts                                  # what the account wrote, by time, as it stands
    await there.begin_anew()                     # as after a new start: other ids of events

`stop` takes the way to it away and leaves it running: its events stay. What is assumed of
signal-cli is in `ASSUMED`, each with the address of the document that says so, and each the name
of a test.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus

from aiohttp import web

from tests.fakes.held import hold_web

_MAN = "https://github.com/AsamK/signal-cli/blob/master/man"
RPC, CLI = f"{_MAN}/signal-cli-jsonrpc.5.adoc", f"{_MAN}/signal-cli.1.adoc"
ASSUMED = {
    "check answers 200": RPC,
    "events behind Last-Event-ID come again, all where the id is unknown": RPC,
    "one that has several accounts wants to be told which": RPC,
    "one for a single account lists none": RPC,
    "a message has ranges in UTF16": CLI,
    "an edit, a quote and a delete name a time": CLI,
    "an attachment goes as a data URI with its name": CLI,
    "getAttachment gives base64": CLI,
    "an error has the code of the command's end": CLI,
}
NUMBER, OWN_UUID = "+15550000001", "0b0b0b0b-0000-4000-8000-000000000001"
ADA, EVE = "ada0ada0-0000-4000-8000-000000000042", "e5e5e5e5-0000-4000-8000-000000000066"
NAMES = {ADA: "Ada", EVE: "Eve"}
NUMBERS = {ADA: "+15550000042", EVE: "+15550000066"}
ROOM = "Pmpi+EfPWmsxiomLe9Nx2XF9HOE483p6iKiFj65iMwI="
_KEPT = 1_000
_FILE = re.compile(r"data:([^;,]+);filename=([^;,]*);base64,(.+)")


@dataclass(frozen=True)
class Fault:
    """What the next call of a method is answered with; code 0 cuts the line."""

    method: str
    code: int
    message: str = "no"
    data: Mapping[str, Any] | None = None


@dataclass
class Sent:
    """A message of the account; `texts` has each text it had."""

    at: int
    to: str
    texts: list[str]
    given: Mapping[str, Any]
    files: list[tuple[str, bytes]] = field(default_factory=list)


@dataclass
class SignalCli:
    """Lives on the test's loop.

    Attributes:
        calls: (method, parameters) in order.
        several: it has several accounts; otherwise it was started for one.
        lists_ids: it tells the ids of its accounts, as newer ones do.
    """

    port: int = 0
    several: bool = True
    lists_ids: bool = True
    posts: dict[int, Sent] = field(default_factory=dict)
    calls: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    reactions: dict[int, list[str]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    asked_after: list[str] = field(default_factory=list)
    check_status: int = 200
    _events: list[tuple[str, bytes]] = field(default_factory=list)
    _count: int = 0
    _epoch: int = 0
    _clock: int = 1_770_000_000_000
    _more: asyncio.Condition = field(default_factory=asyncio.Condition)
    _runner: web.AppRunner | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _lines: list[web.Request] = field(default_factory=list)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        self._more = asyncio.Condition()  # of this loop
        app = web.Application(client_max_size=60 * 2**20)
        app.router.add_post("/api/v1/rpc", self._call)
        app.router.add_get("/api/v1/events", self._follow)
        app.router.add_get("/api/v1/check", self._check)
        self._runner = web.AppRunner(
            app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port).start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """It cannot be reached any more."""
        self.drop()
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def hold(self) -> None:
        """It answers nothing any more, and lets nobody go."""
        hold_web(self._runner)

    def drop(self) -> None:
        """Every line of events breaks, without a word."""
        for one in self._lines:
            if one.transport is not None:
                one.transport.abort()
        self._lines.clear()

    def begin_anew(self) -> None:
        """Its events have other ids, as after a new start; those that were kept are told all."""
        self._epoch += 1
        self._events = [(self._name(), raw) for _, raw in self._events]
        self.drop()

    def write(
        self, at: int, text: str | None, *, sender: str = ADA, room: str = "", **more: Any
    ) -> None:
        """Somebody writes, privately or to a group."""
        message = {"timestamp": at, "message": text, "expiresInSeconds": 0, "viewOnce": False}
        if room:
            more["groupInfo"] = {"groupId": room, "groupName": "Tea", "type": "DELIVER"}
        self.happen(sender, at, {"dataMessage": {**message, **more}})

    def happen(self, sender: str, at: int, what: Mapping[str, Any], account: str = NUMBER) -> None:
        """An envelope of any kind."""
        who = {"source": sender, "sourceUuid": sender, "sourceNumber": NUMBERS.get(sender)}
        named = {"sourceName": NAMES.get(sender, ""), "sourceDevice": 1, "timestamp": at}
        self.tell(json.dumps({"envelope": {**who, **named, **what}, "account": account}))

    def tell(self, data: str) -> None:
        """An event with any data."""
        self._events.append((self._name(), data.encode()))
        del self._events[:-_KEPT]

        async def noticed() -> None:
            async with self._more:
                self._more.notify_all()

        task = asyncio.get_running_loop().create_task(noticed())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _name(self) -> str:
        self._count += 1
        return f"{self._epoch}-{self._count}"

    async def _check(self, _: web.Request) -> web.Response:
        return web.Response(status=self.check_status)

    async def _follow(self, request: web.Request) -> web.StreamResponse:
        if self.several and request.query.get("account") != NUMBER:
            return web.Response(status=400)
        line = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await line.prepare(request)
        after = request.headers.get("Last-Event-ID", "")
        self.asked_after.append(after)
        self._lines.append(request)
        names = [name for name, _ in self._events]
        told = names[names.index(after)] if after in names else ""
        if not after and names:
            told = names[-1]
        with contextlib.suppress(OSError):
            await line.write(b":\n")
            while True:
                told = await self._rest(line, told)
                async with self._more:
                    while not self._events or self._events[-1][0] == told:
                        await self._more.wait()
        return line

    async def _rest(self, line: web.StreamResponse, told: str) -> str:
        names = [name for name, _ in self._events]
        start = names.index(told) + 1 if told in names else 0
        for name, data in self._events[start:]:
            await line.write(b"id:%s\nevent:receive\ndata:%s\n\n" % (name.encode(), data))
            told = name
        return told

    async def _call(self, request: web.Request) -> web.StreamResponse:
        asked = json.loads(await request.read())
        assert asked["jsonrpc"] == "2.0" and isinstance(asked["id"], str)
        method, given = asked["method"], dict(asked.get("params") or {})
        self.calls.append((method, given))
        fault = next((one for one in self.faults if one.method == method), None)
        if fault is not None:
            self.faults.remove(fault)
            if not fault.code:
                assert request.transport is not None
                request.transport.abort()
                return web.Response()
            said = {"code": fault.code, "message": fault.message, "data": fault.data}
            return web.json_response({"jsonrpc": "2.0", "error": said, "id": asked["id"]})
        answer = self._answer(method, given)
        if isinstance(answer, tuple):
            said = {"code": answer[0], "message": answer[1], "data": None}
            return web.json_response({"jsonrpc": "2.0", "error": said, "id": asked["id"]})
        return web.json_response({"jsonrpc": "2.0", "result": answer, "id": asked["id"]})

    def _answer(self, method: str, given: Mapping[str, Any]) -> Any:
        if method == "listAccounts":
            if not self.several:
                return (-32601, "Method not implemented")
            return [{"number": NUMBER, **({"aci": OWN_UUID} if self.lists_ids else {})}]
        if self.several and "account" not in given:
            return (-32602, "Method requires valid account parameter")
        if self.several and given["account"] not in (NUMBER, OWN_UUID):
            return (-32602, "Specified account does not exist")
        match method:
            case "getUserStatus":
                [who] = given["recipient"]
                return [{"recipient": who, "number": who, "uuid": OWN_UUID, "isRegistered": True}]
            case "sendTyping" | "sendReceipt":
                return {}
            case "getAttachment":
                found = self.files.get(given["id"])
                if found is None or not ("recipient" in given or "groupId" in given):
                    return (-1, "Could not find attachment")
                return {"data": base64.b64encode(found).decode()}
            case "send" | "remoteDelete" | "sendReaction":
                return self._sent(method, given)
            case _:
                return (-32601, "Method not implemented")

    def _sent(self, method: str, given: Mapping[str, Any]) -> Any:
        to = given.get("groupId") or given["recipient"][0]
        to = next((uuid for uuid, number in NUMBERS.items() if number == to), to)
        if to not in (ADA, EVE, ROOM):
            return (-1, f"The user {to} is not registered.")
        self._clock += 1
        done = {"timestamp": self._clock, "results": [{"type": "SUCCESS"}]}
        if method == "sendReaction":
            there = self.reactions.setdefault(given["targetTimestamp"], [])
            assert given["targetAuthor"]
            if given["emoji"] in there:
                there.remove(given["emoji"])
            if not given.get("remove"):
                there.append(given["emoji"])
            return done
        if method == "remoteDelete":
            self.posts.pop(given["targetTimestamp"], None)
            return done
        text, files = given.get("message", ""), given.get("attachment", [])
        if not text and not files:
            return (-1, "Sending empty message is not allowed")
        size = len(text.encode("utf-16-le")) // 2
        for style in given.get("textStyle", []):
            start, length, kind = style.split(":")
            assert int(start) + int(length) <= size and int(length) > 0
            assert kind in ("BOLD", "ITALIC", "SPOILER", "STRIKETHROUGH", "MONOSPACE")
        if "editTimestamp" in given:
            known = self.posts.get(given["editTimestamp"])
            if known is not None:  # an app that does not have it shows nothing
                known.texts.append(text)
            return done
        found = [_FILE.fullmatch(one) for one in files]
        read = [(unquote_plus(one[2]), base64.b64decode(one[3])) for one in found if one]
        assert len(read) == len(files)
        self.posts[self._clock] = Sent(self._clock, to, [text], given, read)
        return done
