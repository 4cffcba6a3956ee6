"""The built-in tools of this build, made from their parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.sdk.forgetting import Forgetting
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.sdk.reminders import ReminderBook
from moltbot_desktop.sdk.schedule import JobBook
from moltbot_desktop.sdk.tools import Tool
from moltbot_desktop.tools.apply_patch import ApplyPatch
from moltbot_desktop.tools.calc import Calc
from moltbot_desktop.tools.cron import CronTool
from moltbot_desktop.tools.delete_file import DeleteFile
from moltbot_desktop.tools.documents.reading import DocumentReader
from moltbot_desktop.tools.edit import Edit
from moltbot_desktop.tools.files import Read, Write
from moltbot_desktop.tools.find_files import FindFiles
from moltbot_desktop.tools.list_folder import ListFolder
from moltbot_desktop.tools.memory import MemoryGet, MemorySearch, MemoryStore
from moltbot_desktop.tools.memory_forget import MemoryForget
from moltbot_desktop.tools.missing import MissingTool, missing_tools
from moltbot_desktop.tools.move_file import MoveFile
from moltbot_desktop.tools.reminders import ReminderAdd, ReminderCancel, ReminderList
from moltbot_desktop.tools.table_query import TableQuery
from moltbot_desktop.tools.undo import FileHands
from moltbot_desktop.tools.undo_tool import Undo

__all__ = ["MissingTool", "ToolParts", "core_tools", "missing_tools"]


@dataclass(frozen=True)
class ToolParts:
    """What the tools work with.

    Attributes:
        find_roots: folders besides the workspace whose file names `find_files` may look at.
        hands: how files are changed; None: without a trash, and nobody asks who wrote them.
        memory_results: how many places `memory_search` gives at most.
        jobs: the book of scheduled jobs; None where nobody would carry them out.
    """

    memory: MemoryEngine
    reminders: ReminderBook
    clock: Clock
    forgetting: Forgetting
    find_roots: tuple[Path, ...] = ()
    hands: FileHands | None = None
    memory_results: int = 6
    jobs: JobBook | None = None


def core_tools(parts: ToolParts) -> tuple[Tool, ...]:
    """All built-in tools, sorted by name."""
    documents = DocumentReader()
    hands = parts.hands or FileHands(parts.clock)
    tools: tuple[Tool, ...] = (
        ApplyPatch(hands),
        Calc(),
        DeleteFile(hands),
        Edit(hands),
        FindFiles(parts.clock, parts.find_roots),
        ListFolder(),
        MemoryForget(parts.memory, parts.forgetting),
        MemoryGet(parts.memory),
        MemorySearch(parts.memory, parts.memory_results),
        MemoryStore(parts.memory),
        MoveFile(hands),
        Read(documents),
        ReminderAdd(parts.reminders, parts.clock),
        ReminderCancel(parts.reminders),
        ReminderList(parts.reminders, parts.clock),
        TableQuery(documents),
        Undo(hands),
        Write(hands),
        *(() if parts.jobs is None else (CronTool(parts.jobs, parts.clock),)),
    )
    return tuple(sorted(tools, key=lambda tool: tool.spec.name))
