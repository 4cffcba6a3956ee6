"""`moltbot-desktop hooks`: what is there, and the switch in the settings."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from moltbot_desktop.app.hooks_command import run_hooks_command
from moltbot_desktop.app.paths import locate
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import HookInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language


def main(argv: list[str]) -> int:
    paths = locate(os.environ, Path.home())
    return run_hooks_command(paths, load_config(paths.home), parse(argv), Language.ENGLISH)


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    assert main(["hooks", *arguments, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    return {one["name"]: one for one in listed}


def test_a_hook_is_switched_on_and_off_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert not shown(capsys, "list")["session-memory"]["enabled"]
    assert main(["hooks", "enable", "session-memory"]) == 0
    assert "on from the next start" in capsys.readouterr().out
    listed = shown(capsys, "list")
    assert listed["session-memory"]["enabled"] and not listed["boot-md"]["enabled"]
    internal = load_config(locate(os.environ, Path.home()).home).config.hooks.internal
    assert internal.enabled and internal.entries["session-memory"].enabled
    main(["hooks", "disable", "session-memory"])
    capsys.readouterr()
    assert not shown(capsys, "list")["session-memory"]["enabled"]


def test_one_that_cannot_be_used_is_not_switched_on() -> None:
    folder = locate(os.environ, Path.home()).home / "hooks" / "broken"
    folder.mkdir(parents=True)
    metadata = '{"moltbot": {"events": ["command"]}}'
    text = f"---\nname: broken\ndescription: No code.\nmetadata: {metadata}\n---\n"
    (folder / "HOOK.md").write_text(text, encoding="utf-8")
    with pytest.raises(HookInvalid, match=r"handler\.py"):
        main(["hooks", "enable", "broken"])
    with pytest.raises(UserInputInvalid):
        main(["hooks", "enable", "nowhere"])


def test_all_about_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hooks", "info", "boot-md"]) == 0
    told = capsys.readouterr().out
    assert "gateway:startup" in told and "BOOT.md" in told
