"""Going through a conversation by keys: from message to message, and through long ones. Pure.

    stepped(spans, at, 1, View(top, height))       # Step(the next message, where to scroll)

What is seen moves as little as it can: a message that is in sight is only marked. One that is
longer than the window is read through in steps, before the next one is gone to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.ui.entries import EntryId

Span = tuple[EntryId, float, float]
"""An entry, its top and its bottom in the document, in pixels."""
_ROOM_PX = 12
_STEP_SHARE = 0.5
"""Of the window; so much of a long message is gone through at once."""


@dataclass(frozen=True)
class View:
    """What is in sight: `height` pixels of the document from `top` on."""

    top: float
    height: float

    @property
    def bottom(self) -> float:
        return self.top + self.height


@dataclass(frozen=True)
class Step:
    """The entry to stand on, and the pixel of the document that is to be at the window's top."""

    entry: EntryId
    scroll: float


def stepped(spans: Sequence[Span], at: EntryId | None, by: int, view: View) -> Step | None:
    """One step down (1) or up (-1), or as far as there are entries; None where there are none.

    Who stands nowhere comes to the last entry that is in sight.
    """
    if not spans:
        return None
    place = next((n for n, span in enumerate(spans) if span[0] == at), None)
    if place is None:
        seen = [n for n, span in enumerate(spans) if span[1] < view.bottom]
        place = seen[-1] if seen and abs(by) < len(spans) else (0 if by < 0 else len(spans) - 1)
    else:
        _, top, bottom = spans[place]
        reach = view.height * _STEP_SHARE
        if by == 1 and bottom > view.bottom + 1 > top:
            return Step(spans[place][0], view.top + min(reach, bottom + _ROOM_PX - view.bottom))
        if by == -1 and top < view.top - 1 < bottom:
            return Step(spans[place][0], view.top - min(reach, view.top - top + _ROOM_PX))
        place = max(0, min(len(spans) - 1, place + by))
    return Step(spans[place][0], _shown(spans[place], by, view))


def _shown(span: Span, by: int, view: View) -> float:
    """Where the window is to begin so that `span` is in sight, or the end of it that is read
    first."""
    _, top, bottom = span
    if bottom - top + 2 * _ROOM_PX > view.height:
        return top - _ROOM_PX if by > 0 else bottom + _ROOM_PX - view.height
    if top - _ROOM_PX < view.top:
        return top - _ROOM_PX
    if bottom + _ROOM_PX > view.bottom:
        return bottom + _ROOM_PX - view.height
    return view.top
