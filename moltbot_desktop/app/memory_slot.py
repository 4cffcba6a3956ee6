"""The memory that answers: the engine of the plugin in the slot, else the program's own.

    slot = MemorySlot()                                # one for the program
    take_out = slot.fill("memory-lancedb", offered)    # when the plugin comes in
    memory = SlottedMemory(own, slot, lent)            # one for each agent
    memory.search("Who is my dentist?")                # by whichever engine is in the slot now

Searches, recall and the tools ask a `SlottedMemory`. What keeps the Markdown is the program's own
engine, whichever answers: so nothing is lost when the slot changes, in either direction, and an
engine that fails costs its own way of finding only. The program's own answers then, and says so.

An engine is opened when the memory is first asked, on the thread that asks, because it may have a
library to load that takes seconds.
"""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases, language_of
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.traffic import Errand, Purpose, Way
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.lent import LentNotes
from moltbot_desktop.memory.texts import NOTES
from moltbot_desktop.sdk.memory import (
    MemoryEngine,
    MemoryExcerpt,
    MemoryStatus,
    SearchAnswer,
    SearchHit,
    StoredNote,
)
from moltbot_desktop.sdk.memory_plugins import MemoryContext, MemoryIndex, PluginMemory, RecallRule
from moltbot_desktop.security.seal import Seal

_log = logging.getLogger(__name__)

_PHRASES = Phrases(
    {"failed": "The memory plugin “{plugin}” failed ({reason}); the program's own memory answers."},
    {"failed": "记忆插件“{plugin}”出错（{reason}）；目前由程序自带的记忆回答。"},
)
_USUAL = RecallRule()
_FOLDER = "engines"


@dataclass(frozen=True)
class Filling:
    """What is in the slot."""

    plugin: str
    memory: PluginMemory


class MemorySlot:
    """Which plugin's engine answers. Filled and emptied on the event loop, read on any thread."""

    def __init__(self) -> None:
        self.filling: Filling | None = None
        self.keeps_none: Callable[[], bool] = lambda: False
        """Whether the settings of this moment leave the slot empty on purpose. An agent that starts
        so has no memory tools at all; one that is running keeps nothing and finds nothing."""

    def fill(self, plugin: str, memory: PluginMemory) -> Callable[[], None]:
        """Put it in; the answer takes it out again. Its engines are closed when their memory is
        asked next: the event loop must not wait for a search that is under way."""
        mine = Filling(plugin, memory)
        self.filling = mine

        def take_out() -> None:
            if self.filling is mine:
                self.filling = None

        return take_out

    @property
    def recall(self) -> RecallRule | None:
        """What is brought up unasked; None for nothing."""
        if self.keeps_none():
            return None
        return self.filling.memory.recall if self.filling is not None else _USUAL

    @property
    def captures(self) -> bool:
        """Whether facts that are mentioned are proposed."""
        if self.keeps_none():
            return False
        return self.filling is None or self.filling.memory.captures


@dataclass(frozen=True)
class SlotNeeds:
    """What engines of one agent are made with.

    Attributes:
        caches: of the agent's memory; each plugin's engine has a folder in it.
        way: out of this computer, for the plugin of that id.
    """

    agent_id: AgentId
    workspace: Path
    caches: Path
    clock: Clock
    language: Language
    way: Callable[[str], Way]


def memory_way(seal: Seal) -> Callable[[str], Way]:
    """What an engine of that plugin's id asks before it lets words out."""
    return lambda plugin: seal.way(Errand(Purpose.MEMORY, plugin))


@dataclass
class _Open:
    """The engine that is open; None when it could not be, for the reason in `trouble`."""

    filling: Filling
    index: MemoryIndex | None
    trouble: str = ""


