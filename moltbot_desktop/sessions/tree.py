"""A transcript as a tree: each entry names the one before it, and a branch is a second one that
names the same.

    entries = linked(records)                     # every line; parents that are missing are mended
    path = path_to(entries, entries[-1].id)       # the conversation as it stands
    cut = cut_after(path, chosen_id)              # to go on from an earlier place
    branches_of(entries)                          # all ways the conversation went

The last entry of the file is where the conversation stands. Nothing is ever taken out: going on
from an earlier entry writes a `BranchEntry` below it, and what followed before stays beside.

A message that waited stands before the answer it waited for, so a cut through the file is not
always a cut between runs. What belongs to an earlier run but stands behind the cut is therefore
copied onto the new branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    MemoriesEntry,
    OutcomeEntry,
    RunEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
    decode_entry,
)
from moltbot_desktop.sessions.runs import RunRecord, runs_of

Path = tuple[TranscriptEntry, ...]
"""Entries from the first one on, each the parent of the next."""

_Of = UserEntry | AssistantEntry | ToolResultEntry | OutcomeEntry | MemoriesEntry | RunEntry


@dataclass(frozen=True)
class Cut:
    """How to go on from the middle of a path.

    Attributes:
        point: the entry the new branch grows from, "" for the very beginning.
        copies: entries that stand behind it and belong to the new branch too.
    """

    point: str
    copies: Path


@dataclass(frozen=True)
class Branch:
    """One way a conversation went.

    Attributes:
        tip: id of its last entry, for `Transcript.branch`.
        asked: how many messages of a person it has.
        first: the message in which it differs from the branch listed first; "" when it is that.
        last: the latest message of a person.
        time: of its last entry, ISO 8601.
        current: the conversation goes on here.
    """

    tip: str
    asked: int
    first: str
    last: str
    time: str
    current: bool


def linked(records: Iterable[JsonObject]) -> list[TranscriptEntry]:
    """The entries of all lines but the first, each with an id of its own and a parent before it.

    The parent of one that names none (old files and some tools do not), or one that is not there
    (its line was damaged), is the line before, and what names that line comes behind both. An
    explicit null is a beginning of its own.
    """
    entries: list[TranscriptEntry] = []
    known: dict[str, str] = {}
    behind: dict[str, str] = {}
    taken: set[str] = set()
    before = ""
    for number, record in enumerate(records):
        entry = decode_entry(record)
        own = entry.id or f"~{number}"
        while own in taken:  # one that is there twice would be its own ancestor
            own = f"{own}~{number}"
        taken.add(own)
        if entry.parent_id in known:
            parent = _last(behind, known[entry.parent_id])
        elif entry.id and record.get("parentId", "") is None:
            parent = ""
        else:
            parent = before
            behind[before] = own
        if entry.id:
            known[entry.id] = own
        before = own
        entries.append(replace(entry, id=own, parent_id=parent))
    return entries


def _last(behind: dict[str, str], entry_id: str) -> str:
    """The end of the row that begins at `entry_id`; the next look there is a short one."""
    last = entry_id
    while last in behind:
        last = behind[last]
    if last != entry_id:
        behind[entry_id] = last
    return last


def path_to(entries: Sequence[TranscriptEntry], tip: str) -> Path:
    """The entries from the beginning to `tip`; () when there is none of that id."""
    by_id = {entry.id: entry for entry in entries}
    path: list[TranscriptEntry] = []
    entry = by_id.get(tip)
    while entry is not None:
        path.append(entry)
        entry = by_id.get(entry.parent_id)
    return tuple(reversed(path))


def standing(entries: Sequence[TranscriptEntry]) -> Path:
    """The branch on which the conversation stands."""
    return path_to(entries, entries[-1].id) if entries else ()


def path_through(entries: Sequence[TranscriptEntry], entry_id: str) -> Path:
    """The path over `entry_id` to the newest entry below it; () when it is not there."""
    below = {entry_id} if any(entry.id == entry_id for entry in entries) else set[str]()
    tip = entry_id
    for entry in entries:
        if entry.parent_id in below:
            below.add(entry.id)
            tip = entry.id
    return path_to(entries, tip)


# ----------------------------------------------------------------------------- going on elsewhere


def cut_before(path: Path, entry: UserEntry) -> Cut:
    """To say something else, or the same again, in the place of `entry`."""
    return _cut(path, [one.id for one in path].index(entry.id), entry)


def cut_after(path: Path, entry: TranscriptEntry) -> Cut:
    """To go on after `entry`, and after the end of its run when it is the run's last word."""
    return _cut(path, [one.id for one in path].index(entry.id) + 1, entry)


def _cut(path: Path, at: int, entry: TranscriptEntry) -> Cut:
    runs = runs_of(path)
    own = _run_of(entry)
    order = [run.run_id for run in runs]
    earlier = frozenset(order[: order.index(own)] if own in order else order)
    done = own if own in order and _is_over(runs[order.index(own)], path[:at]) else None

    def wanted(place: int, one: TranscriptEntry) -> bool:
        run = _run_of(one)
        if run is None or run not in order:
            return place < at
        return run in earlier or run == done or (run == own and place < at)

    kept = [one for place, one in enumerate(path) if wanted(place, one)]
    same = 0
    while same < len(kept) and kept[same] is path[same]:
        same += 1
    return Cut(path[same - 1].id if same else "", tuple(kept[same:]))


def _is_over(run: RunRecord, kept: Path) -> bool:
    """Whether nothing was said in the run that is not in `kept`."""
    return bool(run.messages) and run.messages[-1] in kept


def _run_of(entry: TranscriptEntry) -> RunId | None:
    return entry.run_id or None if isinstance(entry, _Of) else None


# ----------------------------------------------------------------------------- looking


def branches_of(entries: Sequence[TranscriptEntry]) -> tuple[Branch, ...]:
    """All branches in the order in which they were begun; the current one is always among them."""
    current = entries[-1].id if entries else ""
    parents = {entry.parent_id for entry in entries}
    tips = [entry.id for entry in entries if entry.id not in parents]
    paths = sorted((path_to(entries, tip) for tip in tips), key=_begun(entries))
    shown: list[Branch] = []
    seen: set[str] = set()
    for path in paths:
        asked = [one for one in path if isinstance(one, UserEntry)]
        new = [one for one in asked if _said_once(one) not in seen]
        if not new and path[-1].id != current:
            continue  # turned to and left again without a word
        seen.update(map(_said_once, asked))
        shown.append(_branch(path, new if shown else [], current=path[-1].id == current))
    return tuple(shown)


def _begun(entries: Sequence[TranscriptEntry]) -> Callable[[Path], list[int]]:
    """Sorts paths as a book of trees would: by their entries' places in the file."""
    places = {entry.id: place for place, entry in enumerate(entries)}
    return lambda path: [places[entry.id] for entry in path]


def _said_once(entry: UserEntry) -> str:
    """The same for a message and its copies."""
    return entry.run_id or entry.id


def _branch(path: Path, new: Sequence[UserEntry], *, current: bool) -> Branch:
    asked = [entry for entry in path if isinstance(entry, UserEntry)]
    return Branch(
        path[-1].id,
        len(asked),
        new[0].words if new else "",
        asked[-1].words if asked else "",
        path[-1].time,
        current,
    )
