"""Settings inside a message are taken out, and nothing else of it changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.gateway.commands.directives import Directives, directives_in, without_simple
from moltbot_desktop.gateway.commands.levels import LEVELS, choices, level
from moltbot_desktop.gateway.commands.options import (
    ExecOptions,
    QueueOptions,
    exec_options,
    milliseconds,
    queue_options,
)
from moltbot_desktop.sessions.settings import SessionSettings


def known(word: str) -> bool:
    return word in ("qwen", "lab/large")


@pytest.mark.parametrize(
    ("text", "left", "set_to"),
    [
        ("/think high", "", Directives(think="high")),
        ("/think high what is 2+2?", "what is 2+2?", Directives(think="high")),
        ("what is /t:low 2+2?", "what is 2+2?", Directives(think="low")),
        ("/verbose on /think ultrathink go", "go", Directives(think="high", verbose="on")),
        ("think /reason stream\n\n  two", "think\n\n  two", Directives(reasoning="stream")),
        ("/elev full", "", Directives(elevated="full")),
        ("hey /status", "hey", Directives(status=True)),
        ("/model qwen hello", "hello", Directives(model="qwen")),
        ("/model lab/large", "", Directives(model="lab/large")),
        ("/model default", "", Directives(model="default")),
        (
            "/queue steer debounce:2s cap:5 drop:old then go",
            "then go",
            Directives(queue=QueueOptions("steer", 2000, 5, "old")),
        ),
        (
            "/exec host=gateway ask=always list it",
            "list it",
            Directives(exec=ExecOptions("gateway", ask="always")),
        ),
        ("/think 高 为什么？", "为什么？", Directives(think="high")),
    ],
)
def test_what_a_directive_sets(text: str, left: str, set_to: Directives) -> None:
    read = directives_in(text, known)
    assert (read.text, read.directives) == (left, set_to)


@pytest.mark.parametrize(
    "text",
    [
        "what does /think do?",
        "/think about the meaning of life",
        "which /model is best?",
        "open /model/data",
        "`/think high` is how",
        "```\n/verbose on\n```",
        "/thinker high",
        "a/think high",
        "/queue up at the desk",
        "/exec it",
    ],
)
def test_words_about_a_command_stay(text: str) -> None:
    read = directives_in(text, known)
    assert (read.text, bool(read.directives)) == (text, False)


def test_help_counts_at_the_end_of_a_line() -> None:
    assert without_simple("hello /help") == ("hello", ("help",))
    assert without_simple("/help me find it") == ("/help me find it", ())
    assert without_simple("one /whoami\ntwo /commands") == ("one\ntwo", ("commands", "whoami"))


PIECES = st.sampled_from(
    [
        "/think",
        "/t",
        "high",
        " ",
        "\n",
        ":",
        "/queue",
        "steer",
        "cap:3",
        "/model",
        "qwen",
        "`",
        "```",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join)


@settings(max_examples=150)
@given(TEXTS)
def test_what_is_left_is_part_of_the_text(text: str) -> None:
    read = directives_in(text, known)
    left = iter(text)
    assert all(one in left or one == " " for one in read.text)
    if not read.directives:
        assert read.text == text.strip()


@pytest.mark.parametrize("text", ["/help\n", "`a` /help x ", "/queue cap:", "/think /t: "])
def test_a_huge_message_of_commands_is_read_in_one_go(text: str) -> None:
    # Looking at everything behind each of them again would take hours.
    huge = text * 50_000
    directives_in(huge)
    without_simple(huge)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("fast", ("fast",)),
        ("cap:0", ("cap:0",)),
        (f"cap:{'9' * 5000}", (f"cap:{'9' * 5000}",)),
        ("cap:many drop:all", ("cap:many", "drop:all")),
        ("debounce:11m", ("debounce:11m",)),
        ("debounce:²s cap:³", ("debounce:²s", "cap:³")),
    ],
)
def test_what_cannot_be_set_is_told_as_it_was_typed(text: str, wrong: tuple[str, ...]) -> None:
    assert queue_options(text).wrong == wrong


def test_exec_options_that_do_not_exist() -> None:
    assert exec_options("host=moon node= ask=off x").wrong == ("host=moon", "node=", "x")


@pytest.mark.parametrize(
    ("text", "ms"),
    [("2s", 2000), ("500ms", 500), ("1500", 1500), ("1.5s", 1500), ("10m", 600_000), ("1h", None)],
)
def test_times(text: str, ms: int | None) -> None:
    assert milliseconds(text) == ms


def test_levels_are_those_that_a_conversation_can_keep() -> None:
    for name in ("think", "verbose", "reasoning", "elevated", "usage"):
        assert set(choices(name)) == set(LEVELS[name].values())
        assert all(level(name, one) == one for one in choices(name))


def test_directives_are_laid_over_what_is_set() -> None:
    before = SessionSettings(think="low", verbose="on", queue_mode="steer", queue_cap=3)
    after = Directives(think="high", queue=QueueOptions(cap=7, default=True)).applied_to(before)
    assert (after.think, after.verbose, after.queue_mode, after.queue_cap) == ("high", "on", "", 7)
    chosen = Directives(model="lab/large").applied_to(before)
    assert (chosen.model_provider, chosen.model) == ("lab", "large")
    back = Directives(model="default").applied_to(chosen)
    assert (back.model_provider, back.model) == ("", "")


@pytest.mark.parametrize("text", ["/思考 高 17乘以23等于多少", "17乘以23等于多少 /思考：高"])
def test_directives_have_chinese_names(text: str) -> None:
    read = directives_in(text)
    assert (read.text, read.directives.think) == ("17乘以23等于多少", "high")
