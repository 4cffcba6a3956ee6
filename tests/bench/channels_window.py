"""How long the window's thread is held while ten accounts of a channel are busy: `bench_channels`.

    python tests/bench/channels_window.py HOME SECONDS [NAME]

The process has the window and, in its other threads, the assistant with the accounts of
HOME/moltbot.json; whoever started it makes the traffic. With NAME it measures from the file
HOME/../begin to HOME/../end, SECONDS each at most, and its figures bear that name.

What other processes take from it shows in the gaps by the clock, and not in these:
- `held`: the clock, less the time for which the thread could have run and the machine ran somebody
  else. What is left is work of our own, and waiting for a lock that a thread of ours has.
  A thread that has the lock and is not let run by the machine is in it too: see the control.
- `stalls.py` knows when the machine stood still; `channels_servers` says what is left of the gaps.
- `own work`: the thread's own time on the processor in one step.

The person looks at the window, and now and then at another one for a while: then what is held up
is felt by nobody, and is told apart.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer, Signal

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.qt.agent_thread import AgentThread, Ready
from moltbot_desktop.qt.long_lived import keep_collections_short
from moltbot_desktop.qt.mailbox import Mailbox
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.appearance import dress
from moltbot_desktop.ui.entrance import make_application
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.main_window import MainWindow
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.theme import LIGHT
from tests.bench.bench_chat_view import RESOURCES, spin
from tests.bench.gateway_figures import figure
from tests.fakes.instant import assistant_in, instant

BEGIN, END, LONG_GAPS = "begin", "end", "gaps.json"
_MOST = 16.0
_TICK_MS = 2
_STOP_SECONDS = 2.0
_LOOKS_SECONDS, _AWAY_SECONDS = 280.0, 20.0
_THOROUGH_MS = 4 * 60_000
"""Half an hour otherwise; here as many messages come in these minutes as in a month."""
_WAITING = frozenset({"selectors.py:select", "threading.py:wait", "thread.py:_worker"})
_BUCKETS = 10_000
"""Of 0.1 ms each; what is longer is counted in the last."""


class Gaps:
    """Lengths in milliseconds, of any number of gaps in the same room."""

    def __init__(self) -> None:
        self._buckets = [0] * _BUCKETS
        self.most = 0.0
        self.over = 0
        self.count = 0

    def add(self, milliseconds: float) -> None:
        self._buckets[min(_BUCKETS - 1, max(0, int(milliseconds * 10)))] += 1
        self.most = max(self.most, milliseconds)
        self.over += milliseconds > _MOST
        self.count += 1

    def share(self, part: float) -> float:
        """So many of them are at most that long."""
        left = self.count * part
        for at, many in enumerate(self._buckets):
            left -= many
            if left <= 0:
                return (at + 1) / 10
        return self.most


class Person:
    """Looks at the window, and elsewhere for a while, again and again."""

    def __init__(self) -> None:
        self.looks = True
        self._timer = QTimer()
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._turn)
        self._timer.start(int(1000 * _LOOKS_SECONDS))

    def _turn(self) -> None:
        self.looks = not self.looks
        self._timer.start(int(1000 * (_LOOKS_SECONDS if self.looks else _AWAY_SECONDS)))


class Beat:
    """A timer of 2 ms on the thread that it was made on, and how it was kept waiting.

    Attributes:
        unseen: by the clock, while the person looked elsewhere; the others have none of these.
        seen: where other threads were right after it was held for long, and how often.
        long: beginning and end of each gap that was felt, in milliseconds of `perf_counter`.
    """

    def __init__(self, person: Person) -> None:
        self.wall, self.held, self.own, self.unseen = Gaps(), Gaps(), Gaps(), Gaps()
        self._person, self._looked = person, True
        self.seen: Counter[str] = Counter()
        self.long: list[tuple[float, float]] = []
        # Where Linux counts it: nanoseconds on the processor, nanoseconds in the queue for it.
        path = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._queue = os.open(path, os.O_RDONLY) if path.exists() else -1
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._last = self._now()

    def start(self) -> None:
        self._last = self._now()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        if self._queue >= 0:
            os.close(self._queue)

    def _now(self) -> tuple[float, float, float]:
        waited = int(os.pread(self._queue, 100, 0).split()[1]) if self._queue >= 0 else 0
        return time.perf_counter() * 1e3, waited / 1e6, time.thread_time() * 1e3

    def _tick(self) -> None:
        wall, waited, own = now = self._now()
        before = self._last
        self._last = now
        looked, self._looked = self._looked, self._person.looks
        if not (looked and self._looked):
            self.unseen.add(wall - before[0])
            return
        self.wall.add(wall - before[0])
        if wall - before[0] > _MOST:
            self.long.append((before[0], wall))
        held = wall - before[0] - (waited - before[1])
        self.held.add(held)
        if held > _MOST:
            self.seen.update(at_work())
        self.own.add(own - before[2])


def at_work() -> list[str]:
    """Where each other thread is that does not wait."""
    own, found = threading.get_ident(), []
    names = {one.ident: one.name for one in threading.enumerate()}
    for thread, frame in sys._current_frames().items():
        place = f"{Path(frame.f_code.co_filename).name}:{frame.f_code.co_name}"
        if thread != own and place not in _WAITING:
            found.append(f"{names.get(thread, '?')} {place}:{frame.f_lineno}")
    return found


class Bell(QObject):
    """Brings the client of the agent's thread to the window's."""

    rings = Signal(object)


def main() -> None:
    home, seconds = Path(sys.argv[1]), float(sys.argv[2])
    name = sys.argv[3] if len(sys.argv) > 3 else ""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.setswitchinterval(0.0003)  # as the program does
    application = make_application("en", RESOURCES)
    person = Person()
    keep_collections_short(application, lambda: person.looks, thorough_ms=_THOROUGH_MS)
    dress(application, LIGHT, RESOURCES)
    worker, bell, opened = Worker(), Bell(), QEventLoop()
    place = home.parent / "window"
    parts = WindowParts(Icons(RESOURCES), worker, SystemClock(), LIGHT, application.font(), place)
    chat = MainWindow(parts)
    chat.show()
    mailbox = Mailbox(chat.deliver)

    async def assistant(ready: Ready, stopping: asyncio.Event) -> None:
        settings = json.loads((home / "moltbot.json").read_text("utf-8"))
        with instant(home.parent / "done"):
            async with assistant_in(home, settings, SystemClock()) as client:
                client.subscribe(mailbox.post)
                ready(client)
                await stopping.wait()

    def come(client: object) -> None:
        chat.set_client(client)  # type: ignore[arg-type]
        opened.quit()

    bell.rings.connect(come)
    thread = AgentThread(assistant, bell.rings.emit, application)
    thread.start()
    QTimer.singleShot(60_000, opened.quit)
    opened.exec()
    spin(2.0)
    if name:  # libraries load and accounts connect
        starting = Beat(person)
        starting.start()
        _until(home.parent / BEGIN, seconds)
        starting.stop()
        tell(f"{name}, while it connects", starting)
    beat = Beat(person)
    beat.start()
    if name:
        _until(home.parent / END, seconds)
    else:
        spin(seconds)
    beat.stop()
    begun = time.perf_counter()
    ended = thread.stop(5_000)
    stop = time.perf_counter() - begun
    tell(name or "ten accounts", beat)
    (home.parent / LONG_GAPS).write_text(json.dumps(beat.long), "utf-8")
    figure("  time to end", stop, "s", "< 2")
    mailbox.close()
    worker.close()
    chat.deleteLater()
    sys.exit(0 if beat.own.most < _MOST and ended and stop < _STOP_SECONDS else 1)


def tell(name: str, beat: Beat) -> None:
    for what, gaps in (("worst gap", beat.wall), ("held", beat.held), ("own work", beat.own)):
        note = f"99.9 % under {gaps.share(0.999)}; {gaps.over} of {gaps.count} over 16"
        figure(f"{name}: {what}, at most", gaps.most, "ms", "< 16", note)
    if beat.unseen.count:
        note = f"99.9 % under {beat.unseen.share(0.999)}"
        figure(f"{name}: while nobody looks, at most", beat.unseen.most, "ms", "", note)
    for place, many in beat.seen.most_common(8):
        print(f"{name}: held {many} times near {place}", flush=True)


def _until(file: Path, seconds: float) -> None:
    """Until it is there, or so long."""
    loop, looks = QEventLoop(), QTimer()
    looks.timeout.connect(lambda: loop.quit() if file.exists() else None)
    looks.start(200)
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()
    looks.stop()


if __name__ == "__main__":
    main()
