"""`read` and `write`: files of the workspace; `read` also those of folders the owner opened.

Both go through `tools.file_access`; `read` also gives the text of documents, and what a picture
says about itself (`tools.documents`). A write is atomic, and can be undone (`tools.changing`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from moltbot_desktop.tools.changing import Put
from moltbot_desktop.tools.decoding import as_text, source_text
from moltbot_desktop.tools.documents.kinds import document_kind, only_programs_write
from moltbot_desktop.tools.documents.reading import DocumentReader
from moltbot_desktop.tools.file_access import (
    FileRefusal,
    OpenedFile,
    contents,
    opened,
    path_argument,
    shown_path,
    told,
    writable,
)
from moltbot_desktop.tools.replies import (
    arguments,
    ask,
    failure,
    number_argument,
    text_argument,
)
from moltbot_desktop.tools.undo import FileHands

_LARGEST_WRITE = 5 * 1024 * 1024
_MOST_CHARACTERS = 8_000
_MOST_LINES = 400
_NO_SOURCE = "text of the document, not its source: never write it back"

_PHRASES = Phrases(
    {
        "ask_read": "Which file shall I read? For example: notes.txt.",
        "ask_write": "Which file shall I write, and what into it?",
        "ask_content": "What shall I write into {path}?",
        "content_too_large": "That is too much for one file (more than {megabytes} MB).",
        "shown": "{path}:\n\n{text}",
        "more": "\n\n(more from line {line})",
        "long": "\n\n(line {line} goes on for {count} more characters)",
        "empty": "“{path}” is empty.",
        "written": "I wrote {bytes} bytes to {path}.",
        "replaced": "I wrote {bytes} bytes to {path}, over what it held. /undo takes it back.",
        "emptied": "I emptied {path}. /undo takes it back.",
        "made": "I made the empty file {path}.",
        "guess": "(I am not sure that I read it right: its encoding looks like {encoding}.)\n\n",
    },
    {
        "ask_read": "要读哪个文件？例如：notes.txt。",
        "ask_write": "要写哪个文件，写什么内容？",
        "ask_content": "要在{path}里写什么？",
        "content_too_large": "内容太多了（超过{megabytes} MB），写不进一个文件。",
        "shown": "{path}：\n\n{text}",
        "more": "\n\n（后面还有，从第{line}行开始）",
        "long": "\n\n（第{line}行后面还有{count}个字符）",
        "empty": "“{path}”是空的。",
        "written": "已把{bytes}字节写入{path}。",
        "replaced": "已把{bytes}字节写入{path}，替换了原来的内容。/undo 可以恢复。",
        "emptied": "已清空{path}。/undo 可以恢复。",
        "made": "已新建空文件{path}。",
        "guess": "（我不确定读得对不对：它的编码看起来是{encoding}。）\n\n",
    },
)


@dataclass(frozen=True)
class Excerpt:
    """Some whole lines of a text.

    Attributes:
        following: the number of the next line, 0 at the end.
        left_out: characters of its only line, `first`, that is too long to be whole.
    """

    text: str
    following: int
    total_lines: int
    first: int = 1
    left_out: int = 0


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
    following = following if following <= len(lines) else 0
    left_out = len(lines[offset - 1]) - len(taken[0]) + 1 if size > _MOST_CHARACTERS + 1 else 0
    return Excerpt("\n".join(taken), following, len(lines), offset, left_out)


class Read:
    """Reads a text file, or the text of a document."""

    def __init__(self, documents: DocumentReader | None = None) -> None:
        self._documents = documents or DocumentReader()

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "read",
            "Read a text, PDF, Word, Excel, web page or picture data.",
            arguments(
                ("path",),
                path=text_argument(),
                offset=number_argument("first line"),
                limit=number_argument(),
            ),
            Effect.FILE_READ,
            path_arguments=("path",),
            aliases=(("file_path", "path"),),
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text = path_argument(given)
        if not text:
            return ask("path", _PHRASES.say("ask_read", context.language))
        offset = max(1, given.number("offset", 1))
        limit = min(max(1, given.number("limit", _MOST_LINES)), _MOST_LINES)
        return told(context, text, lambda: self._read(text, offset, limit, context))

    def _read(self, text: str, offset: int, limit: int, context: ToolContext) -> ToolResult:
        if text.startswith(RESULT_HANDLE):  # no file: names have no colon here
            kept = context.kept(text)
            if kept is None:
                raise FileRefusal("that result is gone; call the tool again", "gone")
            excerpt = _excerpt(kept.text, offset, limit)
            return _read_result(text, excerpt, context, kept.taints, kept.private)
        file = opened(text, context)
        kind = document_kind(file.path.name, file.data)
        if kind is None:
            return _plain_result(file, offset, limit, context)
        excerpt = _excerpt(self._documents.text_of(file.data, kind, context.cancel), offset, limit)
        # A document is seldom the owner's own words, wherever it lies.
        result = _read_result(file.shown, excerpt, context, taints=True, private=True)
        return replace(result, data={**result.data, "note": _NO_SOURCE})


def _plain_result(file: OpenedFile, offset: int, limit: int, context: ToolContext) -> ToolResult:
    read = as_text(file.data)
    if read is None:
        raise FileRefusal("that is not a text file", "binary")
    excerpt = _excerpt(read.plain, offset, limit)
    result = _read_result(file.shown, excerpt, context, file.foreign, private=True)
    if not read.said():
        return result
    told_first = (
        "" if read.sure else _PHRASES.say("guess", context.language, encoding=read.encoding)
    )
    data = {**result.data, "encoding": read.said()}
    return replace(result, data=data, display=told_first + result.display)


def _excerpt(text: str, offset: int, limit: int) -> Excerpt:
    excerpt = excerpt_of(text, offset, limit)
    if not excerpt.text and 0 < excerpt.total_lines < offset:
        error = f"the file has only {excerpt.total_lines} lines"
        raise FileRefusal(error, "past_end", lines=excerpt.total_lines)
    return excerpt


def _read_result(
    shown: str, excerpt: Excerpt, context: ToolContext, taints: bool, private: bool
) -> ToolResult:
    data: dict[str, JsonValue] = {"path": shown, "text": excerpt.text}
    key = "shown" if excerpt.text.strip() else "empty"
    display = _PHRASES.say(key, context.language, path=shown, text=excerpt.text)
    if excerpt.left_out:
        data["left_out"] = f"{excerpt.left_out} more characters of line {excerpt.first}"
        more = {"line": excerpt.first, "count": excerpt.left_out}
        display += _PHRASES.say("long", context.language, **more)
    if excerpt.following:
        data |= {"more": True, "next_offset": excerpt.following}
        display += _PHRASES.say("more", context.language, line=excerpt.following)
    return ToolResult(data, display, taints=taints, private=private)


class Write:
    """Writes a whole text file."""

    def __init__(self, hands: FileHands) -> None:
        self._hands = hands

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
            aliases=(("file_path", "path"),),
            rehearses=True,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text, content = path_argument(given), given.arguments.get("content")
        if not text:
            return ask("path", _PHRASES.say("ask_write", context.language))
        if not isinstance(content, str):
            return ask("content", _PHRASES.say("ask_content", context.language, path=text[:80]))
        if len(content.encode("utf-8", "replace")) > _LARGEST_WRITE:
            display = _PHRASES.say("content_too_large", context.language, megabytes=5)
            return failure("`content` is larger than 5 MB", display)
        return told(context, text, lambda: self._write(text, content, context))

    def _write(self, text: str, content: str, context: ToolContext) -> ToolResult:
        path = writable(text, context)
        if only_programs_write(path.name):
            error = "only text files can be written, for example .md"
            raise FileRefusal(error, "no_text", name=f"{path.stem}.md")
        previous = contents(path, context) if path.exists() else None
        data, encoding = _encoded(content, previous)
        if previous != data:
            self._hands.carry_out([Put(path, data)], context)
        shown = shown_path(path, context)
        key = _outcome(previous, data)
        display = _PHRASES.say(key, context.language, path=shown, bytes=len(data))
        outcome: dict[str, JsonValue] = {"ok": True, "path": shown, "bytes": len(data)}
        if encoding:
            outcome["encoding"] = encoding
        return ToolResult(outcome, display, private=True)


def _encoded(content: str, previous: bytes | None) -> tuple[bytes, str]:
    """The bytes to write, in the encoding that the file is surely in and that can hold them, else
    in UTF-8; and what to tell of it."""
    before = source_text(previous) if previous else None
    if before is not None and before.sure:
        try:
            return before.whole(content), before.said()
        except UnicodeEncodeError:
            return content.encode("utf-8", "replace"), f"utf-8; it was {before.encoding}"
    return content.encode("utf-8", "replace"), ""


def _outcome(previous: bytes | None, data: bytes) -> str:
    """The phrase that tells what became of a file's bytes `previous`."""
    if not data:
        return "emptied" if previous else "made"
    return "written" if previous in (None, data) else "replaced"
