"""What a shell says and does when whoever has the socket cannot be understood, or says nothing."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from moltbot_desktop.gateway.rpc.frames import (
    ErrorCode,
    Request,
    Response,
    RpcFailure,
    decode,
    encode,
)
from tests.e2e.program import Program

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


class _Newer(socketserver.StreamRequestHandler):
    """An assistant of next year: it does not speak our version any more."""

    def handle(self) -> None:
        asked = decode(self.rfile.readline())
        assert isinstance(asked, Request)
        failure = RpcFailure(ErrorCode.INVALID_REQUEST, "this assistant speaks version 9")
        self.wfile.write(encode(Response(asked.id, failure=failure)))


@contextlib.contextmanager
def newer_assistant(home: Path) -> Iterator[None]:
    home.mkdir(parents=True)
    with socketserver.ThreadingUnixStreamServer(str(home / "gateway.sock"), _Newer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


def test_beside_another_version_a_question_is_answered_by_this_one(program: Program) -> None:
    with newer_assistant(program.home):
        done = program.run("ask", "What is 12 * 12?")
        assert (done.returncode, done.stdout) == (0, "12 * 12 = 144\n")
        assert "Another version of Moltbot is running (this assistant speaks version 9)" in (
            done.stderr
        )
        status = program.run("status")
        assert status.returncode == 2
        assert "speaks version 9" in status.stderr
        serve = program.run("serve")
        assert serve.returncode == 2
        assert "running already" in serve.stderr


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no stopped processes here")
def test_one_that_is_stopped_is_told_and_not_waited_for(program: Program) -> None:
    with program.started(["serve"]) as process:
        assert process.stdout is not None
        for _ in range(3):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGSTOP)
        try:
            done = program.run("status")
        finally:
            os.kill(process.pid, signal.SIGCONT)
        assert done.returncode == 2
        assert "does not answer" in done.stderr
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
