"""Windows are cut where the reference cuts them, and no line or character gets lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.chunks import SMALLEST_WINDOW, Chunk, cut_chunks

ENCODING = "utf-16-le"
# Long lines, empty ones, carriage returns, pairs and lonely halves of pairs.
LINES = st.lists(
    st.sampled_from(
        ["", "\r", "a", "word " * 3, "word " * 30, "x" * 31, "x" * 32, "x" * 33, "\U0001f600" * 40,
         "x" + "\U0001f600" * 40, "汉字" * 30, "tail\r", "\ud83d", "\ude00",
         "\ud83d\ude00x\U0001f600"]
    )
    | st.text(max_size=80)
).map("\n".join)  # fmt: skip
TOKENS = st.integers(-1, 40)
WHOLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


def units(text: str) -> int:
    return len(text.encode(ENCODING, "surrogatepass")) // 2


def size(tokens: int) -> int:
    return max(SMALLEST_WINDOW, 4 * tokens)


def spans(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(chunk.start_line, chunk.end_line) for chunk in chunks]


# ------------------------------------------------------------------ examples


def test_a_small_text_is_one_window() -> None:
    assert cut_chunks("# A\r\n\r\ntext\n", 400, 80) == (Chunk(1, 4, "# A\r\n\r\ntext\n"),)


def test_nothing_is_one_empty_window() -> None:
    assert cut_chunks("", 400, 80) == (Chunk(1, 1, ""),)


def test_a_window_is_full_at_its_size_with_all_line_ends_counted() -> None:
    fits = "x" * 15 + "\n" + "y" * 15
    assert len(cut_chunks(fits, 8, 0)) == 1
    assert spans(cut_chunks(fits + "y", 8, 0)) == [(1, 1), (2, 2)]
    assert spans(cut_chunks("\n" * 32, 8, 0)) == [(1, 32), (33, 33)]


def test_the_overlap_is_rounded_up_to_whole_lines() -> None:
    text = "\n".join(letter * 9 for letter in "abcdef")
    assert spans(cut_chunks(text, 8, 0)) == [(1, 3), (4, 6)]
    assert spans(cut_chunks(text, 8, 1)) == [(1, 3), (3, 5), (5, 6)]
    assert spans(cut_chunks(text, 8, 3)) == [(1, 3), (2, 4), (3, 5), (4, 6)]


def test_a_full_slice_never_shares_a_window_that_begins_with_it() -> None:
    assert cut_chunks("x" * 70, 8, 0) == (
        Chunk(1, 1, "x" * 32),
        Chunk(1, 1, "x" * 32),
        Chunk(1, 1, "x" * 6),
    )


def test_slices_of_one_line_stand_on_lines_of_their_own() -> None:
    assert cut_chunks("x" * 40 + "\nend", 8, 2)[1:] == (
        Chunk(1, 1, "x" * 32 + "\n" + "x" * 8),
        Chunk(1, 2, "x" * 8 + "\nend"),
    )


def test_a_character_on_the_border_goes_whole_to_the_window_before() -> None:
    chunks = cut_chunks("x" + "\U0001f600" * 20, 8, 0)
    assert chunks == (Chunk(1, 1, "x" + "\U0001f600" * 16), Chunk(1, 1, "\U0001f600" * 4))
    # The second half alone: a window with nothing in it, where the reference has half a face.
    assert cut_chunks("x" * 31 + "\U0001f600", 8, 0)[-1] == Chunk(1, 1, "")


def test_half_a_character_in_the_text_takes_nothing_along() -> None:
    text = "x" * 31 + "\ud83d" + "y" * 10 + "\U0001f600"
    assert cut_chunks(text, 8, 0)[1] == Chunk(1, 1, "y" * 10 + "\U0001f600")


@pytest.mark.parametrize("line", ["x" * 1_000_000, "é" * 1_000_000, "x" + "\U0001f600" * 500_000])
def test_a_line_of_a_megabyte(line: str) -> None:
    chunks = cut_chunks(f"head\n{line}\ntail", 400, 80)
    assert chunks[0] == Chunk(1, 1, "head")
    assert chunks[-1].end_line == 3
    assert {chunk.start_line for chunk in chunks[2:]} == {2}
    assert sum(units(chunk.text) for chunk in chunks) < 2.1 * units(line)


# ------------------------------------------------------------------ for every text


@given(text=LINES, tokens=TOKENS, overlap=TOKENS)
def test_every_line_is_covered_in_order_and_without_a_gap(
    text: str, tokens: int, overlap: int
) -> None:
    chunks = cut_chunks(text, tokens, overlap)
    assert chunks[0].start_line == 1
    assert chunks[-1].end_line == text.count("\n") + 1
    for before, after in pairwise(chunks):
        assert before.start_line <= after.start_line <= before.end_line + 1
        assert before.end_line <= after.end_line
    assert all(chunk.start_line <= chunk.end_line for chunk in chunks)


@given(text=LINES, tokens=TOKENS)
def test_without_overlap_the_windows_are_the_text(text: str, tokens: int) -> None:
    # Where a line was cut there is no line end in the text; so compare without any.
    joined = "".join(chunk.text for chunk in cut_chunks(text, tokens, 0))
    assert _bytes(joined) == _bytes(text)


def _bytes(text: str) -> bytes:
    return text.replace("\n", "").encode(ENCODING, "surrogatepass")


@given(text=LINES, tokens=TOKENS)
def test_without_overlap_no_window_is_above_its_size(text: str, tokens: int) -> None:
    # One unit more only where a character on the border was kept whole.
    for chunk in cut_chunks(text, tokens, 0):
        assert units(chunk.text) <= size(tokens) + (max(chunk.text, default="") > "\uffff")


@given(text=LINES, tokens=TOKENS, overlap=TOKENS)
def test_a_window_ends_only_because_the_next_slice_did_not_fit(
    text: str, tokens: int, overlap: int
) -> None:
    short = "\n".join(line[:15] for line in text.split("\n"))  # lines are slices then
    lines = short.split("\n")
    for chunk in cut_chunks(short, tokens, overlap):
        assert chunk.text == "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
        if chunk.end_line < len(lines):
            assert units(chunk.text) + 1 + units(lines[chunk.end_line]) + 1 > size(tokens)


@given(text=LINES, tokens=TOKENS, overlap=TOKENS)
def test_a_window_takes_over_as_many_lines_as_the_overlap_needs_and_no_more(
    text: str, tokens: int, overlap: int
) -> None:
    short = "\n".join(line[:15] for line in text.split("\n"))
    lines = short.split("\n")
    for before, after in pairwise(cut_chunks(short, tokens, overlap)):
        shared = lines[after.start_line - 1 : before.end_line]
        cost = sum(units(line) + 1 for line in shared)
        if after.start_line > before.start_line:
            assert cost >= 4 * overlap
        if shared:
            assert cost - units(shared[0]) - 1 < 4 * overlap


@given(text=WHOLE, tokens=TOKENS, overlap=TOKENS)
def test_whole_characters_stay_whole(text: str, tokens: int, overlap: int) -> None:
    for chunk in cut_chunks(text, tokens, overlap):
        chunk.text.encode()
