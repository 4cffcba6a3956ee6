"""No pattern of the program hangs on a text made for it (regex_shapes.py says what is seen)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.arch.regex_shapes import ADJACENT, EXPONENTIAL, hazards
from tests.arch.regex_texts import Pattern, patterns
from tests.arch.rules import PACKAGE, Source, read_sources

ROOT = Path(__file__).resolve().parents[2]
# Loops side by side take the square of a text's length: harmless where the text is this short.
CAPPED = {
    "agent.command_style:_FORGET": "a request of 500 characters at most (_LONGEST_FORGET)",
    "agent.follow_up:_SHIFT": "an answer of 200 characters at most (LONGEST_ANSWER)",
    "gateway.along:_ITALIC_LINE": "4,000 characters of a thought at most (_LONGEST_THOUGHT)",
    "gateway.commands.detection:_NAME_AND_REST": "after the first blank anything fits: no way back",
    "memory.facts:_ASK_FIRST": "500 characters at most (memory.capture.LONGEST), blanks made one",
    "memory.facts:_ASK_LAST": "500 characters at most (memory.capture.LONGEST), blanks made one",
}


@pytest.fixture(scope="module")
def found() -> list[tuple[Pattern, tuple[str, ...]]]:
    every = patterns(read_sources(ROOT / PACKAGE))
    return [(one, hazards(one.text, one.flags)) for one in every if one.text is not None]


def test_no_pattern_takes_exponential_time(found: list[tuple[Pattern, tuple[str, ...]]]) -> None:
    hanging = [f"{one.where} (line {one.line})" for one, kinds in found if EXPONENTIAL in kinds]
    assert not hanging, (
        "these can read one text in ever more ways; make a loop possessive (`++`) or its parts"
        f" different: {hanging}"
    )


def test_loops_side_by_side_have_short_texts(found: list[tuple[Pattern, tuple[str, ...]]]) -> None:
    square = {one.where for one, kinds in found if ADJACENT in kinds}
    assert square == set(CAPPED), "make the first loop possessive, or list it with its text's cap"


def test_nearly_all_patterns_are_read_from_the_source(
    found: list[tuple[Pattern, tuple[str, ...]]],
) -> None:
    assert len(found) > 400


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(a+)+$", r"(a*)*b", r"(.*x)*y", r"(?:\w+\s?)*$", r"(?:a|ab|b)*c", r"(\d{1,30}){1,30}x"),
        *(
            r'"(?:\\.|[^"])*"',
            r"(?=(a+)+)b",
            r"(?:x(?:a+b?)*)+y",
            r"(?i)(?:ab|[A-Z])+!",
            r"(?:好|好的?的?)*x",
        ),
    ],
)
def test_a_hanging_pattern_is_seen(pattern: str) -> None:
    assert EXPONENTIAL in hazards(pattern)


@pytest.mark.parametrize("pattern", [r"\s*,?\s*$", r".*.*x", r"a+[ab]*", r"x(\d+)?\w*y"])
def test_loops_side_by_side_are_seen(pattern: str) -> None:
    assert hazards(pattern) == (ADJACENT,)


@pytest.mark.parametrize(
    "pattern",
    [
        *(r'"(?:[^"\\]|\\.)*"', r"(?:a+b)*", r"(?:\d{8})*", r"\d+\.\d+", r"(?:ab|ac)*d"),
        *(r"(?:\w+\s+)*$", r"(?:a++)*b", r"(?>a+)[ab]*", r"\s*+,?x", r"(?:是|好)*"),
        *(r"(a)(?(1)b|c)*", r"^(?<!x)[\w.]+@\w+$", r"(?m)^#+[ \t]++\S"),
    ],
)
def test_a_pattern_with_one_way_is_let_alone(pattern: str) -> None:
    assert hazards(pattern) == ()


def test_patterns_are_put_together_from_other_modules() -> None:
    text = (
        'import re\nfrom moltbot_desktop.a import PART\n_ALL = re.compile(rf"({PART})+" "$", re.I)'
    )
    sources = [
        Source("a", ast.parse('PART = "b+"'), ()),
        Source("c", ast.parse(text), tuple(text.splitlines())),
    ]
    (one,) = patterns(sources)
    assert (one.where, one.text, one.flags) == ("c:_ALL", "(b+)+$", 2)
