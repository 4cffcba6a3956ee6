"""The OpenAI-compatible endpoint: who is heard, what is no request, models and vectors."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import openai
import pytest
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.gateway.http.guesses import MOST_WRONG
from moltbot_desktop.gateway.http.server import MOST_BYTES
from tests.fakes.chat_model import says
from tests.fakes.openai_house import house
from tests.integration.gateway.test_front_desk import play

CHAT, EMBEDDINGS = "/v1/chat/completions", "/v1/embeddings"
HELLO = [{"role": "user", "content": "hello"}]


def test_a_wrong_token_is_an_authentication_error_and_guessing_is_limited(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            stranger = AsyncOpenAI(
                api_key="wrong",
                base_url=here.client.base_url,
                max_retries=0,
                http_client=DefaultAsyncHttpxClient(trust_env=False),
            )
            async with stranger:
                for _ in range(MOST_WRONG):
                    with pytest.raises(openai.AuthenticationError, match="gateway-token"):
                        await stranger.chat.completions.create(model="moltbot", messages=HELLO)
                with pytest.raises(openai.RateLimitError) as refused:
                    await stranger.chat.completions.create(model="moltbot", messages=HELLO)
                assert int(refused.value.response.headers["retry-after"]) > 0
            assert here.assistant.model.requests == []

    play(scenario)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Basic YS10b2tlbg=="}, 401),
        ({"Host": "localhost.evil"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_only_a_program_of_this_computer_with_the_token_is_heard(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            for path in (CHAT, EMBEDDINGS, "/v1/models", "/v1/nothing"):
                got, body = await here.posted(path, b"{}", **headers)
                assert got == status
                assert json.loads(body)["error"]["type"] == "invalid_request_error"

    play(scenario)


def test_no_page_of_another_site_may_ask_or_read(tmp_path: Path) -> None:
    """A browser asks first (a preflight carries no token): it is never told that it may."""

    async def scenario() -> None:
        async with house(tmp_path) as here:
            reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
            head = (
                f"OPTIONS {CHAT} HTTP/1.1\r\nHost: 127.0.0.1:{here.port}\r\n"
                "Origin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n"
                "Access-Control-Request-Headers: authorization\r\nConnection: close\r\n\r\n"
            )
            writer.write(head.encode())
            answer = (await reader.read()).decode().lower()
            writer.close()
            assert answer.startswith("http/1.1 403") and "access-control" not in answer

    play(scenario)


@pytest.mark.parametrize(
    ("body", "says_so"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"model": "\xff"}', "not UTF-8"),
        (b'{"a": ' * 60_000 + b"1" + b"}" * 60_000, "not JSON"),
        (b'{"temperature": NaN}', "not JSON"),
        (b'{"n": 1' + b"0" * 10_000 + b"}", "not JSON"),
        (b"{}", "`model` is missing"),
        (b'{"model": "moltbot"}', "`messages` has no message"),
        (b'{"model": "moltbot", "messages": [7]}', "`messages[0]` is not an object"),
    ],
)
def test_what_is_no_request_is_told_what_it_lacks(
    tmp_path: Path, body: bytes, says_so: str
) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            status, answer = await here.posted(CHAT, body)
            assert status == 400
            assert says_so in json.loads(answer)["error"]["message"]

    play(scenario)


def test_a_huge_body_is_not_read(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            for path in (CHAT, EMBEDDINGS):
                status, answer = await here.posted(path, b" " * (MOST_BYTES + 1))
                assert (status, json.loads(answer)["error"]["code"]) == (413, "too_long")

    play(scenario)


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, read_seconds=0.05) as here:
            status, _ = await here.posted(CHAT, b"{", **{"Content-Length": "100"})
            assert status == 408

    play(scenario)


def test_halves_of_characters_are_replaced(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, local=[says("Hi.")]) as here:
            said = r'{"role": "user", "content": "a\ud83c\u0000b \ud83c\udf1e"}'
            body = f'{{"model": "local/tiny", "messages": [{said}]}}'.encode()
            assert (await here.posted(CHAT, body))[0] == 200
            assert here.local.requests[0].messages[-1].content == "a\ufffd\ufffdb 🌞"

    play(scenario)


def test_other_methods_and_paths_are_said_to_be_none(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            assert (await here.posted(CHAT, b"", method="GET"))[0] == 405
            assert (await here.posted("/v1/models", b""))[0] == 405
            status, answer = await here.posted("/v1/responses", b"{}")
            assert (status, json.loads(answer)["error"]["code"]) == (404, "unknown_url")
            assert (await here.posted("/v2/chat", b"{}"))[0] == 404

    play(scenario)


def test_what_is_switched_off_is_not_there(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path, chat=False) as here:
            assert (await here.posted(CHAT, b"{}"))[0] == 404
            assert [one.id for one in (await here.client.models.list()).data] == ["local/letters"]

    play(scenario)


def test_the_models_are_listed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            names = [one.id for one in (await here.client.models.list()).data]
            assert names == [
                "moltbot",
                "moltbot:main",
                "moltbot:work",
                "local/tiny",
                "local/letters",
            ]
            for name in names:
                assert (await here.client.models.retrieve(name)).id == name
            with pytest.raises(openai.NotFoundError):
                await here.client.models.retrieve("gpt-9")

    play(scenario)


# --------------------------------------------------------------------------- vectors


def test_vectors_come_as_numbers_or_in_base64(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            create = here.client.embeddings.create
            texts = ["a", "你好", "🌞" * 3]
            for form in ("float", "base64", None):
                more = {"encoding_format": form} if form else {}
                found = await create(model="local/letters", input=texts, **more)
                assert [one.index for one in found.data] == [0, 1, 2]
                if form != "base64":  # the package decodes what it asks for by itself alone
                    assert [one.embedding[0] for one in found.data] == [1.0, 2.0, 3.0]
                assert found.usage.prompt_tokens > 0
            one = await create(model="letters", input="abcd", dimensions=2)
            assert one.data[0].embedding[0] == 4.0

    play(scenario)


def test_many_texts_are_taken_in_slices(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            texts = [f"text {number}" for number in range(40)]
            found = await here.client.embeddings.create(model="letters", input=texts)
            assert len(found.data) == 40
            assert sum(here.vectors.slices) == 40 and len(here.vectors.slices) > 1

    play(scenario)


@pytest.mark.parametrize(
    ("options", "param"),
    [
        ({"input": []}, "input"),
        ({"input": ""}, "input"),
        ({"input": ["a", ""]}, "input"),
        ({"input": [1, 2]}, "input"),
        ({"input": [[1, 2]]}, "input"),
        ({"input": ["a"] * 2049}, "input"),
        ({"input": "a", "dimensions": 3}, "dimensions"),
        ({"input": "a", "encoding_format": "int8"}, "encoding_format"),
    ],
)
def test_what_has_no_vector_is_refused(
    tmp_path: Path, options: dict[str, object], param: str
) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            with pytest.raises(openai.BadRequestError) as refused:
                await here.client.embeddings.create(model="letters", **options)
            assert refused.value.param == param

    play(scenario)


@pytest.mark.expect_log
def test_without_a_model_there_are_no_vectors(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(tmp_path) as here:
            create = here.client.embeddings.create
            with pytest.raises(openai.NotFoundError, match="text-embedding-3-small"):
                await create(model="text-embedding-3-small", input="a")
            here.vectors.error = ModelError("It broke.")
            with pytest.raises(openai.InternalServerError, match="It broke"):
                await create(model="letters", input="a")
            here.vectors.called = ""
            with pytest.raises(openai.InternalServerError) as failed:
                await create(model="letters", input="a")
            assert failed.value.status_code == 503

    play(scenario)
