"""The REST API over HTTP, and the WebSocket: nothing is remembered.

    async with opened(settings, language, clock) as client:
        me = await client.ask("GET", "/users/me")
        async with client.line() as line:                       # a WebSocket, not yet logged in

The token goes in a header and only to the owner's server; redirects are not followed. What is
raised has a sentence of our own and no cause. https://api.mattermost.com
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from email.utils import parsedate_to_datetime
from functools import partial
from typing import IO

import aiohttp

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ChannelError, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.extensions.mattermost.refusals import Refusal, wait_seconds
from moltbot_desktop.extensions.mattermost.settings import Settings
from moltbot_desktop.extensions.mattermost.values import group, identity, read, rows, text
from moltbot_desktop.extensions.mattermost.words import say
from moltbot_desktop.sdk import platform_http
from moltbot_desktop.sdk.platform_http import CALL_SECONDS, FILE_SECONDS, PlatformHttp

_LARGEST_ANSWER = 16 * 1024 * 1024


@asynccontextmanager
async def opened(
    settings: Settings, language: Language, clock: Clock
) -> AsyncIterator[MattermostClient]:
    """A client, until the end of the block; what is asked then fails."""
    place, phrase = (settings.host, settings.proxy), partial(say, language=language)
    broken = partial(_broken, settings.host, language)
    async with platform_http.opened(*place, phrase, broken, _LARGEST_ANSWER) as http:
        yield MattermostClient(http, settings, language, clock)


class MattermostClient:
    """Lives on the loop it was opened on."""

    def __init__(
        self, http: PlatformHttp, settings: Settings, language: Language, clock: Clock
    ) -> None:
        self._http = http
        self._settings = settings
        self.language = language
        self._clock = clock

    async def ask(
        self,
        verb: str,
        path: str,
        body: JsonValue = None,
        params: Mapping[str, str] | None = None,
    ) -> JsonValue:
        """The answer to a question.

        Raises:
            ChannelError: what `Refusal.as_error` makes of a refusal, or there was no answer that
                can be read.
        """
        reply = await self.reply(verb, path, body, params)
        if isinstance(reply, Refusal):
            raise reply.as_error(self.language)
        return reply

    async def reply(
        self,
        verb: str,
        path: str,
        body: JsonValue = None,
        params: Mapping[str, str] | None = None,
    ) -> JsonValue | Refusal:
        """The answer, or why not.

        Raises:
            ChannelError: there was no answer that can be read.
        """
        async with self._answered(verb, path, body=body, params=params) as response:
            if refusal := await self._refusal(response):
                return refusal
            found = read(await self._http.whole(response))
        if found is None:
            raise self._broken(response.status)
        return found

    async def server_time(self) -> float | None:
        """Seconds since 1970 by the server's own clock, None where it does not say."""
        async with self._answered("GET", "/system/ping") as response:
            written = response.headers.get("Date", "")
        return _moment(written)

    @asynccontextmanager
    async def line(self) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """The WebSocket, connected; pings that are not answered end it.

        Raises:
            ChannelError: it cannot be opened.
        """
        async with self._http.line(f"{self._settings.root}/websocket") as line:
            yield line

    async def upload(self, room: str, name: str, content: IO[bytes]) -> str:
        """Bring a file to a room, where nobody sees it before it is part of a message; its id.
        https://api.mattermost.com/#tag/files/operation/UploadFile

        Raises:
            ChannelError: it was not taken.
        """
        where = {"channel_id": room, "filename": name}
        asked = self._answered(
            "POST", "/files", params=where, content=content, seconds=FILE_SECONDS
        )
        async with asked as response:
            if refusal := await self._refusal(response):
                raise refusal.as_error(self.language)
            found = group(read(await self._http.whole(response)))
        files = [identity(one.get("id")) for one in rows(found.get("file_infos"))]
        if len(files) != 1 or not files[0]:
            raise self._broken(response.status)
        return files[0]

    async def download(self, file_id: str) -> AsyncIterator[bytes]:
        """The bytes of a file.

        Raises:
            ChannelNotFound: Mattermost does not keep it any more.
            ChannelRefused: larger than wanted, or a page that says something else.
        """
        if not identity(file_id):
            raise Refusal(404).as_error(self.language)
        about = group(await self.ask("GET", f"/files/{file_id}/info"))
        is_page = text(about.get("mime_type")).partition(";")[0].strip() == "text/html"
        path = f"/files/{file_id}"
        async with self._answered("GET", path, seconds=FILE_SECONDS) as response:
            if refusal := await self._refusal(response):
                raise refusal.as_error(self.language)
            # Files of that kind are sent so that no browser opens them, pages of a login are not.
            if response.content_type == "text/html" and not is_page:
                raise ChannelRefused(say("page", self.language))
            async for chunk in self._http.file(response, self._settings.most):
                yield chunk

    async def _refusal(self, response: aiohttp.ClientResponse) -> Refusal | None:
        """Why not, None where the answer is one.

        Raises:
            ChannelError: what answered is not Mattermost.
        """
        if response.status in (200, 201):
            return None
        if response.status < 400:
            raise self._broken(response.status)
        wait = wait_seconds(response.headers, self._clock.now().timestamp())
        error = group(read(await self._http.whole(response)))
        return Refusal(response.status, text(error.get("id")), wait)

    def _answered(
        self,
        verb: str,
        path: str,
        *,
        body: JsonValue = None,
        params: Mapping[str, str] | None = None,
        content: IO[bytes] | None = None,
        seconds: float = CALL_SECONDS,
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        """The response, while its body is read."""
        return self._http.answered(
            verb,
            f"{self._settings.root}{path}",
            head={"Authorization": f"Bearer {self._settings.token}"},
            params=params,
            body=body,
            data=content,
            seconds=seconds,
        )

    def _broken(self, status: int) -> ChannelError:
        return _broken(self._settings.host, self.language, status)


def _broken(host: str, language: Language, status: int) -> ChannelError:
    said = say("broken", language, host=host[:80], status=status)
    return ChannelError(said, hint=say("broken_hint", language))


def _moment(written: str) -> float | None:
    try:
        return parsedate_to_datetime(written).timestamp()
    except ValueError:
        return None
