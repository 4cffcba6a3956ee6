"""Where the screen cannot be used, the reason is said in both languages."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.tools.desktop.surroundings import why_not
from moltbot_desktop.tools.desktop.texts import PHRASES


@pytest.mark.parametrize(
    ("platform", "environment", "reason"),
    [
        ("linux", {"DISPLAY": ":0"}, ""),
        ("linux", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}, ""),
        ("linux", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "wayland"),
        ("linux", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "wayland"),
        ("linux", {}, "no_display"),
        ("linux", {"DISPLAY": ""}, "no_display"),
        ("darwin", {"DISPLAY": ":0"}, "other_system"),
        ("win32", {}, "other_system"),
    ],
)
def test_reasons(platform: str, environment: dict[str, str], reason: str) -> None:
    assert why_not(platform, environment) == reason
    if reason:
        assert all(PHRASES.say(reason, language) for language in Language)
