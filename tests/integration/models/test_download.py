"""Downloads from a hub on loopback that cuts, stalls, lies and changes its mind.

Real sockets and real files; the hub is tests/fakes/hub.py. Waiting between tries is set to
nothing, and no test judges time.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.core.errors import (
    DiskFull,
    DownloadFailed,
    EgressRefused,
    NetworkError,
)
from moltbot_desktop.core.progress import Phase, TransferProgress
from moltbot_desktop.models.download import SPARE_DISK_BYTES, Download, Source
from moltbot_desktop.models.pace import RetryPolicy
from moltbot_desktop.models.partial import PARTIAL_FOLDER, PartialFile, unfinished
from moltbot_desktop.security.egress import Egress, EgressRule, Timeouts
from tests.fakes.hub import FakeHub

PATH = "owner/repo/resolve/main/model.gguf"
SIZE = 3 * 2**20 + 12_345
AT_ONCE = RetryPolicy(attempts=3, first_wait=0.0)
HERE = EgressRule(frozenset({"127.0.0.1"}))


@pytest.fixture(scope="module")
def data() -> bytes:
    return random.Random(7).randbytes(SIZE)


@pytest.fixture
def hub(data: bytes) -> Iterator[FakeHub]:
    with FakeHub({PATH: data}) as hub:
        yield hub


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "files" / "model.gguf"


class Fetching:
    """A download of the hub's file with everything it told."""

    def __init__(self, hub: FakeHub, **more) -> None:
        self.told: list[TransferProgress] = []
        timeouts = Timeouts(connect=5.0, read=more.pop("read", 5.0))
        self.door = Egress(more.pop("rule", HERE), timeouts)
        policy = more.pop("policy", AT_ONCE)
        self.download = Download(self.door, SystemClock(), self.told.append, policy, **more)
        self.url = f"{hub.url}/{PATH}"

    def fetch(self, target: Path, size: int | None = None, sha256: str | None = None) -> Path:
        with self.door:
            return self.download.fetch(Source(self.url, size, sha256), target)


def left_over(target: Path) -> list[str]:
    folder = target.parent / PARTIAL_FOLDER
    return sorted(path.suffix for path in folder.iterdir() if path.suffix != ".lock")


def test_a_whole_file_arrives_under_its_name_only(hub: FakeHub, data: bytes, target: Path) -> None:
    seen = []
    hub.trouble.after_block = lambda sent: seen.append(target.exists())
    fetching = Fetching(hub)
    assert fetching.fetch(target) == target
    assert target.read_bytes() == data
    assert seen and not any(seen[:-1])
    assert left_over(target) == [] and unfinished(target.parent) == ()
    assert fetching.told[-1].phase is Phase.DONE
    assert fetching.told[-1].done == fetching.told[-1].total == SIZE
    assert hub.sent == SIZE


def test_a_cut_connection_goes_on_where_it_was_cut(hub: FakeHub, data: bytes, target: Path) -> None:
    hub.trouble.cuts = [1_000_000, 500_001]
    Fetching(hub).fetch(target)
    assert target.read_bytes() == data
    starts = [int(asked[6:-1]) if asked else 0 for asked in hub.ranges_asked()]
    assert starts == [0, 1_000_000, 1_500_001]
    assert hub.sent == SIZE, "bytes were fetched twice"


def test_what_another_process_left_is_taken_up(hub: FakeHub, data: bytes, target: Path) -> None:
    hub.trouble.cuts = [2**20] + [0] * 10
    with pytest.raises(DownloadFailed, match="could not be fetched"):
        Fetching(hub).fetch(target)
    (paused,) = unfinished(target.parent)
    assert (paused.name, paused.done, paused.total) == ("model.gguf", 2**20, SIZE)
    assert not target.exists()
    hub.trouble.cuts, hub.sent = [], 0
    later = Fetching(hub)
    later.fetch(target)
    assert target.read_bytes() == data
    assert hub.sent == SIZE - 2**20
    assert later.told[0].phase is Phase.CHECKING


def test_a_stalled_connection_is_left_and_taken_up(hub: FakeHub, data: bytes, target: Path) -> None:
    hub.trouble.stall_at = 700_000
    fetching = Fetching(hub, read=0.2)
    fetching.fetch(target)
    assert target.read_bytes() == data and hub.sent == SIZE
    assert any(told.phase is Phase.WAITING and told.reason for told in fetching.told)


