"""Which conversation something comes from, in words, when it is not the one that is shown.

origin_words(SessionKey("agent:main:telegram:dm:4711"))    # "Asked in telegram (dm 4711)"
origin_words(SessionKey("agent:work:subagent:9f2c"))       # "Asked by a helper of work"
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.core.ids import DEFAULT_AGENT, SessionKey

translate = QCoreApplication.translate
_MOST_CHARACTERS = 60


def origin_words(session: SessionKey) -> str:
    """A short sentence; the key itself is all that can be said of one of another form."""
    head, _, rest = session.partition(":")
    agent, _, rest = rest.partition(":")
    kind, _, inside = rest.partition(":")
    if head != "agent" or not kind:
        return _other(session)
    match kind:
        case "main":
            text = translate("Origins", "Asked in the main conversation of {agent}")
        case "cron":
            text = translate("Origins", "Asked by a scheduled job")
        case "subagent" if agent == DEFAULT_AGENT:
            text = translate("Origins", "Asked by a helper")
        case "subagent":
            text = translate("Origins", "Asked by a helper of {agent}")
        case _ if inside:
            text = translate("Origins", "Asked in {channel} ({who})")
        case _:
            return _other(session)
    who = inside.replace(":", " ")[:_MOST_CHARACTERS]
    return text.replace("{agent}", agent).replace("{channel}", kind).replace("{who}", who)


def _other(session: SessionKey) -> str:
    text = translate("Origins", "Asked in another conversation ({key})")
    return text.replace("{key}", session[:_MOST_CHARACTERS])
