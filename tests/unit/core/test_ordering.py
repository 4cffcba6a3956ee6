"""Names stand in the order in which people count."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.ordering import natural


def test_numbers_are_counted_and_capitals_do_not_matter() -> None:
    wanted = ["2", "10", "a", "Job 1", "job 2", "Job 10", "Job 10 b", "job 11", "任务2", "任务10"]
    mixed = random.Random(7).sample(wanted, len(wanted))
    assert sorted(mixed, key=natural) == wanted


@given(st.lists(st.text(alphabet="0123456789aB 任²٣", max_size=200)))
def test_any_names_can_be_put_into_order(names: list[str]) -> None:
    found = sorted(names, key=natural)
    assert sorted(found, key=natural) == found
