"""What a refusal of the Bot API means. Pure.

    refusal = Refusal(429, "Too Many Requests: retry after 3", retry_after=3)
    raise refusal.as_error(language)            # ChannelRateLimited, retry_after=3

Telegram says what is wrong in an English sentence beside an HTTP status; the sentences that decide
what follows are known here. They are shown to the person, cut short: none holds a token.
"""

from __future__ import annotations

import re
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
from moltbot_desktop.extensions.telegram.words import say

_SAFE_LIMIT = 2000
"""Telegram takes 4096 UTF-16 units, counted once markup is taken off. A table grows when it is
drawn; half is short enough for any."""
_LONGEST_REASON = 160
_GONE = re.compile(
    r"not found|MESSAGE_ID_INVALID|can't be edited|can't be deleted|TOPIC_(DELETED|CLOSED)"
    r"|invalid file_id|wrong file_id|group chat was (upgraded|deactivated)",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(r"(message|text|caption)( is)? too long|MESSAGE_TOO_LONG", re.IGNORECASE)
_UNREAD = re.compile(r"can't parse entities|text is empty|text must be non-empty")
_PICTURE = re.compile(r"PHOTO_|IMAGE_PROCESS_FAILED|photo", re.IGNORECASE)


@dataclass(frozen=True)
class Refusal:
    """An answer with ``"ok": false``.

    Attributes:
        status: of HTTP, the same as Telegram's `error_code`.
        retry_after: seconds, None where nothing is said.
        moved_to: the chat's new id, "" where it has none.
    """

    status: int
    reason: str
    retry_after: float | None = None
    moved_to: str = ""

    @property
    def is_unchanged(self) -> bool:
        """An edit that would change nothing."""
        return "message is not modified" in self.reason

    @property
    def is_markup(self) -> bool:
        """Telegram cannot read the tags in a text, or sees nothing between them."""
        return _UNREAD.search(self.reason) is not None

    @property
    def is_too_long(self) -> bool:
        return _TOO_LONG.search(self.reason) is not None

    @property
    def is_gone(self) -> bool:
        return self.status == 400 and _GONE.search(self.reason) is not None

    @property
    def is_picture(self) -> bool:
        """A picture that may go as a plain file all the same."""
        return self.status == 400 and _PICTURE.search(self.reason) is not None

    @property
    def is_webhook(self) -> bool:
        """Somebody has the messages sent to a web address."""
        return self.status == 409 and "webhook" in self.reason

    @property
    def is_elsewhere(self) -> bool:
        """Somebody else asks for the messages too."""
        return self.status == 409 and not self.is_webhook

    def as_error(self, language: Language) -> ChannelError:
        """The error that says so to the person and decides what follows."""
        reason = " ".join(self.reason.split())[:_LONGEST_REASON].rstrip(".")
        reason = reason.removeprefix("Bad Request: ").removeprefix("Forbidden: ")
        if self.status == 429:
            return ChannelRateLimited(say("wait", language), retry_after=self.retry_after)
        if self.status >= 500:
            return ChannelError(say("unwell", language, status=self.status))
        # A token that has another form than Telegram's is a page that does not exist; so is what
        # an old Bot API server of the owner's own does not know yet.
        if self.status in (401, 404) and "method" not in self.reason:
            return ChannelAuthFailed(say("token", language), hint=say("token_hint", language))
        if self.is_webhook or self.is_elsewhere:
            which = "webhook" if self.is_webhook else "elsewhere"
            return ChannelRefused(say(which, language), hint=say(f"{which}_hint", language))
        if self.status == 403:
            hint = say("blocked_hint", language)
            return ChannelRefused(say("blocked", language, reason=reason), hint=hint)
        if self.is_too_long:
            return ChannelTooLong(say("long", language), limit=_SAFE_LIMIT)
        if self.is_gone:
            return ChannelNotFound(say("gone", language, reason=reason))
        return ChannelRefused(say("refused", language, reason=reason))
