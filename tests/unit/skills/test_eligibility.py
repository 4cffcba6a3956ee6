"""Whether a skill can be used here is decided in the reference's order, and every no has words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.skills.discovery import BUNDLED, MANAGED, WORKSPACE, Skill
from moltbot_desktop.skills.eligibility import (
    Gate,
    SkillEntry,
    Surroundings,
    TrustState,
    eligibility,
    says_yes,
)
from moltbot_desktop.skills.metadata import read_metadata

ALL = {
    "os": ["win32"],
    "requires": {"bins": ["git"], "anyBins": ["a", "b"], "env": ["KEY"], "config": ["x.y"]},
}
"""Asks for everything and finds nothing."""


def a_skill(own: Mapping[str, Any] | None = None, source: str = BUNDLED) -> Skill:
    metadata = read_metadata({"moltbot": own or {}})
    return Skill("s1", "d", Path("/s/s1/SKILL.md"), source, metadata, content_hash="h")


def here(
    *,
    bins: str = "",
    env: str = "",
    config: Mapping[str, JsonValue] | None = None,
    trust: TrustState = TrustState.TRUSTED,
    entry: SkillEntry | None = None,
    allow: tuple[str, ...] = (),
    key: str = "s1",
) -> Surroundings:
    return Surroundings(
        platform="linux",
        has_binary=bins.split().__contains__,
        has_env=env.split().__contains__,
        config=(config or {}).get,
        trust=lambda _: trust,
        entries={key: entry} if entry else {},
        allow_bundled=allow,
    )


def gates(own: Mapping[str, Any] | None, around: Surroundings, source: str = BUNDLED) -> list[Gate]:
    return [one.gate for one in eligibility(a_skill(own, source), around).reasons]


OFF = SkillEntry(enabled=False)
NEEDS_BIN = {"requires": {"bins": ["git", "jq"]}}
NEEDS_ANY = {"requires": {"anyBins": ["git", "jq"]}}
NEEDS_ENV = {"requires": {"env": ["KEY"]}, "primaryEnv": "KEY"}
NEEDS_CONFIG = {"requires": {"config": ["a.b"]}}


@pytest.mark.parametrize(
    ("own", "around", "expected"),
    [
        ({}, here(), []),
        ({}, here(entry=SkillEntry()), []),
        ({}, here(entry=SkillEntry(enabled=True)), []),
        ({}, here(entry=OFF), [Gate.DISABLED]),
        ({"skillKey": "k"}, here(entry=OFF), []),
        ({"skillKey": "k"}, here(entry=OFF, key="k"), [Gate.DISABLED]),
        ({}, here(allow=("other",)), [Gate.NOT_ALLOWED]),
        ({}, here(allow=("other", "s1")), []),
        ({"skillKey": "k"}, here(allow=("k",)), []),
        ({"skillKey": "k"}, here(allow=("s1",)), []),
        ({"os": []}, here(), []),
        ({"os": ["linux"]}, here(), []),
        ({"os": "darwin, linux"}, here(), []),
        ({"os": ["darwin"]}, here(), [Gate.OS]),
        ({"os": "win32"}, here(), [Gate.OS]),
        ({"os": ["darwin"], "always": True}, here(), [Gate.OS]),
        ({"always": True}, here(entry=OFF), [Gate.DISABLED]),
        ({"always": True}, here(allow=("other",)), [Gate.NOT_ALLOWED]),
        ({"always": True, **NEEDS_BIN}, here(), []),
        ({"always": "true", **NEEDS_BIN}, here(), []),
        ({"always": False, **NEEDS_BIN}, here(), [Gate.BINS]),
        ({"always": "soon", **NEEDS_BIN}, here(), [Gate.BINS]),
        ({"always": True, **NEEDS_ANY}, here(), []),
        ({"always": True, **NEEDS_ENV}, here(), []),
        ({"always": True, **NEEDS_CONFIG}, here(), []),
        (NEEDS_BIN, here(), [Gate.BINS]),
        (NEEDS_BIN, here(bins="git"), [Gate.BINS]),
        (NEEDS_BIN, here(bins="git jq"), []),
        ({"requires": {"bins": "git,jq"}}, here(bins="git jq"), []),
        ({"requires": {"bins": []}}, here(), []),
        ({"requires": {"bins": 7}}, here(), []),
        ({"requires": "bins"}, here(), []),
        (NEEDS_ANY, here(), [Gate.ANY_BINS]),
        (NEEDS_ANY, here(bins="jq"), []),
        ({"requires": {"anyBins": []}}, here(), []),
        (NEEDS_ENV, here(), [Gate.ENV]),
        (NEEDS_ENV, here(env="KEY"), []),
        (NEEDS_ENV, here(env="KEYS"), [Gate.ENV]),
        (NEEDS_ENV, here(entry=SkillEntry(env={"KEY": "1"})), []),
        (NEEDS_ENV, here(entry=SkillEntry(env={"KEY": ""})), [Gate.ENV]),
        (NEEDS_ENV, here(entry=SkillEntry(api_key=True)), []),
        ({"requires": {"env": ["KEY"]}}, here(entry=SkillEntry(api_key=True)), [Gate.ENV]),
        ({**NEEDS_ENV, "primaryEnv": "K2"}, here(entry=SkillEntry(api_key=True)), [Gate.ENV]),
        (NEEDS_CONFIG, here(), [Gate.CONFIG]),
        (NEEDS_CONFIG, here(config={"a.b": True}), []),
        (NEEDS_CONFIG, here(config={"a.b": False}), [Gate.CONFIG]),
        ({"requires": {"config": ["browser.enabled"]}}, here(), []),
        (
            {"requires": {"config": ["browser.enabled"]}},
            here(config={"browser.enabled": False}),
            [Gate.CONFIG],
        ),
        ({"requires": {"config": ["browser.evaluateEnabled"]}}, here(), []),
        ({"requires": {"config": ["browser.other"]}}, here(), [Gate.CONFIG]),
        (ALL, here(), [Gate.OS, Gate.BINS, Gate.ANY_BINS, Gate.ENV, Gate.CONFIG]),
        (ALL, here(entry=OFF), [Gate.DISABLED, Gate.OS, Gate.BINS, Gate.ANY_BINS, Gate.ENV,
                                Gate.CONFIG]),
        (ALL, here(bins="git b", env="KEY", config={"x.y": 1}), [Gate.OS]),
    ],
)  # fmt: skip
def test_each_gate_says_no_by_itself_and_nothing_is_left_out(own, around, expected):
    assert gates(own, around) == expected


@pytest.mark.parametrize("source", [MANAGED, WORKSPACE])
def test_only_bundled_skills_are_taken_out_by_the_list_of_allowed_ones(source):
    assert gates({}, here(allow=("other",)), source) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, False), (False, False), (True, True), (0, False), (0.0, False), (2, True), ("", False),
     (" \t", False), ("no", True), ({}, True), ([], True)],
)  # fmt: skip
def test_a_setting_says_yes_as_in_the_reference(value, expected):
    assert says_yes(value, "a.b") is expected


def test_an_agent_may_have_skills_of_its_own_choice():
    assert gates({}, replace(here(), only=())) == [Gate.NOT_FOR_AGENT]
    assert gates({"skillKey": "k"}, replace(here(), only=("k",))) == [Gate.NOT_FOR_AGENT]
    assert gates({}, replace(here(), only=("x", "s1"))) == []


def test_a_skill_from_outside_waits_for_its_owner():
    assert gates({}, here(trust=TrustState.UNKNOWN), WORKSPACE) == [Gate.UNTRUSTED]
    assert gates({}, here(trust=TrustState.CHANGED), WORKSPACE) == [Gate.CHANGED]
    assert gates({}, here(trust=TrustState.UNKNOWN)) == []
    assert gates({"always": True}, here(trust=TrustState.UNKNOWN), MANAGED) == [Gate.UNTRUSTED]


@pytest.mark.parametrize("language", Language)
def test_every_no_says_what_is_missing_and_what_to_do(language):
    around = replace(here(entry=OFF, allow=("x",)), trust=lambda _: TrustState.UNKNOWN, only=())
    reports = [
        eligibility(a_skill(ALL), around),
        eligibility(a_skill(source=WORKSPACE), around),
        eligibility(a_skill(source=WORKSPACE), here(trust=TrustState.CHANGED)),
    ]
    reasons = [reason for report in reports for reason in report.reasons]
    assert {reason.gate for reason in reasons} == set(Gate)
    for reason in reasons:
        assert reason.advice(language)
        for missing in reason.missing:
            assert missing in reason.words(language)
    assert not reports[0].eligible
    assert reports[0].missing(Gate.ANY_BINS) == ("a", "b")
    assert "git" in reports[0].words(language)


@pytest.mark.parametrize("language", Language)
def test_a_plugin_that_is_off_is_named_with_the_command_that_switches_it_on(language):
    needs = {"requires": {"config": ["plugins.entries.weather.enabled", "x.y"]}}
    (reason,) = eligibility(a_skill(needs), here()).reasons
    said, advice = reason.words(language), reason.advice(language)
    assert "“weather”" in said and "plugins.entries" not in said and "x.y" in said
    assert "moltbot-desktop plugins enable weather" in advice and "moltbot.json" in advice
    only = {"requires": {"config": ["plugins.entries.weather.enabled"]}}
    assert "moltbot.json" not in eligibility(a_skill(only), here()).advice(language)
