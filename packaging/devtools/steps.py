"""Runs the long commands of a set-up: their output to the build log, one line to the person."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from devtools.failures import explain_failure
from devtools.places import BUILD_LOG, ROOT, SetupError
from devtools.progress import Progress, doing


def run_logged(
    title: str,
    usual: float,
    argv: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Run a command that usually takes `usual` seconds; `environment` is added to ours.

    Raises SetupError with the end of the log and the next step when it fails.
    """
    progress = Progress(title, usual, sys.stderr, time.monotonic)
    with BUILD_LOG.open("ab") as log:
        start = log.tell()
        log.write(("\n$ " + " ".join(map(str, argv)) + "\n").encode())
        log.flush()
        code = wait_with_progress(start_child(argv, environment or {}, log), progress, start)
    if code == 0:
        progress.done()
        return
    progress.done("failed")
    said = BUILD_LOG.read_bytes()[start:].decode("utf-8", "replace")
    raise SetupError(explain_failure(title, said, BUILD_LOG))


def start_child(
    argv: Sequence[str | Path], environment: Mapping[str, str], log: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [str(part) for part in argv],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        # The set-up lock is inherited on purpose: if this process is killed, the next set-up
        # waits until the orphaned pip has ended and does not race with it.
        close_fds=os.name == "nt",
    )


def wait_with_progress(child: subprocess.Popen[bytes], progress: Progress, start: int) -> int:
    """Exit code of the child; meanwhile its part of the log, from `start`, is shown."""
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return child.wait(timeout=0.25)
            progress.tick(doing(tail_of(BUILD_LOG, start)))
    except BaseException:  # Ctrl-C or SIGTERM: no compiler goes on by itself
        child.terminate()
        child.wait()
        raise


def tail_of(path: Path, start: int, size: int = 4000) -> str:
    """The last bytes of a growing log, at most `size` and none before `start`."""
    with path.open("rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(start, file.tell() - size))
        return file.read().decode("utf-8", "replace")
