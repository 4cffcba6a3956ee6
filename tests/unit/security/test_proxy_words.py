"""What a browser says to the proxy: read in one way only, or refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.security.proxy_words import BadRequest, answer, onward, read_request


def head(first: str, *lines: str) -> bytes:
    return "\r\n".join([first, *lines, "", ""]).encode("latin-1")


def test_a_tunnel() -> None:
    asked = read_request(
        head("CONNECT Example.org:443 HTTP/1.1", "Proxy-Authorization: Basic dTpw", "Host: x")
    )
    assert (asked.host, asked.port, asked.tunnel, asked.body) == ("example.org", 443, True, None)
    assert asked.credentials == "dTpw"
    assert asked.authority == "example.org:443"


def test_a_plain_request_goes_on_without_what_was_for_the_proxy() -> None:
    asked = read_request(
        head(
            "POST http://example.org:8080/a?b=1#c HTTP/1.1",
            *("Host: other.example", "Proxy-Authorization: Basic dTpw", "Proxy-Connection: x"),
            *("Connection: keep-alive", "Content-Length: 5", "Cookie: a=b"),
        )
    )
    assert asked.body == 5
    assert onward(asked).decode().split("\r\n") == [
        "POST /a?b=1 HTTP/1.1",
        "Host: example.org:8080",
        "Connection: close",
        "Content-Length: 5",
        "Cookie: a=b",
        "",
        "",
    ]
    assert onward(asked, through_proxy=True).startswith(b"POST http://example.org:8080/a?b=1 ")


def test_an_address_of_version_six() -> None:
    assert read_request(head("CONNECT [::1]:443 HTTP/1.1")).authority == "[::1]:443"


@pytest.mark.parametrize(
    "request_",
    [
        b"",
        b"\r\n\r\n",
        head("GET / HTTP/1.1", "Host: example.org"),
        head("GET https://example.org/ HTTP/1.1"),
        head("GET ftp://example.org/ HTTP/1.1"),
        head("GET http://a@example.org/ HTTP/1.1"),
        head("CONNECT example.org HTTP/1.1"),
        head("CONNECT example.org:443/x HTTP/1.1"),
        head("CONNECT example.org:99999 HTTP/1.1"),
        head("CONNECT example.org:443 HTTP/2"),
        head("GET http://example.org/ HTTP/1.1", "Content-Length: 5", "Content-Length: 6"),
        head("GET http://example.org/ HTTP/1.1", "Content-Length: 5", "Transfer-Encoding: chunked"),
        head("GET http://example.org/ HTTP/1.1", "Content-Length: +5"),
        head("GET http://example.org/ HTTP/1.1", "A: b", " folded"),
        head("GET http://example.org/ HTTP/1.1", "No colon"),
        head("GET http://example.org/ HTTP/1.1", "Bad name : x"),
        head("GET http://example.org/ HTTP/1.1", "A: b\nEvil: c"),
        b"GET http://example.org/ HTTP/1.1\r\nA: b\r\n",
    ],
)
def test_what_could_be_read_in_two_ways_is_refused(request_: bytes) -> None:
    with pytest.raises(BadRequest):
        read_request(request_)


def test_the_answers_end_the_connection_but_for_an_open_tunnel() -> None:
    assert answer(200) == b"HTTP/1.1 200 OK\r\n\r\n"
    assert b"Proxy-Authenticate: Basic" in answer(407)
    assert b"Connection: close" in answer(403)


_PIECES = st.sampled_from(
    ["GET ", "CONNECT ", "http://", "example.org", ":443", "/", " HTTP/1.1", "\r\n", "Host: a", ":"]
)


@settings(max_examples=200)
@given(st.lists(_PIECES | st.text(max_size=4), max_size=14).map("".join))
def test_any_bytes_are_a_request_or_refused(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass") + b"\r\n\r\n"
    try:
        asked = read_request(data)
    except BadRequest:
        return
    assert asked.host
    if not asked.tunnel:
        assert onward(asked).count(b"\r\n\r\n") == 1