def test_a_drip_counts_as_a_stall(hub: FakeHub, data: bytes, target: Path) -> None:
    policy = RetryPolicy(attempts=3, first_wait=0.0, stall_seconds=0.0, stall_bytes=2**40)
    hub.trouble.block = 2**19
    fetching = Fetching(hub, policy=policy)
    fetching.fetch(target)
    assert target.read_bytes() == data
    assert "Next to nothing came in any more." in {told.reason for told in fetching.told}


def test_wrong_bytes_of_the_right_size_are_refused_and_removed(hub: FakeHub, target: Path) -> None:
    hub.trouble.wrong_bytes = True
    with pytest.raises(DownloadFailed, match="right size and wrong bytes"):
        Fetching(hub).fetch(target)
    assert not target.exists() and left_over(target) == []


def test_a_damaged_part_is_found_out(hub: FakeHub, data: bytes, target: Path) -> None:
    hub.trouble.cuts = [2**20] + [0] * 10
    with pytest.raises(DownloadFailed):
        Fetching(hub).fetch(target)
    part = PartialFile(target).part
    part.write_bytes(b"\0" * part.stat().st_size)
    hub.trouble.cuts = []
    with pytest.raises(DownloadFailed, match="wrong bytes"):
        Fetching(hub).fetch(target)
    Fetching(hub).fetch(target)
    assert target.read_bytes() == data


@pytest.mark.parametrize("difference", [-1, 1])
def test_another_size_than_the_catalogue_names(hub: FakeHub, target: Path, difference: int) -> None:
    with pytest.raises(DownloadFailed, match="should have"):
        Fetching(hub).fetch(target, size=SIZE + difference)
    assert hub.sent == 0


def test_another_checksum_than_the_catalogue_names(hub: FakeHub, target: Path) -> None:
    with pytest.raises(DownloadFailed, match="another file than the catalogue"):
        Fetching(hub).fetch(target, sha256="0" * 64)
    assert hub.sent == 0


def test_the_catalogues_checksum_serves_a_hub_without_one(
    hub: FakeHub, data: bytes, target: Path
) -> None:
    hub.trouble.linked = False
    with pytest.raises(DownloadFailed, match="no checksum"):
        Fetching(hub).fetch(target)
    Fetching(hub).fetch(target, sha256=hashlib.sha256(data).hexdigest())
    assert target.read_bytes() == data


@pytest.mark.parametrize("said", [SIZE - 1000, SIZE + 1000])
def test_a_hub_that_lies_about_the_size(hub: FakeHub, target: Path, said: int) -> None:
    hub.trouble.said_size = said
    with pytest.raises(DownloadFailed):
        Fetching(hub).fetch(target)
    assert not target.exists()


@pytest.mark.parametrize(
    ("status", "words"), [(404, "no file"), (401, "everybody"), (403, "everybody"), (418, "418")]
)
def test_a_no_is_told_at_once(hub: FakeHub, target: Path, status: int, words: str) -> None:
    hub.trouble.statuses = [(status, {})]
    with pytest.raises(DownloadFailed, match=words) as failed:
        Fetching(hub).fetch(target)
    assert failed.value.hint and hub.asked == []


def test_a_busy_hub_is_asked_again(hub: FakeHub, data: bytes, target: Path) -> None:
    hub.trouble.statuses = [(503, {}), (429, {"Retry-After": "0"})]
    Fetching(hub).fetch(target)
    assert target.read_bytes() == data


def test_a_busy_hub_says_how_long_to_wait(hub: FakeHub, target: Path) -> None:
    hub.trouble.statuses = [(429, {"Retry-After": "7"})]
    waits: list[float] = []
    Fetching(hub, policy=RetryPolicy(), sleep=waits.append).fetch(target)
    assert waits == [7.0]


def test_redirects_are_followed_so_far(hub: FakeHub, data: bytes, target: Path) -> None:
    hub.trouble.hops = 5
    Fetching(hub).fetch(target)
    assert target.read_bytes() == data


def test_a_redirect_loop_ends(hub: FakeHub, target: Path) -> None:
    hub.trouble.hops = 1_000
    with pytest.raises(EgressRefused, match="on and on"):
        Fetching(hub).fetch(target)


@pytest.mark.parametrize(
    "place",
    [
        "http://files.example/x",
        "https://10.0.0.1/x",
        "https://169.254.169.254/x",
        "file:///etc/passwd",
        "",
    ],
)
def test_a_redirect_to_where_it_may_not_go(hub: FakeHub, target: Path, place: str) -> None:
    hub.trouble.location = place
    hub.trouble.hops = 1 if place else 1_000
    rule = EgressRule(frozenset({"127.0.0.1"}), public_https=True)
    with pytest.raises(EgressRefused):
        Fetching(hub, rule=rule).fetch(target)


