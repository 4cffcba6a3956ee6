"""Of an editor's block at the top of a note, title, tags and day count; the rest is not text."""

from hypothesis import example, given
from hypothesis import strategies as st

from moltbot_desktop.memory.dates import day_of
from moltbot_desktop.memory.front_matter import read_front_matter
from moltbot_desktop.memory.units import Unit, cut_units

NOTE = """---
title: "Trip to Bornholm"
date: 2026-01-05
tags:
  - travel
  - ferry
cssclass: wide
---
# Boat

- leaves at nine
"""


def test_title_and_tags_are_found_and_date_what_is_below() -> None:
    units = cut_units(NOTE)
    assert units == (
        Unit(2, 2, "Trip to Bornholm", ()),
        Unit(4, 6, "travel\nferry", ()),
        Unit(11, 11, "leaves at nine", ("Trip to Bornholm", "2026-01-05", "Boat")),
    )
    assert str(day_of("notes/x.md", units[-1].headings)) == "2026-01-05"


def test_a_list_on_one_line_and_empty_values() -> None:
    found = read_front_matter(["---", "tags: ['a', \"b c\"]", "title:", "...", "text"])
    assert found is not None
    assert found.end == 4
    assert [(field.name, field.text) for field in found.fields] == [("tags", "a, b c")]


def test_rules_around_text_are_no_front_matter() -> None:
    for text in (
        "---\nAnna: hello\nBob: hi\n---\n",
        "---\ntitle: x\n",
        "---\nHello\ntitle: x\n---\n",
        "---\n- item\ntitle: x\n---\n",
        "---\ntitle: x\n- 14:05 · a stored fact\n---\n",
        "\n---\ntitle: x\n---\n",
        "---\n---\n",
        "",
    ):
        assert read_front_matter(text.split("\n")) is None, text


LINES = st.sampled_from(
    ["---", "...", "title: a b", "tags: [x, y]", "tags:", "  - z", "- q", "date: 2026-01-05", "# c",
     "key: value", "", "text", "  more: deep", "- 14:05 · fact"]
) | st.text(max_size=12)  # fmt: skip


@example(lines=["- 14:05 · fact", "  - z"])
@given(lines=st.lists(LINES, max_size=12))
def test_any_beginning_is_read_and_no_stored_fact_is_hidden(lines: list[str]) -> None:
    text = "\n".join(["---", *lines])
    split = text.split("\n")
    found = read_front_matter(split)
    if found is not None:
        assert 2 <= found.end <= len(split)
        assert all(0 < field.start < field.end < found.end for field in found.fields)
    # Indented lines below it belong to a fact.
    facts = [unit.text.split("\n")[0] for unit in cut_units(text)].count("fact")
    assert facts >= ("- 14:05 · fact" in split)
