"""What the errors of the library mean for the person, and for what follows.

    with told(language):
        await room.send("hi")           # raises nothing but ChannelErrors

Numbers are those of https://discord.com/developers/docs/topics/opcodes-and-status-codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import discord

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.discord.words import say

SAFE_LIMIT = 1_000
"""Of a part that grew too long when its markup came to it: each sign may become two."""
_LONGEST_REASON = 160
_AUTHENTICATION_FAILED = 4004
_DISALLOWED_INTENTS = 4014
_SHARDING_REQUIRED = (4010, 4011)
_UNKNOWN_EMOJI = 10_014
_INVALID_FORM = 50_035
_TOO_LARGE = 40_005


@contextmanager
def told(language: Language) -> Iterator[None]:
    """What the library raises becomes a ChannelError of ours, which holds nothing of the request.

    Raises:
        ChannelError: or one below it.
    """
    try:
        yield
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        raise as_error(error, language) from None
    except RuntimeError as error:
        if "closed" not in str(error):
            raise
        # So aiohttp says that the connection ended between two requests, or two tries of one.
        raise ChannelError(say("ended", language)) from None


def as_error(error: Exception, language: Language) -> ChannelError:
    """The error that says it to the person and decides what follows."""
    match error:
        case discord.LoginFailure():
            return _no_token(language)
        case discord.RateLimited():
            return ChannelRateLimited(say("wait", language), retry_after=error.retry_after)
        case discord.PrivilegedIntentsRequired():
            return _no_intent(language)
        case discord.ConnectionClosed():
            return _closed(error.code, language)
        case discord.HTTPException():
            return _answered(error, language)
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            return ChannelError(say("proxy", language), hint=say("proxy_hint", language))
        case aiohttp.ClientError() | OSError() | discord.GatewayNotFound():
            return ChannelError(say("away", language), hint=say("away_hint", language))
        case _:
            return ChannelError(say("broken", language))


def no_intent(flags: discord.ApplicationFlags, language: Language) -> ChannelRefused | None:
    """What is wrong with a bot that may not read messages; None for one that may."""
    if flags.gateway_message_content or flags.gateway_message_content_limited:
        return None
    return _no_intent(language)


def _closed(code: int, language: Language) -> ChannelError:
    if code == _AUTHENTICATION_FAILED:
        return _no_token(language)
    if code == _DISALLOWED_INTENTS:
        return _no_intent(language)
    if code in _SHARDING_REQUIRED:
        return ChannelRefused(say("large_bot", language, code=code))
    return ChannelError(say("closed", language, code=code))


def _answered(error: discord.HTTPException, language: Language) -> ChannelError:
    reason = " ".join(error.text.split())[:_LONGEST_REASON].rstrip(".") or f"HTTP {error.status}"
    if error.status == 401:
        return _no_token(language)
    if error.status == 429:
        return ChannelRateLimited(say("wait", language))
    if error.status >= 500:
        return ChannelError(say("unwell", language, status=error.status))
    if error.status == 413 or error.code == _TOO_LARGE:
        return ChannelRefused(say("heavy", language))
    if error.code == _INVALID_FORM and "or fewer in length" in error.text:
        return ChannelTooLong(say("long", language), limit=SAFE_LIMIT)
    if error.code == _UNKNOWN_EMOJI:
        return ChannelRefused(say("refused", language, reason=reason))
    if error.status == 404:
        return ChannelNotFound(say("gone", language, reason=reason))
    if error.status == 403:
        hint = say("blocked_hint", language)
        return ChannelRefused(say("blocked", language, reason=reason), hint=hint)
    return ChannelRefused(say("refused", language, reason=reason))


def _no_token(language: Language) -> ChannelAuthFailed:
    return ChannelAuthFailed(say("token", language), hint=say("token_hint", language))


def _no_intent(language: Language) -> ChannelRefused:
    return ChannelRefused(say("intent", language), hint=say("intent_hint", language))
