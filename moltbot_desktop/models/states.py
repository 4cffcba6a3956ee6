"""A conversation's place in the model's memory, taken out so that it can be put back.

What llama.cpp computed for a prompt (the KV cache of attention, the running state of recurrent
layers) is worth seconds to minutes of work. A `SequenceState` is that work as bytes, together with
the tokens it stands for: in memory it waits aside while the model does something else
(`conversations.py`), on disk it survives the program (`warm.py`). Both use this one form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from moltbot_desktop.models.arrays import Bytes


@dataclass(frozen=True, eq=False)
class SequenceState:
    """The model's memory after reading `tokens`.

    Attributes:
        data: llama.cpp's own form of it, bytes; means something only to the same model, window,
            kind of cache and build of llama.cpp (`warm.state_key`).
    """

    tokens: tuple[int, ...]
    data: Bytes

    @property
    def size_bytes(self) -> int:
        return self.data.nbytes


class SequenceMemory(Protocol):
    """The one sequence a loaded model has in memory."""

    @property
    def held(self) -> Sequence[int]:
        """Tokens whose state is in memory."""
        ...

    @property
    def rewinds(self) -> bool:
        """Whether the memory can be cut back to a shorter prefix (recurrent models cannot)."""
        ...

    def state_bytes(self) -> int:
        """Bytes `take_state` would need."""
        ...

    def take_state(self) -> SequenceState:
        """A copy of the memory; it stays as it is.

        Raises:
            ModelError: there is none to be had.
        """
        ...

    def put_state(self, state: SequenceState) -> bool:
        """Replace the memory; False, with an empty memory, when it does not fit this model."""
        ...


def common_prefix(left: list[int], right: list[int]) -> int:
    """Length of the longest common prefix; slices are compared in C, this runs at every token."""
    low, high = 0, min(len(left), len(right))
    if len(left) <= len(right):
        left, right = right, left
    if left[:high] == right:  # the usual case while an answer is written: one copy, not two
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle
    return low


def usable_prefix(held: Sequence[int], tokens: list[int], *, rewinds: bool) -> int:
    """How many of `tokens` need no evaluation when the memory holds `held`.

    A memory that cannot be cut back is of use only when `tokens` goes on from all of it. The last
    token always counts as missing: its logits are not part of the memory.
    """
    common = common_prefix(list(held), tokens)
    if not rewinds and common < len(held):
        return 0
    if common < len(tokens):
        return common
    return len(tokens) - 1 if rewinds else 0
