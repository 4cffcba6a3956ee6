"""Whether a value fits its schema, and what is wrong with it at which place.

    checker = Checker.of(schema)
    checker.broken                        # "" or why the schema cannot be used
    [in_words(one, language) for one in checker.problems({"serve": {"port": "x"}})]

jsonschema is asked because it names all mistakes with their places. References are resolved inside
the schema only: nothing is ever fetched. A text that names an environment variable (``${PORT}``)
or a key in the password store (``keyring:NAME``) is taken for whatever that will hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from moltbot_desktop.config.form.bounded import (
    TOO_SLOW,
    Bounds,
    TooMuchWork,
    bounded_kind,
    check_schema,
)
from moltbot_desktop.config.form.patterns import PatternTooSlow, PatternUnusable
from moltbot_desktop.config.form.texts import PHRASES
from moltbot_desktop.config.form.trees import NoPlace, at, shown
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.late import LateModule
from moltbot_desktop.sdk.forms import FieldPlace

if TYPE_CHECKING:
    import jsonschema
    import referencing
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
else:
    jsonschema = LateModule("jsonschema")
    referencing = LateModule("referencing")

_VARIABLE = re.compile(r"(?<!\$)\$\{[A-Z_][A-Z0-9_]*\}")
_NEW_WORDS = ("$defs", "prefixItems", "dependentSchemas", "unevaluatedProperties", "$dynamicRef")
_MOST_PROBLEMS = 200
_LONGEST_SHOWN = 120
_DEEPEST_ALTERNATIVES = 8


@dataclass(frozen=True)
class FieldProblem:
    """What is wrong at `place`: a phrase of `texts` and what goes into it."""

    place: FieldPlace
    phrase: str
    expected: tuple[str, ...] = ()


def in_words(problem: FieldProblem, language: Language) -> str:
    """A sentence for the person."""
    parts = problem.expected
    if problem.phrase == "type":
        told = _either([PHRASES.say(f"kind_{one}", language) for one in parts], language)
    else:
        told = ", ".join(parts)
    return PHRASES.say(problem.phrase, language, expected=told, keyword=told, reason=told)


def names_variable(value: JsonValue) -> bool:
    """Whether a text stands for an environment variable, or has one in it."""
    return isinstance(value, str) and _VARIABLE.search(value) is not None


def _filled_in_later(value: JsonValue) -> bool:
    """Whether a text only says where the value is, so that nobody can say yet whether it fits."""
    return names_variable(value) or (isinstance(value, str) and value.startswith("keyring:"))


@dataclass(frozen=True)
class Checker:
    """Checks values against one schema.

    Attributes:
        broken: why the schema cannot be used, "" when it can.
    """

    schema: JsonObject
    broken: str
    _validator: Validator | None = field(repr=False, compare=False)
    _bounds: Bounds = field(repr=False, compare=False)

    @classmethod
    def of(cls, schema: JsonObject) -> Checker:
        """Never raises: what is wrong with the schema is in `broken`."""
        dialect = _dialect(schema)
        plain = _plain(schema)
        bounds = Bounds()
        try:
            check_schema(dialect, plain)
            return cls(
                schema,
                "",
                bounded_kind(dialect)(
                    cast("dict[str, object]", plain), registry=referencing.Registry()
                ),
                bounds,
            )
        except jsonschema.SchemaError as error:
            where = shown(tuple(error.absolute_path)) or "$"
            return cls(schema, f"{where}: {error.message[:_LONGEST_SHOWN]}", None, bounds)
        except (PatternUnusable, RecursionError, referencing.exceptions.Unresolvable) as error:
            reason = str(error)[:_LONGEST_SHOWN] or type(error).__name__
            return cls(schema, reason, None, bounds)

    def problems(self, value: JsonValue) -> tuple[FieldProblem, ...]:
        """All that is wrong with `value`, in the order of places; nothing where the schema is
        broken."""
        if self._validator is None:
            return ()
        try:
            errors = self._bounds.errors(self._validator, _plain(value))
        except _unanswered() as error:
            return (FieldProblem((), "schema_broken", (str(error)[:_LONGEST_SHOWN],)),)
        found = dict.fromkeys(_told(errors, 0))
        real = [one for one in found if not _filled_in_later(_value(value, one.place))]
        if self._bounds.unsure and not any(one.phrase == TOO_SLOW for one in real):
            # Somewhere inside a condition: what it would have said is not known.
            real.append(FieldProblem((), TOO_SLOW, (_json(self._bounds.unsure),)))
        return tuple(real[:_MOST_PROBLEMS])

    def fits(self, schema: JsonObject, value: JsonValue) -> bool:
        """Whether `value` fits a part of the schema, which may point into the whole."""
        if self._validator is None:
            return False
        part = self._validator.evolve(schema=_plain(schema))
        try:
            errors = self._bounds.errors(part, _plain(value))
        except _unanswered():
            return False
        found = _told(errors, 0)
        return all(_filled_in_later(_value(value, one.place)) for one in found)

    def named(self, pattern: str, name: str) -> bool:
        """Whether the schema's `pattern` for names has `name` among them."""
        try:
            return self._bounds.patterns.found(pattern, name)
        except (PatternUnusable, PatternTooSlow):
            return False


