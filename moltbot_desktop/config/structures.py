"""Settings inside settings: groups, lists of groups and groups with free names.

    class Match(Section):
        channel: str = required("channel", Text(), "The channel it is about.")

    GroupOf(Match()).check({"channel": "telegram"})         # Match(channel="telegram")
    GroupsOf(Match()).check([{"channel": "telegram"}])      # (Match(channel="telegram"),)
    MapOf(Flag()).check({"a": True})                        # {"a": True}, which cannot be changed
    PartOf(Match()).check({}).over(usual)                   # `usual` with only what was written

A mistake deep inside is told with its whole path, e.g. ``bindings[1].match.channel``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Generic, TypeVar, cast

from moltbot_desktop.config.declaration import Section, Setting
from moltbot_desktop.config.kinds import Kind, WrongInside, WrongValue
from moltbot_desktop.core.json import JsonObject, JsonValue

Value = TypeVar("Value")
Group = TypeVar("Group", bound=Section)


def settings_of(defaults: object) -> tuple[Setting, ...]:
    """The settings that a dataclass, or a value of one, declares."""
    declared = ((field, field.metadata) for field in fields(cast(Section, defaults)))
    return tuple(
        Setting(
            field.name,
            str(data["path"]),
            data["kind"],
            str(data["help"]),
            required=bool(data.get("required", False)),
        )
        for field, data in declared
        if "path" in data
    )


@dataclass(frozen=True)
class Found:
    """What stands at a path, which is spelled as the person wrote it."""

    path: str
    value: JsonValue


def find(raw: JsonObject, path: str) -> Found | None:
    """What stands at the dotted `path`, or None when nothing does.

    Raises:
        WrongInside: something on the way is no group.
    """
    value: JsonValue = raw
    walked: list[str] = []
    for name in path.split("."):
        if not isinstance(value, Mapping):
            raise WrongInside(WrongValue("group"), ".".join(walked), value)
        spelling = next((one for one in (name, underscored(name)) if one in value), None)
        if spelling is None:
            return None
        walked.append(spelling)
        value = value[spelling]
    return Found(".".join(walked), value)


def underscored(name: str) -> str:
    """``maxResults`` as ``max_results``."""
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in name)


def checked_values(defaults: Section, value: JsonValue) -> dict[str, object]:
    """The settings that are written in the group `value`, by attribute.

    Raises:
        WrongValue: it is no group, or one of them does not fit (`WrongInside`).
    """
    if not isinstance(value, Mapping):
        raise WrongValue("group")
    values: dict[str, object] = {}
    for declared in settings_of(defaults):
        try:
            found = find(value, declared.path)
        except WrongInside as wrong:
            raise WrongInside(WrongValue(wrong.phrase), f".{wrong.place}", wrong.found) from wrong
        if found is None:
            if declared.required:
                raise WrongInside(WrongValue("missing"), f".{declared.path}", None)
            continue
        try:
            values[declared.attribute] = declared.kind.check(found.value)
        except WrongValue as wrong:
            raise WrongInside(wrong, f".{found.path}", found.value) from wrong
    return values


@dataclass(frozen=True)
class GroupOf(Generic[Group]):
    """A group of settings; what is not written is as in `defaults`."""

    defaults: Group

    def check(self, value: JsonValue) -> Group:
        made = cast(Group, self.defaults.with_values(checked_values(self.defaults, value)))
        conflict = made.conflict()
        if conflict is not None:
            declared = settings_of(self.defaults)
            path = next(one.path for one in declared if one.attribute == conflict.attribute)
            found = find(cast(JsonObject, value), path)
            wrong = WrongValue(conflict.phrase, **conflict.slots)
            raise WrongInside(wrong, f".{path}", None if found is None else found.value)
        return made

    def schema(self) -> JsonObject:
        return group_schema(self.defaults)


@dataclass(frozen=True)
class Part(Generic[Group]):
    """Only what was written of a group of settings, to be laid over another one."""

    values: Mapping[str, object]

    def over(self, usual: Group) -> Group:
        """`usual`, with what was written instead."""
        return cast(Group, usual.with_values(self.values))


@dataclass(frozen=True)
class PartOf(Generic[Group]):
    """Settings that differ from others of the same kind: one agent's from those of all."""

    defaults: Group

    def check(self, value: JsonValue) -> Part[Group]:
        return Part(MappingProxyType(checked_values(self.defaults, value)))

    def schema(self) -> JsonObject:
        return group_schema(self.defaults)


