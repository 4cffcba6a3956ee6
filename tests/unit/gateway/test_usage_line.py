"""What an answer cost is told to whoever asked for it, and to nobody else."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.results import OutcomeKind, RunOutcome, Usage
from moltbot_desktop.gateway.usage_line import usage_line

OUTCOME = RunOutcome(OutcomeKind.ANSWERED, "Four.", usage=Usage(812, 700, 45), seconds=3.21)


@pytest.mark.parametrize(
    ("mode", "line"),
    [
        ("", ""),
        ("off", ""),
        ("tokens", "Tokens: 812 read, 45 written."),
        ("cost", "Tokens: 812 read, 45 written."),
        ("full", "Tokens: 812 read (700 of them known), 45 written, in 3.2 s."),
    ],
)
def test_the_line(mode: str, line: str) -> None:
    assert usage_line(OUTCOME, mode, Language.ENGLISH) == line


def test_an_answer_without_a_model_has_none() -> None:
    assert usage_line(RunOutcome(OutcomeKind.ANSWERED, "x"), "full", Language.ENGLISH) == ""
