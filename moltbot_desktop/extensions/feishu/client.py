"""The Open Platform over HTTP, and its long connection.

    async with opened(settings, language) as client:
        bot = await client.call("GET", "/open-apis/bot/v3/info")
        async with client.line() as line:               # a WebSocket, its service and its pings

The token of the app (two hours) is asked for when it is needed and once more when the platform has
forgotten it. It goes in a header, only to the API's own address; an address of a line has a ticket
in it, so none gets out: what is raised has a sentence of our own and no cause.
https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qs, urlsplit

import aiohttp

from moltbot_desktop.core.errors import ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.feishu.refusals import STALE_TOKEN, Refusal
from moltbot_desktop.extensions.feishu.settings import Settings
from moltbot_desktop.extensions.feishu.words import say
from moltbot_desktop.sdk import platform_http
from moltbot_desktop.sdk.foreign_json import group, read_object, size, text
from moltbot_desktop.sdk.platform_http import (
    CALL_SECONDS,
    FILE_SECONDS,
    PlatformHttp,
    whole_seconds,
)

HEARTBEAT_SECONDS = 20.0
_EARLY_SECONDS = 300.0
_USUAL_PING = 120.0
_TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"
_LINE_PATH = "/callback/ws/endpoint"


@dataclass(frozen=True)
class Line:
    """A long connection: its socket, the id that our frames carry, and how often to ping."""

    socket: aiohttp.ClientWebSocketResponse
    service: int
    ping_seconds: float


@asynccontextmanager
async def opened(settings: Settings, language: Language) -> AsyncIterator[FeishuClient]:
    """A client, until the end of the block; what is asked then fails."""
    place, phrase = (settings.host, settings.proxy), partial(say, language=language)
    async with platform_http.opened(*place, phrase, partial(_broken, language)) as http:
        yield FeishuClient(http, settings, language)


class FeishuClient:
    """Lives on the loop it was opened on."""

    def __init__(self, http: PlatformHttp, settings: Settings, language: Language) -> None:
        self._http = http
        self._settings = settings
        self._language = language
        self._token = ""
        self._until = 0.0
        self._asking = asyncio.Lock()

    async def call(
        self,
        verb: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: JsonObject | aiohttp.FormData | None = None,
    ) -> JsonObject:
        """The answer to a question, whole.

        Raises:
            ChannelError: what `Refusal.as_error` makes of a refusal, or there was no answer.
        """
        reply = await self._asked(verb, path, params, body)
        # A form is read only once, and what asks with it is tried again by the program.
        if isinstance(reply, Refusal) and reply.code in STALE_TOKEN:
            self._token = ""
            if not isinstance(body, aiohttp.FormData):
                reply = await self._asked(verb, path, params, body)
            else:
                raise ChannelError(say("unwell", self._language, reason=str(reply.code)))
        if isinstance(reply, Refusal):
            raise reply.as_error(self._language)
        return reply

    async def download(self, path: str, params: Mapping[str, str]) -> AsyncIterator[bytes]:
        """The bytes of a file.

        Raises:
            ChannelNotFound: the platform does not keep it any more.
            ChannelRefused: larger than wanted, or not for us.
        """
        head = {"Authorization": f"Bearer {await self._token_now()}"}
        async with self._answered("GET", path, head, params, None, FILE_SECONDS) as response:
            if response.status != 200:
                reply = self._read(response, await self._http.whole(response))
                if isinstance(reply, Refusal):
                    if reply.code in STALE_TOKEN:
                        self._token = ""
                        raise ChannelError(say("unwell", self._language, reason=str(reply.code)))
                    raise reply.as_error(self._language)
                raise _broken(self._language, response.status)
            async for chunk in self._http.file(response, self._settings.most):
                yield chunk

    @asynccontextmanager
    async def line(self) -> AsyncIterator[Line]:
        """The long connection; pings of the socket that are not answered end it.

        Raises:
            ChannelRefused: the app may have none.
            ChannelError: it cannot be opened now.
        """
        keys = {"AppID": self._settings.app_id, "AppSecret": self._settings.app_secret}
        async with self._answered("POST", _LINE_PATH, {}, None, keys) as response:
            reply = self._read(response, await self._http.whole(response))
        if isinstance(reply, Refusal):
            raise self._no_line(reply)
        data = group(reply.get("data"))
        address = text(data.get("URL"))
        if not self._settings.is_line(address):
            raise ChannelError(say("elsewhere", self._language))
        service = parse_qs(urlsplit(address).query).get("service_id", ["0"])[0]
        number = int(service) if service.isascii() and service.isdigit() else 0
        seconds = float(size(group(data.get("ClientConfig")).get("PingInterval")) or _USUAL_PING)
        refused = self._handshake
        opening = self._http.line(address, heartbeat_seconds=HEARTBEAT_SECONDS, refused=refused)
        async with opening as socket:
            yield Line(socket, number & 0x7FFFFFFF, min(max(seconds, 5.0), _USUAL_PING))

    def _handshake(self, status: int, head: Mapping[str, str]) -> ChannelError:
        code = head.get("Handshake-Autherrcode") or head.get("Handshake-Status") or ""
        reason = head.get("Handshake-Msg") or f"HTTP {status}"
        return self._no_line(Refusal(_number(code), reason))

    def _no_line(self, refused: Refusal) -> ChannelError:
        if refused.code == 1000040350:
            return ChannelError(say("too_many", self._language))
        error = refused.as_error(self._language)
        if type(error) is ChannelRefused:
            hint = say("no_line_hint", self._language)
            reason = f"{refused.reason[:120]} ({refused.code})"
            if not refused.code:
                return ChannelError(say("no_line", self._language, reason=reason), hint=hint)
            return ChannelRefused(say("no_line", self._language, reason=reason), hint=hint)
        return error

    async def _asked(
        self,
        verb: str,
        path: str,
        params: Mapping[str, str] | None,
        body: JsonObject | aiohttp.FormData | None,
    ) -> JsonObject | Refusal:
        head = {"Authorization": f"Bearer {await self._token_now()}"}
        seconds = FILE_SECONDS if isinstance(body, aiohttp.FormData) else CALL_SECONDS
        async with self._answered(verb, path, head, params, body, seconds) as response:
            return self._read(response, await self._http.whole(response))

    async def _token_now(self) -> str:
        loop = asyncio.get_running_loop()
        async with self._asking:
            if self._token and loop.time() < self._until:
                return self._token
            keys = {"app_id": self._settings.app_id, "app_secret": self._settings.app_secret}
            async with self._answered("POST", _TOKEN_PATH, {}, None, keys) as response:
                reply = self._read(response, await self._http.whole(response))
            if isinstance(reply, Refusal):
                raise reply.as_error(self._language)
            self._token = text(reply.get("tenant_access_token"))
            self._until = loop.time() + max(size(reply.get("expire")) - _EARLY_SECONDS, 1.0)
            return self._token

    def _read(self, response: aiohttp.ClientResponse, body: bytes) -> JsonObject | Refusal:
        wait = whole_seconds(response.headers.get("x-ogw-ratelimit-reset", ""))
        found = read_object(body)
        code = found.get("code") if found is not None else None
        if response.status == 429 and not isinstance(code, int):
            return Refusal(99991400, retry_after=wait)
        if found is None or not isinstance(code, int) or isinstance(code, bool):
            if response.status >= 500:
                reason = f"HTTP {response.status}"
                raise ChannelError(say("unwell", self._language, reason=reason))
            raise _broken(self._language, response.status)
        return Refusal(code, text(found.get("msg")), wait) if code else found

    def _answered(
        self,
        verb: str,
        path: str,
        head: Mapping[str, str],
        params: Mapping[str, str] | None,
        body: JsonObject | aiohttp.FormData | None,
        seconds: float = CALL_SECONDS,
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """The response, while its body is read."""
        form = body if isinstance(body, aiohttp.FormData) else None
        return self._http.answered(
            verb,
            self._settings.root + path,
            head=head,
            params=params,
            body=None if isinstance(body, aiohttp.FormData) else body,
            data=form,
            seconds=seconds,
        )


def _broken(language: Language, status: int) -> ChannelError:
    return ChannelError(say("broken", language, status=status))


def _number(written: str) -> int:
    return int(written) if written.isascii() and written.isdigit() and len(written) < 12 else 0
