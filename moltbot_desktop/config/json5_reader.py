"""JSON5 (spec.json5.org 1.0) to values, in one pass over the text.

    read_json5("{ ui: { theme: 'dark' /* night */ }, }")     # {"ui": {"theme": "dark"}}

The json5 library needs 25 µs for each character, so that a file of some ten kilobytes that somebody
wrote on purpose stops everything for a second; this takes a hundredth of that. pyjson5 is quicker
still, but says where a file is wrong only inside a sentence, of what is not closed only where it
began, and calls a long number an unclosed one: who edits a file needs better. What this takes and
what it makes of it is the json5 library's (tests/unit/config/test_json5_reader.py lays them side
by side). Nesting is counted, not recursed into.
"""

from __future__ import annotations

import re
import unicodedata

from moltbot_desktop.core.json import JsonValue

_BLANK = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_TOKEN = re.compile(
    rf"(?P<blank>(?:[{_BLANK}]|//[^\n\r\u2028\u2029]*+|/\*(?:[^*]|\*(?!/))*+\*/)++)"
    r"|(?P<mark>[{}\[\]:,])"
    r"""|(?P<text>"(?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*+"|'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*+')"""
    rf"|(?P<word>[^{_BLANK}" + r"""{}\[\]:,"'/]++)"""
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\s\S]))")
_HALF = re.compile("[\ud800-\udfff]")
_NAME_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_NUMBER = re.compile(
    r"[+-]?(?:(?P<hex>0[xX][0-9a-fA-F]+)|(?P<special>Infinity|NaN)"
    r"|(?P<whole>0|[1-9][0-9]*)(?P<rest>(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)"
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
)
_PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*+")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_NOTHING = frozenset({"\n", "\r", "\r\n", "\u2028", "\u2029"})
"""After a backslash: the text goes on in the next line."""
_WORDS: dict[str, JsonValue] = {"null": None, "true": True, "false": False}
_DIGITS = frozenset("0123456789")
_NAME_START = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"})
_NAME_PART = _NAME_START | {"Mn", "Mc", "Nd", "Pc"}


_Group = list[JsonValue] | dict[str, JsonValue]


class Json5Invalid(Exception):
    """`text` is no JSON5.

    Attributes:
        position: of the first character that does not fit; the text's length where it ends early.
    """

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class NumberTooLong(Exception):
    """A whole number of more digits than Python reads."""


class TooDeep(Exception):
    """More groups in each other than asked for."""


_VALUE, _ITEM, _NAME, _COLON, _COMMA, _NOTHING_MORE = range(6)
"""What may come next: an item or a name also gives way to the end of its list or group, and so
does a comma. Plain numbers, as each of a hundred thousand tokens asks for them."""


def read_json5(text: str, most_depth: int) -> JsonValue:
    """The one value of `text`; of a name that stands twice in a group the last counts.

    Raises:
        Json5Invalid: it is none.
        NumberTooLong: see there.
        TooDeep: lists and groups are nested deeper than `most_depth`.
    """
    reader = _Reader(most_depth)
    position = 0
    for match in _TOKEN.finditer(text):
        if match.start() != position:
            break
        token, kind = match[0], match.lastgroup
        if kind == "mark":
            reader.mark(token, position)
        elif kind == "word":
            reader.word(token, position)
        elif kind == "text":
            reader.text(token, position)
        position = match.end()
    if position != len(text):
        raise Json5Invalid(_where_it_breaks(text, position))
    if reader.next != _NOTHING_MORE:
        raise Json5Invalid(position)
    return reader.root


def _where_it_breaks(text: str, position: int) -> int:
    """Of what begins as no token does: a text or comment without its end breaks where it stops."""
    if text.startswith("/*", position):
        return len(text)
    quote = text[position]
    if quote not in "\"'":
        return position
    inside = position + 1
    while inside < len(text) and text[inside] not in "\n\r":
        inside += 2 if text[inside] == "\\" else 1
    return min(inside, len(text))


