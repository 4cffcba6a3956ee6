"""What the owner allowed, and what was done, stands in the place "Permissions"; the same book
answers in a shell, where the reference's rules can be brought in."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.permissions_command import run_permissions_command
from moltbot_desktop.app.permits_desk import BookedPermits
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.sdk.permissions import Deed, Kind, Part
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.seal import Seal

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
GIT = Part(Kind.PROGRAM, "exec", "/usr/bin/git", ("git", "push"), "/home/ada/notes")


@contextlib.contextmanager
def book(home: Path) -> Iterator[Permissions]:
    with contextlib.closing(PermissionBook(home / "permissions.sqlite")) as opened:
        yield Permissions(opened, ManualClock(NOW))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with book(tmp_path) as permissions:
        permissions.give((GIT,), Term.ALWAYS, "main")
        permissions.give((Part(Kind.TOOL, "close"),), Term.ALWAYS, "main")
        permissions.begin(
            Deed(NOW, "r", "s", "exec", "run ls", "m", "auto", "exec", "policy", "ok")
        )
    return tmp_path


@pytest.fixture
def desk(home: Path, checkout: Path) -> BookedPermits:
    return BookedPermits(Paths(home, home, checkout), ManualClock(NOW))


def test_the_place_shows_what_stands_in_the_books(desk: BookedPermits) -> None:
    assert {one.part for one in desk.grants()} == {GIT, Part(Kind.TOOL, "close")}
    assert [one.what for one in desk.deeds(10)] == ["run ls"]
    network = desk.network()
    assert (network.closed, network.sent_today, network.passages) == (False, 0, ())


def test_what_is_taken_back_is_gone_once(desk: BookedPermits, home: Path) -> None:
    gone = next(one.id for one in desk.grants() if one.part == GIT)
    assert desk.take_back(gone) and not desk.take_back(gone)
    with book(home) as permissions:
        assert [one.part.verb for one in permissions.grants()] == ["close"]


def test_what_left_this_computer_is_told_by_address(desk: BookedPermits, home: Path) -> None:
    with Seal(home, ManualClock(NOW)) as seal:
        seal.way(Errand(Purpose.WEB)).count("example.org", requests=1, sent=300, received=9)
        seal.close_it()
    network = desk.network()
    assert (network.closed, network.sent_today) == (True, 300)
    assert [(one.host, one.received) for one in network.passages] == [("example.org", 9)]


def shell(home: Path, *words: str) -> int:
    arguments = parse(["permissions", *words])
    return run_permissions_command(
        Paths(home, home, home), ManualClock(NOW), arguments, Language.ENGLISH
    )


def test_in_a_shell(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell(home, "list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    git = next(one for one in listed if one["words"] == ["git", "push"])
    assert shell(home, "revoke", git["id"]) == 0
    assert "git push" in capsys.readouterr().out
    with pytest.raises(UserInputInvalid):
        shell(home, "revoke", git["id"])
    assert shell(home, "audit") == 0
    assert "no card needed, done" in capsys.readouterr().out


REFERENCE = {
    "version": 1,
    "socket": {"path": "~/.clawdbot/exec-approvals.sock", "token": "t"},
    "defaults": {"security": "full", "autoAllowSkills": True},
    "agents": {
        "main": {"allowlist": [{"id": "1", "pattern": "/usr/bin/*", "lastUsedAt": 1}, {}]},
        "*": {"allowlist": ["~/bin/**", "rg"]},
        "odd": 3,
    },
    "unknown": [1],
}


def test_the_reference_s_rules_come_in_once(
    home: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "exec-approvals.json"
    file.write_text(json.dumps(REFERENCE))
    assert shell(home, "import", str(file), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["imported"] == 2
    assert shell(home, "import", str(file), "--json") == 0
    assert json.loads(capsys.readouterr().out)["imported"] == 0
    assert {one["what"] for one in told["left_out"]} == {
        *("defaults.security: full", "defaults.autoAllowSkills", "rg", "agents.odd")
    }
    with book(home) as permissions:
        rules = {(one.agent, one.part.subject): one.note for one in permissions.grants()}
    assert rules["main", "/usr/bin/*"] == "exec-approvals.json"
    assert any(agent == "*" and subject.endswith("/bin/**") for agent, subject in rules)
    assert json.loads(file.read_text()) == REFERENCE


@pytest.mark.parametrize("text", ["", "[]", "{", '{"version": 2}', '{"version": 1, "agents": []}'])
def test_what_is_no_such_file_is_told(home: Path, tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(UserInputInvalid, match=r"exec-approvals\.json"):
        shell(home, "import", str(file))
