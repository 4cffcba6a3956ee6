"""What a changed settings file means for a program that runs.

    changed = changed_paths(old.config, new.config)   # ("agents.defaults.heartbeat.every", ...)
    reload_plan(changed).restart                      # ("heartbeat",)

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
    Rule("agents.defaults.heartbeat", _HOT, "heartbeat"),
    Rule("agents.defaults.memorySearch", _RESTART, "memory"),
    Rule("agents.defaults.workspace", _RESTART, PROGRAM),
    Rule("agents.defaults.language", _RESTART, PROGRAM),
    Rule("agents.defaults.model", _RESTART, "models"),
    Rule("agents.defaults.timeoutSeconds", _RESTART, "agent"),
    Rule("agents.defaults.maxToolCalls", _RESTART, "agent"),
    Rule("agents.defaults.temperature", _RESTART, "agent"),
    Rule("models.typeAhead", _NOOP),
    Rule("models", _RESTART, "models"),
    Rule("env", _RESTART, "models"),
    Rule("hooks", _RESTART, "hooks"),
    Rule("cron", _HOT, "cron"),
    Rule("reminders", _HOT, "reminders"),
    Rule("ui", _RESTART, "window"),
    Rule("browser", _HOT, "browser"),
    Rule("channels", _RESTART, "channels.*"),
    *(
        Rule(prefix, _NOOP)
        for prefix in "agents bindings broadcast session messages commands tools skills audio "
        "media logging talk identity wizard meta routing approvals $schema".split()
    ),
)
"""The first that fits decides; what fits none concerns the whole program."""


@dataclass(frozen=True)
class ReloadPlan:
    """What to do about changed paths.

    Attributes:
        noop: paths that hold from the next use on.
        hot, restart: parts of the program, each once.
    """

    noop: tuple[str, ...] = ()
    hot: tuple[str, ...] = ()
    restart: tuple[str, ...] = ()


def reload_plan(changed: Iterable[str]) -> ReloadPlan:
    """What the changed dotted paths ask for."""
    noop: list[str] = []
    concerned: dict[Effect, dict[str, None]] = {_HOT: {}, _RESTART: {}}
    for path in changed:
        rule = next((one for one in RULES if below(path, one.prefix)), None)
        rule = rule or Rule("", _RESTART, PROGRAM)
        if rule.effect is _NOOP:
            noop.append(path)
            continue
        rest = path[len(rule.prefix) + 1 :].partition(".")[0]
        part = rule.part.replace("*", rest) if rest else rule.part.removesuffix(".*")
        concerned[rule.effect][part] = None
    hot = (part for part in concerned[_HOT] if part not in concerned[_RESTART])
    return ReloadPlan(tuple(noop), tuple(hot), tuple(concerned[_RESTART]))


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
