"""The folders of skills that plugins bring along (`skills` in their manifest).

    skills = PluginSkills()
    take_away = skills.add(found)          # a plugin came in; in any book at the next turn
    skills.roots()                         # weakest first; the same tuple while nothing changed
    stop = skills.on_change(look_again)

A skill of a plugin is a skill from outside: the owner's yes to the plugin was for its code, and
each of its skills waits for a yes of its own, as any other skill that somebody wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from moltbot_desktop.plugins.discovery import FoundPlugin
from moltbot_desktop.plugins.host import PluginRecord, PluginStatus
from moltbot_desktop.skills.discovery import PLUGIN, SkillRoot


def skill_roots_of(plugin: FoundPlugin) -> tuple[SkillRoot, ...]:
    """What its manifest names; a folder that is not there has no skills."""
    folders = plugin.manifest.skills if plugin.manifest is not None else ()
    # The manifest was refused if one of them led out of the plugin's folder.
    return tuple(SkillRoot(PLUGIN, plugin.folder / folder) for folder in folders)


def roots_of_records(records: Iterable[PluginRecord]) -> tuple[SkillRoot, ...]:
    """Of those that are on, where no program runs that has brought them in."""
    on = (one.found for one in records if one.status is PluginStatus.ON)
    return tuple(root for found in on for root in skill_roots_of(found))


class PluginSkills:
    """Changed on the agent's event loop; `roots` may be asked from any thread."""

    def __init__(self) -> None:
        self._by_plugin: dict[str, tuple[SkillRoot, ...]] = {}
        self._roots: tuple[SkillRoot, ...] = ()
        self._listeners: list[Callable[[], None]] = []

    def roots(self) -> tuple[SkillRoot, ...]:
        return self._roots

    def add(self, plugin: FoundPlugin) -> Callable[[], None]:
        """Take its folders in; the answer takes them away again."""
        found = skill_roots_of(plugin)
        if found:
            self._by_plugin[plugin.id] = found
            self._changed()

        def remove() -> None:
            if self._by_plugin.pop(plugin.id, None):
                self._changed()

        return remove

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each change; the answer ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _changed(self) -> None:
        self._roots = tuple(root for roots in self._by_plugin.values() for root in roots)
        for listener in tuple(self._listeners):
            listener()
