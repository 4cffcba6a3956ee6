"""`serve` and what asks it, from outside: real processes, the real starter model."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.program import TIMEOUT_SECONDS, Program

pytestmark = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


@contextmanager
def served(program: Program, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`serve`, once it says where it is reached and how to stop it."""
    with program.started(["serve", *arguments]) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(3)]
        assert f"process {process.pid}" in said[0], said
        assert "gateway.sock" in said[1]
        assert f"kill {process.pid}" in said[2]
        yield process


def ended(process: subprocess.Popen[str]) -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(TIMEOUT_SECONDS)


def children(process: subprocess.Popen[str]) -> list[str]:
    """Processes that it has started, where the system tells."""
    lists = Path("/proc", str(process.pid), "task").glob("*/children")
    return [child for one in lists for child in one.read_text("ascii").split()]


def asked(program: Program, *arguments: str) -> str:
    done = program.run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def called(program: Program, method: str, **params: object) -> dict[str, object]:
    answer = json.loads(asked(program, "call", method, json.dumps(params)))
    assert isinstance(answer, dict)
    return answer


def test_a_shell_asks_the_assistant_that_runs(program: Program) -> None:
    with served(program) as process:
        assert f"(process {process.pid})" in asked(program, "status")
        assert asked(program, "health") == "Moltbot is well.\n"
        asked(program, "ask", "Remember that my dentist is Dr. Okafor")
        assert "Dr. Okafor" in asked(program, "ask", "Who is my dentist?")
        talked = program.run("chat", "--resume", "--json", lines="What is 3 * 4?\n")
        assert talked.returncode == 0, talked.stderr
        (answer,) = (json.loads(line) for line in talked.stdout.splitlines())
        assert answer["outcome"] == "answered"
        assert "12" in answer["text"]
        # It was this process that answered, in the owner's own conversation.
        history = called(program, "chat.history")
        assert [one["role"] for one in history["messages"]][:1] == ["user"]  # type: ignore[index]
        running = called(program, "status")
        assert running["pid"] == process.pid
        assert running["model"]["name"]  # type: ignore[index]
        assert ended(process) == 0
    assert not (program.home / "gateway.sock").exists()


def test_the_answer_is_the_same_whichever_process_gives_it(program: Program) -> None:
    def told(*options: str) -> dict[str, object]:
        answer = json.loads(asked(program, "ask", "--json", *options, "What is 17.5 * 12?"))
        del answer["seconds"], answer["tokens"]
        assert isinstance(answer, dict)
        return answer

    alone = told()
    with served(program) as process:
        assert told() == alone
        before = len(program.transcripts())
        assert told("--local") == alone
        assert called(program, "sessions.list")["count"] >= 2  # type: ignore[operator]
        assert len(program.transcripts()) == before + 1
        assert ended(process) == 0


def test_questions_at_the_same_time_do_not_mix(program: Program) -> None:
    with served(program) as process:
        asking = [
            subprocess.Popen(
                program.command("ask", f"What is {number} + 1?"),
                stdout=subprocess.PIPE,
                env=program.environment(),
                text=True,
            )
            for number in (10, 20, 30)
        ]
        answers = [one.communicate(timeout=TIMEOUT_SECONDS)[0] for one in asking]
        for sum_, answer in zip(("11", "21", "31"), answers, strict=True):
            assert sum_ in answer
        assert ended(process) == 0


def test_a_killed_one_leaves_a_socket_that_the_next_one_replaces(program: Program) -> None:
    with served(program) as process:
        asked(program, "ask", "Remember that my dentist is Dr. Okafor")
        process.kill()
        process.wait(TIMEOUT_SECONDS)
    assert (program.home / "gateway.sock").exists()
    # Nobody answers there, so the command does it itself.
    assert "Dr. Okafor" in asked(program, "ask", "Who is my dentist?")
    refused = program.run("status")
    assert refused.returncode == 2
    assert "No Moltbot Desktop is running" in refused.stderr
    with served(program) as process:
        assert "Dr. Okafor" in asked(program, "ask", "Who is my dentist?")
        assert ended(process) == 0


