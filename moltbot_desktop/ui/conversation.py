"""What the conversation shows, as a pure state: events in, changes to draw out.

No Qt, no time, no disk. The window keeps one `Conversation`, gives it every event and carries out
the changes it returns, in order. Everything about which text is whose, what replaces what and
what is marked unfinished is decided here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from moltbot_desktop.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    AssistantDelta,
    AssistantRetracted,
    MemoriesUsed,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
)
from moltbot_desktop.core.ids import ApprovalId, RunId
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import (
    ConversationItem,
    FilesKept,
    ForksShown,
    GivenFile,
    HistoryLoaded,
)
from moltbot_desktop.sdk.attachments import parted
from moltbot_desktop.sdk.sessions import Fork
from moltbot_desktop.ui.conversations.versions import of_message, versions_marked
from moltbot_desktop.ui.entries import (
    AnswerEntry,
    AnswerState,
    Append,
    Busy,
    Change,
    Entry,
    EntryId,
    Extend,
    GiveBack,
    NoticeEntry,
    Prepend,
    Remove,
    Replace,
    Reset,
    Tail,
    ToolEntry,
    ToolState,
    UserEntry,
)
from moltbot_desktop.ui.stored_entries import entry_of, items_from, tool_state


@dataclass
class _Run:
    user: EntryId | None = None
    user_text: str = ""
    given: tuple[GivenFile, ...] = ()
    """What came with the message, until its run starts: it may have to be given back."""
    answer: EntryId | None = None
    """The answer being written, None before its first piece and after a tool."""
    started: bool = False
    command: bool = False
    """No model answers, and what is said is plain text."""
    memories: tuple[UsedMemory, ...] = ()
    instead_of: str = ""
    """The message in whose place it was said."""


class Conversation:
    """The state of one window's conversation."""

    def __init__(self) -> None:
        self._next = 0
        self._entries: dict[EntryId, Entry] = {}
        self._tools: dict[tuple[RunId, str], EntryId] = {}
        self._runs: dict[RunId, _Run] = {}
        self._oldest: ConversationItem | None = None
        """First item that history gave us, to find our place in a longer history."""
        self._loading_earlier = False
        self._has_history = False
        self._forks: dict[str, Fork] = {}
        self._cards: dict[ApprovalId, EntryId] = {}
        """Tools that wait for the owner's yes."""

    @property
    def entries(self) -> Mapping[EntryId, Entry]:
        """All that is shown, oldest first."""
        return self._entries

    @property
    def busy(self) -> bool:
        return bool(self._runs)

    def said(self, run_id: RunId, text: str, files: tuple[GivenFile, ...] = ()) -> list[Change]:
        """The person said `text`; shown at once, waiting until its run starts."""
        if run_id in self._runs:
            return []  # its `RunStarted` was faster than we
        names = tuple(one.name for one in files)
        append = self._append(UserEntry(text, waiting=True, bringing=names))
        self._runs[run_id] = _Run(user=append.id, user_text=text, given=files)
        return [append, Busy(True)]

    def said_instead(
        self, run_id: RunId, instead_of: str, text: str, files: tuple[GivenFile, ...] = ()
    ) -> list[Change]:
        """The person said `text`, or the same again (""), in the place of an earlier message; it is
        shown when that place is free."""
        if run_id in self._runs:
            return []
        self._runs[run_id] = _Run(user_text=text, given=files, instead_of=instead_of)
        return [Busy(True)]

    def parted(self, event: ForksShown) -> list[Change]:
        """Where it parts from ways it went before."""
        self._forks = {fork.said: fork for fork in event.forks}
        return self._mark_versions()

    def kept(self, event: FilesKept) -> list[Change]:
        """The files of a message lie where they can be shown."""
        run = self._runs.get(event.run_id)
        if run is None or run.user is None:
            return []
        entry = replace(self._user(run.user), files=event.files, bringing=())
        return [self._replace(run.user, entry)]

    def expect_earlier(self) -> None:
        """The next history is a longer one, to be put above what is shown."""
        self._loading_earlier = True

    def happened(self, event: RunEvent) -> list[Change]:
        """What `event` changes; a run that was under way before is one from its first event on."""
        known = event.run_id in self._runs
        changes = self._changes_of(event)
        if not known and event.run_id in self._runs and Busy(True) not in changes:
            changes.append(Busy(True))
        return changes

    def _changes_of(self, event: RunEvent) -> list[Change]:
        match event:
            case RunStarted():
                return self._started(event)
            case AssistantDelta():
                return self._delta(event)
            case AssistantRetracted():
                return self._retracted(event.run_id)
            case ToolStarted():
                return self._tool_started(event)
            case ToolUpdated():
                return self._tool_updated(event)
            case ToolEnded():
                return self._tool_ended(event)
            case ApprovalRequested():
                return self._card_asked(event)
            case ApprovalResolved():
                return self._card_answered(event)
            case MemoriesUsed():
                self._run(event.run_id).memories = event.memories
                return []  # shown with the whole answer, which follows
            case RunEnded():
                return self._ended(event.run_id, event.outcome)
            case _:
                return []  # progress is shown elsewhere

    def noticed(self, notice: NoticeEntry) -> list[Change]:
        """Show a line; news of the same job right after each other take one line together."""
        last = next(reversed(self._entries), None)
        before = self._entries[last] if last is not None else None
        if last is not None and notice.news_of and isinstance(before, NoticeEntry):
            if before.news_of == notice.news_of and before.serious == notice.serious:
                return [self._replace(last, replace(notice, times=before.times + 1))]
        return [self._append(notice)]

    def settled(self) -> list[Change]:
        """The assistant says that nothing runs: a run that began and never told its end is over.

        One whose start was not told yet is only on its way.
        """
        begun = [run_id for run_id, run in self._runs.items() if run.started]
        outcome = RunOutcome(OutcomeKind.FAILED)
        return [change for run_id in begun for change in self._ended(run_id, outcome)]

    def loaded(self, history: HistoryLoaded) -> list[Change]:
        """Stored items: a new conversation to show, or earlier items of this one."""
        if self._loading_earlier:
            self._loading_earlier = False
            if self._oldest in history.items:
                return self._earlier(history)
        self._forks = {fork.said: fork for fork in history.forks}
        changes = self._turned(history) or self._reset(history)
        return [*changes, *self._mark_versions()]

    def _turned(self, history: HistoryLoaded) -> list[Change]:
        """Only what stands from the message `history.left` on is another; [] where that is not so.

        What the person looks at stays where it is, and a long conversation is not drawn anew.
        """
        order = tuple(self._entries)
        said = {one.said: n for n, one in enumerate(self._entries.values()) if _is_said(one)}
        start = said.get(history.left, 0)
        items = items_from(history)
        if not (history.left and start) or items is None or history.newer:
            return []
        for entry_id in order[start:]:
            del self._entries[entry_id]
        self._forget_what_is_gone()
        shown = tuple((self._new_id(), entry_of(item)) for item in items)
        self._entries.update(shown)
        return [Tail(order[start - 1], shown)]

    def _forget_what_is_gone(self) -> None:
        self._tools = {key: one for key, one in self._tools.items() if one in self._entries}
        self._cards = {key: one for key, one in self._cards.items() if one in self._entries}
        for run in self._runs.values():
            run.user = run.user if run.user in self._entries else None
            run.answer = run.answer if run.answer in self._entries else None

    def _reset(self, history: HistoryLoaded) -> list[Change]:
        before = () if self._has_history else tuple(self._entries.values())
        self._has_history = True
        self._entries.clear()
        self._forget_what_is_gone()
        self._oldest = history.items[0] if history.items else None
        shown = tuple((self._new_id(), entry_of(item)) for item in history.items)
        self._entries.update(shown)
        ids = {item.entry_id: one for item, (one, _) in zip(history.items, shown, strict=True)}
        reset = Reset(shown, history.more, ids.get(history.at) if history.at else None)
        stands = {one.text for _, one in shown if isinstance(one, NoticeEntry)}
        told = [one for one in before if isinstance(one, NoticeEntry) and one.text not in stands]
        return [reset, *map(self._append, told)]  # what was told so early is nowhere else

    def _earlier(self, history: HistoryLoaded) -> list[Change]:
        assert self._oldest is not None
        older = history.items[: history.items.index(self._oldest)]
        self._oldest = history.items[0]
        shown = tuple((self._new_id(), entry_of(item)) for item in older)
        self._entries = {**dict(shown), **self._entries}
        return [Prepend(shown, history.more)]

    def _started(self, event: RunStarted) -> list[Change]:
        run = self._runs.setdefault(event.run_id, _Run(user_text=event.user_text))
        run.started, run.command, run.given = True, event.command, ()
        changes: list[Change] = []
        said = "" if event.command else event.run_id
        versions = of_message(self._forks.get(said), answered=True)
        if not event.user_text:
            pass  # a turn that nobody asked for
        elif run.user is None:
            text, files = parted(event.user_text)
            append = self._append(UserEntry(text, files=files, said=said, versions=versions))
            run.user = append.id
            changes.append(append)
        else:
            # Of several waiting messages it is this one's turn; it stands where it was said, in
            # its own words, even when others that waited are answered with it.
            now = replace(self._user(run.user), waiting=False, said=said, versions=versions)
            changes.append(self._replace(run.user, now))
        return [*changes, Busy(True)]

    def _delta(self, event: AssistantDelta) -> list[Change]:
        run = self._run(event.run_id)
        if run.answer is None:
            fresh = AnswerEntry("", state=AnswerState.STREAMING, said=_said_of(run, event.run_id))
            append = self._append(_extended(fresh, event))
            run.answer = append.id
            return [append]
        self._entries[run.answer] = _extended(self._answer(run.answer), event)
        return [Extend(run.answer, event.text, event.thinking)]

    def _retracted(self, run_id: RunId) -> list[Change]:
        run = self._run(run_id)
        if run.answer is None:
            return []
        answer, run.answer = run.answer, None
        return [self._remove(answer)]

    def _tool_started(self, event: ToolStarted) -> list[Change]:
        changes = self._close_part(event.run_id)
        entry = ToolEntry(event.tool, ToolState.RUNNING, dict(event.arguments))
        append = self._append(entry)
        self._tools[event.run_id, event.call_id] = append.id
        return [*changes, append]

    def _tool_updated(self, event: ToolUpdated) -> list[Change]:
        known = self._tools.get((event.run_id, event.call_id))
        if known is None:
            return []
        return [self._replace(known, replace(self._tool(known), display=event.display))]

    def _tool_ended(self, event: ToolEnded) -> list[Change]:
        state = tool_state(event.outcome, ok=event.ok)
        known = self._tools.pop((event.run_id, event.call_id), None)
        if known is None:
            ended = ToolEntry(event.tool, state, {}, event.display, event.seconds)
            return [*self._close_part(event.run_id), self._append(ended)]
        running = self._tool(known)
        ended = replace(running, state=state, display=event.display, seconds=event.seconds)
        return [self._replace(known, ended)]

    def _close_part(self, run_id: RunId) -> list[Change]:
        """Text before a tool call is finished: what follows is a new part."""
        run = self._run(run_id)
        if run.answer is None:
            return []
        part, run.answer = run.answer, None
        if not (answer := self._answer(part)).text.strip() and not answer.thinking:
            return [self._remove(part)]
        return [self._replace(part, replace(answer, state=AnswerState.WHOLE))]

    def _ended(self, run_id: RunId, outcome: RunOutcome) -> list[Change]:
        run = self._runs.pop(run_id, _Run())
        changes = self._end_tools(run_id)
        if not run.started and run.user is not None:
            return [*self._never_ran(run, run.user, outcome), Busy(self.busy)]
        if not run.started and run.instead_of:
            return [*self._never_said(run, outcome), Busy(self.busy)]
        changes += self._final_answer(run, run_id, outcome)
        if outcome.kind in _TOLD_WITH_REASON and outcome.reason not in ("", outcome.text):
            serious = outcome.kind is OutcomeKind.FAILED
            changes.append(self._append(NoticeEntry(outcome.reason, serious=serious)))
        return [*changes, *self._mark_versions(), Busy(self.busy)]

    def _never_said(self, run: _Run, outcome: RunOutcome) -> list[Change]:
        if outcome.kind is OutcomeKind.FAILED:
            problem = outcome.text or outcome.reason
            return [GiveBack(run.user_text, problem, run.given, run.instead_of)]
        return []

    def _end_tools(self, run_id: RunId) -> list[Change]:
        """A card must not stay "running" when its run is over."""
        open_cards = [key for key in self._tools if key[0] == run_id]
        changes: list[Change] = []
        for key in open_cards:
            entry_id = self._tools.pop(key)
            ended = replace(self._tool(entry_id), state=ToolState.NOT_RUN)
            changes.append(self._replace(entry_id, ended))
        return changes

    def _never_ran(self, run: _Run, user: EntryId, outcome: RunOutcome) -> list[Change]:
        if outcome.kind is OutcomeKind.FAILED:
            problem = outcome.text or outcome.reason
            return [self._remove(user), GiveBack(run.user_text, problem, run.given)]
        stopped = outcome.kind is OutcomeKind.CANCELLED
        entry = replace(self._user(user), waiting=False, unanswered=stopped)
        return [self._replace(user, entry)]

    def _final_answer(self, run: _Run, run_id: RunId, outcome: RunOutcome) -> list[Change]:
        if run.answer is None:
            return self._unstreamed_answer(outcome, run, run_id)
        streamed = self._answer(run.answer)
        state = _end_state(outcome.kind)
        said = streamed.text
        if outcome.text and outcome.text.strip() != streamed.text.strip():
            said = outcome.text
        if outcome.kind is OutcomeKind.SILENT or not (said.strip() or streamed.thinking):
            return [self._remove(run.answer)]
        whole = replace(
            streamed,
            text=said,
            state=state,
            seconds=outcome.seconds,
            memories=run.memories,
            tokens=outcome.usage.completion_tokens,
        )
        return [self._replace(run.answer, whole)]

    def _unstreamed_answer(self, outcome: RunOutcome, run: _Run, run_id: RunId) -> list[Change]:
        if not outcome.text or outcome.kind is OutcomeKind.SILENT:
            return []
        if outcome.kind is OutcomeKind.FAILED:
            hint = outcome.reason if outcome.reason not in outcome.text else ""
            return [self._append(NoticeEntry(outcome.text, hint, serious=True))]
        if run.command and run.user is None:
            # /new or /regenerate: the conversation was shown anew and its line is gone.
            return [self._append(NoticeEntry(outcome.text, quiet=True))]
        answer = AnswerEntry(
            outcome.text,
            state=_end_state(outcome.kind),
            seconds=outcome.seconds,
            memories=run.memories,
            plain=run.command,
            said=_said_of(run, run_id),
        )
        return [self._append(answer)]

    # ------------------------------------------------------------------ cards and versions

    def _card_asked(self, event: ApprovalRequested) -> list[Change]:
        """The tool that waits for it runs no longer."""
        for (run_id, _), entry_id in reversed(self._tools.items()):
            entry = self._tool(entry_id)
            if (run_id, entry.tool, entry.state) == (event.run_id, event.tool, ToolState.RUNNING):
                self._cards[event.approval_id] = entry_id
                return [self._replace(entry_id, replace(entry, state=ToolState.WAITING))]
        return []

    def _card_answered(self, event: ApprovalResolved) -> list[Change]:
        entry_id = self._cards.pop(event.approval_id, None)
        if entry_id is None or self._tool(entry_id).state is not ToolState.WAITING:
            return []
        state = ToolState.RUNNING if event.allowed else ToolState.DENIED
        return [self._replace(entry_id, replace(self._tool(entry_id), state=state))]

    def _mark_versions(self) -> list[Change]:
        marked = tuple(versions_marked(self._entries, self._forks, self._runs))
        return [self._replace(entry_id, entry) for entry_id, entry in marked]

    def _run(self, run_id: RunId) -> _Run:
        return self._runs.setdefault(run_id, _Run(started=True))

    def _user(self, entry_id: EntryId) -> UserEntry:
        entry = self._entries[entry_id]
        assert isinstance(entry, UserEntry)
        return entry

    def _answer(self, entry_id: EntryId) -> AnswerEntry:
        entry = self._entries[entry_id]
        assert isinstance(entry, AnswerEntry)
        return entry

    def _tool(self, entry_id: EntryId) -> ToolEntry:
        entry = self._entries[entry_id]
        assert isinstance(entry, ToolEntry)
        return entry

    def _new_id(self) -> EntryId:
        self._next += 1
        return EntryId(self._next)

    def _append(self, entry: Entry) -> Append:
        entry_id = self._new_id()
        self._entries[entry_id] = entry
        return Append(entry_id, entry)

    def _replace(self, entry_id: EntryId, entry: Entry) -> Replace:
        self._entries[entry_id] = entry
        return Replace(entry_id, entry)

    def _remove(self, entry_id: EntryId) -> Remove:
        del self._entries[entry_id]
        return Remove(entry_id)


_TOLD_WITH_REASON = (OutcomeKind.FAILED, OutcomeKind.TIMED_OUT, OutcomeKind.OUT_OF_BUDGET)


def _end_state(kind: OutcomeKind) -> AnswerState:
    match kind:
        case OutcomeKind.CANCELLED:
            return AnswerState.STOPPED
        case OutcomeKind.FAILED | OutcomeKind.TIMED_OUT | OutcomeKind.OUT_OF_BUDGET:
            return AnswerState.CUT
        case _:
            return AnswerState.WHOLE


def _extended(answer: AnswerEntry, event: AssistantDelta) -> AnswerEntry:
    if event.thinking:
        return replace(answer, thinking=answer.thinking + event.text)
    return replace(answer, text=answer.text + event.text)


def _said_of(run: _Run, run_id: RunId) -> str:
    """The message that a run answers, in whose place something can be said."""
    return "" if run.command else run_id


def _is_said(entry: Entry) -> TypeGuard[UserEntry]:
    return isinstance(entry, UserEntry) and bool(entry.said)
