"""The workspace's own files in the prompt: who reads which, and how much of them.

    audience = audience_of(key)
    texts = {name: read(name) for name in files_for(audience, today)}
    segments = bootstrap_segments(texts, window=model.info.context_tokens, most_characters=20_000)

AGENTS.md and its like say how the assistant shall be; MEMORY.md and the notes of today and
yesterday what the owner told it. Those, and what describes the owner (USER.md), are for the
owner's own conversations: a group, a contact or a sub-agent never sees a word of them.

The files share a part of the window that grows with it: a small model reads little, and what it
does not read it can open. A file that says nothing (missing, blank, headings and comments only)
costs nothing. Pure; the words come from `app`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum

from moltbot_desktop.agent.prompt import PromptSegment, Stability
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key, thread_parent

MEMORY_FILE = "MEMORY.md"
_FOR_ALL = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md")
_FOR_OWNER = ("USER.md", "HEARTBEAT.md", "BOOTSTRAP.md")
_FOR_SUBAGENTS = ("AGENTS.md", "TOOLS.md")
OWNER_FILES = (*_FOR_ALL, *_FOR_OWNER)
"""What a workspace may have beside its memory, in the prompt's order."""

_SHARES = ((4_096, 12), (8_192, 8), (16_384, 6))
_LARGEST_SHARE = 5
"""A twelfth of a window up to 4,096 tokens, an eighth up to 8,192 ...; a fifth of a larger one."""
_HEAD, _TAIL = 0.7, 0.2
_LEAST_CHARACTERS = 120
"""Less than that of a file that was cut tells nothing."""
_LETTERS_PER_TOKEN = 4
_WORD = re.compile(r"[A-Za-z]+")
_WORD_OR_BLANK = re.compile(r" ?[A-Za-z]+")
_FRAME = 6
"""Tokens around a file: its heading's marks and the lines between."""
_SAYS_NOTHING = re.compile(r"(?:#.*|[-*+]\s*(?:\[[ xX]?\]\s*)?|---+)?")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


class Audience(StrEnum):
    """Whose conversation it is."""

    OWNER = "owner"
    OTHERS = "others"
    """Groups, contacts, and whatever is not known to be the owner's."""
    SUBAGENT = "subagent"


def audience_of(key: SessionKey) -> Audience:
    """Who hears what is said in the conversation `key`. What is not known is not the owner's."""
    parsed = parse_session_key(thread_parent(key) or key)
    if parsed is None:
        return Audience.OTHERS
    if parsed.kind is KeyKind.SUBAGENT:
        return Audience.SUBAGENT
    named_by_owner = parsed.kind is KeyKind.OTHER and ":" not in parsed.rest
    owners = parsed.kind in (KeyKind.MAIN, KeyKind.CRON) or named_by_owner
    return Audience.OWNER if owners else Audience.OTHERS


def is_room(key: SessionKey) -> bool:
    """Whether several people write in the conversation `key`."""
    parsed = parse_session_key(thread_parent(key) or key)
    return parsed is not None and parsed.kind in (KeyKind.GROUP, KeyKind.CHANNEL)


def files_for(audience: Audience, today: date) -> tuple[str, ...]:
    """Names in the workspace, in the prompt's order."""
    if audience is Audience.SUBAGENT:
        return _FOR_SUBAGENTS
    if audience is Audience.OTHERS:
        return _FOR_ALL
    days = (today - timedelta(days=1), today)
    notes = (f"memory/{day.isoformat()}.md" for day in days)
    return (*OWNER_FILES, MEMORY_FILE, *notes)


def bootstrap_segments(
    texts: Mapping[str, str], *, window: int, most_characters: int
) -> tuple[PromptSegment, ...]:
    """A frozen segment for each file that says something, in the order of `texts`; what is
    memory stands in one called ``memory``.

    Args:
        window: tokens of the model's window; the files together get a part of it.
        most_characters: of one file.
    """
    said = {name: _bare(text) for name, text in texts.items()}
    said = {name: text for name, text in said.items() if text}
    needs = [
        _tokens(text[:most_characters]) + _tokens(name) + _FRAME for name, text in said.items()
    ]
    rooms = _shared(needs, share_of(window))
    shown = {
        name: _fitted(name, text, most_characters, room)
        for (name, text), room in zip(said.items(), rooms, strict=True)
    }
    files = [
        PromptSegment(name, f"## {name}\n{text}", Stability.FROZEN)
        for name, text in shown.items()
        if text and not is_memory(name)
    ]
    memory = [f"## {name}\n{text}" for name, text in shown.items() if text and is_memory(name)]
    if memory:
        files.append(PromptSegment("memory", "\n\n".join(memory), Stability.FROZEN))
    return tuple(files)


def share_of(window: int) -> int:
    """Tokens that all files together may have in a window of `window` tokens."""
    share = next((share for most, share in _SHARES if window <= most), _LARGEST_SHARE)
    return window // share


def is_memory(name: str) -> bool:
    """Whether a file is the owner's memory."""
    return name == MEMORY_FILE or name.startswith("memory/")


def is_private(segments: Sequence[PromptSegment]) -> bool:
    """Whether `segments` hold what the owner told about themselves."""
    return any(segment.name in ("memory", "USER.md") for segment in segments)


def _bare(text: str) -> str:
    """What a file says, without front matter and comments; "" when that is nothing."""
    text = _COMMENT.sub("", _FRONT_MATTER.sub("", text.replace("\r\n", "\n"))).strip()
    said = any(_SAYS_NOTHING.fullmatch(line.strip()) is None for line in text.split("\n"))
    return text if said else ""


def _tokens(text: str) -> int:
    """Rather too many than too few: the prompt is made before a model counts it. Every sign, digit
    and Han character counts as a token, a word as one for every few letters; a blank is a token
    unless a word follows it."""
    letters = [len(word) for word in _WORD.findall(text)]
    others = len(_WORD_OR_BLANK.sub("", text))
    return others + sum(-(-length // _LETTERS_PER_TOKEN) for length in letters)


def _shared(needs: Sequence[int], room: int) -> list[int]:
    """`room` dealt out evenly; who needs less leaves the rest to the others."""
    given = [0] * len(needs)
    by_need = sorted(range(len(needs)), key=lambda at: needs[at])
    for position, at in enumerate(by_need):
        given[at] = min(needs[at], room // (len(needs) - position))
        room -= given[at]
    return given


def _fitted(name: str, text: str, most_characters: int, room: int) -> str:
    """Head and tail of `text` in `room` tokens and `most_characters`; "" when there is no room
    for anything that tells something."""
    room -= _tokens(name) + _FRAME
    if len(text) <= most_characters and _tokens(text) <= room:
        return text
    marker = f"\n[… {name} goes on: read it when it matters …]\n"
    room -= _tokens(marker)
    kept = min(most_characters, len(text))
    while kept >= _LEAST_CHARACTERS:
        head, tail = text[: int(kept * _HEAD)], text[len(text) - int(kept * _TAIL) :]
        if _tokens(head) + _tokens(tail) <= room:
            return f"{head.rstrip()}{marker}{tail.lstrip()}"
        kept = kept * 9 // 10
    return ""
