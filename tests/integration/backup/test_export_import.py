"""A backup holds everything that cannot be made again and no key; bringing it in loses nothing."""

from __future__ import annotations

import json
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import MoltbotError, StorageError, UserInputInvalid
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.backup import Does, ImportPlan, Part, Step, Why
from moltbot_desktop.sdk.schedule import Cron
from moltbot_desktop.sessions.store import SessionStore
from tests.fakes.backup_homes import (
    KEY,
    SECRET,
    add_job,
    contents,
    desk_of,
    fill,
    jobs,
    remind,
    reminders,
    talk,
    write,
)


def steps_of(steps: tuple[Step, ...], part: Part) -> dict[str, Does]:
    return {one.name: one.does for one in steps if one.part is part}


def done_nothing(plan: ImportPlan) -> bool:
    return not plan.changes


def exported(tmp_path: Path) -> Path:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    desk.export(tmp_path / "backup.zip")
    return tmp_path / "backup.zip"


def test_a_backup_has_everything_but_keys(tmp_path: Path) -> None:
    path = exported(tmp_path)
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        everything = b"".join(archive.read(name) for name in names)
    assert {
        "settings.json",
        "workspaces/main/MEMORY.md",
        "workspaces/main/memory/2026-05-01.md",
        "workspaces/main/plans/What next%3F.md",
        "skills/tea/SKILL.md",
        "plugins/extensions/mine/plugin.py",
        "plugins/hooks/mine/handler.py",
        "inbox/main.jsonl",
        "books/reminders.json",
        "books/jobs.json",
        "sessions/main/sessions.json",
    } <= names
    assert any(name.startswith("sessions/main/") and name.endswith(".jsonl") for name in names)
    assert SECRET.encode() not in everything
    assert b"channels.telegram.botToken" in everything  # by name
    assert (path.stat().st_mode & 0o777) == 0o600


