"""How long the program's functions and files are: a report to look at, never a gate.

    python tests/arch/sizes.py

A long function is a symptom. A test that fails at 61 lines would only teach us to cut functions
where they do not part.
"""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "moltbot_desktop"


def function_sizes(path: Path) -> Iterator[tuple[int, str]]:
    """(lines, place) of every function in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield lines, f"{path.relative_to(PACKAGE.parent)}:{node.lineno} {node.name}"


def report() -> str:
    files = sorted(PACKAGE.rglob("*.py"))
    functions = sorted(size for path in files for size in function_sizes(path))
    lines = sorted((len(p.read_text(encoding="utf-8").splitlines()), p.name) for p in files)
    counts = [size for size, _ in functions] or [0]
    long = [f"  {size:4} {place}" for size, place in reversed(functions) if size > 60]
    big = [f"  {size:4} {name}" for size, name in reversed(lines) if size > 400]
    return "\n".join(
        [
            f"{len(files)} files, {sum(size for size, _ in lines)} lines",
            f"{len(counts)} functions, median {statistics.median(counts):.0f} lines",
            f"p90 {counts[int(len(counts) * 0.9)]}, longest {counts[-1]}",
            f"functions above 60 lines: {len(long)}",
            *long,
            f"files above 400 lines: {len(big)}",
            *big,
        ]
    )


if __name__ == "__main__":
    print(report())
