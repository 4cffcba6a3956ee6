"""Random jobs under a simulated clock; `packaging/dev.py bench schedule` lives ten thousand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.schedule_simulation import live


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_every_time_runs_once_or_is_told_as_missed(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        live(seed, tmp_path)
