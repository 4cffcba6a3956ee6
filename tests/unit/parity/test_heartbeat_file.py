"""A HEARTBEAT.md that asks for nothing is known as in the reference."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent.tokens import nothing_to_look_at
from tests.unit.parity.differences import Case
from tests.unit.parity.test_reference_cases import CASES


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.category == "heartbeat_file"], ids=lambda case: case.id
)
def test_a_case_is_as_in_the_reference(case: Case) -> None:
    text = case.input.get("text")
    # A missing file is no text at all, and then the model is asked.
    assert (text is not None and nothing_to_look_at(text)) == case.expected
