"""Where a setting stands, as a person writes it: ``agents.list[0].name``.

    place = parse_place("channels.telegram.enabled")      # ("channels", "telegram", "enabled")
    value_at(raw, place), with_value(raw, place, True), without(raw, place)

A name with dots or brackets is quoted: ``models.providers["my.lab"].baseUrl``. ``[0]`` is an item
of a list; a number after a dot is one where there is a list, else a name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from moltbot_desktop.config.structures import underscored
from moltbot_desktop.core.json import JsonObject, JsonValue

Step = str | int
"""A name, or the number of an item in brackets."""

Place = tuple[Step, ...]

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
    steps: list[Step] = []
    position, text = 0, text.strip()
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            raise WrongPlace(text)
        dotted = match.group().startswith(".")
        if (dotted and not position) or (position and match["name"] and not dotted):
            raise WrongPlace(text)
        number = match["number"]
        name = match["name"] or match["quoted"] or match["single"]
        steps.append(int(number) if number else name)
        position = match.end()
    if not steps or len(steps) > _DEEPEST:
        raise WrongPlace(text)
    return tuple(steps)


def show_place(place: Place) -> str:
    """`place` so that `parse_place` reads it back."""
    shown = ""
    for step in place:
        if isinstance(step, int):
            shown += f"[{step}]"
        elif not _PLAIN.fullmatch(step):
            quote = "'" if '"' in step else '"'
            shown += f"[{quote}{step}{quote}]"
        else:
            shown += f".{step}" if shown else step
    return shown


def spelled(group: JsonObject, name: Step) -> str:
    """The key of `group` that means `name`: it may be written with underscores.

    Raises:
        WrongPlace: it is the number of an item.
    """
    if isinstance(name, int):
        raise WrongPlace(name)
    return next((one for one in (name, underscored(name)) if one in group), name)


def index_in(length: int, step: Step) -> int:
    """The item that a step means in a list; one past the end is where another may be added.

    Raises:
        WrongPlace: there is none.
    """
    index = int(step) if isinstance(step, int) or (step.isascii() and step.isdigit()) else -1
    if not 0 <= index <= length:
        raise WrongPlace(step)
    return index


def value_at(raw: JsonValue, place: Place) -> JsonValue:
    """What stands at `place`.

    Raises:
        KeyError: nothing does.
    """
    for step in place:
        try:
            if isinstance(raw, Mapping):
                raw = raw[spelled(raw, step)]
            elif isinstance(raw, list):
                raw = raw[index_in(len(raw) - 1, step)]
            else:
                raise KeyError(step)
        except WrongPlace as error:
            raise KeyError(step) from error
    return raw


def with_value(raw: JsonValue, place: Place, value: JsonValue) -> JsonValue:
    """`raw` with `value` at `place`; groups and lists on the way are made.

    Raises:
        WrongPlace: something on the way is neither group nor list.
    """
    if not place:
        return value
    step, rest = place[0], place[1:]
    empty: JsonValue = [] if rest and isinstance(rest[0], int) else {}
    if isinstance(raw, Mapping):
        name = spelled(raw, step)
        return {**raw, name: with_value(raw.get(name, empty), rest, value)}
    if isinstance(raw, list):
        index = index_in(len(raw), step)
        old = raw[index] if index < len(raw) else empty
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
