"""The one door for libraries that bring their own HTTP client (the openai package).

    httpx2.AsyncClient(transport=GuardedAsyncTransport(rule))

Each request is judged by the rule before anything is connected; `egress` says why there is one
door. Addresses are not pinned here: every host is a named one, which may lie anywhere.
"""

from __future__ import annotations

import httpx2

from moltbot_desktop.security.egress import EgressRule, is_loopback, system_proxy


class GuardedTransport(httpx2.HTTPTransport):
    """For a blocking client that asks `url`'s host and no other."""

    def __init__(self, url: str) -> None:
        """Raises NetworkError when the system's proxy is of a kind that is not supported."""
        super().__init__(proxy=_proxy(url))
        self._rule = _rule(url)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Raises EgressRefused for another host."""
        self._rule.check(request.url)
        return super().handle_request(request)


class GuardedAsyncTransport(httpx2.AsyncHTTPTransport):
    """As `GuardedTransport`, for a client on an event loop."""

    def __init__(self, url: str) -> None:
        super().__init__(proxy=_proxy(url))
        self._rule = _rule(url)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._rule.check(request.url)
        return await super().handle_async_request(request)


def _rule(url: str) -> EgressRule:
    return EgressRule(frozenset({httpx2.URL(url).host}), plain_http=True)


def _proxy(url: str) -> str | None:
    asked = httpx2.URL(url)
    return None if is_loopback(asked.host) else system_proxy(asked.scheme, asked.host)
