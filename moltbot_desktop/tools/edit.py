"""`edit`: one passage of a text file is replaced, and everything else stays byte for byte.

    {"path": "notes.md", "oldText": "milk", "newText": "oat milk"}

The passage must stand there exactly once: a small model that quotes too little would otherwise
change another place than it means. Encoding, byte order mark and line ends stay as they are.
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.changing import Put
from moltbot_desktop.tools.decoding import source_text
from moltbot_desktop.tools.documents.kinds import only_programs_write
from moltbot_desktop.tools.file_access import (
    FileRefusal,
    contents,
    path_argument,
    shown_path,
    told,
    writable,
)
from moltbot_desktop.tools.replies import arguments, ask, failure, text_argument
from moltbot_desktop.tools.undo import FileHands

_LARGEST = 5 * 1024 * 1024
_PHRASES = Phrases(
    {
        "ask_path": "Which file shall I change?",
        "ask_old": "Which words in {path} shall I replace?",
        "edited": "I changed {path} (line {line}). /undo takes it back.",
        "too_large": "“{path}” would be more than {megabytes} MB, so I left it.",
    },
    {
        "ask_path": "要改哪个文件？",
        "ask_old": "要替换{path}里的哪段文字？",
        "edited": "已修改{path}（第{line}行）。/undo 可以恢复。",
        "too_large": "“{path}”会超过{megabytes} MB，所以我没有改。",
    },
)


class Edit:
    """Replaces one passage of a text file."""

    def __init__(self, hands: FileHands) -> None:
        self._hands = hands

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "edit",
            "Replace one exact passage of a text file.",
            arguments(
                ("path", "oldText"),
                path=text_argument(),
                oldText=text_argument("exactly as in the file, and only once there"),
                newText=text_argument("empty to delete it"),
            ),
            Effect.FILE_WRITE,
            core=False,
            path_arguments=("path",),
            aliases=(("file_path", "path"), ("old_string", "oldText"), ("new_string", "newText")),
            keywords="change replace correct fix 修改 替换 改正 编辑",
            rehearses=True,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text, old = path_argument(given), given.arguments.get("oldText", "")
        if not text:
            return ask("path", _PHRASES.say("ask_path", context.language))
        if not isinstance(old, str) or not old.strip():
            return ask("oldText", _PHRASES.say("ask_old", context.language, path=text[:80]))
        new = str(given.arguments.get("newText", ""))
        return told(context, text, lambda: self._edit(text, old, new, context))

    def _edit(self, text: str, old: str, new: str, context: ToolContext) -> ToolResult:
        path = writable(text, context)
        if only_programs_write(path.name):
            raise FileRefusal("that is not a text file", "binary")
        source = source_text(contents(path, context))
        if source is None:
            raise FileRefusal("that is not a text file", "binary")
        changed, line = replaced_once(source.text, old, new)
        try:
            data = source.encode(changed)
        except UnicodeEncodeError:
            raise FileRefusal(
                f"the file is in {source.encoding}, which cannot hold the new text",
                "unwritable",
                encoding=source.encoding,
            ) from None
        if len(data) > _LARGEST:
            display = _PHRASES.say("too_large", context.language, path=text[:80], megabytes=5)
            return failure("the file would be larger than 5 MB", display)
        self._hands.carry_out([Put(path, data)], context)
        shown = shown_path(path, context)
        display = _PHRASES.say("edited", context.language, path=shown, line=line)
        outcome: dict[str, JsonValue] = {"ok": True, "path": shown, "line": line}
        if not source.sure:
            outcome["encoding"] = source.said()
        return ToolResult(outcome, display, private=True)


def replaced_once(text: str, old: str, new: str) -> tuple[str, int]:
    """`text` with `new` in the place of `old`, and the line where that is. Where the file ends its
    lines as Windows does and `old` does not, both are taken as the file has it.

    Raises:
        FileRefusal: `old` is not there, or more than once; nothing would change.
    """
    count = text.count(old)
    if count == 0 and "\r\n" in text and "\n" in old and "\r" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
        count = text.count(old)
    if count == 0:
        error = "oldText is not in the file; read it, and quote it exactly with all blanks"
        raise FileRefusal(error, "no_match")
    if count > 1:
        error = f"oldText is in the file {count} times; quote more around it"
        raise FileRefusal(error, "ambiguous", count=count)
    if old == new:
        raise FileRefusal("oldText and newText are the same", "unchanged")
    at = text.index(old)
    return text[:at] + new + text[at + len(old) :], text.count("\n", 0, at) + 1
