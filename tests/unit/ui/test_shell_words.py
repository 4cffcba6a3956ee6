"""Which place of the window does what a command of the shell does."""

from __future__ import annotations

import pytest

from moltbot_desktop.cli.parser import is_command
from moltbot_desktop.ui.place import BACKUP, MODELS, PLUGINS, SETTINGS, title_of
from moltbot_desktop.ui.shell_words import PLACES, link_words, places_named


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("In a terminal: moltbot-desktop plugins enable weather", (PLUGINS,)),
        (
            "“moltbot-desktop models list”，moltbot-desktop config get x。",
            (MODELS, SETTINGS),
        ),
        ("moltbot-desktop export, then `moltbot-desktop import`", (BACKUP,)),
        ("moltbot-desktop toggle", ()),
        ("moltbot-desktop plugins-old", ()),
        ("/usr/bin/moltbot-desktop config", ()),
        ("", ()),
    ],
)
def test_the_places_of_the_commands_in_a_text(text: str, places: tuple[str, ...]) -> None:
    assert places_named(text) == places


def test_each_is_a_command_and_has_a_title() -> None:
    assert [one for one in PLACES if not is_command(one)] == ["webchat"]  # a plugin's
    for place in PLACES.values():
        assert link_words(place) == f"Open “{title_of(place)}”"
