"""A memory as the program puts it together, with a bundled plugin in the slot.

    with opened_memory(tmp_path, "memory-lancedb") as memory:
        memory.store("My dentist is Dr. Okafor")

`tmp_path` holds the workspace (``ws``) and the caches (``index``); it may be opened again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.app.memory_slot import MemorySlot, SlotNeeds, SlottedMemory
from moltbot_desktop.config.plugin_entries import PluginEntry
from moltbot_desktop.core.clock import Clock, ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import DEFAULT_AGENT
from moltbot_desktop.core.traffic import NO_WAY
from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.plugins.discovery import Origin, PluginRoot, discover
from moltbot_desktop.plugins.opening import open_plugin
from moltbot_desktop.sdk.memory_plugins import PluginMemory
from moltbot_desktop.sdk.models import Embedder
from tests.fakes.plugins import LendsLittle

BUNDLED = Path(__file__).resolve().parents[2] / "moltbot_desktop" / "extensions"


def plugin_memory(state: Path, plugin: str, **config: object) -> PluginMemory:
    """What a bundled plugin registers for the slot, with these settings."""
    found = discover([PluginRoot(Origin.BUNDLED, BUNDLED)], installed=False).plugin(plugin)
    assert found is not None
    opened = open_plugin(found, PluginEntry(True, config), LendsLittle(state), Language.ENGLISH)
    (memory,) = opened.registration.memories
    opened.close()
    return memory


@contextmanager
def opened_memory(
    folder: Path,
    plugin: str,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    **config: object,
) -> Iterator[SlottedMemory]:
    """`plugin` "" leaves the slot empty."""
    clock = clock or ManualClock(datetime(2026, 1, 5, 14, 5, tzinfo=UTC))
    workspace, caches = folder / "ws", folder / "index"
    slot = MemorySlot()
    if plugin:
        slot.fill(plugin, plugin_memory(folder / "state", plugin, **config))
    own = open_memory(workspace, caches, embedder, clock)
    needs = SlotNeeds(DEFAULT_AGENT, workspace, caches, clock, Language.ENGLISH, lambda _: NO_WAY)
    memory = SlottedMemory(own, slot, needs)
    try:
        yield memory
    finally:
        memory.close()
        own.close()
