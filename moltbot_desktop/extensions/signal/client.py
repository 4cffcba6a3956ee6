"""JSON-RPC and the events of ``signal-cli daemon --http``: nothing is remembered but the account.

    async with opened(settings, language) as client:
        me = await client.whoami()
        sent = await client.call("send", {"recipient": ["+49…"], "message": "hi"})
        async for event in client.events(after="7"): ...

Nothing but messages and their files goes there; redirects are not followed.
https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType

import aiohttp

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRefused,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.signal.events import Event, EventStream, EventTooLarge, Me
from moltbot_desktop.extensions.signal.refusals import UNKNOWN_METHOD, Refusal, refusal_of
from moltbot_desktop.extensions.signal.settings import Settings
from moltbot_desktop.extensions.signal.words import say
from moltbot_desktop.sdk.foreign_json import group, read_object, rows, text

CALL_SECONDS = 60.0
FILE_SECONDS = 300.0
CONNECT_SECONDS = 10.0
QUIET_SECONDS = 60.0
"""Of the events: signal-cli sends a sign of life every 15."""
_CHUNK = 64 * 1024
_LARGEST_ANSWER = 8 * 1024 * 1024
_NOTHING: JsonObject = MappingProxyType({})
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@asynccontextmanager
async def opened(settings: Settings, language: Language) -> AsyncIterator[SignalClient]:
    """A client, until the end of the block; what is asked then fails."""
    connector = aiohttp.TCPConnector(resolver=aiohttp.ThreadedResolver())
    async with aiohttp.ClientSession(connector=connector) as session:
        yield SignalClient(session, settings, language)


class SignalClient:
    """Lives on the loop it was opened on. One signal-cli may have several accounts, and is then
    told with each call which; one that was started for one account alone is not."""

    def __init__(
        self, session: aiohttp.ClientSession, settings: Settings, language: Language
    ) -> None:
        self._session = session
        self._settings = settings
        self._language = language
        self._several = True
        self._calls = 0

    async def answers(self) -> bool:
        """Whether a signal-cli is there.

        Raises:
            ChannelError: something else is.
        """
        try:
            async with self._asked("GET", "/api/v1/check", seconds=CONNECT_SECONDS) as response:
                status = response.status
        except ChannelError:
            return False
        if status != 200:
            place = self._settings.place
            raise ChannelError(say("not_it", self._language, place=place, status=status))
        return True

    async def whoami(self) -> Me:
        """The account's number and id.

        Raises:
            ChannelAuthFailed: signal-cli does not have it.
        """
        wanted = self._settings.account
        listed = await self.ask("listAccounts", several=False)
        if isinstance(listed, Refusal):
            if listed.code != UNKNOWN_METHOD:
                raise listed.as_error(self._language)
            self._several = False
            return await self._by_status(wanted)
        self._several = True
        for one in rows(listed):
            number, uuid = text(one.get("number")), text(one.get("aci")).lower()
            if wanted == number or (uuid and wanted.lower() == uuid):
                me = Me(number, uuid, self._settings.numbers)
                return me if me.uuid else await self._by_status(wanted)
        hint = say("no_account_hint", self._language)
        said = say("no_account", self._language, account=wanted[:60])
        raise ChannelAuthFailed(said, hint=hint)

    async def _by_status(self, wanted: str) -> Me:
        """By Signal's own list: an older signal-cli does not tell its own id. Without one, we are
        known by the number alone."""
        if _UUID.fullmatch(wanted.lower()):
            return Me("", wanted.lower(), self._settings.numbers)
        found = await self.ask("getUserStatus", {"recipient": [wanted]})
        uuids = [] if isinstance(found, Refusal) else [one.get("uuid") for one in rows(found)]
        return Me(wanted, text(uuids[0]).lower() if uuids else "", self._settings.numbers)

    async def call(self, method: str, params: JsonObject = _NOTHING, place: str = "") -> JsonObject:
        """The answer to what is to be done, {} where it is no object.

        Raises:
            ChannelError: what `Refusal.as_error` makes of a refusal, or there was no answer.
        """
        answer = await self.ask(method, params)
        if isinstance(answer, Refusal):
            raise answer.as_error(self._language, place)
        return group(answer)

    async def ask(
        self,
        method: str,
        params: JsonObject = _NOTHING,
        *,
        several: bool = True,
        most: int = _LARGEST_ANSWER,
        seconds: float = CALL_SECONDS,
    ) -> JsonValue | Refusal:
        """The answer, or why not.

        Args:
            several: the method is one of an account, which is named where there may be several.

        Raises:
            ChannelError: there was no answer that can be read.
        """
        self._calls += 1
        account = {"account": self._settings.account} if several and self._several else {}
        asked = {"jsonrpc": "2.0", "id": str(self._calls), "method": method}
        body = json.dumps({**asked, "params": {**account, **params}}).encode()
        async with self._asked("POST", "/api/v1/rpc", seconds=seconds, data=body) as response:
            status, raw = response.status, await self._body(response, most)
        found = read_object(raw)
        if found is None or ("result" not in found and "error" not in found):
            if status >= 500:
                raise ChannelError(say("unwell", self._language, reason=f"HTTP {status}"))
            if status >= 400:
                place = self._settings.place
                raise ChannelError(say("not_it", self._language, place=place, status=status))
            raise ChannelError(say("broken", self._language))
        if found.get("error") is not None:
            return refusal_of(group(found["error"]), self._settings.account)
        return found.get("result")

    async def file(self, ref: JsonObject) -> AsyncIterator[bytes]:
        """The bytes of a file that came with a message.

        Raises:
            ChannelNotFound: signal-cli does not keep it any more.
            ChannelRefused: larger than wanted.
        """
        most = self._settings.most
        room, sender = text(ref.get("group")), text(ref.get("from"))
        whose = {"groupId": room} if room else {"recipient": sender}
        params = {"id": text(ref.get("id")), **whose}
        room_for = most * 4 // 3 + _CHUNK
        found = await self.ask("getAttachment", params, most=room_for, seconds=FILE_SECONDS)
        if isinstance(found, Refusal):
            error = found.as_error(self._language)
            if isinstance(error, ChannelAuthFailed) or not isinstance(error, ChannelRefused):
                raise error
            raise ChannelNotFound(say("gone", self._language))
        written = found if isinstance(found, str) else text(group(found).get("data"))
        try:
            data = base64.b64decode(written, validate=True)
        except (binascii.Error, ValueError):
            raise ChannelError(say("broken", self._language)) from None
        if len(data) > most:
            raise ChannelRefused(say("large", self._language))
        for start in range(0, len(data), _CHUNK):
            yield data[start : start + _CHUNK]

    async def events(
        self, after: str, stands: Callable[[], None], heard: Callable[[], None]
    ) -> AsyncGenerator[Event, None]:
        """What happens from now on, and what happened behind `after`, an event's id, where
        signal-cli still has it; until the connection ends.

        Args:
            stands: called when signal-cli has answered.
            heard: called at every sign of life.

        Raises:
            ChannelError: it cannot be opened, or cannot be read.
        """
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": after} if after else {})}
        account = {"account": self._settings.account} if self._several else {}
        stream = EventStream()
        opening = self._asked(
            "GET", "/api/v1/events", seconds=None, headers=headers, params=account
        )
        async with opening as response:
            if response.status != 200:
                place, status = self._settings.place, response.status
                raise ChannelError(say("not_it", self._language, place=place, status=status))
            stands()
            async for chunk in self._chunks(response):
                heard()
                try:
                    for event in stream.feed(chunk):
                        yield event
                except EventTooLarge:
                    raise ChannelError(say("broken", self._language)) from None

    async def _body(self, response: aiohttp.ClientResponse, most: int) -> bytes:
        body = bytearray()
        async for chunk in self._chunks(response):
            body += chunk
            if len(body) > most:
                raise ChannelRefused(say("large", self._language))
        return bytes(body)

    async def _chunks(self, response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        try:
            async for chunk in response.content.iter_any():
                yield chunk
        except RuntimeError:  # so the library says that the line was closed while it read
            raise ChannelError(say("ended", self._language)) from None

    @asynccontextmanager
    async def _asked(
        self,
        verb: str,
        path: str,
        *,
        seconds: float | None,
        data: bytes | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
        params: Mapping[str, str] = MappingProxyType({}),
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The response, while its body is read; what the library raises becomes our own."""
        if self._session.closed:
            raise ChannelError(say("ended", self._language))
        kind = {"Content-Type": "application/json"} if data is not None else {}
        timeout = aiohttp.ClientTimeout(
            total=seconds, sock_connect=CONNECT_SECONDS, sock_read=seconds or QUIET_SECONDS
        )
        try:
            async with self._session.request(
                verb,
                f"{self._settings.root}{path}",
                data=data,
                headers={**headers, **kind},
                params=params,
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                yield response
        except TimeoutError:
            raise ChannelError(say("slow", self._language)) from None
        except (aiohttp.ClientError, OSError, ValueError):
            hint = say("away_hint", self._language)
            said = say("away", self._language, place=self._settings.place[:80])
            raise ChannelError(said, hint=hint) from None
