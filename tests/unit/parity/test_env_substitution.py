"""``${NAME}`` in the settings is filled in as in the reference, without any difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from moltbot_desktop.config.substitute import MissingVariable, substitute
from tests.unit.parity.differences import Case
from tests.unit.parity.test_reference_cases import CASES

KEPT = {"value", "error", "configPath"}
"""What a row says of the answer; others say it once more in words."""


def filled_in(given: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"value": substitute(given["value"], given.get("at", ""), given["env"])}
    except MissingVariable as missing:
        return {"error": "MissingEnvVarError", "configPath": missing.path}


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.category == "env_substitution"],
    ids=lambda case: case.id,
)
def test_a_variable_is_filled_in_as_in_the_reference(case: Case) -> None:
    assert filled_in(case.input) == {
        name: case.expected[name] for name in KEPT & set(case.expected)
    }
