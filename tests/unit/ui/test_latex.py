r"""Formulas as text: what is known becomes readable, all else stays as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.ui.latex import MAX_FORMULA_CHARACTERS, formula_text, readable
from moltbot_desktop.ui.markup import MarkdownReader, Paragraph


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"E = mc^2", "E = mc²"),
        (r"a_{ij} \le \frac{a+b}{2}", "aᵢⱼ ≤ (a+b)/2"),
        (r"\sqrt{x^2 + y^2}", "√(x² + y²)"),
        (r"\sum_{i=1}^{n} x_i", "∑ᵢ₌₁ⁿ xᵢ"),
        (r"\alpha \to \infty", "α → ∞"),
        (r"x \in \mathbb{R}", "x ∈ ℝ"),
        (r"90^\circ", "90°"),
        (r"\text{speed} = \dfrac{d}{t}", "speed = d/t"),
        (r"e^{i\pi} + 1 = 0", "e^(iπ) + 1 = 0"),
        (r"\left( a \right)", "( a )"),
    ],
)
def test_a_formula_becomes_text(source: str, text: str) -> None:
    assert formula_text(source) == text


@pytest.mark.parametrize(
    "source", [r"\begin{matrix}", "a & b", "{", "}", "^", r"\frac{a}", "x" * 2_001, "{" * 50]
)
def test_what_is_not_known_stays_as_it_was(source: str) -> None:
    assert formula_text(source) is None
    assert readable(f"see $${source}$$ there") == f"see $${source}$$ there"


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10 together.",
        "`$x^2$` is how it is written",
        "```\n$x^2$\n```",
        r"a backslash \\(x\\) of a person",
        "between $ x^2 $ blanks",
        "only one $x^2",
    ],
)
def test_money_and_code_are_no_formulas(text: str) -> None:
    assert readable(text) == text


def test_in_an_answer_every_form_is_read_and_no_markup_comes_of_it() -> None:
    [one] = MarkdownReader().read(r"so $a_1*b_2*c$ and \(x^2\) and \[y_0\] and $$z \ge 0$$.")
    assert isinstance(one, Paragraph)
    assert "".join(span.text for span in one.spans) == "so a₁*b₂*c and x² and y₀ and z ≥ 0."
    assert not any(span.italic for span in one.spans)


@given(st.text(alphabet="\\$^_{}()[]`ab1 \n&~", max_size=200))
def test_nothing_breaks_it_and_what_has_no_formula_is_not_changed(text: str) -> None:
    read = readable(text)
    assert len(read) <= 8 * len(text) + 8
    if "$" not in text and "\\" not in text:
        assert read == text


def test_a_long_text_of_dollars_is_read_quickly_enough_to_draw() -> None:
    """Each place looks ahead by one formula's length at most."""
    text = "$a " * 3_000
    assert readable(text) == text
    assert MAX_FORMULA_CHARACTERS <= 2_000
