"""`apply_patch`: several files changed by one patch, all of them or none (`tools.patch_text`).

    {"input": "*** Begin Patch\\n*** Delete File: old.md\\n*** End Patch"}

Every path is worked out and every piece is placed before anything is written; then all of it is
one step of the undo journal. Files keep their encoding and line ends. It names its paths to policy,
which judges each.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.changing import Change, Move, Put, Remove
from moltbot_desktop.tools.decoding import source_text
from moltbot_desktop.tools.documents.kinds import only_programs_write
from moltbot_desktop.tools.file_access import (
    FileRefusal,
    contents,
    in_memory,
    shown_path,
    told,
    writable,
)
from moltbot_desktop.tools.patch_match import patched
from moltbot_desktop.tools.patch_text import (
    AddFile,
    DeleteFile,
    Hunk,
    PatchError,
    UpdateFile,
    parsed_patch,
    paths_of,
)
from moltbot_desktop.tools.replies import arguments, ask, failure, text_argument
from moltbot_desktop.tools.undo import FileHands

_LARGEST = 5 * 1024 * 1024
_BOM = "\ufeff"
_PHRASES = Phrases(
    {
        "ask": "Which changes shall I make? I need them as a patch.",
        "done": "I changed these files (/undo takes it back):\n{lines}",
        "wrong": "I could not use the patch, so I changed nothing: {why}",
        "A": "- new: {path}",
        "M": "- changed: {path}",
        "D": "- deleted: {path}",
    },
    {
        "ask": "要做哪些修改？请用补丁的格式给我。",
        "done": "已修改这些文件（/undo 可以恢复）：\n{lines}",
        "wrong": "这个补丁用不了，所以什么都没改：{why}",
        "A": "- 新建：{path}",
        "M": "- 修改：{path}",
        "D": "- 删除：{path}",
    },
)


class ApplyPatch:
    """Changes files by a patch."""

    def __init__(self, hands: FileHands) -> None:
        self._hands = hands

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "apply_patch",
            "Change files by a patch, all or nothing.",
            arguments(("input",), input=text_argument("*** Begin Patch … *** End Patch")),
            Effect.FILE_WRITE,
            core=False,
            keywords="patch diff update several many source code 补丁 批量 代码",
            rehearses=True,
        )

    def paths_in(self, given: ToolInput, workspace: Path) -> tuple[str, ...]:
        try:
            return paths_of(parsed_patch(given.text("input")))
        except PatchError:
            return ()

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text = given.text("input")
        if not text:
            return ask("input", _PHRASES.say("ask", context.language))
        try:
            return self._apply(parsed_patch(text), context)
        except PatchError as error:
            return failure(
                error.message, _PHRASES.say("wrong", context.language, why=error.message)
            )

    def _apply(self, hunks: Sequence[Hunk], context: ToolContext) -> ToolResult:
        planned = _Planned(context)

        def work() -> ToolResult:
            for hunk in hunks:
                planned.add(hunk)
            self._hands.carry_out(planned.changes, context)
            return _result(planned.changed, context)

        return told(context, hunks[0].path, work)


class _Planned:
    """The changes that hunks mean, worked out one by one; nothing is written here.

    Attributes:
        changes: in an order that works.
        changed: what to tell, as the reference does: A, M or D, and the path.
    """

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._seen: set[Path] = set()
        self.changes: list[Change] = []
        self.changed: list[tuple[str, str]] = []

    def add(self, hunk: Hunk) -> None:
        """Raises PatchError, FileRefusal, PathRefused."""
        try:
            match hunk:
                case AddFile():
                    self._put(self._target(hunk.path), "A", hunk.text.encode("utf-8", "replace"))
                case DeleteFile():
                    self._delete(self._present(hunk.path))
                case UpdateFile():
                    self._update(hunk)
        except FileRefusal as refusal:
            values = {"path": hunk.path, **refusal.values}
            raise FileRefusal(f"{hunk.path}: {refusal.message}", refusal.key, **values) from refusal

    def _put(self, path: Path, kind: str, data: bytes, mode: int | None = None) -> None:
        if len(data) > _LARGEST:
            raise PatchError(f"{path.name} would be larger than 5 MB")
        self.changes.append(Put(path, data, mode))
        self.changed.append((kind, shown_path(path, self._context)))

    def _delete(self, path: Path) -> None:
        if in_memory(path, self._context):
            raise FileRefusal("files of memory/ stay there", "memory")
        self.changes.append(Remove(path))
        self.changed.append(("D", shown_path(path, self._context)))

    def _update(self, hunk: UpdateFile) -> None:
        path = self._present(hunk.path)
        to = self._moved_to(hunk.move_to, path) if hunk.move_to else None
        if to is not None and not hunk.pieces:
            self.changes.append(Move(path, to))
            self.changed.append(("M", shown_path(to, self._context)))
            return
        data = _updated(contents(path, self._context), hunk)
        if to is None:
            self._put(path, "M", data)
        else:
            self._put(to, "M", data, stat.S_IMODE(path.stat().st_mode) & 0o777)
            self.changes.append(Remove(path))

    def _moved_to(self, text: str, path: Path) -> Path:
        to = self._target(text)
        if in_memory(path, self._context) or in_memory(to, self._context):
            raise FileRefusal("files of memory/ stay there", "memory")
        if to.exists():
            raise FileRefusal(f"{text} exists already", "taken", target=text[:80])
        return to

    def _target(self, text: str) -> Path:
        path = writable(text, self._context)
        if only_programs_write(path.name):
            name = f"{path.stem}.md"
            raise FileRefusal("only text files can be written", "no_text", name=name)
        if path in self._seen:
            raise PatchError(f"{text} is in the patch twice; put its pieces into one update")
        self._seen.add(path)
        return path

    def _present(self, text: str) -> Path:
        path = self._target(text)
        if not path.is_file():
            raise FileRefusal("file not found; find_files looks for names", "not_found")
        return path


def _updated(data: bytes, hunk: UpdateFile) -> bytes:
    """The file's bytes with the pieces put in; encoding, mark and line ends as they are."""
    source = source_text(data)
    if source is None:
        raise FileRefusal("that is not a text file", "binary")
    text = source.text.removeprefix(_BOM)
    windows = "\r\n" in text and text.count("\r\n") == text.count("\n")
    made = patched(text.replace("\r\n", "\n") if windows else text, hunk.pieces, hunk.path)
    if windows:
        made = made.replace("\n", "\r\n")
    try:
        return source.whole(made)
    except UnicodeEncodeError:
        error = f"the file is in {source.encoding}, which cannot hold the new text"
        raise FileRefusal(error, "unwritable", encoding=source.encoding) from None


def _result(changed: Sequence[tuple[str, str]], context: ToolContext) -> ToolResult:
    lines = [_PHRASES.say(kind, context.language, path=path) for kind, path in changed]
    data: dict[str, JsonValue] = {
        "ok": True,
        "changed": [f"{kind} {path}" for kind, path in changed],
    }
    display = _PHRASES.say("done", context.language, lines="\n".join(lines))
    return ToolResult(data, display, private=True)
