"""Where units stand, and that a file can be replaced without a look at the others."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.arrays import Numbers
from moltbot_desktop.memory.layout import UNDATED, Layout, newness
from moltbot_desktop.memory.rows import UnitColumns, WindowColumns


def numbers(*values: int) -> Numbers:
    return np.array(values, dtype=np.int64)


def units(*files: int, first: int = 10, speakers: tuple[str, ...] = ("",)) -> UnitColumns:
    """Units from number `first` on, one in each of `files`."""
    count = len(files)
    same = numbers(*[0] * count)
    number = numbers(*range(first, first + count))
    speaker = number % len(speakers)
    return UnitColumns(number, numbers(*files), same, same + 5, same + 1, speaker, speakers)


def windows(*spans: tuple[int, int, int]) -> WindowColumns:
    """Of one file each: the file, the first unit, the last."""
    columns = [numbers(*column) for column in zip(*spans, strict=True)] or [numbers()] * 3
    count = numbers(*[5] * len(spans))
    return WindowColumns(*columns, count)


def test_windows_lend_their_score_to_their_units() -> None:
    layout = Layout(units(1, 1, 1, 2), windows((1, 10, 11), (1, 11, 12), (2, 13, 13)))
    assert layout.spread(np.array([2.0, 3.0, 0.0])).tolist() == [2, 3, 3, 0]
    assert layout.spread(np.array([0.0, 0.0, 1.0])).tolist() == [0, 0, 0, 1]
    assert layout.spread(np.zeros(3)).tolist() == [0] * 4


def test_units_are_found_by_their_numbers() -> None:
    layout = Layout(units(1, 1, 2), windows())
    assert layout.find(numbers(12, 10, 99, 1)).tolist() == [2, 0, -1, -1]
    assert layout.places(numbers(12, 99, 10)).tolist() == [2, 0]
    assert Layout(units(), windows()).find(numbers(1)).tolist() == [-1]


def test_the_windows_around_units_are_found() -> None:
    layout = Layout(units(1, 1, 1, 2, 2), windows((1, 10, 11), (1, 11, 12), (2, 13, 13)))
    for places, expected in (([0], [0]), ([1], [0, 1]), ([2], [1]), ([3, 0], [0, 2]), ([4], [])):
        assert layout.windows_around(np.array(places)).tolist() == expected
    assert layout.windows_around(np.array([], dtype=np.intp)).tolist() == []


def test_a_window_whose_units_are_gone_lends_nothing() -> None:
    layout = Layout(units(1), windows((1, 10, 11)))
    assert layout.windows_around(np.array([0])).tolist() == []
    assert layout.spread(layout.window_terms).tolist() == [0]


def test_newer_days_are_nearer_to_one_and_what_stays_true_is_in_between() -> None:
    ages = np.array([True, True, True, True, False])
    assert newness(numbers(0, 5, 9, 7, 9), ages).tolist() == [UNDATED, 0, 1, 0.5, UNDATED]
    assert newness(numbers(0, 5), ages[:2]).tolist() == [UNDATED, UNDATED]


@given(
    files=st.lists(st.integers(1, 5), max_size=20).map(sorted),
    gone=st.sets(st.integers(1, 6), max_size=3),
    new=st.lists(st.integers(1, 6), max_size=8).map(sorted),
)
def test_a_replaced_file_leaves_the_layout_that_reading_all_anew_would_make(
    files: list[int], gone: set[int], new: list[int]
) -> None:
    """Only the order of the files is another one."""
    added = units(*new, first=100, speakers=("", "anna", "bo"))
    added_windows = windows(*((file, 100 + at, 100 + at) for at, file in enumerate(new)))
    old = units(*files, speakers=("", "bo"))
    layout = Layout(old, windows(*((file, 10 + at, 10 + at) for at, file in enumerate(files))))
    found = layout.replaced(gone | set(new), added, added_windows)
    kept = [10 + at for at, file in enumerate(files) if file not in gone | set(new)]
    assert found.ids.tolist() == kept + added.id.tolist()
    assert set(found.units_of(gone)) == {100 + at for at, file in enumerate(new) if file in gone}
    names = [found.speakers[at] for at in found.speaker]
    assert names == [("", "bo")[at % 2] for at in kept] + [
        ("", "anna", "bo")[number % 3] for number in added.id
    ]
    assert len(found.window_terms) == len(found)
    for place in range(len(found)):
        assert found.windows_around(np.array([place])).tolist() == [place]
