"""The Web API over HTTP, and the line of socket mode: nothing is remembered.

    async with opened(settings, language) as client:
        me = await client.call("auth.test")
        reply = await client.ask("chat.update", {...})          # the answer, or a Refusal
        async with client.line() as line:                       # a WebSocket

Tokens go in headers and only to Slack's own addresses; an address may have a ticket in it, so none
gets out: what is raised has a sentence of our own and no cause. Redirects are not followed with a
token. https://docs.slack.dev/apis/web-api
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from types import MappingProxyType
from typing import IO
from urllib.parse import urljoin, urlsplit

import aiohttp

from moltbot_desktop.core.errors import ChannelError, ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.slack.refusals import Refusal
from moltbot_desktop.extensions.slack.settings import Settings
from moltbot_desktop.extensions.slack.words import say
from moltbot_desktop.sdk import platform_http
from moltbot_desktop.sdk.foreign_json import group, read_object, size, text
from moltbot_desktop.sdk.platform_http import FILE_SECONDS, PlatformHttp, whole_seconds

_NOTHING: JsonObject = MappingProxyType({})


@asynccontextmanager
async def opened(settings: Settings, language: Language) -> AsyncIterator[SlackClient]:
    """A client, until the end of the block; what is asked then fails."""
    host, proxy = settings.host, settings.proxy
    phrase = partial(say, language=language)
    async with platform_http.opened(host, proxy, phrase, partial(_broken, language)) as http:
        yield SlackClient(http, settings, language)


class SlackClient:
    """Lives on the loop it was opened on."""

    def __init__(self, http: PlatformHttp, settings: Settings, language: Language) -> None:
        self._http = http
        self._settings = settings
        self._language = language

    async def call(
        self, method: str, params: JsonObject = _NOTHING, *, by_app: bool = False
    ) -> JsonObject:
        """The answer to a question.

        Raises:
            ChannelError: what `Refusal.as_error` makes of a refusal, or there was no answer.
        """
        reply = await self.ask(method, params, by_app=by_app)
        if isinstance(reply, Refusal):
            raise reply.as_error(self._language)
        return reply

    async def ask(
        self, method: str, params: JsonObject = _NOTHING, *, by_app: bool = False
    ) -> JsonObject | Refusal:
        """The answer, or why not. Values go as a form, which every method takes.

        Args:
            by_app: with the app's token.

        Raises:
            ChannelError: there was no answer that can be read.
        """
        token = self._settings.app_token if by_app else self._settings.bot_token
        address = f"{self._settings.root}/{method}"
        form = {name: _in_form(value) for name, value in params.items() if value is not None}
        head = _head(token)
        async with self._http.answered("POST", address, head=head, data=form) as response:
            status, wait = response.status, response.headers.get("Retry-After", "")
            body = await self._http.whole(response)
        if status == 429:
            return Refusal("ratelimited", retry_after=whole_seconds(wait))
        found = read_object(body)
        if found is None or not isinstance(found.get("ok"), bool):
            if status >= 500:
                reason = f"HTTP {status}"
                raise ChannelError(say("unwell", self._language, reason=reason))
            raise _broken(self._language, status)
        if found["ok"] is True:
            return found
        return Refusal(
            text(found.get("error")),
            text(found.get("needed")),
            whole_seconds(wait),
            by_app,
        )

    @asynccontextmanager
    async def line(self) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """Socket mode, connected; pings that are not answered end it.

        Raises:
            ChannelError: it cannot be opened.
        """
        answer = await self.call("apps.connections.open", by_app=True)
        async with self._http.line(text(answer.get("url"))) as line:
            yield line

    async def upload(self, name: str, length: int, content: IO[bytes]) -> str:
        """Bring a file to Slack, where nobody sees it yet; its id.

        Raises:
            ChannelError: it was not taken.
        """
        place = await self.call("files.getUploadURLExternal", {"filename": name, "length": length})
        address, file_id = text(place.get("upload_url")), text(place.get("file_id"))
        if not self._settings.is_slacks(address):
            raise ChannelRefused(say("elsewhere", self._language))
        asked = self._http.answered("POST", address, seconds=FILE_SECONDS, data=content)
        async with asked as response:
            if response.status != 200:
                reason = f"HTTP {response.status}"
                raise ChannelError(say("unwell", self._language, reason=reason))
        return file_id

    async def download(self, file_id: str) -> AsyncIterator[bytes]:
        """The bytes of a file.

        Raises:
            ChannelNotFound: Slack does not keep it any more.
            ChannelRefused: larger than wanted, not with Slack, or a page that says something else.
        """
        found = group((await self.call("files.info", {"file": file_id})).get("file"))
        address = text(found.get("url_private_download")) or text(found.get("url_private"))
        if found.get("is_external") is True or not self._settings.is_slacks(address):
            raise ChannelRefused(say("elsewhere", self._language))
        if size(found.get("size")) > self._settings.most:
            raise ChannelRefused(say("large", self._language))
        is_page = text(found.get("mimetype")) == "text/html"
        token = self._settings.bot_token
        async with self._got(address, token) as response:
            moved = response.headers.get("Location", "") if 300 <= response.status < 400 else ""
            if not moved:
                async for chunk in self._file(response, is_page=is_page):
                    yield chunk
                return
        # To a store, or to the page where people log in: neither gets the token.
        address = urljoin(address, moved)
        if urlsplit(address).scheme != "https" and not self._settings.is_slacks(address):
            raise ChannelRefused(say("elsewhere", self._language))
        async with self._got(address) as response:
            async for chunk in self._file(response, is_page=is_page):
                yield chunk

    def _got(
        self, address: str, token: str = ""
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        return self._http.answered("GET", address, head=_head(token), seconds=FILE_SECONDS)

    async def _file(
        self, response: aiohttp.ClientResponse, *, is_page: bool
    ) -> AsyncIterator[bytes]:
        if response.status in (404, 410):
            raise ChannelNotFound(say("gone", self._language, reason=f"HTTP {response.status}"))
        if response.content_type == "text/html" and not is_page:
            hint = say("page_hint", self._language)
            raise ChannelRefused(say("page", self._language), hint=hint)
        if response.status != 200:
            raise _broken(self._language, response.status)
        async for chunk in self._http.file(response, self._settings.most):
            yield chunk


def _broken(language: Language, status: int) -> ChannelError:
    return ChannelError(say("broken", language, status=status))


def _head(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _in_form(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
