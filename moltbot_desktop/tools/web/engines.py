"""The two search services, as their public contracts say: SearXNG and Brave.

    engine = SearXng("https://searx.example")
    engine.address(Query("tea", count=5))       # ".../search?q=tea&format=json"
    engine.hits(b'{"results": [...]}')          # (Hit("Tea", "https://...", "..."), ...)

Pure: `search` asks. Whatever a service sends, `hits` gives hits or raises `WebRefusal`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol
from urllib.parse import urlencode, urlsplit

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.tools.web.pages import WebRefusal

BRAVE_ADDRESS = "https://api.search.brave.com/res/v1/web/search"
MOST_HITS = 10
_TITLE, _SNIPPET, _AGE = 200, 600, 60
_TAG = re.compile(r"<[^<>]{0,100}>")
_RANGES: Mapping[str, str] = MappingProxyType(
    {"pd": "day", "pw": "week", "pm": "month", "py": "year"}
)
"""Brave's words for how fresh, which are the reference's, and SearXNG's. It has no week: a month
then, rather than nothing."""


@dataclass(frozen=True)
class Query:
    """What is looked for; "" where nothing is said. `country` and languages as two letters."""

    words: str
    count: int = 5
    country: str = ""
    search_lang: str = ""
    ui_lang: str = ""
    freshness: str = ""


@dataclass(frozen=True)
class Hit:
    title: str
    url: str
    snippet: str
    age: str = ""


class Engine(Protocol):
    """How one service is asked."""

    @property
    def host(self) -> str: ...

    @property
    def headers(self) -> Mapping[str, str]:
        """May hold the key."""
        ...

    def address(self, query: Query) -> str: ...

    def hits(self, answer: bytes) -> tuple[Hit, ...]:
        """Raises WebRefusal: that is no answer."""
        ...


@dataclass(frozen=True)
class SearXng:
    """A SearXNG somebody runs, at `base`; its operator must have allowed the form json."""

    base: str

    @property
    def host(self) -> str:
        return urlsplit(self.base).hostname or ""

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Accept": "application/json"}

    def address(self, query: Query) -> str:
        language = query.search_lang or query.ui_lang
        if query.country and language:
            language = f"{language.split('-')[0]}-{query.country.upper()}"
        asked = {"q": query.words, "format": "json"}
        if language:
            asked["language"] = language
        if span := _RANGES.get(query.freshness):
            asked["time_range"] = "month" if span == "week" else span
        return f"{self.base.rstrip('/')}/search?{urlencode(asked)}"

    def hits(self, answer: bytes) -> tuple[Hit, ...]:
        rows = _rows(_read(answer), "results")
        return tuple(_hits(rows, snippet="content", age="publishedDate"))


@dataclass(frozen=True)
class Brave:
    key: str = field(repr=False)
    url: str = BRAVE_ADDRESS

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Accept": "application/json", "X-Subscription-Token": self.key}

    def address(self, query: Query) -> str:
        asked = {"q": query.words, "count": str(query.count)}
        more = {
            "country": query.country,
            "search_lang": query.search_lang,
            "ui_lang": query.ui_lang,
            "freshness": query.freshness,
        }
        return f"{self.url}?{urlencode({**asked, **{k: v for k, v in more.items() if v}})}"

    def hits(self, answer: bytes) -> tuple[Hit, ...]:
        found = _read(answer)
        web = found.get("web")
        rows = _rows(web, "results") if isinstance(web, Mapping) else ()
        return tuple(_hits(rows, snippet="description", age="age"))


def _read(answer: bytes) -> Mapping[str, JsonValue]:
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise WebRefusal("the search service sent no JSON", "no_answer") from error
    if not isinstance(found, dict):
        raise WebRefusal("the search service sent something else", "no_answer")
    return found


def _rows(found: Mapping[str, JsonValue], name: str) -> tuple[Mapping[str, JsonValue], ...]:
    rows = found.get(name)
    listed = rows if isinstance(rows, list) else []
    return tuple(row for row in listed if isinstance(row, Mapping))


def _hits(rows: tuple[Mapping[str, JsonValue], ...], snippet: str, age: str) -> Iterator[Hit]:
    for row in rows:
        url = row.get("url")
        if isinstance(url, str) and url.startswith(("http://", "https://")) and len(url) < 2_000:
            yield Hit(
                _plain(row.get("title"), _TITLE) or url,
                url,
                _plain(row.get(snippet), _SNIPPET),
                _plain(row.get(age), _AGE),
            )


def _plain(value: JsonValue, most: int) -> str:
    """Without tags and line ends; services mark the words that were found."""
    if not isinstance(value, str):
        return ""
    return " ".join(html.unescape(_TAG.sub("", value[: most * 4])).split())[:most]
