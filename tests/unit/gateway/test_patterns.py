"""Patterns of the settings do what Python's would, in a time no text can stretch."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.gateway.patterns import PatternRefused, compile_pattern

PARTS = st.sampled_from(
    ["a", "b", ".", "\\d", "[ab]", "[^a]", "\\b", "^", "$", "(ab)", "(?:a|b)", "|", "\\.", "@"]
)
REPEATS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "+?"])
PATTERNS = st.lists(st.tuples(PARTS, REPEATS).map("".join), min_size=1, max_size=5).map("".join)


@settings(max_examples=200)
@given(PATTERNS, st.lists(st.text("ab.@1 A", max_size=8), max_size=4))
def test_it_finds_what_the_usual_engine_finds(text: str, examples: list[str]) -> None:
    try:
        usual = re.compile(text, re.IGNORECASE | re.DOTALL)
    except re.error:
        return
    try:
        pattern = compile_pattern(text)
    except PatternRefused:
        return
    for example in examples:
        assert pattern.finds(example) == bool(usual.search(example))


@pytest.mark.parametrize("text", ["(a+)+$", "(a|a)*b", "(a*)*b", "a{1,50}a{1,50}b"])
def test_a_pattern_that_stops_other_engines_is_done_in_its_steps(text: str) -> None:
    # Each character costs at most the pattern's steps, however they are nested.
    pattern = compile_pattern(text)
    assert not pattern.finds("a" * 2_000 + "!")


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "(", ")", "a)", "*a", "a**", "a{9999}", "[a", "\\", "(?=a)", "(?P<n>a)", "\\1"),
        *("a" * 501, "(a{50}){50}", "[a--b]", "a{3,1}"),
    ],
)
def test_what_cannot_be_used_is_refused(text: str) -> None:
    with pytest.raises(PatternRefused):
        compile_pattern(text)


@settings(max_examples=150)
@given(st.text("ab(|)[]^$*+?{}\\d,12-&~ ", max_size=14), st.text("ab1", max_size=6))
def test_any_pattern_is_used_or_refused(text: str, example: str) -> None:
    try:
        pattern = compile_pattern(text)
    except PatternRefused:
        return
    pattern.finds(example)
    assert len(pattern.without(example)) <= 2 * len(example) + 1


def test_what_it_fits_is_taken_out() -> None:
    pattern = compile_pattern(r"\b@?clawd\b")
    assert pattern.without("hey Clawd, and clawd!") == "hey  , and  !"
    assert pattern.without("clawdia") == "clawdia"
