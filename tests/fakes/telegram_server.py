"""A Bot API on loopback that keeps to the public documents, with faults to order.

    telegram = TelegramServer()
    await telegram.start()                       # again after `stop`: same port, same messages
    telegram.write(1, "hello", chat=PRIVATE)     # an update, until somebody has confirmed it
    telegram.faults.append(Fault("sendMessage", 429, retry_after=1))
    telegram.sent                                # what the bot wrote, by (chat, id), as it stands

What is assumed of Telegram is in `ASSUMED`, each with the address of the document that says so;
tests/integration/channels/test_telegram.py has a test for each that matters to us.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.fakes.held import hold_web

API = "https://core.telegram.org/bots/api"
ASSUMED = {
    "an update is sent until a larger offset is asked for": f"{API}#getupdates",
    "a second one who asks ends the first, who is told 409": f"{API}#getupdates",
    "no updates while a webhook is set": f"{API}#getupdates",
    "4096 UTF-16 units of text, once its markup is taken off": f"{API}#sendmessage",
    "captions have 1024": f"{API}#sendphoto",
    "tags that are not known are refused": f"{API}#html-style",
    "a message that is not changed is refused": f"{API}#editmessagetext",
    "retry_after and migrate_to_chat_id stand in parameters": f"{API}#responseparameters",
    "a file is fetched at /file/bot<token>/<file_path>": f"{API}#getfile",
    "the parts of an album come one by one with the same media_group_id": f"{API}#message",
    "entities are counted in UTF-16": f"{API}#messageentity",
    "a reaction must be on the list": f"{API}#reactiontypeemoji",
}
TOKEN = "123456789:AAcanary-token-that-nobody-may-ever-see"
BOT = 123456789
ADA = {"id": 42, "is_bot": False, "first_name": "Ada", "last_name": "L", "username": "ada"}
EVE = {"id": 66, "is_bot": False, "first_name": "Eve"}
CLUB = -1001234
_TAG = re.compile(r"<(/?)([a-z]+)((?:\s[^<>]*)?)>")
_KNOWN_TAGS = ("a", "b", "blockquote", "code", "del", "em", "i", "pre", "s", "strong", "u")
_REACTIONS = ("👍", "👎", "❤", "🔥", "🎉", "👀", "🤔")


class MarkupError(ValueError):
    """What Telegram says of tags that it cannot read."""


@dataclass(frozen=True)
class Fault:
    """What the next call of a method is answered with. `status` 0 cuts the line; a `body` is sent
    as it is, a `location` sends the asker there."""

    method: str
    status: int
    reason: str = "Bad Request: faulty"
    retry_after: int | None = None
    moved_to: int | None = None
    body: bytes | None = None
    location: str = ""


@dataclass
class Sent:
    """A message of the bot; `text` as people see it, `texts` each it had."""

    chat: int
    id: int
    texts: list[str]
    given: Mapping[str, Any]
    files: list[tuple[str, bytes]] = field(default_factory=list)
    method: str = "sendMessage"

    @property
    def text(self) -> str:
        return self.texts[-1]


def parsed(text: str) -> str:
    """HTML as people see it.

    Raises:
        MarkupError: Telegram would not take it.
    """
    open_tags: list[str] = []
    for found in _TAG.finditer(text):
        closing, name = bool(found[1]), found[2]
        if name not in _KNOWN_TAGS:
            raise MarkupError(f'Unsupported start tag "{name}" at byte offset {found.start()}')
        if not closing:
            open_tags.append(name)
        elif not open_tags or open_tags.pop() != name:
            raise MarkupError(f"Unmatched end tag at byte offset {found.start()}")
    if open_tags:
        raise MarkupError(f'Can\'t find end tag corresponding to start tag "{open_tags[-1]}"')
    bare = _TAG.sub("", text)
    if "<" in bare:
        raise MarkupError(f'Unsupported start tag "" at byte offset {bare.index("<")}')
    return html.unescape(bare)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@dataclass
class TelegramServer:
    """Lives on the test's loop.

    Attributes:
        calls: (method, parameters) of all but getUpdates.
        faults: each is used once, by the first call of its method.
        webhook: where somebody has the updates sent to.
        polls: how many wait for updates just now.
        offsets: what getUpdates was asked with.
        at_a_look: called when somebody asks without waiting.
        menu: the commands that people are shown.
    """

    token: str = TOKEN
    port: int = 0
    username: str = "molt_bot"
    sent: dict[tuple[int, int], Sent] = field(default_factory=dict)
    calls: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    file_type: str = "application/octet-stream"
    reactions: dict[int, list[str]] = field(default_factory=dict)
    updates: list[dict[str, Any]] = field(default_factory=list)
    webhook: str = ""
    polls: int = 0
    offsets: list[int] = field(default_factory=list)
    at_a_look: Callable[[], None] = lambda: None
    menu: list[str] = field(default_factory=list)
    _next_update: int = 7000
    _next_message: int = 5000
    _came: asyncio.Event = field(default_factory=asyncio.Event)
    _newest_poll: object = None
    _runner: web.AppRunner | None = None

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        self._came = asyncio.Event()  # of this loop: a test may have several, one after the other
        app = web.Application(client_max_size=60 * 2**20)
        app.router.add_post("/bot{token}/{method}", self._call)
        app.router.add_get("/file/bot{token}/{place:.*}", self._file)
        # Without it a poll whose asker has gone would still wait, and be a second one.
        self._runner = web.AppRunner(
            app, shutdown_timeout=0.1, handler_cancellation=True, access_log=None
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    async def hold(self) -> None:
        """It answers nothing any more, and lets nobody go."""
        hold_web(self._runner)

    def push(self, kind: str, content: Mapping[str, Any], *, update_id: int | None = None) -> None:
        """An update of any kind; with an id that was there already it comes twice."""
        if update_id is None:
            update_id, self._next_update = self._next_update, self._next_update + 1
        self.updates.append({"update_id": update_id, kind: dict(content)})
        self._came.set()

    def write(
        self,
        message_id: int,
        text: str = "",
        *,
        sender: Mapping[str, Any] = ADA,
        chat: Mapping[str, Any] | None = None,
        times: int = 1,
        **more: Any,
    ) -> None:
        """Somebody writes, privately or in a group."""
        where = chat or {"id": sender["id"], "type": "private", "first_name": "Ada"}
        message = {
            "message_id": message_id,
            "date": 1_760_000_000 + message_id,
            "chat": where,
            "from": dict(sender),
            **({"text": text} if text and "caption" not in more else {}),
            **more,
        }
        for _ in range(times):
            self.push("message", message)

    def club(self, **more: Any) -> dict[str, Any]:
        return {"id": CLUB, "type": "supergroup", "title": "Club", **more}

    # ------------------------------------------------------------ what the bot asks

    async def _call(self, request: web.Request) -> web.StreamResponse:
        if request.match_info["token"] != self.token:
            return refusal(401, "Unauthorized")
        method = request.match_info["method"]
        given = await _given(request)
        if method != "getUpdates":
            self.calls.append((method, given))
        for fault in self.faults:
            if fault.method == method:
                self.faults.remove(fault)
                return _faulty(fault, request)
        answer = getattr(self, f"_{_snake(method)}", None)
        if answer is None:
            return refusal(404, "Not Found")
        result = await answer(given)
        return result if isinstance(result, web.StreamResponse) else _ok(result)

    async def _get_me(self, _: Mapping[str, Any]) -> Any:
        return {"id": BOT, "is_bot": True, "first_name": "Molt", "username": self.username}

    async def _set_my_commands(self, given: Mapping[str, Any]) -> Any:
        commands = given["commands"]
        if len(commands) > 100 or not all(
            re.fullmatch(r"[a-z0-9_]{1,32}", one["command"]) and 0 < len(one["description"]) <= 256
            for one in commands
        ):
            return refusal(400, "Bad Request: BOT_COMMAND_INVALID")
        self.menu = [one["command"] for one in commands]
        return True

    async def _get_webhook_info(self, _: Mapping[str, Any]) -> Any:
        return {"url": self.webhook, "has_custom_certificate": False, "pending_update_count": 0}

    async def _delete_webhook(self, _: Mapping[str, Any]) -> Any:
        self.webhook = ""
        return True

    async def _get_updates(self, given: Mapping[str, Any]) -> Any:
        if self.webhook:
            return refusal(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook"
                " to delete the webhook first",
            )
        offset, wait = int(given.get("offset", 0)), float(given.get("timeout", 0))
        self.offsets.append(offset)
        if not wait:
            self.at_a_look()
        me = self._newest_poll = object()
        self._came.set()  # whoever waits finds that another one asks
        self.polls += 1
        try:
            if offset > 0:
                self.updates = [one for one in self.updates if one["update_id"] >= offset]
            kinds = given.get("allowed_updates") or []
            ends = asyncio.get_running_loop().time() + wait
            while True:
                if self._newest_poll is not me:
                    return refusal(
                        409,
                        "Conflict: terminated by other getUpdates request; make sure that only one"
                        " bot instance is running",
                    )
                found = [one for one in self.updates if not kinds or set(one) & set(kinds)]
                left = ends - asyncio.get_running_loop().time()
                if found or left <= 0:
                    return found[:100]
                self._came.clear()
                try:
                    async with asyncio.timeout(left):
                        await self._came.wait()
                except TimeoutError:
                    return []
        finally:
            self.polls -= 1

    async def _send_message(self, given: Mapping[str, Any]) -> Any:
        return self._kept(given, "text", 4096, "message is too long")

    async def _send_photo(self, given: Mapping[str, Any]) -> Any:
        return self._kept(given, "caption", 1024, "message caption is too long", "photo")

    async def _send_document(self, given: Mapping[str, Any]) -> Any:
        return self._kept(given, "caption", 1024, "message caption is too long", "document")

    async def _send_voice(self, given: Mapping[str, Any]) -> Any:
        return self._kept(given, "caption", 1024, "message caption is too long", "voice")

    def _kept(
        self, given: Mapping[str, Any], name: str, most: int, long: str, kind: str = ""
    ) -> Any:
        shown = self._shown(given, name, most, long)
        if isinstance(shown, web.Response):
            return shown
        if not shown and not kind:
            return refusal(400, "Bad Request: message text is empty")
        number, self._next_message = self._next_message, self._next_message + 1
        files = [given[kind]] if kind else []
        chat = int(given["chat_id"])
        method = f"send{kind.capitalize() or 'Message'}"
        self.sent[chat, number] = Sent(chat, number, [shown], given, files, method)
        return {"message_id": number, "date": 1, "chat": {"id": chat}, "text": shown}

    def _shown(
        self, given: Mapping[str, Any], name: str, most: int, long: str
    ) -> str | web.Response:
        text = str(given.get(name, ""))
        if given.get("parse_mode") == "HTML":
            try:
                text = parsed(text)
            except MarkupError as error:
                return refusal(400, f"Bad Request: can't parse entities: {error}")
        if units(text) > most:
            return refusal(400, f"Bad Request: {long}")
        return text.strip()

    async def _edit_message_text(self, given: Mapping[str, Any]) -> Any:
        post = self.sent.get((int(given["chat_id"]), int(given["message_id"])))
        if post is None:
            return refusal(400, "Bad Request: message to edit not found")
        shown = self._shown(given, "text", 4096, "message is too long")
        if isinstance(shown, web.Response):
            return shown
        if shown == post.text:
            return refusal(
                400,
                "Bad Request: message is not modified: specified new message content and reply"
                " markup are exactly the same as a current content and reply markup of the message",
            )
        post.texts.append(shown)
        return {"message_id": post.id, "date": 1, "chat": {"id": post.chat}, "text": shown}

    async def _delete_message(self, given: Mapping[str, Any]) -> Any:
        key = (int(given["chat_id"]), int(given["message_id"]))
        if self.sent.pop(key, None) is None:
            return refusal(400, "Bad Request: message to delete not found")
        return True

    async def _send_chat_action(self, given: Mapping[str, Any]) -> Any:
        return given["action"] == "typing"

    async def _set_message_reaction(self, given: Mapping[str, Any]) -> Any:
        wanted = [one["emoji"] for one in given["reaction"]]
        if not set(wanted) <= set(_REACTIONS):
            return refusal(400, "Bad Request: REACTION_INVALID")
        self.reactions[int(given["message_id"])] = wanted
        return True

    async def _get_file(self, given: Mapping[str, Any]) -> Any:
        name = str(given["file_id"])
        if name not in self.files:
            return refusal(400, "Bad Request: invalid file_id")
        return {"file_id": name, "file_size": len(self.files[name]), "file_path": f"photos/{name}"}

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["place"].split("/")[-1]
        if request.match_info["token"] != self.token or name not in self.files:
            return refusal(404, "Not Found")
        return web.Response(body=self.files[name], content_type=self.file_type)


async def _given(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        return dict(await request.json())
    given: dict[str, Any] = {}
    for name, value in (await request.post()).items():
        if isinstance(value, web.FileField):
            given[name] = (value.filename, value.file.read())
        else:
            given[name] = json.loads(value) if str(value)[:1] in "{[" else value
    return given


def _snake(method: str) -> str:
    return re.sub(r"(?=[A-Z])", "_", method).lower()


def _ok(result: Any) -> web.Response:
    return web.json_response({"ok": True, "result": result})


def refusal(status: int, reason: str, **parameters: object) -> web.Response:
    body: dict[str, object] = {"ok": False, "error_code": status, "description": reason}
    if parameters:
        body["parameters"] = parameters
    return web.json_response(body, status=status)


def _faulty(fault: Fault, request: web.Request) -> web.StreamResponse:
    if fault.status == 0 and request.transport is not None:
        request.transport.abort()
        return web.Response()
    if fault.body is not None:
        return web.Response(body=fault.body, status=fault.status)
    if fault.location:
        return web.Response(status=fault.status, headers={"Location": fault.location})
    more: dict[str, object] = {}
    if fault.retry_after is not None:
        more["retry_after"] = fault.retry_after
    if fault.moved_to is not None:
        more["migrate_to_chat_id"] = fault.moved_to
    return refusal(fault.status, fault.reason, **more)


def entities(text: str, kind: str, part: str, **more: Any) -> Sequence[Mapping[str, Any]]:
    """`part` of `text` marked as a `kind`."""
    at = text.index(part)
    return [{"type": kind, "offset": units(text[:at]), "length": units(part), **more}]
