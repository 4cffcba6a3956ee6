"""JSON values as trees: what stands somewhere, and copies with something else there.

Unlike `config.places`, which understands how a person spells a setting, names are taken as they
are: a plugin's schema may know both `maxResults` and `max_results`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.forms import Change, FieldPlace, Put, Unset


class NoPlace(Exception):
    """Nothing stands there, or nothing can."""


def at(tree: JsonValue, place: FieldPlace) -> JsonValue:
    """What stands at `place`.

    Raises:
        NoPlace: nothing does.
    """
    for step in place:
        match tree, step:
            case Mapping(), str() if step in tree:
                tree = tree[step]
            case list(), int() if 0 <= step < len(tree):
                tree = tree[step]
            case _:
                raise NoPlace(place)
    return tree


def stands(tree: JsonValue, place: FieldPlace) -> bool:
    try:
        at(tree, place)
    except NoPlace:
        return False
    return True


def put(tree: JsonValue, place: FieldPlace, value: JsonValue) -> JsonValue:
    """A copy with `value` at `place`; groups on the way are made, items of lists are not, but one
    past the end is added.

    Raises:
        NoPlace: something on the way is no group or list.
    """
    if not place:
        return value
    step, rest = place[0], place[1:]
    if isinstance(tree, Mapping) and isinstance(step, str):
        return {**tree, step: put(tree.get(step, {}), rest, value)}
    if isinstance(tree, list) and isinstance(step, int) and 0 <= step <= len(tree):
        old: JsonValue = tree[step] if step < len(tree) else {}
        return [*tree[:step], put(old, rest, value), *tree[step + 1 :]]
    raise NoPlace(place)


def unset(tree: JsonValue, place: FieldPlace) -> JsonValue:
    """A copy without what stands at `place`; later items of a list move up.

    Raises:
        NoPlace: nothing does, or it is the root.
    """
    at(tree, place)
    if not place:
        raise NoPlace(place)
    step, rest = place[0], place[1:]
    if isinstance(tree, Mapping) and isinstance(step, str):
        if rest:
            return {**tree, step: unset(tree[step], rest)}
        return {name: item for name, item in tree.items() if name != step}
    items = list(tree) if isinstance(tree, list) else []
    index = int(step)
    return [*items[:index], *([unset(items[index], rest)] if rest else []), *items[index + 1 :]]


def same(one: JsonValue, other: JsonValue) -> bool:
    """Equal as JSON: ``True`` is not 1, but 1.0 is; the order of a group's names says nothing."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def changes_between(old: JsonValue, new: JsonValue, place: FieldPlace = ()) -> Iterator[Change]:
    """The fewest edits that make `old` into `new`, so that comments around the rest survive.

    A list that became longer or shorter is written anew from where it differs: items are put by
    number, taken away from the end, added at the end.
    """
    if same(old, new):
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from (Unset((*place, name)) for name in old if name not in new)
        for name, item in new.items():
            if name in old:
                yield from changes_between(old[name], item, (*place, name))
            else:
                yield Put((*place, name), item)
    elif isinstance(old, list) and isinstance(new, list) and old and new:
        for index in range(min(len(old), len(new))):
            yield from changes_between(old[index], new[index], (*place, index))
        for index in range(len(old) - 1, len(new) - 1, -1):
            yield Unset((*place, index))
        for index in range(len(old), len(new)):
            yield Put((*place, index), new[index])
    else:
        yield Put(place, new)


def changed(tree: JsonValue, edits: tuple[Change, ...]) -> JsonValue:
    """`tree` with `edits` carried out one after the other.

    Raises:
        NoPlace: one of them cannot be.
    """
    for edit in edits:
        match edit:
            case Put(place, value):
                tree = put(tree, place, value)
            case Unset(place):
                tree = unset(tree, place)
    return tree


def shown(place: FieldPlace) -> str:
    """As people write it: ``agents.list[0].name``."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