class _Reader:
    """What has been read, and what may follow."""

    def __init__(self, most_depth: int) -> None:
        self.next = _VALUE
        self.root: JsonValue = None
        self._most = most_depth
        self._around: list[tuple[_Group | None, str]] = []
        self._inside: _Group | None = None
        self._name = ""

    def mark(self, mark: str, position: int) -> None:
        following = self.next
        if mark == "," and following == _COMMA:
            self.next = _ITEM if isinstance(self._inside, list) else _NAME
        elif mark == ":" and following == _COLON:
            self.next = _VALUE
        elif mark == "[" and following in (_VALUE, _ITEM):
            self._open([], _ITEM)
        elif mark == "{" and following in (_VALUE, _ITEM):
            self._open({}, _NAME)
        elif mark in "]}" and self._may_close(mark):
            self._close()
        else:
            raise Json5Invalid(position)

    def text(self, token: str, position: int) -> None:
        if self.next not in (_VALUE, _ITEM, _NAME):
            raise Json5Invalid(position)
        self._take(_unquoted(token, position))

    def word(self, token: str, position: int) -> None:
        if self.next == _NAME:
            self._take(_name(token, position))
        elif self.next in (_VALUE, _ITEM):
            self._put(_value(token, position))
        else:
            raise Json5Invalid(position)

    def _take(self, text: str) -> None:
        if self.next == _NAME:
            self._name, self.next = text, _COLON
        else:
            self._put(text)

    def _open(self, made: _Group, following: int) -> None:
        if len(self._around) >= self._most:
            raise TooDeep
        self._put(made)
        self._around.append((self._inside, self._name))
        self._inside, self.next = made, following

    def _may_close(self, mark: str) -> bool:
        if isinstance(self._inside, list):
            return mark == "]" and self.next in (_ITEM, _COMMA)
        return self._inside is not None and mark == "}" and self.next in (_NAME, _COMMA)

    def _close(self) -> None:
        self._inside, self._name = self._around.pop()
        self.next = _COMMA if self._around else _NOTHING_MORE

    def _put(self, value: JsonValue) -> None:
        inside = self._inside
        self.next = _COMMA
        if inside is None:
            self.root, self.next = value, _NOTHING_MORE
        elif isinstance(inside, list):
            inside.append(value)
        else:
            inside[self._name] = value


def _value(word: str, position: int) -> JsonValue:
    if word in _DIGITS:
        return int(word)
    if word in _WORDS:
        return _WORDS[word]
    found = _NUMBER.fullmatch(word)
    if found is None:
        raise Json5Invalid(position)
    try:
        if found["hex"]:
            return int(word, 16)
        if found["whole"] and not found["rest"]:
            return int(word)
    except ValueError as error:
        raise NumberTooLong from error
    return float(word.replace("Infinity", "inf"))


def _name(word: str, position: int) -> str:
    """Raises Json5Invalid for what is no name in ECMAScript 5.1."""
    if _PLAIN_NAME.fullmatch(word):
        return word
    name = _NAME_ESCAPE.sub(lambda found: chr(int(found[1], 16)), word)
    if not _starts_name(name[0]) or not all(_goes_on(one) for one in name):
        raise Json5Invalid(position)
    return name


def _starts_name(letter: str) -> bool:
    return letter in "$_" or unicodedata.category(letter) in _NAME_START


def _goes_on(letter: str) -> bool:
    return letter in "$_\u200c\u200d" or unicodedata.category(letter) in _NAME_PART


def _unquoted(token: str, position: int) -> str:
    """Raises Json5Invalid for an escape that there is none."""
    inner = token[1:-1]
    if "\\" not in inner:
        return inner

    def plain(found: re.Match[str]) -> str:
        if code := found[1] or found[2]:
            return chr(int(code, 16))
        letter = found[3]
        if letter in _NOTHING:
            return ""
        digit_follows = inner[found.end() : found.end() + 1].isdecimal()
        if letter in "ux123456789" or (letter == "0" and digit_follows):
            raise Json5Invalid(position + 1 + found.start())
        return _SHORT.get(letter, letter)

    made = _ESCAPE.sub(plain, inner)
    if _HALF.search(made):  # two halves of one letter, written as ECMAScript counts them
        made = made.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return made
