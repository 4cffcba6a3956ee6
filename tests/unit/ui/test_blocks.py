from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.ui.blocks import LONG_LIST_CHARACTERS, BlockCutter, cut_blocks

MARKDOWN_LINES = st.sampled_from(
    [
        "",
        " ",
        "text",
        "中文 text",
        "- item",
        "* item",
        "  continued",
        "  - nested",
        "1. one",
        "2019. was a year",
        "# heading",
        "```",
        "```python",
        "~~~",
        "   ```",
        "> quote",
        "| a | b |",
        "|---|---|",
        "---",
        "x" * 400,
    ]
)
DOCUMENTS = st.lists(MARKDOWN_LINES, max_size=25).map("\n".join)


def streamed(text: str, cuts: list[int]) -> list[str]:
    cutter, done, at = BlockCutter(), [], 0
    for cut in [*sorted(cuts), len(text)]:
        done += cutter.feed(text[at:cut])
        at = max(at, cut)
    return [*done, *cutter.open_blocks]


@given(DOCUMENTS, st.data())
def test_blocks_do_not_depend_on_where_the_stream_was_cut(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    assert streamed(text, cuts) == list(cut_blocks(text))


@given(DOCUMENTS)
def test_no_word_is_lost_or_doubled(text: str) -> None:
    def words(parts: list[str]) -> list[str]:
        return " ".join(parts).split()

    assert words(list(cut_blocks(text))) == words([text])


@given(DOCUMENTS)
def test_what_is_shown_while_streaming_is_what_the_text_so_far_would_be(text: str) -> None:
    cutter, done = BlockCutter(), []
    for at, character in enumerate(text, 1):
        done += cutter.feed(character)
        assert [*done, *cutter.open_blocks] == list(cut_blocks(text[:at]))


def test_paragraphs_are_blocks() -> None:
    assert cut_blocks("one\ntwo\n\nthree") == ("one\ntwo", "three")


def test_a_list_with_empty_lines_stays_together() -> None:
    assert cut_blocks("- a\n\n- b\n\n  more of b\n\nafter") == (
        "- a\n\n- b\n\n  more of b",
        "after",
    )


def test_code_keeps_its_empty_lines_and_ends_with_its_fence() -> None:
    text = "before\n```py\na\n\n# not a heading\n```\nafter"
    assert cut_blocks(text) == ("before", "```py\na\n\n# not a heading\n```", "after")


def test_a_shorter_fence_inside_does_not_end_the_code() -> None:
    assert cut_blocks("````\n```\n````\nx") == ("````\n```\n````", "x")


def test_a_fence_inside_a_list_item_belongs_to_the_list() -> None:
    text = "- run this:\n  ```\n  ls\n\n  pwd\n  ```\n- then that"
    assert cut_blocks(text) == (text,)


def test_a_year_at_the_start_of_a_line_is_no_list() -> None:
    assert cut_blocks("it was in\n2019. I think") == ("it was in\n2019. I think",)


def test_a_long_list_is_cut_between_items() -> None:
    item = "- " + "word " * 40
    blocks = cut_blocks("\n".join([item] * 30))
    assert len(blocks) > 1
    assert all(len(block) < LONG_LIST_CHARACTERS + 2 * len(item) for block in blocks)
    assert sum(block.count("- ") for block in blocks) == 30


def test_open_code_says_so() -> None:
    cutter = BlockCutter()
    cutter.feed("```\nx")
    assert cutter.in_code
    cutter.feed("\n```\n")
    assert not cutter.in_code
