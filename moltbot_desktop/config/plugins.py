"""Which plugins there may be: `plugins`.

    plugins: {
      load: { paths: ["~/my-plugins"] },
      entries: { weather: { enabled: true, config: { units: "metric" } } },
      slots: { memory: "memory-core" },
    }

``entries`` has a reader of its own (`plugin_entries`): what is wrong with one plugin's settings, a
variable that is not set for example, is that plugin's affair and no reason to switch off others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import Flag, Folder, ListOf, Optional, Text

NO_PLUGIN = "none"
"""In a slot: nothing fills it."""
MEMORY_CORE = "memory-core"


@dataclass(frozen=True)
class PluginsConfig(Section):
    enabled: bool = setting("enabled", Flag(), True, "false switches every plugin off.")
    allow: tuple[str, ...] = setting(
        "allow", ListOf(Text()), (), "When there are any here, no others are on."
    )
    deny: tuple[str, ...] = setting("deny", ListOf(Text()), (), "These are never on.")
    load_paths: tuple[Path, ...] = setting(
        "load.paths",
        ListOf(Folder()),
        (),
        "Folders of plugins, or with plugins in them. Only what an entry switches on is run.",
    )
    memory_slot: str | None = setting(
        "slots.memory",
        Optional(Text()),
        None,
        f'The plugin that keeps the memory; null is {MEMORY_CORE}, "{NO_PLUGIN}" is no plugin.',
    )

    @property
    def usual_memory(self) -> bool:
        """Whether the program's own memory is asked for, and nothing keeps its plugin out."""
        slot = (self.memory_slot or "").strip() or MEMORY_CORE
        allowed = not self.allow or MEMORY_CORE in self.allow
        return slot == MEMORY_CORE and self.enabled and allowed and MEMORY_CORE not in self.deny

    @property
    def keeps_no_memory(self) -> bool:
        """Whether the slot is to stay empty, so that there is no memory."""
        return (self.memory_slot or "").strip().lower() == NO_PLUGIN
