"""What of a window's tree can be seen, level by level and within limits. What it asks is handed in.

    elements = seen_below(root, window.box, children_of, LIMITS, expired)

UI Automation and macOS tell about one parent's children at a time; this asks no more of them than
is needed: nothing below what is hidden, scrolled away or a plain button.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.sdk.desktop import Box
from moltbot_desktop.tools.desktop.elements import Element

NOWHERE = Box(0, 0, 0, 0)
LONGEST_TEXT = 400
_FARTHEST = 1_000_000


@dataclass(frozen=True)
class Told:
    """One control as its program tells it, in our words.

    Attributes:
        hidden: it is not on the screen, nor is what lies below it.
        clips: what lies below can be seen through it alone.
        free: it stands over its window, a menu for one; nothing clips it.
        leaf: nothing below it is of use.
    """

    element: Element
    hidden: bool = False
    clips: bool = False
    free: bool = False
    leaf: bool = False


@dataclass(frozen=True)
class Limits:
    """Of one look. `children` of one parent, `seconds` by the clock."""

    nodes: int = 1_500
    levels: int = 60
    children: int = 400
    seconds: float = 4.0


LIMITS = Limits()


def seen_below(
    root: Told,
    area: Box | None,
    children: Callable[[Told], Sequence[Told]],
    limits: Limits,
    expired: Callable[[], bool],
) -> tuple[Element, ...]:
    """The elements below `root` that may be on the screen, each cut to what can be seen of it.

    `area` is what the root can be seen through, None for all screens.
    """
    found: list[Element] = []
    level = [(root, area)]
    for _ in range(limits.levels):
        below: list[tuple[Told, Box | None]] = []
        for parent, clip in level:
            if expired() or len(found) >= limits.nodes:
                return tuple(found)
            inner = _through(parent, clip)
            for child in children(parent)[: min(limits.children, limits.nodes - len(found))]:
                through = None if child.free else inner
                shown = _cut(child.element, through)
                if child.hidden or _out_of_sight(child.element, shown):
                    continue
                found.append(shown)
                if not child.leaf:
                    below.append((child, through))
        if not below:
            break
        level = below
    return tuple(found)


def box_of(left: float, top: float, width: float, height: float) -> Box:
    """Of a program's numbers, which may be anything."""
    numbers = (left, top, width, height)
    if not all(math.isfinite(one) and abs(one) <= _FARTHEST for one in numbers):
        return NOWHERE
    x, y = round(left), round(top)
    return Box(x, y, max(0, round(left + width) - x), max(0, round(top + height) - y))


def text_of(value: object) -> str:
    return value[:LONGEST_TEXT] if isinstance(value, str) else ""


def _through(parent: Told, clip: Box | None) -> Box | None:
    box = parent.element.whole
    if not parent.clips or box.empty:
        return clip
    return box if clip is None else box.common(clip)


def _cut(element: Element, clip: Box | None) -> Element:
    return element if clip is None else replace(element, box=element.whole.common(clip))


def _out_of_sight(element: Element, shown: Element) -> bool:
    """It has a size and nothing of it is left; one without a size may only hold others together."""
    return not element.whole.empty and shown.box.empty
