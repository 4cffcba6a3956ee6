"""Values that cross threads cannot change, and identifiers are safe in paths."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from moltbot_desktop.core import errors
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.ids import checked_agent_id
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import Usage


def test_a_calls_arguments_cannot_be_changed() -> None:
    given = {"text": "tea"}
    call = ToolCall("1", "note", given)
    given["text"] = "coffee"
    assert call.arguments["text"] == "tea"
    with pytest.raises(TypeError):
        call.arguments["text"] = "milk"  # type: ignore[index]
    with pytest.raises(dataclasses.FrozenInstanceError):
        call.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("text", ["Work", " main ", "a-1_b"])
def test_agent_names(text: str) -> None:
    assert checked_agent_id(text) == text.strip().lower()


@pytest.mark.parametrize("text", ["", "../x", "a/b", "-a", "a" * 65, "名"])
def test_names_that_would_be_dangerous_in_a_path_are_refused(text: str) -> None:
    with pytest.raises(UserInputInvalid):
        checked_agent_id(text)


def test_every_known_error_has_a_code_of_its_own() -> None:
    known = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, MoltbotError)
    ]
    assert len({kind.code for kind in known}) == len(known)


def test_an_error_reads_as_message_and_hint() -> None:
    assert str(MoltbotError("It broke.", hint="Mend it.")) == "It broke. Mend it."


def test_usage_adds_up() -> None:
    assert Usage(1, 2, 3).plus(Usage(10, 20, 30)) == Usage(11, 22, 33)


def test_a_manual_clock_moves_only_when_told() -> None:
    clock = ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
    clock.advance(90)
    assert (clock.now().minute, clock.monotonic()) == (1, 90)
    with pytest.raises(ValueError, match="aware"):
        ManualClock(datetime(2026, 1, 5))  # noqa: DTZ001
