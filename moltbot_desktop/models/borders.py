"""Where an argument may begin and end inside a request.

The pointer mask lets the starter copy runs of the request; these rules keep it from cutting what
belongs together: words, numbers, clock times, codes with hyphens, mail addresses, titles with
their names ("Dr. Okafor"), amounts with their currency. A border at `i` lies between characters
`i - 1` and `i`. Between two Chinese characters a border is allowed anywhere: which of them belong
to one word is the model's decision.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Han, kana and full-width punctuation: scripts whose words are not kept apart by spaces.
_EAST = "\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff0f\uff1a-\uff20"
_LETTER = rf"[^\W{_EAST}]"
_ADDRESS = r"[A-Za-z0-9_/\\~*=&%#@+\-$^|]"
_APOSTROPHE = r"['’](?!s\b)"
_TITLES = "Dr|Mr|Mrs|Ms|Mx|Prof|St|Rev|Capt|Lt|Col|Gen|Sgt|Fr|Hon"

_GENITIVE = re.compile(r"(?<=\w)['’]s\b")

# Inside a match of these no argument begins or ends.
_TOGETHER = tuple(
    map(
        re.compile,
        (
            # Words, also with inner apostrophe, hyphen, dot, slash or @; 7:30, 3.5, 1,000.
            rf"{_LETTER}+(?:(?:[.@/\-]|{_APOSTROPHE}|(?<=\d)[:,](?=\d)){_LETTER}+)*",
            _GENITIVE.pattern,
            rf"[a-z]+://[^\s{_EAST}\"'<>]*[^\s{_EAST}\"'<>.,;:!?)]",
            r"[$€£¥￥#+]\d|\d\s?[%°℃]",
            r"(?i:\d\s?(?:[ap](?:m\b|\.m\.?)|o['’]clock))",
            rf"\b(?:{_TITLES})\.?\s+[A-Z]",
            # Accents and the parts of one emoji.
            "[\\s\\S][\u0300-\u036f\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]+",
            "\u200d[\\s\\S]",
        ),
    )
)
# File names and addresses: one piece as long as nothing but ASCII goes on without a space.
_ADDRESSES = (re.compile(rf"\.{{0,2}}{_ADDRESS}+(?:[.:?,!;]+{_ADDRESS}+)*"),)
# "1,000" is one number, "3,4" are two; in a sum "5x3" are two as well.
_NUMBER = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)?|\.\d+")
_COUNT = re.compile(rf"(?<!{_LETTER})(?<!\d[.:,])\d+(?!{_LETTER})(?![.:,]\d)")
_NO_START = re.compile(rf"(?<=[/\\_\-=&%#@+.])[{_EAST}]|(?<=[{_EAST}])[\\_\-=&%#@+]")
_NO_END = re.compile(rf"(?<=[{_EAST}])(?:[/\\_\-~=&%#@+*](?=\S)|[.:?,](?=[A-Za-z0-9]))")


@dataclass(frozen=True)
class Borders:
    """Positions (0..len) where an argument may begin and where it may end."""

    starts: frozenset[int]
    ends: frozenset[int]


def text_borders(text: str) -> Borders:
    """For free text. "Moscow's weather" may give "Moscow", but nothing begins with "'s"."""
    allowed = frozenset(range(len(text) + 1)) - _inside(text, _TOGETHER)
    return Borders(allowed - {found.start() for found in _GENITIVE.finditer(text)}, allowed)


def address_borders(text: str) -> Borders:
    """For file names, patterns and addresses, which are copied whole.

    After a Chinese character an address may begin with `/`, `~`, `*` or `.` (“打开~/a.txt”,
    “搜.log”), but none ends there (“文档/a.txt”, “报告.txt”).
    """
    plain, inside = text_borders(text), _inside(text, _ADDRESSES)
    starts = plain.starts - inside - {found.start() for found in _NO_START.finditer(text)}
    ends = plain.ends - inside - {found.start() for found in _NO_END.finditer(text)}
    return Borders(starts, ends)


def _inside(text: str, patterns: tuple[re.Pattern[str], ...]) -> frozenset[int]:
    found = (match.span() for pattern in patterns for match in pattern.finditer(text))
    return frozenset(i for start, end in found for i in range(start + 1, end))


def numbers(text: str) -> list[tuple[int, int]]:
    """Spans of the numbers of a sum."""
    return [found.span() for found in _NUMBER.finditer(text)]


def counts(text: str) -> list[tuple[int, int]]:
    """Spans of whole numbers that stand alone: a line, a count; no part of a word or a time."""
    return [found.span() for found in _COUNT.finditer(text)]