class SlottedMemory(MemoryEngine):
    """Implements `sdk.memory.MemoryEngine`. `own` is closed by who made it."""

    def __init__(self, own: MarkdownMemory, slot: MemorySlot, needs: SlotNeeds) -> None:
        self.own = own
        self._slot = slot
        self._needs = needs
        # Also while an engine answers: one that is left is not closed under a search.
        self._lock = threading.RLock()
        self._open: _Open | None = None
        own.after_forgetting = self._forgotten
        self._caches = needs.caches / _FOLDER

    # ---------------------------------------------------------------- the contract

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        def ask(index: MemoryIndex | MemoryEngine) -> SearchAnswer:
            return index.search(query, max_results=max_results, max_characters=max_characters)

        if self._slot.keeps_none():
            return SearchAnswer((), NOTES.say("switched_off", language_of(query)))
        with self._lock:
            now = self._current()
            if now is not None and now.index is not None:
                try:
                    answer = ask(now.index)
                    now.trouble = ""
                    return answer
                except MoltbotError as error:
                    now.trouble = error.message
                except (Exception, SystemExit) as error:  # noqa: BLE001 - border: a plugin's bug costs its engine
                    _log.exception("the memory plugin %s failed", now.filling.plugin)
                    now.trouble = str(error) or type(error).__name__
        answer = ask(self.own)
        said = self._trouble(language_of(query))
        return replace(answer, note=f"{said} {answer.note}".strip())

    def get(self, path: str, *, start_line: int = 1, lines: int = 0) -> MemoryExcerpt:
        return self.own.get(path, start_line=start_line, lines=lines)

    def store(self, text: str, *, mark: str = "") -> StoredNote:
        """As in the contract; raises UserInputInvalid while the slot is kept empty."""
        if self._slot.keeps_none():
            language = language_of(text)
            raise UserInputInvalid(
                NOTES.say("switched_off", language), hint=NOTES.say("switch_on", language)
            )
        return self.own.store(text, mark=mark)

    def forget(self, hit: SearchHit) -> str:
        return self.own.forget(hit)

    def find_again(self, used: UsedMemory) -> SearchHit | None:
        return self.own.find_again(used)

    def status(self, language: Language = Language.ENGLISH) -> MemoryStatus:
        with self._lock:
            now = self._current()
            if now is not None and now.index is not None:
                try:
                    return replace(now.index.status(language), engine=now.filling.plugin)
                except MoltbotError as error:
                    now.trouble = error.message
        return self._of_own(language)

    def close(self) -> None:
        """Close the engine that is open; `own` stays."""
        self._let_go()

    # ---------------------------------------------------------------- for the event loop

    def glance(self, language: Language) -> MemoryStatus:
        """As `status`, without opening or asking an engine: of the notes as the program knows
        them, under the name of the engine that answers."""
        filling, status = self._slot.filling, self._of_own(language)
        if filling is None or self._trouble(language):
            return status
        return replace(status, engine=filling.plugin)

    def _of_own(self, language: Language) -> MemoryStatus:
        status = self.own.status(language)
        if self._slot.keeps_none():
            return replace(status, note=NOTES.say("switched_off", language))
        said = self._trouble(language)
        return replace(status, note=f"{said} {status.note}".strip()) if said else status

    def _trouble(self, language: Language) -> str:
        now = self._open
        if now is None or not now.trouble or now.filling is not self._slot.filling:
            return ""
        return _PHRASES.say("failed", language, plugin=now.filling.plugin, reason=now.trouble)

    # ---------------------------------------------------------------- the engine in the slot

    def _current(self) -> _Open | None:
        filling = self._slot.filling
        if self._open is not None and self._open.filling is not filling:
            self._let_go()
        if self._open is None and filling is not None:
            self._open = self._opened(filling)
        return self._open

    def _opened(self, filling: Filling) -> _Open:
        needs = self._needs
        context = MemoryContext(
            needs.agent_id,
            needs.workspace,
            self._caches / filling.plugin,
            self.own,
            LentNotes(self.own, needs.clock),
            needs.clock,
            needs.language,
            needs.way(filling.plugin),
        )
        try:
            return _Open(filling, filling.memory.open(context))
        except MoltbotError as error:
            trouble = error.message
        except (Exception, SystemExit) as error:  # noqa: BLE001 - border: a plugin's bug costs its engine
            _log.exception("the memory plugin %s has no engine", filling.plugin)
            trouble = str(error) or type(error).__name__
        return _Open(filling, None, trouble)

    def _let_go(self) -> None:
        with self._lock:
            left, self._open = self._open, None
            if left is not None and left.index is not None:
                left.index.close()

    # ---------------------------------------------------------------- forgetting

    def _forgotten(self) -> None:
        """Words went: no engine may keep them, neither the one that answers nor those that did."""
        with self._lock:
            now = self._open
            for folder in self._left_behind(now.filling.plugin if now is not None else ""):
                shutil.rmtree(folder, ignore_errors=True)
            if now is not None and now.index is not None:
                now.index.forgotten()

    def _left_behind(self, answering: str) -> Iterator[Path]:
        """Caches of engines that are not open; who comes back reads the notes anew."""
        yield from (one for one in self._caches.glob("*") if one.name != answering)
