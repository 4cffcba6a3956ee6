"""Which conversation something comes from, in words, when it is not the one that is shown.

origin_words(SessionKey("agent:main:telegram:dm:4711"))    # "Asked in telegram (dm 4711)"
origin_words(SessionKey("agent:work:subagent:9f2c"))       # "Asked by a helper of work"
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.origins import OriginKind, origin_of

translate = QCoreApplication.translate


def origin_words(session: SessionKey) -> str:
    """A short sentence; the key itself is all that can be said of one of another form."""
    one = origin_of(session)
    match one.kind:
        case OriginKind.MAIN:
            text = translate("Origins", "Asked in the main conversation of {agent}")
        case OriginKind.JOB:
            text = translate("Origins", "Asked by a scheduled job")
        case OriginKind.HELPER:
            text = translate("Origins", "Asked by a helper")
        case OriginKind.HELPER_OF:
            text = translate("Origins", "Asked by a helper of {agent}")
        case OriginKind.CHANNEL:
            text = translate("Origins", "Asked in {channel} ({who})")
        case _:
            text = translate("Origins", "Asked in another conversation ({key})")
    return text.format(agent=one.agent, channel=one.channel, who=one.who, key=one.key)
