"""What a yes to git's plain words is worth where the project's own settings are a stranger's."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.sandbox.probe import Found
from moltbot_desktop.security.sandbox.walls import Backend
from moltbot_desktop.tools.exec.planning import Plan, Request, Settings, planned
from tests.integration.tools.exec.conftest import Desk
from tests.integration.tools.exec.test_git_helper import git

TRACE = 'echo started >> "$(git rev-parse --git-dir)/../started"'


@pytest.fixture
def project(desk: Desk) -> Path:
    """One with a commit, a hook for every change of a name, and settings that start programs."""
    folder = desk.workspace / "project"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "plan.md").write_text("Write about tea.\n", encoding="utf-8")
    git(folder, "add", "plan.md")
    git(folder, "commit", "--quiet", "--message", "A plan")
    hook = folder / ".git" / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{TRACE}\n", encoding="utf-8")
    hook.chmod(0o755)
    git(folder, "config", "core.fsmonitor", f"sh -c '{TRACE}'")
    git(folder, "config", "remote.origin.url", str(folder))
    git(folder, "config", "remote.origin.uploadpack", f"sh -c '{TRACE}'")
    git(folder, "config", "remote.helped.url", f"ext::sh -c '{TRACE}'")
    git(folder, "config", "protocol.ext.allow", "always")
    git(folder, "config", "remote.far.url", "ssh://nowhere.invalid/x")
    git(folder, "config", "core.sshCommand", f"sh -c '{TRACE}'")
    (folder / "started").unlink(missing_ok=True)
    return folder


@pytest.mark.parametrize(
    ("command", "online"),
    [
        ("git status --short", False),
        ("git add plan.md", False),
        ("git branch other", False),
        ("git tag one", False),
        ("git fetch origin", True),
        ("git fetch helped", True),
        ("git fetch far", True),
    ],
)
def test_nothing_is_started_that_only_the_settings_name(
    desk: Desk, project: Path, command: str, online: bool
) -> None:
    ran = desk.exec(command, workdir="project", network=online)
    assert ran.outcome in ("ok", "failed"), ran.result
    assert not (project / "started").exists(), ran.result


def test_these_settings_would_start_it(desk: Desk, project: Path) -> None:
    """What the test above holds is not held by an accident; a shell's line is asked for as one."""
    assert desk.exec("git branch other; true", workdir="project").outcome == "ok"
    assert not (project / "started").exists()
    desk.exec("git branch another > out", workdir="project")
    assert (project / "started").exists()


def test_a_project_on_this_computer_is_fetched_without_the_internet(
    desk: Desk, project: Path
) -> None:
    copy = desk.workspace / "copy"
    git(desk.workspace, "clone", "--quiet", str(project), str(copy))
    ran = desk.exec("git fetch origin", workdir="copy")
    assert ran.outcome == "ok", ran.result


@pytest.mark.parametrize(
    "written",
    [
        '[diff]\n\texternal = "sh -c x"\n',
        "[diff] external = x\n",
        '[diff "d"]\n\ttextconv = x\n',
        '[diff "d"]\n\tcommand=x\n',
        '[filter "f"]\r\n\tClean = x\r\n',
        '[filter "a]b"] process = x\n',
        '[filter "f"] smudge = x\n',
        "[include]\n\tpath = elsewhere\n",
        '[includeIf "gitdir:/"]\n\tpath = elsewhere\n',
    ],
)
def test_a_yes_does_not_last_where_the_project_names_programs(desk: Desk, written: str) -> None:
    folder = desk.workspace / "project"
    (folder / "sub").mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    assert lasts(desk, folder) and lasts(desk, folder / "sub")
    with (folder / ".git" / "config").open("ab") as config:
        config.write(written.encode())
    assert not lasts(desk, folder) and not lasts(desk, folder / "sub")


def test_settings_that_lie_elsewhere_are_no_reason_to_trust(desk: Desk) -> None:
    folder = desk.workspace / "tree"
    folder.mkdir()
    (folder / ".git").write_text("gitdir: /somewhere/else\n", encoding="utf-8")
    assert not lasts(desk, folder)


def lasts(desk: Desk, folder: Path) -> bool:
    """Whether a yes to `git diff` there may be for longer than once."""
    around = Surroundings(desk.workspace, desk.home, desk.user_home)
    request = Request("git diff plan.md", folder=str(folder))
    plan = planned(request, around, Settings(), Found(Backend.LANDLOCK), Language.ENGLISH, {})
    assert isinstance(plan, Plan)
    return bool(plan.judged.programs)
