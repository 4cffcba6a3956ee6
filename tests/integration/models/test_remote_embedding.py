"""Embedders at other addresses, over real sockets, against a strict server on loopback."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from email.utils import format_datetime
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import (
    RemoteAnswerBroken,
    RemoteKeyRefused,
    RemoteModelError,
    RemoteOverloaded,
    RemoteRateLimited,
    RemoteRequestRefused,
    RemoteTimedOut,
    RemoteUnreachable,
    SecretsUnavailable,
)
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.models.remote.caller import JsonCaller, wait_seconds
from moltbot_desktop.models.remote.embedding import (
    BATCH_CHARACTERS,
    BATCH_TEXTS,
    RemoteEmbedder,
    batched,
    open_gemini_embedder,
    open_openai_embedder,
)
from moltbot_desktop.models.remote.endpoint import Endpoint
from tests.fakes.openai_server import DIMENSIONS, ApiServer, Reply, refuses, vector_of

KEY = "sk-a-secret"
Open = Callable[..., RemoteEmbedder]


class Waits:
    """Waiting that takes no time."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> bool:
        self.seconds.append(seconds)
        return False


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture(params=["openai", "gemini"])
def open_at(request: pytest.FixtureRequest, waits: Waits) -> Iterator[Open]:
    """`open_at(server, key=KEY, **facts)`: an embedder of either kind."""
    opened: list[RemoteEmbedder] = []

    def open_(
        server: ApiServer, key: str = KEY, model: str = "m", **facts: object
    ) -> RemoteEmbedder:
        make, base = (
            (open_openai_embedder, server.base_url)
            if request.param == "openai"
            else (open_gemini_embedder, server.origin + "/v1beta")
        )
        endpoint = Endpoint("fake", model, base, **facts)  # type: ignore[arg-type]
        embedder = make(endpoint, key=lambda: key, make_caller=partial(JsonCaller, wait=waits))
        opened.append(embedder)
        return embedder

    yield open_
    for embedder in opened:
        embedder.close()


def unit(text: str) -> list[float]:
    vector = vector_of(text)
    return [one / math.hypot(*vector) for one in vector]


def test_vectors_have_length_one_and_stand_in_the_texts_order(open_at: Open) -> None:
    with ApiServer(key=KEY) as server:
        embedder = open_at(server)
        assert not server.requests  # opening asks nobody
        assert embedder.dimensions == DIMENSIONS
        assert embedder.embed_query("a") == pytest.approx(unit("a"))
        texts = [f"text {number}" for number in range(BATCH_TEXTS + 3)]
        before = len(server.requests)
        vectors = embedder.embed_passages(texts)
        assert len(server.requests) == before + 2
    assert vectors == [pytest.approx(unit(text)) for text in texts]


def test_a_model_of_known_size_is_not_asked_when_opened(open_at: Open) -> None:
    with ApiServer() as server:
        embedder = open_at(server, model="text-embedding-3-small")
        assert embedder.dimensions == 1536 and not server.requests
        with pytest.raises(RemoteAnswerBroken, match="8 numbers where 1536"):
            embedder.embed_passages(["a"])[0]


def test_a_size_that_is_not_known_is_learnt_from_any_answer(open_at: Open) -> None:
    with ApiServer(key=KEY) as server:
        embedder = open_at(server)
        short = embedder.model_id
        assert not server.requests and not short.endswith(f":{DIMENSIONS}")
        embedder.embed_passages(["a"])
        assert embedder.dimensions == DIMENSIONS and len(server.requests) == 1
        assert embedder.model_id == f"{short}:{DIMENSIONS}"


def test_a_server_that_comes_back_is_asked_again(open_at: Open) -> None:
    with ApiServer([refuses(400)], key=KEY) as server:
        embedder = open_at(server)
        with pytest.raises(RemoteRequestRefused):
            _ = embedder.dimensions
        assert embedder.dimensions == DIMENSIONS


