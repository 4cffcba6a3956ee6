"""docs/SKILLS.md is true: its skill passes its check, waits for a word, and can then be used."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

import moltbot_desktop
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import locate
from moltbot_desktop.app.skills_command import run_skills_command
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.checking import check_text
from moltbot_desktop.skills.frontmatter import parse_skill

GUIDE = (Path(moltbot_desktop.__file__).parent / "docs" / "SKILLS.md").read_text("utf-8")
SKILL = re.findall(r"````markdown file=SKILL.md\n(.*?)````", GUIDE, re.DOTALL)[0]
SETTINGS = re.findall(r"```json file=moltbot.json\n(.*?)```", GUIDE, re.DOTALL)[0]


class Shell:
    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self._capsys = home, capsys

    def __call__(self, *words: str) -> str:
        paths, loaded = locate({"MOLTBOT_HOME": str(self.home)}, self.home), load_config(self.home)
        assert not [one.message for one in loaded.warnings]
        arguments = parse(["skills", *words])
        self.code = run_skills_command(paths, loaded, arguments, Language.ENGLISH, SystemClock(""))
        return self._capsys.readouterr().out

    def line(self) -> dict[str, str]:
        listed = json.loads(self("list", "--json"))
        return next(one for one in listed if one["name"] == "garden-log")


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    typed = io.StringIO("y\n")
    typed.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stdin", typed)
    (tmp_path / "moltbot.json").write_text(SETTINGS, "utf-8")
    return Shell(tmp_path, capsys)


def test_the_tutorial_makes_a_skill_that_can_be_used(shell: Shell) -> None:
    place = shell.home / "workspace" / "skills" / "garden-log" / "SKILL.md"
    place.parent.mkdir(parents=True)
    place.write_text(SKILL, "utf-8")
    assert check_text(parse_skill(SKILL.encode()), "garden-log") == ()
    shell("check", "garden-log")
    assert shell.code == 0
    assert "trust" in shell.line()["problem"]
    assert "garden-log" in shell("trust", "garden-log")
    line = shell.line()
    assert (line["problem"], line["command"], line["source"]) == ("", "garden_log", "workspace")
    with place.open("a", encoding="utf-8") as file:
        file.write("One more line.\n")
    assert "changed" in shell.line()["problem"]
    assert "+One more line." in shell("trust", "garden-log")
    assert shell.line()["problem"] == ""
    shell("untrust", "garden-log")
    assert "trust" in shell.line()["problem"]
    (shell.home / "moltbot.json").write_text(
        SETTINGS.replace('"enabled": true', '"enabled": false')
    )
    assert "switched off" in shell.line()["problem"]


@pytest.mark.parametrize("action", re.findall(r"moltbot-desktop skills (\w+)", GUIDE))
def test_every_command_it_names_is_there(action: str) -> None:
    parse(["skills", action, *(["x"] if action != "list" else [])])
