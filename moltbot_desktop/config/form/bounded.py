"""jsonschema's validators, for schemas and values that strangers wrote: an answer comes soon.

    bounds = Bounds()
    check_schema(Draft7Validator, schema)                  # raises SchemaError
    errors = bounds.errors(bounded_kind(Draft7Validator)(schema), value)

Patterns are looked for by `patterns`; references that multiply (ten that lead to ten that lead to
ten …) end in `TooMuchWork`. Everything else a schema can ask is jsonschema's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from moltbot_desktop.config.form.patterns import (
    Patterns,
    PatternTooSlow,
    PatternUnusable,
    compiled,
    steady,
)
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    import jsonschema
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
else:
    jsonschema = LateModule("jsonschema")

TOO_SLOW = "pattern_slow"
"""The keyword of an error that says that a text could not be checked in time."""
_MOST_REFS = 20_000


class _Level(Protocol):
    """A validator as its keywords see it; jsonschema's types leave this out."""

    def descend(
        self, instance: object, schema: object, path: object = None, schema_path: object = None
    ) -> Iterator[ValidationError]: ...


_Keyword: TypeAlias = (
    "Callable[[_Level, JsonValue, JsonValue, JsonValue], Iterator[ValidationError] | None]"
)
_Extend: TypeAlias = "Callable[[type[Validator], Mapping[str, _Keyword]], type[Validator]]"


class TooMuchWork(Exception):
    """The schema's references multiply."""


@dataclass
class Bounds:
    """What the validators of one schema may cost.

    Attributes:
        unsure: the pattern that could not be checked in time, in the last value; "" for none.
    """

    patterns: Patterns = field(default_factory=Patterns)
    unsure: str = field(default="", init=False)
    _refs: int = field(default=0, init=False)

    def errors(self, validator: Validator, value: JsonValue) -> list[ValidationError]:
        """What is wrong with `value`; `validator` is of a class that `bounded_kind` gave.

        Raises:
            TooMuchWork: see there.
            PatternUnusable: the schema has a pattern that is none.
        """
        self.unsure, self._refs = "", 0
        before = _asking.set(self)
        try:
            return list(validator.iter_errors(value))
        finally:
            _asking.reset(before)

    def _found(self, pattern: str, text: str) -> bool | ValidationError:
        try:
            return self.patterns.found(pattern, text)
        except PatternTooSlow:
            self.unsure = pattern
            told = f"whether it matches {pattern!r} takes too long to find out"
            return jsonschema.ValidationError(told, validator=TOO_SLOW, validator_value=pattern)

    def follow(self, ref: JsonValue) -> None:
        """A reference is followed. Raises TooMuchWork: one too many."""
        self._refs += 1
        if self._refs > _MOST_REFS:
            raise TooMuchWork(str(ref))

    def pattern(
        self, validator: _Level, pattern: JsonValue, value: JsonValue, schema: JsonValue
    ) -> Iterator[ValidationError]:
        if isinstance(value, str) and isinstance(pattern, str):
            match self._found(pattern, value):
                case jsonschema.ValidationError() as unsure:
                    yield unsure
                case False:
                    yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")

    def pattern_properties(
        self, validator: _Level, patterns: JsonValue, value: JsonValue, schema: JsonValue
    ) -> Iterator[ValidationError]:
        if not isinstance(value, Mapping) or not isinstance(patterns, Mapping):
            return
        for pattern, inner in patterns.items():
            for name, item in value.items():
                match self._found(pattern, name):
                    case jsonschema.ValidationError() as unsure:
                        yield unsure
                    case True:
                        yield from validator.descend(item, inner, path=name, schema_path=pattern)

    def additional_properties(
        self, validator: _Level, more: JsonValue, value: JsonValue, schema: JsonValue
    ) -> Iterator[ValidationError]:
        """An error for each name that is not known, at that name."""
        if not isinstance(value, Mapping) or not isinstance(schema, Mapping):
            return
        known, patterns = schema.get("properties"), schema.get("patternProperties")
        for name, item in value.items():
            if isinstance(known, Mapping) and name in known:
                continue
            found = (
                [self._found(one, name) for one in patterns]
                if isinstance(patterns, Mapping)
                else []
            )
            if True in found:
                continue
            if more is False:
                yield jsonschema.ValidationError("this name is not known here", path=(name,))
            else:
                yield from validator.descend(item, more, path=name)


_asking: ContextVar[Bounds] = ContextVar("asking")
"""Whose validator is at work. A class of validators takes milliseconds to make, more than to check
a call with it, so there is one for each dialect, and what is counted stands here."""


@lru_cache(maxsize=16)
def bounded_kind(dialect: type[Validator]) -> type[Validator]:
    """The class of validators like `dialect` that `Bounds.errors` asks."""
    kept = cast("Mapping[str, _Keyword]", dialect.VALIDATORS)
    counted = {name: _counted(kept[name]) for name in ("$ref", "$dynamicRef") if name in kept}
    own: dict[str, _Keyword] = {
        "pattern": lambda *level: _asking.get().pattern(*level),
        "patternProperties": lambda *level: _asking.get().pattern_properties(*level),
        "additionalProperties": lambda *level: _asking.get().additional_properties(*level),
    }
    return cast("_Extend", jsonschema.validators.extend)(dialect, {**own, **counted})


def _counted(kept: _Keyword) -> _Keyword:
    def entered(
        validator: _Level, ref: JsonValue, value: JsonValue, schema: JsonValue
    ) -> Iterator[ValidationError]:
        _asking.get().follow(ref)
        yield from kept(validator, ref, value, schema) or ()

    return entered


def check_schema(dialect: type[Validator], schema: JsonValue) -> None:
    """Whether `schema` is in order, its patterns among it.

    Raises:
        SchemaError: it is not.
        PatternUnusable: it has a pattern that is none, or one that is beyond what can be checked:
            which names `unevaluatedProperties` leaves over is found out by jsonschema with
            Python's own engine, so a pattern beside it must be one that no engine hangs on.
    """
    formats = jsonschema.FormatChecker(formats=())
    formats.checks("regex", raises=PatternUnusable)(_is_pattern)
    checked = cast("Callable[..., None]", dialect.check_schema)
    checked(schema, format_checker=formats)
    parts = tuple(_groups(schema))
    if any("unevaluatedProperties" in part for part in parts):
        for part in parts:
            named = part.get("patternProperties")
            for pattern in named if isinstance(named, Mapping) else ():
                if not steady(pattern):
                    raise PatternUnusable(pattern[:80])


def _groups(schema: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    if isinstance(schema, Mapping):
        yield schema
        for one in schema.values():
            yield from _groups(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from _groups(one)


def _is_pattern(text: object) -> bool:
    return not isinstance(text, str) or bool(compiled(text))
