"""What a plugin sends to a server: only to hosts of its configuration, counted, and bounded."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import pytest

from moltbot_desktop.core.errors import EgressRefused, EgressSealed, NetworkError
from moltbot_desktop.plugins.web import ConfiguredWeb, hosts_in
from tests.fakes.openai_server import ApiServer, Reply, cut, ends, streams, text
from tests.fakes.way import FakeWay

JSON = {"Content-Type": "application/json", "Authorization": "Bearer sk-1"}
QUESTION = json.dumps(
    {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
).encode()


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with ApiServer(key="sk-1") as running:
        yield running


@pytest.fixture
def web(server: ApiServer) -> Iterator[ConfiguredWeb]:
    one = ConfiguredWeb(hosts_in({"server": server.base_url}))
    yield one
    one.close()


def script(server: ApiServer, *replies: Reply) -> str:
    """The address for a chat whose answers these are."""
    server._replies.extend(replies)
    return f"{server.base_url}/chat/completions"


def test_a_post_brings_the_whole_answer_with_what_was_sent(
    server: ApiServer, web: ConfiguredWeb
) -> None:
    body = json.dumps({"model": "m", "input": ["a"]}).encode()
    answer = web.post(f"{server.base_url}/embeddings", body, headers=JSON)
    assert answer.status == 200 and len(json.loads(answer.body)["data"]) == 1
    assert server.requests[0].headers["authorization"] == "Bearer sk-1"
    assert web.post(f"{server.base_url}/embeddings", body).status == 401


def test_an_answer_is_read_line_by_line_while_it_comes(
    server: ApiServer, web: ConfiguredWeb
) -> None:
    url = script(server, streams(text("你"), text("好"), ends()))
    with web.stream(url, QUESTION, headers=JSON) as coming:
        assert coming.status == 200
        assert coming.headers["content-type"].startswith("text/event-stream")
        said = [json.loads(line[6:]) for line in coming.lines() if line.startswith("data: {")]
    assert [one["choices"][0]["delta"].get("content", "") for one in said] == ["你", "好", ""]


def test_what_is_too_long_or_breaks_off_is_an_error(server: ApiServer, web: ConfiguredWeb) -> None:
    url = script(server, streams(text("a" * 4000)), cut(text("a")), Reply(mute=True))
    with (
        web.stream(url, QUESTION, headers=JSON, max_bytes=1000) as coming,
        pytest.raises(NetworkError, match="1,000 bytes"),
    ):
        list(coming.blocks())
    with web.stream(url, QUESTION, headers=JSON) as coming, pytest.raises(NetworkError):
        list(coming.blocks())
    with pytest.raises(NetworkError, match="in time"):
        web.post(url, QUESTION, headers=JSON, silence_seconds=0.2)


def test_a_redirect_of_a_post_goes_nowhere(server: ApiServer, web: ConfiguredWeb) -> None:
    with ApiServer() as elsewhere:
        target = f"{elsewhere.base_url}/chat/completions"
        url = script(server, Reply(307, body={}, headers={"Location": target}))
        assert web.post(url, QUESTION, headers=JSON).status == 307
        assert elsewhere.requests == []


def test_other_hosts_are_refused_and_a_closed_seal_lets_nothing_out() -> None:
    web = ConfiguredWeb(hosts_in({"server": "https://named.example/v1"}), FakeWay(closed=True))
    with pytest.raises(EgressRefused, match=r"other\.example"):
        web.post("https://other.example/v1", b"{}")
    with pytest.raises(EgressRefused, match="not encrypted"):
        web.post("http://named.example/v1", b"{}")
    with pytest.raises(EgressSealed), web.stream("https://named.example/v1", b"{}"):
        pass
    web.close()
    with pytest.raises(EgressRefused, match="switched off"):
        web.post("https://named.example/v1", b"{}")


def test_a_plugin_that_is_switched_off_reads_no_further(
    server: ApiServer, web: ConfiguredWeb
) -> None:
    url = script(server, streams(*[text("a" * 60_000) for _ in range(20)]))
    with web.stream(url, QUESTION, headers=JSON) as coming:
        blocks = coming.blocks()
        next(blocks)
        closing = threading.Thread(target=web.close)
        closing.start()
        closing.join()
        with pytest.raises(EgressRefused, match="switched off"):
            list(blocks)
