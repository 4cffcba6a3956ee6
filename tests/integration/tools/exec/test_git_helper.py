"""The bundled skill git-helper, carried out: every command that it names only looks."""

from __future__ import annotations

import ast
import hashlib
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from moltbot_desktop.security.commands.rules import Level, level_of
from moltbot_desktop.security.sandbox.walls import Backend
from moltbot_desktop.skills.frontmatter import parse_skill
from tests.integration.tools.exec.conftest import Desk

SKILL = Path(__file__).parents[4] / "skills" / "git-helper" / "SKILL.md"
TEXT = parse_skill(SKILL.read_bytes()).instructions
STAND_INS = {"FILE": "plan.md", "NAME": "Ada", "HASH": "HEAD", "10,20": "1,1"}
COMMANDS = tuple(re.findall(r"^\|.*\| `(git [^`]+)` \|$", TEXT, re.MULTILINE))


def meant(command: str) -> str:
    """A line of the table with a file, a person and a commit of the test's project."""
    for words, instead in STAND_INS.items():
        command = command.replace(words, instead)
    return command


def git(folder: Path, *words: str) -> None:
    name = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(("git", *name, *words), cwd=folder, check=True, capture_output=True)


@pytest.fixture
def blog(desk: Desk) -> Path:
    """A project with a commit and something changed since."""
    folder = desk.workspace / "blog"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "plan.md").write_text("Write about tea.\n")
    git(folder, "add", "plan.md")
    git(folder, "commit", "--quiet", "--message", "A plan")
    (folder / "plan.md").write_text("Write about coffee.\n")
    (folder / "new.md").write_text("New.\n")
    return folder


def stands(folder: Path) -> dict[str, str]:
    """Every file and its content; the index is git's own cache of times."""
    files = (one for one in sorted(folder.rglob("*")) if one.is_file() and one.name != "index")
    return {str(one): hashlib.sha256(one.read_bytes()).hexdigest() for one in files}


def test_the_table_has_the_five_ways_to_look() -> None:
    assert {shlex.split(one)[2] for one in COMMANDS} >= {"status", "log", "diff", "show", "branch"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_table_is_one_that_only_looks(command: str) -> None:
    assert level_of(tuple(shlex.split(meant(command)))) is Level.LOOKS_DEEP


def test_all_of_them_answer_and_change_nothing(desk: Desk, blog: Path) -> None:
    before = stands(blog)
    said: dict[str, str] = {}

    async def work() -> None:
        for command in COMMANDS:
            ran = await desk.call("exec", command=meant(command), workdir="blog")
            assert ran.result.ok, (command, ran.result)
            said[command] = str(ran.result.data)

    desk.run(work)
    assert stands(blog) == before
    told = "\n".join(said.values())
    for words in ("## main", "M plan.md", "?? new.md", "+Write about coffee.", "A plan", "* main"):
        assert words in told, words


def test_its_example_is_answered_without_a_card_where_walls_hold(desk: Desk, blog: Path) -> None:
    example = TEXT.partition("## Example")[2]
    calls = [
        ast.parse(line, mode="eval").body
        for line in re.findall(r"^exec\(.*\)$", example, re.MULTILINE)
    ]
    given = [
        {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        for call in calls
        if isinstance(call, ast.Call)
    ]
    assert len(given) == 2

    async def work() -> None:
        for one in given:
            ran = await desk.call("exec", **one)
            assert ran.result.ok, ran.result

    desk.run(work)
    assert desk.cards == [] or desk.found.backend is Backend.NONE


def test_a_folder_that_is_no_project_says_so(desk: Desk) -> None:
    ran = desk.exec(COMMANDS[0])
    assert "not a git repository" in str(ran.result.data)
