"""In a process of its own each: how garbage is collected holds for the whole process."""

from __future__ import annotations

import subprocess
import sys

_BEGINNING = """
import gc
from PySide6.QtCore import QCoreApplication, QElapsedTimer, QTimer
from moltbot_desktop.qt.long_lived import keep_collections_short

application = QCoreApplication([])
full = []
gc.callbacks.append(lambda phase, info: full.append(phase) if info["generation"] == 2 else None)

class Link: pass

def ring():
    link = Link()
    link.me = link
    return link

def alive():
    return sum(isinstance(one, Link) for one in gc.get_objects())

def late():
    "A ring that dies when the young collections are through with it."
    link = ring()
    gc.collect(1)

def busy():
    "As much as brings full collections about where nothing is changed."
    kept = []
    for _ in range(300_000):
        kept.append([kept])
    kept.clear()

def wait_for(what):
    looks = QTimer()
    looks.timeout.connect(lambda: application.quit() if what() else None)
    looks.start(2)
    application.exec()
    looks.stop()
"""


def _played(scene: str) -> None:
    subprocess.run([sys.executable, "-c", _BEGINNING + scene], check=True, timeout=120)


def test_without_it_full_collections_come_by_themselves() -> None:
    _played("busy(); assert full")


def test_no_full_collection_comes_by_itself() -> None:
    _played("""
keep_collections_short(application, lambda: False)
busy()
assert not full
""")


def test_what_dies_young_is_collected_all_the_same() -> None:
    _played("""
keep_collections_short(application, lambda: True)
for _ in range(100_000):
    ring()
assert alive() < 10_000 and not full
""")


def test_what_died_later_goes_while_the_person_looks_elsewhere() -> None:
    _played("""
keep_collections_short(application, lambda: False, thorough_ms=1)
late()
assert alive() == 1
wait_for(lambda: not alive())
""")


def test_nothing_is_held_up_under_the_persons_eyes() -> None:
    _played("""
keep_collections_short(application, lambda: True, thorough_ms=500)
late()
QTimer.singleShot(1_000, application.quit)
application.exec()
assert alive() == 1 and not full
""")


def test_who_never_looks_elsewhere_has_it_done_at_last() -> None:
    _played("""
since = QElapsedTimer()
since.start()
keep_collections_short(application, lambda: True, thorough_ms=100)
late()
wait_for(lambda: not alive())
assert since.elapsed() >= 400
""")


def test_what_fell_due_under_the_persons_eyes_is_done_when_they_look_elsewhere() -> None:
    _played("""
looks_here, since = True, QElapsedTimer()
since.start()
keep_collections_short(application, lambda: looks_here, thorough_ms=3_000)
late()

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
before = gc.get_threshold()
keep_collections_short(parent, lambda: False)
assert gc.get_threshold() != before
parent.deleteLater()
del parent
wait_for(lambda: gc.get_threshold() == before)
""")
