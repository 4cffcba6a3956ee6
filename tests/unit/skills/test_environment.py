"""What programs find in their environment for one run: what its skills ask for, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from moltbot_desktop.skills.discovery import BUNDLED, Skill
from moltbot_desktop.skills.eligibility import SkillEntry
from moltbot_desktop.skills.environment import SkillEnvironment, skill_environment
from moltbot_desktop.skills.metadata import read_metadata

KEY = "sesame-open"


def skill(name: str, own: Mapping[str, Any] | None = None) -> Skill:
    metadata = read_metadata({"moltbot": own or {}})
    return Skill(name, "d", Path(f"/s/{name}/SKILL.md"), BUNDLED, metadata)


TICKETS = skill("tickets", {"primaryEnv": "TICKETS_KEY", "requires": {"env": ["TICKETS_URL"]}})


def test_a_skill_gets_its_variables_and_its_key() -> None:
    entries = {"tickets": SkillEntry(env={"TICKETS_URL": "https://t.example"}, api_key=True)}
    found = skill_environment([TICKETS], entries, {"tickets": KEY}, {})
    assert found.variables == {"TICKETS_URL": "https://t.example", "TICKETS_KEY": KEY}
    assert found.secret == {"TICKETS_KEY"}


def test_what_is_set_already_stays() -> None:
    entries = {"tickets": SkillEntry(env={"TICKETS_URL": "mine"})}
    process = {"TICKETS_URL": "theirs", "TICKETS_KEY": "their key", "OTHER": "x"}
    found = skill_environment([TICKETS], entries, {"tickets": KEY}, process)
    assert found.variables == {"TICKETS_URL": "theirs", "TICKETS_KEY": "their key"}


def test_an_empty_variable_of_the_process_counts_as_none() -> None:
    found = skill_environment([TICKETS], {}, {"tickets": KEY}, {"TICKETS_KEY": ""})
    assert found.variables == {"TICKETS_KEY": KEY}


def test_a_variable_written_down_comes_before_the_key() -> None:
    entries = {"tickets": SkillEntry(env={"TICKETS_KEY": "written"})}
    found = skill_environment([TICKETS], entries, {"tickets": KEY}, {})
    assert found.variables == {"TICKETS_KEY": "written"}


def test_settings_are_found_by_the_key_of_a_skill_not_its_name() -> None:
    # The reference looks by name when it goes by a stored list of skills.
    own = skill("a name", {"skillKey": "tickets", "primaryEnv": "K"})
    assert skill_environment([own], {}, {"tickets": KEY}, {}).variables == {"K": KEY}
    assert skill_environment([own], {}, {"a name": KEY}, {}).variables == {}


def test_a_skill_that_may_not_be_used_gets_nothing() -> None:
    entries = {"other": SkillEntry(env={"X": "1"})}
    assert skill_environment([TICKETS], entries, {"other": KEY}, {}).variables == {}


def test_of_two_skills_that_want_the_same_variable_the_first_counts() -> None:
    entries = {"a": SkillEntry(env={"X": "1"}), "b": SkillEntry(env={"X": "2", "Y": "3"})}
    found = skill_environment([skill("a"), skill("b")], entries, {}, {})
    assert found.variables == {"X": "1", "Y": "3"}


def test_what_can_be_no_variable_is_left_out() -> None:
    entries = {"a": SkillEntry(env={"A=B": "1", "": "2", "C": "x\0y", "D": ""})}
    assert skill_environment([skill("a")], entries, {}, {}).variables == {}


def test_secrets_are_taken_out_of_texts_and_data() -> None:
    variables = {"A_TOKEN": KEY, "B_KEY": f"{KEY}-long", "URL": "https://t.example", "PIN_KEY": "1"}
    found = SkillEnvironment(variables, frozenset({"A_TOKEN", "B_KEY", "PIN_KEY"}))
    assert found.hidden(f"1: {KEY}-long {KEY} https://t.example") == (
        "1: [B_KEY] [A_TOKEN] https://t.example"
    )
    data = {"out": [f"<{KEY}>", 3, None], "deep": {"x": KEY}}
    assert found.hidden_in(data) == {"out": ["<[A_TOKEN]>", 3, None], "deep": {"x": "[A_TOKEN]"}}


def test_variables_whose_names_sound_secret_are() -> None:
    names = ["A_TOKEN", "APIKEY", "MY_API_KEY", "DB_PASSWORD", "KEYBOARD", "URL"]
    entries = {"a": SkillEntry(env=dict.fromkeys(names, "a value"))}
    found = skill_environment([skill("a")], entries, {}, {})
    assert found.secret == {"A_TOKEN", "APIKEY", "MY_API_KEY", "DB_PASSWORD"}


def test_no_value_is_printed() -> None:
    assert KEY not in repr(SkillEnvironment({"X": KEY}, frozenset({"X"})))
