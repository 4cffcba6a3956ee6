"""The assistant's Markdown as a tree that a page can build without reading any HTML.

    tree_of("**Ready**, see [the log](https://a.example/x).")
    # [["p", {}, ["strong", {}, "Ready"], ", see ", ["a", {"href": "https://a.example/x"}, …], "."]]

A node is its text, or a list of a tag, attributes and nodes. The page makes elements of the tags
and sets texts, so that nothing a model wrote is ever taken for HTML there. What is on the list
below comes in, and nothing else: pictures from elsewhere are links already (`sdk.markup`), and an
address that a click would run is left out.
"""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.channel_abilities import Markup
from moltbot_desktop.sdk.markup import rendered

_TAGS = frozenset(
    "p br hr strong em s code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 a"
    " table thead tbody tr th td".split()
)
_EMPTY = frozenset({"br", "hr"})
_SCHEMES = ("http", "https", "mailto")
_DEEPEST = 40
"""Tags inside tags; what is deeper is shown without its form."""
_LANGUAGE = "language-"


def tree_of(markdown: str) -> list[JsonValue]:
    """The nodes of `markdown`, in order."""
    return nodes_of(rendered(markdown, Markup.MATRIX_HTML))


def nodes_of(html: str) -> list[JsonValue]:
    """The nodes of HTML that our own renderer wrote, whatever else it might hold."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.nodes


class _Reader(HTMLParser):
    """Of HTML that our own renderer wrote; a tag that is not on the list gives its words alone."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.nodes: list[JsonValue] = []
        self._open: list[tuple[str, list[JsonValue]]] = [("", self.nodes)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS or len(self._open) > _DEEPEST:
            return
        node: list[JsonValue] = [tag, _kept(tag, dict(attrs))]
        self._open[-1][1].append(node)
        if tag not in _EMPTY:
            self._open.append((tag, node))

    def handle_endtag(self, tag: str) -> None:
        if tag == self._open[-1][0]:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1][1].append(data)


def _kept(tag: str, attrs: dict[str, str | None]) -> dict[str, JsonValue]:
    """The attributes that a page may set."""
    address, kind, start = (attrs.get(name) or "" for name in ("href", "class", "start"))
    if tag == "a" and _may_be_opened(address):
        return {"href": address}
    if tag == "code" and kind.startswith(_LANGUAGE):
        return {"lang": kind.removeprefix(_LANGUAGE)[:40]}
    if tag == "ol" and start.isdecimal() and len(start) < 10:
        return {"start": int(start)}
    return {}


def _may_be_opened(address: str) -> bool:
    try:
        return urlsplit(address).scheme in _SCHEMES
    except ValueError:
        return False
