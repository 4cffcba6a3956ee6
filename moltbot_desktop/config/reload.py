"""What a changed settings file means for a program that runs.

    changed = changed_paths(old.config, new.config)   # ("agents.defaults.heartbeat.every", ...)
    reload_plan(changed).hot                          # (Concern("schedule", ("agents...",)),)

Most settings are read at each use, so that nothing has to be done. Some belong to one part of the
program, which takes them over while it runs (hot) or is started anew (restart); the rest of the
program never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.config.settings import Config, parts
from moltbot_desktop.core.json import JsonObject, JsonValue

PROGRAM = "program"
"""The part that only a new start of the program renews."""


class Effect(StrEnum):
    NOOP = "noop"
    HOT = "hot"
    RESTART = "restart"


@dataclass(frozen=True)
class Rule:
    """What follows when something changes at a path that begins with `prefix`.

    Attributes:
        part: what is concerned, "" for NOOP; ``*`` is the next step of the path.
    """

    prefix: str
    effect: Effect
    part: str = ""


_HOT, _RESTART, _NOOP = Effect.HOT, Effect.RESTART, Effect.NOOP

RULES: tuple[Rule, ...] = (
    Rule("agents.list", _NOOP),
    Rule("agents.defaults.heartbeat", _HOT, "schedule"),
    Rule("agents.defaults.memorySearch", _RESTART, "memory"),
    Rule("agents.defaults.model", _RESTART, "models"),
    Rule("agents.defaults.workspace", _RESTART, PROGRAM),
    Rule("agents.defaults.language", _RESTART, PROGRAM),
    Rule("agents.defaults", _RESTART, "agent"),
    Rule("tools", _RESTART, "agent"),
    Rule("models.typeAhead", _NOOP),
    Rule("models", _RESTART, "models"),
    Rule("env", _RESTART, "models"),
    Rule("hooks", _RESTART, "hooks"),
    Rule("cron", _HOT, "schedule"),
    Rule("ui", _RESTART, "window"),
    Rule("reminders", _RESTART, "window"),
    Rule("channels", _RESTART, "channels.*"),
    *(
        Rule(prefix, _NOOP)
        for prefix in "bindings broadcast session messages commands meta wizard $schema".split()
    ),
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
        hot, restart: parts of the program that take them over, or have to be started anew.
    """

    noop: tuple[str, ...] = ()
    hot: tuple[Concern, ...] = ()
    restart: tuple[Concern, ...] = ()


def reload_plan(changed: Iterable[str]) -> ReloadPlan:
    """What the changed dotted paths ask for."""
    noop: list[str] = []
    concerned: dict[Effect, dict[str, list[str]]] = {_HOT: {}, _RESTART: {}}
    for path in changed:
        rule = next((one for one in RULES if below(path, one.prefix)), None)
        rule = rule or Rule("", _RESTART, PROGRAM)
        if rule.effect is _NOOP:
            noop.append(path)
            continue
        rest = path[len(rule.prefix) + 1 :].partition(".")[0]
        part = rule.part.replace("*", rest) if rest else rule.part.removesuffix(".*")
        concerned[rule.effect].setdefault(part, []).append(path)
    hot, restart = (
        tuple(Concern(part, tuple(paths)) for part, paths in concerned[effect].items())
        for effect in (_HOT, _RESTART)
    )
    return ReloadPlan(tuple(noop), hot, restart)


def below(path: str, prefix: str) -> bool:
    """Whether a dotted path is `prefix` or inside it."""
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
        if not any(below(path, place) or below(place, path) for place in declared)
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
