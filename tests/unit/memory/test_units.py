"""A file is cut into pieces that make sense alone, and nothing of it is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.memory.units import (
    LONGEST_UNIT,
    Unit,
    cut_units,
    sentences,
    split_long,
)

MARKDOWN = st.lists(
    st.sampled_from(
        ["# Home", "## Pets", "###### x", "#no", "- a", "  - nested", "1. one", "* [ ] task",
         "- 14:05 · stored", "  more", "", "  ", "```", "~~~", "code", "| a | b |", "|---|---|",
         "> quote", "**Anna:** Hello there", "---", "word " * 40, "长句子。" * 300, "x" * 2000,
         "\t", "<!-- c -->", "# ", "A wrapped line that is long enough to go on in the next one"]
    )
    | st.text(max_size=30)
).map("\n".join)  # fmt: skip


def texts(markdown: str) -> list[str]:
    return [unit.text for unit in cut_units(markdown)]


def test_bullets_turns_and_paragraphs_are_units_of_their_own() -> None:
    markdown = """# Home

- first
- [x] second
  goes on
  - nested
* third

**Anna:** Hi!
**Bob:** Hello, you?

A paragraph whose first line is wrapped by an editor because it is
rather long. And ends here.
Another line."""
    assert texts(markdown) == [
        "first",
        "second\ngoes on",
        "nested",
        "third",
        "**Anna:** Hi!",
        "**Bob:** Hello, you?",
        "A paragraph whose first line is wrapped by an editor because it is\n"
        "rather long. And ends here.",
        "Another line.",
    ]


def test_units_know_their_lines_headings_and_speaker() -> None:
    units = cut_units("# A\n## B\n\n- x\n# C\n**Anna Lee:** hi\n**Bob**: ho\n")
    assert units == (
        Unit(4, 4, "x", ("A", "B")),
        Unit(6, 6, "**Anna Lee:** hi", ("C",), speaker="Anna Lee"),
        Unit(7, 7, "**Bob**: ho", ("C",), speaker="Bob"),
    )


def test_a_heading_over_nothing_is_found_itself() -> None:
    assert cut_units("# A\n## Dentist\n# C\n") == (
        Unit(2, 2, "Dentist", ("A",)),
        Unit(3, 3, "C", ()),
    )


def test_a_hash_without_space_and_one_in_code_are_no_headings() -> None:
    assert texts("#tag\n```\n# comment\nx = 1\n```\nafter") == ["#tag", "# comment\nx = 1", "after"]


def test_code_inside_a_line_opens_no_block() -> None:
    assert texts("```x``` is code\n# Head\ntext") == ["```x``` is code", "text"]


def test_a_block_ends_with_a_fence_as_long_and_of_its_kind() -> None:
    assert texts("````\n```\n# no heading\n~~~~\n```py\n````\nafter") == [
        "```\n# no heading\n~~~~\n```py",
        "after",
    ]


def test_a_long_block_is_cut_between_its_lines() -> None:
    lines = [f"value_{number} = compute('sentence one. two.')" for number in range(60)]
    text = "\n".join(["```python", *lines, "```", "after"])
    *parts, last = cut_units(text)
    assert last.text == "after"
    assert len(parts) > 2
    assert "\n".join(part.text for part in parts).split("\n") == lines
    for part in parts:
        assert part.text.split("\n") == text.split("\n")[part.start_line - 1 : part.end_line]


def test_a_stored_note_below_an_unclosed_fence_is_still_a_note() -> None:
    assert texts("```\ncode\n\n- 14:05 · fact\n") == ["code", "fact"]


def test_a_marked_line_keeps_its_mark_out_of_the_text() -> None:
    assert cut_units("- person's own <!-- mark: mail -->")[0] == Unit(
        1, 1, "person's own", (), mark="mail"
    )


def test_long_text_is_cut_between_sentences() -> None:
    parts = list(split_long("One two three. Four five six. Seven.", 30))
    assert parts == ["One two three. Four five six.", "Seven."]
    assert list(split_long("一二三。四五六。", 5)) == ["一二三。", "四五六。"]


@given(text=st.text())
def test_sentences_joined_are_the_text(text: str) -> None:
    assert "".join(sentences(text)) == text


@given(markdown=MARKDOWN)
def test_any_file_is_cut_in_order_within_its_lines(markdown: str) -> None:
    lines = markdown.count("\n") + 1
    last = 0
    for unit in cut_units(markdown):
        assert unit.text.strip()
        assert len(unit.text) <= LONGEST_UNIT
        assert last <= unit.start_line <= unit.end_line <= lines
        last = unit.start_line


@given(markdown=MARKDOWN)
def test_the_lines_of_a_unit_hold_its_text(markdown: str) -> None:
    lines = markdown.split("\n")
    for unit in cut_units(markdown):
        shown = "".join("".join(lines[unit.start_line - 1 : unit.end_line]).split())
        for line in unit.text.split("\n"):
            assert "".join(line.split()) in shown


@given(markdown=MARKDOWN)
def test_no_word_of_a_file_is_lost(markdown: str) -> None:
    kept = " ".join(
        " ".join((*unit.headings, unit.text, unit.mark)) for unit in cut_units(markdown)
    )
    wanted = re.sub(r"\b\d\d?:\d\d\b|\bmark\b", "", markdown)
    for word in re.findall(r"[a-z]{2,40}|[\u4e00-\u9fff]{2,10}", wanted):
        assert word[:20] in kept


@pytest.mark.parametrize("line", ["**" * 5000, "- " * 5000, "|-" * 5000, " " * 9999, "#" * 9999])
def test_odd_long_lines_take_no_time(line: str) -> None:
    cut_units(line + "\n" + line + "x")
