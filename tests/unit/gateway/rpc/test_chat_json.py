"""The end of a run for those who only want the answer."""

from __future__ import annotations

import pytest

from moltbot_desktop.core.events import RunEnded, RunStarted
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.rpc.chat_json import chat_event

HEAD = (RunId("r1"), SessionKey("agent:main:main"), 7)


def test_an_answer_is_told_as_the_reference_tells_it() -> None:
    assert chat_event(RunEnded(*HEAD, RunOutcome(OutcomeKind.ANSWERED, "42"))) == {
        "runId": "r1",
        "sessionKey": "agent:main:main",
        "seq": 7,
        "state": "final",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "42"}]},
    }


@pytest.mark.parametrize("kind", list(OutcomeKind))
def test_every_end_has_a_state(kind: OutcomeKind) -> None:
    told = chat_event(RunEnded(*HEAD, RunOutcome(kind, "", "why")))
    assert told is not None
    assert told["state"] in ("final", "aborted", "error")
    assert ("errorMessage" in told) is (told["state"] == "error")
    assert "message" not in told


def test_nothing_else_is_an_end() -> None:
    assert chat_event(RunStarted(*HEAD, "hi")) is None
