"""Colours of code: which characters are keywords, strings, comments. The home of pygments."""

from __future__ import annotations

from dataclasses import dataclass

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

from moltbot_desktop.ui.theme import CodeKind

MAX_COLOURED_CHARACTERS = 40_000
"""Longer code stays plain: colours do not help anyone to read that much in a chat."""


@dataclass(frozen=True)
class CodeSpan:
    """`length` units from `start` are of one kind; units as Qt counts them (UTF-16)."""

    start: int
    length: int
    kind: CodeKind


_KINDS: tuple[tuple[_TokenType, CodeKind], ...] = (
    (Comment, CodeKind.COMMENT),
    (String, CodeKind.STRING),
    (Number, CodeKind.NUMBER),
    (Literal, CodeKind.STRING),
    (Keyword, CodeKind.KEYWORD),
    (Operator.Word, CodeKind.KEYWORD),
    (Name.Builtin, CodeKind.NAME),
    (Name.Function, CodeKind.NAME),
    (Name.Class, CodeKind.NAME),
    (Name.Decorator, CodeKind.NAME),
    (Name.Tag, CodeKind.KEYWORD),
    (Name.Attribute, CodeKind.NAME),
)


def _kind(token: _TokenType) -> CodeKind | None:
    return next((kind for parent, kind in _KINDS if _is_a(token, parent)), None)


def _is_a(token: _TokenType, parent: _TokenType) -> bool:
    """Token types are tuples that begin with their parent's."""
    return token[: len(parent)] == parent[:]


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _lexer(language: str) -> Lexer | None:
    try:
        # Neither strips nor adds anything: positions must be those of the text on the screen.
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def colour_spans(code: str, language: str) -> tuple[CodeSpan, ...]:
    """The coloured parts of `code`; none for an unknown language or very long code."""
    lexer = _lexer(language) if language and len(code) <= MAX_COLOURED_CHARACTERS else None
    if lexer is None or "\r" in code:
        return ()
    spans: list[CodeSpan] = []
    at = 0
    for token, text in lexer.get_tokens(code):
        if (kind := _kind(token)) is not None and text.strip():
            spans.append(CodeSpan(at, _units(text), kind))
        at += _units(text)
    return tuple(spans)
