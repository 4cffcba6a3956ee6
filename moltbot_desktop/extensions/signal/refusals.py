"""What an error of signal-cli means. Pure.

    raise Refusal(-5, "Rate limit").as_error(language)      # ChannelRateLimited

The codes are those with which its commands end, as negative numbers, and JSON-RPC's own.
https://github.com/AsamK/signal-cli/blob/master/man/signal-cli.1.adoc (Exit codes)
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelRateLimited,
    ChannelRefused,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.signal.words import say
from moltbot_desktop.sdk.foreign_json import group, rows, size, text

_LONGEST_REASON = 120
USER, IO, UNTRUSTED, RATE, CAPTCHA = -1, -3, -4, -5, -6
UNKNOWN_METHOD, BAD_PARAMS = -32601, -32602
_ACCOUNT = ("specified account does not exist", "method requires valid account parameter")


@dataclass(frozen=True)
class Refusal:
    """An answer with ``"error"``; `wait` in seconds, None where nothing is said."""

    code: int
    message: str
    wait: float | None = None
    account: str = ""

    def as_error(self, language: Language, place: str = "") -> ChannelError:
        """The error that says so to the person and decides what follows."""
        reason = shown(self.message) or str(self.code)
        # Before the codes: a release may give these any of them.
        if any(one in self.message.lower() for one in _ACCOUNT):
            hint = say("no_account_hint", language)
            said = say("no_account", language, account=shown(self.account))
            return ChannelAuthFailed(said, hint=hint)
        match self.code:
            case -5 | -6:
                hint = say("wait_hint", language)
                return ChannelRateLimited(say("wait", language), hint=hint, retry_after=self.wait)
            case -4:
                hint = say("key_hint", language)
                return ChannelRefused(say("key", language, place=shown(place)), hint=hint)
            case -1 | -32600 | -32601 | -32602:
                return ChannelRefused(say("refused", language, reason=reason))
            case _:
                return ChannelError(say("unwell", language, reason=reason))


def refusal_of(error: JsonObject, account: str) -> Refusal:
    """What stands in ``"error"``; how long to wait stands with who was not reached."""
    code, answer = error.get("code"), group(group(error.get("data")).get("response"))
    waits = [size(one.get("retryAfterSeconds")) for one in rows(answer.get("results"))]
    wait = float(max(waits)) if any(waits) else None
    known = code if isinstance(code, int) and not isinstance(code, bool) else 0
    return Refusal(known, text(error.get("message")), wait, account)


def undelivered(answer: JsonObject) -> str:
    """Why nobody got what was sent, "" where somebody did: an answer without results says that
    it went. A message to a group counts as sent when one member has it."""
    results = [text(one.get("type")) for one in rows(answer.get("results"))]
    return "" if not results or "SUCCESS" in results else results[0]


def shown(words: str) -> str:
    """Words from elsewhere in a sentence of ours."""
    return "".join(filter(str.isprintable, words))[:_LONGEST_REASON].rstrip(".")
