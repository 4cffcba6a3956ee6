"""What a refusal of the REST API means. Pure.

    refusal = Refusal(400, "model.post.is_valid.message_length.app_error")
    raise refusal.as_error(language)            # ChannelTooLong

A refusal has a status of HTTP and, as JSON, an id of what went wrong; the ids that decide what
follows are known here, the others are shown. https://api.mattermost.com/#tag/errors
"""

from __future__ import annotations

from collections.abc import Mapping
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
from moltbot_desktop.extensions.mattermost.words import say

_SAFE_LIMIT = 3_900
"""Old servers take 4,000 characters."""
_LONGEST_REASON = 120
_LONGEST_WAIT = 3_600.0
_EPOCH = 1_000_000_000
_TOO_LONG = frozenset(
    ("model.post.is_valid.message_length.app_error", "model.post.is_valid.msg.app_error")
)
_GONE = frozenset(
    {
        "api.post.update_post.permissions_details.app_error",
        "api.post.update_post.permissions_time_limit.app_error",
        "api.post.create_post.root_id.app_error",
        "api.post.create_post.can_not_post_to_deleted.error",
        "api.post.patch_post.can_not_update_post_in_deleted.error",
        "api.post.delete_post.can_not_delete_post_in_deleted.error",
    }
)
"""Refused with 400, but what is meant is gone, too old to be changed, or archived."""


@dataclass(frozen=True)
class Refusal:
    """Attributes:
    status: of HTTP, 400 or more.
    id: what went wrong, such as ``api.context.permissions.app_error``; "" when it is not said.
    retry_after: seconds, None where nothing is said.
    """

    status: int
    id: str = ""
    retry_after: float | None = None

    def as_error(self, language: Language) -> ChannelError:
        """The error that says so to the person and decides what follows."""
        named = "".join(filter(str.isprintable, self.id))[:_LONGEST_REASON]
        reason = named or f"HTTP {self.status}"
        if self.status == 401:
            return ChannelAuthFailed(say("token", language), hint=say("token_hint", language))
        if self.status == 429:
            return ChannelRateLimited(say("wait", language), retry_after=self.retry_after)
        if self.status == 413 or self.id in _TOO_LONG:
            return ChannelTooLong(say("long", language), limit=_SAFE_LIMIT)
        if self.status in (404, 410) or self.id in _GONE:
            return ChannelNotFound(say("gone", language, reason=reason))
        if self.status == 403:
            hint = say("not_in_hint", language)
            return ChannelRefused(say("not_in", language, reason=reason), hint=hint)
        if self.status >= 500 and self.status != 501:
            return ChannelError(say("unwell", language, reason=reason))
        return ChannelRefused(say("refused", language, reason=reason))


def wait_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """How long a server asks for a pause; None where it does not say.

    The documents call ``X-Ratelimit-Reset`` a time of the clock, servers send what is left of the
    window: both are understood. https://api.mattermost.com/#tag/rate-limiting

    Args:
        now: seconds since 1970.
    """
    for name in ("Retry-After", "X-Ratelimit-Reset"):
        written = headers.get(name, "").strip()
        if written.isascii() and written.isdigit() and len(written) < 12:
            seconds = float(written)
            left = seconds - now if seconds > _EPOCH else seconds
            return min(max(left, 0.0), _LONGEST_WAIT)
    return None
