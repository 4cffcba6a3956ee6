"""Fetches a model file: goes on where it was cut, believes nothing it has not checked.

    with Egress(rule) as door:
        download = Download(door, clock, on_progress)
        download.fetch(Source(url, size=None, sha256=None), folder / "x.gguf")

The hub is asked first what it would send (size, version, checksum); a part that is here is
continued when it belongs to that very version. The file gets its name only when it is whole and
its sha256 is right: the catalogue's, or else the one the hub gives as the etag of a large file.
A hub that says neither is refused, because right-sized wrong bytes could not be told.

A broken connection is tried again by itself; what says no for good (no such file, no access, no
room, wrong bytes) is told at once. Ctrl-C or a crash leave the part.
"""

from __future__ import annotations

import random
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import (
    DiskFull,
    DownloadFailed,
    NetworkError,
    StoreBusy,
)
from moltbot_desktop.core.progress import Phase
from moltbot_desktop.models.pace import Listener, Pace, RetryPolicy, StallWatch
from moltbot_desktop.models.partial import PartialFile, RemoteFile
from moltbot_desktop.security.egress import Egress, Hop, Reply

SPARE_DISK_BYTES = 256 * 2**20
_LOOK_AT_DISK_BYTES = 32 * 2**20
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")
_TRY_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_AGAIN = "Try again later; what is here is kept."


@dataclass(frozen=True)
class Source:
    """What to fetch, and what is known about it beforehand (None: the hub's word counts).

    Attributes:
        size: bytes.
        sha256: 64 hex digits, lower case.
    """

    url: str
    size: int | None = None
    sha256: str | None = None


