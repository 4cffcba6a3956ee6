"""The installed PySide6 keeps the reference counts of None and True.

PySide6 6.12.0 drops one reference of None with each call that returns nothing, and one of True
with each signal. On Python 3.11 these objects are mortal: the process dies with "Fatal Python
error: none_dealloc" after a few thousand calls, in the middle of a streamed answer. From 3.12 on
they are immortal and the fault does no harm. pyproject.toml keeps 3.11 on 6.11; this is the
canary for the day when somebody lifts that bound.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

PROBE = """
import sys
from PySide6.QtCore import QObject, Signal

class Sender(QObject):
    said = Signal(str)

sender, heard = Sender(), []
sender.said.connect(heard.append)
before = sys.getrefcount(None), sys.getrefcount(True)
for number in range(20_000):
    sender.setObjectName("name")
    sender.said.emit("word")
    if len(heard) > 100:
        heard.clear()
after = sys.getrefcount(None), sys.getrefcount(True)
print(after[0] - before[0], after[1] - before[1])
"""

# Interpreter and Qt hold and free some by themselves; the fault would show as -20,000.
NOISE = 500


@pytest.fixture(scope="module")
def drift() -> tuple[int, int]:
    """Change of the counts of None and True over 20,000 calls, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROBE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"the process died (code {done.returncode}):\n{done.stderr}"
    none, true = done.stdout.split()
    return int(none), int(true)


def test_calls_into_qt_keep_the_references_of_none(drift: tuple[int, int]) -> None:
    assert abs(drift[0]) < NOISE


def test_signals_keep_the_references_of_true(drift: tuple[int, int]) -> None:
    assert abs(drift[1]) < NOISE