def test_a_hub_without_ranges_starts_over(hub: FakeHub, data: bytes, target: Path) -> None:
    hub.trouble.ranges = False
    hub.trouble.cuts = [1_000_000]
    Fetching(hub).fetch(target)
    assert target.read_bytes() == data
    assert hub.sent == SIZE + 1_000_000


def test_a_hub_that_sends_another_piece_is_not_believed(hub: FakeHub, target: Path) -> None:
    hub.trouble.wrong_range = True
    hub.trouble.cuts = [1_000_000]
    with pytest.raises(DownloadFailed, match="another piece"):
        Fetching(hub).fetch(target)


def test_a_file_that_changed_between_two_tries_is_fetched_anew(
    hub: FakeHub, data: bytes, target: Path
) -> None:
    hub.trouble.cuts = [2**20] + [0] * 10
    with pytest.raises(DownloadFailed):
        Fetching(hub).fetch(target)
    hub.files[PATH] = changed = data[::-1] + b"more"
    hub.trouble.cuts = []
    Fetching(hub).fetch(target)
    assert target.read_bytes() == changed


def test_a_second_process_says_that_the_first_is_at_it(hub: FakeHub, target: Path) -> None:
    first = PartialFile(target)
    first.prepare()
    with first.lock, pytest.raises(DownloadFailed, match="already being fetched"):
        Fetching(hub).fetch(target)
    assert hub.asked == []


def test_a_full_disk_is_told_before_anything_is_fetched(hub: FakeHub, target: Path) -> None:
    with pytest.raises(DiskFull, match="still needs"):
        Fetching(hub, free_space=lambda folder: SIZE).fetch(target)
    assert hub.sent == 0


def test_a_disk_that_fills_up_meanwhile_keeps_the_part(
    hub: FakeHub, data: bytes, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moltbot_desktop.models.download._LOOK_AT_DISK_BYTES", 2**20)
    room = iter([SIZE + SPARE_DISK_BYTES, SPARE_DISK_BYTES])
    with pytest.raises(DiskFull):
        Fetching(hub, free_space=lambda folder: next(room)).fetch(target)
    assert unfinished(target.parent)[0].done >= 2**20
    Fetching(hub).fetch(target)
    assert target.read_bytes() == data


def test_no_space_left_in_the_middle_of_a_write(
    hub: FakeHub, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.parent.mkdir()
    (target.parent / PARTIAL_FOLDER).mkdir()
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    monkeypatch.setattr(PartialFile, "open", lambda self: full.open("ab", buffering=0))
    with pytest.raises(DiskFull):
        Fetching(hub).fetch(target)
    assert not target.exists()


def test_nobody_there_is_one_sentence_without_a_second_try(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/{PATH}"
        with Egress(HERE) as door:
            download = Download(door, SystemClock(), lambda told: None)
            with pytest.raises(NetworkError, match="could not be reached"):
                download.fetch(Source(url), tmp_path / "m.gguf")


_PULL = """
import sys
from pathlib import Path
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.models.download import Download, Source
from moltbot_desktop.security.egress import Egress, EgressRule
with Egress(EgressRule(frozenset({"127.0.0.1"}))) as door:
    Download(door, SystemClock(), lambda told: None).fetch(Source(sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix thing")
def test_kill_9_in_the_middle_loses_nothing(
    hub: FakeHub, data: bytes, target: Path, checkout: Path
) -> None:
    hub.trouble.stall_at = 2 * 2**20
    environ = {**os.environ, "PYTHONPATH": str(checkout)}
    command = [sys.executable, "-c", _PULL, f"{hub.url}/{PATH}", str(target)]
    child = subprocess.Popen(command, env=environ)
    part = PartialFile(target).part
    pause = threading.Event()
    while child.poll() is None and not (part.is_file() and part.stat().st_size == 2 * 2**20):
        pause.wait(0.02)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait(10) == -signal.SIGKILL
    assert not target.exists()
    hub.sent = 0
    Fetching(hub).fetch(target)
    assert target.read_bytes() == data
    assert hub.sent == SIZE - 2 * 2**20


def test_progress_comes_at_most_ten_times_a_second_and_never_falls(
    hub: FakeHub, target: Path
) -> None:
    hub.trouble.block = 4096
    fetching = Fetching(hub)
    fetching.fetch(target)
    done = [told.done for told in fetching.told]
    assert done == sorted(done) and len(done) < SIZE // 4096
