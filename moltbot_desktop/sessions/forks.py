"""Where a conversation parts, as a person sees it: a message said in other words, answered again.

    forks_of(entries)                    # on the branch where it stands, the oldest first
    tip_over(entries, fork.latest[0])    # the entry to go on from, for `Transcript.branch`

Two messages stand in the same place when the same message of a person comes before them. Copies of
one (see `sessions.tree`) are the same message, wherever they stand. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from moltbot_desktop.sdk.sessions import Fork
from moltbot_desktop.sessions.entries import TranscriptEntry, UserEntry
from moltbot_desktop.sessions.tree import standing

_Said = Mapping[str, list[UserEntry]]
"""Messages by their ids, each with its copies, in the order in which they were said first."""


def said_id(entry: UserEntry) -> str:
    """What names a message and its copies."""
    return entry.run_id or entry.id


def forks_of(entries: Sequence[TranscriptEntry]) -> tuple[Fork, ...]:
    """Those of the branch on which `entries` (`sessions.tree.linked`) stand; () for most."""
    before: dict[str, str] = {}
    places: dict[str, dict[str, list[UserEntry]]] = {}
    for entry in entries:
        last = before.get(entry.parent_id, "")
        if _is_said(entry):
            own = said_id(entry)
            places.setdefault(last, {}).setdefault(own, []).append(entry)
            last = own
        before[entry.id] = last
    if all(len(there) == 1 for there in places.values()):
        return ()
    newest = _newest_below(entries)
    return tuple(
        _fork(said_id(entry), there, newest)
        for entry in standing(entries)
        if _is_said(entry) and len(there := places[before.get(entry.parent_id, "")]) > 1
    )


def tip_over(entries: Sequence[TranscriptEntry], said: str) -> str:
    """The entry on which the conversation stood last after that message; "" where there is none."""
    newest = _newest_below(entries)
    tips = [newest[one.id] for one in entries if _is_said(one) and said_id(one) == said]
    return entries[max(tips)].id if tips else ""


def _is_said(entry: TranscriptEntry) -> TypeGuard[UserEntry]:
    """A person's words; a turn that nobody asked for has none."""
    return isinstance(entry, UserEntry) and bool(entry.text)


def _newest_below(entries: Sequence[TranscriptEntry]) -> Mapping[str, int]:
    """The place of the newest entry that comes after each, or of itself."""
    newest: dict[str, int] = {}
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        own = newest.setdefault(entry.id, place)
        newest[entry.parent_id] = max(own, newest.get(entry.parent_id, own))
    return newest


def _fork(said: str, there: _Said, newest: Mapping[str, int]) -> Fork:
    ways: dict[str, list[str]] = {}
    for one, copies in there.items():
        ways.setdefault(copies[0].text, []).append(one)

    def stood(one: str) -> int:
        return max(newest[copy.id] for copy in there[one])

    latest = [said if said in way else max(way, key=stood) for way in ways.values()]
    return Fork(said, tuple(map(tuple, ways.values())), tuple(latest))
