"""What Windows tells of a control, understood: pure.

    record = record_of({30003: 50000, 30005: "7", ...})
    told(record, NodeRef("uia", "1/4"))         # button "7", where it is and in which state
    deed_of(record)                             # Deed.INVOKE

Numbers: https://learn.microsoft.com/windows/win32/winauto/uiauto-controltype-ids and
.../uiauto-automation-element-propids, .../uiauto-control-pattern-propids. A program may answer
anything; what is not of the kind that is documented counts as not told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.elements import Element, NodeRef
from moltbot_desktop.tools.desktop.walking import NOWHERE, Told, box_of, text_of

_BOX, _PROCESS, _TYPE, _NAME = 30001, 30002, 30003, 30005
_FOCUSED, _ENABLED, _PASSWORD, _OFF_SCREEN = 30008, 30010, 30019, 30022
_CAN_EXPAND, _CAN_INVOKE, _CAN_SCROLL, _CAN_SELECT = 30028, 30031, 30034, 30036
_CAN_TOGGLE, _CAN_VALUE = 30041, 30043
_VALUE, _READ_ONLY, _EXPANDED, _SELECTED, _TOGGLED = 30045, 30046, 30070, 30079, 30086
PROPERTIES = (
    *(_BOX, _PROCESS, _TYPE, _NAME, _FOCUSED, _ENABLED, _PASSWORD, _OFF_SCREEN),
    *(_CAN_EXPAND, _CAN_INVOKE, _CAN_SCROLL, _CAN_SELECT, _CAN_TOGGLE, _CAN_VALUE),
    *(_VALUE, _READ_ONLY, _EXPANDED, _SELECTED, _TOGGLED),
)
"""What is asked of every control, in one request for all children of a parent."""

BUTTON, CHECK_BOX, COMBO_BOX, EDIT, LINK, IMAGE = 50000, 50002, 50003, 50004, 50005, 50006
LIST_ITEM, MENU, MENU_ITEM, PROGRESS_BAR = 50007, 50009, 50011, 50012
RADIO_BUTTON, SCROLL_BAR, SLIDER, SPINNER = 50013, 50014, 50015, 50016
TAB_ITEM, TEXT, TOOL_TIP, TREE_ITEM, CUSTOM = 50019, 50020, 50022, 50024, 50025
THUMB, DATA_ITEM, DOCUMENT, SPLIT_BUTTON = 50027, 50029, 50030, 50031
HEADER_ITEM, SEPARATOR = 50035, 50038
_COLLAPSED, _OPEN, _PARTLY = 0, 1, 2
_ON = 1

ROLES: Mapping[int, str] = MappingProxyType(
    {
        BUTTON: "push button", 50001: "calendar", CHECK_BOX: "check box",
        COMBO_BOX: "combo box", EDIT: "entry", LINK: "link", IMAGE: "image",
        LIST_ITEM: "list item", 50008: "list", MENU: "popup menu", 50010: "menu bar",
        MENU_ITEM: "menu item", PROGRESS_BAR: "progress bar", RADIO_BUTTON: "radio button",
        SCROLL_BAR: "scroll bar", SLIDER: "slider", SPINNER: "spin button", 50017: "status bar",
        50018: "page tab list", TAB_ITEM: "page tab", TEXT: "label", 50021: "tool bar",
        TOOL_TIP: "tool tip", 50023: "tree", TREE_ITEM: "tree item", CUSTOM: "custom",
        50026: "panel", THUMB: "thumb", 50028: "table", DATA_ITEM: "table cell",
        DOCUMENT: "document web", SPLIT_BUTTON: "push button menu", 50032: "frame",
        50033: "panel", 50034: "header", HEADER_ITEM: "header item", 50036: "table",
        50037: "title bar", SEPARATOR: "separator", 50039: "panel", 50040: "tool bar",
    }
)  # fmt: skip
"""What we call each type of control; the words are AT-SPI's, which the rest of the tool knows."""

_INVOKED = frozenset({CUSTOM, IMAGE, HEADER_ITEM, TEXT})
"""Types that are buttons when they can be invoked."""
_LEAVES = frozenset(
    {BUTTON, CHECK_BOX, EDIT, PROGRESS_BAR, RADIO_BUTTON, SCROLL_BAR, SEPARATOR, SLIDER, TEXT}
    | {THUMB, TOOL_TIP}
)
_CHOSEN = frozenset({LIST_ITEM, TREE_ITEM, TAB_ITEM, RADIO_BUTTON, DATA_ITEM})
_OPENED = frozenset({COMBO_BOX, MENU_ITEM})


