"""The lines of the IRC protocol, read and written; pure.

    line = read_line(b"@time=2026-11-22T12:00:00.000Z :ada!a@host PRIVMSG #lab :hello")
    line.nick, line.command, line.params        # "ada", "PRIVMSG", ("#lab", "hello")
    write_line("PRIVMSG", "#lab", "hello")      # b"PRIVMSG #lab hello\r\n"

RFC 1459 and 2812, with the message tags of IRCv3. What a server sends may be anything: a line that
is none is None, and bytes that are not UTF-8 are read in the older encoding that the settings name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

LONGEST_LINE = 8_191 + 512
"""Bytes of the tags and of the rest that a server may send; what is longer is left out."""
_ESCAPED = MappingProxyType({":": ";", "s": " ", "r": "\r", "n": "\n", "\\": "\\"})
_COMMAND = re.compile(r"[A-Za-z]+|[0-9]{3}")
_NOT_IN_A_LINE = re.compile(r"[\r\n\0]+")
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class IrcLine:
    """One message of the protocol.

    Attributes:
        command: upper-case, or three digits.
        source: ``nick!user@host`` or a server's name; "" when it names none.
        tags: of IRCv3, with their escapes taken off.
    """

    command: str
    params: tuple[str, ...] = ()
    source: str = ""
    tags: Mapping[str, str] = field(default_factory=lambda: _NOTHING)

    @property
    def nick(self) -> str:
        return self.source.partition("!")[0]

    def param(self, number: int) -> str:
        """A parameter, from 0; "" where there is none. -1 is the last."""
        return self.params[number] if -len(self.params) <= number < len(self.params) else ""


class LineBuffer:
    """Bytes as they come, cut into lines; one that is too long is left out."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._rest = b""
        self._skipping = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        *whole, rest = (self._rest + data).split(b"\n")
        for line in whole:
            if self._skipping or len(line) > self._longest:
                self._skipping = False
                continue
            yield line.rstrip(b"\r")
        if len(rest) > self._longest:
            rest, self._skipping = b"", True
        self._rest = rest


def read_line(data: bytes, fallback: str = "cp1252") -> IrcLine | None:
    """The message in a line without its end; None when it is none. `fallback`: a Python codec."""
    text = decoded(data.strip(b"\r\n"), fallback).replace("\0", "")
    tags: dict[str, str] = {}
    if text.startswith("@"):
        head, _, text = text.partition(" ")
        tags = dict(_tags(head[1:]))
    text = text.lstrip(" ")
    source = ""
    if text.startswith(":"):
        source, _, text = text[1:].partition(" ")
    before, colon, last = f" {text}".partition(" :")
    words = before.split(" ")
    command, *params = [one for one in words if one] or [""]
    if not _COMMAND.fullmatch(command):
        return None
    if colon:
        params.append(last)
    return IrcLine(command.upper(), tuple(params), source, MappingProxyType(tags))


def _tags(text: str) -> Iterator[tuple[str, str]]:
    for one in text.split(";"):
        name, _, value = one.partition("=")
        if name:
            yield name, re.sub(r"\\(.?)", lambda m: _ESCAPED.get(m[1], m[1]), value)


def write_line(command: str, *params: str) -> bytes:
    """The bytes of a message. A line break in it would begin a message that nobody meant: it
    becomes a blank.

    Raises:
        ValueError: a parameter before the last is empty, begins with a colon or has a blank.
    """
    clean = [_NOT_IN_A_LINE.sub(" ", one) for one in params]
    for one in clean[:-1]:
        if not one or one.startswith(":") or " " in one:
            raise ValueError(f"not a parameter of {command}")
    if clean and (not clean[-1] or clean[-1].startswith(":") or " " in clean[-1]):
        clean[-1] = f":{clean[-1]}"
    return " ".join((command, *clean)).encode("utf-8", "replace") + b"\r\n"


def decoded(data: bytes, fallback: str = "cp1252") -> str:
    """Bytes as UTF-8; else, when they are only cut in the midst of a character, what is whole of
    them; else in the `fallback`."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and error.start >= len(data) - 3:
            return data[: error.start].decode("utf-8")
        return data.decode(fallback, "replace")
