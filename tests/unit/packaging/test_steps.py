"""Long commands: their output goes to the log, their failure to the person."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from devtools import steps
from devtools.places import SetupError


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "build.log"
    monkeypatch.setattr(steps, "BUILD_LOG", path)
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    return path


def test_output_goes_to_the_log_and_one_line_to_the_person(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps.run_logged("Counting", 5, (sys.executable, "-c", "print('chatter')"))
    assert "chatter" in log.read_text()
    told = capsys.readouterr()
    assert told.out == ""
    assert "chatter" not in told.err
    assert told.err.splitlines()[-1].startswith("Counting: done in")


def test_a_failure_shows_its_own_part_of_the_log_only(log: Path) -> None:
    steps.run_logged("First", 5, (sys.executable, "-c", "print('from the first')"))
    with pytest.raises(SetupError) as told:
        steps.run_logged("Second", 5, (sys.executable, "-c", "exit('from the second')"))
    assert "from the second" in str(told.value)
    assert "from the first" not in str(told.value)


def test_what_is_added_to_the_environment_reaches_the_command(log: Path) -> None:
    code = "import os; print(os.environ['CMAKE_ARGS'], 'PATH' in os.environ)"
    command = (sys.executable, "-c", code)
    steps.run_logged("Asking", 5, command, environment={"CMAKE_ARGS": "-DX=1"})
    assert "-DX=1 True" in log.read_text()


def test_an_interrupted_step_ends_its_command(log: Path) -> None:
    class Impatient:
        def tick(self, detail: str) -> None:
            raise KeyboardInterrupt

    with log.open("wb") as file:
        child = steps.start_child((sys.executable, "-c", "input()"), {}, file)
        sleeper = steps.start_child(
            (sys.executable, "-c", "import time; time.sleep(600)"), {}, file
        )
        child.wait()
        with pytest.raises(KeyboardInterrupt):
            steps.wait_with_progress(sleeper, Impatient(), 0)  # type: ignore[arg-type]
    assert sleeper.returncode is not None


def test_the_tail_begins_with_the_step(log: Path) -> None:
    log.write_bytes(b"before|after and more")
    assert steps.tail_of(log, 7) == "after and more"
    assert steps.tail_of(log, 0, size=4) == "more"
