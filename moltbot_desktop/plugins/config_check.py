"""A plugin's own settings: checked against its `configSchema`, with the defaults filled in.

    checked = check_config(manifest.config_schema, entry.config, language)
    checked.value         # {"units": "metric"}, also where the person has written nothing
    checked.mistakes      # every one, each with its path

A default is filled in where it stands in the schema, however deep, in groups that are written or
that the schema requires: a group that somebody left out stays out, because what it is needed for
begins with writing it. Defaults go in before the check, so a required setting with a default is
there, and one that does not fit is told like anything else. Nothing is taken away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from moltbot_desktop.config.form.checking import Checker, in_words
from moltbot_desktop.config.places import show_place
from moltbot_desktop.core.errors import ManifestMistake
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonObject, JsonValue

_DEEPEST = 40
_NO_SETTINGS: JsonObject = {"type": "object", "additionalProperties": False, "properties": {}}
"""The schema of a plugin that has none, the bundled memory for one."""
_PHRASES = Phrases(
    {"schema": "its configSchema is no JSON Schema: {reason}"},
    {"schema": "它的 configSchema 不是 JSON Schema：{reason}"},
)


@dataclass(frozen=True)
class CheckedConfig:
    """Settings with defaults, and what is wrong with them."""

    value: JsonObject
    mistakes: tuple[ManifestMistake, ...] = ()


def check_config(schema: JsonObject, config: JsonObject, language: Language) -> CheckedConfig:
    """`config` as the plugin gets it. Never raises."""
    if not config and schema == _NO_SETTINGS:
        return CheckedConfig(config)  # without the library that checks, which is 5 MiB
    checker = Checker.of(schema)
    if checker.broken:
        said = _PHRASES.say("schema", language, reason=checker.broken)
        return CheckedConfig(config, (ManifestMistake("", said),))
    filled = _filled(schema, config, schema, _DEEPEST)
    value = filled if isinstance(filled, Mapping) else config
    mistakes = (
        ManifestMistake(show_place(one.place), in_words(one, language))
        for one in checker.problems(value)
    )
    return CheckedConfig(MappingProxyType(dict(value)), tuple(mistakes))


def _filled(schema: JsonValue, value: JsonValue, root: JsonObject, depth: int) -> JsonValue:
    """A copy of `value` with the defaults of `schema` where nothing is written."""
    schema = _followed(schema, root)
    if not isinstance(schema, Mapping) or not depth:
        return value
    for part in _list(schema.get("allOf")):
        value = _filled(part, value, root, depth - 1)
    if isinstance(value, Mapping):
        return _filled_group(schema, value, root, depth)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        return [_filled(items, one, root, depth - 1) for one in value]
    return value


def _filled_group(schema: JsonObject, group: JsonObject, root: JsonObject, depth: int) -> JsonValue:
    known = schema.get("properties")
    properties = known if isinstance(known, Mapping) else {}
    required = _list(schema.get("required"))
    found = dict(group)
    for name, inner in properties.items():
        if name in found:
            found[name] = _filled(inner, found[name], root, depth - 1)
            continue
        said = _followed(inner, root)
        if isinstance(said, Mapping) and "default" in said:
            found[name] = _filled(said, said["default"], root, depth - 1)
        elif name in required and isinstance(said, Mapping) and said.get("type") == "object":
            # Made only for defaults inside: an empty group would hide that it is missing.
            inside = _filled(said, {}, root, depth - 1)
            if inside:
                found[name] = inside
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        for name in found.keys() - properties.keys():
            found[name] = _filled(others, found[name], root, depth - 1)
    return found


def _followed(schema: JsonValue, root: JsonObject) -> JsonValue:
    """What a reference inside the schema leads to; itself where it leads nowhere."""
    for _ in range(_DEEPEST):
        reference = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        target: JsonValue = root
        for step in filter(None, reference[1:].split("/")):
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name) if isinstance(target, Mapping) else None
        if target is None:
            return schema
        schema = target
    return schema


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
