"""Fields of a request's JSON, checked: what is wrong is refused with its name.

    fields = Fields(read_object(body))
    fields.number("temperature", 0, 2)        # 0.7, or None where it is missing or null

Unknown fields are ignored, as at OpenAI's own servers. Pure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, TypeGuard

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.http.openai_errors import ApiRefusal

MOST_LEVELS = 64
"""Lists and objects in each other: more is nothing a tool could mean."""


def read_object(body: bytes) -> JsonObject:
    """A request's body.

    Raises:
        ApiRefusal: it is no JSON object.
    """
    try:
        value = read_json(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise ApiRefusal("The body is not UTF-8.", code="invalid_json") from None
    except ValueError:
        raise ApiRefusal("The body is not JSON.", code="invalid_json") from None
    if not isinstance(value, dict):
        raise ApiRefusal("The body is not a JSON object.", code="invalid_json")
    return value


def read_json(text: str) -> JsonValue:
    """JSON as its standard has it, at most `MOST_LEVELS` deep.

    Raises:
        ValueError: it is not that.
    """
    try:
        value: JsonValue = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    inside = [(value, 1)]
    while inside:
        part, level = inside.pop()
        if level > MOST_LEVELS:
            raise ValueError("nested too deeply")
        if isinstance(part, dict):
            inside += [(one, level + 1) for one in part.values()]
        elif isinstance(part, list):
            inside += [(one, level + 1) for one in part]
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def is_list(value: object) -> TypeGuard[Sequence[JsonValue]]:
    return isinstance(value, list | tuple)


def whole_text(text: str) -> str:
    """`text` with what is no character replaced: halves of surrogate pairs, and NUL."""
    plain = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return plain.replace("\0", "\ufffd")


@dataclass(frozen=True)
class Fields:
    """The fields of one object; `place` is what stands before their names in a refusal.

    Each method gives None for a field that is missing or null, and raises ApiRefusal for one that
    is of another kind.
    """

    values: JsonObject
    place: str = ""

    def name(self, name: str) -> str:
        """As a refusal calls it."""
        return f"{self.place}{name}"

    def refuse(self, name: str, problem: str, code: str = "invalid_value") -> NoReturn:
        raise ApiRefusal(f"`{self.name(name)}` {problem}.", self.name(name), code=code)

    def text(self, name: str, longest: int = 0) -> str | None:
        """With 0 as long as the body allows."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            self.refuse(name, "is not a string", "invalid_type")
        if longest and len(value) > longest:
            self.refuse(name, f"has more than {longest} characters")
        return whole_text(value)

    def flag(self, name: str) -> bool | None:
        value = self.values.get(name)
        if value is not None and not isinstance(value, bool):
            self.refuse(name, "is neither true nor false", "invalid_type")
        return value

    def whole(self, name: str, least: int, most: int) -> int | None:
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(name, "is not a whole number", "invalid_type")
        if not least <= value <= most:
            self.refuse(name, f"is not between {least} and {most}")
        return value

    def number(self, name: str, least: float, most: float) -> float | None:
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(name, "is not a number", "invalid_type")
        if not (math.isfinite(value) and least <= value <= most):
            self.refuse(name, f"is not between {least:g} and {most:g}")
        return float(value)

    def list(self, name: str, most: int) -> Sequence[JsonValue] | None:
        value = self.values.get(name)
        if value is None:
            return None
        if not is_list(value):
            self.refuse(name, "is not a list", "invalid_type")
        if len(value) > most:
            self.refuse(name, f"has more than {most} entries")
        return value

    def group(self, name: str) -> Fields | None:
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            self.refuse(name, "is not an object", "invalid_type")
        return Fields(value, f"{self.name(name)}.")

    def needed(self, name: str, longest: int = 0) -> str:
        """A text that has to be there, and not empty."""
        value = self.text(name, longest)
        if not value:
            self.refuse(name, "is missing" if value is None else "is empty", "missing_required")
        return value


def entries(fields: Fields, name: str, most: int) -> tuple[Fields, ...]:
    """The objects of a list; none where it is missing.

    Raises:
        ApiRefusal: it is no list of objects.
    """
    found = []
    for number, value in enumerate(fields.list(name, most) or ()):
        if not isinstance(value, Mapping):
            fields.refuse(f"{name}[{number}]", "is not an object", "invalid_type")
        found.append(Fields(value, f"{fields.name(name)}[{number}]."))
    return tuple(found)
