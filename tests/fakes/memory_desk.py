"""Memory in working memory: files as texts, an inbox, and places that words stand in."""

from __future__ import annotations

import threading
from dataclasses import replace
from hashlib import blake2b

from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.forgetting import Elsewhere, Forgotten, SaidIn
from moltbot_desktop.sdk.inbox import ChangeKind, MemoryChange, Proposal
from moltbot_desktop.sdk.memory import SearchHit, StoredNote
from moltbot_desktop.sdk.memory_desk import (
    GONE,
    Clash,
    Foreseen,
    Found,
    Gone,
    InboxNow,
    NoteFile,
    NoteText,
    Saved,
    Whose,
)

TODAY = "memory/2026-11-23.md"


class FakeMemoryDesk:
    """Promises what `sdk.memory_desk.MemoryDesk` does.

    Attributes:
        files: text of each file; one agent's.
        read_only: paths that memory does not write.
        refusal: raised instead of anything, None for nothing.
        held: a write waits for it.
    """

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self.read_only: set[str] = set()
        self.others: list[Whose] = []
        self.waits: list[Proposal] = []
        self.decided: list[tuple[MemoryChange, Proposal | None]] = []
        self.by_meaning = True
        self.said: tuple[SaidIn, ...] = ()
        self.elsewhere = Elsewhere()
        self.forgotten: list[tuple[SearchHit, bool, str]] = []
        self.refusal: MoltbotError | None = None
        self.held = threading.Event()
        self.held.set()

    def propose(self, text: str, quote: str = "", replaces: str = "") -> Proposal:
        """Somebody mentioned it."""
        number = str(len(self.waits) + len(self.decided) + 1)
        time, session = "2026-11-22T14:05:00+01:00", SessionKey("agent:main:main")
        made = Proposal(number, text, "fact", quote or text, time, session, replaces)
        self.waits.append(made)
        return made

    def agents(self) -> tuple[Whose, ...]:
        return (Whose("main", "Molly"), *self.others)

    def waiting(self) -> int:
        return len(self.waits)

    def notes(self, agent: str) -> tuple[NoteFile, ...]:
        self._may()
        return tuple(
            NoteFile(
                path,
                (len(text), hash(text)),
                0,
                own=path not in self.read_only,
                begins=text.split("\n")[0].lstrip("# -"),
                count=text.count("- "),
            )
            for path, text in self.files.items()
        )

    def read(self, agent: str, path: str) -> NoteText:
        self._may()
        text = self.files.get(path, "")
        return NoteText(path, text, self._digest(path), editable=path not in self.read_only)

    def write(self, agent: str, path: str, text: str | None, digest: str) -> Saved | Clash:
        assert self.held.wait(30)
        self._may()
        if self._digest(path) != digest:
            return Clash(self.read(agent, path))
        before = self.files.get(path)
        if text is None:
            del self.files[path]
        else:
            self.files[path] = text
        return Saved(path, text or "", self._digest(path), before)

    def add(self, agent: str, text: str) -> Saved:
        self._may()
        before = self.files.get(TODAY)
        line = f"- 09:00 · {text}\n"
        if line not in (before or ""):
            self.files[TODAY] = f"{before or ''}{line}"
        return Saved(TODAY, self.files[TODAY], self._digest(TODAY), before)

    def inbox(self, agent: str) -> InboxNow:
        self._may()
        return InboxNow(tuple(self.waits), tuple(one for one, _ in reversed(self.decided)))

    def keep(self, agent: str, proposal: str, text: str = "") -> MemoryChange:
        one = self._taken(proposal)
        return self._decide(one, ChangeKind.KEPT, text or one.text, "MEMORY.md")

    def drop(self, agent: str, proposal: str) -> MemoryChange:
        one = self._taken(proposal)
        return self._decide(one, ChangeKind.REJECTED, one.text, "")

    def undo(self, agent: str, change: str) -> MemoryChange:
        self._may()
        found = next((one for one in self.decided if one[0].id == change), None)
        if found is None:
            raise UserInputInvalid("There is nothing to undo.")
        self.decided.remove(found)
        if found[1] is not None:
            self.waits.append(found[1])
        return replace(found[0], kind=ChangeKind.UNDONE)

    def search(self, agent: str, words: str) -> Found:
        self._may()
        hits = [
            SearchHit(path, number, number, line.lstrip("- "), 0.9, "memory", ("keyword",))
            for path, text in self.files.items()
            for number, line in enumerate(text.split("\n"), start=1)
            if words and words.casefold() in line.casefold()
        ]
        note = "" if self.by_meaning else "Searched by words only: no model."
        return Found(tuple(hits), note, self.by_meaning)

    def foresee(self, agent: str, hit: SearchHit) -> Foreseen:
        self._may()
        return Foreseen((hit.path,), self.said, self.elsewhere)

    def forget(self, agent: str, hit: SearchHit, *, everywhere: bool) -> Gone:
        self._may()
        before = self.files[hit.path]
        lines = before.split("\n")
        gone = lines.pop(hit.start_line - 1)
        self.files[hit.path] = "\n".join(lines)
        self.forgotten.append((hit, everywhere, before))
        elsewhere = self.elsewhere if everywhere else Elsewhere()
        return Gone(Forgotten(gone, (hit.path,)), (), elsewhere)

    def bring_back(self, agent: str) -> StoredNote:
        self._may()
        if not self.forgotten:
            raise UserInputInvalid("There is no forgotten note to bring back.")
        hit, _, before = self.forgotten.pop()
        self.files[hit.path] = before
        return StoredNote(hit.path, hit.start_line)

    def _taken(self, proposal: str) -> Proposal:
        self._may()
        found = next((one for one in self.waits if one.id == proposal), None)
        if found is None:
            raise UserInputInvalid(f"Nothing waits under the number {proposal}.")
        self.waits.remove(found)
        return found

    def _decide(self, one: Proposal, kind: ChangeKind, text: str, path: str) -> MemoryChange:
        change = MemoryChange(one.id, kind, text, one.time, path)
        self.decided.append((change, one))
        return change

    def _digest(self, path: str) -> str:
        text = self.files.get(path)
        return GONE if text is None else blake2b(text.encode(), digest_size=16).hexdigest()

    def _may(self) -> None:
        if self.refusal is not None:
            raise self.refusal
