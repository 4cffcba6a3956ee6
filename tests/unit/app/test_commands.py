"""What the settings say about commands: stricter, never looser."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.app.commands import exec_settings
from moltbot_desktop.config.tools import ExecConfig
from moltbot_desktop.sessions.settings import SessionSettings


@pytest.mark.parametrize(
    ("config", "conversation", "allowed", "wary"),
    [
        (ExecConfig(), SessionSettings(), True, False),
        (ExecConfig(security="deny"), SessionSettings(exec_security="full"), False, False),
        (ExecConfig(security="full"), SessionSettings(exec_security="deny"), False, False),
        (ExecConfig(ask="always"), SessionSettings(exec_ask="off"), True, True),
        (ExecConfig(ask="off"), SessionSettings(exec_ask="always"), True, True),
    ],
)
def test_the_stricter_of_two_words_holds(
    config: ExecConfig, conversation: SessionSettings, allowed: bool, wary: bool
) -> None:
    settings, _ = exec_settings(config, conversation)
    assert (settings.allowed, settings.wary) == (allowed, wary)


def test_the_rest_is_taken_over() -> None:
    config = ExecConfig(
        path_prepend=(Path("/x"),), safe_bins=("wc",), background_ms=20, timeout_sec=7
    )
    settings, limits = exec_settings(config, SessionSettings())
    assert (settings.first, settings.filters) == ((Path("/x"),), ("wc",))
    assert (limits.background_ms, limits.timeout) == (20, 7)
    assert "grep" in exec_settings(ExecConfig(), SessionSettings())[0].filters


@pytest.mark.parametrize("level", ["", "off", "on", "ask", "full"])
def test_walls_go_only_where_the_settings_let_them(level: str) -> None:
    conversation = SessionSettings(elevated=level)
    assert not exec_settings(ExecConfig(), conversation)[0].outside
    settings, _ = exec_settings(ExecConfig(), conversation, may_leave=True)
    assert settings.outside == (level in ("on", "ask", "full"))
