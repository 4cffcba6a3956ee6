"""`exec` and `process` as they are on Windows: the whole tool, over a kernel32 of the tests' own.

Programs are scripts of this computer under Windows' names, in a System32 of the test's; words,
places, cards, job, pipes and ends are the ones that Windows gets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.commands import Power
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.sandbox.probe import ON_WINDOWS, Found
from moltbot_desktop.security.sandbox.walls import Backend
from moltbot_desktop.security.sandbox.windows.kernel import Kernel
from moltbot_desktop.tools.exec.planning import Plan, Request, Settings, planned
from moltbot_desktop.tools.exec.tool import ExecLimits
from moltbot_desktop.tools.exec.windows_running import windows_begin
from moltbot_desktop.tools.exec.windows_system import windows
from tests.fakes.kernel32 import Kernel32
from tests.integration.tools.exec.conftest import Desk

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its scripts are for other systems")
SCRIPTS = {
    "hostname": "echo machine",
    "findstr": 'while [ "${1#/}" != "$1" ]; do shift; done; exec grep "$@"',
    "sort": 'cat "$@"',
    "where": "exit 1",
    "slow": "echo up; sleep 600",
    "ask": "read line; echo got $line",
    "env": "env",
    "keep": "cat; sleep 600",
    "twice": "sleep 600 & sleep 600",
}
SHELL = "WindowsPowerShell/v1.0"


@pytest.fixture
def desk(tmp_path: Path, manual_clock: ManualClock) -> Iterator[Desk]:
    system = tmp_path / "Windows" / "System32"
    (system / SHELL).mkdir(parents=True)
    for name, script in SCRIPTS.items():
        put(system / f"{name}.exe", script)
    put(system / SHELL / "powershell.exe", 'for one; do last=$one; done; echo "shell: $last"')
    fake = Kernel32()
    made = Desk(tmp_path, Found(Backend.NONE, reason=ON_WINDOWS), manual_clock)
    path = str(tmp_path / "tools")
    known = windows({"SystemRoot": str(tmp_path / "Windows"), "PATH": path, "SECRET": "no"})
    made.settings = Settings(system=known)
    made.sessions.start = windows_begin(lambda: Kernel(fake, fake.last_error))
    try:
        yield made
        fake.check()
    finally:
        fake.close()


def put(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n", encoding="utf-8")
    path.chmod(0o700)


def test_a_command_that_looks_runs_unasked(desk: Desk) -> None:
    (desk.workspace / "a.txt").write_text("one\ntwo\nones\n", encoding="utf-8")
    ran = desk.exec("findstr /n one a.txt | sort && hostname")
    assert (ran.outcome, ran.result.data["exitCode"]) == ("ok", 0)
    assert ran.result.data["output"] == "one\nones\nmachine"
    assert not desk.cards


def test_a_status_and_what_follows_it(desk: Desk) -> None:
    ran = desk.exec("where git || hostname")
    assert ran.result.data["output"] == "machine"
    ran = desk.exec("where git")
    assert (ran.result.ok, ran.result.data["exitCode"]) == (False, 1)


def test_whatever_else_shows_its_words_and_that_nothing_holds_it(desk: Desk) -> None:
    ran = desk.exec("slow x", timeout=1, yieldMs=60_000)
    assert ran.result.data["error"] == "Command timed out after 1 seconds"
    [(title, notes)] = desk.cards
    assert title == "run slow x"
    assert "Nothing holds it back" in notes


def test_a_program_of_somebody_elses_that_has_a_systems_name_is_asked_for(desk: Desk) -> None:
    put(desk.root / "tools" / "hostname.exe", "echo not me")
    desk.says = False
    assert desk.exec("hostname").outcome == "denied"


def test_a_program_in_the_workspace_is_not_found_by_its_name(desk: Desk) -> None:
    put(desk.workspace / "git.exe", "echo planted")
    ran = desk.exec("git log")
    assert "no program" in str(ran.result.data["error"])
    assert not desk.cards


@pytest.mark.parametrize("line", ["dir", "echo %USERNAME%", "npm install", "type a.txt > b.txt"])
def test_what_only_a_shell_can_do_is_one_line_for_it(desk: Desk, line: str) -> None:
    put(desk.root / "tools" / "npm.cmd", "echo never")
    ran = desk.exec(line)
    assert ran.result.data["output"] == f"shell: {line}"
    [(title, notes)] = desk.cards
    assert title == f"run {line}"
    assert "goes to a shell" in notes


def test_a_leading_cd_goes_to_the_shell_with_the_rest(desk: Desk) -> None:
    (desk.workspace / "sub").mkdir()
    assert desk.exec("cd sub && dir").result.data["output"] == "shell: cd sub && dir"
    ran = desk.exec("cd sub && hostname")
    assert (ran.result.data["output"], ran.result.data["cwd"]) == ("machine", "sub")


@pytest.mark.parametrize(
    "line",
    [
        r"findstr x \\server\share\a.txt",
        r"type \\server\share\a.txt",
        r"dir //server/share > x",
        r"\\server\share\x.exe",
        r"findstr /g:\\server\share\a x",
        r"cd \\server\share && hostname",
        r"powershell -c x --file=\\server\x",
    ],
)
def test_another_computer_is_not_even_asked_whether_a_path_is_there(
    desk: Desk, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    for name in ("stat", "is_file", "is_dir", "exists", "resolve"):
        monkeypatch.setattr(Path, name, seen(getattr(Path, name), looked))
    ran = desk.exec(line)
    assert "another computer" in str(ran.result.data["error"])
    assert not [one for one in looked if "server" in one]
    assert not desk.cards


def seen(call: Callable[..., object], looked: list[str]) -> Callable[..., object]:
    def look(path: Path, *given: object, **more: object) -> object:
        looked.append(str(path))
        return call(path, *given, **more)

    return look


@pytest.mark.parametrize("name", ["workdir", "command"])
def test_the_state_folder_is_out_of_reach(desk: Desk, name: str) -> None:
    given = {"command": f"findstr x {desk.home}/moltbot.json"}
    if name == "workdir":
        given = {"command": "hostname", "workdir": str(desk.home)}
    ran = desk.exec(**given)
    assert ran.outcome == "denied"
    assert not desk.cards


@pytest.mark.parametrize("word", ["a.txt:hidden", "a.txt.", "AUX", '"*.txt"', "PROGRA~1"])
def test_a_path_that_may_mean_another_one_is_asked_for(desk: Desk, word: str) -> None:
    desk.says = False
    assert desk.exec(f"findstr x {word}").outcome == "denied"
    assert len(desk.cards) == 1


def test_a_yes_does_not_last_where_nothing_holds_a_program(desk: Desk) -> None:
    around = Surroundings(desk.workspace, desk.home, desk.user_home)
    plan = planned(Request("slow"), around, desk.settings, desk.found, Language.ENGLISH, {})
    assert isinstance(plan, Plan)
    assert (plan.judged.power, plan.judged.walled) == (Power.ANYTHING, False)
    assert plan.judged.programs == ()


def test_there_are_no_terminals_and_that_is_said(desk: Desk) -> None:
    ran = desk.exec("hostname", pty=True)
    assert "no pty" in str(ran.result.data["error"])


def test_variables_are_few_and_its_folders_are_its_own(desk: Desk) -> None:
    text = str(desk.exec("env").result.data["output"])
    found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    assert "SECRET" not in found
    assert found["TEMP"] == found["TMP"]
    assert "moltbot-run-" in found["TEMP"]
    assert not Path(found["TEMP"]).exists()
    assert found["USERPROFILE"] == str(Path.home())


def test_one_in_the_background_is_seen_spoken_to_and_over(desk: Desk) -> None:
    async def work() -> None:
        ran = await desk.call("exec", command="ask", background=True)
        assert ran.result.data["status"] == "running"
        sent = await desk.call("process", action="submit", sessionId="1", data="yes")
        assert sent.result.data["ok"] is True
        [session] = desk.sessions.of(ran_session(desk))
        await session.running.over.wait()
        log = await desk.call("process", action="log", sessionId="1")
        assert (log.result.data["output"], log.result.data["exitCode"]) == ("got yes\n", 0)
        assert not session.running.write(b"more")

    desk.run(work)


def test_after_the_last_words_it_takes_no_more(desk: Desk) -> None:
    async def work() -> None:
        await desk.call("exec", command="keep", background=True)
        sent = await desk.call("process", action="write", sessionId="1", data="a", eof=True)
        assert sent.result.data["ok"] is True
        sent = await desk.call("process", action="write", sessionId="1", data="b")
        assert "takes no input" in str(sent.result.data["error"])

    desk.run(work)


def ran_session(desk: Desk):  # type: ignore[no-untyped-def]
    [one] = desk.sessions._all.values()
    return one.conversation


def test_killing_it_ends_all_that_it_started(desk: Desk) -> None:
    async def work() -> None:
        await desk.call("exec", command="twice", background=True)
        killed = await desk.call("process", action="kill", sessionId="1")
        assert killed.result.data["ok"] is True

    desk.run(work)


def test_what_still_runs_ends_with_the_program(desk: Desk) -> None:
    desk.limits = ExecLimits(background_ms=50)

    async def work() -> None:
        await desk.call("exec", command="slow")

    desk.run(work)
