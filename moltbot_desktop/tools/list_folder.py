"""`list`: what is in a folder of the workspace.

    {"path": "notes"}      # {"folders": ["old/"], "files": [{"name": "a.md", "bytes": 120}]}

Names, sizes and days, no contents; hidden entries are left out, links are named as such.
"""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.security.paths import resolve_inside
from moltbot_desktop.storage.files import disk_errors
from moltbot_desktop.tools.file_access import FileRefusal, path_argument, shown_path, told
from moltbot_desktop.tools.origin import is_foreign
from moltbot_desktop.tools.replies import arguments, text_argument

_MOST = 100
_PHRASES = Phrases(
    {
        "holds": "{path} holds:\n{lines}",
        "empty": "{path} is empty.",
        "more": "- … and {count} more",
        "workspace": "My workspace",
    },
    {
        "holds": "{path}里有：\n{lines}",
        "empty": "{path}是空的。",
        "more": "- …还有{count}个",
        "workspace": "工作区",
    },
)


class ListFolder:
    """Lists a folder."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "list",
            "List a folder.",
            arguments(path=text_argument("the workspace itself if left out")),
            Effect.FILE_READ,
            core=False,
            path_arguments=("path",),
            keywords="ls dir directory 列出 目录 里有什么",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        path = path_argument(given) or "."
        return told(context, path, lambda: _listed(path, context))


def _listed(text: str, context: ToolContext) -> ToolResult:
    path = resolve_inside(
        context.workspace, text, allowed=(*context.allowed_folders, *context.library)
    )
    if not path.exists() and path != context.workspace.resolve():  # which is made when needed
        raise FileRefusal("folder not found; find_files looks for names", "not_found")
    if path.exists() and not path.is_dir():
        raise FileRefusal("that is a file; read it", "no_folder")
    with disk_errors(path):
        entries = sorted(
            (entry for entry in _entries(path) if not entry.name.startswith(".")),
            key=lambda entry: (not entry.is_dir(), entry.name.casefold()),
        )
    rows: list[JsonValue] = [_row(entry) for entry in entries[:_MOST]]
    shown = shown_path(path, context)
    data: dict[str, JsonValue] = {"path": shown, "count": len(entries), "entries": rows}
    if len(entries) > _MOST:
        data["more"] = True
    named = _PHRASES.say("workspace", context.language) if shown == "." else shown
    lines = [f"- {_name(entry)}" for entry in entries[:_MOST]]
    if len(entries) > _MOST:
        lines.append(_PHRASES.say("more", context.language, count=len(entries) - _MOST))
    key = "holds" if entries else "empty"
    display = _PHRASES.say(key, context.language, path=named, lines="\n".join(lines))
    foreign = is_foreign(path, context) or any(
        is_foreign(entry, context) for entry in entries[:_MOST] if not entry.is_dir()
    )
    return ToolResult(data, display, private=True, taints=foreign)


def _entries(path: Path) -> list[Path]:
    try:
        return list(path.iterdir())
    except FileNotFoundError:
        return []


def _name(entry: Path) -> str:
    return f"{entry.name}/" if entry.is_dir() else entry.name


def _row(entry: Path) -> JsonValue:
    status = os.lstat(entry)
    row: dict[str, JsonValue] = {"name": _name(entry)}
    if stat.S_ISREG(status.st_mode):
        row["bytes"] = status.st_size
    if stat.S_ISLNK(status.st_mode):
        row["link"] = True
    row["changed"] = datetime.fromtimestamp(status.st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return row
