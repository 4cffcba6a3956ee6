"""The mode in moltbot.json: chosen in the shell and in the chat, and what a slip in it means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moltbot_desktop.app.modes import ModeSwitch, mode_of, run_mode_command
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.editing import SettingsFile
from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.modes import MODES
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.sdk.modes import Mode
from tests.fakes.commands import fake_ports

PROGRAM = Path(__file__).resolve().parents[3]


def in_shell(home: Path, *words: str, language: Language = Language.ENGLISH) -> int:
    arguments = parse(["mode", *words])
    return run_mode_command(Paths(home, home, PROGRAM), load_config(home), arguments, language)


def switch(home: Path) -> ModeSwitch:
    live = LiveConfig(home, load_config(home), Language.ENGLISH)
    return ModeSwitch(live, SettingsFile(home, {}, Language.ENGLISH), home, Language.ENGLISH)


def said(rest: str, modes: ModeSwitch | None, language: Language = Language.ENGLISH) -> str:
    ports = CommandPorts(**{**vars(fake_ports()), "modes": modes})
    call = CommandCall("mode", rest, SessionKey("agent:main:main"), language)
    reply = MODES["mode"](call, ports)
    assert isinstance(reply, CommandReply)
    return reply.text


def test_it_is_chosen_in_the_shell_and_stands_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert in_shell(tmp_path) == 0
    assert "Normal:" in capsys.readouterr().out
    assert in_shell(tmp_path, "谨慎", language=Language.CHINESE) == 0
    assert "谨慎：" in capsys.readouterr().out
    assert in_shell(tmp_path, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"mode": "careful"}
    with pytest.raises(UserInputInvalid):
        in_shell(tmp_path, "yolo")
    assert load_config(tmp_path).config.security.mode == "careful"


def test_in_the_chat_it_holds_at_once_also_over_what_debug_said(tmp_path: Path) -> None:
    modes = switch(tmp_path)
    modes.live.set("security.mode", "trusting")
    assert modes.mode.value == "trusting"
    assert said("read-only", modes).startswith("Read-only:")
    assert modes.mode.value == "read-only"
    assert switch(tmp_path).mode is Mode.READ_ONLY
    assert "/mode 谨慎" in said("", modes, Language.CHINESE)
    assert "not" in said("", None)


def test_a_slip_in_the_file_asks_until_it_is_right(tmp_path: Path) -> None:
    (tmp_path / "moltbot.json").write_text('{"security": {"mode": "pausd"}}', encoding="utf-8")
    loaded = load_config(tmp_path)
    assert mode_of(loaded.config, loaded) is Mode.CAREFUL
