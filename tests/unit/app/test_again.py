"""How the program is started again at its owner's word."""

from __future__ import annotations

import pytest

from moltbot_desktop.app.again import after, again_command

PYTHON = "/opt/own/bin/python3"


@pytest.mark.parametrize(
    ("started_as", "arguments", "command"),
    [
        (
            ["python", "-m", "moltbot_desktop"],
            ["moltbot_desktop/__main__.py"],
            (PYTHON, "-m", "moltbot_desktop", "settings"),
        ),
        (
            ["python", "-I", "-m", "moltbot_desktop", "--hidden"],
            ["moltbot_desktop/__main__.py", "--hidden"],
            (PYTHON, "-I", "-m", "moltbot_desktop", "settings"),
        ),
        (
            ["/opt/own/bin/python3", "/usr/bin/moltbot-desktop", "open", "memory"],
            ["/usr/bin/moltbot-desktop", "open", "memory"],
            (PYTHON, "/usr/bin/moltbot-desktop", "settings"),
        ),
        (
            ["python", "-m", "moltbot_desktop", "--model", "small", "--hidden"],
            ["moltbot_desktop/__main__.py", "--model", "small", "--hidden"],
            (PYTHON, "-m", "moltbot_desktop", "--model", "small"),
        ),
        (["moltbot-desktop"], ["moltbot-desktop"], (PYTHON, "settings")),
    ],
)
def test_it_starts_as_it_was_started_and_shows_the_settings(
    started_as: list[str], arguments: list[str], command: tuple[str, ...]
) -> None:
    """The last is a frozen build, which has no Python to name."""
    assert again_command(PYTHON, started_as, arguments) == command


@pytest.mark.parametrize("status", [0, 1, 2, 70])
def test_any_other_end_is_the_end(status: int) -> None:
    assert after(status) == status
