"""A scripted `AssistantClient`: answers from a table, keeps what it was asked, needs no thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.events import (
    AssistantDelta,
    MemoriesUsed,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolStarted,
)
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionId, SessionKey
from moltbot_desktop.core.memories import UsedMemory
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import (
    MAX_MESSAGE_CHARACTERS,
    AssistantStatus,
    ClientEvent,
    CommandHelp,
    CommandsListed,
    ContextShare,
    ContextShown,
    ConversationItem,
    GivenFile,
    HistoryLoaded,
    InboxChanged,
    ItemKind,
    Listener,
    MemoriesShown,
    PauseLength,
    SaidPlace,
    ShownMemory,
)
from moltbot_desktop.sdk.inbox import ChangeKind, MemoryChange, Proposal

SESSION = SessionKey("agent:main:main")


@dataclass
class FakeAssistantClient:
    """Tells listeners what a test says, at once and in the caller's thread.

    Attributes:
        answers: text of the answer to each message; without one nothing happens until the test
            calls `say`, `tool` and `end` itself.
        items: the stored conversation.
        memory: the words that stand in memory, by their digest.
        commands: what the menu behind "/" offers.
        context: what fills the model's window; `window` is 0 while no model is loaded.
        sealed: nothing may leave.
        past: the conversations that can be opened, by id.
        session_id: the one that it speaks in.
        brought: the files of each of `sent`.
        sees: the model takes pictures.
        instead: what was said in the place of which message; "" for the same words again.
        turned: to which message, and in the place of which.
    """

    answers: dict[str, str] = field(default_factory=dict)
    items: list[ConversationItem] = field(default_factory=list)
    memory: dict[str, str] = field(default_factory=dict)
    model: str = "starter"
    sent: list[str] = field(default_factory=list)
    brought: list[tuple[GivenFile, ...]] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    stops: int = 0
    sessions: int = 0
    approvals: list[tuple[ApprovalId, bool]] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    waiting: list[Proposal] = field(default_factory=list)
    recent: list[MemoryChange] = field(default_factory=list)
    decisions: list[tuple[str, bool, str]] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)
    listeners: list[Listener] = field(default_factory=list)
    reminders_due: int = 0
    commands: tuple[CommandHelp, ...] = ()
    context: tuple[ContextShare, ...] = ()
    window: int = 0
    sealed: bool = False
    pauses: list[PauseLength | None] = field(default_factory=list)
    reminded: list[tuple[str, int]] = field(default_factory=list)
    unloads: int = 0
    past: dict[str, HistoryLoaded] = field(default_factory=dict)
    opened: list[tuple[str, str]] = field(default_factory=list)
    session_id: str = "now"
    sees: bool = False
    instead: list[tuple[SaidPlace, str]] = field(default_factory=list)
    turned: list[tuple[SaidPlace, str]] = field(default_factory=list)
    _seq: int = 0
    _running: set[RunId] = field(default_factory=set)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def send(self, text: str, files: Sequence[GivenFile] = ()) -> RunId:
        if not (text.strip() or files) or len(text) > MAX_MESSAGE_CHARACTERS or "\0" in text:
            raise UserInputInvalid("This message cannot be sent.", hint="Make it shorter.")
        run_id = RunId(f"run-{len(self.sent) + 1}")
        self.sent.append(text)
        self.brought.append(tuple(files))
        if (answer := self.answers.get(text)) is not None:
            self.start(run_id, text)
            self.say(run_id, answer)
            self.end(run_id, answer)
        return run_id

    def say_instead(self, place: SaidPlace, text: str, files: Sequence[GivenFile] = ()) -> RunId:
        if not (text.strip() or files):
            raise UserInputInvalid("This message cannot be sent.", hint="Make it shorter.")
        self.instead.append((place, text))
        self.brought.append(tuple(files))
        return RunId(f"instead-{len(self.instead)}")

    def say_again(self, place: SaidPlace) -> RunId:
        self.instead.append((place, ""))
        return RunId(f"instead-{len(self.instead)}")

    def turn_to(self, place: SaidPlace, instead_of: str) -> None:
        self.turned.append((place, instead_of))

    def typing(self, text: str) -> None:
        self.typed.append(text)

    def stop(self) -> None:
        self.stops += 1
        for run_id in tuple(self._running):
            self.end(run_id, "", OutcomeKind.CANCELLED)

    def new_session(self) -> None:
        self.sessions += 1
        self.items.clear()
        self.session_id = f"new-{self.sessions}"
        self.tell(HistoryLoaded(SESSION, (), False, self.session_id))

    def request_history(self, limit: int = 200) -> None:
        items = tuple(self.items[-limit:])
        self.tell(HistoryLoaded(SESSION, items, len(self.items) > limit, self.session_id))

    def open_session(self, session_id: SessionId, limit: int = 200, at: str = "") -> None:
        self.opened.append((session_id, at))
        if (past := self.past.get(session_id)) is not None:
            answerable = past.session == SESSION and not self._running
            self.tell(replace(past, session_id=session_id, at=at, answerable=answerable))

    def show_memories(self, memories: tuple[UsedMemory, ...]) -> None:
        shown = (
            ShownMemory(used.path, used.start_line, self.memory.get(used.digest, ""))
            for used in memories
        )
        self.tell(MemoriesShown(memories, tuple(shown)))

    def request_status(self) -> None:
        self.tell(self.status())

    def move_seal(self, *, closed: bool) -> None:
        self.sealed = closed
        self.request_status()

    def pause(self, length: PauseLength | None) -> None:
        self.pauses.append(length)
        self.request_status()

    def remind_again(self, text: str, minutes: int) -> None:
        self.reminded.append((text, minutes))
        self.request_status()

    def unload_model(self) -> None:
        self.unloads += 1
        self.request_status()

    def request_commands(self) -> None:
        self.tell(CommandsListed(self.commands))

    def request_context(self) -> None:
        self.tell(ContextShown(self.context, self.window, 0))

    def answer_approval(
        self, approval_id: ApprovalId, *, allow: bool, term: Term = Term.ONCE
    ) -> None:
        self.approvals.append((approval_id, allow))
        self.terms.append(term)

    def request_inbox(self) -> None:
        self.tell(InboxChanged(tuple(self.waiting), tuple(self.recent)))

    def decide(self, proposal_id: str, *, keep: bool, text: str = "") -> None:
        self.decisions.append((proposal_id, keep, text))
        found = next(one for one in self.waiting if one.id == proposal_id)
        self.waiting.remove(found)
        kind = ChangeKind.KEPT if keep else ChangeKind.REJECTED
        self.recent.insert(0, MemoryChange(found.id, kind, text or found.text, found.time))
        told = f"{kind.value}: {found.text}"
        self.tell(InboxChanged(tuple(self.waiting), tuple(self.recent), (), told))

    def undo_memory(self, change_id: str = "") -> None:
        self.undone.append(change_id)
        change = next(one for one in self.recent if change_id in ("", one.id))
        self.recent.remove(change)
        self.propose(change.text, number=change.id)

    # what a test makes happen

    def propose(self, text: str, *, number: str = "", replaces: str = "") -> None:
        """A message of the person gave `text` to remember."""
        number = number or str(len(self.waiting) + len(self.recent) + 1)
        time = "2026-08-01T09:00:00+00:00"
        said = f"By the way, {text}."
        self.waiting.append(Proposal(number, text, "fact", said, time, SESSION, replaces))
        self.tell(InboxChanged(tuple(self.waiting), tuple(self.recent), (number,)))

    def tell(self, event: ClientEvent) -> None:
        for listener in tuple(self.listeners):
            listener(event)

    def status(self) -> AssistantStatus:
        busy = bool(self._running)
        return AssistantStatus(
            *(self.model, 4_700_000, 2048, SESSION, "", self.reminders_due, busy),
            sealed=self.sealed,
            paused=bool(self.pauses) and self.pauses[-1] is not None,
            model_loaded=not self.unloads,
            sees=self.sees,
        )

    def start(self, run_id: RunId, text: str) -> None:
        self._running.add(run_id)
        self.tell(RunStarted(run_id, SESSION, self._next(), text))

    def say(self, run_id: RunId, text: str, *, thinking: bool = False) -> None:
        self.tell(AssistantDelta(run_id, SESSION, self._next(), text, thinking))

    def tool(
        self, run_id: RunId, name: str, arguments: dict[str, str], display: str, *, ok: bool = True
    ) -> None:
        call = f"call-{self._next()}"
        self.tell(ToolStarted(run_id, SESSION, self._next(), call, name, arguments))
        outcome = "ok" if ok else "failed"
        self.tell(ToolEnded(run_id, SESSION, self._next(), call, name, ok, outcome, display, 0.02))

    def used(self, run_id: RunId, *memories: UsedMemory) -> None:
        self.tell(MemoriesUsed(run_id, SESSION, self._next(), memories))

    def end(
        self, run_id: RunId, text: str, kind: OutcomeKind = OutcomeKind.ANSWERED, reason: str = ""
    ) -> None:
        self._running.discard(run_id)
        self.tell(RunEnded(run_id, SESSION, self._next(), RunOutcome(kind, text, reason)))

    def _next(self) -> int:
        self._seq += 1
        return self._seq


def stored(texts: Sequence[str]) -> list[ConversationItem]:
    """A conversation of `texts`, person and assistant in turn, a minute apart."""
    return [
        ConversationItem(
            ItemKind.ASSISTANT if number % 2 else ItemKind.USER,
            text,
            f"2026-08-01T{9 + number // 60:02}:{number % 60:02}:00+00:00",
            said=f"said-{number // 2 + 1}",
        )
        for number, text in enumerate(texts)
    ]
