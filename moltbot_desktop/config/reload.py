"""What a changed settings file means for a program that runs.

    changed = changed_paths(old.config, new.config)   # ("agents.defaults.heartbeat", ...)
    reload_plan(changed).restart          # (Concern("schedule", ("agents.defaults.heartbeat",)),)

Many settings are read at each use, so that nothing has to be done. The others belong to one part
of the program, which goes on with what it was made with until it is started anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from moltbot_desktop.config.settings import Config, parts
from moltbot_desktop.core.json import JsonObject, JsonValue

PROGRAM = "program"
"""The part that only a new start of the program renews."""


@dataclass(frozen=True)
class Rule:
    """What follows when something changes at a path that begins with `prefix`.

    Attributes:
        part: what has to be started anew, "" when it is read at each use; ``*`` is the next step
            of the path.
    """

    prefix: str
    part: str = ""


RULES: tuple[Rule, ...] = (
    Rule("agents.list"),
    Rule("agents.defaults.heartbeat"),
    Rule("agents.defaults.memorySearch", "memory"),
    Rule("agents.defaults.model", "models"),
    Rule("agents.defaults.workspace", PROGRAM),
    Rule("agents.defaults.language", PROGRAM),
    Rule("agents.defaults.maxConcurrent"),
    Rule("agents.defaults.subagents.maxConcurrent"),
    Rule("agents.defaults.thinkingDefault"),
    Rule("agents.defaults.verboseDefault"),
    Rule("agents.defaults.envelopeTimezone"),
    Rule("agents.defaults.envelopeTimestamp"),
    Rule("agents.defaults.envelopeElapsed"),
    Rule("agents.defaults.blockStreamingDefault"),
    Rule("agents.defaults.blockStreamingBreak"),
    Rule("agents.defaults.blockStreamingChunk"),
    Rule("agents.defaults.blockStreamingCoalesce"),
    Rule("agents.defaults.humanDelay"),
    Rule("agents.defaults.userTimezone", PROGRAM),
    Rule("agents.defaults", "agent"),
    Rule("tools"),
    Rule("browser"),
    Rule("models.typeAhead"),
    Rule("models", "models"),
    Rule("env", "models"),
    Rule("hooks", "hooks"),
    Rule("plugins"),
    Rule("cron"),
    Rule("skills.load", PROGRAM),
    Rule("skills"),
    Rule("security"),
    Rule("ui.theme"),
    Rule("ui.hotkey"),
    Rule("ui.notificationText"),
    Rule("ui.autostart"),
    Rule("ui", "window"),
    Rule("reminders"),
    Rule("channels"),
    Rule("gateway", PROGRAM),
    *map(Rule, "bindings broadcast session messages commands meta wizard $schema".split()),
)
"""The first that fits decides; what fits none concerns the whole program."""


@dataclass(frozen=True)
class Concern:
    """A part of the program, and the changed paths it is concerned by."""

    part: str
    paths: tuple[str, ...]


@dataclass(frozen=True)
class ReloadPlan:
    """What to do about changed paths.

    Attributes:
        noop: paths that hold from the next use on.
        restart: parts of the program that have to be started anew.
    """

    noop: tuple[str, ...] = ()
    restart: tuple[Concern, ...] = ()


def reload_plan(changed: Iterable[str]) -> ReloadPlan:
    """What the changed dotted paths ask for."""
    noop: list[str] = []
    concerned: dict[str, list[str]] = {}
    for path in changed:
        rule = next((one for one in RULES if _below(path, one.prefix)), Rule("", PROGRAM))
        if not rule.part:
            noop.append(path)
            continue
        rest = path[len(rule.prefix) + 1 :].partition(".")[0]
        part = rule.part.replace("*", rest) if rest else rule.part.removesuffix(".*")
        concerned.setdefault(part, []).append(path)
    restart = (Concern(part, tuple(paths)) for part, paths in concerned.items())
    return ReloadPlan(tuple(noop), tuple(restart))


def _below(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith((f"{prefix}.", f"{prefix}["))


def changed_paths(old: Config, new: Config) -> tuple[str, ...]:
    """Where two readings of the settings differ, as dotted paths; a list is one value.

    What is declared is compared as it holds, so a mistake that fell back is no change; the rest
    as it is written.
    """
    declared: list[str] = []
    found: list[str] = []
    for part in parts().values():
        before, after = getattr(old, part.attribute), getattr(new, part.attribute)
        for setting in part.settings:
            place = part.place(setting)
            declared.append(place)
            if part.path:
                one, other = getattr(before, setting.attribute), getattr(after, setting.attribute)
            else:
                one, other = before, after
            if one != other:
                found.append(place)
    rest = (
        path
        for path in _differences(old.raw, new.raw, "")
        if not any(_below(path, place) or _below(place, path) for place in declared)
    )
    return (*found, *rest)


def _differences(old: JsonObject, new: JsonObject, path: str) -> Iterator[str]:
    for name in dict.fromkeys((*old, *new)):
        inner = f"{path}.{name}" if path else name
        before: JsonValue = old.get(name)
        after: JsonValue = new.get(name)
        if isinstance(before, Mapping) or isinstance(after, Mapping):
            yield from _differences(
                before if isinstance(before, Mapping) else {},
                after if isinstance(after, Mapping) else {},
                inner,
            )
        elif before != after:
            yield inner
