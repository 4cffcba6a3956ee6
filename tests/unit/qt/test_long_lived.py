"""In a process of its own each: what is kept out there stays out for as long as it lives."""

from __future__ import annotations

import subprocess
import sys

_BEGINNING = """
import gc
from PySide6.QtCore import QCoreApplication, QTimer
from moltbot_desktop.qt.long_lived import keep_collections_short

gc.collect()
application = QCoreApplication([])
there = len(gc.get_objects())

class Link: pass

def ring():
    link = Link()
    link.me = link
    return link

def alive():
    return sum(isinstance(one, Link) for one in (gc.unfreeze(), *gc.get_objects()))

def wait_for(what):
    looks = QTimer()
    looks.timeout.connect(lambda: application.quit() if what() else None)
    looks.start(2)
    application.exec()
    looks.stop()
"""


def _played(scene: str) -> None:
    subprocess.run([sys.executable, "-c", _BEGINNING + scene], check=True, timeout=120)


def test_what_a_long_collection_found_is_not_looked_at_again() -> None:
    _played("""
keep_collections_short(application, lambda: False, long_seconds=0.0)
gc.collect(1)
assert gc.get_freeze_count() == 0
gc.collect()
assert gc.get_freeze_count() > there / 2
assert len(gc.get_objects()) < there / 2
ring()
assert gc.collect() > 0  # what was made since then is collected
""")


def test_between_two_such_times_all_is_looked_at() -> None:
    _played("""
keep_collections_short(application, lambda: False, long_seconds=0.0)
gc.collect()
frozen = gc.get_freeze_count()
late = ring()
gc.collect()
assert gc.get_freeze_count() <= frozen
del late
assert gc.collect() > 0
""")


def test_short_ones_go_on_looking_at_all() -> None:
    _played("""
keep_collections_short(application, lambda: False, long_seconds=60.0)
gc.collect()
assert gc.get_freeze_count() == 0
""")


def test_what_died_later_goes_while_the_person_looks_elsewhere() -> None:
    _played("""
keep_collections_short(application, lambda: False, long_seconds=0.0, thorough_ms=1)
late = ring()
gc.collect()
del late
gc.collect()
wait_for(lambda: not alive())
""")


def test_nothing_is_held_up_under_the_persons_eyes() -> None:
    _played("""
keep_collections_short(application, lambda: True, long_seconds=0.0, thorough_ms=1)
gc.collect()
assert gc.get_freeze_count()
gc.disable()
late = ring()
gc.collect()
del late
QTimer.singleShot(100, application.quit)
application.exec()
assert alive() == 1
""")


def test_what_fell_due_under_the_persons_eyes_is_done_when_they_look_elsewhere() -> None:
    _played("""
from PySide6.QtCore import QElapsedTimer

looks_here, since = True, QElapsedTimer()
since.start()
keep_collections_short(application, lambda: looks_here, long_seconds=0.0, thorough_ms=3_000)
late = ring()
gc.collect()
del late

def look_away():
    global looks_here
    looks_here = False

QTimer.singleShot(3_050, look_away)
wait_for(lambda: not looks_here and not alive())
assert since.elapsed() < 5_900  # and not when it falls due for the second time
""")


def test_it_ends_with_its_parent() -> None:
    _played("""
parent = QTimer()
keep_collections_short(parent, lambda: False, long_seconds=0.0)
assert gc.callbacks
parent.deleteLater()
del parent
wait_for(lambda: not gc.callbacks)
gc.collect()
assert gc.get_freeze_count() == 0
""")
