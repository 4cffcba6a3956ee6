"""A model at another address is not asked while the seal is closed, and the person hears why."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import EgressSealed, RemoteModelError
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.models.remote.chat import RemoteChatModel
from moltbot_desktop.models.remote.embedding import open_openai_embedder
from moltbot_desktop.models.remote.endpoint import Endpoint
from moltbot_desktop.sdk.models import GenerationRequest
from moltbot_desktop.security.seal import Seal
from tests.fakes.openai_server import ApiServer
from tests.fakes.tool_context import FakeCancel

HELLO = GenerationRequest((ChatMessage(Role.USER, "hello"),))


def endpoint(home: Path, base_url: str, purpose: Purpose) -> tuple[Seal, Endpoint]:
    seal = Seal(home, ManualClock(datetime(2026, 11, 22, tzinfo=UTC)))
    return seal, Endpoint("lab", "m", base_url, way=seal.way(Errand(purpose, "lab")))


def asked(one: Endpoint) -> None:
    async def ask() -> None:
        model = RemoteChatModel(one)
        try:
            async for _ in model.generate(HELLO, FakeCancel()):
                pass
        finally:
            await model.close()

    asyncio.run(ask())


def test_a_conversation_stays_here(tmp_path: Path) -> None:
    seal, one = endpoint(tmp_path, "https://lab.example/v1", Purpose.MODEL)
    seal.close_it()
    with pytest.raises(EgressSealed, match="nothing leaves"):
        asked(one)
    assert seal.passages() == ()


def test_words_of_the_memory_stay_here(tmp_path: Path) -> None:
    seal, one = endpoint(tmp_path, "https://lab.example/v1", Purpose.MEMORY)
    seal.close_it()
    embedder = open_openai_embedder(one)
    try:
        with pytest.raises(EgressSealed, match="nothing leaves"):
            embedder.embed_query("my dentist")
    finally:
        embedder.close()


def test_what_goes_to_a_provider_is_counted_in_both_directions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proxy stands for the provider, so that nothing leaves the test."""
    with ApiServer() as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        monkeypatch.delenv("no_proxy", raising=False)
        seal, one = endpoint(tmp_path, "http://lab.example/v1", Purpose.MODEL)
        with seal:
            with contextlib.suppress(RemoteModelError):  # a proxy knows no models
                asked(one)
            [passage] = seal.passages()
    assert (passage.host, passage.errand) == ("lab.example", Errand(Purpose.MODEL, "lab"))
    assert passage.requests == 1
    assert passage.sent > len("hello")
    assert passage.received > 0
