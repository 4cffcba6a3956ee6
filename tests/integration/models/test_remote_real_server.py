"""The remote models against a real server: llama-cpp-python's own, on loopback, with tiny files.

What the strict fake claims about the API is checked here by somebody who did not write it.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from moltbot_desktop.core.errors import RemoteAnswerBroken, RemoteKeyRefused
from moltbot_desktop.models.remote.chat import RemoteChatModel
from moltbot_desktop.models.remote.embedding import open_openai_embedder
from moltbot_desktop.models.remote.endpoint import Endpoint
from moltbot_desktop.sdk.models import (
    FinishReason,
    GenerationDone,
    GenerationRequest,
    ModelEvent,
    PromptEvaluated,
)
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from tests.fakes.asking import asking, calls_in, done, events_of, said

KEY = "sk-on-loopback"
START_SECONDS = 60
SWITCH = ToolSpec(
    "switch",
    "Turns the light on or off.",
    {
        "type": "object",
        "properties": {"state": {"type": "string", "enum": ["on", "off"]}},
        "required": ["state"],
    },
    Effect.NONE,
)


@dataclass(frozen=True)
class Server:
    base_url: str

    def endpoint(self, model: str) -> Endpoint:
        return Endpoint("llama", model, self.base_url)


@pytest.fixture(scope="module")
def server(
    chat_file: Path, embedding_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    common = {"n_threads": 1, "n_threads_batch": 1, "verbose": False}
    config = {
        "host": "127.0.0.1",
        "port": port,
        "api_key": KEY,
        "models": [
            {"model": str(chat_file), "model_alias": "tiny", "n_ctx": 512, **common},
            {"model": str(embedding_file), "model_alias": "tiny-embed", "n_ctx": 64,
             "n_batch": 64, "embedding": True, **common},
        ],
    }  # fmt: skip
    path = folder / "server.json"
    path.write_text(json.dumps(config))
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server", "--config_file", str(path)],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
        )
    try:
        base_url = f"http://127.0.0.1:{port}/v1"
        _wait_until_up(base_url, process, log)
        yield Server(base_url)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_up(base_url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            httpx2.get(f"{base_url}/models", headers={"Authorization": f"Bearer {KEY}"})
            return
        except httpx2.TransportError:
            time.sleep(0.1)
    pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")


def answered(server: Server, request: GenerationRequest, key: str = KEY) -> Sequence[ModelEvent]:
    async def run() -> Sequence[ModelEvent]:
        model = RemoteChatModel(server.endpoint("tiny"), key=lambda: key)
        try:
            return await events_of(model, request)
        finally:
            await model.close()

    return asyncio.run(run())


def test_an_answer_is_streamed(server: Server) -> None:
    events = answered(server, asking("hello", max_tokens=12, temperature=1.0, seed=1))
    assert isinstance(events[0], PromptEvaluated)
    assert said(events)
    assert done(events).reason in (FinishReason.LENGTH, FinishReason.STOP)


def test_a_forced_tool_is_called_with_arguments_that_fit(server: Server) -> None:
    request = asking("light", tools=(SWITCH,), force_tool="switch", max_tokens=200)
    events = answered(server, request)
    [call] = calls_in(events)
    assert call.name == "switch" and call.arguments["state"] in ("on", "off") and call.id
    assert done(events).reason is FinishReason.TOOL_CALLS


def test_stopping_leaves_the_server_ready_for_the_next(server: Server) -> None:
    class AfterTheFirstWord:
        def __init__(self) -> None:
            self.cancelled = False

    async def run() -> Sequence[ModelEvent]:
        model = RemoteChatModel(server.endpoint("tiny"), key=lambda: KEY)
        token = AfterTheFirstWord()
        events = []
        async for event in model.generate(asking("hi", max_tokens=400, temperature=1.0), token):
            events.append(event)
            token.cancelled = len(events) > 2
        events += await events_of(model, asking("hi", max_tokens=3, temperature=1.0))
        await model.close()
        return events

    events = asyncio.run(run())
    first = next(event for event in events if isinstance(event, GenerationDone))
    assert first.reason is FinishReason.CANCELLED
    assert done(events).reason is not FinishReason.CANCELLED


def test_a_wrong_key_and_too_long_a_prompt_are_known_errors(server: Server) -> None:
    with pytest.raises(RemoteKeyRefused):
        answered(server, asking("hello"), key="sk-wrong")
    # This server answers such a prompt with an empty stream and status 200.
    with pytest.raises(RemoteAnswerBroken) as caught:
        answered(server, asking("word " * 3000))
    assert "too long" in caught.value.hint


def test_texts_are_embedded(server: Server) -> None:
    embedder = open_openai_embedder(server.endpoint("tiny-embed"), key=lambda: KEY)
    assert embedder.dimensions == 32
    one, two = embedder.embed_passages(["the city", "a file"])
    assert math.hypot(*one) == pytest.approx(1, abs=1e-6) and one != two
    assert embedder.embed_query("the city") == pytest.approx(one, abs=1e-4)
    embedder.close()
