"""Which conversation something comes from, when it is not the one that a person sees.

    origin_of(SessionKey("agent:main:telegram:dm:4711"))     # CHANNEL, "telegram", "dm 4711"
    origin_words(key, Language.ENGLISH)                      # "Asked in telegram (dm 4711)."

The window has its own sentences, in Qt's translation; both go by `origin_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import DEFAULT_AGENT, SessionKey

_MOST_CHARACTERS = 60


class OriginKind(StrEnum):
    """What began a run: a person, a job, or another run."""

    MAIN = "main"
    JOB = "job"
    HELPER = "helper"
    HELPER_OF = "helper_of"
    CHANNEL = "channel"
    OTHER = "other"


@dataclass(frozen=True)
class Origin:
    """Attributes:
    agent: whose conversation it is.
    channel, who: of `CHANNEL`, where and with whom.
    key: the beginning of the session key, all that can be said of `OTHER`.
    """

    kind: OriginKind
    agent: str = ""
    channel: str = ""
    who: str = ""
    key: str = ""


_PHRASES = Phrases(
    english={
        OriginKind.MAIN: "Asked in the main conversation of {agent}.",
        OriginKind.JOB: "Asked by a scheduled job.",
        OriginKind.HELPER: "Asked by a helper.",
        OriginKind.HELPER_OF: "Asked by a helper of {agent}.",
        OriginKind.CHANNEL: "Asked in {channel} ({who}).",
        OriginKind.OTHER: "Asked in another conversation ({session}).",
    },
    chinese={
        OriginKind.MAIN: "来自 {agent} 的主对话。",
        OriginKind.JOB: "来自定时任务。",
        OriginKind.HELPER: "来自一个助手。",
        OriginKind.HELPER_OF: "来自 {agent} 的一个助手。",
        OriginKind.CHANNEL: "来自 {channel}（{who}）。",
        OriginKind.OTHER: "来自另一个对话（{session}）。",
    },
)


def origin_of(session: SessionKey) -> Origin:
    """What the key of a conversation says about where it goes on."""
    head, _, rest = session.partition(":")
    agent, _, rest = rest.partition(":")
    kind, _, inside = rest.partition(":")
    who = inside.replace(":", " ")[:_MOST_CHARACTERS]
    key = session[:_MOST_CHARACTERS]
    found = OriginKind.OTHER
    if head == "agent":
        match kind:
            case "main":
                found = OriginKind.MAIN
            case "cron":
                found = OriginKind.JOB
            case "subagent" if agent == DEFAULT_AGENT:
                found = OriginKind.HELPER
            case "subagent":
                found = OriginKind.HELPER_OF
            case "acp" if inside:
                found, kind, who = OriginKind.CHANNEL, "editor", who[:8]
            case _ if kind and inside:
                found = OriginKind.CHANNEL
    return Origin(found, agent, kind, who, key)


def origin_words(session: SessionKey, language: Language) -> str:
    """A short sentence."""
    one = origin_of(session)
    slots = {"agent": one.agent, "channel": one.channel, "who": one.who, "session": one.key}
    return _PHRASES.say(one.kind, language, **slots)
