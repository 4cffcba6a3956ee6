"""`move_file`: a file gets another name or another folder, and nothing is ever lost by it.

    {"path": "scan001.pdf", "to": "bills/2026-11-rent.pdf"}

One plain file at a time, to a name that nobody has: what is replaced would be gone, and a folder
could carry along what policy protects file by file. For the same reason `to` is always the whole
new path, never a folder: policy judges the text that is used. The way back is `undo`, or the same
call with the two paths changed over.
"""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.security.paths import resolve_inside
from moltbot_desktop.tools.changing import Move
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
        "ask_path": "Which file shall I move?",
        "ask_to": "Where shall I move {path}? I need its whole new path.",
        "moved": "{path} is now {target}.",
    },
    {
        "ask_path": "要移动哪个文件？",
        "ask_to": "要把{path}移到哪里？请说出完整的新路径。",
        "moved": "{path}现在是{target}。",
    },
)


class MoveFile:
    """Moves or renames a file of the workspace."""

    def __init__(self, hands: FileHands) -> None:
        self._hands = hands

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "move_file",
            "Move or rename a file; replaces nothing.",
            arguments(
                ("path", "to"),
                path=text_argument(),
                to=text_argument("the whole new path, with the name"),
            ),
            Effect.FILE_WRITE,
            core=False,
            path_arguments=("path", "to"),
            keywords="move rename sort tidy up folder organise 移动 改名 重命名 整理 归档 文件夹",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        path, to = path_argument(given), path_argument(given, "to")
        if not path:
            return ask("path", _PHRASES.say("ask_path", context.language))
        if not to:
            return ask("to", _PHRASES.say("ask_to", context.language, path=path[:80]))
        return told(context, path, lambda: _move(path, to, context, self._hands))


def _move(path: str, to: str, context: ToolContext, hands: FileHands) -> ToolResult:
    # The workspace alone: a folder that was opened for one file is not opened for others.
    source = resolve_inside(context.workspace, path)
    target = resolve_inside(context.workspace, to)
    if not source.exists():
        raise FileRefusal("file not found; find_files looks for names", "not_found")
    if not source.is_file():
        raise FileRefusal("only single files can be moved", "not_plain")
    if in_memory(source, context) or in_memory(target, context):
        raise FileRefusal("files of memory/ stay there", "memory")
    if target == source:
        raise FileRefusal("it is there already", "same")
    if target.is_dir() or to.endswith(("/", "\\")):
        raise FileRefusal(f"`to` is a folder; write {_joined(to, source)}", "to_folder", to=to[:80])
    if target.exists():
        raise FileRefusal("`to` exists already; choose another name", "taken", target=to[:80])
    hands.carry_out([Move(source, target)], context)
    data: dict[str, JsonValue] = {"ok": True, "from": shown_path(source, context)}
    data["path"] = shown_path(target, context)
    display = _PHRASES.say(
        "moved", context.language, path=str(data["from"]), target=str(data["path"])
    )
    return ToolResult(data, display, private=True)


def _joined(folder: str, source: Path) -> str:
    return f"{folder.rstrip('/')}/{source.name}"
