"""Hooks that a person put into a folder: ``<root>/<name>/HOOK.md`` and ``handler.py`` beside it.

    ---
    name: greeting
    description: "Says hello after /new"
    metadata: { "moltbot": { "events": ["command:new"] } }
    ---

Read like skills: later roots win, a hook that cannot be used becomes a problem and leaves the
others alone. Nothing of a hook is run by finding it. ``events`` are those of
`sdk.internal_hooks`, or the name of a typed hook (`sdk.hooks`), whose handler then gets that event;
of those, a higher ``priority`` (a whole number, 0 when it is not there) is called first.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from moltbot_desktop.config.json5_text import UnusableText, parse_settings
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.hooks import HOOKS
from moltbot_desktop.sdk.internal_hooks import EVENTS
from moltbot_desktop.skills.frontmatter import parse_skill

HOOK_FILE = "HOOK.md"
HANDLER_FILE = "handler.py"
KNOWN_EVENTS = (*sorted({event.partition(":")[0] for event in EVENTS}), *EVENTS, *HOOKS)
_METADATA_KEYS = ("moltbot", "clawdbot", "openclaw")
_MAX_BYTES = 256_000
_MAX_HOOKS = 100

_PHRASES = Phrases(
    {
        "unreadable": "HOOK.md cannot be read",
        "no_handler": "there is no handler.py beside HOOK.md",
        "no_events": "its metadata names no event",
        "event": "there is no event “{event}”",
    },
    {
        "unreadable": "读不了 HOOK.md",
        "no_handler": "HOOK.md 旁边没有 handler.py",
        "no_events": "metadata 里没有写事件",
        "event": "没有“{event}”这个事件",
    },
)


@dataclass(frozen=True)
class HookRoot:
    """A folder whose subfolders are hooks; `source` is bundled, extra, managed or workspace."""

    source: str
    path: Path


@dataclass(frozen=True)
class FoundHook:
    """A hook as its HOOK.md tells it.

    Attributes:
        key: under which the settings have it.
        function: the name in handler.py.
        priority: among the handlers of a typed hook.
        problem: "" or why it cannot be used, for the person.
        agent: in whose workspace it lies, so that it hears of that agent alone; "" for all.
        without: agents that have one of the same name, which is theirs in its place.
    """

    name: str
    description: str
    source: str
    folder: Path
    key: str
    events: tuple[str, ...] = ()
    function: str = "handle"
    priority: int = 0
    problem: str = ""
    about: str = field(default="", repr=False)
    agent: str = ""
    without: frozenset[str] = frozenset()

    @property
    def handler(self) -> Path:
        return self.folder / HANDLER_FILE


def find_hooks(
    roots: Sequence[HookRoot], language: Language = Language.ENGLISH
) -> tuple[FoundHook, ...]:
    """All hooks below `roots`, sorted by name; a later root's replaces an earlier one's. Never
    raises for what lies on the disk."""
    by_name: dict[str, FoundHook] = {}
    for root in roots:
        for folder in _folders(root.path):
            found = _found(folder, root.source, language)
            by_name[found.name] = found
    return tuple(by_name[name] for name in sorted(by_name))


def with_workspaces(
    shared: Sequence[FoundHook], own: Mapping[AgentId, Sequence[FoundHook]]
) -> tuple[FoundHook, ...]:
    """`shared` hooks and, by agent, those of its workspace, which replace the shared ones of the
    same name for that agent. What every agent has replaced is left out."""
    theirs = [replace(hook, agent=agent) for agent, hooks in own.items() for hook in hooks]
    for_all: list[FoundHook] = []
    for hook in shared:
        without = frozenset(one.agent for one in theirs if one.name == hook.name)
        if not without or without < own.keys():
            for_all.append(replace(hook, without=without))
    return tuple(sorted((*for_all, *theirs), key=lambda hook: hook.name))


def _folders(root: Path) -> list[Path]:
    try:
        inside = sorted(root.iterdir()) if root.is_dir() else []
        shown = (one for one in inside if not one.name.startswith("."))
        return [one for one in shown if (one / HOOK_FILE).exists()][:_MAX_HOOKS]
    except OSError:
        return []


def _found(folder: Path, source: str, language: Language) -> FoundHook:
    broken = FoundHook(folder.name, "", source, folder, folder.name)
    try:
        data = _bytes(folder / HOOK_FILE)
        text = parse_skill(data, language=language)
        metadata = _own(text.metadata)
    except (OSError, UnusableText):
        return _with_problem(broken, _PHRASES.say("unreadable", language))
    except MoltbotError as error:
        return _with_problem(broken, error.message)
    events = _texts(metadata.get("events"))
    found = FoundHook(
        text.name,
        text.description,
        source,
        folder,
        str(metadata.get("hookKey") or text.name),
        events,
        str(metadata.get("export") or "handle"),
        _whole_number(metadata.get("priority")),
        about=text.instructions,
    )
    return _with_problem(found, _problem(found, language))


def _problem(found: FoundHook, language: Language) -> str:
    if not _is_file(found.handler):
        return _PHRASES.say("no_handler", language)
    if not found.events:
        return _PHRASES.say("no_events", language)
    strange = [event for event in found.events if event not in KNOWN_EVENTS]
    return _PHRASES.say("event", language, event=strange[0][:80]) if strange else ""


def _with_problem(found: FoundHook, problem: str) -> FoundHook:
    return FoundHook(**{**vars(found), "problem": problem})


def _bytes(path: Path) -> bytes:
    if not _is_file(path):  # a pipe or a device could be read for ever
        raise OSError
    with path.open("rb") as file:
        return file.read(_MAX_BYTES + 1)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _own(metadata: JsonValue) -> JsonObject:
    """Our part of the metadata, whether written as YAML or as JSON5 in quotes."""
    if isinstance(metadata, str) and metadata.strip():
        metadata = parse_settings(metadata.encode())
    if isinstance(metadata, Mapping):
        for key in _METADATA_KEYS:
            value = metadata.get(key)
            if isinstance(value, Mapping):
                return value
    return {}


def _whole_number(value: JsonValue) -> int:
    """Front matter holds numbers as text."""
    return int(str(value)) if re.fullmatch(r"-?[0-9]{1,9}", str(value)) else 0


def _texts(value: JsonValue) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Sequence):
        return tuple(one for one in value if isinstance(one, str))
    return ()
