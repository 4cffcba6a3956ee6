"""The web tools of one agent, as the settings and the seal have them at this moment.

    web = WebTools(made.seal, made.clock, lambda: live.config, secrets, environment, known)
    web()          # (WebFetch, WebSearch): the same tuple until something changes; () while sealed

A tool that is off is in no prompt, and a model that calls it all the same is told so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.web import BRAVE, SEARXNG, WebSearchConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.sdk.tools import AnyTool, Effect
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.security.secrets import SecretStore
from moltbot_desktop.tools.documents.reading import DocumentReader
from moltbot_desktop.tools.web.addresses import ReadAddresses
from moltbot_desktop.tools.web.cache import Recent
from moltbot_desktop.tools.web.engines import Brave, Engine, SearXng
from moltbot_desktop.tools.web.fetch import FetchSettings, WebFetch
from moltbot_desktop.tools.web.pages import AGENT, Limits, WebDoor
from moltbot_desktop.tools.web.search import SearchSettings, WebSearch

WEB_EFFECTS: Mapping[str, Effect] = MappingProxyType(
    {"web_fetch": Effect.WEB_READ, "web_search": Effect.WEB_READ}
)
"""What these tools do, also while they are off."""

_KEYRING = "keyring:"
_BRAVE_VARIABLE = "BRAVE_API_KEY"


class WebTools:
    """Called on the agent's event loop."""

    def __init__(
        self,
        seal: Seal,
        clock: Clock,
        config: Callable[[], Config],
        secrets: SecretStore,
        environment: Mapping[str, str],
        known: ReadAddresses,
    ) -> None:
        """`known`: the addresses that stood on pages, whichever tool read them."""
        self._seal = seal
        self._config = config
        self._secrets = secrets
        self._environment = environment
        page_way = seal.way(Errand(Purpose.WEB))
        self._fetch = WebFetch(
            WebDoor(page_way, clock), DocumentReader(), known, Recent(clock), self._fetch_settings
        )
        self._search = WebSearch(
            seal.way(Errand(Purpose.SEARCH)), clock, known, Recent(clock), self._search_settings
        )
        self._last: tuple[AnyTool, ...] = ()

    def __call__(self) -> tuple[AnyTool, ...]:
        """Those that may be used now."""
        tools = self._config().tools
        now: tuple[AnyTool, ...] = ()
        if not self._seal.closed:
            fetch = (self._fetch,) if tools.web_fetch.fetch_enabled else ()
            search = (self._search,) if tools.web_search.search_enabled else ()
            now = (*fetch, *search)
        if now != self._last:
            self._last = now
        return self._last

    def _fetch_settings(self) -> FetchSettings:
        one = self._config().tools.web_fetch
        limits = Limits(one.fetch_timeout, one.max_redirects, agent=one.user_agent or AGENT)
        return FetchSettings(limits, one.fetch_characters, one.fetch_cache_minutes)

    def _search_settings(self) -> SearchSettings:
        one = self._config().tools.web_search
        return SearchSettings(
            self._engine(one),
            one.search_results,
            Limits(one.search_timeout, redirects=0),
            one.search_cache_minutes,
        )

    def _engine(self, one: WebSearchConfig) -> Engine | None:
        """The service that is set up; None without one. Raises SecretsUnavailable."""
        base = one.searxng.base_url or ""
        if (one.provider or (SEARXNG if base else BRAVE)) == SEARXNG:
            return SearXng(base) if _is_address(base) else None
        key = self._brave_key(one.api_key or "")
        return Brave(key) if key else None

    def _brave_key(self, written: str) -> str:
        if written.startswith(_KEYRING):
            return self._secrets.get(written.removeprefix(_KEYRING)) or ""
        found = written or self._environment.get(_BRAVE_VARIABLE, "").strip()
        return found or self._secrets.get(BRAVE) or ""


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def together(
    *lenders: Callable[[], tuple[AnyTool, ...]],
) -> Callable[[], tuple[AnyTool, ...]]:
    """What all of them lend, the same tuple until one of them lends something else."""
    last: tuple[AnyTool, ...] = ()

    def lent() -> tuple[AnyTool, ...]:
        nonlocal last
        now = tuple(tool for lender in lenders for tool in lender())
        if len(now) != len(last) or any(a is not b for a, b in zip(now, last, strict=True)):
            last = now
        return last

    return lent