def _unanswered() -> tuple[type[Exception], ...]:
    """What says that nobody can tell whether a value fits."""
    of_library = (referencing.exceptions.Unresolvable, jsonschema.SchemaError)
    return (PatternUnusable, TooMuchWork, RecursionError, TypeError, *of_library)


def _dialect(schema: JsonObject) -> type[Validator]:
    """The declared draft; without a word draft 7, which the reference's plugins mean, unless words
    of the new one are used."""
    declared = schema.get("$schema")
    if isinstance(declared, str):
        old = any(f"draft-0{number}" in declared for number in (3, 4, 6, 7))
    else:
        old = not _has_new_words(schema)
    return cast(
        "type[Validator]", jsonschema.Draft7Validator if old else jsonschema.Draft202012Validator
    )


def _has_new_words(schema: JsonValue, depth: int = 0) -> bool:
    if depth > 40:
        return False
    if isinstance(schema, Mapping):
        return any(name in _NEW_WORDS for name in schema) or any(
            _has_new_words(one, depth + 1) for one in schema.values()
        )
    return isinstance(schema, list) and any(_has_new_words(one, depth + 1) for one in schema)


def _plain(value: JsonValue) -> JsonValue:
    """With plain dicts and lists, which is what jsonschema takes for objects and arrays."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _value(tree: JsonValue, place: FieldPlace) -> JsonValue:
    try:
        return at(tree, place)
    except NoPlace:
        return None


def _either(kinds: list[str], language: Language) -> str:
    told = kinds[0] if kinds else ""
    for kind in kinds[1:]:
        told = PHRASES.say("or", language, first=told, second=kind)
    return told


def _json(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def _told(errors: Iterable[ValidationError], depth: int) -> Iterator[FieldProblem]:
    for error in errors:
        place: FieldPlace = tuple(error.absolute_path)
        keyword, said = str(error.validator), error.validator_value
        match keyword:
            case "required":
                there = error.instance if isinstance(error.instance, Mapping) else {}
                for name in said if isinstance(said, list) else []:
                    if name not in there:
                        yield FieldProblem((*place, name), "required")
            case "additionalProperties":
                yield FieldProblem(place, "unknown")
            case "type":
                kinds = said if isinstance(said, list) else [said]
                yield FieldProblem(place, "type", tuple(map(str, kinds)))
            case "enum":
                yield FieldProblem(
                    place, "enum", tuple(map(_json, said if isinstance(said, list) else []))
                )
            case "anyOf" | "oneOf" if depth < _DEEPEST_ALTERNATIVES:
                yield from _alternatives(error, depth)
            case "None":  # the schema `false`
                yield FieldProblem(place, "nothing")
            case _ if keyword in PHRASES.english:
                yield FieldProblem(place, keyword, (_json(said),))
            case _:
                yield FieldProblem(place, "other", (keyword,))


def _alternatives(error: ValidationError, depth: int) -> Iterator[FieldProblem]:
    """What is wrong inside the alternative that was meant, when it is clear which one was: of all,
    only one is of the value's type and has its constants."""
    place: FieldPlace = tuple(error.absolute_path)
    branches: dict[object, list[ValidationError]] = {}
    for one in error.context or ():
        branches.setdefault(one.relative_schema_path[0], []).append(one)
    meant = [inner for inner in branches.values() if not any(map(_other_kind, inner))]
    if len(meant) == 1:
        yield from _told(meant[0], depth + 1)
    else:
        yield FieldProblem(place, str(error.validator))


def _other_kind(error: ValidationError) -> bool:
    """Whether an error says that another alternative is meant."""
    depth = len(error.relative_path)
    if not depth and error.validator in ("type", "const", "enum"):
        return True
    return depth == 1 and error.validator == "const"
