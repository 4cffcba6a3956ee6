"""The words drawn inside the conversation, in the language of the window.

They are looked up when something is drawn, because a translation is loaded after import. Spelled
out one by one because the translation tools read literals.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.tool_words import tool_words
from moltbot_desktop.ui.entries import ToolState

translate = QCoreApplication.translate


@dataclass(frozen=True)
class Words:
    copy: str
    copy_answer: str
    copied: str
    thinking: str
    thought: str
    stopped: str
    cut: str
    waiting: str
    unanswered: str
    load_earlier: str
    shortened: str
    reminder: str
    seconds: str
    from_memory: str
    memory_gone: str
    times: str
    bringing: str


def words() -> Words:
    """The conversation's own words."""
    return Words(
        copy=translate("Transcript", "Copy"),
        copy_answer=translate("Transcript", "Copy answer"),
        copied=translate("Transcript", "Copied"),
        thinking=translate("Transcript", "Thinking…"),
        thought=translate("Transcript", "Thoughts"),
        stopped=translate("Transcript", "Stopped here – this answer is not finished"),
        cut=translate("Transcript", "Broken off – this answer is not finished"),
        waiting=translate("Transcript", "waits for its turn"),
        unanswered=translate("Transcript", "not answered: stopped before its turn"),
        load_earlier=translate("Transcript", "Load earlier messages"),
        shortened=translate("Transcript", "… {count} more characters are not shown"),
        reminder=translate("Transcript", "Reminder"),
        seconds=translate("Transcript", "{seconds} s"),
        from_memory=translate("Transcript", "From memory: {places}"),
        memory_gone=translate("Transcript", "no longer there"),
        times=translate("Transcript", "{count} times, the last one:"),
        bringing=translate("Transcript", "{file} is being kept…"),
    )


def window_language() -> Language:
    """The language that the windows speak: the one whose translation is loaded."""
    return Language(translate("Language", "en"))


def tool_title(tool: str, state: ToolState) -> str:
    """The title of a call that stands so."""
    words = tool_words(tool, window_language())
    match state:
        case ToolState.RUNNING:
            return f"{words.doing}…"
        case ToolState.OK:
            return words.done
        case _:
            return words.meant


def tool_state_words(state: ToolState) -> str:
    """How a call ended, "" when it simply worked."""
    return {
        ToolState.RUNNING: "",
        ToolState.OK: "",
        ToolState.WAITING: translate("Tools", "waits for your yes"),
        ToolState.FAILED: translate("Tools", "did not work"),
        ToolState.DENIED: translate("Tools", "not allowed"),
        ToolState.UNAVAILABLE: translate("Tools", "not in this version"),
        ToolState.NOT_RUN: translate("Tools", "not run"),
    }[state]
