"""How a setting is declared: a frozen dataclass's field that also says where it stands in the
file, what fits there and what it means.

    @dataclass(frozen=True)
    class UiConfig(Section):
        theme: str = setting("theme", Choice(("auto", "dark")), "auto", "Colours of the windows.")
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from moltbot_desktop.config.kinds import Kind

T = TypeVar("T")


@dataclass(frozen=True)
class Setting:
    """One setting of a section.

    Attributes:
        attribute: name in the dataclass.
        path: where it stands inside its section, e.g. ``query.maxResults``.
        required: its group means nothing without it.
    """

    attribute: str
    path: str
    kind: Kind[object]
    help: str
    required: bool = False


def setting(path: str, kind: Kind[T], default: T, help: str) -> T:
    """A dataclass field that is read from the file."""
    data = {"path": path, "kind": kind, "help": help}
    made: Any = field(default=default, metadata=data)
    if isinstance(default, Mapping):  # dataclasses take each mapping for one that can be changed
        made = field(default_factory=lambda: default, metadata=data)
    return cast(T, made)


def required(path: str, kind: Kind[T], empty: T, help: str) -> T:
    """The same for what a group must have; `empty` is what an empty group would mean."""
    data = {"path": path, "kind": kind, "help": help, "required": True}
    made: Any = field(default=empty, metadata=data)
    return cast(T, made)


def section(path: str, default: T) -> T:
    """A dataclass field that is a group of settings at `path` of the file."""
    made: Any = field(default=default, metadata={"section": path})
    return cast(T, made)


@dataclass(frozen=True)
class Conflict:
    """The setting (by attribute) that has to give way, and what it should be (`config.texts`)."""

    attribute: str
    phrase: str
    slots: Mapping[str, object]


@dataclass(frozen=True)
class Section:
    """Base of the groups of settings."""

    def with_values(self, values: Mapping[str, object]) -> Section:
        """A copy with other checked values, by attribute."""
        changes: dict[str, Any] = dict(values)
        return replace(self, **changes)

    def conflict(self) -> Conflict | None:
        """What does not go together although each value fits by itself; None for most."""
        return None
