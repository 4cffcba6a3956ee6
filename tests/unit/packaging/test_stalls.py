"""What a benchmark takes off a gap is only what the machine itself took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.stalls import Watch, left_over


def test_stalls_of_all_processors_are_one_list(tmp_path: Path) -> None:
    files = tmp_path / "0", tmp_path / "1"
    files[0].write_text("".join(f"{json.dumps(one)}\n" for one in [(50, 60), (10, 20)]))
    files[1].write_text("".join(f"{json.dumps(one)}\n" for one in [(15, 30), (30, 31), (70, 71)]))
    assert Watch(files).stalls() == [(10, 31), (50, 60), (70, 71)]


def test_where_nobody_may_watch_nothing_is_taken_off() -> None:
    assert Watch(()).stalls() == []
    assert left_over([], 100, 130) == 30


@pytest.mark.parametrize(
    ("begin", "end", "left"),
    [(0, 10, 10), (15, 40, 10), (22, 28, 6), (31, 49, 0), (12, 18, 0), (5, 65, 30)],
)
def test_a_gap_has_left_what_no_stall_covers(begin: float, end: float, left: float) -> None:
    assert left_over([(10.0, 20.0), (30.0, 50.0)], begin, end) == left
