"""Markdown in the form that a platform takes.

    rendered("**Ready**, see [the log](https://a.example/x).", Markup.TELEGRAM_HTML)
    # '<b>Ready</b>, see <a href="https://a.example/x">the log</a>.'
    styled("**Ready**")
    # ("Ready", (StyledRange(0, 5, Style.BOLD),)), where a platform is told the form beside words

The program does this to all that it hands to a channel; a channel itself needs it only to say
something again in another form, mostly `Markup.PLAIN` when the platform did not like the first.
Text is cut in pieces before. HTML that a model wrote is text; a picture from elsewhere becomes a
link, since a platform would load it, and with it tell its server that it was seen.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from moltbot_desktop.core.late import LateModule
from moltbot_desktop.sdk.channel_abilities import Markup, TextUnit

if TYPE_CHECKING:
    import markdown_it
    from markdown_it import tree as markdown_tree
    from markdown_it.tree import SyntaxTreeNode
else:
    markdown_it = LateModule("markdown_it")
    markdown_tree = LateModule("markdown_it.tree")

_LINKED = ("http", "https", "mailto")
_DISCORD_SIGNS = re.compile(r"[\\*`~|]|(?<![^\W_])_|_(?![^\W_])")


@dataclass(frozen=True)
class _Dialect:
    """How one platform writes things; each gets text that is written already, `escape` bare."""

    escape: Callable[[str], str]
    bold: Callable[[str], str]
    italic: Callable[[str], str]
    strike: Callable[[str], str]
    code: Callable[[str], str]
    fence: Callable[[str, str], str]
    link: Callable[[str, str], str]
    heading: Callable[[str, int], str]
    quote: Callable[[str], str]


def rendered(text: str, markup: Markup) -> str:
    """`text`, which is CommonMark with tables, in `markup`."""
    if markup is Markup.MARKDOWN:
        return text
    if markup is Markup.MATRIX_HTML:
        page: str = _parser(images=False).render(text)
        return page.strip()
    return _Writer(_DIALECTS[markup]).blocks(_tree(text).children).strip("\n")


class Style(StrEnum):
    """What a range of words can be on a platform that is told so beside them."""

    BOLD = "bold"
    ITALIC = "italic"
    STRIKE = "strike"
    CODE = "code"


@dataclass(frozen=True)
class StyledRange:
    """From `start` on, `length` long; both in UTF-16 code units of the plain words."""

    start: int
    length: int
    style: Style


def styled(text: str) -> tuple[str, tuple[StyledRange, ...]]:
    """`text`, which is CommonMark with tables, as plain words and what they are; by start."""
    marked = _Writer(_STYLED).blocks(_tree(_MARKS.sub("", text)).children).strip("\n")
    plain: list[str] = []
    ranges: list[StyledRange] = []
    open_at: list[int] = []
    at = 0
    for piece in _MARKS_APART.split(marked):
        if piece == _BEGIN:
            open_at.append(at)
        elif piece in _ENDS:
            begun = open_at.pop()
            if at > begun:
                ranges.append(StyledRange(begun, at - begun, _ENDS[piece]))
        else:
            plain.append(piece)
            at += TextUnit.UTF16.size(piece)
    return "".join(plain), tuple(sorted(ranges, key=lambda one: (one.start, -one.length)))


@cache
def _parser(*, images: bool = True) -> markdown_it.MarkdownIt:
    """One for all threads: it keeps nothing of a text, and its rules are ready when it returns."""
    options = {"html": False, "breaks": True}
    parser = markdown_it.MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    if not images:
        parser.disable("image")
    parser.parse("ready")  # the chains of rules are made at the first use, which no lock guards
    return parser


def _tree(text: str) -> SyntaxTreeNode:
    """Without the way up, which nobody goes: a tree with it is garbage that only a collection
    finds, and while it looks for it the window waits."""
    tree = markdown_tree.SyntaxTreeNode(_parser().parse(text))
    for node in tree.walk():
        node.parent = None
    return tree


@dataclass(frozen=True)
class _Writer:
    dialect: _Dialect

    def blocks(self, nodes: Sequence[SyntaxTreeNode], between: str = "\n\n") -> str:
        return between.join(filter(None, map(self._block, nodes)))

    def _block(self, node: SyntaxTreeNode) -> str:
        write = self.dialect
        match node.type:
            case "paragraph" | "inline":
                return self._inside(node.children)
            case "heading":
                return write.heading(self._inside(node.children), int(node.tag[1:]))
            case "fence" | "code_block":
                language = node.info.split()[0] if node.info.split() else ""
                return write.fence(node.content.rstrip("\n"), language)
            case "blockquote":
                return write.quote(self.blocks(node.children))
            case "bullet_list":
                return self._list(node, lambda _: "•")
            case "ordered_list":
                first = int(node.attrGet("start") or 1) if node.attrs else 1
                return self._list(node, lambda number: f"{first + number}.")
            case "table":
                return write.fence(_table(node), "")
            case "hr":
                return "———"
            case _:
                return self.blocks(node.children) if node.children else ""

    def _list(self, node: SyntaxTreeNode, mark: Callable[[int], str]) -> str:
        items = []
        for number, item in enumerate(node.children):
            first, *rest = self.blocks(item.children, "\n").split("\n")
            lines = [f"{mark(number)} {first}", *(f"  {line}" if line else "" for line in rest)]
            items.append("\n".join(lines))
        return "\n".join(items)

    def _inside(self, nodes: Sequence[SyntaxTreeNode]) -> str:
        return "".join(map(self._inline, nodes))

    def _inline(self, node: SyntaxTreeNode) -> str:
        write = self.dialect
        match node.type:
            case "text":
                return write.escape(node.content)
            case "code_inline":
                return write.code(node.content)
            case "softbreak" | "hardbreak":
                return "\n"
            case "strong":
                return write.bold(self._inside(node.children))
            case "em":
                return write.italic(self._inside(node.children))
            case "s":
                return write.strike(self._inside(node.children))
            case "link" | "image":
                return self._link(node)
            case _:
                return self._inside(node.children)

    def _link(self, node: SyntaxTreeNode) -> str:
        address = str(node.attrs.get("src" if node.type == "image" else "href", ""))
        words = _bare(node)
        if urlsplit(address).scheme not in _LINKED:
            return self.dialect.escape(f"{words} ({address})" if address else words)
        return self.dialect.link(self.dialect.escape(words) if words else "", address)


def _bare(node: SyntaxTreeNode) -> str:
    """The words of a node without any form."""
    if node.type in ("text", "code_inline"):
        return node.content
    if node.type in ("softbreak", "hardbreak"):
        return " "
    return "".join(map(_bare, node.children))


def _table(node: SyntaxTreeNode) -> str:
    """Columns of equal width, for a typeface that has them."""
    rows = [
        [_bare(cell) for cell in row.children] for part in node.children for row in part.children
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _same(text: str) -> str:
    return text


def _around(mark: str) -> Callable[[str], str]:
    return lambda text: f"{mark}{text}{mark}" if text.strip() else text


def _tag(name: str) -> Callable[[str], str]:
    return lambda text: f"<{name}>{text}</{name}>"


def _lines_quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _words_and_address(words: str, address: str) -> str:
    return address if words in ("", address) else f"{words} ({address})"


def _ticked(text: str) -> str:
    """Code in a line, whatever ticks are in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    mark = "`" * (longest + 1)
    return f"{mark} {text} {mark}" if longest else f"`{text}`"


