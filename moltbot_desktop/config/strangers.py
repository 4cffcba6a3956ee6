"""Keys in the file that mean nothing: spelled wrong, or the reference's and not used here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from moltbot_desktop.config.agent_list import ModelChoiceConfig, ModelOf
from moltbot_desktop.config.kinds import Kind, Optional
from moltbot_desktop.config.settings import KEPT_KEYS, READ_ELSEWHERE, parts
from moltbot_desktop.config.structures import (
    GroupOf,
    GroupsOf,
    MapOf,
    PartOf,
    settings_of,
    underscored,
)
from moltbot_desktop.config.waiting import WAITING
from moltbot_desktop.core.json import JsonObject, JsonValue

_OUTSIDE = frozenset({"env", "$schema"})
"""What means something and is no part of `Config` (`environment`; editors)."""


@dataclass(frozen=True)
class UnknownKey:
    """`near` is what was probably meant, "" when nothing is near."""

    path: str
    near: str


def unknown_keys(raw: JsonObject) -> tuple[UnknownKey, ...]:
    """Keys nobody knows; keys of the reference that wait for their feature are not among them."""
    return tuple(UnknownKey(one.path, _nearest(one)) for one in _strangers_in(raw) if not one.kept)


def unused_keys(raw: JsonObject) -> tuple[str, ...]:
    """Paths of the reference's keys that this version keeps without using them."""
    return tuple(
        one.path for one in _strangers_in(raw) if one.kept and one.place not in READ_ELSEWHERE
    )


@dataclass(frozen=True)
class _Stranger:
    """`known` are the names that mean something beside it; `kept` that the reference has it;
    `place` is as in `_Group`."""

    path: str
    place: str
    known: frozenset[str]
    kept: bool


_Known = tuple[tuple[str, Kind[object]], ...]
"""Settings below a group: dotted path and kind."""


@dataclass(frozen=True)
class _Group:
    """Some group of the file. `place` is its path without numbers and free names."""

    path: str
    place: str
    known: _Known
    values: JsonObject


def _strangers_in(raw: JsonObject) -> Iterator[_Stranger]:
    everything = tuple(
        (part.place(declared), declared.kind)
        for part in parts().values()
        for declared in part.settings
    )
    waiting = [_Group("", "", everything, raw)]
    while waiting:
        group = waiting.pop(0)
        names = frozenset(path.partition(".")[0] for path, _ in group.known)
        spellings = {spelled: name for name in names for spelled in (name, underscored(name))}
        for key, value in group.values.items():
            path = f"{group.path}.{key}" if group.path else key
            if _place(group, spellings.get(key, key)) in WAITING:
                yield _Stranger(path, _place(group, spellings.get(key, key)), names, kept=True)
            elif key in spellings:
                waiting.extend(_below(group, path, spellings[key], value))
            elif group.path or key not in _OUTSIDE:
                kept = key in KEPT_KEYS.get(group.place, frozenset())
                yield _Stranger(path, _place(group, key), names, kept)


def _place(group: _Group, name: str) -> str:
    return f"{group.place}.{name}" if group.place else name


def _below(group: _Group, path: str, name: str, value: JsonValue) -> Iterator[_Group]:
    """The groups that stand at the key `name` of `group`."""
    place = _place(group, name)
    inner = tuple(
        (rest.partition(".")[2], kind)
        for rest, kind in group.known
        if rest.partition(".")[0] == name
    )
    deeper = tuple((rest, kind) for rest, kind in inner if rest)
    if deeper and isinstance(value, Mapping):
        yield _Group(path, place, deeper, value)
    for rest, kind in inner:
        if not rest:
            yield from _inside(kind, path, place, value)


def _inside(kind: Kind[object], path: str, place: str, value: JsonValue) -> Iterator[_Group]:
    """The groups that are inside one value of the kind."""
    match kind:
        case Optional():
            yield from _inside(kind.kind, path, place, value)
        case ModelOf():
            yield from _inside(GroupOf(ModelChoiceConfig()), path, place, value)
        case GroupOf() | PartOf() if isinstance(value, Mapping):
            declared = settings_of(kind.defaults)
            yield _Group(path, place, tuple((one.path, one.kind) for one in declared), value)
        case GroupsOf() if isinstance(value, list):
            for number, item in enumerate(value):
                yield from _inside(GroupOf(kind.defaults), f"{path}[{number}]", place, item)
        case MapOf() if isinstance(value, Mapping):
            for name, item in value.items():
                yield from _inside(kind.kind, f"{path}.{name}", place, item)


def _nearest(stranger: _Stranger) -> str:
    group, _, key = stranger.path.rpartition(".")
    near = get_close_matches(key, sorted(stranger.known), n=1)
    return ".".join(filter(None, [group, near[0]])) if near else ""
