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
    """What a tool does, in words.

    Attributes:
        doing: while it does.
        done: when it has.
        meant: when it did not, was not let, or never began: "Remembered … not run" would say two
            things at once.
    """

    doing: str
    done: str
    meant: str

    def at(self, state: ToolState) -> str:
        """The title of a call that stands so."""
        match state:
            case ToolState.RUNNING:
                return f"{self.doing}…"
            case ToolState.OK:
                return self.done
            case _:
                return self.meant


def tool_words(tool: str) -> ToolWords:
    """Friendly words for `tool`; its own name for one that is not ours."""
    return _tool_table().get(tool) or ToolWords(tool, tool, tool)


def _tool_table() -> Mapping[str, ToolWords]:
    return {
        "memory_store": ToolWords(
            translate("Tools", "Remembering"),
            translate("Tools", "Remembered"),
            translate("Tools", "Remember"),
        ),
        "memory_search": ToolWords(
            translate("Tools", "Looking in memory"),
            translate("Tools", "Looked in memory"),
            translate("Tools", "Look in memory"),
        ),
        "memory_get": ToolWords(
            translate("Tools", "Reading a memory"),
            translate("Tools", "Read a memory"),
            translate("Tools", "Read a memory"),
        ),
        "memory_forget": ToolWords(
            translate("Tools", "Forgetting a note"),
            translate("Tools", "Forgot a note"),
            translate("Tools", "Forget a note"),
        ),
        "reminder_add": ToolWords(
            translate("Tools", "Setting a reminder"),
            translate("Tools", "Set a reminder"),
            translate("Tools", "Set a reminder"),
        ),
        "reminder_list": ToolWords(
            translate("Tools", "Looking at reminders"),
            translate("Tools", "Looked at reminders"),
            translate("Tools", "Look at reminders"),
        ),
        "reminder_cancel": ToolWords(
            translate("Tools", "Cancelling a reminder"),
            translate("Tools", "Cancelled a reminder"),
            translate("Tools", "Cancel a reminder"),
        ),
        "read": ToolWords(
            translate("Tools", "Reading a file"),
            translate("Tools", "Read a file"),
            translate("Tools", "Read a file"),
        ),
        "write": ToolWords(
            translate("Tools", "Writing a file"),
            translate("Tools", "Wrote a file"),
            translate("Tools", "Write a file"),
        ),
        "find_files": ToolWords(
            translate("Tools", "Looking for files"),
            translate("Tools", "Looked for files"),
            translate("Tools", "Look for files"),
        ),
        "move_file": ToolWords(
            translate("Tools", "Moving a file"),
            translate("Tools", "Moved a file"),
            translate("Tools", "Move a file"),
        ),
        "table_query": ToolWords(
            translate("Tools", "Asking a table"),
            translate("Tools", "Asked a table"),
            translate("Tools", "Ask a table"),
        ),
        "find_tool": ToolWords(
            translate("Tools", "Looking for a tool"),
            translate("Tools", "Looked for a tool"),
            translate("Tools", "Look for a tool"),
        ),
        "calc": ToolWords(
            translate("Tools", "Calculating"),
            translate("Tools", "Calculated"),
            translate("Tools", "Calculate"),
        ),
        "cron": ToolWords(
            translate("Tools", "Seeing to the schedule"),
            translate("Tools", "Saw to the schedule"),
            translate("Tools", "See to the schedule"),
        ),
        "message": ToolWords(
            translate("Tools", "Writing to somebody"),
            translate("Tools", "Wrote to somebody"),
            translate("Tools", "Write to somebody"),
        ),
        "agents_list": ToolWords(
            translate("Tools", "Looking at agents"),
            translate("Tools", "Looked at agents"),
            translate("Tools", "Look at agents"),
        ),
        "sessions_spawn": ToolWords(
            translate("Tools", "Starting a helper"),
            translate("Tools", "Started a helper"),
            translate("Tools", "Start a helper"),
        ),
        "sessions_list": ToolWords(
            translate("Tools", "Looking at conversations"),
            translate("Tools", "Looked at conversations"),
            translate("Tools", "Look at conversations"),
        ),
        "sessions_history": ToolWords(
            translate("Tools", "Reading a conversation"),
            translate("Tools", "Read a conversation"),
            translate("Tools", "Read a conversation"),
        ),
        "sessions_send": ToolWords(
            translate("Tools", "Asking another conversation"),
            translate("Tools", "Asked another conversation"),
            translate("Tools", "Ask another conversation"),
        ),
        "session_status": ToolWords(
            translate("Tools", "Looking at a conversation"),
            translate("Tools", "Looked at a conversation"),
            translate("Tools", "Look at a conversation"),
        ),
        "web_fetch": ToolWords(
            translate("Tools", "Reading a page"),
            translate("Tools", "Read a page"),
            translate("Tools", "Read a page"),
        ),
        "open": ToolWords(
            translate("Tools", "Opening"), translate("Tools", "Opened"), translate("Tools", "Open")
        ),
        "exec": ToolWords(
            translate("Tools", "Running a command"),
            translate("Tools", "Ran a command"),
            translate("Tools", "Run a command"),
        ),
        "screenshot": ToolWords(
            translate("Tools", "Taking a picture of the screen"),
            translate("Tools", "Took a picture of the screen"),
            translate("Tools", "Take a picture of the screen"),
        ),
        "weather_query": ToolWords(
            translate("Tools", "Asking for the weather"),
            translate("Tools", "Asked for the weather"),
            translate("Tools", "Ask for the weather"),
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
