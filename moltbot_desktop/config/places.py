"""Where a setting stands, as a person writes it: ``agents.list[0].name``.

    place = parse_place("channels.telegram.enabled")      # ("channels", "telegram", "enabled")
    value_at(raw, place), with_value(raw, place, True), without(raw, place)

A name with dots or brackets is quoted: ``models.providers["my.lab"].baseUrl``. A number means an
item of a list where there is one (``agents.list.0``), else a name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from moltbot_desktop.config.structures import underscored
from moltbot_desktop.core.json import JsonObject, JsonValue

Place = tuple[str, ...]

_STEP = re.compile(
    r"""\.?(?P<name>[^.\[\]"'\s]+) | \[(?P<number>\d{1,9})\] | \.?\["(?P<quoted>[^"]+)"\]
      | \.?\['(?P<single>[^']+)'\]""",
    re.VERBOSE,
)
_PLAIN = re.compile(r"""[^.\[\]"'\s]+""")
_DEEPEST = 40


class WrongPlace(Exception):
    """A text that is no place, or a place that cannot be: inside of text, past a list's end."""


def parse_place(text: str) -> Place:
    """The steps to a setting.

    Raises:
        WrongPlace: it is none.
    """
    steps: list[str] = []
    position, text = 0, text.strip()
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            raise WrongPlace(text)
        dotted = match.group().startswith(".")
        if (dotted and not position) or (position and match["name"] and not dotted):
            raise WrongPlace(text)
        steps.append(next(step for step in match.groups() if step is not None))
        position = match.end()
    if not steps or len(steps) > _DEEPEST:
        raise WrongPlace(text)
    return tuple(steps)


def show_place(place: Place) -> str:
    """`place` so that `parse_place` reads it back."""
    shown = ""
    for step in place:
        if not _PLAIN.fullmatch(step):
            quote = "'" if '"' in step else '"'
            shown += f"[{quote}{step}{quote}]"
        else:
            shown += f".{step}" if shown else step
    return shown


def spelled(group: JsonObject, name: str) -> str:
    """The key of `group` that means `name`: it may be written with underscores."""
    return next((one for one in (name, underscored(name)) if one in group), name)


def index_in(items: list[JsonValue], step: str) -> int:
    """The item that a step means; one past the end is where another may be added.

    Raises:
        WrongPlace: there is none.
    """
    if not step.isascii() or not step.isdigit() or int(step) > len(items):
        raise WrongPlace(step)
    return int(step)


def value_at(raw: JsonValue, place: Place) -> JsonValue:
    """What stands at `place`.

    Raises:
        KeyError: nothing does.
    """
    for step in place:
        if isinstance(raw, Mapping):
            raw = raw[spelled(raw, step)]
        elif isinstance(raw, list) and step.isascii() and step.isdigit() and int(step) < len(raw):
            raw = raw[int(step)]
        else:
            raise KeyError(step)
    return raw


def with_value(raw: JsonValue, place: Place, value: JsonValue) -> JsonValue:
    """`raw` with `value` at `place`; groups on the way are made.

    Raises:
        WrongPlace: something on the way is neither group nor list.
    """
    if not place:
        return value
    step, rest = place[0], place[1:]
    if isinstance(raw, Mapping):
        name = spelled(raw, step)
        return {**raw, name: with_value(raw.get(name, {}), rest, value)}
    if isinstance(raw, list):
        index = index_in(raw, step)
        old = raw[index] if index < len(raw) else {}
        return [*raw[:index], with_value(old, rest, value), *raw[index + 1 :]]
    raise WrongPlace(step)


def without(raw: JsonValue, place: Place) -> JsonValue:
    """`raw` with nothing at `place`.

    Raises:
        KeyError: nothing is there anyway.
    """
    value_at(raw, place)
    step, rest = place[0], place[1:]
    if isinstance(raw, Mapping):
        name = spelled(raw, step)
        if rest:
            return {**raw, name: without(raw[name], rest)}
        return {key: item for key, item in raw.items() if key != name}
    items = list(raw) if isinstance(raw, list) else []
    index = int(step)
    return [*items[:index], *([without(items[index], rest)] if rest else []), *items[index + 1 :]]
