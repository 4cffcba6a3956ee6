"""What is sent, in the platform's form. Pure.

    key, param = markdown("**Ready**")      # "sampleMarkdown", '{"title": "Ready", "text": "…"}'
    key, param = file("tea.pdf", "@lAz1")

DingTalk knows a part of Markdown: no tables, and a line that breaks needs two blanks at its end.
https://open.dingtalk.com/document/development/robot-message-type
"""

from __future__ import annotations

import json
import re
from pathlib import PurePath

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.channel_abilities import Markup
from moltbot_desktop.sdk.markup import rendered

LONGEST_PARAM = 15_000
"""Bytes of the parameters of a message.
https://open.dingtalk.com/document/development/the-robot-sends-a-group-message"""
_LONGEST_TITLE = 40
_FENCE = re.compile(r" {0,3}+(`{3,}+|~{3,}+)")
_ACTS = re.compile(r"(?:dtmd|dingtalk)(?=:)", re.IGNORECASE)
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp"})
_NOTHING = "\N{ZERO WIDTH SPACE}"


def markdown(text: str) -> tuple[str, str]:
    """The kind of a message with Markdown, and its parameters."""
    return "sampleMarkdown", _json({"title": title(text), "text": dressed(text)})


def in_session(text: str) -> JsonObject:
    """The same as an answer within a session; it calls nobody."""
    said: JsonObject = {"title": title(text), "text": dressed(text)}
    return {"msgtype": "markdown", "markdown": said}


def picture(media_id: str) -> tuple[str, str]:
    return "sampleImageMsg", _json({"photoURL": media_id})


def file(name: str, media_id: str) -> tuple[str, str]:
    ending = PurePath(name).suffix.lstrip(".").lower()
    return "sampleFile", _json({"mediaId": media_id, "fileName": name, "fileType": ending})


def is_picture(name: str) -> bool:
    """Whether the platform takes it as one.
    https://open.dingtalk.com/document/development/upload-media-files"""
    return PurePath(name).suffix.lower() in _PICTURES


def title(text: str) -> str:
    """What lists of conversations and notifications show: the first words, bare."""
    plain = rendered(text[: 4 * _LONGEST_TITLE], Markup.PLAIN)
    words = " ".join(plain.split())
    return words[:_LONGEST_TITLE] or "…"


def dressed(text: str) -> str:
    """`text` in which every line stays a line, tables can be read, no picture is loaded from where
    it lies, and no link makes the reader's own DingTalk do something."""
    lines: list[str] = []
    fence = ""
    for line in _tables_fenced(text.split("\n")):
        found = _FENCE.match(line)
        if fence:
            if found is not None and line.strip() == found[1] and found[1].startswith(fence):
                fence = ""
            lines.append(line)
            continue
        if found is not None:
            fence = found[1]
            lines.append(line)
            continue
        quiet = _ACTS.sub(lambda one: one[0] + _NOTHING, line.replace("![", "["))
        lines.append(quiet)
        if quiet.strip():
            lines[-1] = quiet.rstrip() + "  "
    return "\n".join(lines).strip()


def _tables_fenced(lines: list[str]) -> list[str]:
    """Rows of a table as they stand, in a block of code."""
    out: list[str] = []
    fence, at = "", 0
    while at < len(lines):
        found = _FENCE.match(lines[at])
        if found is not None:
            fence = "" if fence and found[1].startswith(fence) else (fence or found[1])
        end = at
        while not fence and end < len(lines) and lines[end].lstrip().startswith("|"):
            end += 1
        if end - at > 1:
            out += ["```", *lines[at:end], "```"]
            at = end
            continue
        out.append(lines[at])
        at += 1
    return out


def _json(param: JsonObject) -> str:
    return json.dumps(param, ensure_ascii=False)
