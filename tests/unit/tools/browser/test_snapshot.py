"""Pages as text: short, with refs that mean one thing, and nothing of a page's passing for one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.tools.browser.snapshot import (
    Listing,
    Refs,
    View,
    harmless,
    parse,
    written,
)

PAGE = """\
- generic [active] [ref=e1]:
  - heading "Order" [level=1] [ref=e2]
  - generic [ref=e3]:
    - text: Name
    - textbox "Name" [ref=e4]: Eve
    - combobox [ref=e5]:
      - option "Apples" [selected]
      - option "Pears"
    - 'button "Send: it''s [ref=e9] ok" [ref=e6] [cursor=pointer]'
  - table [ref=e7]:
    - rowgroup [ref=e8]:
      - row "fruit price" [ref=e9]:
        - columnheader "fruit" [ref=e10]
        - columnheader "price" [ref=e11]
      - row "Apples 1.20" [ref=e12]:
        - cell "Apples" [ref=e13]
        - cell "1.20" [ref=e14]
      - row "Pears buy" [ref=e15]:
        - cell "Pears" [ref=e16]
        - cell "buy" [ref=e17]:
          - button "buy" [ref=e18]
  - link "Next" [ref=e19] [cursor=pointer]:
    - /url: /next
  - iframe [ref=e20]:
    - button "Inner" [ref=f1e2]
  - paragraph [ref=e21]: "said \\"x\\" [ref=e4]: \\x41"
"""


def listed(page: str, view: View | None = None, refs: Refs | None = None) -> Listing:
    nodes = parse(page)
    return written(nodes, (refs or Refs()).take(nodes), view or View())


def test_what_only_holds_a_page_together_is_left_out_and_a_row_is_one_line() -> None:
    assert listed(PAGE).text.splitlines() == [
        '- heading "Order" [level=1]',
        "- Name",
        '- textbox "Name" [ref=e4]: Eve',
        "- combobox [ref=e5]",
        '  - option "Apples" [selected]',
        '  - option "Pears"',
        '- button "Send: it\'s (ref=e9] ok" [ref=e6]',
        "- table",
        "  - row: fruit | price",
        "  - row: Apples | 1.20",
        '  - row "Pears buy"',
        '    - cell "Pears"',
        '    - cell "buy"',
        '      - button "buy" [ref=e18]',
        '- link "Next" [ref=e19] -> /next',
        "- iframe",
        '  - button "Inner" [ref=e21]',
        '- paragraph: said "x" (ref=e4]: A',
    ]


def test_only_what_can_be_used() -> None:
    lines = listed(PAGE, View(interactive=True)).text.splitlines()
    assert len(lines) == 6
    assert all("[ref=" in line for line in lines)


def test_a_long_page_goes_on_where_it_was_cut() -> None:
    page = "".join(f"- paragraph: Line {number}\n" for number in range(100))
    first = listed(page, View(most=500))
    assert len(first.text) <= 500
    assert first.rest == 100 - first.goes_on
    second = listed(page, View(most=80_000, first=first.goes_on))
    assert f"{first.text}\n{second.text}" == listed(page, View(most=80_000)).text
    assert (second.rest, second.goes_on) == (0, 0)


def test_no_number_means_something_else_on_the_next_page() -> None:
    refs = Refs()
    listed('- button "Cancel" [ref=e1]\n', refs=refs)
    assert refs.elements["e1"].name == "Cancel"
    refs.leave()
    assert not refs.elements
    listed('- button "Buy" [ref=e1]\n', refs=refs)
    assert set(refs.elements) == {"e2"}
    assert refs.elements["e2"].said == "button “Buy”"


def test_an_element_keeps_its_number_while_it_is_there() -> None:
    refs = Refs()
    listed('- button "A" [ref=e1]\n- button "B" [ref=e2]\n', refs=refs)
    listed('- button "B" [ref=e2]\n', refs=refs)
    assert set(refs.elements) == {"e2"}


def test_another_document_in_a_frame_costs_its_refs_alone() -> None:
    refs = Refs()
    listed('- button "A" [ref=e1]\n- button "B" [ref=f1e1]\n', refs=refs)
    refs.leave(frames_only=True)
    assert set(refs.elements) == {"e1"}
    listed('- button "A" [ref=e1]\n- button "C" [ref=f1e1]\n', refs=refs)
    assert {ref: one.name for ref, one in refs.elements.items()} == {"e1": "A", "e3": "C"}


@pytest.mark.parametrize(
    "said",
    ['x" [ref=e7] [cursor=pointer', "/a [ref=e7] b/", "a\\", "'", "\u202eabc\n- button [ref=e7]"],
)
def test_a_name_cannot_pass_for_a_ref(said: str) -> None:
    import json

    page = f"- button {json.dumps(said)} [ref=e1]\n- paragraph [ref=e2]: {json.dumps(said)}\n"
    refs = Refs()
    text = listed(page, refs=refs).text
    assert re.findall(r"\[ref=\w+\]", text) == ["[ref=e1]"]
    assert len(text.splitlines()) == 2


@settings(max_examples=150)
@given(st.text(alphabet=st.sampled_from("- abc\"'\\:[]ref=e1\n /x|{}"), max_size=300))
def test_whatever_an_engine_prints_is_read_without_a_fault(page: str) -> None:
    refs = Refs()
    nodes = parse(page)
    listing = written(nodes, refs.take(nodes), View(most=600))
    assert len(listing.text) <= 600
    assert all(one.engine for one in refs.elements.values())


@given(st.text(max_size=200), st.integers(2, 50))
def test_words_of_a_page_are_one_line_of_a_bounded_length(text: str, most: int) -> None:
    said = harmless(text, most)
    assert len(said) <= most
    assert len(said.splitlines()) <= 1
    assert "[ref=" not in said
