"""Start-up and idle, beside a minimal PySide6 tray program on the same desktop in the same run.

    python tests/bench/bench_start.py [--rounds 5] [--idle-seconds 30]

The two start in turn, so that what else the machine does meets both. Both stand in the tray without
a window; the minimal one is the least that PySide6 can be: an icon and its menu.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.e2e.desktop.driver import VirtualDesktop, missing_programs, virtual_desktop, wait_until
from tests.e2e.program import CHECKOUT

MINIMAL = """
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon
application = QApplication([])
application.setQuitOnLastWindowClosed(False)
picture = QPixmap(22, 22)
picture.fill(QColor("teal"))
menu = QMenu()
menu.addAction("Quit", application.quit)
tray = QSystemTrayIcon(QIcon(picture))
tray.setContextMenu(menu)
tray.show()
application.exec()
"""
OURS = (sys.executable, "-m", "moltbot_desktop", "--hidden")
BARE = (sys.executable, "-c", MINIMAL)
ASK = (sys.executable, "-m", "moltbot_desktop", "status")
MOST_TIMES_START, MOST_TIMES_RSS, MOST_CPU_PERCENT = 1.4, 2.0, 0.2
WAKES_OF_A_SECOND = 1.5
SETTLE_SECONDS = 12.0
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
_BARE_TRAY_PX = 20
_LONGEST_SECONDS = 120
LISTENING = "0A"


@dataclass(frozen=True)
class Figures:
    """Of one run.

    Attributes:
        tray: seconds from its start until it stands in the tray.
        busy: seconds of processor time it took until then.
        rss: bytes, of it and what it started, once it is idle.
        cpu: percent of one processor while idle.
        quickest: wake-ups a second of its most restless thread, and the thread's name.
        ports: how many TCP ports it listens on.
    """

    tray: float
    busy: float
    rss: int
    cpu: float
    quickest: tuple[float, str]
    ports: int


def measured(
    desktop: VirtualDesktop, command: Sequence[str], idle: float, *, ask: bool = False
) -> Figures:
    """Figures of one run.

    Args:
        idle: seconds to look at it when it has nothing to do; 0 for its start alone.
        ask: its assistant is asked something first, and so is there from then on.
    """
    wait_until(lambda: 0 <= _tray_width(desktop) <= _BARE_TRAY_PX, "an empty tray", 60)
    empty = _tray_width(desktop)
    began = time.perf_counter()
    with _running(command, desktop) as process:
        _wait_for_icon(desktop, empty)
        tray, busy = time.perf_counter() - began, _processor_seconds(process.pid)
        if not idle:
            return Figures(tray, busy, 0, 0.0, (0.0, ""), 0)
        time.sleep(SETTLE_SECONDS)
        if ask:
            subprocess.run(ASK, env=desktop.environment, stdout=subprocess.DEVNULL, check=True)
            time.sleep(SETTLE_SECONDS)
        before, woken, since = (
            _processor_seconds(process.pid),
            _wakes(process.pid),
            time.monotonic(),
        )
        time.sleep(idle)
        seconds = time.monotonic() - since
        after, now = _processor_seconds(process.pid), _wakes(process.pid)
        rates = [((count - woken.get(one, 0)) / seconds, one[1]) for one, count in now.items()]
        cpu = 100 * (after - before) / seconds
        return Figures(tray, busy, _rss(process.pid), cpu, max(rates), _ports(process.pid))


@contextmanager
def _running(command: Sequence[str], desktop: VirtualDesktop) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        command,
        env=desktop.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for_icon(desktop: VirtualDesktop, empty: int) -> None:
    """Without the pauses of `wait_until`: they are a third of what is measured, and made 1.5 of
    whatever was a little more than 1."""
    last = time.monotonic() + _LONGEST_SECONDS
    while _tray_width(desktop) <= empty:
        if time.monotonic() > last:
            raise TimeoutError("no icon came into the tray")


def _tray_width(desktop: VirtualDesktop) -> int:
    """-1 while the tray cannot be asked: a window that came and went confuses xdotool."""
    try:
        return desktop.tray_width()
    except (AssertionError, IndexError, KeyError):
        return -1


def _family(pid: int) -> list[int]:
    """It and all that it started."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    below = [int(one) for file in children for one in file.read_text().split()]
    return [pid, *(one for child in below for one in _family(child))]


def _processor_seconds(pid: int) -> float:
    """Of all its threads, and of what it started and still runs."""
    fields = [
        Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in _family(pid)
    ]
    return sum(int(one[11]) + int(one[12]) for one in fields) / TICKS


