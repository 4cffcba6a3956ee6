"""The OpenAI-compatible endpoint of the local web server.

    POST /v1/chat/completions     an agent's turn, or a local model by itself; whole or streamed
    POST /v1/embeddings           vectors of the embedding model on this computer
    GET  /v1/models               what can be asked for

    api = OpenAiApi(needs)
    HttpServer(port, token, routes, pages=api.page, refused=api.refused)

Who may ask at all is the server's decision (`door.py`). At most `MOST_CHATS` chats are answered or
wait for the one model at a time: the next one is told to come back. A client that goes away stops
what was done for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar, cast
from urllib.parse import unquote

from aiohttp import web

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.http.agent_answers import AgentAnswers, check_for_agent
from moltbot_desktop.gateway.http.door import Refusal
from moltbot_desktop.gateway.http.local_answers import local_pieces
from moltbot_desktop.gateway.http.openai_aims import AGENT, LOCAL, AgentAim, aim_of, session_of
from moltbot_desktop.gateway.http.openai_embeddings import (
    EmbeddingAsked,
    check_dimensions,
    embedding_asked,
    embeddings_json,
)
from moltbot_desktop.gateway.http.openai_errors import ApiRefusal, at_the_door, of_error
from moltbot_desktop.gateway.http.openai_fields import read_object
from moltbot_desktop.gateway.http.openai_render import (
    Chunks,
    Head,
    Whole,
    as_json,
    model_json,
    models_json,
)
from moltbot_desktop.gateway.http.openai_sending import streamed, timely, while_there
from moltbot_desktop.gateway.http.openai_values import ChatAsked, chat_asked
from moltbot_desktop.gateway.http.pieces import Piece, Pieces
from moltbot_desktop.gateway.http.places import Places
from moltbot_desktop.gateway.http.server import SAFE, Page
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.sdk.models import ChatModel

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

T = TypeVar("T")
PATH = "/v1/"
CHAT, EMBEDDINGS, MODELS = "/v1/chat/completions", "/v1/embeddings", "/v1/models"
MOST_CHATS = 8
MOST_EMBEDDINGS = 4
ANSWER_SECONDS = 900.0
"""For a whole answer, from the moment it was asked for."""
READ_SECONDS = 30.0
_TEXTS_AT_ONCE = 16
_log = logging.getLogger(__name__)


class LocalModels(Protocol):
    """The chat models of this computer."""

    async def names(self) -> Sequence[str]: ...

    def lend(self, name: str) -> AbstractAsyncContextManager[ChatModel]:
        """The one called `name`, "" for the usual one.

        Raises:
            ModelError: there is none, or it cannot be used.
        """
        ...


class LocalVectors(Protocol):
    """The embedding model of this computer."""

    async def name(self) -> str:
        """ "" when there is none."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Raises MoltbotError: it cannot be used."""
        ...


@dataclass(frozen=True)
class ApiNeeds:
    """What the endpoint is made of.

    Attributes:
        known_agents: the ids of all agents; the first one answers when nobody is named.
        local, vectors: None where they are switched off.
        now: seconds since 1970.
    """

    agents: AgentAnswers | None
    known_agents: Callable[[], Sequence[AgentId]]
    local: LocalModels | None
    vectors: LocalVectors | None
    in_thread: InThread
    new_id: Callable[[], str]
    now: Callable[[], float]
    answer_seconds: float = ANSWER_SECONDS
    read_seconds: float = READ_SECONDS


