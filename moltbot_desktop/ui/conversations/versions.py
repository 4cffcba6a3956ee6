"""Which entries of a conversation have other versions, and what leads to them. Pure.

    for entry_id, entry in versions_marked(entries, forks, running):  ...   # those that change

A message said in other words has its versions beside it, an answer that was asked for again beside
itself. A message whose answers nobody can see, because the last one failed, has all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from moltbot_desktop.sdk.sessions import Fork
from moltbot_desktop.ui.entries import AnswerEntry, Entry, EntryId, UserEntry, Versions

Forks = Mapping[str, Fork]
"""By the message that stands there."""


def versions_marked(
    entries: Mapping[EntryId, Entry], forks: Forks, running: Collection[str]
) -> Iterator[tuple[EntryId, Entry]]:
    """Entries whose versions are others than they show, with those that they have now.

    Args:
        running: messages whose answers are not whole yet.
    """
    last = {
        one.said: entry_id
        for entry_id, one in entries.items()
        if isinstance(one, AnswerEntry) and one.said
    }
    for entry_id, entry in entries.items():
        match entry:
            case UserEntry():
                answered = entry.said in last or entry.said in running
                versions = of_message(forks.get(entry.said), answered=answered)
            case AnswerEntry():
                shown = last.get(entry.said) == entry_id and entry.said not in running
                versions = of_answer(forks.get(entry.said)) if shown else None
            case _:
                continue
        if versions != entry.versions:
            yield entry_id, replace(entry, versions=versions)


def of_message(fork: Fork | None, *, answered: bool) -> Versions | None:
    """The versions of a person's message, whose answers stand elsewhere if it is `answered`."""
    if fork is None:
        return None
    if not answered:
        return _among(fork.said, tuple(chain(*fork.ways)))
    return _among(fork.said, fork.latest)


def of_answer(fork: Fork | None) -> Versions | None:
    """The versions of the answer to a message."""
    if fork is None:
        return None
    return _among(fork.said, next(way for way in fork.ways if fork.said in way))


def _among(said: str, all_of_them: Sequence[str]) -> Versions | None:
    if len(all_of_them) < 2:
        return None
    at, count = all_of_them.index(said), len(all_of_them)
    back = all_of_them[at - 1] if at else ""
    return Versions(at + 1, count, back, all_of_them[at + 1] if at + 1 < count else "")