def test_what_is_acknowledged_is_kept_when_it_is_killed(program: Program) -> None:
    with served(program) as process:
        told = called(program, "agent", message="My flight is LH 2037.", idempotencyKey="flight-1")
        assert told["status"] == "accepted"
        process.kill()
        process.wait(TIMEOUT_SECONDS)
    assert "LH 2037" in "".join(path.read_text("utf-8") for path in program.transcripts())


def test_its_end_leaves_nothing_running(program: Program) -> None:
    with served(program) as process:
        asked(program, "ask", "What is 2 + 2?")
        started = children(process)
        assert ended(process) == 0
    assert not [child for child in started if Path("/proc", child).exists()]
    left = sorted(path.name for path in program.home.glob("*.sock"))
    assert left == []


def test_it_ends_in_the_middle_of_things(program: Program) -> None:
    """A client that holds its connection, and a question that was just taken in."""
    with served(program) as process, socket.socket(socket.AF_UNIX) as held:
        held.connect(str(program.home / "gateway.sock"))
        called(program, "agent", message="Who is my dentist?", idempotencyKey="late-1")
        assert ended(process) == 0


def test_the_schedule_is_no_programs_to_change(program: Program) -> None:
    job = {
        "schedule": {"kind": "every", "everyMs": 60_000},
        "payload": {"kind": "agentTurn", "message": "hello"},
    }
    with served(program) as process:
        done = program.run("call", "cron.add", json.dumps(job))
        assert done.returncode == 2
        assert "nobody is there" in done.stderr
        asked(program, "cron", "add", "every day at 9", "What is on today?", "--name", "brief")
        jobs = called(program, "cron.list")["jobs"]
        assert [one["name"] for one in jobs] == ["brief"]  # type: ignore[attr-defined]
        assert ended(process) == 0


def test_conversations_are_found_named_and_put_away(program: Program) -> None:
    with served(program) as process:
        asked(program, "ask", "Remember that the blue box holds the passports")
        called(program, "sessions.patch", key="cli", label="Boxes", thinkingLevel="low")
        (boxes,) = called(program, "sessions.list", label="Boxes")["sessions"]  # type: ignore[misc]
        assert (boxes["key"], boxes["thinkingLevel"]) == ("agent:main:cli", "low")
        (hit, *_) = called(program, "sessions.search", query="blue box")["hits"]  # type: ignore[misc]
        assert hit["key"] == "agent:main:cli"
        (preview,) = called(program, "sessions.preview", keys=["cli"])["previews"]  # type: ignore[misc]
        assert "passports" in preview["items"][0]["text"]
        assert called(program, "sessions.delete", key="cli")["deleted"] is True
        assert called(program, "sessions.list", label="Boxes")["count"] == 0
        assert "Boxes" in asked(program, "sessions", "list", "--deleted")
        shown = program.run("call", "sessions.delete", '{"key": "main"}')
        assert shown.returncode == 2
        assert "open in the window" in shown.stderr
        # And a new question finds a fresh one.
        assert "passports" in asked(program, "ask", "What is in the blue box?")
        assert ended(process) == 0


def test_where_nobody_can_listen_everything_else_goes_on(program: Program) -> None:
    """Somebody's folder lies where the socket would be."""
    (program.home / "gateway.sock").mkdir(parents=True)
    with program.started(["serve"]) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(3)]
        assert "No command in a shell can reach it" in said[1]
        assert ended(process) == 0
        assert process.stderr is not None
        assert "cannot reach this Moltbot" in process.stderr.read()
    assert (program.home / "gateway.sock").is_dir()


def test_a_second_one_says_that_there_is_one_and_leaves_it_alone(program: Program) -> None:
    with served(program) as first:
        second = program.run("serve")
        assert second.returncode == 2  # the unit does not start it again and again
        assert f"running already with this home folder (process {first.pid})" in second.stderr
        assert called(program, "status")["pid"] == first.pid
        assert ended(first) == 0


def test_only_this_user_may_connect(program: Program) -> None:
    with served(program) as process:
        path = program.home / "gateway.sock"
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.stat().st_uid == os.getuid()
        assert ended(process) == 0