def _rss(pid: int) -> int:
    pages = [Path(f"/proc/{one}/statm").read_text().split()[1] for one in _family(pid)]
    return sum(map(int, pages)) * PAGE


def _wakes(pid: int) -> dict[tuple[str, str], int]:
    """How often each thread has woken up, by its id and name."""
    found = {}
    for one in _family(pid):
        for task in Path(f"/proc/{one}/task").iterdir():
            status = (task / "status").read_text()
            lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
            found[task.name, lines["Name"]] = int(lines["voluntary_ctxt_switches"])
    return found


def _ports(pid: int) -> int:
    """TCP sockets of its own that listen."""
    mine = set()
    for one in _family(pid):
        for entry in Path(f"/proc/{one}/fd").iterdir():
            try:
                mine.add(str(entry.readlink()))
            except FileNotFoundError:  # closed meanwhile
                continue
    rows = [
        line.split()
        for name in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
    ]
    return sum(row[3] == LISTENING and f"socket:[{row[9]}]" in mine for row in rows)


def tell(name: str, value: object, target: str, held: bool, note: str = "") -> None:
    row = {"name": name, "value": value, "target": target, "held": held, "note": note}
    sys.stdout.write(json.dumps(row) + "\n")


def _beside(ours: Figures, bare: Figures) -> str:
    return f"{ours.rss / 2**20:.0f} MiB beside {bare.rss / 2**20:.0f} MiB"


def main(argv: Sequence[str]) -> int:
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--rounds", type=int, default=5)
    wanted.add_argument("--idle-seconds", type=float, default=30.0)
    chosen = wanted.parse_args(argv)
    if missing_programs() or sys.platform != "linux":
        sys.stdout.write(f"Needs Linux with a virtual desktop: {missing_programs()}\n")
        return 1
    os.environ["PYTHONPATH"] = str(CHECKOUT)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        home.mkdir()
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder, "compiled"))
        ours, bare, awake = rounds(home, chosen.rounds, chosen.idle_seconds)
    return report(ours, bare, awake)


def rounds(
    home: Path, count: int, idle_seconds: float
) -> tuple[Sequence[Figures], Sequence[Figures], Figures]:
    """Ours and the bare ones, in turn, and ours once when its rest is over."""
    ours, bare = [], []
    with virtual_desktop(home) as desktop:
        measured(desktop, BARE, 0)  # files are read from the disk once before it counts
        measured(desktop, OURS, 1)  # ... and compiled as an installation is, to the last module
        for number in range(count):
            idle = idle_seconds if number == 0 else 0
            bare.append(measured(desktop, BARE, idle))
            ours.append(measured(desktop, OURS, idle))
        awake = measured(desktop, OURS, idle_seconds, ask=True)
    return ours, bare, awake


def report(ours: Sequence[Figures], bare: Sequence[Figures], awake: Figures) -> int:
    start = statistics.median(one.tray for one in ours), statistics.median(one.tray for one in bare)
    busy = statistics.median(one.busy for one in ours), statistics.median(one.busy for one in bare)
    times, first, least = start[0] / start[1], ours[0], bare[0]
    tell(
        *("tray visible, times a minimal program", round(times, 2), f"<= {MOST_TIMES_START}"),
        *(times <= MOST_TIMES_START, f"{start[0]:.2f} s beside {start[1]:.2f} s"),
    )
    tell(
        *("processor time until then, times", round(busy[0] / busy[1], 2), "", True),
        f"{busy[0]:.2f} s beside {busy[1]:.2f} s",
    )
    size = first.rss / least.rss
    tell(
        *("RSS without a model, times", round(size, 2), f"<= {MOST_TIMES_RSS}"),
        *(size <= MOST_TIMES_RSS, _beside(first, least)),
    )
    size = awake.rss / least.rss
    tell(
        "RSS once the assistant was needed, times", round(size, 2), "", True, _beside(awake, least)
    )
    for name, one in (("", first), (" once the assistant was needed", awake)):
        tell(
            *(f"idle processor{name}, percent", round(one.cpu, 3), f"< {MOST_CPU_PERCENT}"),
            *(one.cpu < MOST_CPU_PERCENT, f"minimal: {least.cpu:.3f}"),
        )
        rate, thread = one.quickest
        tell(
            *(f"wake-ups a second{name}, most restless thread", round(rate, 2)),
            *(f"< {WAKES_OF_A_SECOND}", rate < WAKES_OF_A_SECOND),
            f"{thread}; minimal: {least.quickest[0]:.2f}",
        )
        tell(f"listening ports{name}", one.ports, "0", one.ports == 0)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