def test_only_what_is_asked_for(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    done = desk.export(tmp_path / "b.zip", [Part.MEMORY])
    parts = {part for part, _ in done.files} - {Part.TOLD}
    assert parts == {Part.MEMORY}


def test_nothing_is_overwritten_by_an_export(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    write(tmp_path / "b.zip", "mine")
    with pytest.raises(UserInputInvalid):
        desk.export(tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_text("utf-8") == "mine"


def test_my_own_backup_on_a_new_computer_is_as_it_was(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    desk.import_(desk.plan(path, mine=True))
    old, new = contents(tmp_path / "one" / ".moltbot"), contents(desk.paths.home)
    keys = {"workspace/.env", "gateway-token", "undo.key", "secrets.json"}
    assert {name for name in old if name not in new} == keys
    anew = {"agents/main/sessions/sessions.json", "moltbot.json", "memory-inbox.jsonl"}
    assert all(new[name] == old[name] for name in new.keys() & old.keys() - anew)
    assert desk.load().config.ui.theme == "dark"
    assert reminders(desk) == ["call Bob"]
    assert jobs(desk) == [("Any news?", True)]
    talk(desk, "And then")  # goes on in the same conversation
    assert len(list(desk.paths.home.glob("agents/main/sessions/*.jsonl"))) == 1


def test_a_reminder_that_comes_again_comes_along_once(tmp_path: Path) -> None:
    old, new = desk_of(tmp_path / "one"), desk_of(tmp_path / "two")
    fill(old)
    with closing(ReminderStore(old.paths.state_database, old.clock)) as store:
        store.add(Cron("0 9 * * 1"), "water the plants")
    old.export(tmp_path / "b.zip")
    for _ in range(2):
        new.import_(new.plan(tmp_path / "b.zip", mine=True))
    with closing(ReminderStore(new.paths.state_database, new.clock)) as store:
        again = [one for one in store.pending() if one.again is not None]
        assert [(one.text, one.again) for one in again] == [("water the plants", Cron("0 9 * * 1"))]
        store.cancel(again[0].id)
    assert done_nothing(new.plan(tmp_path / "b.zip", mine=True))  # removed here stays removed


def test_a_backup_of_anybody_lets_nothing_more(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    done = desk.import_(desk.plan(path))
    home = desk.paths.home
    assert desk.load().config.raw.get("channels") is None
    assert jobs(desk) == [("Any news?", False)]
    assert not (home / "extensions").exists()
    assert not (home / "hooks").exists()
    assert len(list(home.glob("imported/extensions-*/mine/plugin.py"))) == 1
    assert not (home / "workspace" / "MEMORY.md").exists()
    assert not (home / "workspace" / "AGENTS.md").exists()
    assert len(list((home / "workspace" / "memory" / "imported").glob("MEMORY*.md"))) == 1
    transcript = next(home.glob("agents/main/sessions/*.jsonl"))
    header, labels = map(json.loads, transcript.read_text("utf-8").splitlines()[:2])
    assert header["sessionKey"] == f"agent:main:import:{transcript.stem}"
    assert labels["data"]["untrusted"] is True
    waits = {one.name for one in done.steps if one.why is Why.LETS_MORE}
    assert {"channels.telegram.enabled", "channels.telegram.allowFrom"} <= waits
    assert talk(desk, "Hi") != transcript  # nobody's words land in it


@pytest.mark.parametrize("mine", [True, False])
def test_the_second_import_finds_nothing_to_do(tmp_path: Path, mine: bool) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    assert desk.import_(desk.plan(path, mine=mine)).snapshot
    before = contents(desk.paths.home)
    assert done_nothing(desk.plan(path, mine=mine))
    assert desk.import_(desk.plan(path, mine=mine)).snapshot == ""
    assert contents(desk.paths.home) == before
    assert len(desk.snapshots()) == 1


def test_a_plan_changes_nothing(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    plan = desk.plan(path, mine=True)
    assert plan.changes
    assert contents(desk.paths.home) == {}


def test_what_is_here_stays(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    home = desk.paths.home
    write(home / "moltbot.json", '{"ui": {"theme": "light"}} // mine\n')
    write(home / "workspace" / "MEMORY.md", "- likes coffee\n")
    write(home / "workspace" / "memory" / "2026-05-01.md", "- rain\n- a walk")
    write(home / "workspace" / "plans" / "What next?.md", "Climb.\n")
    write(home / "skills" / "tea" / "SKILL.md", "---\nname: tea\n---\nMine.\n")
    write(home / "memory-inbox.jsonl", "")
    talk(desk, "Good day")
    remind(desk, "water the flowers", 2)
    add_job(desk, "What is on?")
    before = contents(home)
    desk.import_(desk.plan(path, mine=True))
    after = contents(home)
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {"workspace/memory/2026-05-01.md", "memory-inbox.jsonl", "moltbot.json"}
    day = after["workspace/memory/2026-05-01.md"]
    assert day == b"- rain\n- a walk\n- met Ada\n"
    assert desk.load().config.ui.theme == "light"
    assert b"// mine" in after["moltbot.json"]
    assert b"Has a cat" in after["memory-inbox.jsonl"]
    assert any(name.startswith("workspace/plans/What next? (imported") for name in after)
    assert any(name.startswith("imported/skills-") for name in after)
    assert set(reminders(desk)) == {"water the flowers", "call Bob"}
    assert dict(jobs(desk)) == {"What is on?": True, "Any news?": True}


def test_a_conversation_that_went_on_there_is_made_longer(tmp_path: Path) -> None:
    one, two = desk_of(tmp_path / "one"), desk_of(tmp_path / "two")
    fill(one)
    one.export(tmp_path / "a.zip")
    two.import_(two.plan(tmp_path / "a.zip", mine=True))
    path = talk(one, "One more thing")
    one.export(tmp_path / "b.zip")
    done = two.import_(two.plan(tmp_path / "b.zip", mine=True))
    assert Does.LONGER in steps_of(done.steps, Part.SESSIONS).values()
    here = next(two.paths.home.glob("agents/main/sessions/*.jsonl"))
    assert here.read_bytes() == path.read_bytes()


def test_two_ways_of_one_conversation_are_both_kept(tmp_path: Path) -> None:
    one, two = desk_of(tmp_path / "one"), desk_of(tmp_path / "two")
    fill(one)
    one.export(tmp_path / "a.zip")
    two.import_(two.plan(tmp_path / "a.zip", mine=True))
    talk(one, "To the left")
    here = talk(two, "To the right")
    before = here.read_bytes()
    one.export(tmp_path / "b.zip")
    two.import_(two.plan(tmp_path / "b.zip", mine=True))
    assert here.read_bytes() == before
    every = [path.read_bytes() for path in two.paths.home.glob("agents/main/sessions/*.jsonl")]
    assert any(b"To the left" in data for data in every)
    assert done_nothing(two.plan(tmp_path / "b.zip", mine=True))


def test_what_was_removed_here_does_not_come_back(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "one")
    home = desk.paths.home
    transcript = next(home.glob("agents/main/sessions/*.jsonl"))
    (transcript.parent / "trash").mkdir()
    transcript.rename(transcript.parent / "trash" / transcript.name)
    done = desk.plan(path, mine=True)
    name = f"sessions/main/{transcript.name}"
    found = next(one for one in done.steps if one.name == name)
    assert (found.does, found.why) == (Does.WAITS, Why.REMOVED_HERE)


def test_what_an_import_did_can_be_undone(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    write(desk.paths.home / "workspace" / "MEMORY.md", "- likes coffee\n")
    remind(desk, "water the flowers", 2)
    before = contents(desk.paths.home)
    done = desk.import_(desk.plan(path, mine=True))
    desk.restore(done.snapshot)
    assert contents(desk.paths.home) == before
    assert reminders(desk) == ["water the flowers"]
    assert jobs(desk) == []


def test_a_link_in_the_workspace_leads_nowhere(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    (tmp_path / "elsewhere").mkdir()
    workspace = desk.paths.home / "workspace"
    workspace.mkdir(parents=True)
    (workspace / "plans").symlink_to(tmp_path / "elsewhere")
    desk.import_(desk.plan(path, mine=True))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_one_that_was_cut_short_is_refused_whole(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    data = path.read_bytes()
    for end in range(0, len(data), max(1, len(data) // 40)):
        path.write_bytes(data[:end])
        with pytest.raises(UserInputInvalid):
            desk.plan(path)
    assert contents(desk.paths.home) == {}


def test_flipped_bytes_are_found_or_harmless(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    data = bytearray(path.read_bytes())
    good = desk.plan(path, mine=True).steps
    refused = 0
    for at in range(0, len(data), max(1, len(data) // 60)):
        broken = bytearray(data)
        broken[at] ^= 0x55
        path.write_bytes(broken)
        try:
            assert desk.plan(path, mine=True).steps == good
        except MoltbotError:
            refused += 1
    assert refused


def test_another_backup_than_was_planned_is_refused(tmp_path: Path) -> None:
    one, two = desk_of(tmp_path / "one"), desk_of(tmp_path / "two")
    fill(one)
    path = tmp_path / "a.zip"
    one.export(path)
    plan = two.plan(path)
    path.unlink()
    one.clock.advance(60)  # type: ignore[attr-defined]
    one.export(path)
    with pytest.raises(UserInputInvalid):
        two.import_(plan)


def test_an_import_waits_for_no_other(tmp_path: Path) -> None:
    path, desk = exported(tmp_path), desk_of(tmp_path / "two")
    plan = desk.plan(path)
    with desk._alone(), pytest.raises(StorageError):
        desk.import_(plan)


def test_an_import_beside_an_open_conversation(tmp_path: Path) -> None:
    """The assistant may be running: what it holds is left as it is."""

    one, two = desk_of(tmp_path / "one"), desk_of(tmp_path / "two")
    fill(one)
    one.export(tmp_path / "a.zip")
    two.import_(two.plan(tmp_path / "a.zip", mine=True))
    talk(one, "One more thing")
    one.export(tmp_path / "b.zip")
    store = SessionStore(two.paths.home, two.clock)
    session = store.open(KEY)
    before = session.transcript.path.read_bytes()
    done = two.import_(two.plan(tmp_path / "b.zip", mine=True))
    assert session.transcript.path.read_bytes() == before
    assert any(one.why is Why.OPEN for one in done.steps)
    store.close(session)
    assert two.plan(tmp_path / "b.zip", mine=True).changes
