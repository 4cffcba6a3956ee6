"""How long the pauses between parts of an answer are, by the settings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.config.agent_list import AgentEntry
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.streaming import HumanDelayConfig
from moltbot_desktop.config.structures import Part
from moltbot_desktop.gateway.pauses import PauseRules, pause_rules


def settings(mode: str, *, own: dict[str, object] | None = None) -> Config:
    entry = AgentEntry(id="ops", human_delay=Part(own) if own is not None else None)
    delay = HumanDelayConfig(mode, 200, 300)
    return Config(agent=AgentConfig(human_delay=delay), agents=(entry,))


@pytest.mark.parametrize(
    ("mode", "rules"),
    [
        ("off", PauseRules(0, 0)),
        ("natural", PauseRules(0.8, 2.5)),  # whatever else is written, as in the reference
        ("custom", PauseRules(0.2, 0.3)),
    ],
)
def test_the_mode_says_how_long_a_pause_is(mode: str, rules: PauseRules) -> None:
    assert pause_rules(settings(mode), "main") == rules


def test_nothing_waits_unless_the_owner_says_so() -> None:
    assert pause_rules(Config(), "main") == PauseRules(0, 0)


def test_an_agent_has_what_is_written_for_it_over_what_holds_for_all() -> None:
    config = settings("custom", own={"max_ms": 900})
    assert pause_rules(config, "OPS") == PauseRules(0.2, 0.9)
    assert pause_rules(config, "main") == PauseRules(0.2, 0.3)
    assert pause_rules(settings("natural", own={"mode": "off"}), "ops") == PauseRules(0, 0)


@given(st.floats(0, 60), st.floats(0, 60), st.floats(0, 1))
def test_a_pause_lies_between_its_limits(least: float, most: float, chance: float) -> None:
    pause = PauseRules(least, most).seconds(chance)
    assert least <= pause <= max(least, most) * (1 + 1e-9)
