"""The first look at a grammar: exact reasons, and no crash on any text."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import GrammarRejected
from moltbot_desktop.models.gbnf import MAX_NESTING, check_gbnf

GOOD = r"""
# a comment with "quotes" and ( brackets
root ::= "{" ws pair ("," ws pair){0,3} "}" | [^"\\\x00-\x1F\]]+ | other-rule*
pair ::= "\"key\"" ":" ("\\" [nrt"\\] | [a-z])? .
ws ::= [ \t\n]{0,2}
other-rule ::= (
  "你好" | "\u4f60"
)
"""


def test_what_our_grammars_are_made_of_is_accepted() -> None:
    check_gbnf(GOOD)
    check_gbnf("root ::= " + "(" * MAX_NESTING + '"a"' + ")" * MAX_NESTING)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no rule `root`"),
        ('start ::= "a"', "no rule `root`"),
        ("root ::= missing", "`missing` is used"),
        ('root ::= "a"\nnext ::= "b', "line 2 cannot be read"),
        ('root ::= ("a"', "not closed"),
        ('root ::= "a")', "line 1 do not fit"),
        ('root ::= "\\q"', "line 1 cannot be read"),
        ('root ::= "a\0"', "no text"),
        ('root ::= "\ud800"', "no text"),
        ('root ::= a_b\na_b ::= "x"', "cannot be read"),
    ],
)
def test_a_bad_grammar_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(GrammarRejected) as caught:
        check_gbnf(text)
    assert reason in caught.value.message


@given(st.one_of(st.text(), st.text(alphabet='rot ::="ab\\[](){}|*+?.#\n0,9')))
@example(GOOD)
def test_any_text_is_accepted_or_refused_and_nothing_else(text: str) -> None:
    with contextlib.suppress(GrammarRejected):
        check_gbnf(text)
