"""An answer is silent here exactly when it is in the reference."""

from __future__ import annotations

import pytest

from moltbot_desktop.agent.tokens import is_silent
from tests.unit.parity.differences import Case
from tests.unit.parity.test_reference_cases import CASES


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.category == "silent_reply"], ids=lambda case: case.id
)
def test_a_case_is_as_in_the_reference(case: Case) -> None:
    assert is_silent(case.input.get("text") or "") == case.expected
