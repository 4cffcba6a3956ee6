"""Where things stand in the text of a JSON5 file: what an editor of it needs, and a reader does
not have.

    root = spans("{ ui: { theme: 'dark' } }")
    root.members[0].value.members[0].value      # start and end of 'dark'

Libraries that keep comments rebuild the text from a tree and have their own idea of layout; to
change one word it is enough to know where it stands. Only texts that `json5_reader` has read come
here, and whatever is made from the answer is read by it again (`rewrite`), so this need not
be a second parser: what it does not understand it refuses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BLANK = re.compile(r"(?:\s|\ufeff|//[^\n\r\u2028\u2029]*|/\*.*?\*/)++", re.DOTALL)
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_WORD = re.compile(r"[^\s,:\[\]{}\"'/]+")
_DEEPEST = 60


class Unclear(Exception):
    """The text is written in a way this module does not know."""


@dataclass(frozen=True)
class Member:
    """One member of a group, or item of a list.

    Attributes:
        key: "" of an item.
        quoted: whether the key stands in quotes.
        start: of the key, of an item of its value.
        comma: position of the comma after it, -1 when there is none.
    """

    key: str
    quoted: bool
    start: int
    value: Span
    comma: int

    @property
    def end(self) -> int:
        """After the value, or its comma."""
        return self.value.end if self.comma < 0 else self.comma + 1


@dataclass(frozen=True)
class Span:
    """A value: ``text[start:end]``. `opening` is ``{``, ``[``, or "" of a simple value."""

    start: int
    end: int
    opening: str = ""
    members: tuple[Member, ...] = ()

    def member(self, key: str) -> Member | None:
        """The one that counts: the last of that name."""
        return next((one for one in reversed(self.members) if one.key == key), None)


def spans(text: str) -> Span:
    """The one value of `text`.

    Raises:
        Unclear: see there.
    """
    scanner = _Scanner(text)
    root = scanner.value(scanner.after_blank(0), 0)
    if scanner.after_blank(root.end) != len(text):
        raise Unclear
    return root


@dataclass(frozen=True)
class _Scanner:
    text: str

    def after_blank(self, position: int) -> int:
        """After blanks and comments."""
        match = _BLANK.match(self.text, position)
        return match.end() if match else position

    def value(self, start: int, depth: int) -> Span:
        if depth > _DEEPEST:
            raise Unclear
        opening = self.text[start : start + 1]
        if opening in ("{", "["):
            return self._container(start, opening, depth)
        match = (_STRING if opening in ("'", '"') else _WORD).match(self.text, start)
        if match is None:
            raise Unclear
        return Span(start, match.end())

    def _container(self, start: int, opening: str, depth: int) -> Span:
        closing = "}" if opening == "{" else "]"
        members: list[Member] = []
        position = self.after_blank(start + 1)
        while not self.text.startswith(closing, position):
            if members and members[-1].comma < 0:
                raise Unclear
            members.append(self._member(position, opening, depth))
            position = self.after_blank(members[-1].end)
        return Span(start, position + 1, opening, tuple(members))

    def _member(self, start: int, opening: str, depth: int) -> Member:
        key, quoted, position = "", False, start
        if opening == "{":
            key, quoted, position = self._key(start)
        value = self.value(position, depth + 1)
        after = self.after_blank(value.end)
        return Member(key, quoted, start, value, after if self.text.startswith(",", after) else -1)

    def _key(self, start: int) -> tuple[str, bool, int]:
        """The key at `start`, whether in quotes, and where its value starts."""
        quoted = self.text[start : start + 1] in ("'", '"')
        match = (_STRING if quoted else _WORD).match(self.text, start)
        if match is None:
            raise Unclear
        key = match.group()[1:-1] if quoted else match.group()
        colon = self.after_blank(match.end())
        # A key with an escape in it may be any name.
        if "\\" in key or not self.text.startswith(":", colon):
            raise Unclear
        return key, quoted, self.after_blank(colon + 1)
