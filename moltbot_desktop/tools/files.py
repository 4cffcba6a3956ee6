"""`read` and `write`: text files of the workspace, and of folders the owner opened for a call.

Both go through `security.paths`; a write is atomic, and what it replaces is kept (`tools.undo`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import PathRefused, ToolError
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import (
    RESULT_HANDLE,
    Effect,
    ToolContext,
    ToolInput,
    ToolResult,
    ToolSpec,
)
from moltbot_desktop.security.paths import confirm_inside, open_to_read, resolve_inside
from moltbot_desktop.storage.files import as_storage_error, make_private_dir, write_atomic
from moltbot_desktop.tools.decoding import decode
from moltbot_desktop.tools.replies import (
    arguments,
    ask,
    failure,
    number_argument,
    text_argument,
)
from moltbot_desktop.tools.undo import UNDO_FOLDER, UndoJournal

_LARGEST_READ = 20 * 1024 * 1024
_LARGEST_WRITE = 5 * 1024 * 1024
_MOST_CHARACTERS = 8_000
_MOST_LINES = 400
_NAMES_SHOWN = 30

_PHRASES = Phrases(
    {
        "ask_read": "Which file shall I read? For example: notes.txt.",
        "ask_write": "Which file shall I write, and what into it?",
        "ask_content": "What shall I write into {path}?",
        "outside": "I may only use files in my workspace: {workspace}",
        "unusable": "I cannot use the name “{path}”. {reason}",
        "not_found": "There is no file “{path}” in my workspace.",
        "gone": "I do not have that result any more; it has to be looked up again.",
        "folder": "“{path}” is a folder. It holds: {names}",
        "folder_empty": "“{path}” is an empty folder.",
        "binary": "“{path}” is not a text file, so I cannot read it.",
        "too_large": "“{path}” is too large for me ({megabytes} MB).",
        "content_too_large": "That is too much for one file (more than {megabytes} MB).",
        "no_access": "I am not allowed to open “{path}”.",
        "is_folder": "“{path}” is a folder; I need the name of a file.",
        "in_the_way": "Part of “{path}” is a file, so I cannot make that folder.",
        "shown": "{path}:\n\n{text}",
        "more": "\n\n(more from line {line})",
        "empty": "“{path}” is empty.",
        "past_end": "“{path}” has only {lines} lines.",
        "written": "I wrote {bytes} bytes to {path}.",
        "replaced": "I wrote {bytes} bytes to {path}. The previous content is kept in {kept}.",
    },
    {
        "ask_read": "要读哪个文件？例如：notes.txt。",
        "ask_write": "要写哪个文件，写什么内容？",
        "ask_content": "要在{path}里写什么？",
        "outside": "我只能使用工作区里的文件：{workspace}",
        "unusable": "文件名“{path}”不能用。{reason}",
        "not_found": "工作区里没有“{path}”这个文件。",
        "gone": "那个结果已经不在了，需要重新查一次。",
        "folder": "“{path}”是文件夹，里面有：{names}",
        "folder_empty": "“{path}”是空文件夹。",
        "binary": "“{path}”不是文本文件，我读不了。",
        "too_large": "“{path}”太大了（{megabytes} MB），我读不了。",
        "content_too_large": "内容太多了（超过{megabytes} MB），写不进一个文件。",
        "no_access": "没有权限打开“{path}”。",
        "is_folder": "“{path}”是文件夹，请给我文件名。",
        "in_the_way": "“{path}”中间有一段是文件，建不了文件夹。",
        "shown": "{path}：\n\n{text}",
        "more": "\n\n（后面还有，从第{line}行开始）",
        "empty": "“{path}”是空的。",
        "past_end": "“{path}”只有{lines}行。",
        "written": "已把{bytes}字节写入{path}。",
        "replaced": "已把{bytes}字节写入{path}。原来的内容保存在{kept}。",
    },
)


class _Refusal(ToolError):
    """Why a file cannot be used, for the model; `key` and `values` say it to the person."""

    def __init__(self, error: str, key: str, **values: object) -> None:
        super().__init__(error)
        self.key = key
        self.values = values


def _told(context: ToolContext, path: str, work: Callable[[], ToolResult]) -> ToolResult:
    """The result of `work`; what is wrong with the file `path` becomes a failed result."""
    try:
        return work()
    except _Refusal as refusal:
        display = _PHRASES.say(refusal.key, context.language, path=path, **refusal.values)
        return failure(refusal.message, display)
    except PathRefused as refused:
        display = _PHRASES.say("outside", context.language, workspace=context.workspace)
        if "outside" not in refused.message:
            display = _PHRASES.say(
                "unusable", context.language, path=path[:80], reason=refused.message
            )
        return failure(str(refused), display)


def _path(given: ToolInput) -> str:
    """The argument as policy judged it, to the last blank; "" when nothing was said."""
    text = given.arguments.get("path")
    return text if isinstance(text, str) and text.strip() else ""


def _shown_path(path: Path, context: ToolContext) -> str:
    """Relative to the workspace with `/`, or absolute when it lies elsewhere."""
    workspace = context.workspace.resolve()
    return path.relative_to(workspace).as_posix() if path.is_relative_to(workspace) else str(path)


def _roots(context: ToolContext) -> tuple[Path, ...]:
    return (context.workspace, *context.allowed_folders)


def _readable(context: ToolContext) -> tuple[Path, ...]:
    """Folders besides the workspace that may be read."""
    return (*context.allowed_folders, *context.library)


def _is_foreign(path: Path, context: ToolContext) -> bool:
    """Outside the workspace others may have written the file: its text must not be obeyed."""
    own = (context.workspace, *context.library)
    return not any(path.is_relative_to(folder.resolve()) for folder in own)


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.1f}"


def _contents(path: Path, context: ToolContext) -> bytes:
    try:
        with open_to_read(path, (context.workspace, *_readable(context))) as file:
            size = os.fstat(file.fileno()).st_size
            if size > _LARGEST_READ:
                error = f"the file has {_megabytes(size)} MB, at most 20 can be read"
                raise _Refusal(error, "too_large", megabytes=_megabytes(size))
            return file.read(_LARGEST_READ + 1)
    except FileNotFoundError:
        raise _Refusal("file not found; find_files looks for names", "not_found") from None
    except NotADirectoryError:
        raise _Refusal("file not found: part of the path is a file", "not_found") from None
    except PermissionError:
        raise _Refusal("permission denied", "no_access") from None
    except OSError as error:
        raise as_storage_error(error, path) from error


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


def _folder_hint(path: Path) -> _Refusal:
    names = _names_in(path)
    if not names:
        return _Refusal("that is an empty folder", "folder_empty")
    listed = ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
    return _Refusal(f"that is a folder; it holds: {listed}", "folder", names=listed)


@dataclass(frozen=True)
class Excerpt:
    """Some whole lines of a text; `following` is the number of the next line, 0 at the end."""

    text: str
    following: int
    total_lines: int


def excerpt_of(text: str, offset: int, limit: int) -> Excerpt:
    """Lines from `offset` (1-based) on, at most `limit` of them, and not too many characters. A
    single line that is too long is cut."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    end = min(len(lines), offset - 1 + limit)
    taken: list[str] = []
    size = 0
    for line in lines[offset - 1 : end]:
        if taken and size + len(line) + 1 > _MOST_CHARACTERS:
            break
        taken.append(line if len(line) <= _MOST_CHARACTERS else line[: _MOST_CHARACTERS - 1] + "…")
        size += len(line) + 1
    following = offset + len(taken)
    return Excerpt("\n".join(taken), following if following <= len(lines) else 0, len(lines))


