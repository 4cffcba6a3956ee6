"""One fact in other words, and a new value for the same thing; in doubt neither."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.errors import ModelError
from moltbot_desktop.memory.comparing import known_as, near_duplicate, supersedes
from tests.fakes.memory import ConceptEmbedder


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I prefer window seats", "I prefer a window seat"),
        ("I'm allergic to peanuts", "Allergic to peanuts."),
        ("我喜欢喝茶", "我很喜欢喝茶。"),
        ("My  DENTIST is Dr. Lee", "my dentist is Dr. Lee!"),
    ],
)
def test_other_wordings_are_one_fact(one: str, other: str) -> None:
    assert near_duplicate(one, other)
    assert near_duplicate(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Standup is at 5", "Standup is at 6"),
        ("I love dogs", "I hate dogs"),
        ("I eat meat", "I don't eat meat"),
        ("I take coffee with milk", "I take coffee without milk"),
        ("Anna is my boss", "Bob is my boss"),
        ("Anna calls Bob", "Bob calls Anna"),
        ("The bins go out on monday", "The bins go out on friday"),
        ("我喜欢喝茶", "我不喜欢喝茶"),
        ("我的牙医是李明", "我的牙医是李强"),
    ],
)
def test_numbers_names_and_turns_make_two_facts_however_alike(one: str, other: str) -> None:
    assert not near_duplicate(one, other)
    assert not near_duplicate(one, other, 0.99)


def test_a_model_of_meaning_sees_one_fact_in_quite_other_words() -> None:
    embedder = ConceptEmbedder("automobile car vehicle", "crimson scarlet")
    known = ["the automobile is crimson"]
    assert not known_as("the car is scarlet", known, None)
    assert known_as("the car is scarlet", known, embedder) == known[0]


def test_a_model_that_fails_is_done_without() -> None:
    embedder = ConceptEmbedder("car automobile")
    embedder.failing = ModelError("gone")
    assert known_as("the car", ["an automobile", "The car."], embedder) == "The car."
    assert known_as("the car", ["an automobile"], embedder) == ""


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("My dentist is Dr. Lee", "My dentist is Dr. Okafor"),
        ("I live in York", "I live in Leeds"),
        ("I moved to York", "I live in Leeds"),
        ("My favourite colour is blue", "my favourite colour is green"),
        ("My sister's birthday is 4 May", "My sister's birthday is 3 May"),
        ("我住在上海", "我住在杭州"),
        ("我搬到上海了", "我住在杭州"),
        ("我的牙医是王医生", "我的牙医是李医生"),
        ("我在腾讯工作", "我在阿里上班"),
    ],
)
def test_a_new_value_takes_the_place_of_the_old_one(new: str, old: str) -> None:
    assert supersedes(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("My friend is Anna", "My friend is Bob"),
        ("My dentist is very nice", "My dentist is Dr. Okafor"),
        ("My boss is strict", "My boss is Carol"),
        ("I live in Leeds, UK", "I live in Leeds"),
        ("My dentist is Dr. Lee", "My doctor is Dr. Okafor"),
        ("My dentist is Dr. Lee.", "my dentist is Dr. Lee"),
        ("My car is red", "My car is a Volvo"),
        ("我的朋友是李明", "我的朋友是王强"),
        ("我的老板是个好人", "我的老板是李明"),
        ("我喜欢茶", "我喜欢咖啡"),
        ("我住在约克", "I live in York"),
        ("我住在杭州，喜欢喝绿茶", "我住在上海"),
    ],
)
def test_where_it_is_not_sure_both_facts_stay(new: str, old: str) -> None:
    assert not supersedes(new, old)
