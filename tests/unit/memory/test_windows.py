"""Neighbouring units are searched together, in windows as long as the settings say."""

from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.chunks import cut_chunks
from moltbot_desktop.memory.units import Unit, cut_units
from moltbot_desktop.memory.windows import Window, cut_windows

TEXTS = st.lists(
    st.sampled_from(["", "- short", "# Head", "```", "word " * 60, "长句子。" * 300, "x" * 3000])
    | st.text(max_size=40)
).map("\n".join)


def test_a_window_holds_the_units_of_one_chunk_of_the_reference() -> None:
    text = "".join(f"- fact number {number} of the day\n" for number in range(100))
    units = cut_units(text)
    for tokens, overlap in ((400, 80), (50, 10), (100, 0)):
        lines = [
            (units[window.first].start_line, units[window.last].end_line)
            for window in cut_windows(units, text, tokens, overlap)
        ]
        chunks = cut_chunks(text, tokens, overlap)
        assert lines == [(chunk.start_line, min(chunk.end_line, 100)) for chunk in chunks]


def test_smaller_chunks_make_more_windows() -> None:
    text = "- a fact of about forty characters a line\n" * 200
    units = cut_units(text)
    counts = [len(cut_windows(units, text, tokens, tokens // 5)) for tokens in (800, 400, 50)]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


def test_one_long_line_is_cut_by_length() -> None:
    text = "A sentence of some length. " * 1000
    units = cut_units(text)
    windows = cut_windows(units, text, 400, 80)
    assert len(windows) > 10
    assert all(window.last - window.first < 4 for window in windows)


@given(markdown=TEXTS, tokens=st.integers(1, 500), overlap=st.integers(0, 100))
def test_windows_cover_every_unit_and_no_window_is_there_twice(
    markdown: str, tokens: int, overlap: int
) -> None:
    units = cut_units(markdown)
    windows = cut_windows(units, markdown, tokens, min(overlap, tokens - 1))
    seen = {at for window in windows for at in range(window.first, window.last + 1)}
    assert seen == set(range(len(units)))
    assert len(set(windows)) == len(windows)
    assert all(window.first <= window.last for window in windows)


def test_nothing_has_no_window() -> None:
    assert cut_windows((), "", 400, 80) == ()
    assert cut_windows((Unit(1, 1, "a", ()),), "a", 400, 80) == (Window(0, 0),)