class Deed(Enum):
    """What a click on a control means to its program; the value is the pattern's number."""

    INVOKE = 10000
    SELECT = 10010
    TOGGLE = 10015
    EXPAND = 10005
    COLLAPSE = -10005


@dataclass(frozen=True)
class Record:
    """One control as UI Automation tells it."""

    type: int
    process: int = 0
    name: str = ""
    box: Box = NOWHERE
    enabled: bool = False
    focused: bool = False
    off_screen: bool = False
    password: bool = False
    can_invoke: bool = False
    can_scroll: bool = False
    can_select: bool = False
    can_toggle: bool = False
    can_expand: bool = False
    can_value: bool = False
    value: str = ""
    read_only: bool = True
    expanded: int = 3
    selected: bool = False
    toggled: int = 0


def record_of(values: Mapping[int, object]) -> Record:
    """`values` by number of property; those of a pattern count only where it is there, because
    UI Automation answers with a default elsewhere."""
    on = {number for number, value in values.items() if value is True or value == 1}
    secret = _PASSWORD in on
    return Record(
        type=_number(values.get(_TYPE)),
        process=_number(values.get(_PROCESS)),
        name=text_of(values.get(_NAME)),
        box=_box(values.get(_BOX)),
        enabled=_ENABLED in on,
        focused=_FOCUSED in on,
        off_screen=_OFF_SCREEN in on,
        password=secret,
        can_invoke=_CAN_INVOKE in on,
        can_scroll=_CAN_SCROLL in on,
        can_select=_CAN_SELECT in on,
        can_toggle=_CAN_TOGGLE in on,
        can_expand=_CAN_EXPAND in on,
        can_value=_CAN_VALUE in on,
        value="" if secret or _CAN_VALUE not in on else text_of(values.get(_VALUE)),
        read_only=_CAN_VALUE not in on or _READ_ONLY in on,
        expanded=_number(values.get(_EXPANDED)) if _CAN_EXPAND in on else 3,
        selected=_CAN_SELECT in on and _SELECTED in on,
        toggled=_number(values.get(_TOGGLED)) if _CAN_TOGGLE in on else 0,
    )


def told(record: Record, ref: NodeRef) -> Told:
    role = role_of(record)
    element = Element(
        ref, role, record.name, record.box, record.box, _states(record, role), record.value
    )
    return Told(
        element,
        hidden=record.off_screen,
        clips=record.can_scroll,
        free=record.type == MENU,
        leaf=record.type in _LEAVES,
    )


def role_of(record: Record) -> str:
    if record.password:
        return "password text"
    if record.type in _INVOKED and record.can_invoke:
        return "push button"
    if record.type == BUTTON and record.can_toggle:
        return "toggle button"
    if record.type == DOCUMENT and not record.read_only:
        return "document text"
    return ROLES.get(record.type, "unknown")


def deed_of(record: Record) -> Deed | None:
    """None where only the pointer does what is meant: to put the caret into a text, for one."""
    if not record.enabled or record.type in (EDIT, DOCUMENT, SLIDER, SPINNER):
        return None
    if record.type in _CHOSEN and record.can_select:
        return Deed.SELECT
    if record.can_toggle:
        return Deed.TOGGLE
    if record.type in _OPENED and record.can_expand:
        if record.expanded in (_COLLAPSED, _PARTLY):
            return Deed.EXPAND
        if record.expanded == _OPEN:
            return Deed.COLLAPSE
    return Deed.INVOKE if record.can_invoke else None


def takes_text(record: Record) -> bool:
    """Whether text may be put there; never a password, which is typed."""
    return record.enabled and record.can_value and not (record.read_only or record.password)


def _states(record: Record, role: str) -> frozenset[str]:
    pressed = "pressed" if role == "toggle button" else "checked"
    words = {
        "sensitive": record.enabled,
        "showing": not record.off_screen,
        "focused": record.focused,
        "editable": takes_text(record),
        "expanded": record.expanded == _OPEN,
        "selected": record.selected and record.type != RADIO_BUTTON,
        pressed: record.toggled == _ON or (record.selected and record.type == RADIO_BUTTON),
    }
    return frozenset(word for word, holds in words.items() if holds)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _box(value: object) -> Box:
    """Left, top, width and height, as an array of doubles."""
    if not isinstance(value, tuple | list) or len(value) != 4:
        return NOWHERE
    if not all(isinstance(one, int | float) for one in value):
        return NOWHERE
    return box_of(*map(float, value))
