"""The one door out: what may be reached, and where it really connects."""

from __future__ import annotations

import socket
from collections.abc import Callable

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import EgressRefused, EgressSealed, NetworkError
from moltbot_desktop.security.egress import Egress, EgressRule, is_loopback, is_public
from tests.fakes.way import FakeWay

PUBLIC = "93.184.216.34"
OTHER = "2606:2800:220:1:248:1893:25c8:1946"
ANY_HTTPS = EgressRule(frozenset({"hub.example"}), public_https=True)


class Wire:
    """Answers in place of the network, and keeps what was asked and of whom."""

    def __init__(self, answer: Callable[[httpx2.Request], httpx2.Response]) -> None:
        self.requests: list[httpx2.Request] = []
        self._answer = answer

    def transport(self) -> httpx2.MockTransport:
        def answer(request: httpx2.Request) -> httpx2.Response:
            self.requests.append(request)
            return self._answer(request)

        return httpx2.MockTransport(answer)

    def targets(self) -> list[tuple[str, str]]:
        """(address connected to, name asked for) of each request."""
        return [(request.url.host, request.headers["host"]) for request in self.requests]


def door(wire: Wire, rule: EgressRule = ANY_HTTPS, **names: list[str]) -> Egress:
    way = FakeWay()

    def resolve(host: str, port: int) -> list[str]:
        known = {name.replace("_", "."): found for name, found in names.items()}
        if host not in known:
            raise socket.gaierror("no such name")
        return known[host]

    no_proxy = lambda scheme, host: None  # noqa: E731
    return Egress(rule, way=way, transport=wire.transport(), resolve=resolve, find_proxy=no_proxy)


def ok(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, content=iter([b"hello"]))


def test_it_connects_to_the_address_that_was_checked() -> None:
    """A name server that answers differently the second time is never asked a second time."""
    wire = Wire(ok)
    with (
        door(wire, hub_example=[PUBLIC]) as egress,
        egress.get("https://hub.example/x") as reply,
    ):
        assert b"".join(reply.blocks()) == b"hello"
    assert wire.targets() == [(PUBLIC, "hub.example")]
    assert wire.requests[0].extensions["sni_hostname"] == "hub.example"


def test_no_credentials_and_no_cookies_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    wire = Wire(lambda request: httpx2.Response(200, headers={"set-cookie": "a=b"}))
    with door(wire, hub_example=[PUBLIC]) as egress:
        egress.head("https://hub.example/x")
        egress.head("https://hub.example/x")
    for request in wire.requests:
        assert not {"authorization", "cookie"} & set(request.headers)


@pytest.mark.parametrize(
    "url",
    [
        "http://hub.example/x",
        "ftp://hub.example/x",
        "file:///etc/passwd",
        "https://user:password@hub.example/x",
        "https:///x",
        "",
        "http://[::1",
        "https://localhost.evil.example/x",
    ],
)
def test_other_schemes_and_strange_addresses_are_refused(url: str) -> None:
    wire = Wire(ok)
    with (
        door(wire, EgressRule(frozenset({"hub.example"})), hub_example=[PUBLIC]) as egress,
        pytest.raises(EgressRefused),
    ):
        egress.head(url)
    assert wire.requests == []


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fe80::1"])
def test_a_name_with_a_private_address_is_refused(address: str) -> None:
    wire = Wire(ok)
    with (
        door(wire, files_example=[address]) as egress,
        pytest.raises(EgressRefused, match="not a public computer"),
    ):
        egress.head("https://files.example/x")
    assert wire.requests == []


def test_only_the_public_one_of_several_addresses_is_used() -> None:
    wire = Wire(ok)
    with door(wire, files_example=["10.0.0.1", PUBLIC]) as egress:
        egress.head("https://files.example/x")
    assert wire.targets() == [(PUBLIC, "files.example")]


def test_a_host_the_person_named_may_be_in_the_private_network() -> None:
    wire = Wire(ok)
    with door(wire, hub_example=["10.0.0.1"]) as egress:
        egress.head("https://hub.example/x")
    assert wire.targets() == [("10.0.0.1", "hub.example")]


