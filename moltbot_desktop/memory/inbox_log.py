"""What happened in the memory inbox, as a log of events, and what follows from it.

    {"event":"proposed","id":"3","time":…,"text":…,"category":…,"quote":…,"session":…}
    {"event":"kept","id":"3","time":…,"text":…,"path":…,"kept":{…}}
    {"event":"stored",…}   like kept, for what was asked to be remembered
    {"event":"rejected"|"undone","id":"3","time":…}
    {"event":"numbered","id":"41"}   ids up to here were used; for a log that was shortened

The state is always what a replay gives, so a line that a crash tore off is as if it had not
happened, and a second process only has to read again. An event nobody understands is passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.memory.long_term import Kept, Struck
from moltbot_desktop.memory.notes import read_fact, same_fact, unstrike
from moltbot_desktop.sdk.inbox import ChangeKind, MemoryChange, Proposal

MOST_OPEN = 100
"""So many proposals wait; older ones that nobody looked at fall out."""
MOST_RECORDS = 2_000
"""From here on the log is shortened."""
_REMEMBERED_DECISIONS = 300


class State(StrEnum):
    """Where a fact stands."""

    OPEN = "open"
    KEPT = "kept"
    REJECTED = "rejected"
    STORED = "stored"
    GONE = "gone"
    """Stored and taken back: the owner asked for it and then did not want it."""


_KINDS = {
    State.KEPT: ChangeKind.KEPT,
    State.REJECTED: ChangeKind.REJECTED,
    State.STORED: ChangeKind.STORED,
}


@dataclass(frozen=True)
class Entry:
    """One fact in the log.

    Attributes:
        proposal: None for what was stored without one.
        time: of the last decision, ISO 8601.
        kept: where it stands; None also for one that was known already.
        at: position of its last event.
    """

    id: str
    state: State
    proposal: Proposal | None
    text: str
    time: str
    path: str = ""
    kept: Kept | None = None
    at: int = 0

    def change(self) -> MemoryChange:
        """What was decided, as the person is told it."""
        kept = self.kept
        return MemoryChange(
            self.id,
            _KINDS.get(self.state, ChangeKind.UNDONE),
            self.text,
            self.time,
            self.path,
            replaced=tuple(_fact_of(one.line) for one in kept.struck) if kept else (),
            already_known=self.state is State.KEPT and (kept is None or not kept.line),
            over_budget=kept is not None and kept.over_budget,
        )


@dataclass(frozen=True)
class Ledger:
    """The state of the inbox."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    last_number: int = 0

    @property
    def open(self) -> tuple[Proposal, ...]:
        waiting = [entry.proposal for entry in self.entries.values() if entry.state is State.OPEN]
        return tuple(one for one in waiting if one is not None)[-MOST_OPEN:]

    @property
    def decided(self) -> tuple[Entry, ...]:
        """What can be undone, newest first."""
        found = (entry for entry in self.entries.values() if entry.state in _KINDS)
        return tuple(sorted(found, key=lambda entry: -entry.at))

    def knows(self, text: str) -> bool:
        """Whether that fact waits, or was decided on."""
        wanted = same_fact(text)
        return any(wanted in _wordings(entry) for entry in self.entries.values())


def _wordings(entry: Entry) -> tuple[str, ...]:
    proposed = entry.proposal.text if entry.proposal else ""
    return same_fact(entry.text), same_fact(proposed)


def replay(records: Iterable[JsonObject]) -> Ledger:
    """The state after `records`."""
    entries: dict[str, Entry] = {}
    last = 0
    for at, record in enumerate(records):
        number = _text(record, "id")
        if not number.isdecimal():
            continue
        last = max(last, int(number[:18]))
        entry = _after(entries.get(number), record, number)
        if entry is not None:
            entries[number] = replace(entry, at=at)
    return Ledger(entries, last)


def _after(entry: Entry | None, record: JsonObject, number: str) -> Entry | None:
    """`entry` after an event; None for one that does not fit."""
    event, time = record.get("event"), _text(record, "time")
    text = _text(record, "text")
    if event == "proposed" and entry is None:
        proposal = Proposal(
            number,
            text,
            _text(record, "category"),
            _text(record, "quote"),
            time,
            SessionKey(_text(record, "session")),
            _text(record, "replaces"),
        )
        return Entry(number, State.OPEN, proposal, text, time)
    if event == "stored" and entry is None:
        kept = _kept(record)
        return Entry(number, State.STORED, None, text, time, _text(record, "path"), kept)
    if entry is None:
        return None
    if event == "kept" and entry.state is State.OPEN:
        path, kept = _text(record, "path"), _kept(record)
        return replace(entry, state=State.KEPT, text=text, time=time, path=path, kept=kept)
    if event == "rejected" and entry.state is State.OPEN:
        return replace(entry, state=State.REJECTED, time=time)
    if event == "undone" and entry.state in _KINDS:
        if entry.proposal is None:
            return replace(entry, state=State.GONE, time=time, path="", kept=None)
        return Entry(number, State.OPEN, entry.proposal, entry.proposal.text, time)
    return None


