"""Where everything lies."""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.app.paths import locate


def test_the_state_folder_is_in_the_persons_home() -> None:
    assert locate({}, Path("/home/ada")).home == Path("/home/ada/.moltbot")


def test_moltbot_home_moves_it() -> None:
    assert locate({"MOLTBOT_HOME": "/srv/bot"}, Path("/home/ada")).home == Path("/srv/bot")
    assert locate({"MOLTBOT_HOME": " "}, Path("/home/ada")).home == Path("/home/ada/.moltbot")


def test_the_program_finds_its_resources() -> None:
    paths = locate({}, Path("/home/ada"))
    assert (paths.resources / "prompts" / "persona.md").is_file()
    assert paths.bundled_skills.parent == paths.resources.parent
