"""From what the file says to checked sections. Pure: no disk, no environment but what is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from moltbot_desktop.config.declaration import Section, Setting
from moltbot_desktop.config.kinds import WrongItem, WrongValue
from moltbot_desktop.config.settings import KEPT_KEYS, sections, settings_of
from moltbot_desktop.config.substitute import MissingVariable, substitute
from moltbot_desktop.core.json import JsonObject, JsonValue


@dataclass(frozen=True)
class WrongSetting:
    """A value that does not fit: what was expected (`config.texts`) and what is there."""

    path: str
    expected: str
    slots: Mapping[str, object]
    found: JsonValue


@dataclass(frozen=True)
class UnsetVariable:
    path: str
    name: str


@dataclass(frozen=True)
class UnknownKey:
    """`near` is what was probably meant, "" when nothing is near."""

    path: str
    near: str


Mistake = WrongSetting | UnsetVariable


@dataclass(frozen=True)
class CheckedSection:
    """A section as the file has it: its values, or the mistakes that make it unusable.

    Attributes:
        written: its settings as they stand in the file (by path inside the section), for the
            record of the last good state.
    """

    values: Section
    mistakes: tuple[Mistake, ...]
    written: JsonObject


def check_section(
    attribute: str, raw: JsonObject, environment: Mapping[str, str]
) -> CheckedSection:
    """Read the section that is `attribute` of `Config` out of the file `raw`."""
    path, defaults = sections()[attribute]
    written: dict[str, JsonValue] = {}
    values: dict[str, object] = {}
    mistakes: list[Mistake] = []
    for declared in settings_of(defaults):
        try:
            found = _find(raw, f"{path}.{declared.path}")
            if found is None:
                continue
            written[declared.path] = found.value
            values[declared.attribute] = _checked(declared, found, environment)
        except _Unusable as problem:
            if problem.mistake not in mistakes:  # one wrong group is found once per setting
                mistakes.append(problem.mistake)
    made = defaults.with_values(values)
    conflict = made.conflict()
    if conflict is not None:
        at = _path_of(defaults, conflict.attribute)
        mistakes.append(
            WrongSetting(f"{path}.{at}", conflict.phrase, conflict.slots, written.get(at))
        )
    return CheckedSection(made, tuple(mistakes), written)


def _path_of(defaults: Section, attribute: str) -> str:
    return next(one.path for one in settings_of(defaults) if one.attribute == attribute)


def section_from_record(
    attribute: str, record: JsonObject, environment: Mapping[str, str]
) -> Section:
    """The section as an earlier `CheckedSection.written` has it; settings that no longer fit
    get their defaults."""
    _, defaults = sections()[attribute]
    values: dict[str, object] = {}
    for declared in settings_of(defaults):
        if declared.path in record:
            found = _Found(declared.path, record[declared.path])
            try:
                values[declared.attribute] = _checked(declared, found, environment)
            except _Unusable:
                continue
    made = defaults.with_values(values)
    return made if made.conflict() is None else defaults


class _Unusable(Exception):
    def __init__(self, mistake: Mistake) -> None:
        super().__init__(mistake)
        self.mistake = mistake


@dataclass(frozen=True)
class _Found:
    """`path` is spelled as the person wrote it."""

    path: str
    value: JsonValue


def _checked(declared: Setting, found: _Found, environment: Mapping[str, str]) -> object:
    try:
        return declared.kind.check(substitute(found.value, found.path, environment))
    except WrongItem as wrong:
        place = f"{found.path}[{wrong.index}]"
        mistake = WrongSetting(place, wrong.phrase, wrong.slots, wrong.found)
        raise _Unusable(mistake) from wrong
    except WrongValue as wrong:
        mistake = WrongSetting(found.path, wrong.phrase, wrong.slots, found.value)
        raise _Unusable(mistake) from wrong
    except MissingVariable as missing:
        raise _Unusable(UnsetVariable(missing.path, missing.name)) from missing


def _find(raw: JsonObject, path: str) -> _Found | None:
    """What stands at `path`, or None when the file does not say."""
    value: JsonValue = raw
    walked: list[str] = []
    for name in path.split("."):
        if not isinstance(value, Mapping):
            raise _Unusable(WrongSetting(".".join(walked), "group", {}, value))
        spelling = next((one for one in (name, underscored(name)) if one in value), None)
        if spelling is None:
            return None
        walked.append(spelling)
        value = value[spelling]
    return _Found(".".join(walked), value)


def underscored(name: str) -> str:
    """``maxResults`` as ``max_results``."""
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in name)


# ----------------------------------------------------------------------------- unknown keys


def _known_children() -> dict[str, set[str]]:
    """For each group the names that have a meaning in it."""
    known: dict[str, set[str]] = {"": set()}
    for path, defaults in sections().values():
        for declared in settings_of(defaults):
            *groups, name = f"{path}.{declared.path}".split(".")
            for depth, group in enumerate(groups):
                known.setdefault(".".join(groups[:depth]), set()).add(group)
            known.setdefault(".".join(groups), set()).add(name)
    return known


def unknown_keys(raw: JsonObject) -> tuple[UnknownKey, ...]:
    """Keys nobody knows; keys of the reference that wait for their feature are not among them."""
    return tuple(
        UnknownKey(path, _nearest(path, names)) for path, names, kept in _strangers(raw) if not kept
    )


def unused_keys(raw: JsonObject) -> tuple[str, ...]:
    """Paths of the reference's keys that this version keeps without using them."""
    return tuple(path for path, _, kept in _strangers(raw) if kept)


def _strangers(raw: JsonObject) -> Iterator[tuple[str, set[str], bool]]:
    """Path, known names beside it, and whether the reference has it."""
    known = _known_children()
    waiting: list[tuple[str, JsonObject]] = [("", raw)]
    while waiting:
        group, values = waiting.pop(0)
        spellings = {
            spelled: name for name in known[group] for spelled in (name, underscored(name))
        }
        for key, value in values.items():
            path = f"{group}.{key}" if group else key
            if key not in spellings:
                yield path, known[group], key in KEPT_KEYS.get(group, frozenset())
                continue
            inner = f"{group}.{spellings[key]}" if group else spellings[key]
            if inner in known and isinstance(value, Mapping):
                waiting.append((inner, value))


def _nearest(path: str, names: set[str]) -> str:
    group, _, key = path.rpartition(".")
    near = get_close_matches(key, sorted(names), n=1)
    return ".".join(filter(None, [group, near[0]])) if near else ""
