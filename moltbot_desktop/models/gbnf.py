"""A first look at a GBNF grammar before llama.cpp parses it. Pure.

llama.cpp writes its parse errors straight to stderr, runs out of stack on deep nesting, and takes
an empty grammar for "anything goes". What this accepts may still be refused there.
"""

from __future__ import annotations

import re

from moltbot_desktop.core.errors import GrammarRejected

MAX_CHARACTERS = 2**20
MAX_NESTING = 200
MAX_RULES = 20_000

_ESCAPE = r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[tnr\\\"\[\]])"
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r\n]+|\#[^\n]*)
    |(?P<literal>"(?:[^"\\\n]|{_ESCAPE})*")
    |(?P<set>\[(?:[^\]\\]|{_ESCAPE})*\])
    |(?P<define>[A-Za-z0-9-]+)(?=[ \t]*::=)
    |(?P<is>::=)
    |(?P<name>[A-Za-z0-9-]+)
    |(?P<open>\()
    |(?P<close>\))
    |(?P<repeat>\{{[0-9]+(?:,[0-9]*)?\}}|[*+?])
    |(?P<other>[|.])""",
    re.VERBOSE,
)


def check_gbnf(text: str) -> None:
    """Look at the grammar's words, nesting and rule names.

    Raises:
        GrammarRejected: says what is wrong, and on which line.
    """
    if len(text) > MAX_CHARACTERS:
        raise _rejected(f"it has {len(text):,} characters, more than {MAX_CHARACTERS:,}")
    if not text.isprintable() and not _is_encodable(text):
        raise _rejected("it holds a character that is no text")
    defined, used = _names(text)
    if "root" not in defined:
        raise _rejected("it has no rule `root`")
    if len(defined) > MAX_RULES:
        raise _rejected(f"it has {len(defined):,} rules, more than {MAX_RULES:,}")
    if unknown := used - defined:
        raise _rejected(f"the rule `{min(unknown)}` is used and not defined")


def _is_encodable(text: str) -> bool:
    """Neither NUL, where C strings end, nor half a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _names(text: str) -> tuple[set[str], set[str]]:
    """Rules defined and rules used."""
    defined, used, depth, position = set[str](), set[str](), 0, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _rejected(f"line {_line(text, position)} cannot be read")
        match match.lastgroup:
            case "define":
                defined.add(match[0])
            case "name":
                used.add(match[0])
            case "open":
                depth += 1
            case "close":
                depth -= 1
        if not 0 <= depth <= MAX_NESTING:
            raise _rejected(f"the brackets in line {_line(text, position)} do not fit")
        position = match.end()
    if depth:
        raise _rejected("a bracket is not closed")
    return defined, used


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _rejected(reason: str) -> GrammarRejected:
    return GrammarRejected(f"The grammar for the tools cannot be used: {reason}.")
