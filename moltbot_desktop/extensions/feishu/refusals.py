"""What a refusal of the Open Platform means. Pure.

    raise Refusal(99991663, "Invalid access token").as_error(language)      # ChannelAuthFailed

The platform answers with a number and a sentence: https://open.feishu.cn/document/server-docs/getting-started/server-error-codes
and, for messages, https://open.feishu.cn/document/server-docs/im-v1/message/create#error-codes.
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.core.errors import (
    ChannelAuthFailed,
    ChannelError,
    ChannelNotFound,
    ChannelRateLimited,
    ChannelRefused,
    ChannelTooLong,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.extensions.feishu.words import say

_SAFE_LIMIT = 2_000
_LONGEST_REASON = 120
STALE_TOKEN = frozenset({99991661, 99991663, 99991664, 99991665, 99991677})
_APP = frozenset({10003, 10005, 10012, 10013, 10014, 10015, 99991543, 514, 403})
_SCOPE = frozenset({99991672, 99991679, 230027})
_PAUSE = frozenset({99991400, 11232, 11233, 11247, 230020})
_LONG = frozenset({230025})
_GONE = frozenset({230011, 230110, 230050, 230071, 230072, 230075, 231003, 234003, 234004, 234008})
_OUTSIDE = frozenset({230002, 230013, 230035, 230053, 232009})
_TROUBLE = frozenset({1, 10016, 55001, 99991401, 230049, 1000040343, 1000040350})


@dataclass(frozen=True)
class Refusal:
    """An answer with a `code` that is not 0.

    Attributes:
        reason: the platform's sentence.
        retry_after: seconds, None where nothing is said.
    """

    code: int
    reason: str = ""
    retry_after: float | None = None

    def as_error(self, language: Language) -> ChannelError:
        """The error that says so to the person and decides what follows."""
        said = "".join(filter(str.isprintable, self.reason))[:_LONGEST_REASON]
        reason = f"{said} ({self.code})" if said else str(self.code)
        if self.code in _PAUSE:
            return ChannelRateLimited(say("wait", language), retry_after=self.retry_after)
        if self.code in STALE_TOKEN or self.code in _APP:
            hint = say("app_hint", language)
            return ChannelAuthFailed(say("app", language, reason=reason), hint=hint)
        if self.code in _SCOPE:
            hint = say("scope_hint", language)
            return ChannelRefused(say("scope", language, reason=reason), hint=hint)
        if self.code in (230006, 11205):
            return ChannelRefused(say("no_bot", language), hint=say("no_bot_hint", language))
        if self.code in _OUTSIDE:
            return ChannelRefused(say("not_in", language), hint=say("not_in_hint", language))
        if self.code in _LONG:
            return ChannelTooLong(say("long", language), limit=_SAFE_LIMIT)
        if self.code in _GONE:
            return ChannelNotFound(say("gone", language, reason=reason))
        if self.code in _TROUBLE:
            return ChannelError(say("unwell", language, reason=reason))
        return ChannelRefused(say("refused", language, reason=reason))
