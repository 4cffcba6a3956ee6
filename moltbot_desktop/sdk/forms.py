"""A settings form, as whoever draws it sees it: nodes that say what to show, edits that give a
new form. Nothing here knows JSON Schema (`config.form` does) or widgets.

    node = form.root(language)                       # a GROUP; its children are the fields
    form = form.put(("serve", "port"), 8080)         # the old form stays as it was
    form = form.unset(("serve", "port")).undo()

A form never loses what it cannot draw: that is a `RAW` node, shown and edited as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.panels import Panel

FieldPlace = tuple[str | int, ...]
"""Names of groups and numbers of items, from the form's root, which is ()."""


class FieldKind(StrEnum):
    """What a field is drawn as."""

    GROUP = "group"
    """Fields with names of their own: `children`."""
    MAP = "map"
    """Entries whose names the person chooses: `children`."""
    LIST = "list"
    """Items in an order: `children`."""
    TEXT = "text"
    SECRET = "secret"
    FLAG = "flag"
    WHOLE = "whole"
    NUMBER = "number"
    CHOICE = "choice"
    """One of `options`."""
    VARIANT = "variant"
    """One of several forms, named by `options`; the only child is the form that is chosen."""
    RAW = "raw"
    """Whatever it is, as JSON; `reason` says why no better field could be made."""


class SecretState(StrEnum):
    """What may be told of a key or password."""

    UNSET = "unset"
    WRITTEN = "written"
    """There is one; it is never shown."""
    ELSEWHERE = "elsewhere"
    """The file only names where it is kept, and that name may be seen."""


@dataclass(frozen=True)
class Option:
    """One of several values; of a `VARIANT` the value says nothing."""

    label: str
    value: JsonValue = None


@dataclass(frozen=True)
class FormNode:
    """One field, or several below one heading.

    Attributes:
        value: what is written, else the default; keys and passwords inside are hidden.
        written: it stands in the file; else `value` is the default (None where there is none).
        changed: it is not as it was saved.
        removable: an item or entry that may be taken away; `movable` an item of a list, `last` when
            none comes after it; `renamable` an entry whose name the person chose.
        addable: of a list, whether one more item is allowed; of a group that is not written, that
            it may be begun.
        named: entries with a name of the person's own may be added.
        format: of `TEXT`, "file" or "folder" for a path, else "".
        variable: the text names an environment variable (``${NAME}``) and is used in its place.
        low, high: of numbers, both included; None for no bound.
        chosen: which of `options` it is, -1 for none.
        unknown: the schema does not know it.
        blank: of `TEXT`, that nothing is a value too, and another one than the default.
        problems: what is wrong with it, sentences for the person.
    """

    place: FieldPlace
    kind: FieldKind
    label: str
    help: str = ""
    placeholder: str = ""
    value: JsonValue = None
    written: bool = False
    default: JsonValue = None
    has_default: bool = False
    changed: bool = False
    required: bool = False
    nullable: bool = False
    advanced: bool = False
    heading: str = ""
    format: str = ""
    variable: bool = False
    secret: SecretState = SecretState.UNSET
    options: tuple[Option, ...] = ()
    chosen: int = -1
    low: float | None = None
    high: float | None = None
    removable: bool = False
    movable: bool = False
    last: bool = False
    renamable: bool = False
    addable: bool = False
    named: bool = False
    unknown: bool = False
    blank: bool = False
    reason: str = ""
    problems: tuple[str, ...] = ()
    children: tuple[FormNode, ...] = ()


@dataclass(frozen=True)
class Put:
    """Write `value` at `place`."""

    place: FieldPlace
    value: JsonValue


@dataclass(frozen=True)
class Unset:
    """Take away what stands at `place`."""

    place: FieldPlace


Change = Put | Unset


