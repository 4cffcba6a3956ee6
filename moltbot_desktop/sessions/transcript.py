"""One conversation's transcript: an append-only file, and its entries in memory.

A person's words are on the disk before `append_user` returns, unless they lie in an inbox as well;
so is a call before its tool runs. While an answer streams nothing is written; a run that is
cancelled stores what it had as an unfinished answer. What a run says at its end is in the file for
whoever reads it and for the next start, and safe from a power cut after `flush`, which may be
called on any thread while the event loop goes on. Opening a transcript
repairs it: a torn last line is cut, bad lines are moved to ``<name>.bad``, a missing first line is
made again, an entry whose parent is gone gets the one before it, and a run without an outcome
(the program was killed) gets one.

What is read of it is the branch on which the conversation stands (`sessions.tree`); labels alone
hold for all of them.

One writer at a time: `SessionStore` holds a lock for the conversation while it is open. Reading
methods are safe on any thread.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import RunId, SessionId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.messages import ChatMessage
from moltbot_desktop.core.results import RunOutcome
from moltbot_desktop.core.run_facts import NO_FACTS, CallFacts, RunFacts
from moltbot_desktop.sdk.sessions import Fork
from moltbot_desktop.security.labels import StoredLabels, joined_stored
from moltbot_desktop.sessions.ahead import ReadAhead
from moltbot_desktop.sessions.entries import (
    AssistantEntry,
    BranchEntry,
    CompactionEntry,
    LabelsEntry,
    MemoriesEntry,
    NewsEntry,
    OutcomeEntry,
    RunEntry,
    SettingsEntry,
    ToolResultEntry,
    TranscriptEntry,
    TranscriptHeader,
    UserEntry,
    decode_entry,
    decode_header,
    encode_entry,
    encode_header,
    plain_json,
)
from moltbot_desktop.sessions.forks import forks_of, said_id, tip_over
from moltbot_desktop.sessions.run_log import RunLog
from moltbot_desktop.sessions.runs import PromptHistory, closings, open_runs, with_marks
from moltbot_desktop.sessions.said_keys import without_keys
from moltbot_desktop.sessions.tree import (
    Branch,
    Cut,
    branches_of,
    cut_after,
    cut_before,
    linked,
    path_through,
    path_to,
)
from moltbot_desktop.storage.bounded import read_plain
from moltbot_desktop.storage.files import disk_errors, write_atomic
from moltbot_desktop.storage.jsonl import LARGEST_LOG, JsonlLog, read_jsonl, repair_jsonl

_MAX_HEADER_BYTES = 65_536


@dataclass(frozen=True)
class _Place:
    """Where a new entry goes."""

    id: str
    parent_id: str
    time: str


class TranscriptLog(Protocol):
    """What takes the lines of a transcript: its file (`storage.jsonl.JsonlLog`)."""

    def append(self, *records: JsonObject, durable: bool = True) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


class Transcript:
    """A conversation's history. Made by `create_transcript` or `open_transcript`.

    Attributes:
        path: the JSON Lines file.
        repaired: short technical notes on what opening had to repair, for the log.
    """

    def __init__(
        self,
        path: Path,
        header: TranscriptHeader,
        entries: tuple[TranscriptEntry, ...],
        clock: Clock,
        repaired: tuple[str, ...] = (),
        log: TranscriptLog | None = None,
    ) -> None:
        """`log`: takes what is added, in place of the file."""
        self.path = path
        self.header = header
        self.repaired = repaired
        self._clock = clock
        self._log = log or JsonlLog(path)
        self._entries: list[TranscriptEntry] = []
        self._path: list[TranscriptEntry] = []
        self._runs = RunLog()
        self._labels: StoredLabels = {}
        self._take(entries)

    def append_user(
        self, text: str, run_id: RunId, *, before: str = "", durable: bool = True
    ) -> None:
        """Keep what a person said; on the disk when this returns, or with the next `flush`.

        Args:
            before: see `UserEntry`.

        Raises:
            StorageError: it was not kept; the transcript is as it was before.
        """
        place = self._place()
        entry = UserEntry(place.id, place.parent_id, place.time, run_id, text, before)
        self._append(entry, durable=durable)

    def append_assistant(
        self, message: ChatMessage, run_id: RunId, *, unfinished: bool = False
    ) -> None:
        """Keep a whole answer or calls of tools, or with `unfinished` what was said so far. Of a
        call's keys a mark is kept, here as on the disk, so that prompts are the same after a
        restart.

        Raises:
            StorageError: it was not kept.
        """
        place = self._place()
        message = without_keys(message)
        entry = AssistantEntry(place.id, place.parent_id, place.time, run_id, message, unfinished)
        # A call is flushed: after a power cut nobody must do again what may have been done.
        self._append(entry, durable=bool(message.tool_calls))

    def append_run(self, run_id: RunId, facts: RunFacts) -> None:
        """Keep how a run begins; on the disk with what is kept next.

        Raises:
            StorageError: it was not kept.
        """
        place = self._place()
        entry = RunEntry(place.id, place.parent_id, place.time, run_id, facts)
        self._append(entry, durable=False)

    def append_tool_result(
        self,
        message: ChatMessage,
        run_id: RunId,
        *,
        ok: bool,
        display: str,
        facts: CallFacts = NO_FACTS,
    ) -> None:
        """Keep a tool's answer; `message` is `Role.TOOL` with its call's id.

        Raises:
            StorageError: it was not kept.
        """
        place = self._place()
        at = (place.id, place.parent_id, place.time)
        entry = ToolResultEntry(*at, run_id, message, ok, display, facts)
        self._append(entry, durable=False)

    def append_end(
        self,
        run_id: RunId,
        outcome: RunOutcome,
        said: ChatMessage | None,
        memories: tuple[UsedMemory, ...] = (),
        *,
        unfinished: bool = False,
    ) -> None:
        """Keep how a run ended, what it said last and what of memory that was made with: all of
        it or nothing. A second outcome of the same run is not stored. To be flushed.

        Raises:
            StorageError: it was not kept.
        """
        entries: list[TranscriptEntry] = []
        place = self._place()
        if said is not None:
            at = (place.id, place.parent_id, place.time)
            entries.append(AssistantEntry(*at, run_id, said, unfinished))
            place = self._place(place.id)
        if memories:
            at = (place.id, place.parent_id, place.time)
            entries.append(MemoriesEntry(*at, run_id, memories))
            place = self._place(place.id)
        if not self._runs.has_outcome(run_id):
            at = (place.id, place.parent_id, place.time)
            entries.append(OutcomeEntry(*at, run_id, outcome, ""))
        # Without it a power cut leaves a run that never ended, which the next start closes.
        if entries:
            self._append(*entries, durable=False)

    def append_outcome(self, run_id: RunId, outcome: RunOutcome) -> None:
        """Keep how a run ended; a second outcome of the same run is not stored. To be flushed.

        Raises:
            StorageError: it was not kept.
        """
        if not self._runs.has_outcome(run_id):
            self._append_outcome(run_id, outcome, "")

    def flush(self) -> None:
        """Wait until all that was kept is on the disk. Blocks for milliseconds; any thread.

        Raises:
            StorageError: some of it may not be.
        """
        self._log.flush()

    def close(self) -> None:
        """Let go of the file; what a run adds later all the same opens it again."""
        self._log.close()

    def append_labels(self, labels: StoredLabels) -> None:
        """Keep security labels, durably, before anything they should guard against happens.

        Raises:
            StorageError: they were not kept.
        """
        place = self._place()
        self._append(LabelsEntry(place.id, place.parent_id, place.time, dict(labels)))

    def append_news(self, entry_id: str, about: str, text: str, *, serious: bool) -> None:
        """Keep news for the person under an id of their own; once, however often it is said.

        Raises:
            StorageError: they were not kept.
        """
        if all(entry.id != entry_id for entry in self._entries):
            place = self._place()
            self._append(NewsEntry(entry_id, place.parent_id, place.time, about, text, serious))

    def append_compaction(
        self,
        summary: str,
        first_kept_entry_id: str,
        tokens_before: int,
        *,
        read_files: tuple[str, ...] = (),
        changed_files: tuple[str, ...] = (),
    ) -> None:
        """Keep a summary that prompts show from now on in place of what came before.

        Raises:
            StorageError: it was not kept; prompts show what they did.
        """
        place = self._place()
        kept = (summary, first_kept_entry_id, tokens_before, read_files, changed_files)
        self._append(CompactionEntry(place.id, place.parent_id, place.time, *kept))

    def read_again(self) -> None:
        """Take the entries from the file, which was changed under the conversation's lock.

        Raises:
            StorageError: it cannot be read; the entries in memory are those of before.
        """
        records = read_jsonl(self.path).records[1:]
        self._take(with_marks(linked(records)))

    def append_settings(self, settings: JsonObject) -> None:
        """Keep what is set for the conversation, all of it.

        Raises:
            StorageError: it was not kept.
        """
        place = self._place()
        self._append(SettingsEntry(place.id, place.parent_id, place.time, settings))

    def settings(self) -> SettingsEntry | None:
        """What was kept last, on whichever branch."""
        kept = (entry for entry in reversed(self._entries) if isinstance(entry, SettingsEntry))
        return next(kept, None)

    def has_settings(self, entry_id: str) -> bool:
        """Whether settings were kept under that id, on whichever branch."""
        kept = (entry for entry in self._entries if isinstance(entry, SettingsEntry))
        return any(entry.id == entry_id for entry in kept)

    def entries(self) -> tuple[TranscriptEntry, ...]:
        """The conversation as it stands, oldest first, as it is shown to a person."""
        return tuple(self._path)

    def branches(self) -> tuple[Branch, ...]:
        """All ways it went; see `sessions.tree.branches_of`."""
        return branches_of(self._entries)

    def forks(self) -> tuple[Fork, ...]:
        """Where the branch on which it stands parts from others."""
        return forks_of(self._entries) if len(self._path) < len(self._entries) else ()

    def turn_to(self, said: str) -> None:
        """Go on where it stood last after that message (`Fork`); what followed here stays.

        Raises:
            as `branch`.
        """
        if not (tip := tip_over(self._entries, said)):
            raise no_such_message()
        self.branch(tip)

    def rewind_to(self, said: str) -> UserEntry:
        """`rewind` to before that message (`Fork`) of the branch on which it stands.

        Raises:
            as `rewind`.
        """
        asked = (entry for entry in self._path if isinstance(entry, UserEntry) and entry.text)
        return self.rewind(next((one.id for one in asked if said_id(one) == said), said))

    def branch(self, entry_id: str) -> None:
        """Go on after that entry, which may be the tip of another branch; what followed it stays.

        Raises:
            UserInputInvalid: there is no such entry, or a run goes on.
            StorageError: the conversation stands where it stood.
        """
        path = path_through(self._entries, entry_id)
        chosen = next((entry for entry in path if entry.id == entry_id), None)
        if chosen is None:
            raise UserInputInvalid(
                f"There is no message “{entry_id[:80]}” in this conversation.",
                hint="List its branches and choose one of them.",
            )
        self._go_on(cut_after(path, chosen))

    def rewind(self, entry_id: str = "") -> UserEntry:
        """Go back to before a person's message, the last one by default, to say it again or
        something else in its place. Returns that message.

        Raises:
            UserInputInvalid: there is no such message, or a run goes on.
            StorageError: the conversation stands where it stood.
        """
        path = path_through(self._entries, entry_id) if entry_id else tuple(self._path)
        # A turn that nobody asked for has no words.
        asked = [entry for entry in path if isinstance(entry, UserEntry) and entry.text]
        asked = [entry for entry in asked if entry.id == entry_id] if entry_id else asked
        if not asked:
            raise UserInputInvalid(
                "There is no such message of yours in this conversation.",
                hint="Say something first.",
            )
        self._go_on(cut_before(path, asked[-1]))
        return asked[-1]

    def history(self) -> PromptHistory:
        """What a new prompt may see: see `sessions.runs.prompt_history`."""
        return self._runs.history()

    def messages(self) -> tuple[ChatMessage, ...]:
        """The words of `history`, without what was summarised."""
        return self.history().messages

    def labels(self) -> StoredLabels:
        """The join of all stored labels: what was true once stays true in this session."""
        return dict(self._labels)

    def close_killed_runs(self) -> int:
        """Give every run without an outcome one; how many there were.

        Only right while no run of this transcript goes on, which is at opening.

        Raises:
            StorageError: the transcript cannot be written.
        """
        return self._close_runs("ended")

    def _close_runs(self, reason: str) -> int:
        found = closings(self._path, reason)
        for closing in found:
            self._append_outcome(closing.run_id, closing.outcome, closing.unfinished_entry)
        return len(found)

    def _go_on(self, cut: Cut) -> None:
        if open_runs(self._path):
            raise UserInputInvalid("An answer is still being written.", hint="Stop it with /stop.")
        was = self._path
        self._stand_on(path_to(self._entries, cut.point))
        try:
            place = self._place()
            self._append(BranchEntry(place.id, place.parent_id, place.time))
        except BaseException:
            self._stand_on(was)
            raise
        self._copy(cut.copies)
        self._close_runs("left")

    def _copy(self, entries: Sequence[TranscriptEntry]) -> None:
        """Write `entries` once more, below the last one, under ids of their own."""
        ids: dict[str, str] = {}
        for entry in entries:
            place = self._place()
            ids[entry.id] = place.id
            copied = replace(entry, id=place.id, parent_id=place.parent_id)
            if isinstance(copied, OutcomeEntry):
                named = copied.unfinished_entry
                copied = replace(copied, unfinished_entry=ids.get(named, named))
            elif isinstance(copied, CompactionEntry):
                named = copied.first_kept_entry_id
                copied = replace(copied, first_kept_entry_id=ids.get(named, named))
            self._append(copied, durable=False)
        if ids:
            self._take(with_marks(self._entries))

    def _take(self, entries: Sequence[TranscriptEntry]) -> None:
        self._entries = list(entries)
        self._labels = {}
        for entry in entries:
            self._join_labels(entry)
        self._stand_on(path_to(entries, entries[-1].id) if entries else ())

    def _stand_on(self, path: Sequence[TranscriptEntry]) -> None:
        self._path = list(path)
        self._runs.replace(path)

    def _join_labels(self, entry: TranscriptEntry) -> None:
        if isinstance(entry, LabelsEntry):
            self._labels = joined_stored(self._labels, entry.labels)

    def _append_outcome(self, run_id: RunId, outcome: RunOutcome, unfinished: str) -> None:
        place = self._place()
        entry = OutcomeEntry(place.id, place.parent_id, place.time, run_id, outcome, unfinished)
        # Without it a power cut leaves a run that never ended, which the next start closes.
        self._append(entry, durable=False)
        if unfinished:
            self._take(with_marks(self._entries))

    def _append(self, *entries: TranscriptEntry, durable: bool = True) -> None:
        records = [encode_entry(entry) for entry in entries]
        self._log.append(*records, durable=durable)
        for record in records:
            # What is kept in memory is what a reader of the file gets: cut texts, frozen arguments.
            kept = decode_entry(record)
            self._entries.append(kept)
            self._path.append(kept)
            self._runs.add(kept)
            self._join_labels(kept)

    def _place(self, after: str = "") -> _Place:
        """Behind the last entry, or behind the one with that id."""
        parent = after or (self._path[-1].id if self._path else "")
        return _Place(f"{random.getrandbits(48):012x}", parent, _timestamp(self._clock))


def no_such_message() -> UserInputInvalid:
    """What a person pressed on was there when it was shown to them."""
    return UserInputInvalid(
        "This message is not in the conversation any more.",
        hint="It was forgotten, or the conversation went on another way.",
    )


def _timestamp(clock: Clock) -> str:
    return clock.now().isoformat(timespec="milliseconds")


def create_transcript(
    path: Path, session_id: SessionId, key: SessionKey, cwd: str, clock: Clock
) -> Transcript:
    """Start the transcript of a new conversation.

    Raises:
        StorageError: the file cannot be written.
    """
    header = TranscriptHeader(session_id, key, _timestamp(clock), cwd)
    JsonlLog(path).append(encode_header(header))
    return Transcript(path, header, (), clock)


def open_transcript(
    path: Path,
    session_id: SessionId,
    key: SessionKey,
    cwd: str,
    clock: Clock,
    ahead: ReadAhead | None = None,
) -> Transcript:
    """Read a transcript and repair it; a missing file becomes an empty conversation.

    `session_id`, `key` and `cwd` are used when the first line has to be made again, and `ahead` is
    taken for what the file holds if it is as it was then.

    Raises:
        StorageError: it cannot be read, or what it needs cannot be written.
    """
    if ahead is not None and ahead.is_of(path):
        return _opened(Transcript(path, ahead.header, ahead.entries, clock), [])
    content = repair_jsonl(path)
    notes = [f"{len(content.bad_lines)} bad lines moved aside"] if content.bad_lines else []
    notes += ["a torn last line was cut"] if content.torn_tail else []
    records = content.records
    header = decode_header(records[0]) if records else None
    if header is None:
        header = TranscriptHeader(session_id, key, _timestamp(clock), cwd)
        _put_header(path, header)
        notes.append("the first line was made again")
    else:
        records = records[1:]
    return _opened(Transcript(path, header, with_marks(linked(records)), clock), notes)


def _opened(transcript: Transcript, notes: list[str]) -> Transcript:
    killed = transcript.close_killed_runs()
    notes += [f"{killed} interrupted runs closed"] if killed else []
    transcript.repaired = tuple(notes)
    return transcript


def write_transcript(path: Path, header: TranscriptHeader, records: Sequence[JsonObject]) -> None:
    """Make a transcript of lines that came from elsewhere.

    Raises:
        StorageError: it cannot be written.
    """
    lines = [encode_header(header), *records]
    text = "".join(json.dumps(plain_json(line), ensure_ascii=False) + "\n" for line in lines)
    write_atomic(path, text.encode())


def _put_header(path: Path, header: TranscriptHeader) -> None:
    """Write the first line before what is there: the one time a transcript is rewritten."""
    line = json.dumps(encode_header(header), ensure_ascii=False).encode() + b"\n"
    with disk_errors(path):
        kept = read_plain(path, LARGEST_LOG) if path.exists() else b""
    write_atomic(path, line + kept)


def read_header(path: Path) -> TranscriptHeader | None:
    """The first line of a transcript without reading the rest; None when it is not usable."""
    try:
        with path.open("rb") as file:
            record = json.loads(file.readline(_MAX_HEADER_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return decode_header(record) if isinstance(record, dict) else None
