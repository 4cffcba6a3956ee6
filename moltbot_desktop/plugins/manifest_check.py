"""What is wrong with a manifest: every mistake, each with its path.

    for one in mistakes_in(raw):
        one.path, one.phrase              # "configSchema.type", "schema_type"

`manifest` says them in words. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.core.json import JsonObject, JsonValue

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
# What pip is given by somebody who copies the line: a name and versions, no address, no option.
_PACKAGE = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*\s*(?:\[[A-Za-z0-9,._ -]*\]\s*)?"
    r"(?:(?:>=|<=|==|!=|~=|>|<)\s*[0-9][A-Za-z0-9.*+-]*\s*(?:,\s*|$))*"
)
TEXTS = ("name", "description", "version", "kind")
LISTS = ("channels", "providers", "skills", "commands")


@dataclass(frozen=True)
class Mistake:
    """`phrase` names what is wrong at `path`."""

    path: str
    phrase: str


def mistakes_in(raw: JsonValue) -> Iterator[Mistake]:
    """Everything that is wrong, in the order of the manifest's keys."""
    if not isinstance(raw, Mapping):
        yield Mistake("", "not_object")
        return
    called = raw.get("id")
    if called is None:
        yield Mistake("id", "id_missing")
    elif not isinstance(called, str) or not _ID.fullmatch(called):
        yield Mistake("id", "id")
    schema = raw.get("configSchema")
    if schema is None:
        yield Mistake("configSchema", "schema_missing")
    elif not isinstance(schema, Mapping):
        yield Mistake("configSchema", "not_object")
    elif "object" not in _types(schema):
        yield Mistake("configSchema.type", "schema_type")
    for name in TEXTS:
        if not isinstance(raw.get(name, ""), str):
            yield Mistake(name, "text")
    for name in LISTS:
        if not _istexts_in(raw.get(name, [])):
            yield Mistake(name, "list")
    yield from _hint_mistakes(raw.get("uiHints", {}))
    yield from _channel_mistakes(raw.get("channelConfigs", {}))
    yield from _locale_mistakes(raw.get("locales", {}))
    yield from _requirement_mistakes(raw.get("requires", {}))
    for number, folder in enumerate(texts_in(raw.get("skills"))):
        if not _is_inside(folder):
            yield Mistake(f"skills[{number}]", "outside")


def _types(schema: JsonObject) -> Sequence[JsonValue]:
    said = schema.get("type", "object")
    return said if isinstance(said, list) else [said]


def _hint_mistakes(hints: JsonValue) -> Iterator[Mistake]:
    if not isinstance(hints, Mapping):
        yield Mistake("uiHints", "not_object")
        return
    for path, hint in hints.items():
        if not isinstance(hint, Mapping):
            yield Mistake(f"uiHints.{path}", "not_object")


def _channel_mistakes(configs: JsonValue) -> Iterator[Mistake]:
    if not isinstance(configs, Mapping):
        yield Mistake("channelConfigs", "not_object")
        return
    for channel, config in configs.items():
        place = f"channelConfigs.{channel}"
        if not isinstance(config, Mapping):
            yield Mistake(place, "not_object")
            continue
        schema = config.get("schema", {})
        if not isinstance(schema, Mapping):
            yield Mistake(f"{place}.schema", "not_object")
        elif "object" not in _types(schema):
            yield Mistake(f"{place}.schema.type", "schema_type")
        for one in _hint_mistakes(config.get("uiHints", {})):
            yield replace(one, path=f"{place}.{one.path}")
        if not isinstance(config.get("label", ""), str):
            yield Mistake(f"{place}.label", "text")
        if not _istexts_in(config.get("waiting", [])):
            yield Mistake(f"{place}.waiting", "list")


def _locale_mistakes(locales: JsonValue) -> Iterator[Mistake]:
    if not isinstance(locales, Mapping):
        yield Mistake("locales", "not_object")
        return
    for language, said in locales.items():
        place = f"locales.{language}"
        if not isinstance(said, Mapping):
            yield Mistake(place, "not_object")
            continue
        for name in ("name", "description"):
            if not isinstance(said.get(name, ""), str):
                yield Mistake(f"{place}.{name}", "text")
        hints, configs = said.get("uiHints", {}), said.get("channelConfigs", {})
        for one in (*_hint_mistakes(hints), *_channel_mistakes(configs)):
            yield replace(one, path=f"{place}.{one.path}")


def _requirement_mistakes(requires: JsonValue) -> Iterator[Mistake]:
    if not isinstance(requires, Mapping):
        yield Mistake("requires", "not_object")
        return
    for name in ("packages", "bins"):
        if not _istexts_in(requires.get(name, [])):
            yield Mistake(f"requires.{name}", "list")
    for number, package in enumerate(texts_in(requires.get("packages"))):
        if len(package) > 200 or not _PACKAGE.fullmatch(package):
            yield Mistake(f"requires.packages[{number}]", "package")


def _istexts_in(value: JsonValue) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def texts_in(value: JsonValue) -> tuple[str, ...]:
    """The texts of a list, without blanks around them; empty ones are left out."""
    texts = value if isinstance(value, list) else ()
    return tuple(one.strip() for one in texts if isinstance(one, str) and one.strip())


def _is_inside(folder: str) -> bool:
    """Whether a relative path stays below where it begins, on any system."""
    steps = re.split(r"[/\\]", folder)
    return bool(steps[0]) and ":" not in folder and "\0" not in folder and ".." not in steps
