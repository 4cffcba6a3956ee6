"""The REST API over HTTP, and the WebSocket: nothing is remembered.

    async with opened(settings, language, clock) as client:
        me = await client.ask("GET", "/users/me")
        async with client.line() as line:                       # a WebSocket, not yet logged in

The token goes in a header and only to the owner's server; redirects are not followed. What is
raised has a sentence of our own and no cause. https://api.mattermost.com
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
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

CALL_SECONDS = 30.0
FILE_SECONDS = 300.0
PING_SECONDS = 10.0
_CHUNK = 64 * 1024
_LARGEST_ANSWER = 16 * 1024 * 1024


@asynccontextmanager
async def opened(
    settings: Settings, language: Language, clock: Clock
) -> AsyncIterator[MattermostClient]:
    """A client, until the end of the block; what is asked then fails."""
    # The system's own way to find an address: the other one, where aiodns happens to be installed,
    # keeps a thread for ever.
    connector = aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())
    async with aiohttp.ClientSession(connector=connector) as session:
        yield MattermostClient(session, settings, language, clock)


class MattermostClient:
    """Lives on the loop it was opened on."""

    def __init__(
        self, session: aiohttp.ClientSession, settings: Settings, language: Language, clock: Clock
    ) -> None:
        self._session = session
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
            found = read(await self._body(response))
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
        try:
            async with self._session.ws_connect(
                f"{self._settings.root}/websocket",
                heartbeat=PING_SECONDS,
                autoping=False,
                proxy=self._settings.proxy or None,
                max_msg_size=_LARGEST_ANSWER,
                timeout=aiohttp.ClientWSTimeout(ws_close=0.5),
            ) as line:
                yield line
        except TimeoutError:
            raise ChannelError(say("slow", self.language)) from None
        except (aiohttp.ClientError, OSError):
            raise self._away() from None

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
            found = group(read(await self._body(response)))
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
            loaded = 0
            async for chunk in self._chunks(response):
                loaded += len(chunk)
                if loaded > self._settings.most:
                    raise ChannelRefused(say("large", self.language))
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
        error = group(read(await self._body(response)))
        return Refusal(response.status, text(error.get("id")), wait)

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for chunk in self._chunks(response):
            body += chunk
            if len(body) > _LARGEST_ANSWER:
                raise self._broken(response.status)
        return bytes(body)

    async def _chunks(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        try:
            async for chunk in response.content.iter_chunked(_CHUNK):
                yield chunk
        except RuntimeError:  # so the library says that the line was closed while it read
            raise ChannelError(say("ended", self.language)) from None

    @asynccontextmanager
    async def _answered(
        self,
        verb: str,
        path: str,
        *,
        body: JsonValue = None,
        params: Mapping[str, str] | None = None,
        content: IO[bytes] | None = None,
        seconds: float = CALL_SECONDS,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response, while its body is read; what the library raises becomes our own."""
        if self._session.closed:
            raise ChannelError(say("ended", self.language))
        try:
            async with self._session.request(
                verb,
                f"{self._settings.root}{path}",
                json=body,
                data=content,
                params=params,
                headers={"Authorization": f"Bearer {self._settings.token}"},
                proxy=self._settings.proxy or None,
                timeout=aiohttp.ClientTimeout(total=seconds, connect=CALL_SECONDS),
                allow_redirects=False,
            ) as response:
                yield response
        except TimeoutError:
            raise ChannelError(say("slow", self.language)) from None
        except (aiohttp.ClientError, OSError):
            raise self._away() from None

    def _away(self) -> ChannelError:
        hint = say("away_hint", self.language)
        return ChannelError(say("away", self.language, host=self._host), hint=hint)

    def _broken(self, status: int) -> ChannelError:
        hint = say("broken_hint", self.language)
        said = say("broken", self.language, host=self._host, status=status)
        return ChannelError(said, hint=hint)

    @property
    def _host(self) -> str:
        return self._settings.host[:80]


def _moment(written: str) -> float | None:
    try:
        return parsedate_to_datetime(written).timestamp()
    except ValueError:
        return None
