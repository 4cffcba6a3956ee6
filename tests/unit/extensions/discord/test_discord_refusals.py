"""What the library raises becomes one of our errors, and a key a nonce."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language

pytest.importorskip("discord", reason="the extra “discord” is not installed")

import discord

from moltbot_desktop.extensions.discord.channel import nonce_of
from moltbot_desktop.extensions.discord.refusals import as_error, told

TOO_LONG = {"content": {"_errors": [{"message": "Must be 2000 or fewer in length."}]}}


def http(status: int, code: int = 0, **more: Any) -> Exception:
    response: Any = SimpleNamespace(status=status, reason="No")
    return discord.HTTPException(response, {"code": code, "message": "Why", **more})


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (discord.LoginFailure("no"), ChannelAuthFailed),
        (http(401), ChannelAuthFailed),
        (discord.RateLimited(90.0), ChannelRateLimited),
        (http(429), ChannelRateLimited),
        (http(502), ChannelError),
        (http(413), ChannelRefused),
        (http(400, 50_035, errors=TOO_LONG), ChannelTooLong),
        (http(400, 50_035), ChannelRefused),
        (http(400, 10_014), ChannelRefused),
        (http(403, 50_013), ChannelRefused),
        (http(404, 10_008), ChannelNotFound),
        (discord.GatewayNotFound(), ChannelError),
        (ConnectionResetError(), ChannelError),
        (discord.InvalidData("?"), ChannelError),
    ],
)
def test_what_follows_from_an_error(error: Exception, kind: type[ChannelError]) -> None:
    for language in Language:
        found = as_error(error, language)
        assert type(found) is kind and found.message


def test_a_long_pause_is_the_programs_to_wait() -> None:
    with pytest.raises(ChannelRateLimited) as raised, told(Language.ENGLISH):
        raise discord.RateLimited(90.0)
    assert raised.value.retry_after == 90.0


def test_a_connection_that_ended_meanwhile_is_no_bug() -> None:
    """A message that breaks the code is given up after some tries, one that has to wait is not."""
    with pytest.raises(ChannelError, match="has ended"), told(Language.ENGLISH):
        raise RuntimeError("Session is closed")
    with pytest.raises(RuntimeError, match="loop"), told(Language.ENGLISH):
        raise RuntimeError("no running event loop")


def test_our_own_errors_go_through() -> None:
    with pytest.raises(ChannelNotFound, match="mine"), told(Language.ENGLISH):
        raise ChannelNotFound("mine")


def test_a_key_of_any_length_is_a_nonce_of_its_own() -> None:
    keys = ["run-9:0", "run-9:1", "x" * 500, "好\ud800"]
    assert len({nonce_of(one) for one in keys}) == 4
    assert all(len(nonce_of(one)) <= 25 for one in keys)
