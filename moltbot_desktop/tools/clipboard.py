"""`clipboard`: reads what the person has copied, or puts a text there for them to paste.

    {"action": "read"}      {"action": "write", "text": "Dear Ms Wang, …"}

A copied text may be a password, so reading is asked about unless the person's own message speaks
of the clipboard or of what they copied. Whoever wrote it, it is data: it taints and is private.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import ToolError
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.clipboard import Clipboard, Copied
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.replies import arguments, ask, failure, text_argument

_MOST_READ = 20_000
_LONGEST_WRITTEN = 200_000
_MOST_FILES = 50
_SPEAKS_OF_IT = re.compile(
    r"\bclip ?boards?\b|\bi(?:'ve| have)?(?: just)? copied\b|\bcopied text\b|剪贴板|剪切板|粘贴板"
    r"|我(?:刚刚?|刚才)?复制|复制的",
    re.IGNORECASE,
)
_PHRASES = Phrases(
    {
        "ask": "What shall I put on the clipboard?",
        "no_window": "I can use the clipboard only where my window runs, not in a terminal.",
        "text": "On the clipboard:\n\n{text}",
        "more": "\n\n(there is more)",
        "empty": "The clipboard is empty.",
        "picture": "On the clipboard is a picture of {width} × {height}, and no text.",
        "files": "On the clipboard are files:\n\n{text}",
        "written": "It is on the clipboard ({count} characters); paste it where you like.",
        "too_long": "That is too long for the clipboard.",
    },
    {
        "ask": "要把什么放到剪贴板？",
        "no_window": "只有在我的窗口里才能使用剪贴板，在终端里不行。",
        "text": "剪贴板上是：\n\n{text}",
        "more": "\n\n（后面还有）",
        "empty": "剪贴板是空的。",
        "picture": "剪贴板上是一张 {width} × {height} 的图片，没有文字。",
        "files": "剪贴板上是文件：\n\n{text}",
        "written": "已放到剪贴板（{count} 个字符），可以粘贴了。",
        "too_long": "内容太长，放不进剪贴板。",
    },
)


@dataclass(frozen=True)
class ClipboardTool:
    """Implements `sdk.tools.Tool` and `sdk.tools.SituatedTool`; `clipboard` is None where there is
    no window."""

    clipboard: Clipboard | None

    @property
    def spec(self) -> ToolSpec:
        actions: JsonValue = {"type": "string", "enum": ["read", "write"]}
        return ToolSpec(
            "clipboard",
            "Read what the person copied, or put a text there for them to paste.",
            arguments(("action",), action=actions, text=text_argument("to write")),
            Effect.CLIPBOARD_READ,
            core=False,
            keywords="clipboard copy copied paste 剪贴板 剪切板 复制 粘贴 拷贝",
        )

    def effect_in(self, given: ToolInput, context: ToolContext) -> Effect:
        """Reading what the person speaks of is what they asked for."""
        if _writes(given):
            return Effect.CLIPBOARD_WRITE
        named = _SPEAKS_OF_IT.search(context.user_text)
        return Effect.CLIPBOARD_NAMED if named else Effect.CLIPBOARD_READ

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        if self.clipboard is None:
            display = _PHRASES.say("no_window", context.language)
            return failure("there is no window here, and so no clipboard", display)
        try:
            if _writes(given):
                return _written(self.clipboard, given, context)
            return _read(self.clipboard.read(), context)
        except ToolError as error:
            return failure(error.message, in_words(error, context.language))


def _writes(given: ToolInput) -> bool:
    return given.text("action", "write" if given.text("text") else "read") == "write"


def _written(clipboard: Clipboard, given: ToolInput, context: ToolContext) -> ToolResult:
    text = given.arguments.get("text")
    if not isinstance(text, str) or not text.strip():
        return ask("text", _PHRASES.say("ask", context.language))
    if len(text) > _LONGEST_WRITTEN:
        return failure("`text` is too long", _PHRASES.say("too_long", context.language))
    # A NUL ends the text for some programs, and so hides what comes after it.
    clipboard.write(text.replace("\x00", ""))
    display = _PHRASES.say("written", context.language, count=len(text))
    return ToolResult({"ok": True, "characters": len(text)}, display)


def _read(copied: Copied, context: ToolContext) -> ToolResult:
    say, language = _PHRASES.say, context.language
    data: dict[str, JsonValue] = {"text": copied.text[:_MOST_READ]}
    if copied.files:
        names = copied.files[:_MOST_FILES]
        data = {"files": list(names)}
        display = say("files", language, text="\n".join(names))
    elif copied.text:
        display = say("text", language, text=copied.text[:_MOST_READ])
        if len(copied.text) > _MOST_READ:
            data["more"] = True
            display += say("more", language)
    elif copied.picture != (0, 0):
        width, height = copied.picture
        data = {"picture": {"width": width, "height": height}}
        display = say("picture", language, width=width, height=height)
    else:
        return ToolResult(data, say("empty", language), private=True)
    return ToolResult(data, display, taints=True, private=True)
