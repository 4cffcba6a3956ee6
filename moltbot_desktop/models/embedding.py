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
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import ModelFileInvalid
from moltbot_desktop.models.catalogue import is_bundled
from moltbot_desktop.models.embedding_prompts import EmbeddingPrompts, prompts_for
from moltbot_desktop.models.gguf_header import read_header
from moltbot_desktop.models.llama import LlamaEmbedding, default_threads
from moltbot_desktop.models.probe import ensure_probed
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import Priority

# sentence-transformers cuts MiniLM's texts at 256 tokens, special ones included; a file may say
# otherwise.
DEFAULT_MAX_TOKENS = 256
_MAX_TOKENS_KEY = "moltbot.max_seq_length"
_NAME_KEY = "general.name"
_HASH_CHUNK = 2**20


@dataclass(frozen=True)
class LlamaEmbedder:
    """An embedding model behind the `Embedder` contract. Made by `load_embedder`.

    `embed_query` and `embed_passages` may be called on any thread except the model thread and the
    agent's event loop (they wait), and raise ModelError. Vectors have length one.

    Attributes:
        dimensions: numbers in a vector.
        max_tokens: most tokens of a text that are read; the rest is cut.
    """

    model_id: str
    dimensions: int
    max_tokens: int
    prompts: EmbeddingPrompts
    _thread: ModelThread
    _model: LlamaEmbedding

    def embed_query(self, text: str) -> Sequence[float]:
        return self._embed(self.prompts.query + text, Priority.QUERY)

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        # One job a text, so that a question comes in between.
        return [self._embed(self.prompts.passage + text, Priority.INDEX) for text in texts]

    def close(self) -> None:
        """Free the model's memory. It cannot be asked afterwards."""
        self._thread.call(lambda: self._thread.release(self._model), Priority.QUERY).result()

    def _embed(self, text: str, priority: Priority) -> Sequence[float]:
        job = self._thread.call(lambda: self._model.embed(text, self.max_tokens), priority)
        return tuple(job.result().tolist())


def load_embedder(
    thread: ModelThread, path: Path, *, threads: int | None, state_dir: Path
) -> LlamaEmbedder:
    """Check and load an embedding model; blocks until the model thread has done it.

    Raises:
        ModelMissing: no such file.
        ModelFileInvalid: the file cannot be used, or is no embedding model; says why.
        ModelError: not enough memory.
    """
    return thread.call(lambda: _load(thread, path, threads, state_dir), Priority.QUERY).result()


def _load(thread: ModelThread, path: Path, threads: int | None, state_dir: Path) -> LlamaEmbedder:
    header = read_header(path)
    if not header.pooled:
        raise ModelFileInvalid(
            f"The model file “{path.name}” is not an embedding model.",
            hint="Choose a model made for embeddings.",
        )
    if not is_bundled(path):
        ensure_probed(header, state_dir, thread.closing)
    model = LlamaEmbedding(path, threads or default_threads())
    thread.adopt(model)
    prompts = prompts_for(path.stem, str(header.metadata.get(_NAME_KEY, "")))
    named = model.metadata.get(_MAX_TOKENS_KEY, "")
    limit = int(named) if named.isdecimal() else prompts.max_tokens or DEFAULT_MAX_TOKENS
    return LlamaEmbedder(
        "-".join(filter(None, (path.stem, _sha256(path), prompts.tag))),
        model.dimensions,
        min(limit, model.window),
        prompts,
        thread,
        model,
    )


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_HASH_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
