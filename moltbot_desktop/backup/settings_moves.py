"""Settings from elsewhere: what nobody has set here comes in, as far as it is harmless.

    moves, waiting = settings_moves(there, here, mine=False)

In a careful import only such settings are taken as change how the assistant looks and talks. One
that runs a program, lets somebody in, sends things away or loosens a rule waits for the owner:
whoever brings in a file need not have written it. Keys are not in a backup at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from moltbot_desktop.backup.moves import Move
from moltbot_desktop.config.places import Place, show_place, value_at
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.backup import Does, Part, Step, Why

_HARMLESS = (
    *("ui", "reminders", "session.reset", "session.resetByType", "session.resetByChannel"),
    *("session.resetTriggers", "session.typingMode", "session.retention", "messages.queue"),
    *("messages.responsePrefix", "messages.messagePrefix", "messages.ackReaction"),
    *("messages.ackReactionScope", "messages.removeAckAfterReply", "messages.inbound"),
    *("agents.defaults.userTimezone", "agents.defaults.timeFormat", "agents.defaults.language"),
    *("agents.defaults.thinkingDefault", "agents.defaults.verboseDefault"),
    *("agents.defaults.compaction", "agents.defaults.contextPruning"),
    *("agents.defaults.typingMode", "agents.defaults.humanDelay", "agents.defaults.identity"),
    "agents.defaults.bootstrapMaxChars",
)
"""Places that are taken with all below them."""
_OF_AN_AGENT = frozenset({"id", "name", "default", "identity"})
_HERE_ONLY = frozenset({"meta", "wizard", "env", "lastTouchedVersion"})
_PATHS = frozenset(
    {"workspace", "agentDir", "repoRoot", "folder", "store", "extraDirs", "extraPaths", "paths"}
)
"""Names of settings that say where something lies, on the computer they were written on."""


def settings_moves(
    there: JsonObject,
    here: JsonObject,
    put: Callable[[Place, JsonValue], None],
    *,
    mine: bool,
) -> Iterator[Move]:
    """What becomes of each setting of `there`.

    Args:
        here: what is written in the file of this computer, all files included.
        put: writes one; raises ConfigInvalid, UserInputInvalid where it does not fit.
    """
    for place, value in leaves(there):
        shown = show_place(place)
        if place[0] in _HERE_ONLY:
            continue
        if (why := _reason(place, mine=mine)) is not None:
            if not _is_there(here, place, value):
                yield Move(Step(Part.SETTINGS, shown, Does.WAITS, why=why))
            continue
        if place == ("agents", "list"):
            yield from _agents(value, here, put, mine=mine)
            continue
        yield _setting(place, value, here, put)


def leaves(value: JsonValue, place: Place = ()) -> Iterator[tuple[Place, JsonValue]]:
    """Every setting that is written in `value`; a list is one."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, (*place, name))
    elif place:
        yield place, value


def _setting(
    place: Place, value: JsonValue, here: JsonObject, put: Callable[[Place, JsonValue], None]
) -> Move:
    shown = show_place(place)
    if _is_there(here, place, value):
        return Move(Step(Part.SETTINGS, shown, Does.SAME, shown))
    if _is_taken(here, place):
        return Move(Step(Part.SETTINGS, shown, Does.WAITS, why=Why.SET_HERE))
    return Move(Step(Part.SETTINGS, shown, Does.NEW, shown), partial(put, place, value))


def _agents(
    value: JsonValue,
    here: JsonObject,
    put: Callable[[Place, JsonValue], None],
    *,
    mine: bool,
) -> Iterator[Move]:
    """Agents that are not here, by their ids, behind those that are."""
    listed = _value(here, ("agents", "list"))
    own: Sequence[JsonValue] = listed if isinstance(listed, list) else []
    known = {one.get("id") for one in own if isinstance(one, Mapping)}
    at = len(own)
    for one in value if isinstance(value, list) else ():
        if not isinstance(one, Mapping) or not isinstance(one.get("id"), str):
            continue
        shown = f"agents.list: {one['id']}"[:200]
        if one["id"] in known:
            yield Move(Step(Part.SETTINGS, shown, Does.SAME, shown))
            continue
        kept = {
            name: item
            for name, item in one.items()
            if name not in _PATHS and (mine or name in _OF_AN_AGENT)
        }
        if own:  # whoever is the default here stays it
            kept.pop("default", None)
        known.add(one["id"])
        step = Step(Part.SETTINGS, shown, Does.NEW, shown)
        yield Move(step, partial(put, ("agents", "list", at), kept))
        at += 1


def _reason(place: Place, *, mine: bool) -> Why | None:
    """Why a setting is not taken; None when it may be."""
    if any(step in _PATHS for step in place):
        return Why.OTHER_COMPUTER
    if mine or place == ("agents", "list"):
        return None
    shown = ".".join(map(str, place))
    taken = any(shown == one or shown.startswith(f"{one}.") for one in _HARMLESS)
    return None if taken else Why.LETS_MORE


def _is_there(here: JsonObject, place: Place, value: JsonValue) -> bool:
    found = _value(here, place)
    return found == value and isinstance(found, bool) == isinstance(value, bool)


def _is_taken(here: JsonObject, place: Place) -> bool:
    """Whether something stands at `place`, or in its way."""
    for end in range(1, len(place) + 1):
        try:
            found = value_at(here, place[:end])
        except KeyError:
            return False
        if not isinstance(found, Mapping) or end == len(place):
            return True
    return False


def _value(here: JsonObject, place: Place) -> JsonValue:
    try:
        return value_at(here, place)
    except KeyError:
        return None
