"""The desk of the window's page "Backup", on real files: what it finds by itself, and what the page
shows of a whole way there and back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.backup import BackupDesk
from moltbot_desktop.ui.backup.words import exported_groups, step_groups
from tests.fakes.backup_desk import FakeBackupDesk
from tests.fakes.backup_homes import desk_of, fill, write


@pytest.fixture(params=["real", "fake"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> BackupDesk:
    if request.param == "fake":
        return FakeBackupDesk()
    made = desk_of(tmp_path / "one")
    fill(made)
    return made


def test_a_name_that_is_taken_is_refused(desk: BackupDesk, tmp_path: Path) -> None:
    for write_to in (desk.export, desk.bundle):
        path = tmp_path / f"{write_to.__name__}.zip"
        write_to(path)
        with pytest.raises(UserInputInvalid):
            write_to(path)


def test_an_import_is_kept_under_the_newest_snapshot(desk: BackupDesk, tmp_path: Path) -> None:
    desk.snapshot()
    desk.export(tmp_path / "mine.zip")
    plan = desk.plan(tmp_path / "mine.zip")
    done = desk.import_(plan)
    assert done.snapshot in ("", desk.snapshots()[0].id)
    assert bool(done.snapshot) == plan.changes


def test_what_is_to_be_put_back_must_be_there(desk: BackupDesk) -> None:
    made = desk.snapshot()
    assert desk.restore_at_start(made.id).id == made.id
    with pytest.raises(UserInputInvalid):
        desk.restore_at_start("20000101-000000")


def test_folders_of_other_programs_are_found_and_ones_own_is_not(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    fill(desk)  # in tmp_path/.moltbot, under a name that theirs has too
    assert desk.others() == ()
    (tmp_path / ".clawdbot").mkdir()
    write(tmp_path / ".openclaw" / "openclaw.json", "{}")
    assert desk.others() == (tmp_path / ".openclaw",)
    write(tmp_path / ".clawdbot" / "clawdbot.json", "{}")
    assert desk.others() == (tmp_path / ".openclaw", tmp_path / ".clawdbot")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_a_link_to_ones_own_folder_is_ones_own(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    fill(desk)
    (tmp_path / ".openclaw").symlink_to(desk.paths.home)
    assert desk.others() == ()


def test_the_page_tells_the_way_there_and_back(tmp_path: Path) -> None:
    one, two = desk_of(tmp_path / "one"), desk_of(tmp_path / "two")
    fill(one)
    told = [what for what, _ in exported_groups(one.export(tmp_path / "a.zip"), Language.ENGLISH)]
    assert "Memory (2)" in told and "Not in it:" in told
    plan = two.plan(tmp_path / "a.zip")
    groups = step_groups(plan.steps, Language.ENGLISH)
    assert any(what.startswith("Conversations: new") for what, _ in groups)
    waits = [name for what, names in groups if "left to you" in what for name in names]
    assert any("only a backup of your own" in one for one in waits)
    two.import_(plan)
    assert not two.plan(tmp_path / "a.zip").changes
