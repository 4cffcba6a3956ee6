"""A model's memory without a model: its state is its tokens, one byte-string of eight bytes each.

`advance` is left out on purpose: a test says what the model has read with `reads`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from moltbot_desktop.models.states import SequenceState

BYTES_PER_TOKEN = 8


@dataclass
class FakeSequenceMemory:
    """Counts what is taken and put back; refuses states when `refuses`."""

    rewinds: bool = True
    refuses: bool = False
    taken: int = 0
    put: int = 0
    tokens: list[int] = field(default_factory=list)

    @property
    def held(self) -> tuple[int, ...]:
        return tuple(self.tokens)

    def reads(self, tokens: list[int]) -> None:
        """What aligning to `tokens` and evaluating the rest leaves behind."""
        self.tokens = list(tokens)

    def state_bytes(self) -> int:
        return BYTES_PER_TOKEN * len(self.tokens)

    def take_state(self) -> SequenceState:
        self.taken += 1
        return state_of(self.tokens)

    def put_state(self, state: SequenceState) -> bool:
        self.put += 1
        believed = not self.refuses and state.data.tobytes() == _data(state.tokens)
        self.tokens = list(state.tokens) if believed else []
        return believed


def state_of(tokens: list[int]) -> SequenceState:
    return SequenceState(tuple(tokens), np.frombuffer(_data(tuple(tokens)), np.uint8).copy())


def _data(tokens: tuple[int, ...]) -> bytes:
    return np.asarray(tokens, "<i8").tobytes()
