"""Session keys are spelled and read as in the reference, with no difference at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.sessions.keys import (
    normalise_account_id,
    normalise_agent_id,
    parse_session_key,
    stored_session_key,
    thread_key,
    thread_parent,
)
from tests.unit.parity.differences import Case
from tests.unit.parity.test_reference_cases import CASES, SHIPPED, read_cases

Given = Mapping[str, Any]


def taken_apart(given: Given) -> dict[str, str] | None:
    parsed = parse_session_key(given["value"] or "")
    return {"agentId": parsed.agent, "rest": parsed.rest} if parsed else None


def below(base: SessionKey, thread: str) -> dict[str, str | None]:
    """Which conversation a thread hangs under is read from its key, never kept beside it."""
    key = thread_key(base, thread)
    return {"sessionKey": key, "parentSessionKey": thread_parent(key)}


FUNCTIONS: dict[str, Callable[[Given], object]] = {
    "normalize_agent_id": lambda given: normalise_agent_id(given["value"] or ""),
    "normalize_account_id": lambda given: normalise_account_id(given["value"] or ""),
    "parse_agent_session_key": taken_apart,
    "to_store_key": lambda given: stored_session_key(
        given["value"] or "", AgentId(given["agentId"])
    ),
    "thread_parent": lambda given: thread_parent(SessionKey(given["value"] or "")),
    "resolve_thread_keys": lambda given: below(
        SessionKey(given["baseSessionKey"]), given.get("threadId") or ""
    ),
}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.category == "session_keys"], ids=lambda case: case.id
)
def test_a_key_is_as_in_the_reference(case: Case) -> None:
    got = FUNCTIONS[case.input["fn"]](case.input)
    if isinstance(case.expected, dict) and isinstance(got, dict):
        got = {name: value for name, value in got.items() if name in case.expected}
    assert got == case.expected


def test_every_function_of_the_shipped_file_is_asked() -> None:
    asked = {case.input["fn"] for case in read_cases(SHIPPED) if case.category == "session_keys"}
    assert asked == FUNCTIONS.keys()
