"""memory-core: the program's own engine in the slot `memory`.

It adds nothing: which notes there are, how they are found and what is brought up is as the program
has it. It exists so that the slot has one meaning, and as the shortest example of an engine.
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.memory import MemoryEngine, MemoryStatus, SearchAnswer
from moltbot_desktop.sdk.memory_plugins import MemoryContext, PluginMemory
from moltbot_desktop.sdk.plugins import PluginApi


class OwnIndex:
    """Implements `sdk.memory_plugins.MemoryIndex` with the engine that the program lends."""

    def __init__(self, own: MemoryEngine) -> None:
        self._own = own

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        return self._own.search(query, max_results=max_results, max_characters=max_characters)

    def status(self, language: Language = Language.ENGLISH) -> MemoryStatus:
        return self._own.status(language)

    def forgotten(self) -> None:
        """The program's own index let go of them already."""

    def close(self) -> None:
        """The program opened it and closes it."""


def _opened(context: MemoryContext) -> OwnIndex:
    return OwnIndex(context.own)


def register(api: PluginApi) -> None:
    """Offer the engine."""
    api.register_memory(PluginMemory(_opened))
