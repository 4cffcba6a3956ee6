"""What clients of platforms have in common over HTTP and WebSockets: caps, times, errors of ours.

    async with opened(host, proxy, phrase, broken) as http:
        async with http.answered("POST", address, head=head, body={"text": "hi"}) as response:
            raw = await http.whole(response)
        async with http.line(address) as socket: ...

What the library raises becomes a `ChannelError` with a sentence of the channel's own and no cause:
an address may have a ticket in it, a header a token, and neither gets out. Redirects are not
followed, so that what is said to one host goes to no other. Needs aiohttp: import it where a
channel is opened.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import IO

import aiohttp

from moltbot_desktop.core.errors import ChannelError, ChannelRefused
from moltbot_desktop.core.json import JsonValue

CALL_SECONDS = 30.0
FILE_SECONDS = 300.0
PING_SECONDS = 10.0
_CHUNK = 64 * 1024
_LARGEST_ANSWER = 8 * 1024 * 1024
_LONGEST_HOST = 80

Phrase = Callable[..., str]
"""A sentence of the channel's by its name. Asked for are ``ended``, ``slow``, ``away`` with its
``host``, ``away_hint`` and ``large``."""
Broken = Callable[[int], ChannelError]
"""The error for what answers with a status and is not the platform, or not as documented."""


@asynccontextmanager
async def opened(
    host: str, proxy: str, phrase: Phrase, broken: Broken, largest_bytes: int = _LARGEST_ANSWER
) -> AsyncIterator[PlatformHttp]:
    """A client, until the end of the block; what is asked then fails.

    Args:
        host: as it is shown to the person.
        proxy: its address, "" for none.
        largest_bytes: of an answer, and of a message of a line.
    """
    # The system's own way to find an address: the other one, where aiodns happens to be installed,
    # keeps a thread for ever.
    connector = aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())
    async with aiohttp.ClientSession(connector=connector) as session:
        yield PlatformHttp(session, host, proxy, phrase, broken, largest_bytes)


class PlatformHttp:
    """Lives on the loop it was opened on."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        host: str,
        proxy: str,
        phrase: Phrase,
        broken: Broken,
        largest_bytes: int = _LARGEST_ANSWER,
    ) -> None:
        self._session = session
        self._host = host[:_LONGEST_HOST]
        self._proxy = proxy or None
        self._phrase = phrase
        self._broken = broken
        self._largest = largest_bytes

    @asynccontextmanager
    async def answered(
        self,
        verb: str,
        address: str,
        *,
        head: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        body: JsonValue = None,
        data: aiohttp.FormData | Mapping[str, str] | IO[bytes] | None = None,
        seconds: float = CALL_SECONDS,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response, while its body is read. `body` goes as JSON, `data` as it is.

        Raises:
            ChannelError: there was none, or not in time.
        """
        if self._session.closed:
            raise self.ended()
        try:
            async with self._session.request(
                verb,
                address,
                params=params,
                json=body,
                data=data,
                headers=head,
                proxy=self._proxy,
                timeout=aiohttp.ClientTimeout(total=seconds, connect=CALL_SECONDS),
                allow_redirects=False,
            ) as response:
                yield response
        except TimeoutError:
            raise self.slow() from None
        except (aiohttp.ClientError, OSError):
            raise self.away() from None

    @asynccontextmanager
    async def line(
        self,
        address: str,
        *,
        heartbeat_seconds: float = PING_SECONDS,
        refused: Callable[[int, Mapping[str, str]], ChannelError] | None = None,
    ) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        """A WebSocket, connected; pings that are not answered end it.

        Args:
            refused: the error for a handshake that was answered with a status and headers.

        Raises:
            ChannelError: it cannot be opened.
        """
        try:
            async with self._session.ws_connect(
                address,
                heartbeat=heartbeat_seconds,
                autoping=False,
                proxy=self._proxy,
                max_msg_size=self._largest,
                timeout=aiohttp.ClientWSTimeout(ws_close=0.5),
            ) as line:
                yield line
        except aiohttp.WSServerHandshakeError as error:
            raise (refused(error.status, error.headers or {}) if refused else self.away()) from None
        except TimeoutError:
            raise self.slow() from None
        except (aiohttp.ClientError, OSError):
            raise self.away() from None

    async def whole(self, response: aiohttp.ClientResponse) -> bytes:
        """All of an answer.

        Raises:
            ChannelError: it is larger than any that makes sense, or the line ended.
        """
        read = bytearray()
        async for chunk in self._chunks(response):
            read += chunk
            if len(read) > self._largest:
                raise self._broken(response.status)
        return bytes(read)

    async def file(self, response: aiohttp.ClientResponse, most: int) -> AsyncIterator[bytes]:
        """The bytes of a file.

        Raises:
            ChannelRefused: there are more than `most`.
        """
        loaded = 0
        async for chunk in self._chunks(response):
            loaded += len(chunk)
            if loaded > most:
                raise ChannelRefused(self._phrase("large"))
            yield chunk

    def ended(self) -> ChannelError:
        return ChannelError(self._phrase("ended"))

    def slow(self) -> ChannelError:
        return ChannelError(self._phrase("slow"))

    def away(self) -> ChannelError:
        said = self._phrase("away", host=self._host)
        return ChannelError(said, hint=self._phrase("away_hint"))

    async def _chunks(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        try:
            async for chunk in response.content.iter_chunked(_CHUNK):
                yield chunk
        except RuntimeError:  # so the library says that the line was closed while it read
            raise self.ended() from None


def whole_seconds(written: str) -> float | None:
    """Of a header such as ``Retry-After``; None for a date and everything else."""
    return float(written) if written.isascii() and written.isdigit() and len(written) < 12 else None
