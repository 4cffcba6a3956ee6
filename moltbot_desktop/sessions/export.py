"""A conversation as a document to read, or as one that can be brought in again. Pure.

markdown_of(entries, title, language)      # the branch where it stands, calls of tools folded
exported(records, title)                   # all lines, as JSON
imported(text)                             # the lines of such a file, or of a transcript
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.attachments import parted
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    CompactionEntry,
    NewsEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
    decode_entry,
    decode_header,
    plain_json,
)

FORMAT = "moltbot-session"
_FORMAT_VERSION = 1
_MAX_IMPORT = 256_000_000
_TICKS = re.compile("`+")
PHRASES = Phrases(
    english={
        "user": "You",
        "assistant": "Assistant",
        "called": "Used {tool}",
        "answered": "{tool} answered",
        "failed": "{tool} failed",
        "unfinished": "*(not finished)*",
        "ended": "*(no answer: {reason})*",
        "summary": "What was said before, in short",
    },
    chinese={
        "user": "你",
        "assistant": "助手",
        "called": "使用了 {tool}",
        "answered": "{tool} 的结果",
        "failed": "{tool} 失败了",
        "unfinished": "*（未完成）*",
        "ended": "*（没有回答：{reason}）*",
        "summary": "之前内容的摘要",
    },
)


def markdown_of(entries: Sequence[TranscriptEntry], title: str, language: Language) -> str:
    """The conversation in Markdown; thoughts are left out."""
    blocks = [f"# {' '.join(title.split())}"]
    for entry in entries:
        blocks += _blocks(entry, language)
    return "\n\n".join(blocks) + "\n"


def _blocks(entry: TranscriptEntry, language: Language) -> list[str]:
    match entry:
        case UserEntry():
            return [_who("user", entry, language), *_said(entry)] if entry.text else []
        case AssistantEntry():
            said = [entry.message.content] if entry.message.content.strip() else []
            said += [PHRASES.say("unfinished", language)] if entry.unfinished else []
            head = [_who("assistant", entry, language)] if said else []
            return [*head, *said, *(_call(call, language) for call in entry.message.tool_calls)]
        case ToolResultEntry():
            key = "answered" if entry.ok else "failed"
            summary = PHRASES.say(key, language, tool=entry.message.tool_name)
            return [_folded(summary, entry.message.content)]
        case OutcomeEntry() if entry.outcome.kind is not OutcomeKind.ANSWERED:
            reason = entry.outcome.text or entry.outcome.reason
            return [PHRASES.say("ended", language, reason=reason)] if reason else []
        case NewsEntry():
            return [_folded(entry.about, entry.text)]
        case CompactionEntry():
            return [_folded(PHRASES.say("summary", language), entry.summary)]
    return []


def _said(entry: UserEntry) -> list[str]:
    """The words, then a list of what came with them."""
    words, files = parted(entry.text)
    names = "\n".join(f"- `{file.name}`" for file in files)
    return [part for part in (words, names) if part]


def _who(who: str, entry: TranscriptEntry, language: Language) -> str:
    time = entry.time[:16].replace("T", " ")
    return f"## {PHRASES.say(who, language)}" + (f" · {time}" if time else "")


def _call(call: ToolCall, language: Language) -> str:
    arguments = json.dumps(plain_json(call.arguments), ensure_ascii=False, indent=2)
    return _folded(PHRASES.say("called", language, tool=call.name), arguments)


def _folded(summary: str, text: str) -> str:
    # A fence longer than any inside, so that nothing in it can end it.
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    head = f"<details><summary>{html.escape(summary, quote=False)}</summary>"
    return f"{head}\n\n{fence}\n{text}\n{fence}\n\n</details>"


def exported(records: Sequence[JsonObject], title: str) -> str:
    """All of a transcript's lines as one JSON object."""
    lines: list[JsonValue] = [plain_json(record) for record in records]
    whole = {"format": FORMAT, "version": _FORMAT_VERSION, "title": title, "transcript": lines}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def imported(text: str) -> tuple[JsonObject, ...]:
    """The lines of an exported conversation or of a transcript, the first line left out.

    Raises:
        UserInputInvalid: it is neither, or nobody says anything in it.
    """
    lines = _transcript_in(text) if len(text) <= _MAX_IMPORT else []
    if lines and decode_header(lines[0]) is not None:
        lines = lines[1:]
    if not any(isinstance(decode_entry(line), UserEntry | AssistantEntry) for line in lines):
        raise UserInputInvalid(
            "This is no conversation that could be brought in.",
            hint="Use a file of “sessions export --format json”, or a transcript (.jsonl).",
        )
    return tuple(lines)


def _transcript_in(text: str) -> list[JsonObject]:
    whole = _value(text)
    if isinstance(whole, Mapping) and whole.get("format") == FORMAT:
        lines = whole.get("transcript")
        values = lines if isinstance(lines, Sequence) and not isinstance(lines, str) else ()
    else:
        values = [_value(line) for line in text.split("\n")]
    return [line for line in values if isinstance(line, Mapping)]


def _value(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
