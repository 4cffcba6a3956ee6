"""The OpenAI-compatible endpoint over a desk with a scripted model, asked by the `openai` package.

    async with house(tmp_path, [says("Hello.")], local=[says("Hi.")]) as here:
        answer = await here.client.chat.completions.create(model="moltbot", messages=[...])

`script` is what the agents' model says, `local` what the model called `local/tiny` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeVar

from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.http.agent_answers import AgentAnswers
from moltbot_desktop.gateway.http.openai_api import ApiNeeds, OpenAiApi
from moltbot_desktop.gateway.http.server import HttpServer
from moltbot_desktop.sdk.models import ChatModel
from tests.fakes.chat_model import ScriptedChatModel, ScriptedTurn
from tests.integration.gateway.test_front_desk import Assistant

T = TypeVar("T")
TOKEN = "a-token"
NOW = 1_700_000_000.0
PATIENCE_SECONDS = 120.0


@dataclass
class Lender:
    """`LocalModels` with one model; `lent` is how many have it now.

    Attributes:
        error: raised in place of lending it.
    """

    model: ChatModel
    error: Exception | None = None
    lent: int = 0

    async def names(self) -> Sequence[str]:
        return ["tiny"]

    @asynccontextmanager
    async def lend(self, _name: str) -> AsyncIterator[ChatModel]:
        if self.error is not None:
            raise self.error
        self.lent += 1
        try:
            yield self.model
        finally:
            self.lent -= 1


@dataclass
class Vectors:
    """`LocalVectors`: a text's length and its first character, for each text."""

    called: str = "letters"
    error: MoltbotError | None = None
    slices: list[int] = field(default_factory=list)

    async def name(self) -> str:
        return self.called

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self.error is not None:
            raise self.error
        self.slices.append(len(texts))
        return [(float(len(text)), ord(text[0]) / 2**20) for text in texts]


@dataclass
class House:
    assistant: Assistant
    local: ScriptedChatModel
    lender: Lender
    vectors: Vectors
    server: HttpServer
    client: AsyncOpenAI
    overheard: list[ClientEvent] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.server.address.rpartition(":")[2])

    async def becomes(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not true():
                await asyncio.sleep(0.01)

    async def posted(
        self, path: str, body: bytes, *, method: str = "POST", **headers: str
    ) -> tuple[int, bytes]:
        """What comes of a request that no client of OpenAI's would send."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        named = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {TOKEN}",
            "Content-Length": str(len(body)),
            "Connection": "close",
            **headers,
        }
        lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in named.items()), "", ""]
        try:
            writer.write("\r\n".join(lines).encode() + body)
            head = await reader.readuntil(b"\r\n\r\n")
            # Not to the end: a server lingers for the rest of a body that does not come.
            told = dict(line.split(": ", 1) for line in head.decode().strip().split("\r\n")[1:])
            return int(head.split()[1]), await reader.readexactly(int(told["Content-Length"]))
        finally:
            writer.close()


@asynccontextmanager
async def house(
    home: Path,
    script: Sequence[ScriptedTurn] = (),
    *,
    local: Sequence[ScriptedTurn] = (),
    model: ChatModel | None = None,
    answer_seconds: float = 600.0,
    read_seconds: float = 600.0,
    chat: bool = True,
    **more: object,
) -> AsyncIterator[House]:
    """`model`: the real one behind `local/tiny`, in place of a scripted one."""
    async with Assistant(home, list(script), **more) as assistant:  # type: ignore[arg-type]
        scripted = ScriptedChatModel(list(local))
        lender, vectors, numbers = Lender(model or scripted), Vectors(), count(1)

        def new_id() -> str:
            return f"id{next(numbers)}"

        async def in_thread(call: Callable[[], T]) -> T:
            return call()

        agents = AgentAnswers(assistant.desk, assistant.listeners, new_id)
        api = OpenAiApi(
            ApiNeeds(
                agents=agents if chat else None,
                known_agents=lambda: (AgentId("main"), AgentId("work")),
                local=lender if chat else None,
                vectors=vectors,
                in_thread=in_thread,
                new_id=new_id,
                now=lambda: NOW,
                answer_seconds=answer_seconds,
                read_seconds=read_seconds,
            )
        )
        server = HttpServer(0, lambda: TOKEN, dict, pages=api.page, refused=api.refused)
        await server.start()
        client = AsyncOpenAI(
            api_key=TOKEN,
            base_url=f"{server.address}/v1",
            max_retries=0,
            http_client=DefaultAsyncHttpxClient(trust_env=False),
        )
        here = House(assistant, scripted, lender, vectors, server, client)
        assistant.listeners.overhear(here.overheard.append)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                yield here
        finally:
            await client.close()
            await server.stop()
