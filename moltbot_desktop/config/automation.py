"""What happens without a message: `cron` and `hooks`.

cron: { enabled: true, maxConcurrentRuns: 1 },
hooks: { internal: { enabled: true, entries: { "session-memory": { enabled: true } } } }
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.declaration import Section, required, setting
from moltbot_desktop.config.kinds import Flag, Folder, Line, ListOf, Optional, Text, WholeNumber
from moltbot_desktop.config.structures import GroupOf, GroupsOf, MapOf, no_names


@dataclass(frozen=True)
class CronConfig(Section):
    enabled: bool = setting("enabled", Flag(), True, "false runs no job.")
    store: Path | None = setting(
        "store",
        Optional(Folder()),
        None,
        "A jobs.json of the reference to take jobs from; null is cron/jobs.json beside this file.",
    )
    max_concurrent_runs: int = setting(
        "maxConcurrentRuns", WholeNumber(1, 20), 1, "How many jobs run at the same time."
    )


@dataclass(frozen=True)
class HookHandler(Section):
    event: str = required("event", Text(), "", "The event, e.g. command:new.")
    module: str = required("module", Text(), "", "The Python file that handles it.")
    export: str = setting("export", Text(), "handler", "The function in it.")


@dataclass(frozen=True)
class HookEntry(Section):
    enabled: bool | None = setting(
        "enabled", Optional(Flag()), None, "null is what the hook itself says."
    )
    env: Mapping[str, str] = setting(
        "env", MapOf(Line()), no_names(), "Variables the hook is given."
    )


@dataclass(frozen=True)
class InternalHooksConfig(Section):
    """Handlers of what happens inside: a command, the start, a new conversation."""

    enabled: bool = setting("enabled", Flag(), False, "Whether any is called.")
    handlers: tuple[HookHandler, ...] = setting(
        "handlers", GroupsOf(HookHandler()), (), "Single files."
    )
    entries: Mapping[str, HookEntry] = setting(
        "entries", MapOf(GroupOf(HookEntry())), no_names(), "Hooks with a HOOK.md, by name."
    )
    extra_dirs: tuple[Path, ...] = setting(
        "load.extraDirs", ListOf(Folder()), (), "More folders with hooks."
    )


@dataclass(frozen=True)
class HooksConfig(Section):
    internal: InternalHooksConfig = setting(
        "internal", GroupOf(InternalHooksConfig()), InternalHooksConfig(), "Hooks inside."
    )
