"""Says what a long step is doing, how long it has taken and how long it usually takes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import IO


def spoken(seconds: float) -> str:
    """A duration as a person says it: `40 s`, `3:05 min`."""
    whole = int(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60}:{whole % 60:02d} min"


def usually(seconds: float) -> str:
    if seconds < 60:
        return f"usually under {max(10, round(seconds / 10) * 10)} s"
    return f"usually about {max(1, round(seconds / 60))} min"


_NINJA = re.compile(r"\[(\d+)/(\d+)\] ")
_PIP = re.compile(r"^\s*(Collecting|Downloading|Using cached|Building wheel for) ([\w.\-]+)")
_PHASES = (
    ("Installing collected packages", "unpacking"),
    ("Installing build dependencies", "fetching the build tools"),
    ("Getting requirements to build", "preparing"),
    ("Configuring CMake", "configuring"),
)


def doing(log_tail: str) -> str:
    """What the last lines of a pip log say is happening, in a few words; "" when unclear."""
    for line in reversed(log_tail.splitlines()):
        step = _NINJA.search(line)
        if step:
            return f"compiling {step[1]} of {step[2]}"
        named = _PIP.match(line)
        if named:
            return f"{named[1].lower()} {named[2]}"
        for start, phrase in _PHASES:
            if start in line:
                return phrase
    return ""


class Progress:
    """One live line on a terminal; elsewhere a line at the start and every half minute."""

    def __init__(self, title: str, usual: float, out: IO[str], clock: Callable[[], float]) -> None:
        self._title, self._usual, self._out, self._clock = title, usual, out, clock
        self._begin = clock()
        self._live = out.isatty()
        self._next = self._begin + 30
        self._wrote = 0
        if not self._live:
            self._print(f"{title} ({usually(usual)}) ...")

    def _print(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def elapsed(self) -> float:
        return self._clock() - self._begin

    def tick(self, detail: str) -> None:
        # The detail last: it is what a narrow terminal may cut off.
        text = f"{self._title}: {spoken(self.elapsed())} ({usually(self._usual)})"
        text += f", {detail}" if detail else ""
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            shown = text[:width]
            print("\r" + shown.ljust(self._wrote), end="", file=self._out, flush=True)
            self._wrote = len(shown)
        elif self._clock() >= self._next:
            self._next += 30
            self._print("  " + text)

    def done(self, word: str = "done") -> None:
        if self._live:
            print("\r" + " " * self._wrote + "\r", end="", file=self._out)
        self._print(f"{self._title}: {word} in {spoken(self.elapsed())}")
