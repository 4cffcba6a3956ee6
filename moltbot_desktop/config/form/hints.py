"""uiHints of a manifest: labels, help and order for fields, found by their place.

    hints = read_hints({"accounts.*.token": {"label": "Bot token", "sensitive": True}})
    hints.at(("accounts", "work", "token")).label        # "Bot token"

`*` stands for one name or number. Numbers of items may be left out, or be written `[]`, as the
reference's own hints do. What is no hint is left out: a manifest's mistake costs a label only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.forms import FieldPlace

_SECRET = re.compile(r"token$|password|secret|api[_-]?key|private[_-]?key", re.IGNORECASE)
_USUAL_ORDER = 50.0


@dataclass(frozen=True)
class Hint:
    """What a manifest says about a field.

    Attributes:
        sensitive: None where nothing is said; then the name decides.
        group: the heading it stands under.
        item: label of the items of a list, with ``{index}`` or a property's name in it.
        hidden: no field is made for it; what is written stays.
        values: what the texts that may be chosen are called.
    """

    label: str = ""
    help: str = ""
    placeholder: str = ""
    advanced: bool = False
    sensitive: bool | None = None
    group: str = ""
    order: float = _USUAL_ORDER
    item: str = ""
    hidden: bool = False
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


NO_HINT = Hint()


@dataclass(frozen=True)
class Hints:
    """Hints by the steps of their path."""

    by_path: Mapping[tuple[str, ...], Hint] = field(default_factory=lambda: MappingProxyType({}))

    def at(self, place: FieldPlace) -> Hint:
        """The hint that says most exactly what stands at `place`."""
        if not self.by_path:
            return NO_HINT
        whole = tuple(map(str, place))
        names = tuple(step for step in place if isinstance(step, str))
        for steps in dict.fromkeys((whole, names)):
            if steps in self.by_path:
                return self.by_path[steps]
        fitting = [
            path
            for path in self.by_path
            if any(_fits(path, steps) for steps in (whole, names)) and "*" in path
        ]
        return self.by_path[min(fitting, key=lambda path: path.count("*"))] if fitting else NO_HINT

    def secret(self, place: FieldPlace) -> bool:
        """Whether a text there is a key or password."""
        said = self.at(place).sensitive
        if said is not None:
            return said
        names = [step for step in place if isinstance(step, str)]
        return any(map(_SECRET.search, names[-1:]))


def read_hints(raw: JsonValue) -> Hints:
    """The hints of a manifest's `uiHints`."""
    found: dict[tuple[str, ...], Hint] = {}
    for path, one in raw.items() if isinstance(raw, Mapping) else ():
        if isinstance(one, Mapping):
            found[tuple(path.replace("[]", "").split("."))] = _hint(one)
    return Hints(MappingProxyType(found))


def _hint(raw: Mapping[str, JsonValue]) -> Hint:
    def text(name: str) -> str:
        value = raw.get(name)
        return value.strip() if isinstance(value, str) else ""

    order, sensitive = raw.get("order"), raw.get("sensitive")
    numbered = isinstance(order, int | float) and not isinstance(order, bool)
    return Hint(
        label=text("label"),
        help=text("help"),
        placeholder=text("placeholder"),
        advanced=raw.get("advanced") is True,
        sensitive=sensitive if isinstance(sensitive, bool) else None,
        group=text("group"),
        order=float(order) if numbered and isinstance(order, int | float) else _USUAL_ORDER,
        item=text("itemTemplate"),
        hidden=raw.get("hidden") is True,
        values=_names(raw.get("values")),
    )


def _names(said: JsonValue) -> Mapping[str, str]:
    """What values are called, where that is said with words."""
    words = said.items() if isinstance(said, Mapping) else ()
    return MappingProxyType({value: name for value, name in words if isinstance(name, str)})


def _fits(path: tuple[str, ...], steps: tuple[str, ...]) -> bool:
    return len(path) == len(steps) and all(
        one in ("*", step) for one, step in zip(path, steps, strict=True)
    )
