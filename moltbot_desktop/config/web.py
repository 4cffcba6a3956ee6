"""Reading the web and searching it: `tools.web`. Both are off until the owner switches them on.

tools: { web: {
  fetch: { enabled: true },
  search: { enabled: true, provider: "searxng", searxng: { baseUrl: "https://searx.example" } },
} }
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import Choice, Flag, Number, Optional, Text, WholeNumber
from moltbot_desktop.config.structures import GroupOf
from moltbot_desktop.config.tools import ToolsConfig

BRAVE, SEARXNG = "brave", "searxng"


@dataclass(frozen=True)
class SearxngConfig(Section):
    base_url: str | None = setting(
        "baseUrl", Optional(Text()), None, "Address of the SearXNG you use, such as your own."
    )


@dataclass(frozen=True)
class WebSearchConfig(Section):
    search_enabled: bool = setting(
        "enabled", Flag(), False, "Let me ask a search service; your question leaves this computer."
    )
    provider: str | None = setting(
        "provider",
        Optional(Choice((BRAVE, SEARXNG))),
        None,
        "Which search service; null is the one that is set up.",
    )
    api_key: str | None = setting(
        "apiKey",
        Optional(Text()),
        None,
        "Key of Brave, better as keyring:NAME or ${NAME}; null takes BRAVE_API_KEY or the key "
        "“brave”.",
    )
    search_results: int = setting("maxResults", WholeNumber(1, 10), 5, "How many results.")
    search_timeout: int = setting(
        "timeoutSeconds", WholeNumber(1, 120), 30, "Seconds a search may take."
    )
    search_cache_minutes: float = setting(
        "cacheTtlMinutes", Number(0, 1_440), 15.0, "Minutes the same search is not asked again."
    )
    searxng: SearxngConfig = setting(
        "searxng", GroupOf(SearxngConfig()), SearxngConfig(), "SearXNG."
    )


@dataclass(frozen=True)
class WebFetchConfig(Section):
    fetch_enabled: bool = setting(
        "enabled", Flag(), False, "Let me read web pages; their servers learn that you ask."
    )
    fetch_characters: int = setting(
        "maxChars", WholeNumber(100, 1_000_000), 50_000, "Characters of one page."
    )
    fetch_timeout: int = setting(
        "timeoutSeconds", WholeNumber(1, 120), 30, "Seconds one page may take."
    )
    fetch_cache_minutes: float = setting(
        "cacheTtlMinutes", Number(0, 1_440), 15.0, "Minutes the same page is not asked for again."
    )
    max_redirects: int = setting(
        "maxRedirects", WholeNumber(0, 10), 3, "How often a server may send on to another address."
    )
    user_agent: str | None = setting(
        "userAgent", Optional(Text()), None, "What servers are told who asks; null is this program."
    )


@dataclass(frozen=True)
class ProgramToolsConfig(ToolsConfig):
    """`tools`: what one agent may have of its own, and what holds for all of them alone."""

    web_fetch: WebFetchConfig = setting(
        "web.fetch", GroupOf(WebFetchConfig()), WebFetchConfig(), "Reading web pages."
    )
    web_search: WebSearchConfig = setting(
        "web.search", GroupOf(WebSearchConfig()), WebSearchConfig(), "Searching the web."
    )
