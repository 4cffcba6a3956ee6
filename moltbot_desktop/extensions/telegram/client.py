"""The Bot API over HTTP: questions and answers, nothing remembered.

    async with opened(settings, language) as client:
        me = await client.call("getMe")
        reply = await client.ask("sendMessage", {"chat_id": 42, "text": "hi"})   # or a Refusal

The token is part of every address here, so no address and no error of the library gets out: what
is raised has a sentence of our own and no cause. Redirects are not followed, for the same reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import IO
from urllib.parse import quote

import aiohttp

from moltbot_desktop.core.errors import ChannelError, ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.telegram.refusals import Refusal
from moltbot_desktop.extensions.telegram.values import group, identity, number, text
from moltbot_desktop.extensions.telegram.words import say

CALL_SECONDS = 30.0
UPLOAD_SECONDS = 300.0
_CHUNK = 64 * 1024
_LARGEST_ANSWER = 16 * 1024 * 1024
"""Bytes; a hundred updates of the longest kind have about two million."""
_UNSAFE = re.compile(r'[\x00-\x1f\x7f"\\/]')
_NAME = 120
_NOTHING: JsonObject = MappingProxyType({})


@dataclass(frozen=True)
class Settings:
    """Of one account; see the manifest for what they mean.

    Attributes:
        most: bytes of a file that is fetched.
    """

    token: str = field(repr=False)
    root: str = "https://api.telegram.org"
    proxy: str = field(default="", repr=False)
    most: int = 5_000_000
    replace_webhook: bool = False


def settings_from(raw: JsonObject) -> Settings:
    """From checked settings, where nothing is missing."""
    megabytes = raw.get("mediaMaxMb")
    return Settings(
        text(raw["botToken"]).strip(),
        text(raw["apiRoot"]).rstrip("/"),
        text(raw["proxy"]),
        int(megabytes * 1_000_000) if isinstance(megabytes, int | float) else 5_000_000,
        raw["replaceWebhook"] is True,
    )


@dataclass(frozen=True)
class Result:
    """An answer with ``"ok": true``."""

    value: JsonValue


@dataclass(frozen=True)
class Upload:
    """A file that goes with a question: the field it is given in, and its name."""

    kind: str
    name: str
    content: IO[bytes] = field(repr=False)


@asynccontextmanager
async def opened(settings: Settings, language: Language) -> AsyncIterator[TelegramClient]:
    """A client, until the end of the block; what is asked then fails."""
    # The system's own way to find an address: the other one, where aiodns happens to be installed,
    # keeps a thread for ever.
    line = aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())
    async with aiohttp.ClientSession(connector=line) as session:
        yield TelegramClient(session, settings, language)


class TelegramClient:
    """Lives on the loop it was opened on."""

    def __init__(
        self, session: aiohttp.ClientSession, settings: Settings, language: Language
    ) -> None:
        self._session = session
        self._settings = settings
        self._language = language

    async def call(
        self, method: str, params: JsonObject = _NOTHING, *, seconds: float = CALL_SECONDS
    ) -> JsonValue:
        """The result of a question.

        Raises:
            ChannelError: what `Refusal.as_error` makes of a refusal, or there was no answer.
        """
        reply = await self.ask(method, params, seconds=seconds)
        if isinstance(reply, Refusal):
            raise reply.as_error(self._language)
        return reply.value

    async def ask(
        self,
        method: str,
        params: JsonObject = _NOTHING,
        *,
        seconds: float = CALL_SECONDS,
        upload: Upload | None = None,
    ) -> Result | Refusal:
        """The result, or why not.

        Raises:
            ChannelError: there was no answer that can be read.
        """
        address = f"{self._settings.root}/bot{self._token}/{method}"
        with_file = _form(params, upload) if upload is not None else None
        async with self._answered(
            "POST",
            address,
            UPLOAD_SECONDS if upload is not None else seconds,
            data=with_file,
            body=None if with_file is not None else dict(params),
        ) as response:
            body = bytearray()
            async for chunk in self._chunks(response):
                body += chunk
                if len(body) > _LARGEST_ANSWER:
                    raise self._unreadable(response.status)
        reply = read_reply(response.status, bytes(body))
        if reply is None:
            raise self._unreadable(response.status)
        return reply

    async def download(self, ref: str) -> AsyncIterator[bytes]:
        """The bytes of a file, by its id.

        Raises:
            ChannelNotFound: Telegram does not keep it any more.
            ChannelRefused: larger than wanted, or a page that says something else.
        """
        found = group(await self.call("getFile", {"file_id": ref}))
        place, size = text(found.get("file_path")), number(found.get("file_size"))
        if (size or 0) > self._settings.most:
            raise ChannelRefused(say("large", self._language))
        address = f"{self._settings.root}/file/bot{self._token}/{quote(place)}"
        async with self._answered("GET", address, UPLOAD_SECONDS) as response:
            if response.status == 404:
                raise ChannelNotFound(say("gone", self._language, reason=f"HTTP {404}"))
            if response.status != 200:
                raise self._unreadable(response.status)
            if response.content_type in ("text/html", "application/json"):
                raise ChannelRefused(say("page", self._language))
            loaded = 0
            async for chunk in self._chunks(response):
                loaded += len(chunk)
                if loaded > self._settings.most:
                    raise ChannelRefused(say("large", self._language))
                yield chunk

    @property
    def _token(self) -> str:
        return quote(self._settings.token, safe=":")

    @asynccontextmanager
    async def _answered(
        self,
        verb: str,
        address: str,
        seconds: float,
        *,
        data: aiohttp.FormData | None = None,
        body: JsonObject | None = None,
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response, while its body is read; what the library raises becomes our own."""
        if self._session.closed:
            raise ChannelError(say("ended", self._language))
        try:
            async with self._session.request(
                verb,
                address,
                data=data,
                json=body,
                proxy=self._settings.proxy or None,
                timeout=aiohttp.ClientTimeout(total=seconds, connect=CALL_SECONDS),
                allow_redirects=False,
            ) as response:
                yield response
        except TimeoutError:
            raise ChannelError(say("slow", self._language)) from None
        except (aiohttp.ClientProxyConnectionError, aiohttp.ClientHttpProxyError):
            hint = say("proxy_hint", self._language)
            raise ChannelError(say("proxy", self._language), hint=hint) from None
        except (aiohttp.ClientError, OSError):
            place = self._settings.root.partition("://")[2].partition("/")[0]
            host = place.rpartition("@")[2][:80]
            hint = say("away_hint", self._language)
            raise ChannelError(say("away", self._language, host=host), hint=hint) from None

    async def _chunks(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        try:
            async for chunk in response.content.iter_chunked(_CHUNK):
                yield chunk
        except RuntimeError:  # so the library says that the line was closed while it read
            raise ChannelError(say("ended", self._language)) from None

    def _unreadable(self, status: int) -> ChannelError:
        phrase = "unwell" if status >= 500 else "broken"
        return ChannelError(say(phrase, self._language, status=status))


def read_reply(status: int, body: bytes) -> Result | Refusal | None:
    """What an answer says; None where it has not the form of one, as a page of some proxy."""
    try:
        raw: JsonValue = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, Mapping):
        return None
    if raw.get("ok") is True:
        return Result(raw.get("result"))
    if raw.get("ok") is not False:
        return None
    more = group(raw.get("parameters"))
    seconds = number(more.get("retry_after"))
    return Refusal(
        number(raw.get("error_code")) or status,
        text(raw.get("description")),
        float(seconds) if seconds is not None and seconds >= 0 else None,
        identity(more.get("migrate_to_chat_id")),
    )


def _form(params: JsonObject, upload: Upload) -> aiohttp.FormData:
    """Values that are no text go as JSON, as the documents have it."""
    form = aiohttp.FormData(quote_fields=False)  # names go as they are, in UTF-8
    for name, value in params.items():
        form.add_field(name, value if isinstance(value, str) else json.dumps(value))
    form.add_field(upload.kind, upload.content, filename=_UNSAFE.sub("_", upload.name)[-_NAME:])
    return form
