"""Which hands on the screen there are, and what is said where there are none."""

from __future__ import annotations

from datetime import UTC, datetime
from unittest.mock import Mock

import pytest

from moltbot_desktop.app.screen_setup import Screen, missing_hands
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.desktop import Injections
from moltbot_desktop.tools.undo import FileHands
from moltbot_desktop.ui.control import ScreenFace

CLOCK = ManualClock(datetime(2026, 11, 22, tzinfo=UTC))


def screen(face: ScreenFace | None) -> Screen:
    return Screen(face, CLOCK, FileHands(CLOCK), Mock())


@pytest.fixture
def x11(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":99")


@pytest.mark.usefixtures("x11")
def test_pictures_wherever_there_is_a_screen_and_hands_only_beside_a_window() -> None:
    face = ScreenFace(Injections(CLOCK))
    assert [one.spec.name for one in screen(face).tools()] == ["desktop", "screenshot"]
    assert missing_hands(face) == {}
    assert [one.spec.name for one in screen(None).tools()] == ["screenshot"]
    assert "window" in missing_hands(None)["desktop"].sentence(Language.ENGLISH)


@pytest.mark.usefixtures("x11")
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("WAYLAND_DISPLAY", "wayland-0", "Wayland"), ("DISPLAY", "", "no screen")],
)
def test_without_a_usable_screen_the_reason_is_said(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    assert screen(ScreenFace(Injections(CLOCK))).tools() == ()
    missing = missing_hands(None)
    assert set(missing) == {"desktop", "screenshot"}
    assert all(said in one.sentence(Language.ENGLISH) for one in missing.values())
    assert all("屏幕" in one.sentence(Language.CHINESE) or said in one.sentence(Language.CHINESE)
               for one in missing.values())  # fmt: skip


@pytest.mark.usefixtures("x11")
def test_without_the_extra_the_way_to_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert screen(None).tools() == ()
    assert "dev.py run" in missing_hands(None)["screenshot"].sentence(Language.ENGLISH)


@pytest.mark.parametrize(("platform", "line"), [("win32", "py packaging"), ("darwin", "python3")])
def test_on_other_systems_too(monkeypatch: pytest.MonkeyPatch, platform: str, line: str) -> None:
    """Their libraries are not installed here, so it is what somebody without the extra is told."""
    monkeypatch.setattr("sys.platform", platform)
    assert screen(None).tools() == ()
    for one in missing_hands(None).values():
        assert line in one.sentence(Language.ENGLISH)
        assert "dev.py run" in one.sentence(Language.CHINESE)
