"""What is wrong with a call's arguments, whoever wrote the tool's schema: an answer comes soon.

    argument_errors(spec.parameters, {"code": "x"})     # jsonschema's errors; [] for none

A tool comes with a plugin or from a server, and its schema with it. One with a pattern that no
engine gets through, or with references that multiply, must not stop the thread that all
conversations share: such a tool cannot be called, and the answer says so. Nothing is fetched: a
reference leads into the schema or nowhere.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from moltbot_desktop.config.form.bounded import (
    TOO_SLOW,
    Bounds,
    TooMuchWork,
    bounded_kind,
    check_schema,
)
from moltbot_desktop.config.form.patterns import PatternUnusable
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.late import LateModule

if TYPE_CHECKING:
    import jsonschema
    import referencing
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
else:
    jsonschema = LateModule("jsonschema")
    referencing = LateModule("referencing")


class SchemaUnusable(Exception):
    """The tool cannot be called: nothing can be checked against its schema. Says why."""


def argument_errors(schema: JsonObject, arguments: JsonObject) -> list[ValidationError]:
    """What is wrong with `arguments`; what could not be found out in time is wrong too.

    Raises:
        SchemaUnusable: see there.
        RecursionError: `arguments` or `schema` are nested too deeply.
        OverflowError, ValueError: a number in `arguments` is larger than can be counted with.
    """
    text = _as_json(schema)
    if broken := _broken(text):
        raise SchemaUnusable(broken)
    bounds = Bounds()
    # The parsed text, not `schema`: jsonschema takes plain dicts and lists only.
    plain: JsonValue = json.loads(text)
    kind, registry = bounded_kind(_dialect()), referencing.Registry()
    validator = kind(cast("dict[str, object]", plain), registry=registry)
    value: JsonValue = json.loads(json.dumps(arguments, default=dict))
    try:
        errors = bounds.errors(validator, value)
    except TooMuchWork as much:
        raise SchemaUnusable("its references multiply") from much
    except _broken_kinds() as broken_inside:
        raise SchemaUnusable(_shown(broken_inside)) from broken_inside
    if bounds.unsure and not any(error.validator == TOO_SLOW for error in errors):
        # Inside a condition: what it would have said is not known, so it counts as a no.
        told = f"whether it matches {bounds.unsure!r} takes too long to find out"
        errors.append(
            jsonschema.ValidationError(told, validator=TOO_SLOW, validator_value=bounds.unsure)
        )
    return errors


def prepare() -> None:
    """Load what checking takes and read the dialect: 50 ms that no answer has to wait for."""
    argument_errors({"type": "object"}, {})


def _dialect() -> type[Validator]:
    return cast("type[Validator]", jsonschema.Draft202012Validator)


def _broken_kinds() -> tuple[type[Exception], ...]:
    """What says that nothing can be checked against a schema."""
    of_library = (jsonschema.SchemaError, referencing.exceptions.Unresolvable)
    return (*of_library, PatternUnusable, TypeError, ValueError, AttributeError)


def _as_json(schema: JsonObject) -> str:
    try:
        return json.dumps(schema, default=dict)
    except (TypeError, ValueError) as error:
        raise SchemaUnusable(_shown(error)) from error


@lru_cache(maxsize=256)
def _broken(schema: str) -> str:
    """Why nothing can be checked against this JSON; "" where all is well. Takes milliseconds."""
    try:
        check_schema(_dialect(), json.loads(schema))
    except jsonschema.SchemaError as error:
        return str(error.message)
    except _broken_kinds() as error:
        return _shown(error)
    return ""


def _shown(error: Exception) -> str:
    return str(error) or type(error).__name__
