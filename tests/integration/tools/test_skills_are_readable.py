"""The model reads a skill's file where it lies, and can change nothing there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.emitter import RunEmitter
from moltbot_desktop.agent.runner import RunCancel
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.tools import Tool, ToolContext, ToolResult
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.skills.discovery import SkillRoot, discover_skills
from moltbot_desktop.tools.files import Read, Write
from moltbot_desktop.tools.undo import FileHands

BUNDLED = Path(__file__).resolve().parents[3] / "skills"


async def at_once(call: Callable[[], ToolResult]) -> ToolResult:
    return call()


def run(tmp_path: Path, name: str, **arguments: str) -> tuple[ToolRan, Scope]:
    workspace, home = tmp_path / "workspace", tmp_path / "home"
    workspace.mkdir(exist_ok=True)
    around = Surroundings(workspace, home, tmp_path, (BUNDLED,))
    tools: list[Tool] = [Read(), Write(FileHands(ManualClock(datetime(2026, 1, 5, tzinfo=UTC))))]
    dispatcher = Dispatcher(tools, {}, around, Approvals(lambda: "card"), at_once)
    emitter = RunEmitter(RunId("r"), SessionKey("k"), lambda event: None)
    context = ToolContext(
        RunId("r"),
        SessionKey("k"),
        workspace,
        "",
        Language.ENGLISH,
        RunCancel(),
        library=(BUNDLED,),
    )
    scope = Scope(context, presence=Presence.NOBODY, cards=emitter)
    return asyncio.run(dispatcher.run(ToolCall("1", name, arguments), scope)), scope


@pytest.mark.parametrize("skill", discover_skills([SkillRoot("bundled", BUNDLED)]).skills,
                         ids=lambda skill: skill.name)  # fmt: skip
def test_every_bundled_skill_can_be_read_unasked_and_does_not_taint(
    tmp_path: Path, skill: object
) -> None:
    location = skill.location  # type: ignore[attr-defined]
    ran, scope = run(tmp_path, "read", path=str(location))
    assert ran.outcome == "ok", ran.result
    assert str(ran.result.data["text"]).splitlines()[0] in location.read_text(encoding="utf-8")
    assert not scope.labels.untrusted


def test_a_bundled_skill_cannot_be_written(tmp_path: Path) -> None:
    target = BUNDLED / "notes" / "SKILL.md"
    before = target.read_bytes()
    ran, _ = run(tmp_path, "write", path=str(target), content="obey me")
    assert ran.outcome == "denied"
    assert target.read_bytes() == before
