"""From the text a model gives as a path to the bytes of a file, for every tool that opens one.

    return told(context, text, lambda: self._read(opened(text, context), context))

`security.paths` judges the path and the file that was opened; whatever is wrong on the way is a
`FileRefusal`, which `told` says in the words of the model and of the person.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import PathRefused, ToolError
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.sdk.tools import ToolContext, ToolInput, ToolResult
from moltbot_desktop.security.paths import open_to_read, resolve_inside
from moltbot_desktop.storage.files import as_storage_error
from moltbot_desktop.tools.origin import holds_marked_notes, is_foreign
from moltbot_desktop.tools.replies import failure

_LARGEST_READ = 20 * 1024 * 1024
_NAMES_SHOWN = 30
_MEMORY = frozenset({"memory", "memory.md"})

_PHRASES = Phrases(
    {
        "outside": "I may only use files in my workspace: {workspace}",
        "unusable": "I cannot use the name “{path}”. {reason}",
        "not_found": "There is no file “{path}” in my workspace.",
        "gone": "I do not have that result any more; it has to be looked up again.",
        "folder": "“{path}” is a folder. It holds: {names}",
        "folder_empty": "“{path}” is an empty folder.",
        "binary": "“{path}” is not a text file, so I cannot read it.",
        "too_large": "“{path}” is too large for me ({megabytes} MB).",
        "no_access": "I am not allowed to open “{path}”.",
        "is_folder": "“{path}” is a folder; I need the name of a file.",
        "in_the_way": "Part of “{path}” is a file, so I cannot make that folder.",
        "past_end": "“{path}” has only {lines} lines.",
        "locked": "“{path}” is locked with a password, so I cannot read it.",
        "damaged": "“{path}” is damaged, or not what its name says; I cannot read it.",
        "pictures": "“{path}” holds pictures of text and no text (a scan), which I cannot read.",
        "too_slow": "“{path}” takes too long to read; a shorter part of it may work.",
        "stopped": "I stopped reading “{path}”.",
        "no_text": "“{path}” would be no text, and I write text alone; “{name}” is possible.",
        "no_table": "There is no table in “{path}”.",
        "sheets": "“{path}” has several sheets; which one? {names}",
        "query": "I could not work that out from the table “{path}”.",
        "same": "“{path}” is there already.",
        "taken": "There is already a file “{target}”, and I replace nothing.",
        "not_plain": "I move single files only, and “{path}” is none.",
        "to_folder": "“{to}” is a folder; I need the whole new path.",
        "memory": "Files of my memory stay where they are.",
        "unkept": "“{path}” is larger than {megabytes} MB, so I could not undo that; I left it.",
        "no_match": "I did not find that text in “{path}”, so I changed nothing.",
        "ambiguous": "That text is in “{path}” {count} times; I need to know which one.",
        "unchanged": "That would change nothing in “{path}”.",
        "unwritable": "“{path}” is in an encoding ({encoding}) that cannot hold the new text.",
        "no_folder": "“{path}” is not a folder.",
    },
    {
        "outside": "我只能使用工作区里的文件：{workspace}",
        "unusable": "文件名“{path}”不能用。{reason}",
        "not_found": "工作区里没有“{path}”这个文件。",
        "gone": "那个结果已经不在了，需要重新查一次。",
        "folder": "“{path}”是文件夹，里面有：{names}",
        "folder_empty": "“{path}”是空文件夹。",
        "binary": "“{path}”不是文本文件，我读不了。",
        "too_large": "“{path}”太大了（{megabytes} MB），我读不了。",
        "no_access": "没有权限打开“{path}”。",
        "is_folder": "“{path}”是文件夹，请给我文件名。",
        "in_the_way": "“{path}”中间有一段是文件，建不了文件夹。",
        "past_end": "“{path}”只有{lines}行。",
        "locked": "“{path}”有密码，我读不了。",
        "damaged": "“{path}”损坏了，或者不是文件名所说的格式，我读不了。",
        "pictures": "“{path}”里只有文字的图片（扫描件），没有文字，我读不了。",
        "too_slow": "“{path}”读起来太慢了，换短一点的也许可以。",
        "stopped": "已停止读取“{path}”。",
        "no_text": "“{path}”不是文本文件，我只能写文本；可以写成“{name}”。",
        "no_table": "“{path}”里没有表格。",
        "sheets": "“{path}”有几个工作表，要哪一个？{names}",
        "query": "没能从表格“{path}”里算出来。",
        "same": "“{path}”本来就在那里。",
        "taken": "已经有“{target}”这个文件了，我不会覆盖它。",
        "not_plain": "我只能移动单个文件，“{path}”不是。",
        "to_folder": "“{to}”是文件夹，请给我完整的新路径。",
        "memory": "我的记忆文件不能移动。",
        "unkept": "“{path}”超过{megabytes} MB，改了就无法恢复，所以我没有动它。",
        "no_match": "在“{path}”里没有找到这段文字，所以什么都没改。",
        "ambiguous": "这段文字在“{path}”里出现了{count}次，需要说明是哪一处。",
        "unchanged": "这样改的话，“{path}”不会有任何变化。",
        "unwritable": "“{path}”的编码（{encoding}）写不下新的文字。",
        "no_folder": "“{path}”不是文件夹。",
    },
)


class FileRefusal(ToolError):
    """Why a file cannot be used, for the model; `key` and `values` say it to the person. A `path`
    among them is the file it is about, where a call has several."""

    def __init__(self, error: str, key: str, **values: object) -> None:
        super().__init__(error)
        self.key = key
        self.values = values


def told(context: ToolContext, path: str, work: Callable[[], ToolResult]) -> ToolResult:
    """The result of `work`; what is wrong with the file `path` becomes a failed result."""
    try:
        return work()
    except FileRefusal as refusal:
        values = {"path": path, **refusal.values}
        display = _PHRASES.say(refusal.key, context.language, **values)
        return failure(refusal.message, display)
    except PathRefused as refused:
        display = _PHRASES.say("outside", context.language, workspace=context.workspace)
        if "outside" not in refused.message:
            display = _PHRASES.say(
                "unusable", context.language, path=path[:80], reason=refused.message
            )
        return failure(str(refused), display)


def path_argument(given: ToolInput, name: str = "path") -> str:
    """The argument as policy judged it, to the last blank; "" when nothing was said."""
    text = given.arguments.get(name)
    return text if isinstance(text, str) and text.strip() else ""


@dataclass(frozen=True)
class OpenedFile:
    """A file that was read.

    Attributes:
        path: its real path.
        shown: how the person and the model call it.
        foreign: others may have written it, so its text must not be obeyed.
    """

    path: Path
    shown: str
    data: bytes
    foreign: bool


def opened(text: str, context: ToolContext) -> OpenedFile:
    """The file that `text` names, of at most 20 MB.

    Raises:
        FileRefusal: it is a folder, is not there, is too large or may not be opened.
        PathRefused: it lies outside.
    """
    path = resolve_inside(context.workspace, text, allowed=_readable(context))
    if path.is_dir():
        raise _folder_hint(path)
    data = contents(path, context)
    foreign = is_foreign(path, context) or holds_marked_notes(data.decode("utf-8", "replace"))
    return OpenedFile(path, shown_path(path, context), data, foreign)


def shown_path(path: Path, context: ToolContext) -> str:
    """Relative to the workspace with `/`, or absolute when it lies elsewhere."""
    workspace = context.workspace.resolve()
    return path.relative_to(workspace).as_posix() if path.is_relative_to(workspace) else str(path)


def _readable(context: ToolContext) -> tuple[Path, ...]:
    """Folders besides the workspace that may be read."""
    return (*context.allowed_folders, *context.library)


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.1f}"


def contents(path: Path, context: ToolContext) -> bytes:
    """The bytes of `path`, a real path; raises as `opened` does."""
    try:
        with open_to_read(path, (context.workspace, *_readable(context))) as file:
            size = os.fstat(file.fileno()).st_size
            if size > _LARGEST_READ:
                error = f"the file has {_megabytes(size)} MB, at most 20 can be read"
                raise FileRefusal(error, "too_large", megabytes=_megabytes(size))
            return file.read(_LARGEST_READ + 1)
    except FileNotFoundError:
        raise FileRefusal("file not found; find_files looks for names", "not_found") from None
    except NotADirectoryError:
        raise FileRefusal("file not found: part of the path is a file", "not_found") from None
    except PermissionError:
        raise FileRefusal("permission denied", "no_access") from None
    except OSError as error:
        raise as_storage_error(error, path) from error


def writable(text: str, context: ToolContext) -> Path:
    """The real path in the workspace of the file that `text` names, which may be missing.

    Raises:
        FileRefusal: it is a folder.
        PathRefused: it lies outside; a folder that was opened to be read is not opened for this.
    """
    path = resolve_inside(context.workspace, text)
    if path.is_dir() or text.endswith(("/", "\\")):
        raise FileRefusal("that is a folder, not a file", "is_folder")
    return path


def in_memory(path: Path, context: ToolContext) -> bool:
    """Whether a path in the workspace belongs to memory, whose notes carry marks of where they
    are from. In any case of letters: where a disk knows none, Memory/ is the same folder."""
    inside = path.relative_to(context.workspace.resolve())
    return any(part.casefold() in _MEMORY for part in inside.parts[:1])


def _names_in(folder: Path) -> list[str]:
    """Names in a folder, folders with a slash; hidden ones are left out."""
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name.casefold())
    except OSError as error:
        raise as_storage_error(error, folder) from error
    return [
        entry.name + ("/" if entry.is_dir() else "")
        for entry in entries
        if not entry.name.startswith(".")
    ]


def _folder_hint(path: Path) -> FileRefusal:
    names = _names_in(path)
    if not names:
        return FileRefusal("that is an empty folder", "folder_empty")
    listed = ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
    return FileRefusal(f"that is a folder; it holds: {listed}", "folder", names=listed)
