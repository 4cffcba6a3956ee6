"""What a call of `browser` asks for, taken apart and judged. Pure.

    order = read_order({"action": "act", "kind": "click", "ref": "e5"})
    order.action, order.kind, order.ref       # Action.ACT, Kind.CLICK, "e5"
    order.looks                               # False: something happens on somebody's site

The reference hands what an `act` is in an object `request`; both forms are understood, because its
skills are written for that one and a small model gets the flat one right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.tools.browser.trouble import BrowserTrouble
from moltbot_desktop.tools.replies import arguments, number_argument, text_argument

T = TypeVar("T", bound=StrEnum)


class Action(StrEnum):
    """What can be asked for."""

    STATUS = "status"
    START = "start"
    STOP = "stop"
    PROFILES = "profiles"
    TABS = "tabs"
    OPEN = "open"
    FOCUS = "focus"
    CLOSE = "close"
    SNAPSHOT = "snapshot"
    SCREENSHOT = "screenshot"
    NAVIGATE = "navigate"
    CONSOLE = "console"
    PDF = "pdf"
    UPLOAD = "upload"
    DIALOG = "dialog"
    ACT = "act"


class Kind(StrEnum):
    """What an `act` does."""

    CLICK = "click"
    TYPE = "type"
    PRESS = "press"
    HOVER = "hover"
    DRAG = "drag"
    SELECT = "select"
    FILL = "fill"
    RESIZE = "resize"
    WAIT = "wait"
    EVALUATE = "evaluate"
    CLOSE = "close"


_HARMLESS_ACTIONS = frozenset({Action.STATUS, Action.STOP, Action.PROFILES, Action.CLOSE})
_UNNOTICED = frozenset({Action.SNAPSHOT, Action.SCREENSHOT, Action.TABS, Action.CONSOLE})
_ACTING = frozenset({Action.UPLOAD, Action.DIALOG})
_QUIET_KINDS = frozenset({Kind.WAIT, Kind.RESIZE, Kind.CLOSE})
_NEEDS_REF = frozenset({Kind.CLICK, Kind.TYPE, Kind.HOVER, Kind.DRAG, Kind.SELECT})
_REF = re.compile(r"[@\[]?(?:ref=)?(e?)([0-9]{1,9})\]?")
_BUTTONS = ("left", "right", "middle")
_MODIFIERS = ("Alt", "Control", "ControlOrMeta", "Meta", "Shift")
_KEY = re.compile(r"[A-Za-z0-9+]{1,60}|.", re.DOTALL)
_MOST_FIELDS = 60
_MOST_WAIT_MS = 30_000


@dataclass(frozen=True)
class FieldValue:
    """One field of a form; a checkbox takes true or false."""

    ref: str
    value: str | bool


@dataclass(frozen=True)
class Order:
    """One call. What it does not need is empty.

    Attributes:
        tab: ``t3``; "" is the one that was used last.
        end: the ref to drag to.
        most, first, interactive: of a snapshot (`snapshot.View`); most 0 is what is usual.
        gone: `text` is to be waited for until it has gone.
    """

    action: Action
    kind: Kind | None = None
    url: str = ""
    tab: str = ""
    ref: str = ""
    end: str = ""
    text: str = ""
    key: str = ""
    values: tuple[str, ...] = ()
    fields: tuple[FieldValue, ...] = ()
    paths: tuple[str, ...] = ()
    accept: bool = True
    submit: bool = False
    slowly: bool = False
    double: bool = False
    button: str = "left"
    modifiers: tuple[str, ...] = ()
    interactive: bool = False
    whole: bool = False
    most: int = 0
    first: int = 0
    milliseconds: int = 0
    gone: bool = False
    level: str = ""
    code: str = ""
    width: int = 0
    height: int = 0

    @property
    def refs(self) -> tuple[str, ...]:
        """All elements that it touches."""
        return tuple(filter(None, (self.ref, self.end, *(one.ref for one in self.fields))))

    @property
    def harmless(self) -> bool:
        """No page is looked at, and nobody is asked for anything."""
        return self.action in _HARMLESS_ACTIONS or self.kind is Kind.CLOSE

    @property
    def unnoticed(self) -> bool:
        """What is open is looked at, and the page cannot know: it is shown as it stands. One that
        is made larger, printed or brought to the front is told so, and may tell others."""
        return self.action in _UNNOTICED or self.kind is Kind.WAIT

    @property
    def looks(self) -> bool:
        """What is open is only looked at."""
        if self.action is Action.ACT:
            return self.kind in _QUIET_KINDS
        return self.action not in _ACTING and not self.goes

    @property
    def goes(self) -> bool:
        """It goes to an address."""
        return self.action in (Action.OPEN, Action.NAVIGATE)


PARAMETERS: JsonObject = arguments(
    ("action",),
    action={"type": "string", "enum": [one.value for one in Action]},
    url=text_argument("open, navigate"),
    kind={"type": "string", "enum": [one.value for one in Kind], "description": "of act"},
    ref=text_argument("from the snapshot, such as e5"),
    text=text_argument("to type; to wait for; for a dialog"),
    submit={"type": "boolean", "description": "Enter after typing"},
    key=text_argument("press: Enter, Control+a"),
    endRef=text_argument("drag"),
    values={"type": "array", "items": {"type": "string"}, "description": "select"},
    fields={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "ref": {"type": "string"},
                "value": {"type": ["string", "boolean", "number"]},
            },
        },
        "description": "fill: ref and value of each",
    },
    paths={"type": "array", "items": {"type": "string"}, "description": "upload"},
    accept={"type": "boolean", "description": "dialog"},
    interactive={"type": "boolean", "description": "snapshot: only what has refs"},
    offset=number_argument("snapshot: line to go on from"),
    maxChars=number_argument(),
    fullPage={"type": "boolean"},
    level={"type": "string", "description": "console: error, warning, log"},
    targetId=text_argument("tab, such as t2"),
    targetUrl=text_argument("same as url"),
    promptText=text_argument("same as text"),
    request={"type": "object", "description": "all of an act in one"},
)


def read_order(given: Mapping[str, JsonValue]) -> Order:
    """Raises BrowserTrouble: what to write instead."""
    merged = dict(given)
    request = given.get("request")
    if isinstance(request, Mapping):
        merged = {**request, **{name: value for name, value in given.items() if name != "request"}}
    words = _Words(merged)
    action = _one_of(Action, words.text("action"), "action")
    kind = _one_of(Kind, words.text("kind"), "kind") if action is Action.ACT else None
    gone = words.text("textGone")
    order = Order(
        action,
        kind,
        url=words.text("url") or words.text("targetUrl"),
        tab=words.text("targetId"),
        ref=_ref(words.text("ref") or words.text("inputRef") or words.text("startRef")),
        end=_ref(words.text("endRef")),
        text=gone or words.whole("text") or words.whole("promptText"),
        key=words.whole("key"),
        values=words.texts("values"),
        fields=_fields(merged.get("fields")),
        paths=words.texts("paths"),
        accept=words.flag("accept", True),
        submit=words.flag("submit"),
        slowly=words.flag("slowly"),
        double=words.flag("doubleClick"),
        button=words.text("button") or "left",
        modifiers=words.texts("modifiers"),
        interactive=words.flag("interactive"),
        whole=words.flag("fullPage"),
        most=words.number("maxChars"),
        first=words.number("offset"),
        milliseconds=min(words.number("timeMs"), _MOST_WAIT_MS),
        gone=bool(gone),
        level=words.text("level"),
        code=words.text("fn"),
        width=words.number("width"),
        height=words.number("height"),
    )
    _check(order)
    return order


def _check(order: Order) -> None:
    if order.goes and not order.url:
        raise BrowserTrouble("`url` is missing", "need_url")
    if order.kind in _NEEDS_REF and not order.ref:
        raise BrowserTrouble("`ref` is missing: take a snapshot and give one of its refs", "need")
    missing = {
        Kind.PRESS: not order.key and "key",
        Kind.DRAG: not order.end and "endRef",
        Kind.SELECT: not order.values and "values",
        Kind.FILL: not order.fields and "fields",
        Kind.EVALUATE: not order.code and "fn",
        Kind.WAIT: not (order.text or order.milliseconds) and "text",
        Kind.RESIZE: not (order.width and order.height) and "width",
    }.get(order.kind or Kind.CLOSE)
    if missing:
        raise BrowserTrouble(f"`{missing}` is missing", "need")
    if order.action is Action.UPLOAD and not (order.paths and order.ref):
        raise BrowserTrouble("upload needs `ref` and `paths`", "need")
    if order.button not in _BUTTONS or not set(order.modifiers) <= set(_MODIFIERS):
        raise BrowserTrouble(
            f"`button` is one of {', '.join(_BUTTONS)}, `modifiers` of {', '.join(_MODIFIERS)}",
            "need",
        )
    if order.key and not _KEY.fullmatch(order.key):
        raise BrowserTrouble("`key` is a name such as Enter, ArrowDown or Control+a", "need")


def _one_of(names: type[T], text: str, argument: str) -> T:
    try:
        return names(text)
    except ValueError:
        known = ", ".join(one.value for one in names)
        raise BrowserTrouble(f"`{argument}` is one of: {known}", "need") from None


def _ref(text: str) -> str:
    """``e5`` of ``e5``, ``@e5``, ``ref=e5`` and ``[ref=e5]``."""
    if not text:
        return ""
    found = _REF.fullmatch(text)
    if found is None:
        raise BrowserTrouble("`ref` is one of the snapshot's, such as e5", "need")
    return f"e{int(found[2])}"


def _fields(value: JsonValue) -> tuple[FieldValue, ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    found = []
    for one in value[:_MOST_FIELDS]:
        ref = _ref(str(one.get("ref", ""))) if isinstance(one, Mapping) else ""
        if not isinstance(one, Mapping) or not ref:
            raise BrowserTrouble("each of `fields` has a `ref` and a `value`", "need")
        put = one.get("value", one.get("text", ""))
        found.append(FieldValue(ref, put if isinstance(put, bool) else str(put)))
    return tuple(found)


@dataclass(frozen=True)
class _Words:
    """Arguments by name, whatever a model put there."""

    given: Mapping[str, JsonValue]

    def whole(self, name: str) -> str:
        value = self.given.get(name)
        return value if isinstance(value, str) else ""

    def text(self, name: str) -> str:
        return self.whole(name).strip()

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.given.get(name)
        if isinstance(value, str):
            return (value,)
        return tuple(map(str, value)) if isinstance(value, Sequence) else ()

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.given.get(name)
        return value if isinstance(value, bool) else default

    def number(self, name: str) -> int:
        value = self.given.get(name)
        return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0
