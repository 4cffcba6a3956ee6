"""An embedder with a second one behind it, for who wrote `memorySearch.fallback`.

    embedder = FallbackEmbedder(openai, lambda: load_embedder(...), "openai", "local", language)

A failure of the first one is raised as any failure is; the next round of indexing begins with the
second, under its own `model_id`, so that its vectors never stand among the first one's. The index
is then made anew with it, as the reference does. The first one is tried again by the next start of
the program and not before: an index that changes its model twice an hour is embedded twice an
hour, and the embedding cache makes going back cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.models import Embedder

T = TypeVar("T")

_PHRASES = Phrases(
    english={"fell_back": "{second} stands in for {first}, which failed: {problem}"},
    chinese={"fell_back": "{first} 出错（{problem}），暂由 {second} 代替"},
)


class FallbackEmbedder:
    """Implements `sdk.models.Embedder`. Vectors may be asked for by several threads at once when
    both embedders allow it; `dimensions` by the one that indexes. Raises what the one that answers
    raises."""

    def __init__(
        self,
        first: Embedder,
        open_second: Callable[[], Embedder],
        names: tuple[str, str],
        language: Language = Language.ENGLISH,
    ) -> None:
        """`open_second` is called after the first failure, until it succeeds; `names` are for the
        person."""
        self._first = first
        self._open_second = open_second
        self._names = names
        self._language = language
        self._failure: MoltbotError | None = None
        self._current = first

    @property
    def reason(self) -> str:
        """Half a sentence on why the second one answers, for the person; "" while it does not."""
        if self._failure is None or self._current is self._first:
            return ""
        first, second = self._names
        problem = self._failure.message.rstrip(".")
        return _PHRASES.say(
            "fell_back", self._language, first=first, second=second, problem=problem
        )

    @property
    def opened(self) -> tuple[Embedder, ...]:
        """The embedders that may hold connections."""
        return (self._first,) if self._current is self._first else (self._first, self._current)

    @property
    def model_id(self) -> str:
        return self._current.model_id

    @property
    def dimensions(self) -> int:
        """As in the contract. The second one takes over here and nowhere else: a round of
        indexing begins with it, so no round gets vectors of both."""
        if self._failure is not None and self._current is self._first:
            self._current = self._open_second()
        return self._asked(lambda embedder: embedder.dimensions)

    def embed_query(self, text: str) -> Sequence[float]:
        return self._asked(lambda embedder: embedder.embed_query(text))

    def embed_passages(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._asked(lambda embedder: embedder.embed_passages(texts))

    def _asked(self, ask: Callable[[Embedder], T]) -> T:
        embedder = self._current
        try:
            return ask(embedder)
        except MoltbotError as error:
            if embedder is self._first:
                self._failure = error
            raise
