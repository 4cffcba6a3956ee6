"""Where an argument may begin and end inside a request.

The pointer mask lets the starter copy runs of the request; these rules keep it from cutting what
belongs together: words, numbers, clock times, codes with hyphens, mail addresses, titles with
their names ("Dr. Okafor"), amounts with their currency, what stands in quotes or brackets. A
border at `i` lies between characters `i - 1` and `i`.

Between two Chinese characters a border is allowed anywhere: which of them belong to one word is the
model's decision. Measured: borders at the words of rjieba's dictionary would make 6 of 771 calls
right that are not, and 1 wrong that is right ("里写上交水费"); not worth its 33 MB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

# Han, kana and full-width punctuation: scripts whose words are not kept apart by spaces.
_EAST = "\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff0f\uff1a-\uff20"
_LETTER = rf"[^\W{_EAST}]"
_ADDRESS = r"[A-Za-z0-9_/\\~*=&%#@+\-$^|]"
_APOSTROPHE = r"['’](?!s\b)"
_TITLES = "Dr|Mr|Mrs|Ms|Mx|Prof|St|Rev|Capt|Lt|Col|Gen|Sgt|Fr|Hon"
_DAYS = "今天|明天|后天|今晚|明晚|明早|(?:周|星期|礼拜)[一二三四五六日天]|[号日]"
_HAN = "\u3400-\u9fff\uf900-\ufaff"
# Quotes that open behind a blank, a colon or a Chinese character and close before something else
# than a letter: no apostrophes, no quotes inside code.
_QUOTES = re.compile(
    rf"(?:(?<=[\s:=,;(（：，、{_HAN}])|^)"
    r"(?:\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`)(?![A-Za-z0-9_])"
    r"|“[^“”\n]+”|「[^「」\n]+」|『[^『』\n]+』"
)
_NO_NAME = r'\\/:*?"<>|\n'
_NAME_WORD = rf"(?!(?:for|in|with|and|to|from|into|as|on|please)\b)[^{_NO_NAME}\s.]+"
# On Windows folders and files often have blanks in their names.
_WINDOWS_FILE = (
    rf"[A-Za-z]:\\(?:[^{_NO_NAME}]{{1,60}}\\)*{_NAME_WORD}(?: {_NAME_WORD}){{0,3}}"
    r"\.[A-Za-z0-9]{1,5}\b"
)
# Politeness behind a comma is said to the assistant.
_POLITE_END = re.compile(
    r"(?i:[,，]\s*(?:please|thanks|thank you|thx|okay|ok))"
    r"|[,，]\s*(?:谢谢你?|多谢|拜托了?|麻烦了|好吗|行吗|可以吗)"
)
# Nothing ends with what only leads on to the next thing.
_SEPARATOR = re.compile(r"[,;:，；：、](?=\s|[^\x00-\x7f])")
_PAIRS = {")": "(", "]": "[", "}": "{"}

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
            # A day with its clock time.
            r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[ T]\d{1,2}:\d\d",
            rf"(?:{_DAYS})\s*\d{{1,2}}[:：]\d\d",
            r"(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\s+\d{1,2}(?::\d\d|\s?[ap]m\b))",
            # Accents and the parts of one emoji.
            "[\\s\\S][\u0300-\u036f\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]+",
            "\u200d[\\s\\S]",
        ),
    )
)
_ADDRESSES = tuple(
    map(
        re.compile,
        (
            # One piece as long as nothing but ASCII goes on without a space.
            rf"\.{{0,2}}{_ADDRESS}+(?:[.:?,!;]+{_ADDRESS}+)*",
            _WINDOWS_FILE,
        ),
    )
)
# "1,000" is one number, "3,4" are two; in a sum "5x3" are two as well.
_NUMBER = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)?|\.\d+")
_COUNT = re.compile(rf"(?<!{_LETTER})(?<!\d[.:,])\d+(?!{_LETTER})(?![.:,]\d)")
_NO_START = re.compile(rf"(?<=[/\\_\-=&%#@+.])[{_EAST}]|(?<=[{_EAST}])[\\_\-=&%#@+]")
_NO_END = re.compile(rf"(?<=[{_EAST}])(?:[/\\_\-~=&%#@+*](?=\S)|[.:?,](?=[A-Za-z0-9]))")


@dataclass(frozen=True)
class Borders:
    """Positions (0..len) where an argument may begin and where it may end.

    Attributes:
        only_end: begin of what stands in quotes -> its end, the only one for that begin, and for
            no other.
    """

    starts: frozenset[int]
    ends: frozenset[int]
    only_end: Mapping[int, int]


def text_borders(text: str) -> Borders:
    """For free text. "Moscow's weather" may give "Moscow", but nothing begins with "'s"."""
    brackets = _in_brackets(text)
    quoted = [(a + 1, b - 1) for a, b in _quotes(text) if a not in brackets]
    inside = {i for a, b in quoted for i in range(a, b + 1)}
    allowed = frozenset(range(len(text) + 1)) - inside - brackets - _inside(text, _TOGETHER)
    starts = allowed - {found.start() for found in _GENITIVE.finditer(text)}
    ends = allowed - {
        found.end() for pattern in (_SEPARATOR, _POLITE_END) for found in pattern.finditer(text)
    }
    return Borders(starts | {a for a, _ in quoted}, ends, MappingProxyType(dict(quoted)))


def address_borders(text: str) -> Borders:
    """For file names, patterns and addresses, which are copied whole.

    After a Chinese character an address may begin with `/`, `~`, `*` or `.` (“打开~/a.txt”,
    “搜.log”), but none ends there (“文档/a.txt”, “报告.txt”).
    """
    plain, inside = text_borders(text), _inside(text, _ADDRESSES)
    starts = plain.starts - inside - {found.start() for found in _NO_START.finditer(text)}
    ends = plain.ends - inside - {found.start() for found in _NO_END.finditer(text)}
    return Borders(starts | plain.only_end.keys(), ends, plain.only_end)


def _inside(text: str, patterns: tuple[re.Pattern[str], ...]) -> frozenset[int]:
    found = (match.span() for pattern in patterns for match in pattern.finditer(text))
    return frozenset(i for start, end in found for i in range(start + 1, end))


def _quotes(text: str) -> Iterator[tuple[int, int]]:
    """Spans of what stands in quotes, with them; not of a request that is quoted as a whole."""
    for found in _QUOTES.finditer(text):
        if found[0] != text.strip():
            yield found.span()


def _in_brackets(text: str) -> frozenset[int]:
    """Positions inside `{...}`, `[...]` and the `(...)` of a call like `print(...)`."""
    opened: list[int] = []
    found = set[int]()
    for at, character in enumerate(text):
        if character in _PAIRS.values():
            opened.append(at)
        elif opened and text[opened[-1]] == _PAIRS.get(character):
            begin = opened.pop()
            called = begin > 0 and text[begin - 1].isascii() and text[begin - 1].isalnum()
            whole = text[begin : at + 1] == text.strip()
            if (character != ")" or called) and not whole:
                found.update(range(begin + (not called), at + 1))
    return frozenset(found)


def separators(text: str) -> list[int]:
    """Where a colon or semicolon stands that leads on to something else: no clock time's."""
    return [found.start() for found in _SEPARATOR.finditer(text) if found[0] in ":;：；"]


def numbers(text: str) -> list[tuple[int, int]]:
    """Spans of the numbers of a sum."""
    return [found.span() for found in _NUMBER.finditer(text)]


def counts(text: str) -> list[tuple[int, int]]:
    """Spans of whole numbers that stand alone: a line, a count; no part of a word or a time."""
    return [found.span() for found in _COUNT.finditer(text)]
