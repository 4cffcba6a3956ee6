"""memory-lancedb: the memory's notes, found with LanceDB.

    { "plugins": { "slots": { "memory": "memory-lancedb" } } }

The program's own tools, its recall and its proposals stay as they are, and ask this engine while it
is in the slot: ``memory_store`` and ``memory_forget`` write and take out Markdown, which the table
follows. `memory_recall` is the reference's name for a search. ``autoRecall`` and ``autoCapture``
switch what the program does unasked, within the reference's limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.extensions.memory_lancedb.index import LanceIndex
from moltbot_desktop.extensions.memory_lancedb.place import Place
from moltbot_desktop.extensions.memory_lancedb.recall import NAME, MemoryRecall
from moltbot_desktop.sdk.memory_plugins import MemoryContext, PluginMemory, RecallRule
from moltbot_desktop.sdk.plugins import PluginApi, ToolFactoryContext

RECALL = RecallRule(most=3, least_score=0.3, shortest=5)
"""The reference's: three memories, a score of 0.3, five characters."""


def register(api: PluginApi) -> None:
    """Offer the engine and its tool."""
    config = api.config
    place_of = place_from(config, api.resolve_path)

    def opened(context: MemoryContext) -> LanceIndex:
        return LanceIndex(context, place_of(context.folder))

    def recall(context: ToolFactoryContext) -> MemoryRecall | None:
        return MemoryRecall(context.memory) if context.memory is not None else None

    rule = RECALL if config["autoRecall"] else None
    api.register_memory(PluginMemory(opened, rule, captures=bool(config["autoCapture"])))
    api.register_tool(recall, names=(NAME,))


def place_from(config: JsonObject, resolve: Callable[[str], Path]) -> Callable[[Path], Place]:
    """Where the settings want the database; else the folder that the program lends."""
    uri, folder = str(config["uri"]), str(config["dbPath"])
    options = config["storageOptions"]

    def place(lent: Path) -> Place:
        if uri:
            named = options if isinstance(options, Mapping) else {}
            return Place(
                uri,
                key=str(config["apiKey"]),
                region=str(config["region"]),
                options={name: str(value) for name, value in named.items()},
            )
        return Place(str(resolve(folder) if folder else lent))

    return place
