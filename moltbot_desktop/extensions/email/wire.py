"""What an IMAP server answers to FETCH, and what it says an e-mail is made of; pure (RFC 9051).

    for answer in read_fetched(data):             # as imaplib gives it
        answer["UID"], answer["BODY[HEADER]<0>"]
    part = read_structure(answer["BODYSTRUCTURE"])

A structure is written by the server from what a stranger has sent: it has a depth and a number of
parts that are looked at, and what is beyond is one file that nobody opens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

MOST_DEPTH = 20
"""Of parts within parts."""
MOST_PARTS = 200
_MOST_NESTING = 100
_MOST_TOKENS = 50_000
_ITEMS = 2
"""How deep the items of a message stand, which are kept however long one of them is."""
_SPACE = b" \t\r\n"
_ENDS = b' \t\r\n()"'

Node: TypeAlias = "bytes | list[Node] | None"
"""An atom or a string, NIL, or a list."""
NOTHING: Mapping[str, str] = MappingProxyType({})


class Malformed(ValueError):
    """The server's account of an e-mail is none."""


@dataclass(frozen=True)
class Part:
    """One part of an e-mail, as its structure has it.

    Attributes:
        number: by which it is fetched, such as ``1.2``; "" for a whole of several.
        kind: such as ``text/plain``, lower-case.
        params: of the kind, such as ``charset``; names in lower case, values as they are written.
        encoding: of the transfer, lower-case.
        size: encoded, in bytes.
        disposition: ``inline``, ``attachment`` or "".
        about: the disposition's parameters.
    """

    number: str
    kind: str
    params: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    encoding: str = ""
    size: int = 0
    disposition: str = ""
    about: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    parts: tuple[Part, ...] = ()


def read_fetched(data: Iterable[object]) -> tuple[Mapping[str, Node], ...]:
    """Each message's items by name, in upper case. What makes no sense is not there: one message
    that somebody sent on purpose holds up none of the others.

    Args:
        data: of imaplib: bytes, and pairs of bytes whose second is a literal.
    """
    found = []
    for group in _groups(data):
        tree = _tree(group)
        items = next((one for one in tree if isinstance(one, list)), None)
        if items is None:
            continue
        pairs = zip(items[::2], items[1::2], strict=False)
        found.append({_text(name).upper(): value for name, value in pairs})
    return tuple(found)


def read_structure(node: Node) -> Part:
    """The parts of an e-mail. Raises Malformed."""
    return _Reader().part(node, "", 0)


def number(node: Node) -> int:
    """A number; 0 for what is none."""
    text = _text(node)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


@dataclass
class _Reader:
    """Reads one structure; counts the parts that it has seen."""

    seen: int = 0

    def part(self, node: Node, place: str, depth: int) -> Part:
        if not isinstance(node, list) or not node:
            raise Malformed("a part that is no list")
        self.seen += 1
        inner = list(_leading(node))
        if not inner:
            return self._single(node, place or "1")
        if depth >= MOST_DEPTH or self.seen + len(inner) > MOST_PARTS:
            return Part(place, "application/octet-stream")
        rest = node[len(inner) :]
        before = f"{place}." if place else ""
        parts = tuple(
            self.part(one, f"{before}{count}", depth + 1) for count, one in enumerate(inner, 1)
        )
        subtype = _text(rest[0]).lower() if rest else "mixed"
        params = _params(rest[1]) if len(rest) > 1 else NOTHING
        disposition, about = _disposition(rest[2:])
        return Part("", f"multipart/{subtype}", params, "", 0, disposition, about, parts)

    def _single(self, node: list[Node], place: str) -> Part:
        kind = f"{_text(node[0])}/{_text(node[1]) if len(node) > 1 else ''}".lower()
        params = _params(node[2]) if len(node) > 2 else NOTHING
        encoding = _text(node[5]).lower() if len(node) > 5 else ""
        size = number(node[6]) if len(node) > 6 else 0
        # Behind the size: for text its lines; for a message its envelope, its parts and lines.
        fixed = 8 if kind.startswith("text/") else 10 if kind == "message/rfc822" else 7
        disposition, about = _disposition(node[fixed + 1 :])
        return Part(place, kind, params, encoding, size, disposition, about)


