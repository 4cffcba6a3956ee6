"""A page of the web as Markdown with its links, which a saved page's text (`page`) leaves out.

What surrounds the text goes; where a page says which part is its article, that alone is taken.
`markdownify` writes the Markdown. Addresses are made whole by the page's ``<base>``, which the
caller puts in front of a page that comes without its place.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Comment, Tag
from markdownify import MarkdownConverter

from moltbot_desktop.tools.documents.loose_markup import LooseSoup, straightened
from moltbot_desktop.tools.documents.plain_words import put_in_words
from moltbot_desktop.tools.documents.trouble import NoText, Trouble

_NEVER = (
    "script style noscript template svg math iframe object embed canvas select datalist nav footer "
    "aside form menu dialog head title img video audio source button input"
).split()
_LEAST_ARTICLE = 200
_DEEPEST = 300
"""Elements inside each other; both libraries call themselves for each."""
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]*)", re.IGNORECASE)
_UNCOUNTED = frozenset(
    "area base br col embed hr img input link meta source track wbr "
    "p li dt dd tr td th thead tbody tfoot".split()
)
"""They hold nothing, or end where the next one begins: a page of them is not deep."""


def web_markdown(html: str) -> str:
    """Title as a heading, then the text. Raises NoText for a page nested without end."""
    if _depth(html) > _DEEPEST:
        raise NoText(Trouble.DAMAGED)
    try:
        return _markdown(html)
    except RecursionError as error:  # by tags that end what never began, which `_depth` believes
        raise NoText(Trouble.DAMAGED) from error


def _markdown(html: str) -> str:
    soup = LooseSoup(html, "html.parser")
    named = next((one for one in soup.find_all("title") if one.find_parent("svg") is None), None)
    title = " ".join(named.get_text().split()) if named else ""
    base = soup.find("base", href=True)
    at = str(base["href"]) if isinstance(base, Tag) else ""
    put_in_words(soup, _is_unseen)
    for hidden in soup.find_all(_is_hidden):
        hidden.decompose()
    for comment in soup.find_all(string=lambda text: isinstance(text, Comment)):
        comment.extract()
    for link in soup.find_all("a", href=True):
        _made_whole(link, at)
    straightened(soup)
    for words in soup.find_all(string=lambda said: "|" in said):
        if words.find_parent(["td", "th"]):
            words.replace_with(words.replace("|", "\\|"))  # a stroke of its own ends no cell
    converter = MarkdownConverter(heading_style="ATX", bullets="-", autolinks=False)
    text = str(converter.convert_soup(_text_of(soup))).strip()
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    while "\n\n\n" in lines:
        lines = lines.replace("\n\n\n", "\n\n")
    return f"# {title}\n\n{lines}" if title and not lines.startswith(f"# {title}") else lines


def _depth(html: str) -> int:
    """How many elements lie inside each other at most, as far as the tags tell."""
    depth = deepest = 0
    for tag in _TAG.finditer(html):
        if tag.group(2).lower() in _UNCOUNTED:
            continue
        if tag.group(1):
            depth = max(depth - 1, 0)
        else:
            depth += 1
            deepest = max(deepest, depth)
    return deepest


def _text_of(soup: BeautifulSoup) -> BeautifulSoup | Tag:
    """The article, when there is one that is no teaser."""
    found = soup.find_all(["article", "main"])
    whole = [one for one in found if len(one.get_text()) >= _LEAST_ARTICLE]
    return max(whole, key=lambda one: len(one.get_text())) if whole else soup


def _is_hidden(tag: Tag) -> bool:
    """Never shown: what a reader cannot see, a model must not read."""
    return tag.name in _NEVER or _is_unseen(tag)


def _is_unseen(tag: Tag) -> bool:
    if tag.has_attr("hidden") or tag.get("aria-hidden") == "true":
        return True
    style = str(tag.get("style", "")).replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style or "font-size:0" in style


def _made_whole(link: Tag, base: str) -> None:
    try:
        address = urljoin(base, str(link["href"]).strip())
    except ValueError:
        address = ""
    if address.startswith(("http://", "https://")):
        link["href"] = address
        del link["title"]
    else:
        link.unwrap()  # script, mail, a place on the same page: words alone
