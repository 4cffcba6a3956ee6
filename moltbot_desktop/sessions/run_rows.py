"""What a list shows of runs, gathered entry by entry from the lines of a transcript. Pure.

    rows = RunRows(known)          # known: finds the row of a run that was read before
    for entry in entries: rows.add(entry)
    rows.changed

The entries may come in several goes, so that of a transcript that has grown only what is new is
read. A row that is over stays as it is when its entries are copied onto another branch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.activity import Origin
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    BranchEntry,
    OutcomeEntry,
    RunEntry,
    TranscriptEntry,
    UserEntry,
)
from moltbot_desktop.sessions.gist import shortened
from moltbot_desktop.sessions.keys import KeyKind, parse_session_key
from moltbot_desktop.sessions.spoken import CLI

WORDS = 160
"""Characters of a request in a list."""
_MOST_TEXT = 20_000
"""Characters of a run that can be searched for."""
_MOST_TOOLS = 40
_BY_KIND = {
    KeyKind.MAIN: Origin.OWNER,
    KeyKind.DM: Origin.CHANNEL,
    KeyKind.GROUP: Origin.CHANNEL,
    KeyKind.CHANNEL: Origin.CHANNEL,
    KeyKind.SLASH: Origin.CHANNEL,
    KeyKind.CRON: Origin.SCHEDULE,
    KeyKind.HOOK: Origin.HOOK,
    KeyKind.SUBAGENT: Origin.HELPER,
    KeyKind.ACP: Origin.EDITOR,
}
DESKTOP = "desktop"


@dataclass
class RunRow:
    """One run as a list has it; see `sdk.activity.RunSummary`.

    Attributes:
        run: its id, or for a run of the reference the id of the entry it began with.
        started: milliseconds since 1970, 0 when not known; `at` the same as it was written.
        last: of the latest entry that is no outcome, as `started`.
        outcome: "" while there is none.
        text: what can be searched for.
        over: nothing is added any more.
        real: something was asked, said or ended in it, and no other run answered it.
    """

    run: str
    started: int = 0
    at: str = ""
    last: int = 0
    seconds: float = 0.0
    outcome: str = ""
    reason: str = ""
    model: str = ""
    channel: str = ""
    sent: int = 0
    cached: int = 0
    written: int = 0
    tools: list[str] = field(default_factory=list)
    calls: int = 0
    words: str = ""
    text: str = ""
    over: bool = False
    real: bool = False


class RunRows:
    """See the module; for one transcript."""

    def __init__(
        self, known: Callable[[str], RunRow | None], all_known: Callable[[], list[RunRow]]
    ) -> None:
        self._known = known
        self._all_known = all_known
        self._foreign = ""
        self.changed: dict[str, RunRow] = {}

    def add(self, entry: TranscriptEntry) -> None:
        match entry:
            case UserEntry():
                self._asked(entry)
            case AssistantEntry():
                self._said(entry)
            case RunEntry():
                if (row := self._row(entry.run_id)) is not None:
                    row.model, row.channel = entry.facts.model, entry.facts.channel
            case OutcomeEntry():
                self._ended(entry)
            case BranchEntry():
                # No run goes on when a conversation goes another way: what comes again is a copy.
                for row in self._all_known():
                    self.changed.setdefault(row.run, row)
                for row in self.changed.values():
                    row.over = True

    def _row(self, run_id: str) -> RunRow | None:
        """The row that an entry of that run is for; None where it belongs nowhere."""
        run_id = run_id or self._foreign
        if not run_id:
            return None
        if run_id not in self.changed:
            self.changed[run_id] = self._known(run_id) or RunRow(run_id)
        row = self.changed[run_id]
        return None if row.over else row

    def _asked(self, entry: UserEntry) -> None:
        if not entry.run_id:
            self._foreign = entry.id
        row = self._row(entry.run_id)
        if row is None:
            return
        row.real = True
        if not row.at:
            row.at, row.started = entry.time, moment(entry.time)
        row.last = max(row.last, moment(entry.time))
        row.words = row.words or shortened(entry.words, WORDS)
        _add_text(row, entry.words)

    def _said(self, entry: AssistantEntry) -> None:
        row = self._row(entry.run_id)
        if row is None:
            return
        row.real = True
        if not row.at:
            row.at, row.started = entry.time, moment(entry.time)
        row.last = max(row.last, moment(entry.time))
        _add_text(row, entry.message.content)
        for call in entry.message.tool_calls:
            row.calls += 1
            if call.name not in row.tools and len(row.tools) < _MOST_TOOLS:
                row.tools.append(call.name[:100])

    def _ended(self, entry: OutcomeEntry) -> None:
        outcome = entry.outcome
        if outcome.kind is OutcomeKind.JOINED:
            self._join(entry.run_id, RunId(outcome.reason))
            return
        row = self._row(entry.run_id)
        if row is None or row.outcome:
            return
        row.real = True
        row.outcome, row.reason = outcome.kind.value, shortened(outcome.reason, WORDS)
        took = max(0, row.last - row.started) / 1000 if row.started else 0.0
        row.seconds = outcome.seconds or took
        row.sent, row.cached = outcome.usage.prompt_tokens, outcome.usage.cached_tokens
        row.written = outcome.usage.completion_tokens
        if not row.at:
            row.at, row.started = entry.time, moment(entry.time)

    def _join(self, run_id: RunId, to: RunId) -> None:
        """What was asked in a run was answered by another one, and belongs to that."""
        if run_id == to or not run_id:
            return
        one, other = self._row(run_id), self._row(to)
        if one is None:
            return
        self.changed[run_id] = RunRow(run_id, over=True)
        if other is None or not one.real:
            return
        other.real = True
        if one.started and (not other.started or one.started < other.started):
            other.at, other.started = one.at, one.started
            other.words = one.words or other.words
        other.words = other.words or one.words
        _add_text(other, one.text)


def origin_of(key: SessionKey, channel: str) -> Origin:
    """Where a run came from, by its conversation and the channel that was noted."""
    parsed = parse_session_key(key)
    if parsed is None:
        return Origin.OTHER
    if parsed.rest.split(":thread:")[0] == CLI:
        return Origin.SCRIPT
    origin = _BY_KIND.get(parsed.kind, Origin.OTHER)
    if origin is Origin.OWNER and channel not in ("", DESKTOP):
        return Origin.CHANNEL  # a message of the owner's own that came from elsewhere
    return origin


def moment(time: str) -> int:
    """Milliseconds since 1970 of an ISO 8601 time with offset; 0 for anything else."""
    try:
        when = datetime.fromisoformat(time)
        return int(when.timestamp() * 1000) if when.tzinfo is not None else 0
    except (ValueError, OverflowError, OSError):
        return 0


def _add_text(row: RunRow, text: str) -> None:
    if text.strip() and len(row.text) < _MOST_TEXT:
        row.text = f"{row.text}\n{text}"[:_MOST_TEXT].lstrip("\n")
