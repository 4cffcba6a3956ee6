"""The memory inbox: facts the owner mentioned, until the owner says yes or no.

    inbox = FileInbox(parts)
    inbox.hear(Heard("By the way, I'm allergic to peanuts.", session, now))
    inbox.accept("1")        # a line of MEMORY.md
    inbox.undo()             # not any more

What was only mentioned waits in a log beside the workspace (it is truth, so not in the index
folder); what was asked to be remembered is in the day's notes at once. Several processes share the
log: each change is made under a lock, on the state read just then.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.memory.comparing import known_as, near_duplicate, supersedes
from moltbot_desktop.memory.facts import Fact, as_line, facts_of
from moltbot_desktop.memory.files import FOLDER
from moltbot_desktop.memory.inbox_log import (
    MOST_RECORDS,
    Entry,
    Ledger,
    State,
    decided,
    placed,
    proposed,
    replay,
    shortened,
    without,
)
from moltbot_desktop.memory.long_term import Kept, LongTerm, Struck
from moltbot_desktop.memory.notes import clean_text, same_fact, struck_until
from moltbot_desktop.sdk.inbox import ChangeKind, Heard, Judged, MemoryChange, MemoryInbox, Proposal
from moltbot_desktop.sdk.memory import MemoryEngine, SearchHit
from moltbot_desktop.sdk.models import Embedder
from moltbot_desktop.storage.files import disk_errors, make_private_dir, write_atomic
from moltbot_desktop.storage.jsonl import JsonlLog, read_jsonl, repair_jsonl
from moltbot_desktop.storage.locks import taken_lock

_RELATED = 8
_MOST_RECENT = 50


def _always() -> bool:
    return True


@dataclass(frozen=True)
class InboxParts:
    """What an inbox is made of.

    Attributes:
        path: of the log.
        memory: finds what is known already, and keeps what was asked to be remembered.
        embedder: compares facts by meaning; None compares by words.
        listens: whether anything is learned from conversations: memory is switched on.
        proposes: whether facts that were only mentioned are proposed.
        captures: whether the engine that answers now has them proposed.
    """

    path: Path
    long_term: LongTerm
    memory: MemoryEngine
    embedder: Embedder | None
    clock: Clock
    listens: bool = True
    proposes: bool = True
    captures: Callable[[], bool] = _always


@dataclass(frozen=True)
class _Note:
    """What was asked to be remembered, where it stands, and notes about the same thing."""

    text: str
    path: str
    line: str
    related: Sequence[SearchHit]


class FileInbox(MemoryInbox):
    """Implements `sdk.inbox.MemoryInbox` with a log of events."""

    def __init__(self, parts: InboxParts) -> None:
        self._parts = parts
        self._log = JsonlLog(parts.path)
        self._lock = threading.Lock()

    # ---------------------------------------------------------------- hearing

    def hear(self, heard: Heard) -> Judged:
        if not self._parts.listens:
            return Judged()
        facts = [fact for fact in facts_of(heard.text) if self._counts(fact, heard)]
        news = list(self._with_related(facts))
        if not news and not heard.stored:
            return Judged()
        # Whatever asks the memory is done before the lock: memory has a lock of its own.
        notes = [self._noted(text, heard.at, self._related(text)) for text in heard.stored]
        notes += [self._stored(fact, related) for fact, related in news if fact.explicit]
        with self._changing() as ledger:
            numbers = count(ledger.last_number + 1)
            stored = [
                self._struck(note, heard.at, next(numbers)) for note in notes if note is not None
            ]
            asked = [
                self._propose(fact, related, heard, next(numbers))
                for fact, related in news
                if not fact.explicit and not ledger.knows(fact.text)
            ]
        return Judged(tuple(asked), tuple(stored))

    def _counts(self, fact: Fact, heard: Heard) -> bool:
        if fact.explicit:
            return not heard.stored and not heard.handled
        told = same_fact(fact.text)
        twice = any(
            told in same_fact(text) or same_fact(text) in told or near_duplicate(fact.text, text)
            for text in heard.stored
        )
        return self._parts.proposes and self._parts.captures() and not twice

    def _with_related(self, facts: Sequence[Fact]) -> Iterator[tuple[Fact, Sequence[SearchHit]]]:
        """The facts that are not known yet, each with the notes about the same thing."""
        for fact in facts:
            related = self._related(fact.text)
            if not self._known(fact.text, related):
                yield fact, related

    def _related(self, text: str) -> tuple[SearchHit, ...]:
        hits = self._parts.memory.search(text, max_results=_RELATED).hits
        return tuple(hit for hit in hits if not hit.mark and not struck_until(hit.snippet))

    def _known(self, text: str, related: Sequence[SearchHit]) -> bool:
        told = [hit.snippet for hit in related]
        return bool(
            known_as(text, self._parts.long_term.facts(), None)
            or known_as(text, told, self._parts.embedder)
        )

    def _noted(self, text: str, said: datetime, related: Sequence[SearchHit]) -> _Note | None:
        """Where the assistant put `text`; None when it stood there before it was said."""
        words = clean_text(text)
        for day in sorted({said.date(), self._parts.clock.now().date()}):
            path = f"{FOLDER}/{day}.md"
            line = self._parts.long_term.line_of(path, words)
            if line and (day > said.date() or line[2:7] >= f"{said:%H:%M}"):
                return _Note(words, path, line, related)
        return None

    def _stored(self, fact: Fact, related: Sequence[SearchHit]) -> _Note:
        note = self._parts.memory.store(fact.text)
        line = "" if note.already_known else self._parts.long_term.line_of(note.path, fact.text)
        return _Note(fact.text, note.path, line, related)

    def _struck(self, note: _Note, said: datetime, number: int) -> MemoryChange:
        now, own = self._parts.clock.now(), Struck(note.path, note.line)
        struck = self._parts.long_term.strike_old(note.text, said, now, note.related, own)
        kept = Kept(note.path, note.line, struck=struck)
        return self._placed(State.STORED, str(number), note.text, kept)

    def _propose(
        self, fact: Fact, related: Sequence[SearchHit], heard: Heard, number: int
    ) -> Proposal:
        known = (*self._parts.long_term.facts(), *(hit.snippet for hit in related))
        replaces = next((old for old in known if supersedes(fact.text, old)), "")
        time = heard.at.isoformat(timespec="seconds")
        proposal = Proposal(
            str(number), fact.text, fact.category.value, fact.quote, time, heard.session, replaces
        )
        self._log.append(proposed(proposal))
        return proposal

    # ---------------------------------------------------------------- looking

    def proposals(self) -> tuple[Proposal, ...]:
        return self._ledger().open

    def recent(self) -> tuple[MemoryChange, ...]:
        return tuple(entry.change() for entry in self._ledger().decided[:_MOST_RECENT])

    # ---------------------------------------------------------------- deciding

    def accept(self, proposal_id: str, text: str = "") -> MemoryChange:
        proposal = _waiting(self._ledger(), proposal_id)
        fact = as_line(text) if text.strip() else proposal.text
        if not fact:
            raise UserInputInvalid("There is nothing to keep in that.", hint="Say what to keep.")
        related = self._related(fact)
        known = self._known(fact, related)
        said = datetime.fromisoformat(proposal.time)
        now, long_term = self._parts.clock.now(), self._parts.long_term
        with self._changing() as ledger:
            _waiting(ledger, proposal_id)
            if known:
                return self._placed(State.KEPT, proposal_id, fact, None)
            kept = long_term.keep(fact, proposal.quote, said, now, related)
            return self._placed(State.KEPT, proposal_id, fact, kept)

    def reject(self, proposal_id: str) -> MemoryChange:
        with self._changing() as ledger:
            _waiting(ledger, proposal_id)
            return self._written(decided("rejected", proposal_id, self._now()))

    def undo(self, change_id: str = "") -> MemoryChange:
        with self._changing() as ledger:
            entry = _decided(ledger, change_id)
            if entry.kept is not None:
                self._parts.long_term.take_back(entry.kept)
            self._log.append(decided("undone", entry.id, self._now()))
            return replace(entry.change(), kind=ChangeKind.UNDONE)

    def forget(self, words: str) -> int:
        with self._changing():
            rest, facts = without(read_jsonl(self._log.path).records, words)
            self._rewrite(rest)
            return facts

    # ---------------------------------------------------------------- the log

    def _ledger(self) -> Ledger:
        return replay(read_jsonl(self._log.path).records)

    @contextmanager
    def _changing(self) -> Iterator[Ledger]:
        """The state, that nobody else changes meanwhile."""
        path = self._log.path
        make_private_dir(path.parent)
        with self._lock:
            lock = taken_lock(path.with_name(path.name + ".lock"))
            try:
                records = repair_jsonl(path).records
                if len(records) > MOST_RECORDS:
                    records = shortened(records)
                    self._rewrite(records)
                yield replay(records)
            finally:
                lock.release()

    def _placed(self, state: State, number: str, text: str, kept: Kept | None) -> MemoryChange:
        path = kept.path if kept else ""
        return self._written(placed(state, number, self._now(), text, path, kept))

    def _written(self, record: JsonObject) -> MemoryChange:
        self._log.append(record)
        return self._ledger().entries[str(record["id"])].change()

    def _rewrite(self, records: Iterable[JsonObject]) -> None:
        lines = (json.dumps(record, ensure_ascii=False) for record in records)
        write_atomic(self._log.path, "".join(line + "\n" for line in lines).encode())
        bad = self._log.path.with_name(self._log.path.name + ".bad")
        with disk_errors(bad):
            bad.unlink(missing_ok=True)

    def _now(self) -> str:
        return self._parts.clock.now().isoformat(timespec="seconds")


def _waiting(ledger: Ledger, proposal_id: str) -> Proposal:
    found = next((one for one in ledger.open if one.id == proposal_id), None)
    if found is None:
        raise UserInputInvalid(
            f"Nothing waits under the number {proposal_id[:20]}.",
            hint="It may have been decided already; `memory inbox` lists what waits.",
        )
    return found


def _decided(ledger: Ledger, change_id: str) -> Entry:
    entries = [entry for entry in ledger.decided if change_id in ("", entry.id)]
    if not entries:
        raise UserInputInvalid(
            f"There is nothing to undo{f' under the number {change_id[:20]}' if change_id else ''}."
        )
    return entries[0]
