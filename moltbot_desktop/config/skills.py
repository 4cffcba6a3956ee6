"""Skills: which may be used, where more of them lie, and what each of them gets.

skills: { allowBundled: ["notes"], load: { extraDirs: ["~/shared/skills"] },
          entries: { weather: { enabled: false },
                     tickets: { apiKey: "keyring:tickets", env: { TICKETS_URL: "…" } } } }
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import Flag, Folder, Line, ListOf, Optional, WholeNumber
from moltbot_desktop.config.structures import GroupOf, MapOf, no_names


@dataclass(frozen=True)
class SkillEntryConfig(Section):
    """One skill, by its name or the key its SKILL.md gives."""

    enabled: bool | None = setting(
        "enabled", Optional(Flag()), None, "false takes it out; null leaves it to the skill."
    )
    api_key: str = setting(
        "apiKey", Line(), "", 'The key it asks for, or "keyring:NAME" for one in the keyring.'
    )
    env: Mapping[str, str] = setting(
        "env", MapOf(Line()), no_names(), "Variables for the programs it starts."
    )


@dataclass(frozen=True)
class SkillsConfig(Section):
    allow_bundled: tuple[str, ...] = setting(
        "allowBundled", ListOf(Line()), (), "Only these of the bundled skills; none is all."
    )
    extra_dirs: tuple[Path, ...] = setting(
        "load.extraDirs", ListOf(Folder()), (), "More folders of skills, before all others."
    )
    watch: bool = setting(
        "load.watch", Flag(), True, "Notice changed skills while they are edited."
    )
    watch_debounce_ms: int = setting(
        "load.watchDebounceMs",
        WholeNumber(0, 60_000),
        250,
        "Milliseconds of quiet after which a change counts.",
    )
    entries: Mapping[str, SkillEntryConfig] = setting(
        "entries", MapOf(GroupOf(SkillEntryConfig())), no_names(), "Settings of single skills."
    )
