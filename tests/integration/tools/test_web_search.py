"""`web_search` against loopback servers that keep the public contracts of SearXNG and Brave."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult
from moltbot_desktop.tools.web.addresses import ReadAddresses
from moltbot_desktop.tools.web.cache import Recent
from moltbot_desktop.tools.web.engines import Brave, Engine, Query, SearXng
from moltbot_desktop.tools.web.pages import WebRefusal
from moltbot_desktop.tools.web.search import SearchSettings, WebSearch
from tests.fakes.tool_context import call, tool_context
from tests.fakes.way import FakeWay

SEARX = {
    "query": "tea",
    "number_of_results": 2,
    "results": [
        {"title": "Tea", "url": "https://tea.example/", "content": "All about <b>tea</b>.",
         "engine": "wikipedia", "publishedDate": "2026-11-01T00:00:00"},
        {"title": "", "url": "https://leaf.example/a", "content": None},
        {"title": "Script", "url": "javascript:alert(1)", "content": "no"},
    ],
    "answers": [], "suggestions": [],
}  # fmt: skip
BRAVE = {
    "type": "search",
    "web": {"type": "search", "results": [
        {"title": "Tea &amp; more", "url": "https://tea.example/", "description":
         "All about <strong>tea</strong>.", "age": "2 days ago"},
    ]},
}  # fmt: skip


class Service:
    """A server that answers `answer` with `status`; what was asked is kept."""

    def __init__(self, answer: object, status: int = 200) -> None:
        self.answer, self.status = answer, status
        self.asked: list[tuple[str, dict[str, list[str]], dict[str, str]]] = []

    @contextmanager
    def running(self) -> Iterator[str]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.asked.append((parts.path, parse_qs(parts.query), headers))
                body = json.dumps(service.answer).encode()
                self.send_response(service.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *values: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class Searching:
    def __init__(self, engine: Engine | None) -> None:
        self.way = FakeWay()
        self.clock = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))
        self.known = ReadAddresses()
        found = SearchSettings(engine)
        self.tool = WebSearch(self.way, self.clock, self.known, Recent(self.clock), lambda: found)

    def __call__(self, context: ToolContext | None = None, **arguments) -> ToolResult:
        return call(self.tool, context or tool_context(), **{"query": "tea", **arguments})


def test_searxng_is_asked_as_its_contract_says() -> None:
    service = Service(SEARX)
    with service.running() as base:
        search = Searching(SearXng(base + "/searx/"))
        result = search(search_lang="de", country="ch", freshness="pw")
    [(path, query, _)] = service.asked
    assert path == "/searx/search"
    assert query == {
        "q": ["tea"], "format": ["json"], "language": ["de-CH"], "time_range": ["month"],
    }  # fmt: skip
    assert result.ok and result.taints
    assert result.data["results"] == [
        {"title": "Tea", "url": "https://tea.example/", "snippet": "All about tea.",
         "age": "2026-11-01T00:00:00"},
        {"title": "https://leaf.example/a", "url": "https://leaf.example/a", "snippet": ""},
    ]  # fmt: skip
    assert "1. [Tea](https://tea.example/) — All about tea." in result.display
    assert search.way.opened == ["127.0.0.1"]


def test_brave_is_asked_with_the_key_that_is_shown_nowhere() -> None:
    service = Service(BRAVE)
    with service.running() as base:
        engine = Brave("s3cret", f"{base}/res/v1/web/search")
        result = Searching(engine)(count=3, country="US", freshness="pd")
    [(path, query, headers)] = service.asked
    assert path == "/res/v1/web/search"
    assert query == {"q": ["tea"], "count": ["3"], "country": ["US"], "freshness": ["pd"]}
    assert headers["x-subscription-token"] == "s3cret"
    assert "s3cret" not in repr(engine)
    assert "s3cret" not in str(result)
    [row] = result.data["results"]
    assert (row["title"], row["snippet"]) == ("Tea & more", "All about tea.")


def test_the_same_search_is_asked_once_and_a_result_may_be_read_next() -> None:
    service = Service(SEARX)
    with service.running() as base:
        search = Searching(SearXng(base))
        search()
        search()
    assert len(service.asked) == 1
    context = tool_context()
    assert search.known.named(context.session, "https://tea.example/", "")


def test_without_a_service_it_says_how_to_get_one() -> None:
    assert "searxng.baseUrl" in Searching(None)().display
    assert "searxng.baseUrl" in Searching(None)(tool_context(language=Language.CHINESE)).display


def test_a_closed_seal_stops_a_service_of_this_computer_too() -> None:
    service = Service(SEARX)
    with service.running() as base:
        search = Searching(SearXng(base))
        search.way.closed = True
        assert "seal" in search().display
    assert service.asked == []


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (403, SEARX, "json"), (401, {}, "key"), (429, {}, "too often"), (500, {}, "500"),
        (200, ["no"], "no answer"),
    ],
)  # fmt: skip
def test_what_a_service_refuses_is_said(status: int, answer: object, said: str) -> None:
    with Service(answer, status).running() as base:
        result = Searching(SearXng(base))()
    assert not result.ok and said in result.display


def test_the_owners_own_words_are_harmless_others_are_not() -> None:
    tool = Searching(None).tool
    context = ToolContext(**{**vars(tool_context()), "user_text": "Look up Green  Tea for me"})
    named = tool.effect_in(ToolInput({"query": "green tea"}), context)
    assert named is Effect.WEB_NAMED
    added = tool.effect_in(ToolInput({"query": "green tea 4111 1111"}), context)
    assert added is Effect.WEB_READ


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["web", "results", "title", "url", "content"]), inner)
    ),
    max_leaves=10,
)


@settings(max_examples=80)
@given(st.one_of(JSON.map(lambda value: json.dumps(value).encode()), st.binary(max_size=40)))
def test_whatever_a_service_sends_it_is_hits_or_a_refusal(answer: bytes) -> None:
    for engine in (SearXng("https://s.example"), Brave("k")):
        try:
            assert all(hit.url.startswith("http") for hit in engine.hits(answer))
        except WebRefusal:
            continue


@settings(max_examples=50)
@given(st.text(min_size=1, max_size=40))
def test_a_query_stays_a_query(words: str) -> None:
    for engine in (SearXng("https://s.example"), Brave("k")):
        parts = urlsplit(engine.address(Query(words.encode("utf-8", "replace").decode())))
        assert parts.netloc == engine.host
        assert set(parse_qs(parts.query)) <= {"q", "format", "count"}
