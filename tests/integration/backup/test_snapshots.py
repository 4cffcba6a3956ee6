"""A snapshot is how everything was; the last five are kept, and restoring one loses nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from moltbot_desktop import __version__
from moltbot_desktop.app.backup_desk import FileBackupDesk
from moltbot_desktop.app.backup_start import before_start
from moltbot_desktop.app.forgetting_elsewhere import OtherPlaces
from moltbot_desktop.backup import snapshots as room
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import StoreBusy, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.backup import Occasion
from moltbot_desktop.sdk.forgetting import Place
from moltbot_desktop.storage.locks import FileLock
from tests.fakes.backup_homes import (
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


def later(desk: FileBackupDesk) -> None:
    assert isinstance(desk.clock, ManualClock)
    desk.clock.advance(60)


def test_restoring_brings_back_everything(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    home = desk.paths.home
    before = contents(home)
    made = desk.snapshot()
    later(desk)
    write(home / "workspace" / "MEMORY.md", "all gone")
    write(home / "workspace" / "new.md", "new")
    (home / "workspace" / "AGENTS.md").unlink()
    (home / "moltbot.json").write_text("{}", "utf-8")
    talk(desk, "More")
    remind(desk, "later", 3)
    add_job(desk, "later too")
    changed = contents(home)
    done = desk.restore(made.id)
    assert contents(home) == before
    assert reminders(desk) == ["call Bob"]
    assert jobs(desk) == [("Any news?", True)]
    later(desk)
    desk.restore(done.before)  # and how it was until then is not lost
    assert contents(home) == changed
    assert sorted(reminders(desk)) == ["call Bob", "later"]


def test_the_last_five_are_kept_and_share_what_is_the_same(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    made = []
    for number in range(7):
        later(desk)
        write(desk.paths.home / "workspace" / "count.md", str(number))
        made.append(desk.snapshot().id)
    kept = desk.snapshots()
    assert [one.id for one in kept] == made[:1:-1]
    folder = desk.paths.home / "snapshots"
    files = [path for path in (folder / made[-1] / "files").iterdir() if path.name[0] == "f"]
    shared = [path for path in files if path.stat().st_nlink > 1]
    assert len(shared) == len(files) - 1  # all but count.md
    assert not [one for one in folder.iterdir() if one.name.startswith(".")]


def test_a_copy_does_not_change_with_its_file(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    path = talk(desk, "first")
    before = path.read_bytes()
    made = desk.snapshot()
    later(desk)
    second = desk.snapshot()  # shares the copy
    with path.open("ab") as file:  # as a transcript is written to
        file.write(b'{"type": "custom"}\n')
    for one in (made, second):
        later(desk)
        desk.restore(one.id)
        assert path.read_bytes() == before


def test_nothing_is_put_back_under_a_running_assistant(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    made = desk.snapshot()
    write(desk.paths.home / "workspace" / "MEMORY.md", "new")
    with FileLock(desk.paths.home / "mail.sqlite.lock"), pytest.raises(StoreBusy):
        desk.restore(made.id)
    assert (desk.paths.home / "workspace" / "MEMORY.md").read_text("utf-8") == "new"
    assert len(desk.snapshots()) == 1


def test_what_waits_is_put_back_at_the_next_start(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    home = desk.paths.home
    before = contents(home)
    made = desk.snapshot()
    write(home / "workspace" / "MEMORY.md", "new")
    later(desk)
    desk.restore_at_start(made.id)
    assert contents(home) != before
    before_start(desk.paths, desk.clock, Language.ENGLISH)
    assert contents(home) == before
    write(home / "workspace" / "MEMORY.md", "newer")
    before_start(desk.paths, desk.clock, Language.ENGLISH)  # once
    assert (home / "workspace" / "MEMORY.md").read_text("utf-8") == "newer"


def test_an_update_is_seen_at_the_start(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    note = desk.paths.home / "snapshots" / "version.json"
    before_start(desk.paths, desk.clock, Language.ENGLISH)
    assert desk.snapshots() == ()  # nobody knows of an older one
    write(note, json.dumps({"version": "0.0.1"}))
    before_start(desk.paths, desk.clock, Language.ENGLISH)
    assert [one.occasion for one in desk.snapshots()] == [Occasion.UPDATE]
    assert json.loads(note.read_text("utf-8")) == {"version": __version__}
    before_start(desk.paths, desk.clock, Language.ENGLISH)
    assert len(desk.snapshots()) == 1


def test_what_is_too_large_is_told_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "LARGEST_FILE", 1_000)
    desk = desk_of(tmp_path / "one")
    fill(desk)
    large = desk.paths.home / "workspace" / "film.bin"
    made = desk.snapshot()
    write(large, "x" * 2_000)
    later(desk)
    done = desk.restore(made.id)
    assert large.exists()  # the snapshot of how it was has not got it
    assert str(large) in {one.name for one in desk.snapshots()[0].left_out}
    assert done.removed == 0


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"version": 1, "files": 3}', "\0"])
def test_a_damaged_list_is_no_snapshot(tmp_path: Path, text: str) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    made = desk.snapshot()
    write(desk.paths.home / "snapshots" / made.id / "snapshot.json", text)
    assert desk.snapshots() == ()
    with pytest.raises(UserInputInvalid):
        desk.restore(made.id)


def test_what_is_forgotten_is_forgotten_in_snapshots_too(tmp_path: Path) -> None:
    desk = desk_of(tmp_path / "one")
    fill(desk)
    home = desk.paths.home
    words = "the dentist is called Okafor"
    write(home / "workspace" / "MEMORY.md", f"- {words}\n- likes tea\n")
    remind(desk, f"ask whether {words}", 5)
    made = desk.snapshot()
    later(desk)
    desk.snapshot()  # shares the copies
    places = OtherPlaces(desk.paths, home / "workspace")
    assert dict(places.look(words).places)[Place.COPIES] >= 2
    places.take_out(words)
    held = b"".join(path.read_bytes() for path in (home / "snapshots").rglob("*") if path.is_file())
    assert b"Okafor" not in held
    later(desk)
    desk.restore(made.id)  # and what is left of them can still be put back
    assert "likes tea" in (home / "workspace" / "MEMORY.md").read_text("utf-8")
    assert sorted(reminders(desk))[1] == "call Bob"