def test_a_key_that_was_locked_or_refused_is_looked_up_again() -> None:
    answers = iter([SecretsUnavailable("Locked."), "old", KEY])

    def key() -> str:
        answer = next(answers)
        if isinstance(answer, SecretsUnavailable):
            raise answer
        return answer

    with ApiServer(key=KEY) as server:
        embedder = open_openai_embedder(Endpoint("fake", "m", server.base_url), key=key)
        with pytest.raises(SecretsUnavailable):
            embedder.embed_query("a")
        assert not server.requests  # nothing goes out without the key
        with pytest.raises(RemoteKeyRefused):
            embedder.embed_query("a")
        assert embedder.embed_query("a") == embedder.embed_query("a")  # found once, then kept
        embedder.close()


def test_several_threads_may_ask_at_once_even_while_the_key_is_refused() -> None:
    """A search asks while the index is brought up to date."""
    keys = iter(["old"] * 3)

    def ask(text: str) -> object:
        try:
            return embedder.embed_query(text)
        except RemoteKeyRefused:
            return None

    with ApiServer(key=KEY) as server, ThreadPoolExecutor(4) as threads:
        endpoint = Endpoint("fake", "m", server.base_url)
        embedder = open_openai_embedder(endpoint, key=lambda: next(keys, KEY))
        found = list(threads.map(ask, "abcdefgh" * 4))
        assert any(found)
        embedder.close()


def test_any_text_is_embedded_and_long_ones_are_cut(open_at: Open) -> None:
    with ApiServer(key=KEY) as server:
        embedder = open_at(server)
        for text in ("", "\ud800", "x\0y", "你好" * 9_000):
            assert math.hypot(*embedder.embed_passages([text])[0]) == pytest.approx(1)
        assert all(len(str(received.body)) < 10_000 for received in server.requests)


def test_a_full_server_is_asked_again_and_the_waiting_grows(open_at: Open, waits: Waits) -> None:
    with ApiServer([refuses(429), refuses(503), refuses(500)], key=KEY) as server:
        open_at(server).embed_query("a")
        assert len(server.requests) == 4
    first, second, third = waits.seconds
    assert 0.5 <= first <= 0.6 and 1 <= second <= 1.2 and 2 <= third <= 2.4


@pytest.mark.parametrize(
    ("replies", "kind", "asked"),
    [
        ([refuses(500)] * 4, RemoteOverloaded, 4),
        ([refuses(429, Retry_After="3600")], RemoteRateLimited, 1),
        ([refuses(400, "bad input")], RemoteRequestRefused, 1),
        ([refuses(400, "API key not valid. Please pass one.")], RemoteKeyRefused, 1),
        ([refuses(401)], RemoteKeyRefused, 1),
        ([Reply(body=b"<html>")], RemoteAnswerBroken, 1),
        ([Reply(body={"data": [], "embeddings": []})], RemoteAnswerBroken, 1),
        ([Reply(mute=True)], RemoteTimedOut, 1),
    ],
)
def test_what_cannot_help_is_not_tried_again(
    open_at: Open, replies: list[Reply], kind: type[RemoteModelError], asked: int
) -> None:
    with ApiServer(replies) as server:
        with pytest.raises(kind) as caught:
            open_at(server, silence_seconds=0.2).embed_query("a")
        assert len(server.requests) == asked
    assert caught.value.hint and KEY not in str(caught.value)


def test_nobody_there_is_unreachable(open_at: Open) -> None:
    with ApiServer() as server:
        pass
    embedder = open_at(server)
    with pytest.raises(RemoteUnreachable):
        embedder.embed_query("a")


def test_a_success_with_an_error_in_it_is_told_in_the_servers_words(open_at: Open) -> None:
    with ApiServer([Reply(body={"error": "Unexpected endpoint"})]) as server:
        embedder = open_at(server)
        with pytest.raises(RemoteAnswerBroken, match="Unexpected endpoint") as caught:
            embedder.embed_query("a")
    assert "/v1" in caught.value.hint


def test_a_certificate_that_is_not_trusted_is_told_as_such(open_at: Open) -> None:
    with ApiServer(tls=True) as server:
        embedder = open_at(server)
        with pytest.raises(RemoteUnreachable, match="certificate"):
            embedder.embed_query("a")


