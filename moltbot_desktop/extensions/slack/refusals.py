"""What a refusal of the Web API means. Pure.

    refusal = Refusal("missing_scope", needed="chat:write")
    raise refusal.as_error(language)            # ChannelRefused, with the scope's name

Slack answers with HTTP 200 and a short English word; those that decide what follows are known
here, the others are shown to the person. https://docs.slack.dev/reference/methods/chat.postMessage
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
from moltbot_desktop.extensions.slack.words import say

_SAFE_LIMIT = 2_000
_LONGEST_REASON = 80
_TOKEN = frozenset(
    "invalid_auth not_authed account_inactive token_revoked token_expired"
    " not_allowed_token_type org_login_required".split()
)
_GONE = frozenset(
    "message_not_found channel_not_found user_not_found users_not_found thread_not_found"
    " cant_update_message cant_delete_message edit_window_closed file_not_found file_deleted"
    " is_archived user_disabled".split()
)
_TROUBLE = frozenset(
    "internal_error fatal_error service_unavailable request_timeout team_added_to_org"
    " accesslimited rollup_error".split()
)


@dataclass(frozen=True)
class Refusal:
    """An answer with ``"ok": false``.

    Attributes:
        error: Slack's word for it.
        needed: scopes that are missing, "" when it is not about them.
        retry_after: seconds, None where nothing is said.
        by_app: the app's token was asked with, not the bot's.
    """

    error: str
    needed: str = ""
    retry_after: float | None = None
    by_app: bool = False

    @property
    def is_scope(self) -> bool:
        return self.error == "missing_scope"

    def as_error(self, language: Language) -> ChannelError:
        """The error that says so to the person and decides what follows."""
        reason = "".join(filter(str.isprintable, self.error))[:_LONGEST_REASON]
        if self.error in ("ratelimited", "rate_limited"):
            return ChannelRateLimited(say("wait", language), retry_after=self.retry_after)
        if self.is_scope:
            scope = "".join(filter(str.isprintable, self.needed))[:_LONGEST_REASON] or "?"
            hint = say("scope_hint", language)
            return ChannelRefused(say("scope", language, scope=scope), hint=hint)
        if self.error in _TOKEN:
            which = "app_token" if self.by_app else "bot_token"
            hint = say(f"{which}_hint", language)
            return ChannelAuthFailed(say(which, language, reason=reason), hint=hint)
        if self.error in ("not_in_channel", "restricted_action"):
            return ChannelRefused(say("not_in", language), hint=say("not_in_hint", language))
        if self.error in ("msg_too_long", "msg_blocks_too_long"):
            return ChannelTooLong(say("long", language), limit=_SAFE_LIMIT)
        if self.error in _GONE:
            return ChannelNotFound(say("gone", language, reason=reason))
        if self.error in _TROUBLE:
            return ChannelError(say("unwell", language, reason=reason))
        return ChannelRefused(say("refused", language, reason=reason))
