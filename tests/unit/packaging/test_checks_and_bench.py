"""The quick check runs every step, a benchmark's lines become a table, a soak is a longer test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from devtools import bench, checks, soak
from devtools.checks import Step
from devtools.places import SetupError


@pytest.fixture
def _plain_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bench, checks):
        monkeypatch.setattr(module, "venv_program", lambda name: sys.executable)


def python(code: str) -> tuple[str, ...]:
    return ("python", "-c", code)


@pytest.mark.usefixtures("_plain_programs")
def test_every_step_runs_even_when_one_fails(capsys: pytest.CaptureFixture[str]) -> None:
    steps = [
        Step("first", python("import sys; sys.exit('broken here')")),
        Step("second", python("print('quiet')")),
    ]
    assert checks.run_checks(steps) == 1
    told = capsys.readouterr().out
    assert told.index("FAIL  first") < told.index("ok    second") < told.index("broken here")
    assert "1 of 2 steps failed" in told
    assert "quiet" not in told


@pytest.mark.usefixtures("_plain_programs")
def test_a_good_check_ends_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert checks.run_checks([Step("only", python("pass"))]) == 0
    assert "All steps passed" in capsys.readouterr().out


@pytest.mark.usefixtures("_plain_programs")
def test_a_step_about_a_folder_that_is_not_there_is_left_out() -> None:
    assert checks.run_checks([Step("x", python("import sys; sys.exit(1)"), "no/such")]) == 0


def test_json_lines_with_a_name_and_a_value_are_rows() -> None:
    output = '{"name": "load", "value": 1.23456, "unit": "s"}\nloading ...\n{"x": 1}\n[1]\n3\n'
    assert bench.rows_of(output) == [("load", "1.235", "s", "", "", "")]


@pytest.mark.usefixtures("_plain_programs")
def test_each_row_is_told_when_it_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "bench_x.py"
    row = '{"name": "load", "value": 2, "unit": "s", "note": "once"}'
    script.write_text(f"import sys\nprint({row!r})\nprint('loading')\nsys.exit(3)\n")
    assert bench.run_script(script, []) == ([("load", "2", "s", "", "", "once")], 3)
    assert capsys.readouterr().err == "  load  2  s  once\n"


def test_the_table_lines_its_columns_up() -> None:
    shown = bench.table(("name", "value"), [("a", "1"), ("longer", "22")])
    assert shown.splitlines() == ["name    value", "------  -----", "a       1", "longer  22"]


def test_benchmarks_are_chosen_by_part_of_their_name() -> None:
    scripts = [Path("bench_memory.py"), Path("bench_models.py")]
    assert bench.chosen(scripts, []) == scripts
    assert bench.chosen(scripts, ["mem"]) == scripts[:1]
    with pytest.raises(SetupError, match="bench_memory, bench_models"):
        bench.chosen(scripts, ["tray"])


def test_a_soak_has_five_messages_a_kill_and_never_more_kills_than_fit_between_them() -> None:
    def counts(kills: int, messages: int | None) -> tuple[str, str]:
        chosen = soak.settings(kills, messages, seed=3)
        assert chosen["MOLTBOT_SOAK_SEED"] == "3"
        return chosen["MOLTBOT_SOAK_KILLS"], chosen["MOLTBOT_SOAK_MESSAGES"]

    assert counts(1000, None) == ("1000", "5000")
    assert counts(10, None) == ("10", "2000")
    assert counts(1000, 50) == ("48", "50")


def test_a_soak_ends_as_the_tests_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(soak, "venv_program", lambda name: "false")
    assert soak.run_soak(3, 20, 1, []) == 1
    assert "Failed" in capsys.readouterr().err


@pytest.mark.parametrize(("code", "word"), [(0, "Held"), (1, "Failed"), (-9, "Failed")])
def test_a_soak_of_minutes_shows_its_table_and_ends_as_its_script(
    code: int, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[object] = []

    def run_script(script: Path, rest: list[str]) -> tuple[list[tuple[str, ...]], int]:
        asked.extend((script.name, *rest))
        return [("lost", "0", "", "0", "", "")], code

    monkeypatch.setattr(soak, "run_script", run_script)
    assert soak.run_minutes(2.5, 7, ["--only", "disk"]) == bool(code)
    assert asked == ["soak_whole.py", "--minutes", "2.5", "--seed", "7", "--only", "disk"]
    told = capsys.readouterr()
    assert "lost" in told.out and word in told.err and "seed 7" in told.err
