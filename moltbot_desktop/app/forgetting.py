"""Forgetting put together: memory, inbox, conversations, and what the model has read. What else
holds words of a person, `forgetting_elsewhere` goes through.

A saved model state is numbers made of all that a conversation said, the memory snapshot of its
beginning included, and nobody can look for words in numbers. So all of them go: they are a cache,
and the next question reads its prompt again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from moltbot_desktop.app.forgetting_elsewhere import OtherPlaces
from moltbot_desktop.app.paths import MEMORY_FORGOTTEN, Paths
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import StorageError, UserInputInvalid
from moltbot_desktop.core.i18n import in_one_line
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.memories import words_digest
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.forgetting import remove_fact
from moltbot_desktop.memory.forgotten import ForgottenNotes, Removed
from moltbot_desktop.models.warm import forget_all_saved, saved_states
from moltbot_desktop.sdk.forgetting import Elsewhere, Forgotten, SaidIn
from moltbot_desktop.sdk.inbox import MemoryInbox
from moltbot_desktop.sdk.memory import SearchHit, StoredNote
from moltbot_desktop.sessions.blotting import Mention, mentions
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.tools.undo_journal import UNDO_FOLDER

_LOOKED_AT = 9


class Forgetter:
    """Implements `sdk.forgetting.Forgetting`."""

    def __init__(
        self,
        paths: Paths,
        workspace: Path,
        clock: Clock,
        memory: MarkdownMemory,
        inbox: MemoryInbox,
        conversations: SessionStore,
        folder: Path | None = None,
        only: AgentId | None = None,
    ) -> None:
        """`folder`: where a forgotten note waits, the home folder unless said. `only`: the agent
        whose conversations are looked through; None for all of them."""
        self._workspace = workspace
        self._memory = memory
        self._notes = ForgottenNotes((folder or paths.home) / MEMORY_FORGOTTEN, clock)
        self._inbox = inbox
        self._conversations = conversations
        self._only = only
        self._places = OtherPlaces(paths, workspace)
        self._model_states = saved_states(paths.model_state)
        self._last_words = ""
        self.expire()
        self.after: Callable[[], None] | None = None
        """Called when words were forgotten, on the thread that forgot them: a running model has
        read them too."""

    @property
    def last_words(self) -> str:
        return self._last_words

    def forget(self, hit: SearchHit, *, undo: bool = True) -> Forgotten:
        places: list[Removed] = []

        def keep(removed: Removed) -> None:
            places.append(removed)
            if undo:
                self._notes.keep(places)

        lines = self._memory.take_out(hit, keep)
        paths = [hit.path]
        while (other := self._again(hit.snippet)) is not None:
            self._memory.take_out(other, keep)
            paths.append(other.path)
        self._last_words = hit.snippet
        if not undo:
            self._notes.drop()
        self._inbox.forget(hit.snippet)
        for copy in _kept_copies(self._workspace):
            remove_fact(copy, hit.snippet)
        self._gone()
        return Forgotten(lines, tuple(dict.fromkeys(paths)))

    def _again(self, words: str) -> SearchHit | None:
        """Another note of the owner's that says the same; None when there is none that memory
        may change."""
        digest = words_digest(words)
        for hit in self._memory.search(words, max_results=_LOOKED_AT).hits:
            if words_digest(hit.snippet) == digest and self._memory.may_change(hit):
                return hit
        return None

    def said_in(self, words: str) -> tuple[SaidIn, ...]:
        found = self._mentions(words)
        return tuple(SaidIn(one.session_id, one.day, one.places) for one in found)

    def _mentions(self, words: str) -> tuple[Mention, ...]:
        found = mentions(self._conversations.root, words)
        if self._only is None:
            return found
        folder = self._conversations.root / "agents" / self._only
        return tuple(one for one in found if folder in one.path.parents)

    def blot(self, said: Sequence[SaidIn], words: str) -> tuple[str, ...]:
        # Looked up again: a conversation may have gone on.
        found = {one.session_id: one for one in self._mentions(words)}
        problems = tuple(self._blot(found.get(one.session), words) for one in said)
        self._memory.scrub(words)
        self._gone()
        return problems

    def _blot(self, mention: Mention | None, words: str) -> str:
        if mention is not None:
            try:
                self._conversations.blot(mention, words)
            except StorageError as error:
                return in_one_line(error.message, error.hint)
        return ""

    def elsewhere(self, words: str) -> Elsewhere:
        return self._places.look(words)

    def blot_elsewhere(self, words: str) -> Elsewhere:
        return self._places.take_out(words)

    def bring_back(self) -> StoredNote:
        places = self._notes.last()
        if not places:
            raise UserInputInvalid(
                "There is no forgotten note to bring back.",
                hint="One can be brought back for ten minutes, the last one only.",
            )
        first, *others = places
        # The last that went stood where its offset says while the others were gone.
        for removed in reversed(others):
            with contextlib.suppress(UserInputInvalid):  # it was written anew: nothing is missing
                self._memory.put_back(removed)
        note = self._memory.put_back(first)
        self._notes.drop()
        self._last_words = ""
        return note

    def expire(self) -> None:
        """Let go of a note that was kept too long; at the latest, the next start does."""
        with contextlib.suppress(StorageError):
            self._notes.last()

    def _gone(self) -> None:
        forget_all_saved(self._model_states)
        if self.after is not None:
            self.after()


def _kept_copies(workspace: Path) -> Iterator[Path]:
    """What `write` has kept of memory files that it replaced."""
    for kept in (workspace / UNDO_FOLDER).glob("*/"):
        yield from kept.glob("MEMORY.md")
        yield from kept.glob("memory/**/*.md")
