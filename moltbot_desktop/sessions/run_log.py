"""The runs of the branch a conversation stands on, kept up to date entry by entry.

    log = RunLog()
    log.add(entry)                 # as it is written
    log.history()                  # what `sessions.runs.prompt_history` says of all entries so far
    log.has_outcome(run_id)

A conversation of thousands of messages is asked for its history in every turn. What a finished
run looks like in a prompt changes no more, so it is made once. What does not come in the order in
which this program writes (files of the reference, damaged ones) is worked out anew each time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    BranchSummaryEntry,
    CompactionEntry,
    OutcomeEntry,
    ToolResultEntry,
    TranscriptEntry,
    UserEntry,
)
from moltbot_desktop.sessions.runs import (
    Exchange,
    MessageEntry,
    PromptHistory,
    RunRecord,
    belongs_in_history,
    exchange_of,
    prompt_history,
)


@dataclass
class _Run:
    """One run; its messages with their places, by which those of two runs are put in order.

    Attributes:
        made: `exchange` is of the run as it is now.
        settled: it is among those that `RunLog._shown` stands for.
    """

    run_id: RunId
    messages: list[tuple[int, MessageEntry]] = field(default_factory=list)
    outcome: OutcomeEntry | None = None
    exchange: Exchange | None = None
    made: bool = False
    settled: bool = False

    @property
    def only_asked(self) -> bool:
        return all(isinstance(entry, UserEntry) for _, entry in self.messages)

    def as_shown(self) -> Exchange | None:
        """In prompts, once it is over."""
        if not self.made:
            self.made = True
            entries = tuple(entry for _, entry in self.messages)
            record = RunRecord(self.run_id, entries, self.outcome)
            self.exchange = exchange_of(record) if belongs_in_history(record) else None
        return self.exchange


class RunLog:
    """Of one transcript; used by its one writer.

    Attributes:
        _joined: runs that another one answered, with that one.
        _summarised: runs that a compaction stands for.
        _known: what is kept here is what `prompt_history` would find.
        _shown: exchanges of the first `_settled` runs, all of which are over.
    """

    def __init__(self) -> None:
        self._entries: list[TranscriptEntry] = []
        self._history: PromptHistory | None = None
        self._begin()

    def replace(self, entries: Iterable[TranscriptEntry]) -> None:
        """The conversation stands elsewhere now."""
        self._entries = []
        self._begin()
        for entry in entries:
            self.add(entry)

    def add(self, entry: TranscriptEntry) -> None:
        self._entries.append(entry)
        match entry:
            case UserEntry() | AssistantEntry() | ToolResultEntry():
                self._message(entry)
            case OutcomeEntry():
                self._outcome(entry)
            case CompactionEntry():
                self._compacted(entry)
            case BranchSummaryEntry():
                self._known = False
            case _:
                return
        self._history = None

    def has_outcome(self, run_id: RunId) -> bool:
        return run_id in self._outcomes

    def history(self) -> PromptHistory:
        """See `sessions.runs.prompt_history`."""
        if self._history is None:
            self._history = self._made() if self._known else prompt_history(self._entries)
        return self._history

    def _begin(self) -> None:
        self._runs: dict[RunId, _Run] = {}
        self._outcomes: set[RunId] = set()
        self._joined: dict[RunId, RunId] = {}
        self._summarised: set[RunId] = set()
        self._compaction: CompactionEntry | None = None
        self._history = None
        self._known = True
        self._unsettle()

    def _unsettle(self) -> None:
        """What is shown of the runs is gathered anew."""
        self._shown: list[Exchange] = []
        self._settled = 0
        for run in self._runs.values():
            run.settled = False

    def _changed(self, run: _Run) -> None:
        run.made = False
        if run.settled:
            self._unsettle()

    def _message(self, entry: MessageEntry) -> None:
        if not entry.run_id:
            self._known = False
        run_id = entry.run_id
        if isinstance(entry, UserEntry):
            run_id = self._joined.get(run_id, run_id)
        if run_id not in self._summarised:
            run = self._runs.setdefault(run_id, _Run(run_id))
            run.messages.append((len(self._entries), entry))
            self._changed(run)

    def _outcome(self, entry: OutcomeEntry) -> None:
        self._outcomes.add(entry.run_id)
        if not entry.run_id:
            self._known = False
        if entry.outcome.kind is OutcomeKind.JOINED:
            self._join(entry.run_id, RunId(entry.outcome.reason))
        elif entry.run_id not in self._summarised and entry.run_id not in self._joined:
            run = self._runs.setdefault(entry.run_id, _Run(entry.run_id))
            run.outcome = run.outcome or entry
            self._changed(run)

    def _join(self, run_id: RunId, to: RunId) -> None:
        """What was asked in a run belongs to another one, from the first of both on."""
        one = self._runs.get(run_id)
        usual = (
            one is not None
            and one.only_asked
            and one.outcome is None
            and run_id != to
            and not {run_id, to} & {*self._joined, *self._summarised}
            and run_id not in self._joined.values()
        )
        self._joined[run_id] = to
        if one is None or not usual:
            self._known = False
            return
        found = {run_id} | ({to} & self._runs.keys())
        later: list[_Run] = []
        both: list[_Run] = []
        while found:
            last_id, last = self._runs.popitem()
            (both if last_id in found else later).append(last)
            found.discard(last_id)
        merged = next((run for run in both if run.run_id == to), None) or _Run(to)
        merged.messages = sorted(
            (message for run in both for message in run.messages), key=lambda message: message[0]
        )
        merged.made = False
        for run in (merged, *reversed(later)):
            self._runs[run.run_id] = run
        self._unsettle()

    def _compacted(self, entry: CompactionEntry) -> None:
        first = entry.first_kept_entry_id
        kept = False
        for run_id, run in tuple(self._runs.items()):
            kept = kept or any(message.id == first for _, message in run.messages)
            if not kept:
                self._summarised.add(run_id)
                del self._runs[run_id]
        self._known = self._known and kept
        self._compaction = entry
        self._unsettle()

    def _made(self) -> PromptHistory:
        later: list[Exchange] = []
        goes_on_with = ""
        for run in islice(self._runs.values(), self._settled, None):
            if run.outcome is None:
                goes_on_with = goes_on_with or run.messages[0][1].id
                continue
            if not goes_on_with:
                run.settled = True
                self._settled += 1
            if (shown := run.as_shown()) is not None:
                (later if goes_on_with else self._shown).append(shown)
        exchanges = (*self._shown, *later)
        return PromptHistory(self._compaction, exchanges, goes_on_with, len(self._shown))
