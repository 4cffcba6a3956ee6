"""Clients that other libraries bring ask the host that was named, and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx2
import pytest

from moltbot_desktop.core.errors import EgressRefused, EgressSealed, NetworkError
from moltbot_desktop.security.guarded_http import GuardedAsyncTransport, GuardedTransport
from tests.fakes.openai_server import ApiServer
from tests.fakes.way import FakeWay


def ask(named: str, url: str) -> int:
    with httpx2.Client(transport=GuardedTransport(named, FakeWay()), trust_env=False) as client:
        return client.get(url).status_code


def ask_on_a_loop(named: str, url: str) -> int:
    async def asked() -> int:
        transport = GuardedAsyncTransport(named, FakeWay())
        async with httpx2.AsyncClient(transport=transport, trust_env=False) as client:
            return (await client.get(url)).status_code

    return asyncio.run(asked())


both = pytest.mark.parametrize("asks", [ask, ask_on_a_loop])
Asks = Callable[[str, str], int]


@both
def test_the_named_host_is_asked_without_encryption_too(asks: Asks) -> None:
    with ApiServer() as server:
        assert asks(server.base_url, server.base_url) in (404, 501)


@both
def test_another_host_is_refused_before_anything_is_connected(asks: Asks) -> None:
    with ApiServer() as server, pytest.raises(EgressRefused):
        asks("https://api.example/v1", server.base_url)
    assert server.requests == []


@both
def test_another_scheme_is_refused(asks: Asks) -> None:
    with pytest.raises((EgressRefused, httpx2.UnsupportedProtocol)):
        asks("http://127.0.0.1/", "ftp://127.0.0.1/x")


@both
def test_a_proxy_of_a_kind_nobody_speaks_is_told(
    asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(NetworkError, match="proxies"):
        asks("https://api.example/v1", "https://api.example/v1")


@both
def test_the_systems_proxy_is_used_but_never_to_this_computer(
    asks: Asks, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ApiServer() as proxy, ApiServer() as server:
        monkeypatch.setenv("http_proxy", proxy.origin)
        monkeypatch.delenv("no_proxy", raising=False)
        assert asks(server.base_url, server.base_url) in (404, 501)
        # The proxy itself answers for a name that exists nowhere.
        named = "http://lab.example/v1"
        assert asks(named, named) in (404, 501)


def test_a_server_of_this_computer_needs_no_way_out() -> None:
    with ApiServer() as server, httpx2.Client(transport=GuardedTransport(server.base_url)) as plain:
        assert plain.get(server.base_url).status_code in (404, 501)


def test_what_goes_to_another_computer_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    way = FakeWay()
    with ApiServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        monkeypatch.delenv("no_proxy", raising=False)
        named = "http://lab.example/v1"
        with httpx2.Client(transport=GuardedTransport(named, way), trust_env=False) as client:
            client.post(named, json={"text": "x" * 1_000})
    assert way.opened == ["lab.example"]
    assert way.requests["lab.example"] == 1
    assert 1_000 < way.sent["lab.example"] < 1_500
    assert way.received["lab.example"] > 0


def test_a_closed_seal_lets_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with ApiServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        monkeypatch.delenv("no_proxy", raising=False)
        transport = GuardedTransport("http://lab.example/v1", FakeWay(closed=True))
        with httpx2.Client(transport=transport) as client, pytest.raises(EgressSealed):
            client.get("http://lab.example/v1")
        assert proxy.requests == []
