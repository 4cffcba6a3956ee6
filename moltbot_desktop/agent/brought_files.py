"""What a command model is asked when files come with a message. Pure.

    brought = brought_files("what does it say?\\n[media attached: media/inbound/… (text/plain)]")
    brought.calls        # reads the file: the words ask about it
    brought.words        # what the model reads otherwise: the words alone

The starter was never taught what such a line means, and would take it for a name or a text. So it
never sees one: words that ask about a file are answered by reading it, all others are carried out
as if nothing had come along. What is in a picture it cannot know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.attachments import AttachedFile, parted

_MOST_READ = 3
_LONGEST_ASKED = 400
"""Characters; longer words say something of their own."""
_OTHERWISE = re.compile(
    r"\b(?:remember|remind|note|forget|calculate|write|save|delete|search)\b"
    r"|记住|记下|记得|提醒|忘|计算|保存|删|搜索",
    re.IGNORECASE,
)
_ABOUT_IT = re.compile(
    r"\b(?:this|these|it|them|file|files|document|attached|attachment|picture|photo|image|read|show"
    r"|see|say|says|inside|content|contents|summari[sz]e|sum|look|what)\b"
    r"|这|读|看|文件|附件|图|照片|内容|里面|写了|总结|概括|说了|什么",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class BroughtFiles:
    """Attributes:
    words: what the person wrote.
    calls: what is to be done without asking the model.
    unseen: names of pictures that the words ask about, where nothing else can be read.
    """

    words: str
    calls: tuple[ToolCall, ...] = ()
    unseen: tuple[str, ...] = ()


def brought_files(text: str) -> BroughtFiles:
    """What is asked for by a message of the owner's."""
    words, files = parted(text)
    if not files or not _asks_about_it(words):
        return BroughtFiles(words)
    readable = [one for one in files if not one.is_picture]
    if not readable:
        return BroughtFiles(words, unseen=tuple(one.name for one in files))
    return BroughtFiles(words, tuple(map(_read, readable[:_MOST_READ])))


def _asks_about_it(words: str) -> bool:
    if not words:
        return True
    if len(words) > _LONGEST_ASKED or _OTHERWISE.search(words):
        return False
    return _ABOUT_IT.search(words) is not None


def _read(file: AttachedFile) -> ToolCall:
    return ToolCall(f"read-{file.place}", "read", {"path": file.place})
