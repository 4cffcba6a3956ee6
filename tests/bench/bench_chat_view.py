"""How long the window's thread is held while an answer streams into a full window.

Run: PYTHONPATH=. python tests/bench/bench_chat_view.py [seconds]. Prints JSON. A 2 ms timer
measures gaps of the event loop, by the clock (`wall`, which on a busy machine also counts the
work of others) and by the processor time of this thread (`cpu`, what we did ourselves between two
ticks). Another thread posts 100 pieces a second through the real mailbox.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.qt.mailbox import Mailbox
from moltbot_desktop.qt.worker import Worker
from moltbot_desktop.ui.appearance import dress
from moltbot_desktop.ui.entrance import make_application
from moltbot_desktop.ui.icons import Icons
from moltbot_desktop.ui.main_window import MainWindow
from moltbot_desktop.ui.parts import WindowParts
from moltbot_desktop.ui.theme import LIGHT
from tests.fakes.assistant_client import FakeAssistantClient, stored

RESOURCES = Path(__file__).parents[2] / "resources"
PIECES_PER_SECOND = 100
ANSWER = """Here is **what I found** about `sorting`, with a [source](https://example.org):

- the first point is short
- the second one is longer, so that it wraps around to the next line of the column at least once
- 第三点是中文的，也要换行显示得好看

## A heading

```python
def merge(left: list[int], right: list[int]) -> list[int]:
    # smallest first
    return sorted([*left, *right])
```

1. one
2. two

> a quotation of some length, to be drawn with a bar beside it

| a | b |
|---|---|
| 1 | 2 |

"""


class Heartbeat:
    """Gaps between the ticks of a 2 ms timer, in ms, by both clocks.

    Attributes:
        gaps: beginning and end of each, in milliseconds of `time.perf_counter`.
    """

    def __init__(self) -> None:
        self._wall: list[float] = []
        self._cpu: list[float] = []
        self.gaps: list[tuple[float, float]] = []
        self._last = (0.0, 0.0)
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(2)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self._last = (time.perf_counter(), time.thread_time())
        self._timer.start()

    def stop(self) -> dict[str, float | int]:
        self._timer.stop()
        wall, cpu = sorted(self._wall), sorted(self._cpu)
        at_99 = int(len(wall) * 0.99)
        return {
            "wall_median_ms": round(wall[len(wall) // 2], 1),
            "wall_p99_ms": round(wall[at_99], 1),
            "wall_max_ms": round(wall[-1], 1),
            "wall_over_16_ms": sum(gap > 16 for gap in wall),
            "cpu_p99_ms": round(cpu[at_99], 1),
            "cpu_max_ms": round(cpu[-1], 1),
            "cpu_over_16_ms": sum(gap > 16 for gap in cpu),
            "ticks": len(wall),
        }

    def _tick(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        self.gaps.append((self._last[0] * 1000, now[0] * 1000))
        self._wall.append((now[0] - self._last[0]) * 1000)
        self._cpu.append((now[1] - self._last[1]) * 1000)
        self._last = now


def spin(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(int(seconds * 1000), loop.quit)
    loop.exec()


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    sys.setswitchinterval(0.0003)
    application = make_application("en", RESOURCES)
    dress(application, LIGHT, RESOURCES)
    worker = Worker()
    folder = tempfile.TemporaryDirectory()
    parts = WindowParts(
        Icons(RESOURCES), worker, SystemClock(), LIGHT, application.font(), Path(folder.name) / "w"
    )
    window = MainWindow(parts)
    window.resize(900, 800)
    window.show()
    client = FakeAssistantClient(items=stored([ANSWER] * 150))
    mailbox = Mailbox(window.deliver)
    client.subscribe(mailbox.post)
    figures: dict[str, object] = {}

    beat = Heartbeat()
    beat.start()
    begun = time.perf_counter()
    window.set_client(client)
    loop = QEventLoop()
    window.chat.transcript.drawn.connect(loop.quit)
    loop.exec()
    figures["history_150_s"] = round(time.perf_counter() - begun, 2)
    spin(1.0)
    figures["history_gaps"] = beat.stop()

    spin(0.3)
    run_id = RunId("bench")
    stop = threading.Event()

    def produce() -> None:
        client.start(run_id, "Tell me about sorting")
        text, at = "", 0
        while not stop.wait(1 / PIECES_PER_SECOND):
            piece = (ANSWER * 40)[at : at + 5]
            at += 5
            text += piece
            client.say(run_id, piece)
        client.end(run_id, text)

    beat = Heartbeat()
    beat.start()
    cpu = time.process_time()
    thread = threading.Thread(target=produce)
    thread.start()
    spin(seconds)
    used = time.process_time() - cpu
    figures["streaming_gaps"] = beat.stop()
    figures["streaming_cpu_percent"] = round(100 * used / seconds, 1)
    beat = Heartbeat()
    beat.start()
    stop.set()
    thread.join()
    spin(1.0)
    figures["end_of_answer_gaps"] = beat.stop()

    beat = Heartbeat()
    beat.start()
    QTimer.singleShot(10, lambda: window.resize(700, 800))
    spin(0.5)
    figures["resize_gaps"] = beat.stop()
    print(json.dumps(figures, indent=1))
    mailbox.close()
    worker.close()
    window.deleteLater()
    folder.cleanup()


if __name__ == "__main__":
    main()
