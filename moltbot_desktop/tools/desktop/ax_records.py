"""What macOS tells of a control, understood: pure.

    record = record_of({"AXRole": "AXButton", "AXTitle": "7", "AXPosition": (10, 20), ...})
    told(record, NodeRef("ax", "1/4"))

Names: https://developer.apple.com/documentation/applicationservices/axroleconstants_h,
.../axattributeconstants_h and .../axactionconstants_h. Places are in points from the top left of
the first screen, as are those of the pointer. A program may answer anything; what is not of the
kind that is documented counts as not told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.elements import Element, NodeRef
from moltbot_desktop.tools.desktop.walking import NOWHERE, Told, box_of, text_of

PRESS, SHOW_MENU, RAISE = "AXPress", "AXShowMenu", "AXRaise"
PLACE, SIZE = "AXPosition", "AXSize"
CHILDREN = ("AXVisibleRows", "AXVisibleChildren", "AXChildren")
"""The first that names any: a table of a million rows tells those that are in sight."""
ATTRIBUTES = (
    *("AXRole", "AXSubrole", "AXTitle", "AXDescription", "AXPlaceholderValue", "AXValue"),
    *("AXEnabled", "AXFocused", "AXSelected", "AXExpanded", "AXHidden", PLACE, SIZE),
)
"""What is asked of every control, in one message."""

ROLES: Mapping[str, str] = MappingProxyType(
    {
        "AXButton": "push button", "AXMenuButton": "push button menu",
        "AXPopUpButton": "combo box", "AXComboBox": "combo box", "AXCheckBox": "check box",
        "AXRadioButton": "radio button", "AXTextField": "entry", "AXTextArea": "text",
        "AXDateTimeArea": "entry", "AXStaticText": "label", "AXHeading": "heading",
        "AXLink": "link", "AXMenuBar": "menu bar", "AXMenuBarItem": "menu",
        "AXMenu": "popup menu", "AXMenuItem": "menu item", "AXSlider": "slider",
        "AXIncrementor": "spin button", "AXRow": "list item", "AXCell": "table cell",
        "AXDisclosureTriangle": "toggle button", "AXColorWell": "push button",
        "AXDockItem": "icon", "AXImage": "image", "AXOutline": "tree", "AXTable": "table",
        "AXList": "list", "AXTabGroup": "page tab list", "AXScrollArea": "scroll pane",
        "AXScrollBar": "scroll bar", "AXGroup": "panel", "AXSplitGroup": "panel",
        "AXToolbar": "tool bar", "AXWindow": "frame", "AXSheet": "dialog",
        "AXWebArea": "document web", "AXProgressIndicator": "progress bar",
        "AXSplitter": "separator", "AXHelpTag": "tool tip", "AXValueIndicator": "thumb",
    }
)  # fmt: skip
"""What we call each role; the words are AT-SPI's, which the rest of the tool knows."""
SUBROLES: Mapping[str, str] = MappingProxyType(
    {
        "AXSecureTextField": "password text", "AXSwitch": "switch", "AXToggle": "toggle button",
        "AXTabButton": "page tab", "AXOutlineRow": "tree item",
    }
)  # fmt: skip

_LEAVES = frozenset(
    "AXButton AXCheckBox AXRadioButton AXStaticText AXHeading AXTextField AXTextArea AXImage"
    " AXSlider AXScrollBar AXIncrementor AXProgressIndicator AXSplitter AXValueIndicator".split()
)
_OPENING = frozenset({"AXMenuBarItem", "AXMenuItem"})
"""Their menu is told even while it is closed; it is open while they are selected."""
_POINTED = frozenset(
    "AXTextField AXTextArea AXComboBox AXDateTimeArea AXSlider AXIncrementor".split()
)
_HOLDERS = frozenset({"list item", "tree item", "table cell"})
_ON = 1