class Read:
    """Reads a text file."""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "read",
            "Read a text file.",
            arguments(
                ("path",),
                path=text_argument("relative to the workspace"),
                offset=number_argument("first line"),
                limit=number_argument(),
            ),
            Effect.FILE_READ,
            path_arguments=("path",),
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text = _path(given)
        if not text:
            return ask("path", _PHRASES.say("ask_read", context.language))
        offset = max(1, given.number("offset", 1))
        limit = min(max(1, given.number("limit", _MOST_LINES)), _MOST_LINES)
        return _told(context, text, lambda: self._read(text, offset, limit, context))

    def _read(self, text: str, offset: int, limit: int, context: ToolContext) -> ToolResult:
        if text.startswith(RESULT_HANDLE):  # no file: names have no colon here
            kept = context.kept(text)
            if kept is None:
                raise _Refusal("that result is gone; call the tool again", "gone")
            excerpt = _excerpt(kept.text, offset, limit)
            return _read_result(text, excerpt, context, kept.taints, kept.private)
        path = resolve_inside(context.workspace, text, allowed=_readable(context))
        if path.is_dir():
            raise _folder_hint(path)
        decoded = decode(_contents(path, context))
        if decoded is None:
            raise _Refusal("that is not a text file", "binary")
        excerpt = _excerpt(decoded, offset, limit)
        shown = _shown_path(path, context)
        return _read_result(shown, excerpt, context, _is_foreign(path, context), private=True)


