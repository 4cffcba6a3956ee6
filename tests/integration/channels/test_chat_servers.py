"""Real servers of the channel tests: they come up, come back after a crash, and leave nothing."""

from __future__ import annotations

import contextlib
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.desktop.driver import wait_until
from tests.fakes.chat_servers import (
    HOST,
    LINUX_ONLY,
    ChatServer,
    dovecot,
    inspircd,
    mosquitto,
    ngircd,
    prosody,
)

pytestmark = LINUX_ONLY
QUICK = [ngircd, inspircd, prosody, dovecot, mosquitto]  # Synapse: tests of the Matrix channel


@pytest.mark.parametrize("start", QUICK)
def test_a_server_comes_up_and_comes_back_after_a_crash(
    tmp_path: Path, start: Callable[[Path], contextlib.AbstractContextManager[ChatServer]]
) -> None:
    with start(tmp_path) as server:
        before = server.process
        server.kill()
        # A server of several processes: the last of them may have the port for a moment longer.
        wait_until(lambda: not listens(server.port), "nobody to be at the port")
        server.start()
        assert listens(server.port) and server.process is not before
        process = server.process
    assert isinstance(process, subprocess.Popen) and process.returncode is not None
    wait_until(lambda: not listens(server.port), "nobody to be at the port")


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), 5):
        return True
    return False
