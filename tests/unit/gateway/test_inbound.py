"""What becomes of an incoming message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.gateway.inbound import (
    AgentDecision,
    Command,
    CommandDecision,
    checked_message,
    decide_inbound,
)


@pytest.mark.parametrize(
    ("text", "command", "rest"),
    [
        ("/new", Command.NEW, ""),
        ("/NEW", Command.NEW, ""),
        ("/reset: what is 2+2", Command.NEW, "what is 2+2"),
        ("/new what\nis 2+2", Command.NEW, "what\nis 2+2"),
        ("/stop", Command.STOP, ""),
        ("stop", Command.STOP, ""),
        ("停止", Command.STOP, ""),
        ("/help", Command.HELP, ""),
        ("/status", Command.STATUS, ""),
    ],
)
def test_commands(text: str, command: Command, rest: str) -> None:
    assert decide_inbound(text) == CommandDecision(command, rest)


@pytest.mark.parametrize("text", ["hello", "/newspaper", "/etc/hosts is what?", "please stop", "/"])
def test_everything_else_is_for_the_agent(text: str) -> None:
    assert decide_inbound(text) == AgentDecision(text)


@pytest.mark.parametrize("text", ["", " \n\t", "a\0b", "x" * 1_000_001])
def test_unusable_messages_say_what_to_do(text: str) -> None:
    with pytest.raises(UserInputInvalid) as refused:
        checked_message(text)
    assert refused.value.hint


@given(st.text(max_size=300))
def test_any_text_is_refused_or_decided(text: str) -> None:
    try:
        checked = checked_message(text)
    except UserInputInvalid:
        return
    assert checked == text.strip()
    assert decide_inbound(checked)
