"""Variables and keys of the settings reach the run of a skill; a key that is not there is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.app.skill_environment import run_environment
from moltbot_desktop.config.skills import SkillEntryConfig
from moltbot_desktop.security.secrets import SecretStore
from moltbot_desktop.skills.discovery import BUNDLED, Skill
from moltbot_desktop.skills.metadata import read_metadata
from tests.fakes.key_ring import MemoryKeyRing

TICKETS = Skill(
    "tickets",
    "d",
    Path("/s/tickets/SKILL.md"),
    BUNDLED,
    read_metadata({"moltbot": {"primaryEnv": "TICKETS_KEY"}}),
)


def test_keys_come_from_the_password_store_and_values_as_they_are(tmp_path: Path) -> None:
    ring = MemoryKeyRing()
    store = SecretStore(tmp_path / "names.json", lambda: ring)
    store.set("tickets", "sesame-open")
    entry = SkillEntryConfig(
        api_key="keyring:tickets", env={"URL": "https://t.example", "MOTTO": "two words é"}
    )
    found = run_environment([TICKETS], {"tickets": entry, "other": entry}, store, {})
    assert found.variables == {
        "TICKETS_KEY": "sesame-open",
        "URL": "https://t.example",
        "MOTTO": "two words é",
    }
    assert found.secret == {"TICKETS_KEY"}


def test_no_store_is_opened_where_nothing_points_to_it(tmp_path: Path) -> None:
    def locked() -> MemoryKeyRing:
        raise AssertionError("nobody asked for a key")

    store = SecretStore(tmp_path / "names.json", locked)
    plain = SkillEntryConfig(api_key="written", env={"URL": "u"})
    elsewhere = SkillEntryConfig(api_key="keyring:other")
    found = run_environment([TICKETS], {"tickets": plain, "other": elsewhere}, store, {})
    assert found.variables == {"TICKETS_KEY": "written", "URL": "u"}


@pytest.mark.expect_log("goes without a key")
def test_a_key_that_is_not_there_costs_itself_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = SecretStore(tmp_path / "names.json", MemoryKeyRing)
    entry = SkillEntryConfig(api_key="keyring:nowhere", env={"URL": "u"})
    found = run_environment([TICKETS], {"tickets": entry}, store, {})
    assert found.variables == {"URL": "u"}
    assert "tickets goes without a key" in caplog.text
