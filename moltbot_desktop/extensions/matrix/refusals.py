"""What a Matrix server's refusal, or no answer at all, means: the typed errors of channels.

    with heard_as(settings.homeserver, language):
        answer = wanted(await client.room_send(...), RoomSendResponse, language)

Error codes are those of https://spec.matrix.org/v1.11/client-server-api/#standard-error-response.
Nothing of a request stands in an error, because a token might.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import aiohttp
import nio

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.matrix.words import PHRASES

_TOKEN = frozenset({"M_UNKNOWN_TOKEN", "M_MISSING_TOKEN", "M_USER_DEACTIVATED"})
_NOT_NOW = (
    *(nio.exceptions.MembersSyncError, nio.SendRetryError, nio.exceptions.OlmTrustError),
    *(nio.EncryptionError, nio.exceptions.GroupEncryptionError),
)
_LONGEST_REASON = 120


def wanted(answer: Any, kind: type, language: Language) -> Any:
    """`answer` if it is a `kind` of nio's responses.

    Raises:
        ChannelError: what `meaning` makes of anything else.
    """
    if isinstance(answer, kind):
        return answer
    code = str(getattr(answer, "status_code", None) or "")
    status = getattr(getattr(answer, "transport_response", None), "status", 0)
    wait = getattr(answer, "retry_after_ms", None)
    raise meaning(code, int(status or 0), str(getattr(answer, "message", "")), wait, language)


def meaning(
    code: str, status: int, message: str, retry_after_ms: object, language: Language
) -> ChannelError:
    """The error for a refusal: `code` such as ``M_FORBIDDEN`` ("" for none), HTTP's `status`."""
    if code in _TOKEN or (status == 401 and not code):
        return ChannelAuthFailed(_say("token", language), hint=_say("token_hint", language))
    if code == "M_LIMIT_EXCEEDED" or status == 429:
        known = isinstance(retry_after_ms, int | float) and retry_after_ms >= 0
        seconds = min(float(str(retry_after_ms)) / 1000, 3600.0) if known else None
        text, hint = _say("limited", language), _say("limited_hint", language)
        return ChannelRateLimited(text, hint=hint, retry_after=seconds)
    if code == "M_TOO_LARGE" or status == 413:
        return ChannelTooLong(_say("too_long", language))
    if code == "M_NOT_FOUND":
        return ChannelNotFound(_say("gone", language))
    reason = in_short(f"{code or status or ''} {message}")
    if code and 400 <= status < 500:
        return ChannelRefused(_say("refused", language, reason=reason))
    return _broken(reason, language)


@contextlib.contextmanager
def heard_as(server: str, language: Language) -> Iterator[None]:
    """Errors of the libraries as ours; `server` is its address."""
    try:
        yield
    except aiohttp.InvalidURL as error:
        said = _say("address", language, server=server)
        raise ChannelRefused(said, hint=_say("address_hint", language)) from error
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        said = _say("away", language, server=server)
        raise ChannelError(said, hint=_say("away_hint", language)) from error
    except _NOT_NOW as error:
        raise _broken(in_short(str(error)), language) from error
    except RuntimeError as error:
        if "closed" not in str(error):
            raise
        # The connection ended between two requests of one message.
        said = _say("away", language, server=server)
        raise ChannelError(said, hint=_say("away_hint", language)) from error
    except nio.LocalProtocolError as error:  # a room that we are not in (any more)
        raise ChannelNotFound(_say("gone", language)) from error


def in_short(text: str) -> str:
    """A server's own words in one short line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line[:_LONGEST_REASON] or "?"


def _broken(reason: str, language: Language) -> ChannelError:
    said = _say("broken", language, reason=reason)
    return ChannelError(said, hint=_say("broken_hint", language))


def _say(phrase: str, language: Language, **slots: object) -> str:
    return PHRASES.say(phrase, language, **slots)
