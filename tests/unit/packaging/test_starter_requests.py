"""The written requests that train the starter: well marked, and no evaluation data among them."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from starter_model import replies, written
from starter_model.cases import read
from starter_model.tools import TOOLS, argument_names

ARGUMENTS = "|".join({name for tool in TOOLS for name in argument_names(tool)})
MARKS = re.compile(f"</?(?:{ARGUMENTS})>")
LISTS = Path(__file__).parents[2] / "data" / "starter"


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text.lower())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_section_is_a_tool_or_a_fixed_answer(language: str) -> None:
    answers = {f"ask {name}" for name in replies.ASK[language]}
    answers |= {f"chat {name}" for name in replies.CHAT[language]}
    assert written.requests(language).keys() == {*TOOLS, *answers, "other"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_required_argument_is_marked_once(language: str) -> None:
    for section, requests in written.requests(language).items():
        for segments, expression in requests:
            names = [name for name, _ in segments if name]
            text = "".join(text for _, text in segments)
            assert len(names) == len(set(names)), text
            if section in TOOLS and not expression:
                assert {name for name in TOOLS[section] if not name.endswith("?")} <= set(names)
            elif section not in TOOLS:
                assert not names, text
            assert not MARKS.search(text), text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_request_of_an_evaluation_list_is_trained(language: str) -> None:
    lists = [read(path) for path in LISTS.glob("*.jsonl")]
    assert len(lists) > 4
    measured = {_letters(case.user) for cases in lists for case in cases}
    trained = {
        _letters("".join(text for _, text in segments))
        for requests in written.requests(language).values()
        for segments, _ in requests
    }
    assert len(trained) > 1000
    assert not trained & measured


def test_a_varied_request_still_says_where_its_arguments_stand() -> None:
    rng = random.Random(1)
    calls = 0
    for _ in range(3000):
        made = written.dialogue(rng)
        assert bool(made.tool) != bool(made.answer)
        for name, value, start in made.args:
            assert name in argument_names(made.tool)
            assert value
            copied = made.user[start : start + len(value)]
            assert copied == value or (name == "expression" and start < 0)
        calls += bool(made.tool)
    assert 2000 < calls < 2500


def test_the_numbers_of_a_sum_stand_in_the_request() -> None:
    rng = random.Random(3)
    for zh in (False, True):
        for _ in range(1000):
            made = written.WrittenRequests(rng, zh).request("calc")
            numbers = written.NUMBER.findall(made.args[0][1])
            assert numbers
            assert all(number in made.user for number in numbers), made


def test_requests_are_varied() -> None:
    rng = random.Random(2)
    made = [written.dialogue(rng).user for _ in range(3000)]
    assert len(set(made)) > 2500


def test_a_mark_that_is_no_argument_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written, "sections", lambda name: {"read": ["show <file>a.txt</file>"]})
    with pytest.raises(ValueError, match="file is no argument of read"):
        written.requests.__wrapped__("en")
