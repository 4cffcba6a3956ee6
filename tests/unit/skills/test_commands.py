"""Slash names of skills: the reference's, unique, never one of the program's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.commands import (
    command_description,
    same_name,
    slash_name,
    slash_names,
)
from moltbot_desktop.skills.discovery import Skill
from moltbot_desktop.skills.metadata import Invocation


def skill(name: str, description: str = "Helps.", *, by_person: bool = True) -> Skill:
    invocation = Invocation(by_person=by_person)
    return Skill(name, description, Path("/s/x/SKILL.md"), "bundled", invocation=invocation)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("notes", "notes"),
        ("Garden Log", "garden_log"),
        ("a--b__c", "a_b_c"),
        ("  !weather! ", "weather"),
        ("购物", "skill"),
        ("x" * 40, "x" * 32),
        ("Ünïcode", "n_code"),
    ],
)
def test_a_name_becomes_a_command(name: str, command: str) -> None:
    assert slash_name(name) == command


def test_clashes_get_numbers_and_stay_short_enough() -> None:
    long = "x" * 32
    names = slash_names(
        [
            skill("status"),
            skill("a b"),
            skill("a-b"),
            skill(long),
            skill(long + "y"),
            skill("购物"),
        ],
        {"status", "Skill"},
    )
    assert names == {
        "status": "status_2",
        "a b": "a_b",
        "a-b": "a_b_2",
        long: long,
        long + "y": "x" * 30 + "_2",
        "购物": "skill_2",
    }


def test_what_only_the_model_may_start_has_no_command() -> None:
    assert slash_names([skill("quiet", by_person=False)]) == {}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=40), max_size=12, unique=True))
def test_commands_are_unique_and_of_the_allowed_letters(names: list[str]) -> None:
    found = slash_names([skill(name) for name in names], {"skill", "help"})
    assert len(set(found.values())) == len(names)
    for command in found.values():
        assert len(command) <= 32 and set(command) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")
        assert command not in ("skill", "help")


def test_blanks_dashes_underscores_and_case_are_the_same() -> None:
    assert same_name("Garden Log") == same_name("garden_log") == same_name("GARDEN-LOG")
    assert same_name("garden") != same_name("gardens")


def test_a_menu_shows_one_short_line() -> None:
    assert len(command_description(skill("x", "word " * 60), Language.ENGLISH)) == 100
    assert command_description(skill("x", "Short."), Language.CHINESE) == "Short."