def test_a_date_to_wait_for_is_obeyed(open_at: Open, waits: Waits) -> None:
    now, later = (format_datetime(datetime(2026, 5, 1, 12, 0, at, tzinfo=UTC)) for at in (0, 7))
    reply = refuses(429, Retry_After=later, Date=now)
    with ApiServer([reply], key=KEY) as server:
        open_at(server).embed_query("a")
    assert waits.seconds == [7]


def test_a_closed_embedder_says_so(open_at: Open) -> None:
    with ApiServer(key=KEY) as server:
        embedder = open_at(server)
        embedder.close()
        with pytest.raises(RemoteUnreachable, match="closed"):
            embedder.embed_query("a")


def test_prefixes_are_sent_and_are_part_of_the_identity() -> None:
    with ApiServer() as server:
        plain, prefixed = (
            open_openai_embedder(Endpoint("fake", model, server.base_url))
            for model in ("m", "multilingual-e5-small")
        )
        assert plain.dimensions == DIMENSIONS
        prefixed.embed_query("tea")
        prefixed.embed_passages(["tea"])
        plain.close()
        prefixed.close()
    assert [received.body["input"] for received in server.requests[-2:]] == [
        ["query: tea"],
        ["passage: tea"],
    ]
    assert plain.model_id.count(":") + 1 == prefixed.model_id.count(":")
    assert str(DIMENSIONS) in plain.model_id and "127.0.0.1" in plain.model_id


def test_gemini_is_told_what_a_text_is_for() -> None:
    with ApiServer(key=KEY) as server:
        endpoint = Endpoint("gemini", "m", server.origin + "/v1beta")
        embedder = open_gemini_embedder(endpoint, key=lambda: KEY)
        embedder.embed_passages(["tea"])[0]
        embedder.embed_query("tea")
        embedder.close()
        passage, query = (one.body["requests"][0] for one in server.requests[-2:])
    assert (passage["taskType"], query["taskType"]) == ("RETRIEVAL_DOCUMENT", "RETRIEVAL_QUERY")
    assert KEY not in "".join(one.path for one in server.requests)


@given(st.lists(st.text(max_size=30) | st.just("x" * 5_000) | st.just("y" * 9_000), max_size=200))
def test_batches_hold_every_text_once_in_order(texts: list[str]) -> None:
    batches = list(batched(texts))
    assert [text for batch in batches for text in batch] == texts
    for batch in batches:
        assert 0 < len(batch) <= BATCH_TEXTS
        assert len(batch) == 1 or sum(map(len, batch)) <= BATCH_CHARACTERS


@given(st.integers(0, 10), st.none() | st.floats(0, 1e6), st.floats(0, 1))
def test_waiting_is_bounded(attempt: int, asked: float | None, chance: float) -> None:
    seconds = wait_seconds(attempt, RemoteRateLimited("", retry_after=asked), chance)
    assert seconds is None or 0.5 <= seconds <= 9.6
    assert (seconds is None) == (asked is not None and asked > 8)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
items = st.lists(
    json_values
    | st.fixed_dictionaries({}, optional={"index": json_values, "embedding": json_values,
                                          "values": json_values}),
    max_size=3,
)  # fmt: skip


class Says:
    """A caller that has one answer."""

    def __init__(self, answer: JsonValue) -> None:
        self.answer = answer

    def post(self, path: str, body: object) -> JsonValue:
        return self.answer

    def close(self) -> None:
        """Nothing is open."""


@given(json_values | st.fixed_dictionaries({"data": items, "embeddings": items}))
def test_whatever_a_server_answers_it_is_a_vector_or_a_known_error(answer: JsonValue) -> None:
    endpoint = Endpoint("fake", "m", "http://127.0.0.1:1")
    for make in (open_openai_embedder, open_gemini_embedder):
        embedder = make(endpoint, key=lambda: "", make_caller=lambda *_, **__: Says(answer))
        try:
            vector = embedder.embed_query("a")
        except RemoteAnswerBroken:
            continue
        assert math.hypot(*vector) == pytest.approx(1)
        assert embedder.dimensions == len(vector)
