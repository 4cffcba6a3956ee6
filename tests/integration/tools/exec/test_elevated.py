"""/elevated: what the owner says yes to has no walls after it; nothing more runs unasked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sandbox.walls import Backend
from tests.integration.tools.exec.conftest import Desk


@pytest.fixture
def elevated(desk: Desk) -> Desk:
    if desk.found.backend is Backend.NONE:
        pytest.skip("no walls hold here")
    desk.settings = replace(desk.settings, outside=True)
    return desk


def writes(desk: Desk, target: Path) -> str:
    (desk.workspace / "s.sh").write_text(f"echo x > {target}", encoding="utf-8")
    desk.exec("sh s.sh")
    return target.read_text(encoding="utf-8") if target.exists() else ""


def test_after_a_yes_it_reaches_what_walls_keep_away(elevated: Desk) -> None:
    outside = elevated.root / "elsewhere.txt"
    assert writes(elevated, outside) == "x\n"
    assert "/elevated" in elevated.cards[0][1]
    elevated.settings = replace(elevated.settings, outside=False)
    assert writes(elevated, elevated.root / "other.txt") == ""


def test_a_card_is_shown_for_each_and_a_no_is_a_no(elevated: Desk) -> None:
    for _ in range(2):
        writes(elevated, elevated.root / "twice.txt")
    assert len(elevated.cards) == 2
    elevated.says = False
    assert writes(elevated, elevated.root / "never.txt") == ""
    elevated.presence = Presence.NOBODY
    elevated.says = True
    assert writes(elevated, elevated.root / "alone.txt") == ""


def test_what_runs_unasked_keeps_its_walls(elevated: Desk) -> None:
    assert elevated.exec("ls").outcome == "ok"
    assert elevated.exec("mkdir a").outcome == "ok"
    assert not elevated.cards