class OpenAiApi:
    """Lives on the agent's event loop."""

    def __init__(self, needs: ApiNeeds) -> None:
        self._needs = needs
        self._chats = Places(MOST_CHATS)
        self._embeddings = Places(MOST_EMBEDDINGS)
        self._began = int(needs.now())

    def page(self, path: str) -> Page | None:
        """What answers there; None for a path that is not the endpoint's, or is switched off."""
        if path == CHAT and self._needs.agents is not None:
            return self._answering("POST", self._chat)
        if path == EMBEDDINGS and self._needs.vectors is not None:
            return self._answering("POST", self._embed)
        if path == MODELS or path.startswith(f"{MODELS}/"):
            return self._answering("GET", self._models)
        return self._answering("", self._nothing) if path.startswith(PATH) else None

    @staticmethod
    def refused(path: str, why: Refusal) -> str:
        """See `server.Refused`."""
        return as_json(at_the_door(why)).decode() if path.startswith(PATH) else ""

    # ------------------------------------------------------------------ around every answer

    def _answering(
        self, method: str, answer: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> Page:
        async def page(request: web.Request) -> web.StreamResponse:
            try:
                if method not in ("", request.method):
                    raise ApiRefusal(f"Use {method}.", status=405, code="method_not_allowed")
                return await answer(request)
            except ApiRefusal as refusal:
                return _refused(refusal, method)
            except MoltbotError as error:
                told = of_error(error)
                level = logging.INFO if told.status < 500 else logging.WARNING
                _log.log(level, "%s: %s", request.path, error)
                return _refused(told, method)
            except Exception:  # noqa: BLE001 - border: a bug costs one answer
                _log.exception("%s broke", request.path)
                return _refused(ApiRefusal("It broke; the log says how.", status=500), method)

        return page

    async def _nothing(self, request: web.Request) -> web.StreamResponse:
        raise ApiRefusal(f"There is nothing at {request.path}.", status=404, code="unknown_url")

    async def _read(self, request: web.Request, values: Callable[[JsonObject], T]) -> T:
        try:
            async with asyncio.timeout(self._needs.read_seconds):
                body = await request.read()
        except TimeoutError:
            raise ApiRefusal("The body did not come.", status=408) from None
        except web.HTTPRequestEntityTooLarge as error:
            raise ApiRefusal("The body is too long.", status=413, code="too_long") from error
        # In a thread: a megabyte of somebody else's JSON takes a while.
        return await self._needs.in_thread(lambda: values(read_object(body)))

    # ------------------------------------------------------------------ models

    async def _names(self) -> list[str]:
        names = []
        if self._needs.agents is not None:
            names += [AGENT, *(f"{AGENT}:{agent}" for agent in self._needs.known_agents())]
        if self._needs.local is not None:
            names += [f"{LOCAL}/{name}" for name in await self._needs.local.names()]
        if self._needs.vectors is not None and (name := await self._needs.vectors.name()):
            names.append(f"{LOCAL}/{name}")
        return names

    async def _models(self, request: web.Request) -> web.StreamResponse:
        names = await self._names()
        wanted = unquote(request.path.removeprefix(MODELS).strip("/"))
        if not wanted:
            return _json(models_json(names, self._began))
        if wanted not in names:
            raise await self._unknown(wanted)
        return _json(model_json(wanted, self._began))

    async def _unknown(self, model: str) -> ApiRefusal:
        names = ", ".join(await self._names())
        text = f"There is no model “{model[:80]}” here. There are: {names}."
        return ApiRefusal(text, "model", status=404, code="model_not_found")

    # ------------------------------------------------------------------ chats

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        asked = await self._read(request, chat_asked)
        head = Head(f"chatcmpl-{self._needs.new_id()}", int(self._needs.now()), asked.model)
        with self._chats.one():
            pieces = await self._pieces(asked, request)
            return await while_there(request, self._answered(request, asked, head, pieces))

    async def _answered(
        self, request: web.Request, asked: ChatAsked, head: Head, pieces: Pieces
    ) -> web.StreamResponse:
        # Every answer is a generator; closing it is how whoever writes hears that nobody listens.
        async with aclosing(cast("AsyncGenerator[Piece, None]", pieces)) as open_pieces:
            in_time = timely(open_pieces, self._needs.answer_seconds)
            if asked.stream:
                return await streamed(
                    request, in_time, Chunks(head, with_usage=asked.include_usage)
                )
            whole = Whole()
            async for piece in in_time:
                whole.add(piece)
            return _json(whole.json(head))

    async def _pieces(self, asked: ChatAsked, request: web.Request) -> Pieces:
        """Raises ApiRefusal: nobody is called that, or it cannot be asked that."""
        aim = aim_of(asked.model, request.headers)
        if isinstance(aim, AgentAim):
            assert self._needs.agents is not None  # no page without it
            known = self._needs.known_agents()
            agent = aim.agent or known[0]
            if agent not in known:
                raise await self._unknown(asked.model if aim.agent in asked.model else aim.agent)
            check_for_agent(asked)
            session = session_of(agent, asked.user, request.headers, self._needs.new_id)
            return self._needs.agents.pieces(session, asked)
        local = self._needs.local
        if local is None or (aim.name and aim.name not in await local.names()):
            raise await self._unknown(asked.model)
        return _lent(local, aim.name, asked)

    # ------------------------------------------------------------------ vectors

    async def _embed(self, request: web.Request) -> web.StreamResponse:
        asked = await self._read(request, embedding_asked)
        with self._embeddings.one():
            return await while_there(request, self._embedded(asked))

    async def _embedded(self, asked: EmbeddingAsked) -> web.StreamResponse:
        vectors = self._needs.vectors
        assert vectors is not None  # no page without it
        name = await vectors.name()
        if not name:
            raise ApiRefusal("There is no embedding model on this computer.", "model", status=503)
        if asked.model.strip().removeprefix(f"{LOCAL}/") != name:
            raise await self._unknown(asked.model)
        found: list[Sequence[float]] = []
        for begin in range(0, len(asked.texts), _TEXTS_AT_ONCE):
            found += await vectors.embed(asked.texts[begin : begin + _TEXTS_AT_ONCE])
            check_dimensions(asked, len(found[0]))
        return _json(embeddings_json(asked, found))


async def _lent(local: LocalModels, name: str, asked: ChatAsked) -> Pieces:
    async with local.lend(name) as model:
        pieces = local_pieces(model, asked)
        async with aclosing(cast("AsyncGenerator[Piece, None]", pieces)) as open_pieces:
            async for piece in open_pieces:
                yield piece


def _json(value: JsonObject) -> web.Response:
    return web.Response(body=as_json(value), content_type="application/json", headers=SAFE)


def _refused(refusal: ApiRefusal, method: str) -> web.Response:
    headers = dict(SAFE)
    if refusal.wait:
        headers["Retry-After"] = str(refusal.wait)
    if refusal.status == 405:
        headers["Allow"] = method
    return web.Response(
        status=refusal.status,
        body=as_json(refusal.body),
        content_type="application/json",
        headers=headers,
    )
