"""In a process of its own: what is kept out there stays out for as long as the process lives."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import gc
from PySide6.QtCore import QCoreApplication, QTimer
from moltbot_desktop.qt.long_lived import keep_out_of_collections

application = QCoreApplication([])
keep_out_of_collections(application, [0, 1])
looked_at_before = len(gc.get_objects())

def look():
    if gc.get_freeze_count() > looked_at_before / 2:
        application.quit()

looks = QTimer()
looks.timeout.connect(look)
looks.start(5)
application.exec()
ring = []
ring.append(ring)
del ring
assert len(gc.get_objects()) < looked_at_before / 2
assert gc.collect() > 0  # what was made since then is collected
"""


def test_what_was_there_at_the_start_is_not_looked_at_again() -> None:
    subprocess.run([sys.executable, "-c", _PROGRAM], check=True, timeout=120)