def _fenced(text: str, language: str) -> str:
    # A fence that the code itself has must not end it: the ticks are parted by nothing.
    body = text.replace("```", "`\u200b`\u200b`")
    return f"```{language}\n{body}\n```"


def _slack_escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _telegram_fence(text: str, language: str) -> str:
    kind = f' class="language-{html.escape(language)}"' if language else ""
    return f"<pre><code{kind}>{html.escape(text, quote=False)}</code></pre>"


def _slack_link(words: str, address: str) -> str:
    address = address.replace("|", "%7C").replace(">", "%3E").replace("<", "%3C")
    address = address.replace("&", "&amp;")
    return f"<{address}|{words.replace('|', '¦')}>" if words else f"<{address}>"


def _discord_heading(text: str, level: int) -> str:
    return f"{'#' * level} {text}" if level <= 3 else f"**{text}**"


_DIALECTS = {
    Markup.PLAIN: _Dialect(
        escape=_same,
        bold=_same,
        italic=_same,
        strike=_same,
        code=_same,
        fence=lambda text, _: text,
        link=_words_and_address,
        heading=lambda text, _: text,
        quote=_lines_quoted,
    ),
    Markup.TELEGRAM_HTML: _Dialect(
        escape=lambda text: html.escape(text, quote=False),
        bold=_tag("b"),
        italic=_tag("i"),
        strike=_tag("s"),
        code=lambda text: f"<code>{html.escape(text, quote=False)}</code>",
        fence=_telegram_fence,
        link=lambda words, address: (
            f'<a href="{html.escape(address)}">{words or html.escape(address)}</a>'
        ),
        heading=lambda text, _: f"<b>{text}</b>",
        quote=_tag("blockquote"),
    ),
    Markup.SLACK_MRKDWN: _Dialect(
        escape=_slack_escaped,
        bold=_around("*"),
        italic=_around("_"),
        strike=_around("~"),
        code=lambda text: f"`{_slack_escaped(text)}`",
        fence=lambda text, _: _fenced(_slack_escaped(text), ""),
        link=_slack_link,
        heading=lambda text, _: f"*{text}*",
        quote=_lines_quoted,
    ),
    Markup.DISCORD: _Dialect(
        escape=lambda text: _DISCORD_SIGNS.sub(r"\\\g<0>", text),
        bold=_around("**"),
        italic=_around("*"),
        strike=_around("~~"),
        code=_ticked,
        fence=_fenced,
        link=lambda words, address: (
            f"[{words}]({address})" if words and words != address else address
        ),
        heading=_discord_heading,
        quote=_lines_quoted,
    ),
    Markup.IRC: _Dialect(
        escape=_same,
        bold=_around("\x02"),
        italic=_around("\x1d"),
        strike=_around("\x1e"),
        code=_around("\x11"),
        fence=lambda text, _: "\n".join(map(_around("\x11"), text.split("\n"))),
        link=_words_and_address,
        heading=lambda text, _: f"\x02{text}\x02",
        quote=_lines_quoted,
    ),
}


# Code points that are no characters, and never will be, mark where a style begins and ends.
_MARKS = re.compile("[\ufdd0-\ufdef]")
_MARKS_APART = re.compile("([\ufdd0-\ufdd4])")
_BEGIN = "\ufdd0"
_ENDS = dict(zip("\ufdd1\ufdd2\ufdd3\ufdd4", Style, strict=True))


def _as(style: Style) -> Callable[[str], str]:
    end = next(mark for mark, one in _ENDS.items() if one is style)

    def marked(line: str) -> str:
        words = line.strip()
        before, _, after = line.partition(words) if words else (line, "", "")
        return f"{before}{_BEGIN}{words}{end}{after}" if words else line

    # Line by line: a list or a quotation puts its own signs before each.
    return lambda text: "\n".join(map(marked, text.split("\n")))


_STYLED = replace(
    _DIALECTS[Markup.PLAIN],
    bold=_as(Style.BOLD),
    italic=_as(Style.ITALIC),
    strike=_as(Style.STRIKE),
    code=_as(Style.CODE),
    fence=lambda text, _: _as(Style.CODE)(text),
    heading=lambda text, _: _as(Style.BOLD)(text),
)
