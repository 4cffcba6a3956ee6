"""A skill is let in or kept out as in the reference, by its own settings, read as ours are.

Trust is no part of it: what the reference knows of a skill it trusts.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.config.sections import check_part
from moltbot_desktop.config.skills import SkillsConfig
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.skills.discovery import BUNDLED, EXTRA, MANAGED, PLUGIN, WORKSPACE, Skill
from moltbot_desktop.skills.eligibility import (
    SkillEntry,
    Surroundings,
    TrustState,
    eligibility,
)
from moltbot_desktop.skills.metadata import read_metadata
from tests.unit.parity.differences import Case
from tests.unit.parity.test_reference_cases import CASES

SOURCES = (BUNDLED, MANAGED, WORKSPACE, EXTRA, PLUGIN)


def let_in(given: Mapping[str, Any]) -> bool:
    config = given.get("config") or {}
    settings = check_part("skills", config, {}).value
    assert isinstance(settings, SkillsConfig)
    environment = {**os.environ, **(given.get("env") or {})}
    around = Surroundings(
        platform=given["platform"],
        has_binary=lambda name: shutil.which(name) is not None,
        has_env=lambda name: bool(environment.get(name)),
        config=lambda path: at(config, path),
        trust=lambda _: TrustState.TRUSTED,
        entries={
            key: SkillEntry(one.enabled, one.env, bool(one.api_key))
            for key, one in settings.entries.items()
        },
        allow_bundled=tuple(filter(None, map(str.strip, settings.allow_bundled))),
    )
    name, kind = given["name"], given["source_kind"]
    source = next((one for one in SOURCES if kind.endswith(one)), WORKSPACE)
    metadata = read_metadata({"moltbot": given["metadata"] or {}})
    skill = Skill(name, "d", Path(f"/s/{name}/SKILL.md"), source, metadata)
    return eligibility(skill, around).eligible


def at(config: JsonValue, path: str) -> JsonValue:
    for name in path.split("."):
        config = config.get(name) if isinstance(config, Mapping) else None
    return config


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.category == "skill_gating"],
    ids=lambda case: case.id,
)
def test_a_skill_is_let_in_as_in_the_reference(case: Case) -> None:
    assert let_in(case.input) is case.expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"config": {"skills": {"entries": {"k": {"enabled": False}}}}}, True),
        ({"metadata": {"skillKey": "k"},
          "config": {"skills": {"entries": {"k": {"enabled": False}}}}}, False),
        ({"source_kind": "moltbot-bundled", "config": {"skills": {"allowBundled": []}}}, True),
        ({"source_kind": "moltbot-bundled", "config": {"skills": {"allowBundled": [" "]}}}, True),
        ({"metadata": {"always": True, "requires": {"bins": ["no-such-bin-zz"]}}}, True),
        ({"metadata": {"requires": {"bins": ["no-such-bin-zz"]}}}, False),
        ({"metadata": {"requires": {"env": ["ZZ_KEY"]}, "primaryEnv": "ZZ_KEY"},
          "config": {"skills": {"entries": {"s1": {"apiKey": "x"}}}}}, True),
        ({"metadata": {"requires": {"config": ["browser.enabled"]}}}, True),
        ({"metadata": {"requires": {"config": ["browser.enabled"]}},
          "config": {"browser": {"enabled": False}}}, False),
        ({"metadata": {"requires": {"config": ["a.b"]}}}, False),
        ({"metadata": {"requires": {"config": ["a.b"]}}, "config": {"a": {"b": []}}}, True),
    ],
)  # fmt: skip
def test_what_the_reference_says_of_more_skills(changes: Mapping[str, Any], expected: bool) -> None:
    given = {"platform": "linux", "metadata": None, "name": "s1", "config": {},
             "source_kind": "moltbot-workspace", **changes}  # fmt: skip
    assert let_in(given) is expected
