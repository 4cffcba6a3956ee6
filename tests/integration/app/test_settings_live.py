"""moltbot.json is taken over while the assistant runs, and /config and /debug change it."""

from __future__ import annotations

import pytest

from moltbot_desktop.app.settings_live import FileSettings, take_over
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.watch import reloaded
from moltbot_desktop.core.errors import ConfigInvalid
from moltbot_desktop.core.i18n import Language

ENGLISH = Language.ENGLISH


def changed(home, live, text):
    (home / "moltbot.json").write_text(text)
    found = reloaded(live.loaded, load_config(home, environment={}))
    return take_over(live, found, ENGLISH) if found else []


def test_what_holds_at_once_and_what_takes_a_new_start_is_told(tmp_path):
    live = LiveConfig(tmp_path, load_config(tmp_path, environment={}), ENGLISH)
    told = changed(tmp_path, live, "{ commands: { bash: true }, models: { threads: 2 } }")
    assert [one.text for one in told] == [
        "moltbot.json was changed. In force now: commands.bash.",
        "moltbot.json was changed. In force from the next start on: models.threads.",
    ]
    assert live.config.commands.bash
    broken = changed(tmp_path, live, "{ commands: ")
    assert [one.serious for one in broken] == [True]
    assert live.config.commands.bash
    again = changed(tmp_path, live, "{ commands: { bash: true }, models: { threads: 2 } }")
    assert [one.text for one in again] == ["moltbot.json is in order again."]


def test_what_a_command_has_taken_over_already_is_no_news(tmp_path):
    before = load_config(tmp_path, environment={})
    live = LiveConfig(tmp_path, before, ENGLISH)
    (tmp_path / "moltbot.json").write_text('{ security: { mode: "careful" } }')
    live.take(load_config(tmp_path, environment={}))
    found = reloaded(before, load_config(tmp_path, environment={}))
    assert found.changed and take_over(live, found, ENGLISH) == []


def test_many_changes_are_told_in_one_line(tmp_path):
    live = LiveConfig(tmp_path, load_config(tmp_path, environment={}), ENGLISH)
    text = "{ messages: { queue: { cap: 1 } }, commands: { bash: true, config: true,"
    told = changed(tmp_path, live, text + " debug: true, text: false, restart: true } }")
    assert len(told) == 1
    assert told[0].text.endswith("and 1 more.")


def test_the_config_command_reads_and_writes_the_file(tmp_path):
    settings = FileSettings(SettingsFile(tmp_path, {}, ENGLISH))
    assert settings.get("ui.theme") == '"auto"'
    assert settings.set("ui.theme", "dark") == '"dark"'
    assert settings.get("nothing.here") == ""
    assert settings.unset("ui.theme")
    assert not settings.unset("ui.theme")
    with pytest.raises(ConfigInvalid):
        settings.set("ui.theme", "pink")
