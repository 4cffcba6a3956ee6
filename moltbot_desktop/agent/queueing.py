"""What becomes of messages that come while a conversation's run goes on.

A state machine without a clock: time comes in with each call, what is to be done comes out, so a
conversation's evening is tested as a playbook.

    queue = SessionQueue()
    queue.came(message, rules, now=0.0)      # -> Arrival: kept? who had to go? stop the run?
    queue.begin(now=0.0)                     # -> Batch to run, seconds to wait, or None
    queue.steer()                            # -> what the running turn takes in between two tools
    queue.ended()                            # the run is over; ask `begin` again

Modes: *collect* answers all that waits with one run, *followup* one after the other, *steer* puts
it into the running turn after the current tool, *steer-backlog* does that and answers it once more
afterwards, *interrupt* stops what runs. The names, the limits and the texts are the reference's.
Two things differ: one waiting message is passed on in its own words, without a header, and the
note about dropped messages stands before the next message instead of costing a run of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from moltbot_desktop.core.ids import RunId

COLLECTED = "[Queued messages while agent was busy]"
SUMMARY_CHARACTERS = 160
_BLANKS = re.compile(r"\s+")


class QueueMode(StrEnum):
    COLLECT = "collect"
    FOLLOWUP = "followup"
    STEER = "steer"
    STEER_BACKLOG = "steer-backlog"
    INTERRUPT = "interrupt"


class DropPolicy(StrEnum):
    """Who goes when the queue is full: `NEW` refuses the newcomer, the others the oldest."""

    OLD = "old"
    NEW = "new"
    SUMMARIZE = "summarize"


_MODE_SYNONYMS = {
    "queue": QueueMode.STEER,
    "queued": QueueMode.STEER,
    "abort": QueueMode.INTERRUPT,
    "coalesce": QueueMode.COLLECT,
    "followups": QueueMode.FOLLOWUP,
    "follow-up": QueueMode.FOLLOWUP,
    "follow-ups": QueueMode.FOLLOWUP,
    "interrupts": QueueMode.INTERRUPT,
    "steer+backlog": QueueMode.STEER_BACKLOG,
    "steer_backlog": QueueMode.STEER_BACKLOG,
    "steering": QueueMode.STEER,
}
_DROP_SYNONYMS = {
    "oldest": DropPolicy.OLD,
    "newest": DropPolicy.NEW,
    "summary": DropPolicy.SUMMARIZE,
}


def queue_mode(text: str) -> QueueMode | None:
    """The mode that a person or a settings file means by `text`; None when there is none such."""
    lowered = text.strip().lower()
    try:
        return QueueMode(lowered)
    except ValueError:
        return _MODE_SYNONYMS.get(lowered)


def drop_policy(text: str) -> DropPolicy | None:
    """As `queue_mode`, for what is done with a full queue."""
    lowered = text.strip().lower()
    try:
        return DropPolicy(lowered)
    except ValueError:
        return _DROP_SYNONYMS.get(lowered)


@dataclass(frozen=True)
class QueueRules:
    """How one conversation queues.

    Attributes:
        debounce: seconds without a new message before what waits is begun.
        cap: most messages that wait; 0 for no limit.
    """

    mode: QueueMode = QueueMode.COLLECT
    debounce: float = 1.0
    cap: int = 20
    drop: DropPolicy = DropPolicy.SUMMARIZE


@dataclass(frozen=True)
class Waiting:
    """A message in the queue.

    Attributes:
        route: where its answer goes, as text; messages of two routes never share a run.
        message_id: the platform's; "" when there is none, then it equals no other.
    """

    run_id: RunId
    text: str
    route: str
    message_id: str = ""


@dataclass(frozen=True)
class Arrival:
    """What a new message does.

    Attributes:
        kept: it waits now. False: the same one waits or runs already (`duplicate`), or there is
            no room.
        gone: messages that will not be run any more.
        interrupts: the run that goes on has to be stopped.
    """

    kept: bool = True
    duplicate: bool = False
    gone: tuple[Waiting, ...] = ()
    interrupts: bool = False


@dataclass(frozen=True)
class Batch:
    """What the next run answers: `items`, oldest first, in the words of `text`.

    The run goes by the last item's id and route.
    """

    items: tuple[Waiting, ...]
    text: str

    @property
    def last(self) -> Waiting:
        return self.items[-1]


class SessionQueue:
    """The messages of one conversation that wait, and those that its run answers."""

    def __init__(self) -> None:
        self._items: list[Waiting] = []
        self._running: tuple[Waiting, ...] = ()
        self._steered: set[RunId] = set()
        self._known: set[tuple[str, str]] = set()
        self._rules = QueueRules()
        self._last_came = 0.0
        self._hurried = True
        self._one_by_one = False
        self._dropped = 0
        self._summary: list[str] = []

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        return tuple(self._items)

    @property
    def running(self) -> tuple[Waiting, ...]:
        """What the run that goes on answers; empty while none does."""
        return self._running

    def came(self, item: Waiting, rules: QueueRules, now: float) -> Arrival:
        """Take a message in; `now` in seconds of a clock that never goes back."""
        if _identity(item) in self._known:
            return Arrival(kept=False, duplicate=True)
        self._rules = rules
        interrupts = rules.mode is QueueMode.INTERRUPT and bool(self._running)
        gone = self.clear() if rules.mode is QueueMode.INTERRUPT else self._make_room()
        if gone is None:
            return Arrival(kept=False)
        # Nobody is kept waiting for more when nothing goes on, or when they have just said stop.
        self._hurried = interrupts or (not self._running and not self._items)
        self._items.append(item)
        if item.message_id:
            self._known.add(_identity(item))
        self._last_came = now
        return Arrival(gone=gone, interrupts=interrupts)

    def begin(self, now: float) -> Batch | float | None:
        """What to run now, or how many seconds to wait for it, or None.

        Nothing begins while a run goes on.
        """
        if self._running or not self._items:
            return None
        still = 0.0 if self._hurried else self._last_came + self._rules.debounce - now
        if still > 0:
            return still
        batch = self._next_batch()
        self._running = batch.items
        return batch

    def steer(self) -> tuple[Waiting, ...]:
        """What the running turn takes in now; each message once, those of its own route alone.

        In *steer-backlog* they also stay, and are answered once more afterwards.
        """
        if not self._running or self._rules.mode not in (
            QueueMode.STEER,
            QueueMode.STEER_BACKLOG,
        ):
            return ()
        route = self._running[-1].route
        taken = tuple(
            item for item in self._items if item.route == route and item.run_id not in self._steered
        )
        if self._rules.mode is QueueMode.STEER:
            self._items = [item for item in self._items if item not in taken]
            self._running += taken
        else:
            self._steered.update(item.run_id for item in taken)
        return taken

    def ended(self) -> None:
        """The run is over."""
        self._let_go(self._running)
        self._running = ()
        if self._steered:
            self._steered.intersection_update(item.run_id for item in self._items)

    def clear(self) -> tuple[Waiting, ...]:
        """Nothing waits any more; returns what did."""
        gone = tuple(self._items)
        self._let_go(gone)
        self._items.clear()
        self._summary.clear()
        self._dropped = 0
        self._one_by_one = False
        return gone

    def take_out(self, run_id: RunId) -> bool:
        """That one does not wait any more; False when it did not."""
        gone = tuple(item for item in self._items if item.run_id == run_id)
        self._let_go(gone)
        self._items = [item for item in self._items if item.run_id != run_id]
        return bool(gone)

    def _let_go(self, items: Iterable[Waiting]) -> None:
        """They neither wait nor run any more."""
        self._known.difference_update(map(_identity, items))

    def _make_room(self) -> tuple[Waiting, ...] | None:
        """Who has to go for one more; None when the newcomer has no room."""
        cap = self._rules.cap
        if cap <= 0 or len(self._items) < cap:
            return ()
        if self._rules.drop is DropPolicy.NEW:
            return None
        too_many = len(self._items) - cap + 1
        gone = tuple(self._items[:too_many])
        self._let_go(gone)
        del self._items[:too_many]
        if self._rules.drop is DropPolicy.SUMMARIZE:
            self._dropped += len(gone)
            self._summary = [*self._summary, *(summary_line(item.text) for item in gone)][-cap:]
        return gone

    def _next_batch(self) -> Batch:
        together = self._rules.mode is QueueMode.COLLECT and not self._one_by_one
        if together and len({item.route for item in self._items}) > 1:
            together, self._one_by_one = False, True
        taken = tuple(self._items) if together else (self._items[0],)
        del self._items[: len(taken)]
        self._one_by_one = self._one_by_one and bool(self._items)
        overflow = overflow_text(self._dropped, self._summary)
        self._dropped, self._summary = 0, []
        return Batch(taken, batch_text([item.text for item in taken], overflow))


def _identity(item: Waiting) -> tuple[str, str]:
    return item.message_id, item.route


def batch_text(texts: Sequence[str], overflow: str) -> str:
    """One prompt for `texts`: numbered sections under a header, one text as it is."""
    if len(texts) == 1:
        return "\n\n".join(filter(None, (overflow, texts[0])))
    sections = (
        f"---\nQueued #{number}\n{text}".strip() for number, text in enumerate(texts, start=1)
    )
    return "\n\n".join(filter(None, (COLLECTED, overflow, *sections)))


def overflow_text(dropped: int, lines: Sequence[str]) -> str:
    """Tells the model what a full queue left out; "" for nothing."""
    if not dropped:
        return ""
    noun = "message" if dropped == 1 else "messages"
    title = f"[Queue overflow] Dropped {dropped} {noun} due to cap."
    return "\n".join([title, "Summary:", *(f"- {line}" for line in lines)])


def summary_line(text: str) -> str:
    """`text` on one line of at most `SUMMARY_CHARACTERS`."""
    line = _BLANKS.sub(" ", text).strip()
    if len(line) <= SUMMARY_CHARACTERS:
        return line
    return f"{line[: SUMMARY_CHARACTERS - 1].rstrip()}…"
