"""What the event loop does between two looks at everybody else: its longest step.

    with measured_steps() as steps:
        ...                                 # run coroutines in this thread
    max(steps, key=lambda one: one.calls)

A step is one callback of the loop; while it lasts, no other connection, tool or window is served.
`calls` are the functions that it called, in Python and in C, which is the same on any machine;
`cpu_ms` is this thread's own time, for a bench.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    calls: int
    cpu_ms: float


@contextmanager
def measured_steps(*, count_calls: bool = True) -> Iterator[list[Step]]:
    """The steps of every loop that this thread runs meanwhile; counting makes them slower."""
    steps: list[Step] = []
    real = asyncio.Handle._run

    def run(handle: asyncio.Handle) -> None:
        calls = 0

        def seen(_frame: object, event: str, _argument: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        before = sys.getprofile()
        if count_calls:
            sys.setprofile(seen)
        began = time.thread_time()
        try:
            real(handle)
        finally:
            took = time.thread_time() - began
            if count_calls:
                sys.setprofile(before)
            steps.append(Step(calls, took * 1000))

    asyncio.Handle._run = run  # type: ignore[method-assign, assignment]
    try:
        yield steps
    finally:
        asyncio.Handle._run = real  # type: ignore[method-assign]
