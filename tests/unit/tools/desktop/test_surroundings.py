"""Where the screen cannot be used, the reason is said in both languages."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.tools.desktop.surroundings import missing_library, needed, why_not
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
        ("darwin", {}, ""),
        ("win32", {}, ""),
        ("freebsd14", {"DISPLAY": ":0"}, "other_system"),
    ],
)
def test_reasons(platform: str, environment: dict[str, str], reason: str) -> None:
    assert why_not(platform, environment) == reason
    if reason:
        assert all(PHRASES.say(reason, language) for language in Language)


@pytest.mark.parametrize("platform", ["linux", "win32", "darwin"])
def test_what_is_missing_is_told_with_the_line_that_installs_it(platform: str) -> None:
    assert {"pyautogui", "mss"} < set(needed(platform))
    for language in Language:
        assert "dev.py run" in PHRASES.say(missing_library(platform), language)
    assert ("py packaging" in PHRASES.say(missing_library(platform), Language.ENGLISH)) == (
        platform == "win32"
    )


@pytest.mark.parametrize("key", ["mac_control", "mac_picture"])
def test_what_the_owner_has_to_allow_is_told_with_the_way_to_it(key: str) -> None:
    assert "System Settings > Privacy & Security >" in PHRASES.say(key, Language.ENGLISH)
    assert "系统设置 > 隐私与安全性 >" in PHRASES.say(key, Language.CHINESE)
