"""A skill that the prompt does not list is found by the words people use for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.skills.discovery import Skill
from moltbot_desktop.skills.finding import MOST_FOUND, find_skills
from moltbot_desktop.skills.metadata import Invocation


def a_skill(name: str, description: str, offered: bool = True) -> Skill:
    path = Path(f"/s/{name}/SKILL.md")
    return Skill(name, description, path, "workspace", invocation=Invocation(by_model=offered))


SKILLS = (
    a_skill("invoices", "Write and file invoices. 发票"),
    a_skill("journal", "Diary: today's entry. 日记, 写日记"),
    a_skill("hidden", "Diary of a person.", offered=False),
    *(a_skill(f"other-{number}", "Does something else.") for number in range(20)),
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("invoice", ["invoices"]),
        ("invoicing the client", ["invoices"]),
        ("keep a diary", ["journal"]),
        ("帮我写日记", ["journal"]),
        ("开发票", ["invoices"]),
        ("zebra", []),
        ("", []),
        ("。。", []),
    ],
)
def test_it_is_found_by_its_name_or_what_it_is_for(words, expected):
    assert [one.name for one in find_skills(SKILLS, words)] == expected


def test_only_the_best_few_are_told():
    found = find_skills(SKILLS, "something else, and an entry in the journal")
    assert found[0].name == "journal"
    assert len(found) == MOST_FOUND


@settings(max_examples=50)
@given(st.text(max_size=40))
def test_any_words_can_be_looked_for(words):
    assert len(find_skills(SKILLS, words)) <= MOST_FOUND
