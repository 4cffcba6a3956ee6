"""Which kind of place a path is."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.security.places import Surroundings, place_of
from moltbot_desktop.security.policy import Place


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    user = tmp_path / "user"
    home = user / ".moltbot"
    (home / "workspace" / "memory").mkdir(parents=True)
    (user / ".ssh").mkdir()
    return Surroundings(home / "workspace", home, user, (home / "skills", user / "program"))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("notes.txt", Place.WORKSPACE),
        ("./deep/er/notes.txt", Place.WORKSPACE),
        ("a/../notes.txt", Place.WORKSPACE),
        ("memory/2026-11-21.md", Place.MEMORY_DAILY),
        ("memory/projects.md", Place.WORKSPACE),
        ("MEMORY.md", Place.PROTECTED),
        ("memory/../memory.MD", Place.PROTECTED),
        ("skills/x/SKILL.md", Place.PROTECTED),
        (".g\u200cit/config", Place.PROTECTED),
        ("\u017fKILLS/x/run.sh", Place.PROTECTED),
        ("a/.moltbot/undo/x.json", Place.PROTECTED),
        (".s\u2060sh/id", Place.APP_STATE),
        ("repo/.git/config", Place.PROTECTED),
        ("../skills/x/SKILL.md", Place.LIBRARY),
        ("~/program/notes/SKILL.md", Place.LIBRARY),
        ("../skills/../moltbot.json", Place.APP_STATE),
        ("../skills/.ssh/id", Place.APP_STATE),
        ("../moltbot.json", Place.APP_STATE),
        ("../../.ssh/id_ed25519", Place.APP_STATE),
        ("~/.ssh/id_ed25519", Place.APP_STATE),
        ("~/Documents/report.txt", Place.OUTSIDE),
        ("~/src/chromium/README.md", Place.OUTSIDE),
        ("~/.config/chromium/Default/Cookies", Place.APP_STATE),
        ("~/.config/Google-Chrome/Default/Login Data", Place.APP_STATE),
        ("~/.thunderbird/a.default/logins.json", Place.APP_STATE),
        ("~/Library/Keychains/login.keychain-db", Place.APP_STATE),
        ("~/AppData/Local/Google/Chrome/User Data/Local State", Place.APP_STATE),
        ("~/.netrc", Place.APP_STATE),
        (".git-credentials", Place.APP_STATE),
        ("~/.password-store/bank.gpg", Place.APP_STATE),
        ("/etc/shadow", Place.APP_STATE),
        ("etc/shadow", Place.WORKSPACE),
        ("/proc/1/environ", Place.APP_STATE),
        ("/proc/self/mem", Place.APP_STATE),
        ("/proc/cpuinfo", Place.OUTSIDE),
        (".zprofile", Place.PROTECTED),
        (".config/systemd/user/x.service", Place.PROTECTED),
        ("Library/LaunchAgents/x.plist", Place.PROTECTED),
        ("/etc/passwd", Place.OUTSIDE),
        ("nul\0.txt", Place.APP_STATE),
    ],
)
def test_places(around: Surroundings, text: str, place: Place) -> None:
    assert place_of(text, around) is place


def test_a_link_counts_as_what_it_points_at(around: Surroundings) -> None:
    (around.workspace / "innocent").symlink_to(around.user_home / ".ssh")
    (around.workspace / "docs").symlink_to("/etc")
    assert place_of("innocent/id_ed25519", around) is Place.APP_STATE
    assert place_of("docs/passwd", around) is Place.OUTSIDE


def test_what_stands_behind_a_link_to_itself_is_no_place(around: Surroundings) -> None:
    (around.workspace / "loop").symlink_to("loop")
    (around.workspace / "note.txt").symlink_to(around.user_home / "note.txt")
    assert place_of("note.txt", around) is Place.OUTSIDE
    assert place_of("loop/../note.txt", around) is Place.APP_STATE


def test_a_workspace_that_holds_the_state_folder_does_not_open_it(tmp_path: Path) -> None:
    """Somebody may name their whole home as the workspace."""
    home = tmp_path / ".moltbot"
    home.mkdir()
    for workspace in (tmp_path, home):
        around = Surroundings(workspace, home, tmp_path)
        for name in (
            "moltbot.json",
            "state.sqlite",
            "agents/main/sessions/a.jsonl",
            "secrets.json",
        ):
            assert place_of(str(home / name), around) is Place.APP_STATE
    around = Surroundings(home / "workspace", home, tmp_path)
    assert place_of("notes.md", around) is Place.WORKSPACE
    assert place_of("../workspace-other/notes.md", around) is Place.APP_STATE