class _TryAgain(Exception):
    """This attempt failed in a way that another one may not."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.wait = wait


class Download:
    """Fetches one file at a time, in the thread that calls `fetch`.

    How often it tries again, and for how long, is `RetryPolicy`'s.
    """

    def __init__(
        self,
        door: Egress,
        clock: Clock,
        tell: Listener,
        policy: RetryPolicy | None = None,
        *,
        jitter: Callable[[], float] = random.random,
        sleep: Callable[[float], None] = time.sleep,
        free_space: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        """Nothing connects before `fetch`.

        Args:
            tell: told how it goes, in the thread of `fetch`.
            jitter: a number from 0 to 1.
            sleep: waits so many seconds before the next try.
            free_space: bytes that are free where a folder lies.
        """
        self._door = door
        self._clock = clock
        self._tell = tell
        self._policy = policy or RetryPolicy()
        self._jitter = jitter
        self._sleep = sleep
        self._free_space = free_space

    def fetch(self, source: Source, target: Path) -> Path:
        """`target`, whole and checked; a file that has the name already is taken as it is.

        Raises:
            DownloadFailed: it is not to be had, or not what it should be.
            NetworkError: the hub cannot be reached at all, or (EgressRefused) may not be.
            StorageError: no room, or the folder cannot be written.
        """
        partial = PartialFile(target)
        partial.prepare()
        with _held(partial, target.name):
            if target.exists():
                return target  # another process has just finished it
            return self._persist(source, partial)

    def _persist(self, source: Source, partial: PartialFile) -> Path:
        failures, furthest = 0, 0
        pace: Pace | None = None
        while True:
            try:
                remote = self._inspect(source, partial.target.name)
                if pace is None or pace.total != remote.size:
                    pace = Pace(partial.target.name, remote.size, self._clock, self._tell)
                self._complete(source, remote, partial, pace)
                return self._checked(remote, partial, pace)
            except NetworkError as error:
                # Not even once reached: nobody wants to wait for what will not come.
                if pace is None or not error.retryable:
                    raise
                trouble = _TryAgain(error.message)
            except _TryAgain as again:
                trouble = again
            # Bytes that were here before are no progress: a hub that makes it start over would
            # keep it busy for ever.
            failures = 1 if partial.length > furthest else failures + 1
            furthest = max(furthest, partial.length)
            if failures > self._policy.attempts:
                raise DownloadFailed(
                    f"“{partial.target.name}” could not be fetched: {trouble.reason}", hint=_AGAIN
                )
            self._wait(failures, trouble, pace)

    def _wait(self, failures: int, trouble: _TryAgain, pace: Pace | None) -> None:
        if pace is not None:
            pace.wait(trouble.reason)
        self._sleep(self._policy.wait(failures, self._jitter(), trouble.wait))

    def _inspect(self, source: Source, name: str) -> RemoteFile:
        hops = self._door.head(source.url)
        _judge_status(hops, name)
        etag = _etag(hops)
        size = _number(_first(hops, "x-linked-size") or hops[-1].headers.get("content-length"))
        promised = etag if _SHA256.fullmatch(etag) else None
        if size is None or size == 0:
            raise DownloadFailed(f"The hub does not say how large “{name}” is.", hint=_BY_HAND)
        if source.size is not None and size != source.size:
            raise DownloadFailed(
                f"The hub's “{name}” has {size:,} bytes and should have {source.size:,}.",
                hint="It is another file than the catalogue names; choose another model.",
            )
        if source.sha256 and promised and source.sha256 != promised:
            raise DownloadFailed(
                f"The hub's “{name}” is another file than the catalogue names (its checksum"
                f" begins with {promised[:12]} and should with {source.sha256[:12]}).",
                hint="Choose another model, or another hub (models.hub in moltbot.json).",
            )
        sha256 = source.sha256 or promised
        if sha256 is None:
            raise DownloadFailed(
                f"The hub gives no checksum for “{name}”, so it cannot be checked.", hint=_BY_HAND
            )
        return RemoteFile(etag, size, sha256)

    def _complete(
        self, source: Source, remote: RemoteFile, partial: PartialFile, pace: Pace
    ) -> None:
        """Bring the part to its full length."""
        if partial.length == 0 or partial.recorded() != remote:
            pace.start(Phase.CHECKING, 0)
            partial.resume(remote, lambda count: pace.count(Phase.CHECKING, count))
        self._require_room(remote.size - partial.length, partial)
        pace.start(Phase.RECEIVING, partial.length)
        if partial.length == remote.size:
            return
        headers = {"Range": f"bytes={partial.length}-"} if partial.length else {}
        with self._door.get(source.url, headers) as reply:
            self._accept(reply, remote, partial, pace)
            self._receive(reply, remote, partial, pace)
        if partial.length < remote.size:
            raise _TryAgain("The connection ended before the whole file had come.")

    def _accept(self, reply: Reply, remote: RemoteFile, partial: PartialFile, pace: Pace) -> None:
        """See that the reply is the rest of this very file; a whole one starts over."""
        if reply.status == 416:
            partial.discard()
            raise _TryAgain("The hub and the part that is here do not fit together.")
        _judge_status(reply.hops, partial.target.name)
        if _etag(reply.hops) != remote.etag:
            raise _TryAgain("The file was changed on the hub just now.")
        if reply.status == 206:
            found = _CONTENT_RANGE.fullmatch(reply.headers.get("content-range", ""))
            if found is None or (int(found[1]), int(found[3])) != (partial.length, remote.size):
                raise _TryAgain("The hub sent another piece than the one asked for.")
        elif partial.length:
            partial.restart(remote)
            pace.start(Phase.RECEIVING, 0)

    def _receive(self, reply: Reply, remote: RemoteFile, partial: PartialFile, pace: Pace) -> None:
        watch = StallWatch(self._policy, self._clock)
        looked_at = partial.length
        with partial.open() as file:
            for block in reply.blocks():
                if partial.length + len(block) > remote.size:
                    raise _TryAgain("The hub sends more than it said.")
                partial.add(file, block)
                pace.count(Phase.RECEIVING, len(block))
                if watch.stalled(len(block)):
                    raise _TryAgain("Next to nothing came in any more.")
                if partial.length - looked_at >= _LOOK_AT_DISK_BYTES:
                    looked_at = partial.length
                    self._require_room(remote.size - partial.length, partial)

    def _require_room(self, needed: int, partial: PartialFile) -> None:
        free = self._free_space(partial.part.parent)
        if needed and free < needed + SPARE_DISK_BYTES:
            raise DiskFull(
                f"“{partial.target.name}” still needs {needed / 1e9:.2f} GB of disk and"
                f" {SPARE_DISK_BYTES / 1e9:.2f} GB to spare; {free / 1e9:.2f} GB are free.",
                hint="Free some space, or set models.folder to another disk, and try again.",
            )

    def _checked(self, remote: RemoteFile, partial: PartialFile, pace: Pace) -> Path:
        found = partial.digest()
        if found != remote.sha256:
            partial.discard()
            raise DownloadFailed(
                f"“{partial.target.name}” has the right size and wrong bytes (its checksum begins"
                f" with {found[:12]} and should with {remote.sha256[:12]}). It was removed.",
                hint="Try again; if it happens twice, the hub or the network changes the file.",
            )
        path = partial.finish()
        pace.start(Phase.DONE, remote.size)
        return path


_BY_HAND = "Download it by other means, and add it with: moltbot-desktop models import FILE"


@contextmanager
def _held(partial: PartialFile, name: str) -> Iterator[None]:
    try:
        partial.lock.acquire()
    except StoreBusy:
        raise DownloadFailed(
            f"“{name}” is already being fetched by another Moltbot Desktop.",
            hint="Wait for that one, or stop it first.",
        ) from None
    try:
        yield
    finally:
        partial.lock.release()


def _judge_status(hops: Sequence[Hop], name: str) -> None:
    status = hops[-1].status
    if status in (200, 206):
        return
    if status in _TRY_LATER:
        asked = _number(hops[-1].headers.get("retry-after")) or 0
        raise _TryAgain(f"The hub is busy (HTTP {status}).", float(asked))
    if status in (401, 403):
        raise DownloadFailed(
            f"The hub does not give “{name}” to everybody (HTTP {status}).",
            hint="Accept its terms on the hub's page, download it there, and add it with:"
            " moltbot-desktop models import FILE",
        )
    if status in (404, 410):
        raise DownloadFailed(
            f"The hub has no file “{name}” (HTTP {status}).",
            hint="Choose another model, or another hub (models.hub in moltbot.json).",
        )
    raise DownloadFailed(f"The hub answered with HTTP {status}.", hint=_AGAIN)


def _etag(hops: Sequence[Hop]) -> str:
    """The version: the hub's own word on a large file, else the last server's."""
    text = _first(hops, "x-linked-etag") or hops[-1].headers.get("etag", "")
    return text.removeprefix("W/").strip('"').lower()


def _first(hops: Sequence[Hop], header: str) -> str | None:
    # A large file is redirected to a file server, and only the hub itself knows its checksum.
    return next((hop.headers[header] for hop in hops if header in hop.headers), None)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None


def hub_address(configured: str, environ: Mapping[str, str]) -> str:
    """The hub to ask: `HF_ENDPOINT`, as other programs read it too, or the configured one."""
    return (environ.get("HF_ENDPOINT", "").strip() or configured).rstrip("/")
