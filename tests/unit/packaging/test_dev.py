"""The task runner: its command line, and what it hands on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dev
from devtools.places import SetupError
from devtools.python import NEWEST, OLDEST, install_hint, require_python

SCRIPT = Path(dev.__file__)


@pytest.mark.parametrize(
    "command", [[], ["run"], ["test"], ["check"], ["bench"], ["soak"], ["screenshots"], ["setup"]]
)
def test_help_works_for_every_command_and_touches_nothing(
    command: list[str], tmp_path: Path
) -> None:
    # -I -S: no installed package, no user site: what a fresh machine has.
    done = subprocess.run(
        [sys.executable, "-S", str(SCRIPT), *command, "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("usage: dev.py")
    assert list(tmp_path.iterdir()) == []


def test_what_follows_two_dashes_is_handed_on_untouched() -> None:
    assert dev.split_rest(["run", "--", "ask", "--json", "--", "x"]) == (
        ["run"],
        ["ask", "--json", "--", "x"],
    )
    assert dev.split_rest(["check"]) == (["check"], [])


def test_an_unknown_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        dev.main(["launch"])
    assert end.value.code == 2
    assert "launch" in capsys.readouterr().err


def test_a_set_up_error_is_told_on_stderr_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(purpose: str) -> None:
        raise SetupError(f"Plug in the network for {purpose}.")

    monkeypatch.setattr(dev, "ensure_setup", fail)
    assert dev.main(["setup", "test"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.strip() == "Plug in the network for test."


def test_a_disk_error_is_told_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(purpose: str) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere/.venv")

    monkeypatch.setattr(dev, "ensure_setup", fail)
    assert dev.main(["setup"]) == 1
    assert "/somewhere/.venv" in capsys.readouterr().err


@pytest.mark.parametrize("version", [OLDEST, (*NEWEST, 7), (3, 12, 0)])
def test_pythons_within_the_pins_pass(version: tuple[int, ...]) -> None:
    require_python(version, [], lambda name: False)


@pytest.mark.parametrize("version", [(3, 8, 10), (3, 10, 13), (3, NEWEST[1] + 1, 0), (4, 0, 0)])
def test_other_pythons_are_told_what_to_install(version: tuple[int, ...]) -> None:
    with pytest.raises(SetupError, match=r"needs 3\.11 to 3\.\d+") as told:
        require_python(version, ["run"], lambda name: False)
    assert "Install one" in str(told.value)


def test_a_fitting_python_on_the_path_is_named_with_the_whole_command() -> None:
    there = {"python3.11", "python3.12"}
    with pytest.raises(SetupError) as told:
        require_python((3, 9, 2), ["run", "--", "--new"], there.__contains__)
    assert "Run: python3.12 packaging/dev.py run -- --new" in str(told.value)


@pytest.mark.parametrize(
    ("system", "words"), [("linux", "apt-get"), ("darwin", "brew"), ("win32", "winget")]
)
def test_every_system_has_its_own_way_to_a_python(system: str, words: str) -> None:
    assert words in install_hint(system)


def test_a_benchmarks_data_its_shortness_and_its_options_are_handed_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handed: list[object] = []

    def note(
        names: list[str], rest: list[str], *, quick: bool = False, data: Path | None = None
    ) -> int:
        handed.append((names, rest, quick, data))
        return 0

    monkeypatch.setattr(dev, "ensure_setup", lambda purpose: None)
    monkeypatch.setattr(dev, "run_benchmarks", note)
    assert dev.main(["bench", "memory", "--data", "talks", "--", "--only", "speed"]) == 0
    assert dev.main(["bench", "--quick"]) == 0
    assert handed == [
        (["memory"], ["--only", "speed"], False, Path("talks")),
        ([], [], True, None),
    ]
