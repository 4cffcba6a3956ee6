"""The memory engine: notes kept in Markdown, found again by words, meaning, names and days."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, PathRefused, StorageError, UserInputInvalid
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.memory.cache import VectorCache, text_hash
from moltbot_desktop.memory.consistency import index_faults
from moltbot_desktop.memory.daily import append_note
from moltbot_desktop.memory.excerpts import excerpt
from moltbot_desktop.memory.forgetting import bring_back, remove_unit
from moltbot_desktop.memory.forgotten import Removed
from moltbot_desktop.memory.freshness import Freshness
from moltbot_desktop.memory.generations import current_index
from moltbot_desktop.memory.index_home import IndexHome
from moltbot_desktop.memory.indexer import (
    embed_pending,
    fingerprint,
    ready_vectors,
    sync,
    understands_chinese,
)
from moltbot_desktop.memory.picking import pick_hits
from moltbot_desktop.memory.places import place_of
from moltbot_desktop.memory.plan import MemoryPlan
from moltbot_desktop.memory.renewal import Renewal
from moltbot_desktop.memory.search import (
    MOST_PLACES,
    STRONG_HIT,
    Query,
    gather,
    is_answerable,
    rank,
    understand,
)
from moltbot_desktop.memory.sources import Sources
from moltbot_desktop.memory.store import IndexStore, vectors_model
from moltbot_desktop.memory.texts import NOTES, watch_note
from moltbot_desktop.memory.view import View
from moltbot_desktop.sdk.conversations import Conversations
from moltbot_desktop.sdk.memory import (
    MemoryEngine,
    MemoryExcerpt,
    MemoryStatus,
    SearchAnswer,
    SearchHit,
    StoredNote,
)
from moltbot_desktop.sdk.models import Embedder
from moltbot_desktop.storage.changes import WatchHealth

__all__ = ["STRONG_HIT", "MarkdownMemory", "open_memory"]

_EMBED_SECONDS = 0.3
"""How long a search may spend on vectors of new notes before it answers."""
_SLICE_SECONDS = 0.5
"""How long work in the background keeps a search waiting at most, about."""
_MOST_RESULTS = 50
_PER_RESULT = 4
"""Places looked at for one that is shown: words and neighbours move them up and down."""
_SHORT_LINE = 100
"""Characters of a short note; so many places an answer of a given size may show."""


def open_memory(
    workspace: Path,
    index_dir: Path,
    embedder: Embedder | None,
    clock: Clock,
    no_embedder: str = "",
    plan: MemoryPlan | None = None,
    conversations: Conversations | None = None,
) -> MarkdownMemory:
    """Memory of the Markdown files in `workspace`.

    Args:
        index_dir: for the search index alone; may be deleted at any time while it is closed.
        embedder: None to search by words only.
        no_embedder: why that is so, half a sentence for the person.
        plan: what to look through and how; None for the settings' defaults.
        conversations: past ones, looked through where the plan says so.
    """
    sources = Sources(workspace, plan, conversations)
    return MarkdownMemory(workspace, index_dir, embedder, clock, no_embedder, sources)


class MarkdownMemory(MemoryEngine):
    """Implements `sdk.memory.MemoryEngine`. Nothing is opened before it is needed."""

    def __init__(
        self,
        workspace: Path,
        index_dir: Path,
        embedder: Embedder | None,
        clock: Clock,
        no_embedder: str,
        sources: Sources,
    ) -> None:
        """See `open_memory`."""
        self._workspace = workspace
        self._embedder = embedder
        self._no_embedder = no_embedder
        self._clock = clock
        self._sources = sources
        plan = sources.plan
        self._home = IndexHome(index_dir, clock, fingerprint(plan), plan.cached_vectors)
        self._renewal = Renewal(self._read_all, embedder, clock)
        # One thread at a time: SQLite connections and the cached arrays are shared.
        self._lock = threading.RLock()
        self.freshness = Freshness(clock)
        self._closed = False
        self._unread = 0
        # Once after a start: conversations that grew by little are read when there is time.
        self._thorough = True
        self._view: View | None = None
        self._chinese: bool | None = None
        self._model_trouble: MoltbotError | None = None
        self.after_forgetting: Callable[[], None] | None = None
        """Called when words went out of notes or conversations, on the thread that took them out:
        an engine of a plugin has read them too."""

    # ---------------------------------------------------------------- asking

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        if not self._sources.plan.enabled:
            return SearchAnswer((), NOTES.say("switched_off", language_of(query)))
        asked = understand(query, self._clock.now().date())
        # Outside the lock: the model may be busy with something longer.
        vector = self._query_vector(asked) if is_answerable(asked) else None
        with self._lock:
            self._check_open()
            self._renew(_EMBED_SECONDS)
            return self._home.use(
                lambda store, cache: self._answer(
                    store, cache, asked, vector, max_results, max_characters
                )
            )

    def _answer(
        self,
        store: IndexStore,
        cache: VectorCache,
        asked: Query,
        vector: Sequence[float] | None,
        max_results: int,
        max_characters: int,
    ) -> SearchAnswer:
        plan = self._sources.plan
        limit = self._clock.monotonic() + plan.patience_seconds
        if not self._catch_up(store, limit, ours_only=not plan.sync_on_search):
            self._catch_up(store, ours_only=True)  # what was just stored is found in any case
        self._embed(store, cache, _EMBED_SECONDS)
        view = self._viewed(store)
        results = min(max(1, max_results), _MOST_RESULTS)
        places = min(max(_PER_RESULT * results, max_characters // _SHORT_LINE), MOST_PLACES)
        cosines = view.cosines(vector, places) if vector else None
        signals = gather(asked, store, view.layout, cosines)
        hits = pick_hits(
            rank(signals, view.layout, generous=max_characters > 0),
            store.units,
            max_results=results,
            max_characters=max(0, max_characters),
        )
        return SearchAnswer(hits, self._note(store, language_of(asked.text)))

    def _query_vector(self, asked: Query) -> Sequence[float] | None:
        """None when there is no embedder, it fails, or it does not know the language."""
        if self._embedder is None:
            return None
        try:
            if language_of(asked.text) is Language.CHINESE and not self._knows_chinese():
                return None
            vector = self._embedder.embed_query(asked.text)
        except MoltbotError as error:
            self._model_trouble = error
            return None
        self._model_trouble = None
        return vector

    def _knows_chinese(self) -> bool:
        if self._chinese is None and self._embedder is not None:
            self._chinese = understands_chinese(self._embedder)
        return bool(self._chinese)

    def _viewed(self, store: IndexStore) -> View:
        """Arrays of what is in the index now."""
        if self._view is None or self._view.store is not store:
            self._view = View(store)
        self._view.follow()
        return self._view

    def get(self, path: str, *, start_line: int = 1, lines: int = 0) -> MemoryExcerpt:
        self._check_open()
        self._check_on()
        return excerpt(self._sources, path, start_line, lines)

    def find_again(self, used: UsedMemory) -> SearchHit | None:
        try:
            return place_of(used, self.get(used.path).text)
        except PathRefused:
            return None

    # ---------------------------------------------------------------- keeping

    def store(self, text: str, *, mark: str = "") -> StoredNote:
        """As in the contract; also raises UserInputInvalid for an empty or far too long text."""
        with self._lock:
            self._check_open()
            self._check_on(text)
            note = append_note(self._workspace, text, mark, self._clock.now())
            self.freshness.wrote(self._workspace / note.path)
            return note

    @contextmanager
    def still(self, path: Path) -> Iterator[None]:
        """Inside, nothing is stored or forgotten: somebody rewrites the note at `path`."""
        with self._lock:
            self._check_open()
            yield
            self.freshness.wrote(path)

    def forget(self, hit: SearchHit) -> str:
        """As in the contract. The index, its full text and the cached vector go with the file's
        lines, so that the words stand nowhere in the index folder any more."""
        return self.take_out(hit, None)

    def take_out(self, hit: SearchHit, keep: Callable[[Removed], None] | None) -> str:
        """As `forget`; `keep` is given what goes, before it goes, for `put_back`."""
        with self._lock:
            self._check_open()
            self._check_on()
            path = self._sources.writable_path(hit.path, hit.start_line)
            removed = remove_unit(path, hit.start_line, hit.end_line, hit.snippet, keep)
            self.freshness.wrote(path)
            self._home.use(lambda store, cache: self._scrub(store, cache, hit.snippet))
            self._home.drop_rebuild()
        self._tell_forgotten()
        return removed

    def may_change(self, hit: SearchHit) -> bool:
        """Whether a place is in a file of the owner's notes, not in a source that is only read."""
        try:
            self._sources.writable_path(hit.path, hit.start_line)
        except (PathRefused, UserInputInvalid):
            return False
        return True

    def put_back(self, removed: Removed) -> StoredNote:
        """Put lines that were taken out where they stood, or near by; see `memory.forgotten`.

        Raises:
            UserInputInvalid: the same words stand there again already.
            StorageError: nothing was changed.
        """
        with self._lock:
            self._check_open()
            line = bring_back(removed)
            path = Path(removed.path)
            self.freshness.wrote(path)
            return StoredNote(self._sources.find(str(path)), line)

    def scrub(self, words: str) -> None:
        """Take in that `words` went out of conversations too, and keep no trace of them."""
        with self._lock:
            self._check_open()
            self._home.use(lambda store, cache: self._scrub(store, cache, words))
            self._home.drop_rebuild()
        self._tell_forgotten()

    def _tell_forgotten(self) -> None:
        if self.after_forgetting is not None:
            self.after_forgetting()

    def _scrub(self, store: IndexStore, cache: VectorCache, words: str) -> None:
        self._catch_up(store, thorough=True)
        cache.drop(text_hash(words))
        store.scrub()
        cache.scrub()

    def refresh(self, seconds: float = 0.0) -> MemoryStatus:
        """Index every changed file and compute missing vectors, for at most about `seconds`.

        0 means until done. Searches from other threads come in between.
        """
        self._thorough = True
        self.work(seconds or math.inf)
        return self.status()

    def work(self, seconds: float) -> bool:
        """As `refresh`, without asking how things stand; True when nothing is left to do."""
        if not self._sources.plan.enabled:
            return True
        until = self._clock.monotonic() + seconds
        looked_at: list[IndexStore] = []

        def step(store: IndexStore, cache: VectorCache) -> bool:
            # Once for each index: a look at ten thousand files takes as long as a batch.
            if store not in looked_at:
                slice_end = min(until, self._clock.monotonic() + _SLICE_SECONDS)
                if not self._catch_up(store, slice_end, thorough=self._thorough):
                    return False
                self._thorough = False
                looked_at.append(store)
            return self._embed(store, cache, 0.0)

        while True:
            with self._lock:
                self._check_open()
                if self._renew(_SLICE_SECONDS) and self._home.use(step):
                    return True
            if self._clock.monotonic() >= until:
                return False

    def _catch_up(
        self,
        store: IndexStore,
        until: float = math.inf,
        *,
        thorough: bool = False,
        ours_only: bool = False,
    ) -> bool:
        """Bring the files that may have changed into the index; False when time was up.

        With `ours_only` those that this program wrote, unless nothing is known of any yet.
        """
        files = store.file_count()
        look = self.freshness.due(store, files, ours_only=ours_only and files > 0)
        only = None if thorough or look.only is None else self._sources.names_of(look.only)
        waiting = sync(store, self._sources, self._clock, only, until, thorough=thorough)
        if only is None:
            self._unread = waiting
        if waiting:
            return False
        self.freshness.looked(look, store)
        return True

    def _renew(self, seconds: float) -> bool:
        """Work on the index that is to follow one of an older form; True when none is to."""
        until = self._clock.monotonic() + seconds
        return self._home.rebuild(lambda store, cache: self._renewal.fill(store, cache, until))

    def _read_all(self, store: IndexStore, until: float) -> int:
        return sync(store, self._sources, self._clock, None, until, thorough=True)

    def check(self) -> bool:
        """Look all through the index file; True when it is sound.

        A damaged one is set aside and the next search or `refresh` makes it anew. Searches go on
        meanwhile. Takes a second or so for a hundred thousand notes: for idle times.

        Raises:
            StorageError: it could not be looked at.
        """
        with self._lock:
            self._check_open()
            path = self._home.written_file()
        if path is None or not index_faults(path):
            return True
        with self._lock:
            self._check_open()
            self._home.leave_damaged(path)
        return False

    def _embed(self, store: IndexStore, cache: VectorCache, seconds: float) -> bool:
        """One batch at least, more while `seconds` last; True when no unit waits any more."""
        if self._embedder is None:
            return True
        until = self._clock.monotonic() + seconds
        try:
            while embed_pending(store, cache, self._embedder):
                if self._clock.monotonic() >= until:
                    return False
        except StorageError:
            raise
        except MoltbotError as error:
            self._model_trouble = error
        return True

    @property
    def embedder_trouble(self) -> MoltbotError | None:
        """Why vectors could not be computed when that was last tried."""
        return self._model_trouble

    @property
    def places(self) -> tuple[Path, ...]:
        """Files and folders in which a change matters; they need not exist."""
        return self._sources.places() if self._sources.plan.enabled else ()

    # ---------------------------------------------------------------- lending (`memory.lent`)

    @property
    def sources(self) -> Sources:
        """What there is to read."""
        return self._sources

    def vector_space(self) -> tuple[str, int]:
        """Id of the embedding model and the length of its vectors; ("", 0) without one."""
        if self._embedder is None:
            return "", 0
        try:
            dimensions = self._embedder.dimensions  # before `model_id`, which is whole after it
        except MoltbotError as error:
            self._model_trouble = error
            return "", 0
        return self._embedder.model_id, dimensions

    def vectors(self, texts: Sequence[str], seconds: float) -> tuple[Sequence[float] | None, ...]:
        """As `sdk.memory_plugins.MemoryNotes.vectors`; they come from, and go to, the cache."""
        embedder = self._embedder
        if embedder is None:
            return (None,) * len(texts)
        until = self._clock.monotonic() + seconds
        with self._lock:
            self._check_open()
            try:
                return self._home.use(
                    lambda _, cache: ready_vectors(texts, cache, embedder, self._clock, until)
                )
            except StorageError:
                raise
            except MoltbotError as error:
                self._model_trouble = error
                return (None,) * len(texts)

    def question_vector(self, question: str) -> Sequence[float] | None:
        """None without a model, when it fails, or does not know the question's language."""
        return self._query_vector(understand(question, self._clock.now().date()))

    def trouble(self, language: Language) -> str:
        """What of models and sources is not as the settings ask for."""
        return " ".join([*self._model_notes(language), *self._sources.problems(language)])

    # ---------------------------------------------------------------- telling

    def status(self, language: Language = Language.ENGLISH) -> MemoryStatus:
        with self._lock:
            self._check_open()
            if not self._sources.plan.enabled:
                note = NOTES.say("switched_off", language)
                return MemoryStatus(0, 0, False, "", str(self._home.path), note)
            return self._home.use(lambda store, _: self._status(store, language))

    def _status(self, store: IndexStore, language: Language) -> MemoryStatus:
        self._catch_up(store, self._clock.monotonic() + self._sources.plan.patience_seconds)
        files, units = store.counts()
        health, looked_at = self.freshness.health, self.freshness.looked_at
        note, unwatched = self._note(store, language), watch_note(health, language)
        return MemoryStatus(
            files=files,
            chunks=units,
            vectors=self._embedder is not None and self._model_trouble is None,
            model=self._embedder.model_id if self._embedder else "",
            index_path=str(self._home.path),
            note=f"{note} {unwatched}".strip() if health.is_trouble else note,
            watching=health is WatchHealth.WATCHING,
            watch_note=unwatched,
            last_look=looked_at.isoformat(timespec="seconds") if looked_at else "",
        )

    def _note(self, store: IndexStore, language: Language) -> str:
        notes = self._model_notes(language)
        if not notes and (pending := store.pending_count()):
            notes.append(NOTES.say("still_reading", language, count=pending))
        if self._unread:
            notes.append(NOTES.say("unread", language, count=self._unread))
        if self._home.outdated:
            notes.append(NOTES.say("renewing", language))
        if self._home.trouble is not None:
            reason = self._home.trouble.message
            notes.append(NOTES.say("not_on_disk", language, reason=reason))
        notes += self._sources.problems(language)
        notes += [NOTES.say("problem", language, reason=reason) for reason in store.problems()]
        return " ".join(notes)

    def _model_notes(self, language: Language) -> list[str]:
        if self._embedder is None:
            reason = self._no_embedder or NOTES.say("no_model", language)
            return [NOTES.say("keywords_only", language, reason=reason)]
        if self._model_trouble is not None:
            reason = self._model_trouble.message
            return [NOTES.say("embedder_failed", language, reason=reason)]
        return []

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._view = None
            self._home.close()

    def _check_open(self) -> None:
        if self._closed:
            raise StorageError("Memory is closed.")

    def _check_on(self, said: str = "") -> None:
        if not self._sources.plan.enabled:
            language = language_of(said)
            raise UserInputInvalid(
                NOTES.say("switched_off", language), hint=NOTES.say("switch_on", language)
            )


def indexed_with(index_dir: Path) -> str:
    """Id of the embedding model that made the index in `index_dir`; "" when none did."""
    return vectors_model(current_index(index_dir))
