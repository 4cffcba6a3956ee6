"""The kinds of values a setting may have: how one is checked and how JSON Schema says it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from moltbot_desktop.core.json import JsonObject, JsonValue

Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)


class WrongValue(Exception):
    """A value of another kind. `phrase` and `slots` say what was expected (`config.texts`)."""

    def __init__(self, phrase: str, **slots: object) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.slots: Mapping[str, object] = slots


class WrongInside(WrongValue):
    """Something inside a list or a group does not fit.

    Attributes:
        place: where, after the path of the whole: ``[1]``, ``.match.channel``, ``[0].id``.
        found: what is there.
    """

    def __init__(self, wrong: WrongValue, place: str, found: JsonValue) -> None:
        super().__init__(wrong.phrase, **wrong.slots)
        self.place: str = place + wrong.place if isinstance(wrong, WrongInside) else place
        self.found: JsonValue = wrong.found if isinstance(wrong, WrongInside) else found


class Kind(Protocol[Value_co]):
    """One kind of value."""

    def check(self, value: JsonValue) -> Value_co:
        """`value` as the program uses it.

        Raises:
            WrongValue: it is of another kind.
        """
        ...

    def schema(self) -> JsonObject:
        """The kind in JSON Schema (draft 7)."""
        ...


@dataclass(frozen=True)
class WholeNumber:
    low: int
    high: int

    def check(self, value: JsonValue) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise WrongValue("whole_number")
        if not self.low <= value <= self.high:
            raise WrongValue("whole_number_between", low=self.low, high=self.high)
        return int(value)

    def schema(self) -> JsonObject:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Number:
    low: float
    high: float

    def check(self, value: JsonValue) -> float:
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        # Compared before float(): JSON has whole numbers that no float can hold.
        if number is None or not self.low <= number <= self.high or not isfinite(number):
            raise WrongValue("number_between", low=self.low, high=self.high)
        return float(number)

    def schema(self) -> JsonObject:
        return {"type": "number", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Flag:
    def check(self, value: JsonValue) -> bool:
        if not isinstance(value, bool):
            raise WrongValue("flag")
        return value

    def schema(self) -> JsonObject:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text:
    """Text that may become part of a path or a message: no NUL, nothing UTF-8 cannot hold."""

    def check(self, value: JsonValue) -> str:
        if not isinstance(value, str) or "\0" in value or not value.strip():
            raise WrongValue("text")
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise WrongValue("text") from error
        return value.strip()

    def schema(self) -> JsonObject:
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True)
class Choice:
    choices: tuple[str, ...]

    def check(self, value: JsonValue) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise WrongValue("choice", choices=", ".join(self.choices))
        return value

    def schema(self) -> JsonObject:
        return {"enum": list(self.choices)}


@dataclass(frozen=True)
class Line:
    """Text of any kind, which may be empty."""

    def check(self, value: JsonValue) -> str:
        if not isinstance(value, str) or "\0" in value:
            raise WrongValue("any_text")
        return value

    def schema(self) -> JsonObject:
        return {"type": "string"}


@dataclass(frozen=True)
class Identifier:
    """The name some service gave a person or a group: text, or the same as a whole number."""

    def check(self, value: JsonValue) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return Text().check(value)

    def schema(self) -> JsonObject:
        return {"type": ["string", "integer"]}


@dataclass(frozen=True)
class Word:
    """One of some words, whatever its capitals, or a synonym of one.

    Attributes:
        synonyms: other spelling -> the word it means.
    """

    words: tuple[str, ...]
    synonyms: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def check(self, value: JsonValue) -> str:
        spelled = value.strip().lower() if isinstance(value, str) else ""
        word = self.synonyms.get(spelled, spelled)
        if word not in self.words:
            raise WrongValue("choice", choices=", ".join(self.words))
        return word

    def schema(self) -> JsonObject:
        return {"enum": [*self.words, *self.synonyms]}


@dataclass(frozen=True)
class AutoOrFlag:
    """true, false, or "auto" (None here), which leaves it to the program."""

    def check(self, value: JsonValue) -> bool | None:
        if value == "auto":
            return None
        if not isinstance(value, bool):
            raise WrongValue("auto_or_flag")
        return value

    def schema(self) -> JsonObject:
        return {"enum": [True, False, "auto"]}


_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*(ms|s|m|h|d)?")
_UNIT_SECONDS: Mapping[str, float] = MappingProxyType(
    {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
)


@dataclass(frozen=True)
class Duration:
    """``"90s"``, ``"1.5h"`` or a bare number, in seconds here.

    Attributes:
        unit: of a number without one.
    """

    unit: str

    def check(self, value: JsonValue) -> float:
        text = value.strip().lower() if isinstance(value, str) else str(value)
        match = _DURATION.fullmatch(text)
        if match is None or isinstance(value, bool):
            raise WrongValue("duration")
        return float(match[1]) * _UNIT_SECONDS[match[2] or self.unit]

    def schema(self) -> JsonObject:
        return {"type": ["string", "number"]}


@dataclass(frozen=True)
class TimeOfDay:
    """``"08:30"``, to ``"24:00"``; in minutes after midnight here."""

    def check(self, value: JsonValue) -> int:
        match = (
            re.fullmatch(r"(\d{1,2}):([0-5]\d)", value.strip()) if isinstance(value, str) else None
        )
        minutes = int(match[1]) * 60 + int(match[2]) if match else -1
        if not 0 <= minutes <= 24 * 60:
            raise WrongValue("time_of_day")
        return minutes

    def schema(self) -> JsonObject:
        return {"type": "string", "pattern": "^([01]?\\d|2[0-4]):[0-5]\\d$"}


@dataclass(frozen=True)
class Folder:
    """An absolute path; ``~`` is the person's own folder. Whether it exists is not looked at."""

    def check(self, value: JsonValue) -> Path:
        try:
            path = Path(Text().check(value)).expanduser()
        except (WrongValue, RuntimeError) as error:  # RuntimeError: ~ of a user nobody knows
            raise WrongValue("folder") from error
        if not path.is_absolute():
            raise WrongValue("folder")
        return path

    def schema(self) -> JsonObject:
        return {"type": "string", "minLength": 1, "format": "path"}


@dataclass(frozen=True)
class Optional(Generic[Value]):
    """Or null, which means that the program chooses."""

    kind: Kind[Value]

    def check(self, value: JsonValue) -> Value | None:
        return None if value is None else self.kind.check(value)

    def schema(self) -> JsonObject:
        return {"anyOf": [self.kind.schema(), {"type": "null"}]}


@dataclass(frozen=True)
class ListOf(Generic[Value]):
    """Values of one kind; one written twice counts once."""

    kind: Kind[Value]

    def check(self, value: JsonValue) -> tuple[Value, ...]:
        if not isinstance(value, list):
            raise WrongValue("list")
        checked: dict[Value, None] = {}
        for index, item in enumerate(value):
            try:
                checked[self.kind.check(item)] = None
            except WrongValue as wrong:
                raise WrongInside(wrong, f"[{index}]", item) from wrong
        return tuple(checked)

    def schema(self) -> JsonObject:
        return {"type": "array", "items": self.kind.schema()}
