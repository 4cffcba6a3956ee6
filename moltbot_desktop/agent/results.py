"""Long results of tools: the model sees head and tail, and a handle to read the rest.

    shown = await clipped(result, most_tokens, model.count_tokens, keep)
    # {"text": "first lines … [12034 characters left out: read path \"result:3\" offset 41] … last"}

What is left out stays on a `ResultShelf`, in working memory, until its session is closed or room
is needed; `read` takes a handle for a path. It keeps the labels of what it came from, so that
reading a page's text in pieces taints as the page did. The transcript holds what the model saw,
so that a prompt made from it later is the same to the byte.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from itertools import count
from math import ceil

from moltbot_desktop.agent.prompt import result_text
from moltbot_desktop.core.ids import SessionId
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import RESULT_HANDLE, KeptResult, ToolResult

WINDOW_SHARE = 4
"""One result may take a quarter of the model's window."""
_LEAST_TOKENS = 96
_MOST_KEPT_CHARACTERS = 4_000_000
_HEAD_SHARE = 0.7
_TOO_SHORT = 40
"""Characters that are not worth showing beside the handle."""
_LONGEST_LINE = 400
"""`read` goes by lines; a longer one is broken here so that every part can be reached."""

CountTokens = Callable[[str], Awaitable[int]]
Keep = Callable[[KeptResult], str]


class ResultShelf:
    """Whole results by session and handle. `find` may be called on any thread."""

    def __init__(self, most_characters: int = _MOST_KEPT_CHARACTERS) -> None:
        self._most = most_characters
        self._kept: OrderedDict[tuple[SessionId, str], KeptResult] = OrderedDict()
        self._characters = 0
        self._numbers = count(1)

    def keep(self, session: SessionId, result: KeptResult) -> str:
        """Put it on the shelf; the oldest go when there is no more room. Returns the handle."""
        handle = f"{RESULT_HANDLE}{next(self._numbers)}"
        self._kept[session, handle] = result
        self._characters += len(result.text)
        while self._characters > self._most and len(self._kept) > 1:
            self._drop(next(iter(self._kept)))
        return handle

    def find(self, session: SessionId, handle: str) -> KeptResult | None:
        """What is kept under `handle`; None when it is gone or another session's."""
        return self._kept.get((session, handle))

    def forget(self, session: SessionId) -> None:
        """Drop everything of a session that was closed."""
        for key in [key for key in self._kept if key[0] == session]:
            self._drop(key)

    def clear(self) -> None:
        """Drop everything: words in it were forgotten."""
        self._kept.clear()
        self._characters = 0

    def _drop(self, key: tuple[SessionId, str]) -> None:
        self._characters -= len(self._kept.pop(key).text)


def most_tokens(context_tokens: int) -> int:
    """Tokens one result may have in a window of `context_tokens`."""
    return max(_LEAST_TOKENS, context_tokens // WINDOW_SHARE)


async def clipped(
    result: ToolResult, most: int, count_tokens: CountTokens, keep: Keep
) -> Mapping[str, JsonValue]:
    """The data of `result` in at most `most` tokens (from about a hundred up)."""
    data = result.data
    whole = result_text(data)
    if len(whole.encode()) <= most or await count_tokens(whole) <= most:
        return data
    name = _longest_text(data)
    parts = [_Parts("text", _in_lines(whole), {})]
    if name:
        rest = {key: value for key, value in data.items() if key != name}
        parts.insert(0, _Parts(name, _in_lines(str(data[name])), rest))
    beside = await count_tokens(result_text(parts[0].rest))
    one = parts[0] if beside * 2 < most else parts[-1]
    handle = _handle_in(data) or keep(KeptResult(one.text, result.taints, result.private))
    return await _fitting(one, handle, most, count_tokens)


@dataclass(frozen=True)
class _Parts:
    """What is cut, its name, and what stays beside it."""

    name: str
    text: str
    rest: Mapping[str, JsonValue]


async def _fitting(
    one: _Parts, handle: str, most: int, count_tokens: CountTokens
) -> Mapping[str, JsonValue]:
    kept = len(one.text)
    while True:
        shown = {**one.rest, one.name: _around_gap(one.text, kept, handle)}
        tokens = await count_tokens(result_text(shown))
        if tokens <= most or kept == 0:
            return shown
        kept = int(kept * most / tokens * 0.9) if kept > _TOO_SHORT else 0


def _longest_text(data: Mapping[str, JsonValue]) -> str:
    """Name of the longest text in `data`; "" without any."""
    texts = {name: value for name, value in data.items() if isinstance(value, str)}
    return max(texts, key=lambda name: len(texts[name]), default="")


def _handle_in(data: Mapping[str, JsonValue]) -> str:
    """The handle when `data` was itself read from the shelf: it is not put there again."""
    path = data.get("path")
    return path if isinstance(path, str) and path.startswith(RESULT_HANDLE) else ""


def _in_lines(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        pieces = ceil(len(line) / _LONGEST_LINE) or 1
        lines += [line[at * _LONGEST_LINE :][:_LONGEST_LINE] for at in range(pieces)]
    return "\n".join(lines)


def _around_gap(text: str, kept: int, handle: str) -> str:
    """Head and tail of `text`, `kept` characters together, and between them how to get the rest."""
    head = text[: ceil(kept * _HEAD_SHARE)]
    tail = text[len(text) - (kept - len(head)) :] if kept > len(head) else ""
    line = head.count("\n") + 1
    left_out = len(text) - len(head) - len(tail)
    return f'{head}\n[{left_out} characters left out: read path "{handle}" offset {line}]\n{tail}'
