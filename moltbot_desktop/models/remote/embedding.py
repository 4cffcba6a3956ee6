"""Embeddings from another computer, behind the `Embedder` contract. Used when moltbot.json says
so, never by default (`models.embedder_choice`).

    embedder = open_openai_embedder(endpoint, key=lookup)    # connects nowhere yet
    embedder.embed_query("dentist")
    embedder.embed_passages(["one", "two"])        # a few requests for many texts
    embedder.close()

Vectors come out with length one and always as many numbers; a server that changes its model under
the same name is noticed by that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol
from urllib.parse import quote

from moltbot_desktop.core.errors import RemoteAnswerBroken
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.models.embedding_prompts import EmbeddingPrompts, prompts_for
from moltbot_desktop.models.remote.caller import JsonCaller
from moltbot_desktop.models.remote.endpoint import Endpoint, KeyLookup, no_key

KNOWN_DIMENSIONS: Mapping[str, int] = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
    "gemini-embedding-001": 3072,
}
BATCH_TEXTS = 64
BATCH_CHARACTERS = 8_000
"""As the reference: a character counts as a token, so that no batch passes a server's limit."""

Vector = tuple[float, ...]


class EmbeddingApi(Protocol):
    """How one kind of server is asked."""

    @property
    def longest(self) -> int:
        """Characters of one text; what is longer is cut."""
        ...

    def request(self, model: str, texts: Sequence[str], query: bool) -> tuple[str, JsonObject]:
        """Path and body."""
        ...

    def vectors(self, answer: JsonValue) -> list[JsonValue]:
        """The lists of numbers, in the texts' order; whatever the answer is, it raises nothing
        but `RemoteAnswerBroken`."""
        ...


