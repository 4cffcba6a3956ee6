"""Where everything lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.app.paths import locate
from moltbot_desktop.core.errors import UserInputInvalid


def test_the_state_folder_is_in_the_persons_home() -> None:
    assert locate({}, Path("/home/ada")).home == Path("/home/ada/.moltbot")


def test_moltbot_home_moves_it() -> None:
    assert locate({"MOLTBOT_HOME": "/srv/bot"}, Path("/home/ada")).home == Path("/srv/bot")
    assert locate({"MOLTBOT_HOME": " "}, Path("/home/ada")).home == Path("/home/ada/.moltbot")


def test_the_program_finds_its_resources() -> None:
    paths = locate({}, Path("/home/ada"))
    assert (paths.resources / "prompts" / "persona.md").is_file()
    assert paths.bundled_skills.parent == paths.resources.parent


def test_a_number_without_a_name_needs_to_say_where() -> None:
    """`docker run --user 54321`: there is no home folder at all."""
    assert locate({"MOLTBOT_HOME": "/data"}, None).home == Path("/data")
    for chosen in ({}, {"MOLTBOT_HOME": "~/bot"}):
        with pytest.raises(UserInputInvalid, match="Set MOLTBOT_HOME"):
            locate(chosen, None)
