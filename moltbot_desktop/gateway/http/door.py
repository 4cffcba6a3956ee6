"""Who may ask the local web server anything: decided before any route sees a request.

    knock = Knock(host="localhost:18789", authorization="Bearer …")
    refusal(knock, 18789, token, guesses, now)      # None: it is heard

Being on the loopback interface is not enough. Any page in a browser can send requests to
127.0.0.1, so there is a token that it does not know; and a name of somebody else's can be made to
lead to 127.0.0.1 (DNS rebinding), so `Host` has to be one of ours, and an `Origin` too.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from enum import IntEnum

from moltbot_desktop.gateway.http.guesses import Guesses

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_BEARER = "bearer "


class Refusal(IntEnum):
    """Statuses of HTTP."""

    NO_TOKEN = 401
    OTHER_HOST = 403
    TOO_MANY = 429
    """There were too many wrong tokens: this one was not looked at."""


@dataclass(frozen=True)
class Knock:
    """What a request says about itself; "" for what it does not say.

    Attributes:
        authorization: ``Bearer TOKEN``.
    """

    host: str
    origin: str = ""
    authorization: str = ""


def refusal(knock: Knock, port: int, token: str, guesses: Guesses, now: float) -> Refusal | None:
    """Why a request is not heard; None for one that is. `token` is not empty.

    A wrong token is counted in `guesses`, at `now` seconds of a clock that is never set back.
    """
    own = {f"{name}:{port}" for name in _NAMES}
    if knock.host.lower() not in own:
        return Refusal.OTHER_HOST
    if knock.origin and knock.origin.lower() not in {f"http://{one}" for one in own}:
        return Refusal.OTHER_HOST
    scheme, given = knock.authorization[: len(_BEARER)], knock.authorization[len(_BEARER) :]
    if scheme.lower() != _BEARER or not given.strip():
        return Refusal.NO_TOKEN
    if guesses.rest(now):
        return Refusal.TOO_MANY
    if not _same(given.strip(), token):
        guesses.wrong(now)
        return Refusal.NO_TOKEN
    return None


def _same(given: str, token: str) -> bool:
    """In a time that says nothing about how much of it is right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
