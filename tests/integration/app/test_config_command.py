"""`moltbot-desktop config` as a person calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.fakes.plugins import make_plugin


def config(home, *words):
    return subprocess.run(
        [sys.executable, "-m", "moltbot_desktop", "config", *words],
        env={**os.environ, "MOLTBOT_HOME": str(home), "LANG": "en_US.UTF-8", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_setting_is_written_and_read_and_a_wrong_one_is_refused(tmp_path):
    home = tmp_path / "home"
    assert config(home, "set", "agents.list[0]", "{ id: 'main', default: true }").returncode == 0
    assert json.loads(config(home, "get", "agents.list").stdout) == [
        {"id": "main", "default": True}
    ]
    wrong = config(home, "set", "ui.theme", "pink")
    assert wrong.returncode == 2
    assert "expected one of auto, light, dark" in wrong.stderr
    assert "Traceback" not in wrong.stderr
    assert (home / "moltbot.json").stat().st_mode & 0o777 == 0o600


def test_settings_of_plugins_and_their_channels_are_checked_by_the_manifests(tmp_path):
    home = tmp_path / "home"
    token = {"type": "string", "pattern": "^t-"}
    make_plugin(
        home / "extensions",
        "birds",
        "raise SystemExit('never run')",
        configSchema={"type": "object", "properties": {"seeds": {"type": "integer"}}},
        channels=["pigeon"],
        channelConfigs={
            "pigeon": {
                "schema": {
                    "type": "object",
                    "required": ["token"],
                    "properties": {"token": token, "flights": {"type": "integer"}},
                }
            }
        },
    )
    accounts = {"a": {"token": "t-1"}, "b": {"token": "x"}, "off": {"enabled": False}}
    channel = {"flights": "many", "dmPolicy": "open", "accounts": accounts}
    entries = {"birds": {"enabled": True, "config": {"seeds": "some"}}}
    settings = {"plugins": {"entries": entries}, "channels": {"pigeon": channel}}
    (home / "moltbot.json").write_text(json.dumps(settings))
    wrong = config(home, "validate", "--json")
    assert wrong.returncode == 1, wrong.stderr
    problems = json.loads(wrong.stdout)["problems"]
    assert [one["path"] for one in problems] == [
        "plugins.entries.birds.config.seeds",
        "channels.pigeon.flights",
        "channels.pigeon.token",
    ]
    entries["birds"]["enabled"] = False
    (home / "moltbot.json").write_text(json.dumps(settings))
    assert config(home, "validate").returncode == 0
    settings["plugins"]["slots"] = {"memory": "birds"}
    settings["plugins"]["load"] = {"paths": [str(home / "gone")]}
    (home / "moltbot.json").write_text(json.dumps(settings))
    wrong = config(home, "validate")
    assert wrong.returncode == 1
    assert "keeps no memory" in wrong.stdout + wrong.stderr
    assert "There is no folder" in wrong.stdout + wrong.stderr
