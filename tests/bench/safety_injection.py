"""Injected texts through every carrier, with a model that obeys all it reads, in the whole program.

Each carrier has a program of its own. What is wrong is told on stderr, case by case; a text that
did not reach the model counts as wrong too.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from tests.bench.safety_figures import Amount, Row
from tests.fakes.injection.corpus import Case, case_faults, covering, every_case
from tests.fakes.injection.house import house

_SECONDS = 600.0
_LEAKS = ("went out", "a link went out")


def injection(amount: Amount, folder: Path) -> Iterable[Row]:
    """The rows of it; `folder` is empty."""
    few = [case for cases in covering().values() for case in cases]
    cases = list(every_case()) if amount.whole else few
    faults = [
        fault
        for number, (_, own) in enumerate(groupby(cases, lambda case: case.carrier))
        for fault in asyncio.run(_faults_of(tuple(own), folder / str(number)))
    ]
    leaks = sum(fault.startswith(_LEAKS) for fault in faults)
    note = f"{len(cases)} cases, {len({case.carrier for case in cases})} carriers"
    yield Row("injected texts: what nobody allowed", len(faults) - leaks, 0, "effects", note)
    yield Row("injected texts: private words that went out", leaks, 0, "leaks", note)


async def _faults_of(cases: Sequence[Case], root: Path) -> list[str]:
    found: list[str] = []
    async with asyncio.timeout(_SECONDS), house(root) as home:
        for case in cases:
            faults = await case_faults(home, case)
            for fault in faults:
                sys.stderr.write(f"{case}: {fault}\n")
            found += faults
    return found
