"""The words drawn inside the conversation, in the language of the window.

They are looked up when something is drawn, because a translation is loaded after import. Spelled
out one by one because the translation tools read literals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.ui.conversation import ToolState

_tr = QCoreApplication.translate


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
    load_earlier: str
    shortened: str
    reminder: str
    seconds: str


def words() -> Words:
    """The conversation's own words."""
    return Words(
        copy=_tr("Transcript", "Copy"),
        copy_answer=_tr("Transcript", "Copy answer"),
        copied=_tr("Transcript", "Copied"),
        thinking=_tr("Transcript", "Thinking…"),
        thought=_tr("Transcript", "Thoughts"),
        stopped=_tr("Transcript", "Stopped here – this answer is not finished"),
        cut=_tr("Transcript", "Broken off – this answer is not finished"),
        waiting=_tr("Transcript", "waits for its turn"),
        load_earlier=_tr("Transcript", "Load earlier messages"),
        shortened=_tr("Transcript", "… {count} more characters (copy to see all)"),
        reminder=_tr("Transcript", "Reminder"),
        seconds=_tr("Transcript", "{seconds} s"),
    )


@dataclass(frozen=True)
class ToolWords:
    """What a tool does, in words: while it does, and when it has."""

    doing: str
    done: str


def tool_words(tool: str) -> ToolWords:
    """Friendly words for `tool`; its own name for one that is not ours."""
    return _tool_table().get(tool) or ToolWords(tool, tool)


def _tool_table() -> Mapping[str, ToolWords]:
    return {
        "memory_store": ToolWords(_tr("Tools", "Remembering"), _tr("Tools", "Remembered")),
        "memory_search": ToolWords(
            _tr("Tools", "Looking in memory"), _tr("Tools", "Looked in memory")
        ),
        "memory_get": ToolWords(_tr("Tools", "Reading a memory"), _tr("Tools", "Read a memory")),
        "reminder_add": ToolWords(
            _tr("Tools", "Setting a reminder"), _tr("Tools", "Set a reminder")
        ),
        "reminder_list": ToolWords(
            _tr("Tools", "Looking at reminders"), _tr("Tools", "Looked at reminders")
        ),
        "read": ToolWords(_tr("Tools", "Reading a file"), _tr("Tools", "Read a file")),
        "write": ToolWords(_tr("Tools", "Writing a file"), _tr("Tools", "Wrote a file")),
        "find_files": ToolWords(
            _tr("Tools", "Looking for files"), _tr("Tools", "Looked for files")
        ),
        "calc": ToolWords(_tr("Tools", "Calculating"), _tr("Tools", "Calculated")),
        "web_fetch": ToolWords(_tr("Tools", "Reading a page"), _tr("Tools", "Read a page")),
        "open": ToolWords(_tr("Tools", "Opening"), _tr("Tools", "Opened")),
        "exec": ToolWords(_tr("Tools", "Running a command"), _tr("Tools", "Ran a command")),
        "screenshot": ToolWords(
            _tr("Tools", "Taking a picture of the screen"),
            _tr("Tools", "Took a picture of the screen"),
        ),
        "weather_query": ToolWords(
            _tr("Tools", "Asking for the weather"), _tr("Tools", "Asked for the weather")
        ),
    }


def tool_state_words(state: ToolState) -> str:
    """How a call ended, "" when it simply worked."""
    return {
        ToolState.RUNNING: "",
        ToolState.OK: "",
        ToolState.FAILED: _tr("Tools", "did not work"),
        ToolState.DENIED: _tr("Tools", "not allowed"),
        ToolState.UNAVAILABLE: _tr("Tools", "not in this version"),
        ToolState.NOT_RUN: _tr("Tools", "not run"),
    }[state]
