"""What is a command, and what only looks like one. The reference's own cases are in parity/."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.commands.desk import HANDLERS
from moltbot_desktop.gateway.commands.detection import (
    STOP_WORDS,
    is_command_message,
    is_stop_word,
    may_hold_command,
    nearest,
    normalised,
    typed,
    unknown_slash_word,
)
from moltbot_desktop.gateway.commands.registry import COMMANDS, NAMES, SWITCHES, Who, listed


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("/new", "new", ""),
        ("/NEW", "new", ""),
        ("/reset: what is 2+2", "reset", "what is 2+2"),
        ("/new what\nis 2+2", "new", "what\nis 2+2"),
        ("/status\nand more", "status", ""),
        ("/t high", "think", "high"),
        ("/elev: on", "elevated", "on"),
        ("/id", "whoami", ""),
        ("/think@Clawd high", "think", "high"),
        ("/停止", "stop", ""),
        ("／停止", "stop", ""),
        ("/新对话 你好", "new", "你好"),
        ("/新对话：你好", "new", "你好"),
        ("/模型 small", "model", "small"),
        ("/压缩", "compact", ""),
        ("/帮助", "help", ""),
        ("/状态@clawd", "status", ""),
        ("/抹掉 我的旧地址", "erase", "我的旧地址"),
    ],
)
def test_commands(text: str, name: str, rest: str) -> None:
    found = typed(text, bot="clawd")
    assert found is not None
    assert (found.command.name, found.rest) == (name, rest)


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "/newspaper",
        "/etc/hosts is what?",
        "please stop",
        "/",
        "/help me",
        "/status@other",
        "/停止吧",
        "/帮助 我写信",
        "／etc/hosts",
        "停止工作",
    ],
)
def test_everything_else_is_words(text: str) -> None:
    assert typed(text, bot="clawd") is None


@pytest.mark.parametrize("text", ["//status： high", "/etc： x", "／etc：x"])
def test_wide_signs_stay_where_no_command_stands(text: str) -> None:
    assert normalised(text) == text


def test_hidden_commands_are_there_only_when_the_settings_show_them() -> None:
    for name in SWITCHES:
        assert typed(f"/{name} show", frozenset()) is None
        assert typed(f"/{name} show", frozenset({name})) is not None


@pytest.mark.parametrize("word", sorted(STOP_WORDS))
def test_a_stop_word_alone_stops(word: str) -> None:
    assert is_stop_word(f" {word.upper()} ")
    assert is_command_message(word)
    assert not is_stop_word(f"{word} it")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("/staus", "status"),
        ("/hlep", "help"),
        ("/status", ""),
        ("/staus now", ""),
        ("/etc", ""),
        ("/tmp/x", ""),
        ("staus", ""),
        ("/confg", ""),
    ],
)
def test_only_a_slip_of_the_fingers_is_corrected(text: str, meant: str) -> None:
    assert nearest(text) == meant


def test_a_slip_in_the_name_of_a_plugins_command_is_corrected_too() -> None:
    assert nearest("/wether", further=("weather", "todo")) == "weather"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("/crash", "/crash"),
        ("/Crash a b\nc", "/crash"),
        ("/status now", ""),
        ("/todo", ""),
        ("/tmp/x y", ""),
        ("a /crash", ""),
        ("/", ""),
        ("/没有", "/没有"),
        ("／没有 这个", "/没有"),
        ("/tmp路径在哪里", ""),
        ("/这是一句很长很长的话", ""),
    ],
)
def test_a_slash_word_that_is_nobodys_command_is_known(text: str, word: str) -> None:
    assert unknown_slash_word(text, {"todo"}) == word


def test_names_are_unique_and_every_command_that_is_built_is_carried_out() -> None:
    assert len(NAMES) == sum(len(one.names) for one in COMMANDS.values())
    built = {name for name, one in COMMANDS.items() if one.built}
    assert set(HANDLERS) == built


def test_who_writes_chinese_has_a_name_for_every_command_and_sees_it() -> None:
    for one in listed(SWITCHES, Who.OWNER):
        assert one.chinese_names
        assert one.help_line(Language.CHINESE).startswith(f"/{one.chinese_names[0]}（/{one.name}）")
        assert one.help_line(Language.ENGLISH).startswith(f"/{one.name}")


def test_the_help_shows_what_somebody_may_use() -> None:
    shown = {one.name for one in listed(frozenset(), Who.CONTACT)}
    assert {"help", "new", "think"} <= shown
    assert not shown & {"config", "approve", "memory", "bash", "restart"}
    assert "config" in {one.name for one in listed(frozenset({"config"}), Who.OWNER)}


SLASHED = st.text(max_size=40).map(lambda text: f"/{text}") | st.text(max_size=40)


@given(SLASHED)
def test_any_text_is_normalised_once_and_for_all(text: str) -> None:
    plain = normalised(text, "bot")
    assert plain == plain.strip()
    found = typed(text, bot="bot")
    if found is not None and "\n" not in text.strip():
        assert normalised(plain, "bot") == plain
        assert plain.startswith(f"/{found.command.name}")
    may_hold_command(text)
    nearest(text)
