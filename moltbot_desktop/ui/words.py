"""The words drawn inside the conversation, in the language of the window.

They are looked up when something is drawn, because a translation is loaded after import. Spelled
out one by one because the translation tools read literals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from moltbot_desktop.ui.conversation import ToolState

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
        "memory_store": ToolWords(
            translate("Tools", "Remembering"), translate("Tools", "Remembered")
        ),
        "memory_search": ToolWords(
            translate("Tools", "Looking in memory"), translate("Tools", "Looked in memory")
        ),
        "memory_get": ToolWords(
            translate("Tools", "Reading a memory"), translate("Tools", "Read a memory")
        ),
        "memory_forget": ToolWords(
            translate("Tools", "Forgetting a note"), translate("Tools", "Forgot a note")
        ),
        "reminder_add": ToolWords(
            translate("Tools", "Setting a reminder"), translate("Tools", "Set a reminder")
        ),
        "reminder_list": ToolWords(
            translate("Tools", "Looking at reminders"), translate("Tools", "Looked at reminders")
        ),
        "read": ToolWords(translate("Tools", "Reading a file"), translate("Tools", "Read a file")),
        "write": ToolWords(
            translate("Tools", "Writing a file"), translate("Tools", "Wrote a file")
        ),
        "find_files": ToolWords(
            translate("Tools", "Looking for files"), translate("Tools", "Looked for files")
        ),
        "calc": ToolWords(translate("Tools", "Calculating"), translate("Tools", "Calculated")),
        "web_fetch": ToolWords(
            translate("Tools", "Reading a page"), translate("Tools", "Read a page")
        ),
        "open": ToolWords(translate("Tools", "Opening"), translate("Tools", "Opened")),
        "exec": ToolWords(
            translate("Tools", "Running a command"), translate("Tools", "Ran a command")
        ),
        "screenshot": ToolWords(
            translate("Tools", "Taking a picture of the screen"),
            translate("Tools", "Took a picture of the screen"),
        ),
        "weather_query": ToolWords(
            translate("Tools", "Asking for the weather"),
            translate("Tools", "Asked for the weather"),
        ),
    }


def tool_state_words(state: ToolState) -> str:
    """How a call ended, "" when it simply worked."""
    return {
        ToolState.RUNNING: "",
        ToolState.OK: "",
        ToolState.FAILED: translate("Tools", "did not work"),
        ToolState.DENIED: translate("Tools", "not allowed"),
        ToolState.UNAVAILABLE: translate("Tools", "not in this version"),
        ToolState.NOT_RUN: translate("Tools", "not run"),
    }[state]
