"""What the engine of a plugin reads memory through: `sdk.memory_plugins.MemoryNotes`.

    notes = LentNotes(memory, clock)
    for path, stamp in notes.stamps().items(): ...
    notes.read("memory/2026-01-05.md").units

The same files, cut the same way, with the same vectors from the same cache as the program's own
index: an engine that is chosen later finds most of the work done, and one that is left costs
nothing when it comes back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory.contents import content_of
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.indexer import AT_REST_NS, FRESH_NS
from moltbot_desktop.memory.scan import Stamp
from moltbot_desktop.memory.search import understand
from moltbot_desktop.memory.segment import index_text
from moltbot_desktop.memory.sources import is_conversation
from moltbot_desktop.sdk.memory_plugins import AskedWord, NoteFile, NoteUnit, Vector


class LentNotes:
    """Implements `sdk.memory_plugins.MemoryNotes` over `memory`, which must stay open."""

    def __init__(self, memory: MarkdownMemory, clock: Clock) -> None:
        self._memory = memory
        self._clock = clock
        self._rested: dict[str, str] = {}

    def stamps(self) -> Mapping[str, str]:
        """As in the contract. A conversation that goes on keeps the stamp it had, or is left out,
        until it rests: a question must not find itself."""
        sources = self._memory.sources
        if not sources.plan.enabled:
            return {}
        found: dict[str, str] = {}
        for path, stamp in sources.stamps().items():
            if not _is_text(path):
                continue
            said = _written(stamp)
            if is_conversation(path):
                if self._age_ns(stamp) >= AT_REST_NS:
                    self._rested[path] = said
                elif path not in self._rested:
                    continue
                said = self._rested[path]
            found[path] = said
        return found

    def read(self, path: str) -> NoteFile:
        sources = self._memory.sources
        stamp = sources.stamps_of([path]).get(path)
        if stamp is None:
            return NoteFile("")
        content = content_of(sources, path)
        said = self._rested.get(path, _written(stamp))
        if self._age_ns(stamp) < FRESH_NS:
            said += "?"  # it may change again within one tick of the clock: no stamp is like this
        units = tuple(
            NoteUnit(unit.start_line, unit.end_line, unit.text, header, unit.mark)
            for unit, header in zip(content.units, content.headers, strict=True)
        )
        return NoteFile(said, units)

    def terms(self, text: str) -> str:
        return index_text(text)

    def asked(self, question: str) -> tuple[AskedWord, ...]:
        words = understand(question, self._clock.now().date()).words
        return tuple(AskedWord(word.tokens, word.weight) for word in words)

    def vector_space(self) -> tuple[str, int]:
        return self._memory.vector_space()

    def vectors(self, texts: Sequence[str], seconds: float) -> tuple[Vector | None, ...]:
        return self._memory.vectors(texts, seconds)

    def question_vector(self, question: str) -> Vector | None:
        return self._memory.question_vector(question)

    def trouble(self, language: Language) -> str:
        return self._memory.trouble(language)

    def _age_ns(self, stamp: Stamp) -> int:
        return int(self._clock.now().timestamp() * 1e9) - stamp[1]


def _written(stamp: Stamp) -> str:
    return "/".join(map(str, stamp))


def _is_text(path: str) -> bool:
    """A name that is none can be neither kept nor shown."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
