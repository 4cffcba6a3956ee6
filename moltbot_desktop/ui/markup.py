"""Markdown to plain values: what to draw, without saying how. The home of markdown-it.

No HTML comes out of here, and none goes in (`html=False`): the document is written with a
QTextCursor, so nothing an answer contains can become a tag, a style or an image request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from moltbot_desktop.core.late import LateModule
from moltbot_desktop.ui.bare_addresses import pieces
from moltbot_desktop.ui.latex import readable

if TYPE_CHECKING:
    import markdown_it
    from markdown_it.token import Token
else:
    markdown_it = LateModule("markdown_it")

MAX_NESTING = 6
"""Deeper lists and quotes are drawn at this depth; there is no room to indent further."""


@dataclass(frozen=True)
class Span:
    """Text of one look. `link` is an address, "" for none; `image` marks an image's description."""

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    link: str = ""
    image: bool = False


class ItemMark(StrEnum):
    """What stands before a paragraph of a list; only an item's first paragraph has one."""

    NONE = ""
    BULLET = "bullet"
    NUMBER = "number"
    TODO = "todo"
    DONE = "done"


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, a heading (`level` 1..6) or a list item's paragraph.

    Attributes:
        depth: how many lists it stands in.
        quote: how many quotes it stands in.
        number: of a `NUMBER` item.
        list_id: equal for the items of one list.
    """

    spans: tuple[Span, ...]
    level: int = 0
    depth: int = 0
    quote: int = 0
    mark: ItemMark = ItemMark.NONE
    number: int = 0
    list_id: int = 0


@dataclass(frozen=True)
class CodeBlock:
    text: str
    language: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first row is the header. All rows have the same length."""

    rows: tuple[tuple[tuple[Span, ...], ...], ...]


@dataclass(frozen=True)
class Rule:
    """A line across."""


Piece = Paragraph | CodeBlock | Table | Rule


@dataclass
class _List:
    ordered: bool
    next_number: int
    list_id: int
    pending: ItemMark = ItemMark.NONE
    """Waits for the item's first paragraph."""


class MarkdownReader:
    """Reads blocks of Markdown. Keeps the parser, which is slow to make; has no other state."""

    @cached_property
    def _parser(self) -> markdown_it.MarkdownIt:
        parser = markdown_it.MarkdownIt("commonmark", {"html": False})
        return parser.enable(["table", "strikethrough"])

    def prepare(self) -> None:
        """Load and make the parser, on any thread: 25 ms that no answer need wait for."""
        _ = self._parser

    def read(self, markdown: str) -> tuple[Piece, ...]:
        """What to draw for `markdown`, top to bottom."""
        return tuple(_Walk().pieces(self._parser.parse(readable(markdown))))


class _Walk:
    """One pass over the tokens of a block."""

    def __init__(self) -> None:
        self._lists: list[_List] = []
        self._quote = 0
        self._level = 0
        self._made_lists = 0
        self._rows: list[list[tuple[Span, ...]]] | None = None
        self._pieces: list[Piece] = []

    def pieces(self, tokens: Sequence[Token]) -> list[Piece]:
        for token in tokens:
            self._take(token)
        return self._pieces

    def _take(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._open_list(token)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._lists[-1].pending = ItemMark.BULLET
            case "list_item_close":
                self._close_item()
            case "blockquote_open":
                self._quote += 1
            case "blockquote_close":
                self._quote -= 1
            case "heading_open":
                self._level = int(token.tag[1:])
            case "heading_close":
                self._level = 0
            case "fence" | "code_block":
                language = token.info.strip().split(" ")[0]
                self._pieces.append(CodeBlock(token.content.rstrip("\n"), language))
            case "hr":
                self._pieces.append(Rule())
            case "table_open" | "table_close" | "tr_open":
                self._table(token.type)
            case "inline":
                self._inline(token)

    def _open_list(self, token: Token) -> None:
        self._made_lists += 1
        start = token.attrGet("start")
        number = int(start) if start is not None else 1
        self._lists.append(_List(token.type.startswith("ordered"), number, self._made_lists))

    def _close_item(self) -> None:
        if self._lists[-1].pending is not ItemMark.NONE:
            self._paragraph(())  # an item without text still has its bullet

    def _table(self, kind: str) -> None:
        if kind == "table_open":
            self._rows = []
        elif kind == "tr_open" and self._rows is not None:
            self._rows.append([])
        elif kind == "table_close" and self._rows is not None:
            self._pieces.append(Table(tuple(map(tuple, self._rows))))
            self._rows = None

    def _inline(self, token: Token) -> None:
        spans = _spans(token.children or ())
        if self._rows is not None and self._rows:
            self._rows[-1].append(spans)
        else:
            self._paragraph(spans)

    def _paragraph(self, spans: tuple[Span, ...]) -> None:
        depth = min(len(self._lists), MAX_NESTING)
        plain = Paragraph(spans, self._level, depth, min(self._quote, MAX_NESTING))
        if self._lists and self._lists[-1].pending is not ItemMark.NONE:
            plain = self._marked(plain, self._lists[-1])
        self._pieces.append(plain)

    def _marked(self, plain: Paragraph, inside: _List) -> Paragraph:
        inside.pending = ItemMark.NONE
        if inside.ordered:
            number = inside.next_number
            inside.next_number += 1
            return replace(plain, mark=ItemMark.NUMBER, number=number, list_id=inside.list_id)
        mark, spans = _task(plain.spans)
        return replace(plain, mark=mark, spans=spans, list_id=inside.list_id)


def _task(spans: tuple[Span, ...]) -> tuple[ItemMark, tuple[Span, ...]]:
    """`[ ] text` and `[x] text` are tasks; anything else is a bullet."""
    first = spans[0].text if spans else ""
    for start, mark in (("[ ] ", ItemMark.TODO), ("[x] ", ItemMark.DONE), ("[X] ", ItemMark.DONE)):
        if first.startswith(start):
            return mark, (replace(spans[0], text=first[len(start) :]), *spans[1:])
    return ItemMark.BULLET, spans


def _spans(children: Sequence[Token]) -> tuple[Span, ...]:
    """Inline tokens as spans; looks nest, so a plain span carries the looks open at its place."""
    look = Span("")
    links: list[str] = []
    made: list[Span] = []
    for token in children:
        match token.type:
            case "strong_open" | "strong_close":
                look = replace(look, bold=token.nesting > 0)
            case "em_open" | "em_close":
                look = replace(look, italic=token.nesting > 0)
            case "s_open" | "s_close":
                look = replace(look, strike=token.nesting > 0)
            case "link_open":
                links.append(str(token.attrGet("href") or ""))
            case "link_close":
                links.pop()
            case "softbreak" | "hardbreak":
                made.append(replace(look, text="\n"))
            case "code_inline":
                made.append(replace(look, text=token.content, code=True, link=_last(links)))
            case "image":
                address = str(token.attrGet("src") or "")
                made.append(Span(token.content or address, link=address, image=True))
            case _ if links:
                made.append(replace(look, text=token.content, link=links[-1]))
            case _:
                for words, address in pieces(token.content):
                    made.append(replace(look, text=words, link=address))
    return tuple(one for one in made if one.text)


def _last(links: Sequence[str]) -> str:
    return links[-1] if links else ""
