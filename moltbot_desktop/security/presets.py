"""What a mode makes stricter, or spares the owner, over the table of `security.policy`. Pure.

    forbids(Mode.READ_ONLY, Effect.FILE_WRITE, looks=False)     # True

A mode never makes "deny" weaker, and "ask" only in `Mode.TRUSTING`: what is asked about for the
sake of others' text alone (R1) and can be undone. What always asks (R3), the settings (R5), what
nobody is there for (R8) and secrets are the same in every mode. Where a mode asks, a yes of another
day (`security.grants`) does not answer for the owner, who chose to be asked. An effect that stands
in no set here changes something: it is forbidden where nothing may change, and asked about where
that asks.
"""

from __future__ import annotations

from moltbot_desktop.sdk.modes import Mode
from moltbot_desktop.sdk.tools import Effect

_TALKS = frozenset({Effect.NONE, Effect.REPLY})
"""What is no tool's doing: an answer, the clock, a sum."""
_LOOKS = _TALKS | {
    Effect.MEMORY_READ,
    Effect.REMINDER_READ,
    Effect.FILE_FIND,
    Effect.FILE_READ,
    Effect.SCHEDULE_READ,
    Effect.SESSION_READ,
    Effect.HELPER,
    Effect.CLIPBOARD_READ,
    Effect.CLIPBOARD_NAMED,
    Effect.SCREENSHOT,
    Effect.BROWSER_LOOK,
}
"""Nothing is changed and nothing leaves. A helper's own calls are judged one by one."""
_LOOKS_OUTSIDE = frozenset(
    {Effect.WEB_READ, Effect.WEB_NAMED, Effect.BROWSER_READ, Effect.BROWSER_OPEN}
)
"""Nothing is changed, but somebody elsewhere is asked."""
_UNDOABLE = frozenset({Effect.FILE_WRITE, Effect.MEMORY_FORGET, Effect.REMINDER_WRITE})


def forbids(mode: Mode, effect: Effect, *, looks: bool) -> bool:
    """Whether `mode` lets no such call through, whatever the table says.

    Args:
        looks: of a command: it only looks.
    """
    if mode is Mode.PAUSED:
        return effect not in _TALKS
    return mode is Mode.READ_ONLY and not (looks or effect in _LOOKS | _LOOKS_OUTSIDE)


def asks(mode: Mode, effect: Effect, *, looks: bool) -> bool:
    """Whether `mode` asks where the table does not. `looks`: as for `forbids`."""
    return mode is Mode.CAREFUL and not (looks or effect in _LOOKS)


def spares(mode: Mode, effect: Effect) -> bool:
    """Whether `mode` does not ask where the table asks because of others' text alone."""
    return mode is Mode.TRUSTING and effect in _UNDOABLE
