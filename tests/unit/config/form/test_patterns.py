"""A pattern that somebody else wrote is answered soon or refused, and never hangs the program."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.config.form.checking import Checker, in_words
from moltbot_desktop.config.form.form import open_form
from moltbot_desktop.config.form.patterns import (
    Patterns,
    PatternTooSlow,
    PatternUnusable,
    compiled,
    steady,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue

HOSTILE = ("^(a|aa)+$", "(a{1,500}){1,500}b", "^(a|a)*?(a|a)*?$")
LONG = "a" * 3_000 + "c"

KNOWN = [
    (r"^(?!\s*-)", "x", True),
    (r"^(?!\s*-)", " -x", False),
    (r"^https?:\/\/", "https://a", True),
    (r"^(?<y>a|b)\k<y>$", "bb", True),
    (r"^(?<y>a|b)\k<y>$", "ba", False),
    (r"^\p{L}+$", "é键", True),
    (r"\u{952e}\u952e\cA", "键键\x01", True),
    (r"^[^]$", "\n", True),
    (r"[]", "a", False),
    ("^[[a]$", "[", True),
    (r"^[\]a-]+$", "]-a", True),
    ("^a{2}$", "aa\n", False),
    ("^a{e<=1}$", "a{e<=1}", True),
    (r"^\m\K$", "mK", True),
    (r"^[1-9]\d{1,14}(?:ms|s)?$", "12ms", True),
    ("(?i)^ABC", "abc", True),
]


@pytest.mark.parametrize(("pattern", "text", "found"), KNOWN)
def test_what_json_schema_writes_is_understood(pattern: str, text: str, found: bool) -> None:
    assert Patterns().found(pattern, text) is found


@pytest.mark.parametrize("pattern", HOSTILE)
def test_a_pattern_that_would_hang_is_given_up(pattern: str) -> None:
    patterns = Patterns()
    with pytest.raises(PatternTooSlow):
        patterns.found(pattern, LONG)


def test_many_that_would_hang_cost_no_more_than_a_few() -> None:
    patterns = Patterns()
    refused = 0
    for number in range(2_000):
        try:
            patterns.found(HOSTILE[0], f"{LONG}{number}")
        except PatternTooSlow:
            refused += 1
    assert refused == 2_000


STRANGE = ["(?R)", "(?:a)(?1)", "(*PRUNE)a", "(", "a)", "*a", "[a", "a\\", "(?>a)", "(?L:a)"]
HUGE = ["((((a{100}){100}){100}){100}){100}", "a{999999999}", "(" * 200 + ")" * 200, "a" * 5_000]


@pytest.mark.parametrize("pattern", STRANGE + HUGE)
def test_what_is_no_pattern_or_none_that_people_write_is_refused(pattern: str) -> None:
    with pytest.raises(PatternUnusable):
        compiled(pattern)
    assert Checker.of({"type": "string", "pattern": pattern}).broken


@given(st.text(r"ab(){}[]^$?*+|\.,0129<>=!:-", max_size=14), st.text("ab-9", max_size=12))
@settings(max_examples=150, deadline=None)
def test_any_text_is_a_pattern_or_refused(pattern: str, text: str) -> None:
    try:
        Patterns().found(pattern, text)
        steady(pattern)
    except (PatternUnusable, PatternTooSlow):
        return


PIECES = st.lists(
    st.sampled_from(["a", "b", "[ab]", "[^a]", "(a|b)", "a*", "b?", "a{1,2}", ".", "\\w", "(?=a)"]),
    max_size=5,
)


@given(PIECES, st.text("ab-", max_size=8))
@settings(max_examples=100, deadline=None)
def test_everyday_patterns_say_what_pythons_own_say(pieces: list[str], text: str) -> None:
    pattern = f"^{''.join(pieces)}$"
    assert Patterns().found(pattern, text) == bool(re.search(pattern, text))


SCHEMAS: list[JsonObject] = [
    {"properties": {"a": {"type": "string", "pattern": HOSTILE[0]}}},
    {"patternProperties": {HOSTILE[0]: {"type": "string"}}, "additionalProperties": False},
    {"propertyNames": {"pattern": HOSTILE[0]}},
    {"properties": {"a": {"not": {"pattern": HOSTILE[0]}}}, "patternProperties": {"^(a|aa)+$": {}}},
    {"properties": {"a": {"if": {"pattern": HOSTILE[1]}, "else": {"const": "x"}}}},
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_could_not_be_checked_is_not_saved_as_right(schema: JsonObject) -> None:
    form = open_form(schema, {})
    value: JsonValue = {"a": LONG, LONG: "x"}
    edited = form.put((), value)
    root = edited.root(Language.ENGLISH)
    assert edited.wrong
    told = [in_words(one, Language.CHINESE) for one in Checker.of(schema).problems(value)]
    assert any("需要太长时间" in one for one in told), root


def test_a_pattern_beside_what_is_left_over_must_be_a_plain_one() -> None:
    schema: JsonObject = {"unevaluatedProperties": False, "patternProperties": {"^x-": True}}
    assert not Checker.of(schema).broken
    assert Checker.of({**schema, "patternProperties": {HOSTILE[0]: True}}).broken


def test_references_that_multiply_end() -> None:
    library: JsonObject = {
        f"n{number}": {"allOf": [{"$ref": f"#/$defs/n{number + 1}"}] * 10} for number in range(12)
    }
    schema: JsonObject = {"$ref": "#/$defs/n0", "$defs": {**library, "n12": {"type": "object"}}}
    form = open_form(schema, {"a": 1})
    assert form.root(Language.ENGLISH).problems
    assert form.changes() == ()
    union = {
        name: {"anyOf": one["allOf"]} if isinstance(one, dict) else one
        for name, one in library.items()
    }
    either: JsonObject = {"$ref": "#/$defs/n0", "$defs": {**union, "n12": {"const": {}}}}
    assert open_form(either, {}).root(Language.ENGLISH).label == ""


def test_a_busy_machine_refuses_no_pattern() -> None:
    """The engine's clock goes on while other programs have the processor; ours counts its own."""

    class Interrupted:
        left = 3

        def search(self, text: str, timeout: float) -> str | None:
            del timeout
            self.left -= 1
            if self.left > 0:
                raise TimeoutError
            return text

    late, never = Interrupted(), Interrupted()
    never.left = 10_000
    assert Patterns()._searched(late, "x") is True  # type: ignore[arg-type]
    assert Patterns()._searched(never, "x") is None  # type: ignore[arg-type]
