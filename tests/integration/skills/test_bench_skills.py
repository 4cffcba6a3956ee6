"""The benchmark of skills measures what it says, with few of them."""

from __future__ import annotations

from pathlib import Path

from tests.bench.bench_skills import lay_out, measured, plain


def test_the_broken_ones_are_listed_with_their_reasons_among_the_others(tmp_path: Path) -> None:
    lay_out(tmp_path, 300)
    seen = measured(tmp_path)
    assert seen.skills == (288, 12, 12)
    assert seen.plugins == (28, 2, 2)
    assert min(seen.cold, seen.refresh, seen.plain) > 0


def test_the_plain_way_reads_the_same_skills(tmp_path: Path) -> None:
    lay_out(tmp_path, 100)
    assert plain(tmp_path / "skills") >= 96