def test_each_redirect_is_judged_like_a_first_address() -> None:
    def redirect(request: httpx2.Request) -> httpx2.Response:
        if request.headers["host"] == "hub.example":
            return httpx2.Response(302, headers={"location": "https://inside.example/x"})
        return httpx2.Response(200)

    wire = Wire(redirect)
    with (
        door(wire, hub_example=[PUBLIC], inside_example=["192.168.0.1"]) as egress,
        pytest.raises(EgressRefused),
    ):
        egress.head("https://hub.example/x")
    assert [host for _, host in wire.targets()] == ["hub.example"]


def test_the_second_family_is_tried_when_the_first_does_not_answer() -> None:
    def only_v4(request: httpx2.Request) -> httpx2.Response:
        if ":" in request.url.host:
            raise httpx2.ConnectError("no route")
        return httpx2.Response(200)

    wire = Wire(only_v4)
    with door(wire, hub_example=[OTHER, OTHER, PUBLIC]) as egress:
        egress.head("https://hub.example/x")
    assert [target for target, _ in wire.targets()] == [OTHER, PUBLIC]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (httpx2.ConnectError("x"), "could not be reached"),
        (httpx2.ReadTimeout("x"), "in time"),
        (httpx2.RemoteProtocolError("x"), "broke"),
    ],
)
def test_trouble_on_the_way_is_one_sentence(error: Exception, words: str) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise error

    with (
        door(Wire(fail), hub_example=[PUBLIC]) as egress,
        pytest.raises(NetworkError, match=f"hub.example.*{words}") as failed,
    ):
        egress.head("https://hub.example/x")
    assert failed.value.retryable and failed.value.hint


def test_an_unknown_name_is_offline() -> None:
    with door(Wire(ok)) as egress, pytest.raises(NetworkError, match="offline"):
        egress.head("https://hub.example/x")


def test_behind_a_proxy_the_proxy_looks_the_name_up() -> None:
    wire = Wire(ok)
    through = Egress(
        ANY_HTTPS,
        transport=wire.transport(),
        find_proxy=lambda scheme, host: "http://proxy:1",
        way=FakeWay(),
    )
    with through as egress:
        egress.head("https://hub.example/x")
    assert wire.targets() == [("hub.example", "hub.example")]


@pytest.mark.parametrize(
    "address",
    ["10.0.0.1", "169.254.169.254", "[fe80::1]", "[fec0::1]", "[::ffff:10.0.0.1]",
     "0xa.1", "10.1", "167772161", "10.0.0.1."],
)  # fmt: skip
def test_behind_a_proxy_a_private_address_is_refused_all_the_same(address: str) -> None:
    wire = Wire(lambda request: httpx2.Response(302, headers={"location": f"https://{address}/x"}))
    through = Egress(
        ANY_HTTPS,
        transport=wire.transport(),
        find_proxy=lambda scheme, host: "http://proxy:1",
        way=FakeWay(),
    )
    with through as egress, pytest.raises(EgressRefused, match="not a public computer"):
        egress.head("https://hub.example/x")
    assert [name for _, name in wire.targets()] == ["hub.example"]


def test_behind_a_proxy_an_address_that_is_public_or_named_is_asked() -> None:
    wire = Wire(ok)
    rule = EgressRule(frozenset({"10.0.0.1"}), public_https=True)
    through = Egress(
        rule,
        transport=wire.transport(),
        find_proxy=lambda scheme, host: "http://proxy:1",
        way=FakeWay(),
    )
    with through as egress:
        egress.head("https://10.0.0.1/x")
        egress.head(f"https://{PUBLIC}/x")
    assert [target for target, _ in wire.targets()] == ["10.0.0.1", PUBLIC]