@dataclass(frozen=True)
class Record:
    """One control as the accessibility of macOS tells it."""

    role: str
    subrole: str = ""
    name: str = ""
    value: str = ""
    box: Box = NOWHERE
    enabled: bool = False
    focused: bool = False
    selected: bool = False
    expanded: bool = False
    hidden: bool = False
    on: bool = False


def record_of(values: Mapping[str, object]) -> Record:
    """`values` by attribute; a place and a size as pairs of numbers."""
    role, subrole = text_of(values.get("AXRole")), text_of(values.get("AXSubrole"))
    value = values.get("AXValue")
    names = (text_of(values.get(one)) for one in ("AXTitle", "AXDescription", "AXPlaceholderValue"))
    return Record(
        role=role,
        subrole=subrole,
        name=next((one for one in names if one.strip()), ""),
        value="" if SUBROLES.get(subrole) == "password text" else text_of(value),
        box=_box(values.get(PLACE), values.get(SIZE)),
        # A row or a text says nothing about it and can be clicked; a grey button says it is not.
        enabled=values.get("AXEnabled") is not False and values.get("AXEnabled") != 0,
        focused=_holds(values.get("AXFocused")),
        selected=_holds(values.get("AXSelected")),
        expanded=_holds(values.get("AXExpanded")),
        hidden=_holds(values.get("AXHidden")),
        on=_holds(value),
    )


def told(record: Record, ref: NodeRef) -> Told:
    role = role_of(record)
    element = Element(
        ref, role, record.name, record.box, record.box, _states(record, role), record.value
    )
    closed = record.role in _OPENING and not record.selected
    return Told(
        element,
        hidden=record.hidden,
        clips=record.role in ("AXScrollArea", "AXWebArea"),
        free=record.role in ("AXMenu", "AXMenuItem", "AXMenuBar", "AXSheet"),
        leaf=closed or record.role in _LEAVES,
    )


def role_of(record: Record) -> str:
    return SUBROLES.get(record.subrole) or ROLES.get(record.role, "unknown")


def action_of(record: Record, offered: Collection[str]) -> str:
    """The action that means what a click would; "" where only the pointer does."""
    if not record.enabled or record.role in _POINTED:
        return ""
    return next((one for one in (PRESS, SHOW_MENU) if one in offered and _fits(record, one)), "")


def with_names(elements: Sequence[Element]) -> tuple[Element, ...]:
    """Rows and cells are told without a name: what is written in them is it."""
    texts = [one for one in elements if one.role == "label" and (one.name or one.value).strip()]
    return tuple(
        replace(one, name=_written_in(one, texts))
        if one.role in _HOLDERS and not one.name.strip()
        else one
        for one in elements
    )


def _written_in(holder: Element, texts: Sequence[Element]) -> str:
    inside = [
        text.name or text.value
        for text in texts
        if not text.box.empty and holder.box.contains(*text.box.centre)
    ]
    return text_of(" ".join(inside[:3]))


def _fits(record: Record, action: str) -> bool:
    """A button's own menu is what its right side opens; only some are made of nothing else."""
    return action == PRESS or record.role in ("AXPopUpButton", "AXMenuButton")


def _states(record: Record, role: str) -> frozenset[str]:
    toggles = role in ("check box", "switch", "radio button")
    words = {
        "sensitive": record.enabled,
        "showing": not record.hidden,
        "focused": record.focused,
        "expanded": record.expanded or (role == "toggle button" and record.on),
        "selected": record.selected or (role == "page tab" and record.on),
        "checked": toggles and record.on,
    }
    return frozenset(word for word, holds in words.items() if holds)


def _holds(value: object) -> bool:
    return value is True or (isinstance(value, int | float) and value == _ON)


def _box(place: object, size: object) -> Box:
    if not isinstance(place, tuple) or not isinstance(size, tuple):
        return NOWHERE
    numbers = (*place, *size)
    if len(numbers) != 4 or not all(isinstance(one, int | float) for one in numbers):
        return NOWHERE
    return box_of(*map(float, numbers))
