"""An entry of the conversation as a screen reader says it. Looked up when it is said: a translation
is loaded after import."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.ui.entries import (
    AnswerEntry,
    AnswerState,
    Entry,
    NoticeEntry,
    ToolEntry,
    UserEntry,
    Versions,
)
from moltbot_desktop.ui.words import tool_state_words, tool_title, words

translate = QCoreApplication.translate

_PAUSES = ".!?:…。！？："
MOST_CHARACTERS = 2_000
"""Of one entry; who wants to hear more reads the text itself, line by line."""


def spoken(entry: Entry) -> str:
    """Who says it, what, and whether there are other versions."""
    told = " ".join(_sentence(part.strip()) for part in _parts(entry) if part.strip())
    return told if len(told) <= MOST_CHARACTERS else told[:MOST_CHARACTERS] + "…"


def _parts(entry: Entry) -> tuple[str, ...]:
    match entry:
        case UserEntry():
            names = ", ".join(file.name for file in entry.files)
            said = translate("Conversations", "You")
            return (said, entry.text, names, _versions(entry.versions))
        case AnswerEntry():
            states = {AnswerState.STOPPED: words().stopped, AnswerState.CUT: words().cut}
            said = translate("Conversations", "Answer")
            return (said, entry.text, states.get(entry.state, ""), _versions(entry.versions))
        case ToolEntry():
            title = tool_title(entry.tool, entry.state)
            arguments = ", ".join(str(one) for one in entry.arguments.values())
            return (title, arguments, entry.display, tool_state_words(entry.state))
        case NoticeEntry():
            return (entry.news_of, entry.text, entry.hint)


def _sentence(part: str) -> str:
    """With a pause behind it."""
    return part if part[-1] in _PAUSES else f"{part}."


def _versions(versions: Versions | None) -> str:
    if versions is None:
        return ""
    told = translate("Conversations", "Version {number} of {count}")
    return told.replace("{number}", str(versions.number)).replace("{count}", str(versions.count))
