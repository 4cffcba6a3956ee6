"""The policy against an oracle written from the design's words, and mutants of the policy.

The oracle, the events and the mutants are those of the tests; here they go further: longer
sequences through the real dispatcher. A mutant that nobody sees says that the check is blind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from tests.bench.safety_figures import Amount, Row
from tests.integration.security import test_kernel_sequences as states
from tests.unit.security import test_policy_kernel as calls

_LEAST_MUTANTS = 8
Mutant = Callable[[pytest.MonkeyPatch], None]


def kernel(amount: Amount, folder: Path) -> Iterable[Row]:
    size, events = states.LENGTH, len(states.EVENTS)
    sequences = sum(events**length for length in range(size + 1))
    yield Row(
        "policy kernel, sequences of events",
        states.wrong_after_all_sequences(size),
        0,
        "violations",
        f"all {sequences:,} sequences of {events} events up to length {size}, by their states",
    )
    steps, length = len(calls.STEPS), calls.LENGTH + amount.whole
    through = 3 * sum(steps**one for one in range(1, length + 1))
    yield Row(
        "policy kernel, calls through the dispatcher",
        calls.wrong_situations() + calls.wrong_sequences(folder, length),
        0,
        "violations",
        f"every situation, and {through:,} sequences of calls up to length {length}",
    )
    yield _killed("state", states.MUTANTS, lambda: states.wrong_after_all_sequences(size))
    yield _killed(
        "policy",
        calls.MUTANTS,
        lambda: calls.wrong_situations() + calls.wrong_sequences(folder, 3),
    )


def _killed(name: str, mutants: Sequence[Mutant], wrong: Callable[[], int]) -> Row:
    alive = []
    for mutant in mutants:
        with pytest.MonkeyPatch.context() as patch:
            mutant(patch)
            if not wrong():
                alive.append(mutant.__name__)
    killed = len(mutants) - len(alive)
    return Row(
        f"policy kernel, mutants of its {name} killed",
        killed,
        max(_LEAST_MUTANTS, len(mutants)),
        "mutants",
        f"of {len(mutants)}" + (f"; alive: {', '.join(alive)}" if alive else ""),
        at_least=True,
    )
