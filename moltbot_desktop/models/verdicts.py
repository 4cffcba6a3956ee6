"""What trying out a model file showed, and what of that is remembered.

    verdict = judge(code, output, errors)       # pure; of the child that `probe` started
    store = VerdictStore(state_dir / VERDICTS_FILE)
    if verdict.lasting:
        store.keep(key, verdict.reason)

A verdict about the file itself is the same tomorrow, so it is kept. One about the moment is not:
too little memory, too little time, a process that was ended from outside. Kept, it would condemn a
good file for good, because a computer was busy once. In doubt a verdict is not kept: that costs
another trial.
"""

from __future__ import annotations

import json
import logging
import re
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import StorageError
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.models.worker.deaths import telling_line
from moltbot_desktop.storage.bounded import MOST_STATE, read_plain
from moltbot_desktop.storage.files import make_private_dir, write_atomic

_LOGGER = logging.getLogger(__name__)
VERDICTS_FILE = "probed-models.json"
REASON_KEY, TROUBLE_KEY = "reason", "trouble"
"""What the child answers: why the file is bad ("" for a good one), or why it could not be tried."""
_MAX_VERDICTS = 500
_MAX_WORDS = 200
_KILLED = -9
# How a program ends that a file broke: on POSIX by these signals, on Windows by an access
# violation, by `abort` or by a division by zero.
_BREAKDOWNS = frozenset(
    (-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGFPE, 0xC0000005, 0xC0000409, 0xC0000094)
)
_ASSERTION = "GGML_ASSERT"
# Too little of memory, threads, descriptors or disk, as ggml, llama.cpp, C++, Python and the system
# put it. llama.cpp calls a file bad over it, or aborts.
_OF_THE_MOMENT = re.compile(
    r"(?:failed|unable|cannot|could not|can't) (?:to )?(?:re)?alloc|bad_alloc|MemoryError"
    r"|(?:out of|not enough|insufficient) memory|mmap failed|failed to create memory|paging file"
    r"|Resource temporarily unavailable|Too many open files|Input/output error|Permission denied",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Verdict:
    """What a trial showed.

    Attributes:
        reason: a clause without a full stop that says what is wrong; "" for a good file.
        lasting: it is about the file, not about the moment.
    """

    reason: str
    lasting: bool


def judge(code: int, output: bytes, errors: bytes) -> Verdict:
    """The verdict of a child that has ended.

    Args:
        code: exit code as `subprocess` gives it: minus the number of the signal on POSIX.
        output: its stdout, where its answer is when it came so far.
        errors: its stderr.
    """
    answer = _parsed(output)
    if isinstance(trouble := answer.get(TROUBLE_KEY), str):
        return Verdict(trouble, lasting=False)
    if isinstance(reason := answer.get(REASON_KEY), str):
        return Verdict(reason, lasting=not _OF_THE_MOMENT.search(reason))
    if code == _KILLED:
        return Verdict("it was ended from outside, usually because memory ran out", lasting=False)
    # It died: ggml's assertion stands in what it wrote last.
    text = errors.decode(errors="replace").strip()
    lines = text.splitlines()
    said = telling_line(lines) or (lines or [f"exit code {code}"])[-1].strip()
    broken = code in _BREAKDOWNS or _ASSERTION in text
    return Verdict(
        f"llama.cpp breaks down on it ({said[:_MAX_WORDS]})",
        lasting=broken and not _OF_THE_MOMENT.search(text),
    )


def _parsed(output: bytes) -> Mapping[str, JsonValue]:
    try:
        answer: JsonValue = json.loads(output)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, Mapping) else {}


class VerdictStore:
    """The file of lasting verdicts. Losing or damaging it costs new trials, never more."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def reason(self, key: str) -> str | None:
        """What was kept under `key`, "" for a good file; None when nothing was."""
        return self._read().get(key)

    def keep(self, key: str, reason: str) -> None:
        """Remember it, with the 500 latest."""
        recent = dict(list({**self._read(), key: reason}.items())[-_MAX_VERDICTS:])
        try:
            make_private_dir(self._path.parent)
            write_atomic(self._path, json.dumps(recent, ensure_ascii=False, indent=1).encode())
        except StorageError as error:
            # The file can be used all the same; it is only tried out again next time.
            _LOGGER.info("the verdict about a model file was not kept: %s", error)

    def _read(self) -> dict[str, str]:
        try:
            parsed = json.loads(read_plain(self._path, MOST_STATE))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(parsed, dict):
            return {}
        return {key: value for key, value in parsed.items() if isinstance(value, str)}
