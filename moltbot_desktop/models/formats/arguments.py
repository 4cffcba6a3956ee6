"""Are these the arguments the tool takes? If not: what to correct, in words a small model uses.

Nothing is repaired here. A call is used exactly as written or sent back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from moltbot_desktop.config.form.arguments import SchemaUnusable, argument_errors
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.schema import grows
from moltbot_desktop.sdk.models import MalformedCall
from moltbot_desktop.sdk.tools import ToolSpec

if TYPE_CHECKING:
    from jsonschema import ValidationError

_MAX_PROBLEMS = 3
_MAX_SHOWN = 40
_KINDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def checked_call(
    name: str, arguments: JsonObject, tools: Sequence[ToolSpec], call_id: str, raw: str
) -> ToolCall | MalformedCall:
    """The call when a tool of that name takes these arguments, else what is wrong with it."""
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        return MalformedCall(raw, f"no tool `{_short(name)}`; the tools are {_names(tools)}")
    problem = argument_problem(arguments, tool.parameters)
    return MalformedCall(raw, problem) if problem else ToolCall(call_id, name, arguments)


def argument_problem(arguments: JsonObject, parameters: JsonObject) -> str:
    """ "" when `arguments` fit the schema, else e.g. "`path` missing; got `file`"."""
    try:
        return _problem(arguments, parameters)
    except RecursionError:
        return "the arguments or the tool's schema are nested too deeply; write them flatter"
    except OverflowError:
        return "a number in the arguments is too large; write a smaller one"


def _problem(arguments: JsonObject, parameters: JsonObject) -> str:
    if not _is_plain(arguments):
        return "the arguments hold half a character or an endless number; write them whole"
    if grows(parameters):
        return "this tool cannot be called: its schema is too large"
    unknown = _unknown(arguments, parameters)
    try:
        errors = sorted(
            argument_errors(parameters, arguments),
            key=lambda error: ([str(part) for part in error.absolute_path], str(error.validator)),
        )
    except SchemaUnusable as broken:
        return f"this tool cannot be called: its schema is broken ({_short(str(broken))})"
    problems = list(dict.fromkeys(filter(None, (_words(error, unknown) for error in errors))))
    if unknown and not any("missing" in problem for problem in problems):
        problems.insert(0, _surplus(unknown, parameters))
    return "; ".join(problems[:_MAX_PROBLEMS])


def _is_plain(value: JsonValue) -> bool:
    """No lone surrogate (it cannot be written to a file), no infinity (it is no JSON)."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return False
    return True


def _unknown(arguments: JsonObject, parameters: JsonObject) -> list[str]:
    """Argument names the schema does not have. Refused even where the schema is silent about
    them: a tool that ignores a misspelt argument does something else than was asked."""
    properties = parameters.get("properties", {})
    if not isinstance(properties, Mapping) or parameters.get("additionalProperties"):
        return []
    return [name for name in arguments if name not in properties]


def _surplus(unknown: Sequence[str], parameters: JsonObject) -> str:
    properties = parameters.get("properties", {})
    known = list(properties) if isinstance(properties, Mapping) else []
    takes = f"it takes {_quoted(known)}" if known else "it takes none"
    return f"unknown argument {_quoted(unknown)}; {takes}"


def _words(error: ValidationError, unknown: Sequence[str]) -> str:
    where = ".".join(map(str, error.absolute_path))
    name = f"`{where}`" if where else "the arguments"
    got, limit = _value(error.instance), error.validator_value
    match error.validator:
        case "required":
            return _missing(error, where, unknown)
        case "additionalProperties":
            return ""  # told once, by `_surplus`
        case "type":
            return f"{name} must be {_kinds(limit)}, got {got}"
        case "enum":
            return f"{name} must be one of {_listed(limit)}; got {got}"
        case "const":
            return f"{name} must be {_value(limit)}, got {got}"
        case "minimum" | "maximum":
            way = "at least" if error.validator == "minimum" else "at most"
            return f"{name} must be {way} {limit}, got {got}"
        case "minLength" if limit == 1:
            return f"{name} must not be empty"
        case "maxLength":
            return f"{name} is too long: at most {limit} characters"
        case "pattern":
            return f"{name} does not fit the pattern {_short(str(limit))}; got {got}"
        case _:
            return f"{name}: {_short(error.message, 120)}"


def _missing(error: ValidationError, where: str, unknown: Sequence[str]) -> str:
    # jsonschema gives one error for each missing name, and the name only inside its message.
    given = error.instance if isinstance(error.instance, Mapping) else {}
    required = error.validator_value if isinstance(error.validator_value, Sequence) else ()
    names = [str(name) for name in required if name not in given]
    prefix = f"{where}." if where else ""
    text = ", ".join(f"`{prefix}{name}`" for name in names) + " missing"
    got = list(unknown) if not where else []
    return f"{text}; got {_quoted(got)}" if got else text


def _kinds(kinds: object) -> str:
    listed = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, Sequence) else []
    return " or ".join(_KINDS.get(str(kind), str(kind)) for kind in listed)


def _listed(values: object) -> str:
    return ", ".join(map(_value, values if isinstance(values, Sequence) else [values]))


def _value(value: object) -> str:
    return _short(json.dumps(value, ensure_ascii=False, default=str))


def _names(tools: Iterable[ToolSpec]) -> str:
    return _quoted([tool.name for tool in tools]) or "none"


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{_short(name)}`" for name in names)


def _short(text: str, most: int = _MAX_SHOWN) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
