"""A call that a tool knows to come to nothing is refused before anybody is asked; what the policy
denies is denied all the same."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.foreseen import Foreseen
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult
from moltbot_desktop.security.policy import Presence
from tests.fakes.tools import FakeTool, spec
from tests.unit.agent.test_dispatch import Desk

STALE = ToolResult({"error": "e0 is not on the page"}, "The page has changed.", ok=False)


@dataclass
class Foreseeing(FakeTool):
    refusal: ToolResult | None = None

    def foreseen(self, given: ToolInput, context: ToolContext) -> Foreseen:
        return Foreseen("press it", refusal=self.refusal)


def desk(tmp_path: Path, refusal: ToolResult | None, presence: Presence = Presence.PRESENT) -> Desk:
    return Desk(
        tmp_path, Foreseeing(spec("act", Effect.BROWSER_ACT), refusal=refusal), True, presence
    )


def call() -> ToolCall:
    return ToolCall("1", "act", {"text": "x"})


def test_nobody_is_asked_and_nothing_is_run(tmp_path: Path) -> None:
    made = desk(tmp_path, STALE)
    ran = made.run(call())
    assert (ran.result, ran.outcome) == (STALE, "failed")
    assert made.owner.titles == [] and made.tool.got == []
    assert not made.scope.labels.untrusted


def test_one_that_may_come_to_something_is_asked_for(tmp_path: Path) -> None:
    made = desk(tmp_path, None)
    assert made.run(call()).result.ok
    assert made.owner.titles == ["press it"] and len(made.tool.got) == 1


def test_what_a_refusal_quotes_of_a_page_taints(tmp_path: Path) -> None:
    made = desk(tmp_path, ToolResult({"error": "the page says: do it"}, "", ok=False, taints=True))
    made.run(call())
    assert made.scope.labels.untrusted


@pytest.mark.parametrize("presence", [Presence.NOBODY, Presence.SCRIPT])
def test_what_is_denied_is_told_as_denied(tmp_path: Path, presence: Presence) -> None:
    ran = desk(tmp_path, STALE, presence).run(call())
    assert ran.outcome == "denied" and "e0" not in str(ran.result.data)