class RemoteEmbedder:
    """Blocks; may be asked by several threads at once. Made by the `open_...` functions.

    One request has at most `BATCH_TEXTS` texts, and `BATCH_CHARACTERS` unless a single text is
    longer.
    """

    def __init__(
        self, endpoint: Endpoint, api: EmbeddingApi, caller: JsonCaller, dimensions: int
    ) -> None:
        """`dimensions` 0: as many as the first answer has."""
        self._endpoint = endpoint
        self._api = api
        self._caller = caller
        self._prompts = _prompts(endpoint, api)
        self._dimensions = dimensions

    @property
    def model_id(self) -> str:
        """Place, model, prefixes and size: another of any of them makes other vectors.

        Asks nobody: while the size is not known, the id lacks it.
        """
        size = str(self._dimensions or "")
        parts = (self._endpoint.place, self._endpoint.model, self._prompts.tag, size)
        return ":".join(filter(None, parts))

    @property
    def dimensions(self) -> int:
        """Numbers in a vector; the server is asked while that is not known.

        Raises:
            RemoteModelError, SecretsUnavailable: it cannot say.
        """
        if not self._dimensions:
            self.embed_query("dimensions")
        return self._dimensions

    def embed_query(self, text: str) -> Vector:
        """See `Embedder`.

        Raises:
            RemoteModelError: which kind says what went wrong.
            SecretsUnavailable: the key cannot be read.
        """
        return self._asked([_cleaned(self._prompts.query + text, self._api.longest)], query=True)[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """A vector for each text, in their order.

        Raises:
            RemoteModelError, SecretsUnavailable: none of them is given then.
        """
        prefixed = [self._prompts.passage + text for text in texts]
        batches = batched([_cleaned(text, self._api.longest) for text in prefixed])
        return [vector for batch in batches for vector in self._asked(batch, query=False)]

    def close(self) -> None:
        """Break off and close the connections. It cannot be asked afterwards."""
        self._caller.close()

    def _asked(self, texts: Sequence[str], *, query: bool) -> list[Vector]:
        path, body = self._api.request(self._endpoint.model, texts, query)
        found = self._api.vectors(self._caller.post(path, body))
        if len(found) != len(texts):
            raise _broken(f"{len(found)} vectors for {len(texts)} texts")
        return [self._unit(vector) for vector in found]

    def _unit(self, vector: JsonValue) -> Vector:
        numbers = vector if isinstance(vector, list) else []
        if self._dimensions and len(numbers) != self._dimensions:
            raise _broken(f"{len(numbers)} numbers where {self._dimensions} were expected")
        if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
            raise _broken("a vector holds something that is no number")
        try:
            length = math.hypot(*numbers)
        except OverflowError:
            length = math.inf
        if not 0 < length < math.inf:
            raise _broken("a vector points nowhere")
        self._dimensions = len(numbers)
        return tuple(one / length for one in numbers)


class _OpenAi:
    """``/embeddings``, as OpenAI, llama-server, vLLM, Ollama and LM Studio have it."""

    longest = 8_000

    def request(self, model: str, texts: Sequence[str], query: bool) -> tuple[str, JsonObject]:
        return "/embeddings", {"model": model, "input": list(texts), "encoding_format": "float"}

    def vectors(self, answer: JsonValue) -> list[JsonValue]:
        data = answer.get("data") if isinstance(answer, Mapping) else None
        if not isinstance(data, list) or not all(isinstance(one, Mapping) for one in data):
            raise _broken("its `data` cannot be read")
        numbers = [one.get("index", place) for place, one in enumerate(data)]
        placed = {at: one for at, one in zip(numbers, data, strict=True) if isinstance(at, int)}
        if set(placed) != set(range(len(data))):
            raise _broken("its vectors are numbered strangely")
        return [placed[place].get("embedding") for place in range(len(data))]


class _Gemini:
    """``:batchEmbedContents``. The task type does what prefixes do elsewhere."""

    longest = 2_000

    def request(self, model: str, texts: Sequence[str], query: bool) -> tuple[str, JsonObject]:
        name = model if model.startswith("models/") else f"models/{model}"
        task = "RETRIEVAL_QUERY" if query else "RETRIEVAL_DOCUMENT"
        requests: list[JsonObject] = [
            {"model": name, "content": {"parts": [{"text": text}]}, "taskType": task}
            for text in texts
        ]
        return f"/{quote(name)}:batchEmbedContents", {"requests": requests}

    def vectors(self, answer: JsonValue) -> list[JsonValue]:
        found = answer.get("embeddings") if isinstance(answer, Mapping) else None
        if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
            raise _broken("its `embeddings` cannot be read")
        return [one.get("values") for one in found]


MakeCaller = Callable[..., JsonCaller]


def open_openai_embedder(
    endpoint: Endpoint, *, key: KeyLookup = no_key, make_caller: MakeCaller = JsonCaller
) -> RemoteEmbedder:
    """An embedder at an OpenAI-compatible server. Nothing connects here."""
    return _opened(endpoint, _OpenAi(), make_caller(endpoint, key=key, authorize=_bearer))


def open_gemini_embedder(
    endpoint: Endpoint, *, key: KeyLookup, make_caller: MakeCaller = JsonCaller
) -> RemoteEmbedder:
    """An embedder at Google's Gemini API; otherwise as `open_openai_embedder`."""
    return _opened(endpoint, _Gemini(), make_caller(endpoint, key=key, authorize=_google))


def _opened(endpoint: Endpoint, api: EmbeddingApi, caller: JsonCaller) -> RemoteEmbedder:
    return RemoteEmbedder(endpoint, api, caller, KNOWN_DIMENSIONS.get(endpoint.model, 0))


def batched(texts: Sequence[str]) -> Iterator[list[str]]:
    """`texts` in order, in groups that one request may hold; a text alone may be longer."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH_TEXTS or size + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _prompts(endpoint: Endpoint, api: EmbeddingApi) -> EmbeddingPrompts:
    if isinstance(api, _Gemini):
        return EmbeddingPrompts()  # the task type says it
    return prompts_for(endpoint.model)


def _cleaned(text: str, longest: int) -> str:
    """Cut, whole characters only, and never empty, which servers refuse."""
    return text[:longest].encode(errors="replace").decode() or " "


def _bearer(key: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _google(key: str) -> Mapping[str, str]:
    return {"x-goog-api-key": key} if key else {}


def _broken(what: str) -> RemoteAnswerBroken:
    return RemoteAnswerBroken(
        f"The server's embeddings cannot be used: {what}.",
        hint="Check the model and the address of the embedding provider.",
    )
