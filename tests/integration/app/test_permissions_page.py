"""What the owner allowed stands in the settings window; what is unticked and saved is taken back.
The same book answers in a shell, where the reference's rules can be brought in."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.permissions_command import run_permissions_command
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.settings_desk import FileSettingsDesk
from moltbot_desktop.app.settings_pages import SettingsPages
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.forms import FormState
from moltbot_desktop.sdk.permissions import Deed, Kind, Part
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.fakes.key_ring import MemoryKeyRing

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
def desk(home: Path, checkout: Path) -> FileSettingsDesk:
    now = PluginsNow(Language.ENGLISH)
    pages = SettingsPages(Paths(home, home, checkout), {}, Language.ENGLISH, ManualClock(NOW), now)
    return FileSettingsDesk(pages, SecretStore(home / SECRET_NAMES_FILE, MemoryKeyRing), now)


def ticks(form: FormState) -> list[str]:
    return [one.label for one in form.root(Language.ENGLISH).children]


def test_each_permission_is_a_tick_and_what_was_done_is_told(desk: FileSettingsDesk) -> None:
    page = next(one for one in desk.pages() if one.id == "permissions")
    assert "exec: run ls" in page.note
    titles = ticks(desk.open("permissions"))
    assert any("git push" in title for title in titles) and len(titles) == 2


@pytest.mark.parametrize("cleared", [False, True])
def test_what_is_unticked_and_saved_is_taken_back(
    desk: FileSettingsDesk, home: Path, cleared: bool
) -> None:
    with book(home) as permissions:
        gone = next(one.id for one in permissions.grants() if one.part == GIT)
    opened = desk.open("permissions")
    edited = opened.unset((gone,)) if cleared else opened.put((gone,), False)
    form = desk.save("permissions", edited)
    assert len(ticks(form)) == 1
    with book(home) as permissions:
        assert [one.part.verb for one in permissions.grants()] == ["close"]
    assert not (home / "moltbot.json").exists()


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
