"""Whose words the model has in memory, and the states of those it put aside.

A model holds one sequence. Without this, a title made in the background, or a second window,
would cost a conversation everything the model has read of it. So each generation says whose it is:

    conversations = Conversations(context, saved=None)
    conversations.enter("session-1", tokens)      # before the memory is aligned to `tokens`
    conversations.enter("", title_tokens)         # nobody's: session-1 is put aside first
    conversations.enter("session-1", tokens)      # and comes back from there

What is put aside stays in memory, capped; what was saved before the program ended comes back from
disk at the first request of its conversation. Recurrent and hybrid models have a memory that
cannot be cut back to a shorter prompt; for them the state in front of each request is kept as well
(`mark`), because the next prompt goes on from there. Nothing here can make an answer wrong: memory
and tokens always belong together, and what cannot be brought back is read again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.models.states import SequenceMemory, SequenceState, usable_prefix
from moltbot_desktop.models.warm import WarmStates
from moltbot_desktop.sdk.tools import CancelToken

NOBODY = ""
# Fewer tokens are read again sooner than a state is copied and kept.
_WORTH_KEEPING = 32


@dataclass(frozen=True)
class AsideLimits:
    """How much may wait aside in memory, and how much may be marked; the longest unused goes first.

    Attributes:
        states: how many.
        bytes: of them all; a single state that is larger is not kept.
    """

    states: int = 2
    bytes: int = 256 * 2**20


@dataclass(frozen=True)
class UnsavedState:
    """A copy of what a restart would lose of `conversation`."""

    conversation: str
    state: SequenceState


class Conversations:
    """Belongs to the model thread, like the memory it moves; `save` alone may be called elsewhere.

    Fewer than 32 tokens are not worth keeping. A full or broken disk raises nothing: what cannot be
    kept is read again. `enter`, `mark` and `unsaved` raise ModelError when llama.cpp gives no copy.
    """

    def __init__(
        self,
        memory: SequenceMemory,
        saved: WarmStates | None = None,
        limits: AsideLimits | None = None,
    ) -> None:
        self._memory = memory
        self._saved = saved
        self._limits = limits or AsideLimits()
        self._holder = NOBODY
        self._aside: OrderedDict[str, SequenceState] = OrderedDict()
        self._marked: OrderedDict[str, SequenceState] = OrderedDict()
        # What is on disk, so that the same is not written twice.
        self._on_disk: dict[str, tuple[int, ...]] = {}
        self._forgotten: set[str] = set()

    def enter(self, conversation: str, tokens: list[int]) -> None:
        """Make the memory that of `conversation`, as far as it helps with reading `tokens`.

        Costs next to nothing while the conversation stays the same. A new one starts from whatever
        is in memory: conversations often begin with the same words.
        """
        if conversation != self._holder:
            self._put_aside()
            self._holder = conversation
            self._forgotten.discard(conversation)
        elif self._memory.rewinds or self._goes_on(tokens):
            return
        if conversation != NOBODY:
            self._bring_back(conversation, tokens)

    def mark(self, conversation: str) -> None:
        """The memory holds what the next prompts of `conversation` begin with.

        A memory that cannot be cut back is kept as it is here, or each turn would read
        everything again; for any other this does nothing.
        """
        if self._memory.rewinds or conversation == NOBODY or conversation != self._holder:
            return
        if self._memory.state_bytes() > self._limits.bytes:
            return
        self._marked[conversation] = self._memory.take_state()
        self._marked.move_to_end(conversation)
        while len(self._marked) > 1 and not self._fits(self._marked, 0, more_states=0):
            self._marked.popitem(last=False)

    def unsaved(self) -> list[UnsavedState]:
        """Copies of all that a restart would lose, longest unused first."""
        if self._saved is None:
            return []
        states = dict(self._aside if self._memory.rewinds else self._marked)
        held = tuple(self._memory.held)
        if self._memory.rewinds and self._holder != NOBODY and len(held) >= _WORTH_KEEPING:
            if self._on_disk.get(self._holder) != held:
                states[self._holder] = self._memory.take_state()
        return [
            UnsavedState(name, state)
            for name, state in states.items()
            if self._on_disk.get(name) != state.tokens
        ]

    def save(self, unsaved: UnsavedState, cancel: CancelToken) -> bool:
        """Write one of `unsaved()` to disk. Safe on another thread; whether it is there."""
        if self._saved is None:
            return False
        done = self._saved.save(unsaved.conversation, unsaved.state, cancel)
        if unsaved.conversation in self._forgotten:
            # Deleted by the person while it was being written.
            self._saved.forget(unsaved.conversation)
            return False
        if done:
            self._on_disk[unsaved.conversation] = unsaved.state.tokens
        return done

    def forget(self, conversation: str) -> None:
        """Drop all that is kept of a conversation that is no more."""
        self._forgotten.add(conversation)
        self._aside.pop(conversation, None)
        self._marked.pop(conversation, None)
        if self._saved is not None:
            self._saved.forget(conversation)
        self._on_disk.pop(conversation, None)
        if self._holder == conversation:
            self._holder = NOBODY

    def _usable(self, held: Sequence[int], tokens: list[int]) -> int:
        return usable_prefix(held, tokens, rewinds=self._memory.rewinds)

    def _goes_on(self, tokens: list[int]) -> bool:
        held = list(self._memory.held)
        return bool(held) and held == tokens[: len(held)]

    def _put_aside(self) -> None:
        if self._holder == NOBODY or len(self._memory.held) < _WORTH_KEEPING:
            return
        needed = self._memory.state_bytes()
        if self._limits.states < 1 or needed > self._limits.bytes:
            return
        while self._aside and not self._fits(self._aside, needed, more_states=1):
            self._aside.popitem(last=False)
        self._aside[self._holder] = self._memory.take_state()

    def _fits(self, kept: Mapping[str, SequenceState], more: int, *, more_states: int) -> bool:
        total = sum(state.size_bytes for state in kept.values())
        few = len(kept) + more_states <= self._limits.states
        return few and total + more <= self._limits.bytes

    def _bring_back(self, conversation: str, tokens: list[int]) -> None:
        held = self._usable(self._memory.held, tokens)
        kept = [self._aside.pop(conversation, None), self._marked.get(conversation)]
        states = [state for state in kept if state is not None]
        best = max(states, key=lambda state: self._usable(state.tokens, tokens), default=None)
        if best is not None:
            if self._usable(best.tokens, tokens) > held:
                self._memory.put_state(best)
        elif self._saved is not None:
            self._bring_from_disk(self._saved, conversation, tokens, held)

    def _bring_from_disk(
        self, saved: WarmStates, conversation: str, tokens: list[int], held: int
    ) -> None:
        source: str | None = conversation
        known = saved.tokens(source)
        if known is None and self._memory.rewinds:
            # Conversations begin with the same words: another one's state saves reading them.
            known = saved.tokens(source := None)
        if known is None or self._usable(known, tokens) < held + _WORTH_KEEPING:
            return
        state = saved.load(source)
        if state is None:
            return
        if not self._memory.put_state(state):
            saved.forget(conversation)
        elif source is not None:
            self._on_disk[conversation] = state.tokens
            if not self._memory.rewinds:
                self._marked[conversation] = state
