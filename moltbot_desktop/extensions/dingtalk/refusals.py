"""What a refusal of the Open Platform means. Pure.

    raise Refusal("invalidClientIdOrSecret", "…").as_error(language)      # ChannelAuthFailed

The API answers with a name and a sentence, what is older with a number. Names and numbers:
https://open.dingtalk.com/document/development/the-robot-sends-a-group-message (a table at the end),
https://open.dingtalk.com/document/development/how-to-process-api-throttling-on-the-dingtalk-server
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
from moltbot_desktop.extensions.dingtalk.words import say

_SAFE_LIMIT = 2_500
_LONGEST_REASON = 120
_MINUTE = 60.0
_STALE = frozenset({"invalidauthentication", "invalidparameter.token.invalid", "40014", "42001"})
_APP = frozenset({"invalidclientidorsecret", "authfailed", "40089", "40096"})
_SCOPE = frozenset({"forbidden.accessdenied.accesstokenpermissiondenied", "60011"})
_ADDRESS = frozenset({"forbidden.accessdenied.ipnotinwhitelist", "60020", "ip.not.match"})
_MONTH = frozenset({"forbidden.accessdenied.apicountlimitfororg", "90020"})
_SECOND = frozenset(
    {
        "forbidden.accessdenied.qpslimitforappkeyandapi",
        "forbidden.accessdenied.qpslimitforapi",
        *("90018", "90002"),
    }
)
_PAUSE = frozenset(
    {"send.too.fast", "send.bytoken.toofast", "too.many.group", "too.many.people", "130101"}
)
_LONG = frozenset({"invalidparameter.msgparam.toolong", "101002", "460101"})
_GONE = frozenset({"invalid.processquerykey", "robot.processquerykey.expired"})
_ROBOT = frozenset(
    {
        *("bot.stopped", "template.stopped", "template.not.existed", "send.forbidden"),
        *("chatbotid.notallow.sendoto", "resource.unavailable", "resource.not.found"),
        "bot.forbidden.sendmessage",
    }
)
_ROBOT_CODE = "invalidparameter.robotcode"
_OUTSIDE = frozenset(
    {
        *("group.disbanded", "invalid.openconversationid", "conversation.org.notmatch"),
        *("staffid.notexisted", "robot.oto.notexist", "illegal.receivers"),
        "invalidparameter.userid.empty",
    }
)
_CONTENT = "contain."
_KIND = frozenset({"40004", "invalidparameter.msg.unsupport"})
_SIZE = frozenset({"40006", "40009", "40010", "40011"})
_TROUBLE = frozenset({"system.error", "unknown.send.result", "serviceunavailable", "-1"})


@dataclass(frozen=True)
class Refusal:
    """An answer that is none.

    Attributes:
        code: a name such as ``send.too.fast``, or a number of the older API.
        reason: the platform's sentence.
        status: of HTTP.
    """

    code: str
    reason: str = ""
    status: int = 400

    @property
    def is_stale(self) -> bool:
        """The token is over."""
        return self._name in _STALE

    @property
    def is_of_the_way(self) -> bool:
        """Of a session: it is over, or takes nothing here. The same can be said by the API, unless
        it was the words, or haste, or the platform is not well."""
        name = self._name
        return name not in _PAUSE | _SECOND | _LONG | _TROUBLE and not (
            name.startswith(_CONTENT) or self.status == 429 or self.status >= 500
        )

    @property
    def _name(self) -> str:
        return self.code.strip().lower()

    def as_error(self, language: Language) -> ChannelError:
        """The error that says so to the person and decides what follows."""
        name = self._name
        said = "".join(filter(str.isprintable, self.reason))[:_LONGEST_REASON]
        code = "".join(filter(str.isprintable, self.code))[:_LONGEST_REASON]
        reason = f"{said} ({code})" if said else code
        if name in _SECOND or name in _PAUSE or self.status == 429:
            wait = 1.0 if name in _SECOND else _MINUTE
            return ChannelRateLimited(say("wait", language), retry_after=wait)
        if name in _APP or name in _STALE:
            hint = say("app_hint", language)
            return ChannelAuthFailed(say("app", language, reason=reason), hint=hint)
        if name in _LONG:
            return ChannelTooLong(say("long", language), limit=_SAFE_LIMIT)
        if name in _GONE:
            return ChannelNotFound(say("gone", language, reason=reason))
        if name in _TROUBLE or self.status >= 500:
            return ChannelError(say("unwell", language, reason=reason))
        for phrase, found in (
            ("scope", name in _SCOPE),
            ("address", name in _ADDRESS),
            ("month", name in _MONTH),
            ("robot", name in _ROBOT or name.startswith(_ROBOT_CODE)),
            ("not_in", name in _OUTSIDE),
            ("content", name.startswith(_CONTENT)),
            ("kind", name in _KIND),
            ("too_large", name in _SIZE),
        ):
            if found:
                hint = say(f"{phrase}_hint", language)
                return ChannelRefused(say(phrase, language, reason=reason), hint=hint)
        return ChannelRefused(say("refused", language, reason=reason))
