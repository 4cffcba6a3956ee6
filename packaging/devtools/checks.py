"""The quick check: format, lint, types, import contracts, arch and unit tests.

Every step runs even if one fails, two at a time; failures are shown in full at the end.
"""

from __future__ import annotations

import dataclasses
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from devtools.places import ROOT, venv_program
from devtools.progress import spoken


@dataclasses.dataclass(frozen=True)
class Step:
    """One part of the check; `about` is the folder without which it has nothing to do."""

    name: str
    argv: tuple[str, ...]
    about: str = "."


@dataclasses.dataclass(frozen=True)
class StepResult:
    """How a step went; `output` is everything it printed."""

    name: str
    ok: bool
    seconds: float
    output: str

    def line(self) -> str:
        return f"{'ok  ' if self.ok else 'FAIL'}  {self.name:<18} {self.seconds:6.1f} s"


_PYTEST = ("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=quick")
_MODELS = "tests/unit/models"
# Longest first: two run at a time.
STEPS = (
    Step("types", ("mypy",)),
    Step("unit tests", (*_PYTEST, "tests/unit", f"--ignore={_MODELS}"), "tests/unit"),
    Step("unit tests, models", (*_PYTEST, _MODELS), _MODELS),
    Step("arch tests", (*_PYTEST, "tests/arch"), "tests/arch"),
    Step("import contracts", ("lint-imports",)),
    Step("lint", ("ruff", "check", ".")),
    Step("format", ("ruff", "format", "--check", ".")),
)


def run_step(step: Step) -> StepResult:
    begin = time.monotonic()
    program, *arguments = step.argv
    done = subprocess.run(
        [str(venv_program(program)), *arguments],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return StepResult(step.name, done.returncode == 0, time.monotonic() - begin, done.stdout)


def run_checks(steps: Sequence[Step]) -> int:
    """Run the steps, print a line for each; the exit code is 1 when one failed."""
    begin = time.monotonic()
    results = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        for result in pool.map(run_step, [step for step in steps if (ROOT / step.about).exists()]):
            print(result.line(), flush=True)
            results.append(result)
    failed = [result for result in results if not result.ok]
    for result in failed:
        print(f"\n--- {result.name}\n{result.output.rstrip()}\n")
    words = f"{len(failed)} of {len(results)} steps failed" if failed else "All steps passed"
    print(f"{words} in {spoken(time.monotonic() - begin)}")
    return 1 if failed else 0
