"""Frozen dataclasses as JSON values and back, by their type hints.

    to_json(TextDelta("hi"))              # {"$": "TextDelta", "text": "hi", "thinking": False}
    from_json(ModelEvent, value)          # TextDelta("hi"), or a ProtocolBroken

The requests and events are already described once, as dataclasses of the `sdk`; a second
description by hand would be one that somebody forgets to change. Every dataclass carries its name
under `$`, which is what tells the members of a union apart. Reading is strict: a wrong type, an
unknown field or a missing one is a `ProtocolBroken` that says where.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType

from moltbot_desktop.core.json import JsonValue

NAME_KEY = "$"
_PLAIN: tuple[type, ...] = (str, int, bool, NoneType)


class ProtocolBroken(ValueError):
    """What came over the pipe is no message of ours. Ends the process it came from."""


def to_json(value: object) -> JsonValue:
    """`value` in JSON's own types.

    Raises:
        ProtocolBroken: there is something in it that has no JSON form.
    """
    match value:
        case Enum():
            return to_json(value.value)
        case None | str() | int() | float():
            return value
        case Path():
            return str(value)
        case Mapping():
            return {str(key): to_json(item) for key, item in value.items()}
        case Sequence() if not isinstance(value, bytes | bytearray | memoryview):
            return [to_json(item) for item in value]
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        raise ProtocolBroken(f"{type(value).__name__} has no JSON form")
    fields = {field.name: to_json(getattr(value, field.name)) for field in _fields(type(value))}
    return {NAME_KEY: type(value).__name__, **fields}


def from_json(kind: object, value: JsonValue) -> object:
    """An instance of `kind`: a dataclass, an enum, a plain type, or a union or tuple of these.

    Raises:
        ProtocolBroken: `value` is not one.
    """
    origin = typing.get_origin(kind)
    if origin in (typing.Union, UnionType):
        return _member(typing.get_args(kind), value)
    if origin is tuple:
        if not isinstance(value, list):
            raise _wrong(kind, value)
        return tuple(from_json(typing.get_args(kind)[0], item) for item in value)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, dict):
            raise _wrong(kind, value)
        return value
    if not isinstance(kind, type):
        raise _wrong(kind, value)
    return _single(kind, value)


def _member(kinds: tuple[object, ...], value: JsonValue) -> object:
    """`value` as the one member of a union that it says it is."""
    for kind in kinds:
        if isinstance(value, dict) and isinstance(kind, type) and dataclasses.is_dataclass(kind):
            if value.get(NAME_KEY) == kind.__name__:
                return from_json(kind, value)
        elif _plainly(kind, value):
            return value
    raise _wrong(kinds, value)


def _plainly(kind: object, value: JsonValue) -> bool:
    if typing.get_origin(kind) is Mapping:
        return isinstance(value, dict)
    return isinstance(kind, type) and kind in _PLAIN and type(value) is kind


def _single(kind: type, value: JsonValue) -> object:
    if dataclasses.is_dataclass(kind):
        return _instance(kind, value)
    if issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            raise _wrong(kind, value) from None
    if kind is Path and isinstance(value, str):
        return Path(value)
    if kind is float and type(value) in (int, float):
        return value
    # type(), not isinstance: True is an int.
    if kind in _PLAIN and type(value) is kind:
        return value
    raise _wrong(kind, value)


def _instance(kind: type, value: JsonValue) -> object:
    if not isinstance(value, dict) or value.get(NAME_KEY) != kind.__name__:
        raise _wrong(kind, value)
    fields = {field.name: field for field in _fields(kind)}
    given = value.keys() - {NAME_KEY}
    required = {name for name, field in fields.items() if _required(field)}
    if not required <= given <= fields.keys():
        raise ProtocolBroken(f"{kind.__name__} with the fields {sorted(given)}"[:300])
    hints = _hints(kind)
    made: object = kind(**{name: from_json(hints[name], value[name]) for name in given})
    return made


def _required(field: dataclasses.Field[object]) -> bool:
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


def _fields(kind: type) -> tuple[dataclasses.Field[object], ...]:
    return dataclasses.fields(kind)


@cache
def _hints(kind: type) -> Mapping[str, object]:
    return typing.get_type_hints(kind)


def _wrong(kind: object, value: JsonValue) -> ProtocolBroken:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    wanted = " or ".join(getattr(each, "__name__", str(each)) for each in kinds)
    # Its type, not the value: that may be what a person wrote, and this goes to the log.
    return ProtocolBroken(f"not {wanted} but {type(value).__name__}")
