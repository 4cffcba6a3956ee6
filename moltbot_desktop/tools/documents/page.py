"""The text of a web page as Markdown: what a reader wants of it, without menus and scripts.

Python's own HTML parser takes whatever browsers take; nothing is loaded and no link is followed.
Where a page says which part is its article, the rest is left out.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

_NEVER = frozenset(
    "script style noscript template svg math iframe object canvas select datalist head".split()
)
_AROUND = frozenset("nav footer aside form menu dialog".split())
"""What surrounds a text; when nothing else is there, it is the text."""
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_BLOCKS = frozenset(
    "p div section article main header ul ol table tr h1 h2 h3 h4 h5 h6 blockquote pre figure "
    "figcaption dl dt dd address details summary caption thead tbody".split()
)
_LEAST_ARTICLE = 200
"""Characters; a shorter <article> is a teaser."""
_SPACES = re.compile(r"[ \t\r\f\v\xa0\u3000]+")


class _Page(HTMLParser):
    """Collects lines; `article` holds those inside <article> or <main>."""

    def __init__(self, skipped: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self._skipped = skipped
        self._open_skipped: list[str] = []
        self._in_article = 0
        self._in_cell = False
        self._in_title = False
        self._line = ""
        self.title = ""
        self.lines: list[str] = []
        self.article: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self.title:
            self._in_title = True
        if self._open_skipped:
            if tag == self._open_skipped[-1]:
                self._open_skipped.append(tag)
            return
        if tag in self._skipped:
            self._open_skipped.append(tag)
        elif tag in ("article", "main"):
            self._end_line()
            self._in_article += 1
        elif tag in ("td", "th"):
            self._line += " | " if self._in_cell else ""
            self._in_cell = True
        elif self._in_cell and tag not in ("tr", "table"):
            self._line += " "  # a cell stays on the line of its row
        elif tag == "li":
            self._end_line()
            self._line = "- "
        elif tag == "br":
            self._end_line()
        elif tag in _BLOCKS and not (tag == "p" and self._line == "- "):
            self._end_line(gap=tag not in ("tr", "div", "dd"))
            self._line = "#" * int(tag[1]) + " " if re.fullmatch("h[1-6]", tag) else ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._open_skipped:
            # A body ends whatever was left open before it.
            if tag == self._open_skipped[-1]:
                self._open_skipped.pop()
        elif self._in_cell and tag not in ("tr", "table"):
            self._line += " " if tag in _BLOCKS else ""
        elif tag in _BLOCKS or tag == "li":
            self._end_line(gap=tag in ("p", "table", "ul", "ol", "h1", "h2", "h3"))
            if tag in ("article", "main"):
                self._in_article = max(0, self._in_article - 1)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._open_skipped:
            self._line += data.replace("\n", " ")

    def close(self) -> None:
        super().close()
        self._end_line()

    def _end_line(self, gap: bool = False) -> None:
        text = _SPACES.sub(" ", self._line).strip()
        self._line, self._in_cell = "", False
        added = ([text] if text.strip("-#| ") else []) + ([""] if gap else [])
        self.lines += added
        if self._in_article:
            self.article += added


def page_text(html: str) -> str:
    """The title as a heading, then the text: headings, paragraphs, lists, tables with ``|``."""
    page = _read(html, _NEVER | _AROUND)
    article = _joined(page.article)
    text = article if len(article) >= _LEAST_ARTICLE else _joined(page.lines)
    if not text:  # a page that is one form, or whose <nav> never ends
        text = _joined(_read(html, _NEVER - {"head"}).lines)
    title = " ".join(page.title.split())
    return f"# {title}\n\n{text}" if title and not text.startswith(f"# {title}") else text


def _read(html: str, skipped: frozenset[str]) -> _Page:
    page = _Page(skipped)
    page.feed(html)
    page.close()
    return page


def _joined(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
