"""What is a command in the reference is one here, under the same name.

Deliberate differences: ours has commands of its own, /commands takes the number of a page, and
commands can be written in Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.gateway.commands.detection import (
    is_command_message,
    may_hold_command,
    normalised,
    typed,
)
from moltbot_desktop.gateway.commands.registry import SWITCHES
from tests.unit.parity.differences import Case, Difference
from tests.unit.parity.test_reference_cases import CASES

Given = Mapping[str, Any]
OUR_OWN = "regenerate|edit|branch|memory|inbox|keep|no|unforget|erase|cron"


def switches(given: Given) -> frozenset[str]:
    """Hidden commands of the case's settings; without settings the reference shows them all."""
    config = given.get("config", "none")
    if not isinstance(config, Mapping):
        return SWITCHES if config in ("none", None) else frozenset()
    commands = config.get("commands", {})
    return frozenset(name for name in SWITCHES if commands.get(name) is True)


def answer(given: Given, asked: str) -> object:
    text, bot = given.get("text") or "", given.get("botUsername") or ""
    match asked:
        case "has_control_command":
            return typed(text, switches(given), bot) is not None
        case "is_control_command_message" | "is_control_command":
            return is_command_message(text, switches(given), bot)
        case "has_inline_tokens" | "has_inline_command_tokens":
            return may_hold_command(text)
        case "normalized" | "normalize_command_body":
            return normalised(text, bot)
    raise AssertionError(f"nobody has said what {asked} is")


def as_in_the_reference(case: Case) -> bool:
    if "fn" in case.input:
        return bool(answer(case.input, case.input["fn"]) == case.expected)
    return all(answer(case.input, asked) == value for asked, value in case.expected.items())


def is_ours(given: Given) -> bool:
    line = str(given.get("text") or "").strip().split("\n")[0].strip()
    own = re.match(rf"/(?:{OUR_OWN})(?:@\S+)?(?:[\s:]|$)", line, re.IGNORECASE)
    page = re.match(r"/commands(?:@\S+)?(?:\s*:\s*|\s+)\S", line, re.IGNORECASE)
    return bool(own or page) and not str(given.get("fn", "")).startswith(("has_inline", "norm"))


def ours_is_found(case: Case) -> bool:
    """It is one of those, in its plain form; to the reference it is none and stays as it is."""
    text, bot = case.input["text"], case.input.get("botUsername") or ""
    found = typed(text, switches(case.input), bot)
    if found is None or found.command.name not in (*OUR_OWN.split("|"), "commands"):
        return False
    if not isinstance(case.expected, Mapping):
        return case.expected is False
    theirs = {"normalized": normalised(text, bot), **case.expected}["normalized"]
    return normalised(text, bot).lower() == " ".join(theirs.split()).lower() and not any(
        value for name, value in case.expected.items() if name != "normalized"
    )


OUR_COMMANDS = Difference(
    "command_detection",
    "ours has commands of its own",
    "The memory inbox, forgetting and the schedule are worked from the chat too, and the list of"
    " commands has pages.",
    is_ours,
    lambda case, _: ours_is_found(case),
    ({"text": "/inbox", "config": "none"}, {"has_control_command": False, "normalized": "/inbox"}),
)


def is_chinese(given: Given) -> bool:
    """Written with a Chinese keyboard: the slash or the colon wide, the name or a stop word in
    Chinese characters."""
    text = str(given.get("text") or "").strip()
    form = re.match("／|/[\u3400-\u9fff]|/[A-Za-z_-]+：|(?:停|停止)$", text)
    return form is not None and not str(given.get("fn", "")).startswith("has_inline")


def chinese_is_as_plain(case: Case) -> bool:
    """It means what the same does with the signs and the name of the reference, or nothing."""
    text, bot = case.input["text"].strip(), case.input.get("botUsername") or ""
    found = typed(text, switches(case.input), bot)
    if found is None:
        return is_command_message(text, frozenset(), bot) == (text in ("停", "停止"))
    plain = f"/{found.command.name} {found.rest}".strip()
    return typed(plain) == found and normalised(text, bot) == plain.split("\n")[0]


CHINESE = Difference(
    "command_detection",
    "commands can be written in Chinese",
    "A Chinese keyboard gives wide signs, and people who write Chinese look for Chinese names.",
    is_chinese,
    lambda case, _: chinese_is_as_plain(case),
    (
        {"text": "／思考：high", "config": "none"},
        {"has_control_command": False, "normalized": "／思考：high"},
    ),
)

OUR_CASES = [case for case in CASES if case.category == "command_detection"]


@pytest.mark.parametrize("case", OUR_CASES, ids=lambda case: case.id)
def test_a_case_is_as_in_the_reference_or_a_difference(case: Case) -> None:
    if not as_in_the_reference(case):
        kinds = [one for one in (OUR_COMMANDS, CHINESE) if one.applies(case.input)]
        assert kinds, f"{dict(case.input)} should give {case.expected}"
        assert all(one.holds(case, Path()) for one in kinds)


@pytest.mark.parametrize("kind", [OUR_COMMANDS, CHINESE], ids=lambda kind: kind.name)
def test_a_difference_is_real_and_as_it_says(kind: Difference) -> None:
    case = Case("example", "command_detection", *kind.example)
    assert kind.applies(case.input)
    assert not as_in_the_reference(case)
    assert kind.holds(case, Path())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"text": "/help me", "config": "none"}, {"has_control_command": True}),
        ({"fn": "has_inline_tokens", "text": "a/b"}, True),
        ({"text": "/commandsx", "config": "none"}, {"has_control_command": True}),
        ({"text": "/noise", "config": "none"}, {"has_control_command": True}),
    ],
)
def test_no_difference_excuses_a_plain_mistake(given: Given, expected: object) -> None:
    case = Case("wrong", "command_detection", given, expected)
    assert not as_in_the_reference(case)
    assert not is_ours(case.input) and not is_chinese(case.input)
