"""Requests that nio has no method for, or none that fits: files piece by piece, relations.

    told = await got_json(client, place("v1", "rooms", room, "relations", event), language)
    async for piece in file_bytes(client, ref, 20_000_000, language): ...

Files are asked for where only those who are logged in get them, and then, of an old server, where
everybody does: https://spec.matrix.org/v1.11/client-server-api/#content-repository
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Final
from urllib.parse import quote, urlsplit

import aiohttp
import nio
from nio.crypto.attachments import decrypt_attachment

from moltbot_desktop.core.errors import ChannelNotFound, ChannelRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.matrix.reading import group, text_in
from moltbot_desktop.extensions.matrix.refusals import meaning
from moltbot_desktop.extensions.matrix.words import PHRASES

_MOST_JSON: Final = 1_000_000
_PIECE: Final = 65_536
_SECONDS: Final = 60.0
_UNKNOWN = frozenset({"M_UNRECOGNIZED", "M_NOT_FOUND"})


def place(version: str, *parts: str) -> str:
    """The path of a method of the client-server API."""
    return "/".join(("/_matrix/client", version, *(quote(one, safe="") for one in parts)))


async def got_json(client: nio.AsyncClient, path: str, language: Language) -> JsonObject:
    """What the server answers to a GET.

    Raises:
        ChannelError: what `refusals.meaning` makes of a refusal.
    """
    async with await _asked(client, path) as answer:
        told = await _json(answer)
        if answer.status == 200:
            return told
        raise _refusal(answer, told, language)


async def file_bytes(
    client: nio.AsyncClient, reference: str, most: int, language: Language
) -> AsyncIterator[bytes]:
    """The bytes of a file; `reference` as `reading` has made it.

    An encrypted one is held in memory up to `most` bytes: it is nobody's file before all of it is
    known to fit its key.

    Raises:
        ChannelNotFound: it is gone.
        ChannelRefused: it is something else, damaged, or, where it is encrypted, too large.
    """
    ref = group(json.loads(reference))
    url = urlsplit(text_in(ref, "url"))
    parts = ("download", url.netloc, url.path.strip("/"))
    old = "/".join(("/_matrix/media/v3", *(quote(one, safe="") for one in parts)))
    for path in (place("v1", "media", *parts), old):
        async with await _asked(client, path) as answer:
            if answer.status != 200:
                told = await _json(answer)
                if path != old and text_in(told, "errcode") in _UNKNOWN:
                    continue
                raise _refusal(answer, told, language)
            if not ref.get("key"):
                if answer.content_type == "text/html":
                    said = PHRASES.say("not_a_file", language, kind=answer.content_type)
                    raise ChannelRefused(said)
                async for piece in answer.content.iter_chunked(_PIECE):
                    yield piece
                return
            locked = bytearray()
            async for piece in answer.content.iter_chunked(_PIECE):
                locked += piece
                if len(locked) > most:
                    raise ChannelRefused(PHRASES.say("too_large", language))
            yield _opened(bytes(locked), ref, language)
            return
    raise ChannelNotFound(PHRASES.say("gone", language))


def _opened(locked: bytes, ref: JsonObject, language: Language) -> bytes:
    try:
        key, digest, iv = (text_in(ref, name) for name in ("key", "hash", "iv"))
        return bytes(decrypt_attachment(locked, key, digest, iv))
    except (nio.EncryptionError, ValueError, TypeError) as error:
        raise ChannelRefused(PHRASES.say("damaged", language)) from error


async def _asked(client: nio.AsyncClient, path: str) -> aiohttp.ClientResponse:
    headers = {"Authorization": f"Bearer {client.access_token}"}
    answer: aiohttp.ClientResponse = await client.send(
        "GET", path, headers=headers, timeout=aiohttp.ClientTimeout(sock_read=_SECONDS)
    )
    return answer


async def _json(answer: aiohttp.ClientResponse) -> JsonObject:
    data = bytearray()
    async for piece in answer.content.iter_chunked(_PIECE):
        data += piece
        if len(data) > _MOST_JSON:
            return {}
    try:
        return group(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def _refusal(answer: aiohttp.ClientResponse, told: JsonObject, language: Language) -> Exception:
    code, message = text_in(told, "errcode"), text_in(told, "error")
    return meaning(code, answer.status, message, told.get("retry_after_ms"), language)
