"""Every figure to reach is printed by a benchmark, stands in the README, and has its place in the
table."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from devtools import bench
from devtools.places import PACKAGING, ROOT
from devtools.targets import QUICK, TARGETS, Target, table_of

BENCH = ROOT / "tests" / "bench"
SCRIPTS = sorted(one.stem for one in BENCH.glob("bench_*.py"))


def literals(file: Path) -> str:
    """All that stands in quotes in a file."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    found = [one.value for one in nodes if isinstance(one, ast.Constant)]
    return "\n".join(one for one in found if isinstance(one, str))


@pytest.mark.parametrize("target", TARGETS, ids=lambda one: one.what)
def test_a_figure_is_printed_by_its_script_or_says_what_holds_it(target: Target) -> None:
    assert bool(target.names) != bool(target.why)
    if target.why:
        return
    assert target.script in SCRIPTS
    room = target.script.removeprefix("bench_").partition("_")[0]
    said = "\n".join(literals(file) for file in (*BENCH.glob(f"{room}_*.py"), file_of(target)))
    for name in target.names:
        assert not [word for word in name.split() if word.strip(",") not in said], name


def file_of(target: Target) -> Path:
    return BENCH / f"{target.script}.py"


def test_every_script_has_a_short_run() -> None:
    assert sorted(QUICK) == SCRIPTS


def test_the_readme_says_which_script_prints_which_figure() -> None:
    text = (PACKAGING / "README.md").read_text(encoding="utf-8")
    for target in TARGETS:
        told = f"`{target.script.removeprefix('bench_')}`" if target.script else "–"
        assert f"| {target.part} | {target.what} | {told} |" in text


def test_rows_stand_with_their_figure_and_a_figure_without_says_so() -> None:
    rows = [
        ("starter: file", "4.1", "MB", "at most 12", "", ""),
        ("listening ports", "0", "", "0", "", ""),
        ("idle processor, percent", "0.1", "", "< 0.2", "", ""),
        ("kill -9 at random points", "10", "", "1,000", "", ""),
        ("  side effects done twice", "0", "", "0", "", ""),
        ("schedule: one life", "3", "ms", "", "", ""),
    ]
    told = table_of(rows)
    idle = next(at for at, one in enumerate(told) if one[1] == "idle")
    assert told[idle] == ("First contact", "idle", "listening ports", "0", "", "0")
    assert told[idle + 1] == ("", "", "idle processor, percent", "0.1", "", "< 0.2")
    kills = next(at for at, one in enumerate(told) if one[1] == "kill -9 of a run")
    assert told[kills + 1][2:4] == ("  side effects done twice", "0")
    assert told[kills + 2][1] == "duplicated and reordered events"
    assert told[kills + 2][2] == "not measured: bench_gateway"
    assert not any(one[2].startswith("schedule") for one in told)


def test_all_of_them_end_with_the_table_and_one_alone_does_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tests" / "bench"
    folder.mkdir(parents=True)
    code = 'import sys\nprint(\'{"name": "listening ports", "value": "\' + \' \'.join(sys.argv[1:]) + \'"}\')\n'  # noqa: E501
    for name in ("bench_memory", "bench_start"):
        (folder / f"{name}.py").write_text(code)
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "venv_program", lambda name: sys.executable)
    assert bench.run_benchmarks([], ["--seed"], quick=True, data=Path("/talks")) == 0
    told = capsys.readouterr().out
    assert "Figures to reach (a quick run)" in told
    assert "--quick --data /talks --seed" in told and "--rounds 1 --idle-seconds 10 --seed" in told
    assert bench.run_benchmarks(["start"], []) == 0
    assert "Figures to reach" not in capsys.readouterr().out