def _leading(node: list[Node]) -> Iterator[Node]:
    for one in node:
        if not isinstance(one, list):
            return
        yield one


def _disposition(rest: Sequence[Node]) -> tuple[str, Mapping[str, str]]:
    for one in rest[:1]:
        if isinstance(one, list) and one and isinstance(one[0], bytes):
            return _text(one[0]).lower(), _params(one[1]) if len(one) > 1 else NOTHING
    return "", NOTHING


def _params(node: Node) -> Mapping[str, str]:
    if not isinstance(node, list):
        return NOTHING
    found: dict[str, str] = {}
    for name, value in zip(node[::2], node[1::2], strict=False):
        if isinstance(name, bytes) and isinstance(value, bytes):
            found.setdefault(_text(name).lower(), _text(value))
    return MappingProxyType(found)


def _text(node: Node) -> str:
    return node.decode("utf-8", "surrogateescape") if isinstance(node, bytes) else ""


# ------------------------------------------------------------------ the wire


def _groups(data: Iterable[object]) -> Iterator[list[bytes | tuple[bytes, bytes]]]:
    """What belongs to one message: literals cut the line that the server wrote."""
    group: list[bytes | tuple[bytes, bytes]] = []
    for item in data:
        if isinstance(item, tuple) and len(item) == 2:
            group.append(item)
        elif isinstance(item, bytes):
            yield [*group, item]
            group = []
    if group:
        yield group


def _tree(group: Sequence[bytes | tuple[bytes, bytes]]) -> list[Node]:
    top: list[Node] = []
    stack = [top]
    beyond = 0  # how deep we are in what is not looked at
    for count, (kind, value) in enumerate(_tokens(group)):
        too_long = count > _MOST_TOKENS and len(stack) > _ITEMS
        if kind == "(" and (beyond or too_long or len(stack) > _MOST_NESTING):
            beyond += 1
        elif kind == ")" and beyond:
            beyond -= 1
        elif beyond or (too_long and kind != ")"):
            continue
        elif kind == "(":
            inner: list[Node] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif kind == ")":
            if len(stack) > 1:
                stack.pop()
        else:
            stack[-1].append(value if kind == "s" or value.upper() != b"NIL" else None)
    return top


def _tokens(group: Sequence[bytes | tuple[bytes, bytes]]) -> Iterator[tuple[str, bytes]]:
    """("(", …), (")", …), ("a", an atom) and ("s", a string)."""
    for piece in group:
        if isinstance(piece, bytes):
            yield from _words(piece)
            continue
        line, literal = piece
        yield from _words(line[: line.rfind(b"{")] if line.endswith(b"}") else line)
        yield "s", literal


def _words(line: bytes) -> Iterator[tuple[str, bytes]]:
    at, end = 0, len(line)
    while at < end:
        sign = line[at : at + 1]
        if sign in _SPACE:
            at += 1
        elif sign in b"()":
            yield sign.decode(), b""
            at += 1
        elif sign == b'"':
            word, at = _quoted(line, at + 1)
            yield "s", word
        else:
            begin = at
            while at < end and line[at] not in _ENDS:
                at += 1
            yield "a", line[begin:at]


def _quoted(line: bytes, at: int) -> tuple[bytes, int]:
    word = bytearray()
    while at < len(line):
        sign = line[at]
        if sign == 0x22:
            return bytes(word), at + 1
        if sign == 0x5C:
            at += 1
            sign = line[at] if at < len(line) else 0x20
        word.append(sign)
        at += 1
    return bytes(word), at
