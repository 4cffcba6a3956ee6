"""Storage against a real full disk and real processes."""

import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import StoreBusy
from moltbot_desktop.storage.jsonl import read_jsonl
from moltbot_desktop.storage.locks import FileLock

ROOT = Path(__file__).parents[3]

FULL = """
import resource, signal, sys
from pathlib import Path
from moltbot_desktop.core.errors import DiskFull
from moltbot_desktop.storage.jsonl import JsonlLog
from moltbot_desktop.storage.files import write_atomic
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
folder = Path(sys.argv[1])
write_atomic(folder / "whole", b"old")
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
log, count = JsonlLog(folder / "log"), 0
try:
    while True:
        log.append({"n": count, "pad": "x" * 100})
        count += 1
except DiskFull:
    pass
try:
    write_atomic(folder / "whole", b"n" * 5000)
except DiskFull:
    print(count)
"""

HOLD = """
import sys
from pathlib import Path
from moltbot_desktop.storage.locks import FileLock
FileLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
sys.stdin.read()
"""


def test_a_file_that_may_not_grow_keeps_every_record_written_before(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    content = read_jsonl(tmp_path / "log")
    assert [record["n"] for record in content.records] == list(range(int(done.stdout)))
    assert len(content.records) > 10
    assert not content.torn_tail
    assert (tmp_path / "whole").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "whole"]


def test_a_lock_is_held_between_processes_and_freed_by_a_kill(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "lock")],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy):
            FileLock(tmp_path / "lock").acquire()
        holder.send_signal(signal.SIGKILL)
    with FileLock(tmp_path / "lock"):
        pass
