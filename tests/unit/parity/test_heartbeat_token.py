"""HEARTBEAT_OK is taken off here exactly as in the reference."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent.tokens import ACKNOWLEDGEMENT_CHARACTERS, acknowledged
from tests.unit.parity.differences import Case
from tests.unit.parity.test_reference_cases import CASES


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.category == "heartbeat_token"], ids=lambda case: case.id
)
def test_a_case_is_as_in_the_reference(case: Case) -> None:
    most = case.input.get("maxAckChars")
    got = acknowledged(
        case.input.get("text") or "",
        heartbeat=case.input.get("mode") == "heartbeat",
        most_characters=ACKNOWLEDGEMENT_CHARACTERS if most is None else int(most),
    )
    assert {
        "shouldSkip": got.silent,
        "text": got.text,
        "didStrip": got.found,
    } == case.expected
