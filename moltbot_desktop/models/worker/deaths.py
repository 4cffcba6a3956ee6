"""When the model's process died: what the person is told, and when it is started again. Pure.

deaths = Deaths().after(10.0)
deaths.pause(10.5)          # seconds to wait before it is started again
deaths.too_many(10.5)       # whether to stop trying for now
"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.core.errors import ModelError

WINDOW_SECONDS = 60.0
MOST = 3
_PAUSE_SECONDS = 1.0
# Words of failure, the most telling first: Python notes the abort that an assertion makes after it.
_TELLING = ("GGML_ASSERT", "GGML_ABORT", "terminate called", "Fatal Python error", "Error", "error")
_MAX_WORDS = 200
# Of a source file on the computer where llama.cpp was built.
_FOLDERS = re.compile(r"(?<![^\s:])(?:[A-Za-z]:)?[^\s:]*[/\\](?=[^\s/\\]+:\d)")
_AGAIN = "Ask again: it is started anew."


@dataclass(frozen=True)
class Deaths:
    """Times of the last unexpected ends, oldest first; they and every `now` are in seconds of any
    one clock. Only those of the last minute count, and at most three."""

    times: tuple[float, ...] = ()

    def after(self, now: float) -> Deaths:
        """With one more, `now`."""
        return Deaths((*self._recent(now), now)[-MOST:])

    def too_many(self, now: float) -> bool:
        """Whether it died so often that another start is no use until some time has passed."""
        return len(self._recent(now)) >= MOST

    def pause(self, now: float) -> float:
        """Seconds from `now` until it may be started: some after the second death in a row.

        There is nothing to wait for before the first, and after one too many.
        """
        recent = self._recent(now)
        if len(recent) != MOST - 1:
            return 0.0
        return max(0.0, recent[-1] + _PAUSE_SECONDS - now)

    def _recent(self, now: float) -> tuple[float, ...]:
        return tuple(time for time in self.times if now - time < WINDOW_SECONDS)


def death_error(code: int, last_words: Sequence[str]) -> ModelError:
    """The error for a process that ended unasked.

    Args:
        code: exit code as `subprocess` gives it: minus the number of the signal on POSIX.
        last_words: the lines it wrote to its stderr before, the newest last.
    """
    name = _signal_name(code)
    if name == "SIGKILL":
        return ModelError(
            "The model's process was ended from outside, usually because memory ran out.",
            hint=f"Close other programs or choose a smaller model or window. {_AGAIN}",
        )
    how = name or (f"exit code {code:#x}" if code > 255 else f"exit code {code}")
    said = telling_line(last_words)
    return ModelError(
        f"The model's process broke down ({': '.join(filter(None, (how, said)))}).", hint=_AGAIN
    )


def not_started_error(why: str) -> ModelError:
    """The error for a process that could not be started, or not be served."""
    return ModelError(
        f"The model's process could not be started ({why}).",
        hint="Close other programs, or run the model inside the program (models.isolation).",
    )


def garbled_error() -> ModelError:
    """The error for a process that was ended because it said something unknown."""
    return ModelError("The model's process answered something unreadable.", hint=_AGAIN)


def too_many_error(name: str, last: ModelError) -> ModelError:
    """The error instead of yet another start; `last` is how it died the last time."""
    return ModelError(
        f"The model “{name}” broke down {MOST} times within a minute, the last time so: "
        f"{last.message} Its file or llama.cpp is at fault.",
        hint="Download the file again or choose another model; in a minute it is tried again.",
    )


def _signal_name(code: int) -> str:
    if code >= 0:
        return ""
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def telling_line(lines: Sequence[str]) -> str:
    """The line that says most: the last with the most telling word, "" when there is none."""
    for word in _TELLING:
        found = [line for line in lines if word in line]
        if found:
            # The bars are how Python draws a group of errors.
            return _FOLDERS.sub("", found[-1].strip(" |+-"))[:_MAX_WORDS]
    return ""