class FormState(Protocol):
    """A form with what was edited so far; each edit gives a new one.

    All edits raise `UserInputInvalid` for a place where that cannot be done.
    """

    @property
    def saved(self) -> JsonObject:
        """What the file said when the form was opened, keys and all: for who saves it."""
        ...

    @property
    def dirty(self) -> bool:
        """Saving would change something."""
        ...

    @property
    def can_undo(self) -> bool: ...

    @property
    def wrong(self) -> int:
        """How many places have something wrong that is not the file's as it was saved."""
        ...

    @property
    def secrets(self) -> Mapping[FieldPlace, str]:
        """What was typed into secret fields and waits to be kept; in no node and no change."""
        ...

    def root(self, language: Language) -> FormNode: ...

    def found(self, words: str, language: Language) -> frozenset[FieldPlace]:
        """Places whose name, label or help has all of `words`, with what is above and below."""
        ...

    def changes(self) -> tuple[Change, ...]:
        """The fewest edits that make what was saved into this, in the order to carry them out."""
        ...

    def put(self, place: FieldPlace, value: JsonValue) -> FormState: ...

    def hide(self, place: FieldPlace, secret: str) -> FormState:
        """Set a secret field; the words leave the form only by `secrets`."""
        ...

    def unset(self, place: FieldPlace) -> FormState: ...

    def add(self, place: FieldPlace, name: str = "") -> FormState:
        """One more item, an entry called `name`, or the group itself."""
        ...

    def move(self, place: FieldPlace, to: int) -> FormState:
        """Make the item at `place` number `to` of its list."""
        ...

    def rename(self, place: FieldPlace, name: str) -> FormState:
        """Another name for an entry of a map, which keeps its row."""
        ...

    def choose(self, place: FieldPlace, option: int) -> FormState:
        """Another form for a `VARIANT`, as empty as that form allows.

        `option`: its number among the node's `options`, from 0.
        """
        ...

    def undo(self) -> FormState: ...

    def revert(self) -> FormState:
        """Everything as it was saved."""
        ...


@dataclass(frozen=True)
class FormSection:
    """Some of a page's fields, which the window shows together.

    Attributes:
        id: stable; what a link names (``general#memory``).
        note: a sentence above the fields, "" for none.
        places: in the order to show them; each with what is below it and no other section names.
            Of none: all that no section names.
        shared: those of `places` that belong to another section and are shown here as well.
        advanced: it stands behind "Advanced", which is closed at first.
    """

    id: str
    title: str
    note: str = ""
    places: tuple[FieldPlace, ...] = ()
    shared: frozenset[FieldPlace] = frozenset()
    advanced: bool = False


@dataclass(frozen=True)
class SettingsPage:
    """A page of the settings window.

    Attributes:
        id: stable; "general", or "plugin:" and the plugin's id.
        title: as the list of pages shows it.
        note: a sentence above the form, "" for none.
        renewable: what it is about runs and can be brought in anew (`SettingsDesk.reload`).
        live: something stands above its form that changes by itself (`SettingsDesk.panel`).
        place: of the window's places the one where it stands.
        sections: what it is shown in instead of itself; () for a page that is shown as it is. All
            that its form has is in one of them.
        entry: what one more entry of the page itself is, such as "MCP server"; "" where it has none
            or that needs no word.
    """

    id: str
    title: str
    note: str = ""
    renewable: bool = False
    live: bool = False
    place: str = "settings"
    sections: tuple[FormSection, ...] = ()
    entry: str = ""


class SettingsDesk(Protocol):
    """Opens and saves forms. Reads and writes files, and may wait for the password store: not for
    the main thread."""

    def pages(self) -> tuple[SettingsPage, ...]:
        """In the order to show them."""
        ...

    def open(self, page: str) -> FormState:
        """The form of a page as the file has it now.

        Raises:
            MoltbotError: it cannot be read.
        """
        ...

    def save(self, page: str, form: FormState) -> FormState:
        """Write what was changed, let it hold and open the page anew.

        Raises:
            MoltbotError: it does not fit or could not be written; nothing was.
        """
        ...

    def waiting(self) -> str:
        """What was changed since the start and holds from the next start on only: a sentence, ""
        for nothing.

        Raises:
            MoltbotError: the settings cannot be read.
        """
        ...

    def reload(self, page: str) -> str:
        """Bring in anew what a renewable page is about, as it is on the disk; what was not saved
        stays unsaved. A sentence that says whether it worked; the page's note says why not.

        Raises:
            MoltbotError: it is off by now, or nothing runs.
        """
        ...

    def panel(self, page: str) -> Panel:
        """What stands above the form of a live page now, () for nothing."""
        ...

    def act(self, page: str, action: str) -> str:
        """Carry out what a button of a panel says; a sentence that tells what came of it.

        Raises:
            MoltbotError: it could not be done.
        """
        ...


@dataclass(frozen=True)
class UndrawnField:
    """A part of a schema that is edited as JSON."""

    path: str
    reason: str


@dataclass(frozen=True)
class FormReport:
    """What a form makes of a schema.

    Attributes:
        drawn: dotted paths of the properties that have a field, groups included.
        raw: what falls to JSON, with the reason.
        errors: what is wrong with the schema itself; then nothing is drawn.
    """

    drawn: tuple[str, ...]
    raw: tuple[UndrawnField, ...]
    errors: tuple[str, ...]


class ReportsForms(Protocol):
    """`config.form.report.form_report`, for those who may not import it."""

    def __call__(self, schema: JsonObject, language: Language) -> FormReport: ...
