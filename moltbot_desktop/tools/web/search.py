"""`web_search`: looks something up with the search service the owner chose.

    {"query": "tea ceremony", "count": 5}

Nothing is asked unless one is configured; the words of the query are what leaves this computer, so
a query that is not the owner's own wording counts as something that goes out (rule R6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.traffic import Way
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.security.egress import is_loopback
from moltbot_desktop.tools.replies import (
    arguments,
    ask,
    failure,
    number_argument,
    one_line,
    text_argument,
)
from moltbot_desktop.tools.web.addresses import ReadAddresses
from moltbot_desktop.tools.web.cache import Recent
from moltbot_desktop.tools.web.engines import MOST_HITS, Engine, Hit, Query
from moltbot_desktop.tools.web.fetch import STRANGERS, told_web
from moltbot_desktop.tools.web.pages import Limits, WebDoor, WebRefusal

_LONGEST_QUERY = 400
_SHOWN = 160
PHRASES = Phrases(
    {
        "ask": "What shall I look for on the web?",
        "hits": "On the web about “{query}”:\n\n{hits}",
        "hit": "{number}. [{title}]({url}) — {snippet}",
        "none": "The web has nothing about “{query}”.",
        "searching": "Asking {host} …",
        "not_set": "I have no search service yet. With one of your own: moltbot-desktop config set "
        "tools.web.search.searxng.baseUrl https://…; with Brave: moltbot-desktop secrets set "
        "brave.",
        "no_key": "{host} does not take the key. moltbot-desktop secrets set brave changes it.",
        "no_json": "{host} does not give its answers to programs: its operator has to allow the "
        "form json.",
        "often": "{host} was asked too often; try again later.",
        "failed": "{host} answers {status}.",
        "no_answer": "{host} gave no answer I understand.",
    },
    {
        "ask": "要在网上查什么？",
        "hits": "网上关于“{query}”：\n\n{hits}",
        "hit": "{number}. [{title}]({url})：{snippet}",
        "none": "网上没有关于“{query}”的内容。",
        "searching": "正在问 {host}……",
        "not_set": "还没有搜索服务。用自己的：moltbot-desktop config set "
        "tools.web.search.searxng.baseUrl https://…；用 Brave：moltbot-desktop secrets set brave。",
        "no_key": "{host} 不接受这个密钥。用 moltbot-desktop secrets set brave 更换。",
        "no_json": "{host} 不向程序提供结果：需要它的管理员允许 json 格式。",
        "often": "对 {host} 问得太频繁了，请稍后再试。",
        "failed": "{host} 回答 {status}。",
        "no_answer": "{host} 的回答我看不懂。",
    },
)


@dataclass(frozen=True)
class SearchSettings:
    """`tools.web.search`, as it is now; `engine` None when no service is configured."""

    engine: Engine | None = None
    count: int = 5
    limits: Limits = field(default_factory=Limits)
    cache_minutes: float = 15.0


class WebSearch:
    """Asks a search service. For any thread."""

    def __init__(
        self,
        way: Way,
        clock: Clock,
        known: ReadAddresses,
        recent: Recent[tuple[Hit, ...]],
        settings: Callable[[], SearchSettings],
    ) -> None:
        """`settings` may look a key up, so it is called on the tool's thread alone."""
        self._way = way
        self._clock = clock
        self._known = known
        self._recent = recent
        self._settings = settings

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "web_search",
            "Search the web; gives titles, addresses and snippets.",
            arguments(
                ("query",),
                query=text_argument(),
                count=number_argument("1 to 10"),
                country=text_argument("two letters"),
                search_lang=text_argument("two letters"),
                ui_lang=text_argument(),
                freshness=text_argument("pd, pw, pm, py: day to year"),
            ),
            Effect.WEB_READ,
            core=False,
            keywords="internet web search google bing look up find news 上网 搜索 查一查 网上 新闻",
        )

    def effect_in(self, given: ToolInput, context: ToolContext) -> Effect:
        """Harmless where the query is the owner's own wording."""
        words = " ".join(given.text("query").split()).casefold()
        said = " ".join(context.user_text.split()).casefold()
        return Effect.WEB_NAMED if words and words in said else Effect.WEB_READ

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        words = one_line(given.text("query"), _LONGEST_QUERY)
        if not words:
            return ask("query", PHRASES.say("ask", context.language))
        settings = self._settings()
        engine = settings.engine
        if engine is None:
            return failure("no search service", PHRASES.say("not_set", context.language))
        count = min(max(given.number("count", settings.count), 1), MOST_HITS)
        names = ("country", "search_lang", "ui_lang", "freshness")
        query = Query(words, count, *(given.text(name)[:20] for name in names))
        try:
            return told_web(
                context, engine.host, lambda: self._found(engine, query, settings, context)
            )
        except _Unanswered as problem:
            said = PHRASES.say(
                problem.key, context.language, host=engine.host, status=problem.status
            )
            return failure(problem.error, said)

    def _found(
        self, engine: Engine, query: Query, settings: SearchSettings, context: ToolContext
    ) -> ToolResult:
        context.report(PHRASES.say("searching", context.language, host=engine.host))
        # Also for a service on this computer, which asks others: a closed seal means no search.
        self._way.open(engine.host)
        url = engine.address(query)
        hits = self._recent.get(url, settings.cache_minutes)
        if hits is None:
            hits = self._asked(engine, url, settings.limits, context)
            self._recent.put(url, hits)
        shown = hits[: query.count]
        self._known.add(context.session, "\n".join(hit.url for hit in shown))
        return _result(query, shown, context)

    def _asked(
        self, engine: Engine, url: str, limits: Limits, context: ToolContext
    ) -> tuple[Hit, ...]:
        door = WebDoor(self._way, self._clock, named=engine.host, headers=engine.headers)
        if is_loopback(engine.host):
            self._way.count(engine.host, requests=1, sent=len(url))
        page = door.get(url, limits, context.cancel)
        if not 200 <= page.status < 300:
            raise _unanswered(page.status)
        try:
            return engine.hits(page.data)
        except WebRefusal as refusal:
            raise _Unanswered(refusal.message, refusal.key, page.status) from refusal


class _Unanswered(Exception):
    """The service said no; `key` is the phrase that tells it."""

    def __init__(self, error: str, key: str, status: int) -> None:
        super().__init__(error)
        self.error, self.key, self.status = error, key, status


def _unanswered(status: int) -> _Unanswered:
    keys = {401: "no_key", 403: "no_json", 422: "no_key", 429: "often"}
    return _Unanswered(f"HTTP {status}", keys.get(status, "failed"), status)


def _result(query: Query, hits: tuple[Hit, ...], context: ToolContext) -> ToolResult:
    rows: list[JsonValue] = [
        {
            "title": hit.title,
            "url": hit.url,
            "snippet": hit.snippet,
            **({"age": hit.age} if hit.age else {}),
        }
        for hit in hits
    ]
    data: dict[str, JsonValue] = {"query": query.words, "from": STRANGERS, "results": rows}
    say, language = PHRASES.say, context.language
    if not hits:
        return ToolResult(data, say("none", language, query=query.words), taints=True)
    lines = [
        say(
            "hit",
            language,
            number=number,
            title=hit.title.replace("]", ")").replace("[", "("),
            url=hit.url,
            snippet=one_line(hit.snippet, _SHOWN),
        )
        for number, hit in enumerate(hits, start=1)
    ]
    display = say("hits", language, query=query.words, hits="\n".join(lines))
    return ToolResult(data, display, taints=True)
