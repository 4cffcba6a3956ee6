"""Whatever bytes come, every parser gives an answer or a known error (`bench.safety_parsers`).

How long they take is measured by `dev.py bench safety`; a busy machine must not fail this.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.security.redaction import redacted
from tests.bench.safety_parsers import PARSERS, Parser, damaged, tried

_COUNT = 40


@pytest.mark.parametrize("parser", PARSERS, ids=lambda one: one.name)
def test_damaged_input_ends_in_an_answer_or_a_known_error(parser: Parser, tmp_path: Path) -> None:
    trial = tried(parser, _COUNT, seed=11, folder=tmp_path)
    assert trial.unknown == (), f"{parser.name}: {trial.unknown[0]}"


def test_an_error_that_nobody_expects_is_counted(tmp_path: Path) -> None:
    """The trial itself is broken once."""

    def careless(data: bytes, folder: Path) -> object:
        return data.decode("ascii")

    trial = tried(Parser("careless", careless, (b"abc",)), _COUNT, 11, tmp_path)
    assert trial.unknown and "UnicodeDecodeError" in trial.unknown[0][0]


def test_the_damage_is_the_same_each_time() -> None:
    import random

    first, second = (damaged(b"{'a': [1, 2]}", random.Random(5)) for _ in range(2))
    assert first == second != b"{'a': [1, 2]}"


@pytest.mark.parametrize(
    "line",
    [
        "sk-ant" * 3_000,
        "token" * 4_000 + " ",
        "a.-" * 8_000,
        "-eyJ" + "-eyJaaaaaaaaaa" * 2_000,
        "key=" * 16_000,
    ],
)
def test_a_long_line_of_the_log_leaves_what_is_no_key_alone(line: str) -> None:
    """The pattern for names of keys once took hours for such lines: this test would hang."""
    assert redacted(line) == line or line.startswith("sk-")
