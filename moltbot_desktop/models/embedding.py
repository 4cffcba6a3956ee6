"""Embeddings through the model thread, for the memory thread. Calls block.

    embedder = load_embedder(thread, path, threads=None, state_dir=dir)
    vector = embedder.embed_query("dentist")

Pooling is the file's own (its header names it); what must stand before a text is in
`models.embedding_prompts`. One text is one job: several texts in one batch are slower on a CPU,
and a chat never waits for more than one text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.core.errors import ModelError, ModelFileInvalid
from moltbot_desktop.models.catalogue import is_bundled
from moltbot_desktop.models.embedding_prompts import EmbeddingPrompts, prompts_for
from moltbot_desktop.models.gguf_header import GgufHeader, read_header
from moltbot_desktop.models.llama import EMBEDDING_WINDOW, LlamaEmbedding, default_threads
from moltbot_desktop.models.probe import ensure_probed
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import Priority

# sentence-transformers cuts MiniLM's texts at 256 tokens, special ones included; a file may say
# otherwise.
DEFAULT_MAX_TOKENS = 256
_MAX_TOKENS_KEY = "moltbot.max_seq_length"
_NAME_KEY = "general.name"
_HASH_CHUNK = 2**20


class LlamaEmbedder:
    """An embedding model behind the `Embedder` contract. Made by `load_embedder`.

    `embed_query` and `embed_passages` may be called on any thread except the model thread and the
    agent's event loop (they wait), and raise ModelError. Vectors have length one. The weights are
    read when the first text comes: most starts of the program have nothing to embed.

    Attributes:
        dimensions: numbers in a vector.
        max_tokens: most tokens of a text that are read; the rest is cut.
    """

    def __init__(
        self,
        header: GgufHeader,
        prompts: EmbeddingPrompts,
        thread: ModelThread,
        threads: int | None,
    ) -> None:
        """`header`: of a file that has been probed, unless it is one of ours."""
        self.prompts = prompts
        self.dimensions = header.embedding_length
        named = header.metadata.get(_MAX_TOKENS_KEY)
        limit = int(named) if isinstance(named, int | float) else prompts.max_tokens
        window = max(1, min(header.context_length, EMBEDDING_WINDOW))
        self.max_tokens = min(limit or DEFAULT_MAX_TOKENS, window)
        path = header.path
        self.model_id = "-".join(filter(None, (path.stem, _sha256(path), prompts.tag)))
        self._path = path
        self._thread = thread
        self._threads = threads
        self._closed = False
        self._model: LlamaEmbedding | None = None
        """Of the model thread."""

    def embed_query(self, text: str) -> Sequence[float]:
        return self._embed(self.prompts.query + text, Priority.QUERY)

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        # One job a text, so that a question comes in between.
        return [self._embed(self.prompts.passage + text, Priority.INDEX) for text in texts]

    def load(self) -> None:
        """Read the weights now. Raises as `embed_query`."""
        self._thread.call(self._loaded, Priority.QUERY).result()

    def rest(self) -> None:
        """Give the memory of the weights back until the next text comes."""
        self._thread.call(self._released, Priority.QUERY).result()

    def close(self) -> None:
        """Free the model's memory. It cannot be asked afterwards."""
        self._closed = True
        self.rest()

    def _embed(self, text: str, priority: Priority) -> Sequence[float]:
        job = self._thread.call(lambda: self._loaded().embed(text, self.max_tokens), priority)
        return tuple(job.result().tolist())

    def _loaded(self) -> LlamaEmbedding:
        if self._closed:
            raise ModelError("The embedding model was closed.")
        if self._model is None:
            self._model = LlamaEmbedding(self._path, self._threads or default_threads())
            self._thread.adopt(self._model)
        return self._model

    def _released(self) -> None:
        model, self._model = self._model, None
        if model is not None:
            self._thread.release(model)


def load_embedder(
    thread: ModelThread, path: Path, *, threads: int | None, state_dir: Path
) -> LlamaEmbedder:
    """Check an embedding model, with a trial where nobody knows the file; blocks meanwhile.

    Raises:
        ModelMissing: no such file.
        ModelFileInvalid: the file cannot be used, or is no embedding model; says why.
        ModelError: not enough memory.
    """
    return thread.call(lambda: _checked(thread, path, threads, state_dir), Priority.QUERY).result()


def _checked(
    thread: ModelThread, path: Path, threads: int | None, state_dir: Path
) -> LlamaEmbedder:
    header = read_header(path)
    if not header.pooled:
        raise ModelFileInvalid(
            f"The model file “{path.name}” is not an embedding model.",
            hint="Choose a model made for embeddings.",
        )
    if not is_bundled(path):
        ensure_probed(header, state_dir, thread.closing)
    prompts = prompts_for(path.stem, str(header.metadata.get(_NAME_KEY, "")))
    return LlamaEmbedder(header, prompts, thread, threads)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_HASH_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