@pytest.mark.parametrize(
    "name",
    ["printer", "db.internal", "nas.local.", "router.lan", "metadata.google.internal",
     "a.home.arpa", "4294967296", "1.2.3.4.5", "%31%32%37.0.0.1"],
)  # fmt: skip
def test_behind_a_proxy_a_name_of_a_private_network_is_refused(name: str) -> None:
    """Without one its address is looked at; a proxy would go there unseen."""
    wire = Wire(ok)
    through = Egress(
        ANY_HTTPS,
        transport=wire.transport(),
        find_proxy=lambda scheme, host: "http://proxy:1",
        way=FakeWay(),
    )
    with through as egress, pytest.raises(EgressRefused, match="not a public computer"):
        egress.head(f"https://{name}/x")
    assert wire.requests == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        (PUBLIC, True),
        (OTHER, True),
        ("224.0.0.1", False),
        ("100.64.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("::ffff:93.184.216.34", False),  # mapped: the plain one is what a server has
        ("64:ff9b::a00:1", False),  # NAT64 of 10.0.0.1
        ("2002:a00:1::", False),  # 6to4 of 10.0.0.1
        ("fe80::1%eth0", False),
        ("fec0::1", False),  # site-local
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.0.8", False),
        ("192.88.99.1", False),  # a relay of 6to4
        ("168.63.129.16", False),  # what Azure's machines ask about themselves
        ("3fff::1", False),
        ("5f00::1", False),
        ("2001:4860::5efe:7f00:1", False),  # ISATAP of 127.0.0.1
        ("2001:4860::200:5efe:a00:1", False),
        ("2001:4860:4860::8888", True),
    ],
)
def test_what_is_a_public_address(address: str, public: bool) -> None:
    assert is_public(address) is public


@given(st.ip_addresses())
def test_every_address_has_an_answer(address) -> None:
    assert is_public(str(address)) in (True, False)
    assert not (is_public(str(address)) and address.is_private)


@given(st.text(max_size=60))
def test_no_text_gets_past_the_rule(text: str) -> None:
    wire = Wire(ok)
    with (
        door(wire, EgressRule(frozenset()), hub_example=[PUBLIC]) as egress,
        pytest.raises(NetworkError),
    ):
        egress.head(text)
    assert wire.requests == []


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("localhost", True),
        ("api.localhost", True),
        ("::1", True),
        ("127.0.0.1.example.com", False),
        ("localhost.example.com", False),
        ("notlocalhost", False),
        ("api.openai.com", False),
        ("192.168.1.5", False),
    ],
)
def test_what_is_this_computer(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_nothing_goes_out_without_a_way_and_no_name_is_looked_up() -> None:
    wire, asked = Wire(ok), []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return [PUBLIC]

    rule = EgressRule(frozenset({"hub.example"}))
    with (
        Egress(rule, transport=wire.transport(), resolve=resolve) as egress,
        pytest.raises(EgressSealed),
    ):
        egress.head("https://hub.example/x")
    assert (wire.requests, asked) == ([], [])


def test_every_hop_passes_the_way_and_is_counted() -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        if request.headers["host"] == "hub.example":
            return httpx2.Response(302, headers={"location": "https://files.example/y"})
        return httpx2.Response(200, content=iter([b"hello"]))

    wire, way = Wire(answer), FakeWay()
    known = {"hub.example": PUBLIC, "files.example": PUBLIC}
    with (
        Egress(
            ANY_HTTPS,
            way=way,
            transport=wire.transport(),
            resolve=lambda host, port: [known[host]],
            find_proxy=lambda scheme, host: None,
        ) as egress,
        egress.get("https://hub.example/x", {"X-Key": "secret", "Accept": "*/*"}) as reply,
    ):
        assert b"".join(reply.blocks()) == b"hello"
    assert way.opened == ["hub.example", "files.example"]
    assert way.requests == {"hub.example": 1, "files.example": 1}
    assert way.sent["hub.example"] > len("GET /x HTTP/1.1 Host: hub.example")
    assert way.received["files.example"] > len("hello")
    # A key does not follow to another host.
    assert [request.headers.get("x-key") for request in wire.requests] == ["secret", None]


def test_a_page_of_the_web_may_come_without_encryption_a_file_may_not() -> None:
    page = EgressRule(frozenset(), public_http=True)
    wire = Wire(ok)
    with door(wire, page, page_example=[PUBLIC], inside_example=["10.0.0.1"]) as egress:
        egress.head("http://page.example/x")
        with pytest.raises(EgressRefused, match="not a public computer"):
            egress.head("http://inside.example/x")
    with door(wire, page) as egress, pytest.raises(EgressRefused):
        egress.head("https://page.example/x")
    assert len(wire.requests) == 1
