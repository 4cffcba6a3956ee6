"""Runs tests/bench/bench_*.py and prints their figures as one table.

A benchmark is a script. Each line of its output that is a JSON object with "name" and "value"
becomes a row; "unit", "target", "held" and "note" are optional. Other lines are for people reading
the script's output alone. Options after `--` are handed to every script. `targets` says which row
is one of the figures to reach, and what makes a short run.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from devtools.places import ROOT, SetupError, say, venv_program
from devtools.targets import QUICK, table_of

_ON_DATA = "bench_memory"
COLUMNS = ("name", "value", "unit", "target", "held", "note")


def run_benchmarks(
    names: Sequence[str], rest: Sequence[str], *, quick: bool = False, data: Path | None = None
) -> int:
    """Those whose name contains one of `names`; without names all, with the table of the figures to
    reach. 1 when one of them failed.

    Args:
        quick: small counts, where a script has them.
        data: conversations with questions, for memory.
    """
    failed = []
    rows: list[tuple[str, ...]] = []
    for script in chosen(sorted((ROOT / "tests" / "bench").glob("bench_*.py")), names):
        say(f"{script.stem} ...")
        given = QUICK[script.stem] if quick else ()
        if data is not None and script.stem == _ON_DATA:
            given = (*given, "--data", str(data.absolute()))
        found, exit_code = run_script(script, (*given, *rest))
        rows += found
        if exit_code:
            failed.append(f"{script.stem} (exit code {exit_code})")
    print(table(COLUMNS, rows))
    if not names:
        print(f"\nFigures to reach{' (a quick run)' * quick}\n")
        print(table(("part", "figure", "name", "value", "unit", "target"), table_of(rows)))
    if failed:
        say("Failed: " + ", ".join(failed))
    return 1 if failed else 0


PATHS = (str(ROOT), str(ROOT / "packaging"))
"""Tests' fakes are used, which start servers that devtools has set up."""


def chosen(scripts: Sequence[Path], names: Sequence[str]) -> list[Path]:
    picked = [s for s in scripts if not names or any(name in s.stem for name in names)]
    if not picked:
        there = ", ".join(script.stem for script in scripts) or "none yet"
        raise SetupError(f"No such benchmark. In tests/bench there are: {there}")
    return picked


def run_script(script: Path, rest: Sequence[str]) -> tuple[list[tuple[str, ...]], int]:
    """Its rows and its exit code. Each row is told when it is known: some take many minutes."""
    rows: list[tuple[str, ...]] = []
    with subprocess.Popen(
        [str(venv_program("python")), str(script), *rest],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(PATHS), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            for row in rows_of(line):
                say("  " + "  ".join(filter(None, row)))
                rows.append(row)
    return rows, running.returncode


def rows_of(output: str) -> list[tuple[str, ...]]:
    rows = []
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            entry = json.loads(line)
            if isinstance(entry, dict) and {"name", "value"} <= entry.keys():
                rows.append(tuple(cell(entry.get(column, "")) for column in COLUMNS))
    return rows


def cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    shown = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([shown[0], "  ".join("-" * width for width in widths), *shown[1:]])