def _excerpt(text: str, offset: int, limit: int) -> Excerpt:
    excerpt = excerpt_of(text, offset, limit)
    if not excerpt.text and 0 < excerpt.total_lines < offset:
        error = f"the file has only {excerpt.total_lines} lines"
        raise _Refusal(error, "past_end", lines=excerpt.total_lines)
    return excerpt


def _read_result(
    shown: str, excerpt: Excerpt, context: ToolContext, taints: bool, private: bool
) -> ToolResult:
    data: dict[str, JsonValue] = {"path": shown, "text": excerpt.text}
    key = "shown" if excerpt.text.strip() else "empty"
    display = _PHRASES.say(key, context.language, path=shown, text=excerpt.text)
    if excerpt.following:
        data |= {"more": True, "next_offset": excerpt.following}
        display += _PHRASES.say("more", context.language, line=excerpt.following)
    return ToolResult(data, display, taints=taints, private=private)


class Write:
    """Writes a whole text file; what was there before is kept."""

    def __init__(self, clock: Clock, undo_folder: Path | None = None) -> None:
        self._clock = clock
        self._undo_folder = undo_folder

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "write",
            "Write a text file, replacing it.",
            arguments(
                ("path", "content"),
                path=text_argument(),
                content=text_argument(),
            ),
            Effect.FILE_WRITE,
            path_arguments=("path",),
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text, content = _path(given), given.arguments.get("content", "")
        if not text:
            return ask("path", _PHRASES.say("ask_write", context.language))
        if not isinstance(content, str) or not content:
            return ask("content", _PHRASES.say("ask_content", context.language, path=text[:80]))
        data = content.encode("utf-8", "replace")
        if len(data) > _LARGEST_WRITE:
            display = _PHRASES.say("content_too_large", context.language, megabytes=5)
            return failure("`content` is larger than 5 MB", display)
        return _told(context, text, lambda: self._write(text, data, context))

    def _write(self, text: str, data: bytes, context: ToolContext) -> ToolResult:
        path = resolve_inside(context.workspace, text, allowed=context.allowed_folders)
        if path.is_dir() or text.endswith(("/", "\\")):
            raise _Refusal("that is a folder, not a file", "is_folder")
        previous = _contents(path, context) if path.exists() else None
        _make_parents(path)
        kept = ""
        if previous is not None and previous != data:
            kept = self._keep(path, previous, context)
        confirm_inside(path, _roots(context))
        write_atomic(path, data, mode=_mode(path))
        shown = _shown_path(path, context)
        display = _PHRASES.say(
            "replaced" if kept else "written",
            context.language,
            path=shown,
            bytes=len(data),
            kept=kept,
        )
        return ToolResult({"ok": True, "path": shown, "bytes": len(data)}, display, private=True)

    def _keep(self, path: Path, previous: bytes, context: ToolContext) -> str:
        folder = self._undo_folder or context.workspace / UNDO_FOLDER
        workspace = context.workspace.resolve()
        relative = path.relative_to(workspace if path.is_relative_to(workspace) else path.anchor)
        copy = UndoJournal(folder).keep(relative, previous, self._clock.now())
        return _shown_path(copy.resolve(), context)


def _make_parents(path: Path) -> None:
    nearest = next(parent for parent in path.parents if parent.exists())
    if not nearest.is_dir():
        raise _Refusal("part of the path is a file", "in_the_way")
    make_private_dir(path.parent)


def _mode(path: Path) -> int:
    """The permissions of the file that is replaced; a new one is the owner's alone."""
    try:
        return stat.S_IMODE(path.stat().st_mode) & 0o777
    except OSError:
        return 0o600