@dataclass(frozen=True)
class GroupsOf(Generic[Group]):
    """A list of groups, in the order they are written."""

    defaults: Group

    def check(self, value: JsonValue) -> tuple[Group, ...]:
        if not isinstance(value, list):
            raise WrongValue("list")
        kind = GroupOf(self.defaults)
        checked: list[Group] = []
        for index, item in enumerate(value):
            try:
                checked.append(kind.check(item))
            except WrongValue as wrong:
                raise WrongInside(wrong, f"[{index}]", item) from wrong
        return tuple(checked)

    def schema(self) -> JsonObject:
        return {"type": "array", "items": group_schema(self.defaults)}


@dataclass(frozen=True)
class MapOf(Generic[Value]):
    """A group with free names and values of one kind."""

    kind: Kind[Value]

    def check(self, value: JsonValue) -> Mapping[str, Value]:
        if not isinstance(value, Mapping):
            raise WrongValue("group")
        checked: dict[str, Value] = {}
        for name, item in value.items():
            try:
                checked[name] = self.kind.check(item)
            except WrongValue as wrong:
                raise WrongInside(wrong, f".{name}", item) from wrong
        return MappingProxyType(checked)

    def schema(self) -> JsonObject:
        return {"type": "object", "additionalProperties": self.kind.schema()}


def no_names() -> Mapping[str, Value]:
    """The default of a `MapOf`."""
    return MappingProxyType({})


# ----------------------------------------------------------------------------- JSON Schema


def group_schema(defaults: Section) -> JsonObject:
    """A group of settings in JSON Schema (draft 7)."""
    root: dict[str, object] = {"type": "object", "properties": {}}
    declared = settings_of(defaults)
    for one in declared:
        add_to_schema(root, one.path, one, defaults)
    required = [one.path for one in declared if one.required]
    return cast(JsonObject, {**root, **({"required": required} if required else {})})


def add_to_schema(root: dict[str, object], path: str, declared: Setting, defaults: object) -> None:
    """Put a setting at the dotted `path` of the schema `root`; its default is an attribute of
    `defaults`, or that itself."""
    *groups, name = path.split(".")
    said: dict[str, object] = {**declared.kind.schema(), "description": declared.help}
    default = getattr(defaults, declared.attribute) if isinstance(defaults, Section) else defaults
    if not declared.required and _is_written_so(declared.kind, _as_json(default), default):
        said["default"] = _as_json(default)
    _properties(root, groups)[name] = said


def _properties(root: dict[str, object], groups: list[str]) -> dict[str, object]:
    properties = cast(dict[str, object], root["properties"])
    for name in groups:
        empty: dict[str, object] = {"type": "object", "properties": {}}
        group = cast(dict[str, object], properties.setdefault(name, empty))
        properties = cast(dict[str, object], group.setdefault("properties", {}))
    return properties


def _is_written_so(kind: Kind[object], written: JsonValue, default: object) -> bool:
    """Half an hour is 1800 in the program and "30m" in the file; and what a group is without
    its settings stands at the settings."""
    if isinstance(default, Section):
        return False
    try:
        return kind.check(written) == default
    except WrongValue:
        return False


def _as_json(value: object) -> JsonValue:
    if isinstance(value, tuple):
        return [_as_json(one) for one in value]
    if isinstance(value, Mapping):
        return {name: _as_json(one) for name, one in value.items()}
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