# --- events as JSON


def proposed(proposal: Proposal) -> JsonObject:
    return {
        "event": "proposed",
        "id": proposal.id,
        "time": proposal.time,
        "text": proposal.text,
        "category": proposal.category,
        "quote": proposal.quote,
        "session": proposal.session,
        **({"replaces": proposal.replaces} if proposal.replaces else {}),
    }


def placed(
    event: State, number: str, time: str, text: str, path: str, kept: Kept | None
) -> JsonObject:
    """The event of a fact that stands in `path` now; `kept` is None when it did before."""
    record: dict[str, JsonValue] = {
        "event": event.value,
        "id": number,
        "time": time,
        "text": text,
        "path": path,
    }
    if kept is not None:
        record["kept"] = {
            "line": kept.line,
            "lead": kept.lead,
            "at": kept.at,
            "digest": kept.digest,
            "made": kept.made,
            "struck": [{"path": one.path, "line": one.line} for one in kept.struck],
            "overBudget": kept.over_budget,
        }
    return record


def decided(event: str, number: str, time: str) -> JsonObject:
    return {"event": event, "id": number, "time": time}


def _kept(record: JsonObject) -> Kept | None:
    held = record.get("kept")
    if not isinstance(held, Mapping):
        return None
    struck, at = held.get("struck"), held.get("at")
    places = struck if isinstance(struck, Sequence) and not isinstance(struck, str) else ()
    return Kept(
        _text(record, "path"),
        _text(held, "line"),
        _text(held, "lead"),
        at if isinstance(at, int) else 0,
        _text(held, "digest"),
        held.get("made") is True,
        tuple(Struck(_text(o, "path"), _text(o, "line")) for o in places if isinstance(o, Mapping)),
        held.get("overBudget") is True,
    )


def _text(record: JsonObject, name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _fact_of(line: str) -> str:
    return read_fact(unstrike(line))[0]


# --- a shorter log


def shortened(records: Sequence[JsonObject]) -> tuple[JsonObject, ...]:
    """`records` without those of facts that are long settled; what was rejected stays rejected."""
    ledger = replay(records)
    waiting = {proposal.id for proposal in ledger.open}
    settled = {entry.id for entry in ledger.decided[:_REMEMBERED_DECISIONS]}
    return _of(records, waiting | settled, ledger.last_number)


def without(records: Sequence[JsonObject], words: str) -> tuple[tuple[JsonObject, ...], int]:
    """`records` without any trace of facts that say `words`, and how many facts those were."""
    wanted = same_fact(unstrike(words))
    ledger = replay(records)
    found = {entry.id for entry in ledger.entries.values() if _says(entry, wanted)}
    rest = _of(records, ledger.entries.keys() - found, ledger.last_number)
    return tuple(_untraced(record, wanted) for record in rest), len(found)


def _of(records: Sequence[JsonObject], ids: Set[str], last: int) -> tuple[JsonObject, ...]:
    numbered: JsonObject = {"event": "numbered", "id": str(last)}
    return (numbered, *(record for record in records if _text(record, "id") in ids))


def _says(entry: Entry, wanted: str) -> bool:
    told = [entry.text, entry.kept.line if entry.kept else ""]
    if entry.proposal is not None:
        told += [entry.proposal.text, entry.proposal.quote]
    return any(_has(text, wanted) for text in told)


def _has(text: str, wanted: str) -> bool:
    said = same_fact(text)
    return said == wanted or (len(wanted) >= _TELLING and wanted in said)


_TELLING = 6
"""Characters; fewer stand in many facts by chance."""


def _untraced(record: JsonObject, wanted: str) -> JsonObject:
    """Without `wanted` as what the record's own fact took the place of."""
    kept = record.get("kept")
    changed = dict(record)
    if _has(_text(record, "replaces"), wanted):
        del changed["replaces"]
    if isinstance(kept, Mapping) and isinstance(struck := kept.get("struck"), Sequence):
        left = [o for o in struck if isinstance(o, Mapping) and not _has(_text(o, "line"), wanted)]
        changed["kept"] = {**kept, "struck": left}
    return changed
