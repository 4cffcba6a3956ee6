"""Whatever runs inside the program or at its start is not changed without the owner's yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import Decision, Presence, Situation, decide


@pytest.mark.parametrize(
    ("path", "decision"),
    [
        ("hooks/greet/handler.py", Decision.ASK),
        ("Hooks/greet/HOOK.md", Decision.ASK),
        ("./notes/../hooks/new.py", Decision.ASK),
        ("BOOT.md", Decision.ASK),
        ("AGENTS.md", Decision.ASK),
        ("../hooks/greet/handler.py", Decision.DENY),
        ("hooks.md", Decision.AUTO),
    ],
)
def test_writing_where_hooks_lie_is_asked_or_refused(
    tmp_path: Path, path: str, decision: Decision
) -> None:
    workspace = tmp_path / "home" / "workspace"
    (workspace / "notes").mkdir(parents=True)
    place = place_of(path, Surroundings(workspace, tmp_path / "home", tmp_path))
    for presence in (Presence.PRESENT, Presence.NOBODY):
        verdict = decide(Situation(Effect.FILE_WRITE, place, Labels(), presence)).decision
        alone = Decision.DENY
        assert verdict is (decision if presence is Presence.PRESENT else alone)
