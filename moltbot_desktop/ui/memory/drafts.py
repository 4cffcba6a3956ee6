"""What was typed into notes and is not in their files yet; saves it, one after the other.

    drafts.typed(agent, path, base, text)     # `base`: the NoteText it was typed into
    drafts.save(agent, path)                  # `saved`, `clashed` or `refused` follows

A draft goes when its file says the same, and not before: not when the place shows something else,
and not when the disk is full.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.sdk.memory_desk import Clash, MemoryDesk, NoteText, Saved
from moltbot_desktop.ui.kit.asking import Asking, Refused
from moltbot_desktop.ui.memory.merging import both

Key = tuple[str, str]
"""Agent and path."""


@dataclass(frozen=True)
class Draft:
    """What was typed.

    Attributes:
        base: what the file said when the typing began.
    """

    base: NoteText
    text: str


class Drafts(QObject):
    """Signals:
    saved: agent and `Saved`.
    clashed: agent and the `NoteText` that stands there now; the draft stays.
    refused: path and why nothing was saved; the draft stays.
    """

    saved = Signal(str, object)
    clashed = Signal(str, object)
    refused = Signal(str, str)

    def __init__(self, asking: Asking, desk: MemoryDesk, parent: QObject) -> None:
        super().__init__(parent)
        self._asking, self._desk = asking, desk
        self._drafts: dict[Key, Draft] = {}
        self._saving: set[Key] = set()
        self._again: set[Key] = set()

    def of(self, agent: str) -> frozenset[str]:
        """Paths of an agent's files with something that is not saved."""
        return frozenset(path for one, path in tuple(self._drafts) if one == agent)

    def draft(self, agent: str, path: str) -> Draft | None:
        return self._drafts.get((agent, path))

    def typed(self, agent: str, path: str, base: NoteText, text: str) -> None:
        """The file is to say `text`."""
        if text == base.text:
            self._drafts.pop((agent, path), None)
        else:
            self._drafts[agent, path] = Draft(base, text)

    def drop(self, agent: str, path: str) -> None:
        """Nobody wants it any more."""
        self._drafts.pop((agent, path), None)

    def save(self, agent: str, path: str) -> None:
        """Write the file; what is typed meanwhile is written after it."""
        key, draft = (agent, path), self._drafts.get((agent, path))
        if draft is None:
            return
        if key in self._saving:
            self._again.add(key)
            return
        self._saving.add(key)
        self._asking.ask(
            lambda: self._desk.write(agent, path, draft.text, draft.base.digest),
            lambda answer: self._answered(key, answer),
            lambda refused: self._failed(key, refused),
        )

    def save_all(self) -> None:
        for agent, path in tuple(self._drafts):
            self.save(agent, path)

    def save_now(self) -> None:
        """Before the program ends, on this thread: nobody would wait for another one. Where both
        wrote, both is kept."""
        for (agent, path), draft in tuple(self._drafts.items()):
            try:
                answer = self._desk.write(agent, path, draft.text, draft.base.digest)
                if isinstance(answer, Clash):
                    text = both(draft.base.text, draft.text, answer.theirs.text)
                    answer = self._desk.write(agent, path, text, answer.theirs.digest)
            except MoltbotError:
                continue  # it stays a draft, as long as the program runs
            if isinstance(answer, Saved):
                self._took((agent, path), answer)

    def _answered(self, key: Key, answer: Saved | Clash) -> None:
        self._saving.discard(key)
        if isinstance(answer, Clash):
            self._again.discard(key)
            if key in self._drafts:
                self.clashed.emit(key[0], answer.theirs)
            return
        self._took(key, answer)
        if key in self._again:
            self._again.discard(key)
            self.save(*key)

    def _took(self, key: Key, saved: Saved) -> None:
        draft = self._drafts.get(key)
        if draft is not None:
            base = replace(draft.base, text=saved.text, digest=saved.digest)
            self.typed(*key, base, draft.text)
        self.saved.emit(key[0], saved)

    def _failed(self, key: Key, refused: Refused) -> None:
        self._saving.discard(key)
        self._again.discard(key)
        self.refused.emit(key[1], refused.words)
