"""`delete_file`: a file goes to the trash, and comes back with `undo`.

    {"path": "old/notes.md"}

One file or link at a time: a folder may hold what nobody looked at. A link is taken away itself,
never what it leads to. Nothing is destroyed: where the desktop has no trash, or one on another
disk, the file lies in the undo journal, and what is too large for that stays where it is.
"""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.security.paths import resolve_inside
from moltbot_desktop.tools.changing import Remove
from moltbot_desktop.tools.file_access import (
    FileRefusal,
    in_memory,
    path_argument,
    shown_path,
    told,
)
from moltbot_desktop.tools.replies import arguments, ask, text_argument
from moltbot_desktop.tools.undo import FileHands

_PHRASES = Phrases(
    {
        "ask": "Which file shall I delete?",
        "deleted": "{path} is deleted. /undo brings it back.",
    },
    {
        "ask": "要删除哪个文件？",
        "deleted": "已删除{path}。/undo 可以恢复。",
    },
)


class DeleteFile:
    """Moves one file to the trash."""

    def __init__(self, hands: FileHands) -> None:
        self._hands = hands

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "delete_file",
            "Move a file to the trash.",
            arguments(("path",), path=text_argument()),
            Effect.FILE_WRITE,
            core=False,
            path_arguments=("path",),
            keywords="remove trash throw away 删除 删掉 扔掉 回收站",
            rehearses=True,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        path = path_argument(given)
        if not path:
            return ask("path", _PHRASES.say("ask", context.language))
        return told(context, path, lambda: self._delete(path, context))

    def _delete(self, text: str, context: ToolContext) -> ToolResult:
        path = itself(text, context)
        if in_memory(path, context):
            error = "files of memory/ stay there; memory_forget takes a note out"
            raise FileRefusal(error, "memory")
        if path.is_dir() and not path.is_symlink():
            raise FileRefusal("that is a folder; only single files can be deleted", "is_folder")
        if not path.is_symlink() and not path.is_file():
            raise FileRefusal("file not found; find_files looks for names", "not_found")
        self._hands.carry_out([Remove(path)], context)
        shown = shown_path(path, context)
        display = _PHRASES.say("deleted", context.language, path=shown)
        return ToolResult({"ok": True, "path": shown}, display, private=True)


def itself(text: str, context: ToolContext) -> Path:
    """The path of what `text` names, a link as such; what it leads to lies inside too."""
    resolve_inside(context.workspace, text)
    parent, _, name = text.rstrip("/").rpartition("/")
    if name in ("", ".", "..", "~"):
        return resolve_inside(context.workspace, text)
    return resolve_inside(context.workspace, parent or ".") / name
