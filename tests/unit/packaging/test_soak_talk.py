"""What a soak counts as lost, doubled and wrong is what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from tests.bench.soak_talk import Fate, by_number, counted, fates, is_right, request


@dataclass
class Told:
    """A conversation whose answers are given."""

    given: Mapping[int, list[str]]
    keyed: bool = True
    said: dict[int, float] = field(default_factory=dict)
    told: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.said = {number: float(number) for number in (*self.given, 99)}
        self.told = {number: number + 0.5 for number in self.given}

    def say(self, number: int) -> None: ...

    def begin_anew(self, number: int) -> None: ...

    def look(self) -> None: ...

    def answers(self) -> Mapping[int, list[str]]:
        return self.given


@pytest.mark.parametrize(
    ("number", "answer", "right"),
    [
        (3, "3 + 1000 = 1003", True),
        (3, "3 + 1,000 = 1,003", True),
        (3, "3 + 1000 = 1004", False),
        (3, "Did I get that right: work out 3 + 1000? Answer yes.", True),
        (3, "Did I get that right: work out 4 + 1000? Answer yes.", False),
        (4, "4 * 7 = 28", True),
        (5, "Something went wrong here.", False),
    ],
)
def test_an_answer_is_right_when_it_is_about_the_numbers(
    number: int, answer: str, right: bool
) -> None:
    assert str(number) in request(number)
    assert is_right(number, answer) is right


def test_each_message_has_one_fate() -> None:
    answers = {
        3: ["3 + 1000 = 1003"],
        4: ["4 * 7 = 28", "4 * 7 = 28"],
        6: ["no"],
        9: ["no"],
    }
    found = fates(Told(answers), lambda since, until: since == 9)
    assert found == {
        3: Fate.RIGHT,
        4: Fate.DOUBLED,
        6: Fate.WRONG,
        9: Fate.EXCUSED,
        99: Fate.LOST,
    }
    assert counted([found, found])[Fate.LOST] == 2


@pytest.mark.parametrize(
    ("texts", "keyed", "troubled", "fate"),
    [
        (["4 * 7 = 28"] * 2, False, True, Fate.AGAIN),
        (["4 * 7 = 28"] * 2, False, False, Fate.DOUBLED),
        (["4 * 7 = 28"] * 2, True, True, Fate.DOUBLED),
        (["4 * 7 = 28", "28"], False, True, Fate.DOUBLED),
    ],
)
def test_only_a_platform_without_keys_may_hear_the_same_again_after_a_kill(
    texts: list[str], keyed: bool, troubled: bool, fate: Fate
) -> None:
    assert fates(Told({4: texts}, keyed), lambda *_: troubled)[4] is fate


BROKEN = "Something went wrong here, so I cannot answer that now. Please write again later."


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        (["103 + 1000 = 1103", BROKEN], {103: ["103 + 1000 = 1103"], 104: [BROKEN]}),
        ([BROKEN, "104 * 7 = 728"], {103: [BROKEN], 104: ["104 * 7 = 728"]}),
        ([BROKEN, BROKEN], {103: [BROKEN], 104: [BROKEN]}),
        ([BROKEN, BROKEN, "104 * 7 = 728"], {103: [BROKEN] * 2, 104: ["104 * 7 = 728"]}),
        ([BROKEN, "A new conversation begins.", BROKEN], {103: [BROKEN], 104: [BROKEN]}),
        (["103 + 1000 = 1103"] * 2, {103: ["103 + 1000 = 1103"] * 2}),
        # Not said again, but two answers to one.
        (
            ["103 + 1000 = 1103", BROKEN, "104 * 7 = 728"],
            {103: ["103 + 1000 = 1103"], 104: [BROKEN, "104 * 7 = 728"]},
        ),
        ([BROKEN, "No.", "104 * 7 = 728"], {103: [BROKEN], 104: ["No.", "104 * 7 = 728"]}),
    ],
)
def test_without_ids_an_answer_is_to_what_was_said_or_came_again(
    texts: list[str], found: dict[int, list[str]]
) -> None:
    assert by_number(texts, [103, 104]) == found
