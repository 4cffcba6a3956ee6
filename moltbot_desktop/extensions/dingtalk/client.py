"""The Open Platform over HTTP, and its stream.

    async with opened(settings, language) as client:
        sent = await client.call("/v1.0/robot/groupMessages/send", body)
        async with client.line() as line:                   # a WebSocket and its host

The token of the app (two hours) is asked for when it is needed and once more when the platform has
forgotten it. It goes in a header to the API; only the upload of files wants it in an address. Such
an address, one of a line or of a session, is in no message: what is raised has a sentence of our
own and no cause.
https://open.dingtalk.com/document/development/obtain-the-access-token-of-an-internal-app
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import quote, urljoin

import aiohttp

from moltbot_desktop.core.errors import ChannelError, ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.dingtalk.frames import CALLBACK, ROBOT
from moltbot_desktop.extensions.dingtalk.refusals import Refusal
from moltbot_desktop.extensions.dingtalk.settings import Settings, host_of
from moltbot_desktop.extensions.dingtalk.words import say
from moltbot_desktop.sdk.foreign_json import read_object, size, text

CALL_SECONDS = 30.0
FILE_SECONDS = 300.0
HEARTBEAT_SECONDS = 20.0
_EARLY_SECONDS = 300.0
_CHUNK = 64 * 1024
_LARGEST_ANSWER = 8 * 1024 * 1024
_MOST_HOPS = 3
_TOKEN_PATH = "/v1.0/oauth2/accessToken"
_LINE_PATH = "/v1.0/gateway/connections/open"
_FILE_PATH = "/v1.0/robot/messageFiles/download"
_UPLOAD_PATH = "/media/upload"
_TOKEN_HEADER = "x-acs-dingtalk-access-token"


@dataclass(frozen=True)
class Line:
    """A stream, and the host that it goes to."""

    socket: aiohttp.ClientWebSocketResponse
    host: str


@asynccontextmanager
async def opened(
    settings: Settings, language: Language, reaches: Callable[[str], None] = lambda _: None
) -> AsyncIterator[DingTalkClient]:
    """A client, until the end of the block; what is asked then fails."""
    # The system's own way to find an address: the other one, where aiodns happens to be installed,
    # keeps a thread for ever.
    connector = aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())
    async with aiohttp.ClientSession(connector=connector) as session:
        yield DingTalkClient(session, settings, language, reaches)


class DingTalkClient:
    """Lives on the loop it was opened on. `reaches` hears where words and files go."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        settings: Settings,
        language: Language,
        reaches: Callable[[str], None],
    ) -> None:
        self._session = session
        self._settings = settings
        self._language = language
        self._reaches = reaches
        self._token = ""
        self._until = 0.0
        self._asking = asyncio.Lock()

    async def call(self, path: str, body: JsonObject) -> JsonObject:
        """The answer to a question of the API, whole.

        Raises:
            ChannelError: what `Refusal.as_error` makes of a refusal, or there was no answer.
        """
        self._reaches(self._settings.host)
        address = self._settings.root + path
        reply = await self._asked(address, await self._head(), body)
        if isinstance(reply, Refusal) and reply.is_stale:
            self._token = ""
            reply = await self._asked(address, await self._head(), body)
        if isinstance(reply, Refusal):
            raise reply.as_error(self._language)
        return reply

    async def answer(self, session: str, body: JsonObject) -> bool:
        """Post to an open session; whether it still took something.

        Raises:
            ChannelError: as in `call`.
        """
        if not self._settings.is_session(session):
            return False
        self._reaches(host_of(session))
        reply = await self._asked(session, {}, body)
        if isinstance(reply, Refusal) and not reply.is_of_the_way:
            raise reply.as_error(self._language)
        return not isinstance(reply, Refusal)

    async def upload(self, kind: str, form: aiohttp.FormData) -> str:
        """The id of a file that lies with the platform now; `kind` is ``image`` or ``file``.
        https://open.dingtalk.com/document/development/upload-media-files"""
        root = self._settings.old_root
        self._reaches(host_of(root))
        asked = {"access_token": await self._token_now(), "type": kind}
        reply = await self._asked(root + _UPLOAD_PATH, {}, form, asked)
        if isinstance(reply, Refusal) and reply.is_stale:
            # A form is read only once, and what asks with it is tried again by the program.
            self._token = ""
            raise ChannelError(say("unwell", self._language, reason=reply.code))
        if isinstance(reply, Refusal):
            raise reply.as_error(self._language)
        return text(reply.get("media_id"))

    async def download(self, code: str) -> AsyncIterator[bytes]:
        """The bytes of a file that somebody has sent. Nobody is told who we are where it lies.

        Raises:
            ChannelNotFound: the platform does not keep it any more.
            ChannelRefused: larger than wanted, or not for us.
        """
        asked: JsonObject = {"downloadCode": code, "robotCode": self._settings.robot}
        address = text((await self.call(_FILE_PATH, asked)).get("downloadUrl"))
        for _ in range(_MOST_HOPS):
            address = self._settings.file_address(address)
            if not address:
                raise ChannelRefused(say("elsewhere", self._language))
            self._reaches(host_of(address))
            async with self._answered("GET", address, {}, None, None, FILE_SECONDS) as response:
                if response.status in (301, 302, 303, 307, 308):
                    address = urljoin(address, response.headers.get("Location", ""))
                    continue
                async for chunk in self._content(response):
                    yield chunk
                return
        raise ChannelRefused(say("elsewhere", self._language))

    async def check(self) -> None:
        """The app's id and secret are taken.

        Raises:
            ChannelError: as in `call`; ChannelAuthFailed where they are not.
        """
        self._reaches(self._settings.host)
        await self._token_now()

    async def ticket(self) -> str:
        """The address of a line, good once and for 90 seconds.
        https://open-dingtalk.github.io/developerpedia/docs/learn/stream/protocol

        Raises:
            ChannelRefused: the app may have none.
            ChannelError: it cannot be had now.
        """
        keys: JsonObject = {
            "clientId": self._settings.client_id,
            "clientSecret": self._settings.client_secret,
            "subscriptions": [{"type": CALLBACK, "topic": ROBOT}],
            "ua": "moltbot-desktop",
        }
        reply = await self._asked(self._settings.root + _LINE_PATH, {}, keys)
        if isinstance(reply, Refusal):
            error = reply.as_error(self._language)
            if type(error) is not ChannelRefused or error.hint:
                raise error
            reason = f"{reply.reason[:120]} ({reply.code[:120]})"
            hint = say("no_line_hint", self._language)
            raise ChannelRefused(say("no_line", self._language, reason=reason), hint=hint)
        place, ticket = text(reply.get("endpoint")), text(reply.get("ticket"))
        if not ticket or not self._settings.is_line(place):
            raise ChannelError(say("elsewhere", self._language))
        return f"{place}{'&' if '?' in place else '?'}ticket={quote(ticket, safe='')}"

    @asynccontextmanager
    async def line(self) -> AsyncIterator[Line]:
        """The stream; pings of the socket that are not answered end it.

        Raises:
            ChannelError: as in `ticket`.
        """
        address = await self.ticket()
        self._reaches(host_of(address))
        try:
            async with self._session.ws_connect(
                address,
                heartbeat=HEARTBEAT_SECONDS,
                autoping=False,
                proxy=self._settings.proxy or None,
                max_msg_size=_LARGEST_ANSWER,
                timeout=aiohttp.ClientWSTimeout(ws_close=0.5),
            ) as socket:
                yield Line(socket, host_of(address))
        except aiohttp.WSServerHandshakeError as error:
            reason = f"HTTP {error.status}"
            raise ChannelError(say("no_line", self._language, reason=reason)) from None
        except TimeoutError:
            raise ChannelError(say("slow", self._language)) from None
        except (aiohttp.ClientError, OSError):
            raise self._away(address) from None

    async def _asked(
        self,
        address: str,
        head: Mapping[str, str],
        body: JsonObject | aiohttp.FormData,
        params: Mapping[str, str] | None = None,
    ) -> JsonObject | Refusal:
        seconds = FILE_SECONDS if isinstance(body, aiohttp.FormData) else CALL_SECONDS
        async with self._answered("POST", address, head, body, params, seconds) as response:
            return self._read(response, await self._body(response))

    async def _head(self) -> dict[str, str]:
        return {_TOKEN_HEADER: await self._token_now()}

    async def _token_now(self) -> str:
        loop = asyncio.get_running_loop()
        async with self._asking:
            if self._token and loop.time() < self._until:
                return self._token
            keys: JsonObject = {
                "appKey": self._settings.client_id,
                "appSecret": self._settings.client_secret,
            }
            reply = await self._asked(self._settings.root + _TOKEN_PATH, {}, keys)
            if isinstance(reply, Refusal):
                raise reply.as_error(self._language)
            token = text(reply.get("accessToken"))
            if not token or not token.isascii() or not token.isprintable():
                raise ChannelError(say("broken", self._language, status=200))
            self._token = token
            self._until = loop.time() + max(size(reply.get("expireIn")) - _EARLY_SECONDS, 1.0)
            return self._token

    def _read(self, response: aiohttp.ClientResponse, body: bytes) -> JsonObject | Refusal:
        """The newer API tells a refusal by its status, the older one by a number."""
        found = read_object(body)
        status = response.status
        if found is not None:
            number = found.get("errcode")
            if isinstance(number, int) and not isinstance(number, bool) and number:
                return Refusal(str(number), text(found.get("errmsg")), max(status, 400))
            if 200 <= status < 300:
                return found
            if name := text(found.get("code")):
                return Refusal(name, text(found.get("message")), status)
        if status == 429 or status >= 500:
            return Refusal(f"HTTP {status}", "", status)
        raise ChannelError(say("broken", self._language, status=status))

    async def _content(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        if response.status in (403, 404, 410):  # the address was good for some hours
            raise ChannelNotFound(say("gone", self._language, reason=f"HTTP {response.status}"))
        if response.status != 200:
            raise ChannelError(say("broken", self._language, status=response.status))
        loaded = 0
        async for chunk in self._chunks(response):
            loaded += len(chunk)
            if loaded > self._settings.most:
                raise ChannelRefused(say("large", self._language))
            yield chunk

    async def _body(self, response: aiohttp.ClientResponse) -> bytes:
        body = bytearray()
        async for chunk in self._chunks(response):
            body += chunk
            if len(body) > _LARGEST_ANSWER:
                raise ChannelError(say("broken", self._language, status=response.status))
        return bytes(body)

    async def _chunks(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        try:
            async for chunk in response.content.iter_chunked(_CHUNK):
                yield chunk
        except RuntimeError:  # so the library says that the line was closed while it read
            raise ChannelError(say("ended", self._language)) from None

    @asynccontextmanager
    async def _answered(
        self,
        verb: str,
        address: str,
        head: Mapping[str, str],
        body: JsonObject | aiohttp.FormData | None,
        params: Mapping[str, str] | None,
        seconds: float,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response, while its body is read; what the library raises becomes our own."""
        if self._session.closed:
            raise ChannelError(say("ended", self._language))
        form = body if isinstance(body, aiohttp.FormData) else None
        try:
            async with self._session.request(
                verb,
                address,
                params=params,
                data=form,
                json=None if form is not None or body is None else body,
                # Without it the stream's door answers with XML.
                headers={"Accept": "application/json", **head} if body is not None else head,
                proxy=self._settings.proxy or None,
                timeout=aiohttp.ClientTimeout(total=seconds, connect=CALL_SECONDS),
                allow_redirects=False,
            ) as response:
                yield response
        except TimeoutError:
            raise ChannelError(say("slow", self._language)) from None
        except (aiohttp.ClientError, OSError):
            raise self._away(address) from None

    def _away(self, address: str) -> ChannelError:
        hint = say("away_hint", self._language)
        return ChannelError(say("away", self._language, host=host_of(address)[:80]), hint=hint)
