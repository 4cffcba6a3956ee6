"""`exec` as a model meets it: what runs unasked, what is asked for, what comes back."""

from __future__ import annotations

import asyncio
import os
import time
import venv
from pathlib import Path

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.sandbox.probe import Found
from moltbot_desktop.security.sandbox.walls import Backend, Walls
from moltbot_desktop.tools.exec.planning import Settings
from moltbot_desktop.tools.exec.tool import ExecLimits
from tests.fakes.tool_context import tool_context
from tests.integration.tools.exec.conftest import Desk

TAINTED = Labels(untrusted=True, private=True)


def test_a_command_that_looks_runs_unasked(desk: Desk) -> None:
    (desk.workspace / "a.txt").write_text("one\ntwo\n", encoding="utf-8")
    ran = desk.exec("cat a.txt | wc -l")
    assert (ran.outcome, ran.result.data["output"], ran.result.data["exitCode"]) == ("ok", "2", 0)
    assert not desk.cards


def test_it_does_so_in_a_conversation_with_words_of_others_and_unattended(desk: Desk) -> None:
    desk.labels, desk.presence = TAINTED, Presence.NOBODY
    assert desk.exec("ls").outcome == "ok"


def test_joints_mean_what_they_mean_in_a_shell(desk: Desk) -> None:
    ran = desk.exec("false && echo a || echo b ; echo c")
    assert ran.result.data["output"] == "b\nc"


def test_a_leading_cd_is_the_folder(desk: Desk) -> None:
    (desk.workspace / "sub").mkdir()
    ran = desk.exec("cd sub && pwd")
    assert ran.result.data["output"] == str(desk.workspace / "sub")
    assert ran.result.data["cwd"] == "sub"


def test_anything_else_shows_a_card_with_the_very_words(desk: Desk) -> None:
    ran = desk.exec("python3 -c 'print(6 * 7)'")
    assert ran.result.data["output"] == "42"
    [(title, notes)] = desk.cards
    assert title == "run python3 -c 'print(6 * 7)'"
    assert str(desk.workspace) in notes


def test_a_card_in_chinese_has_no_spaces_between_sentences(desk: Desk) -> None:
    desk.language = Language.CHINESE
    desk.exec("python3 -c 'print(6 * 7)'")
    [(_, notes)] = desk.cards
    assert "中运行。" in notes and notes.count("。") > 2
    assert "。 " not in notes


def test_a_no_means_that_nothing_runs(desk: Desk) -> None:
    desk.says = False
    assert desk.exec("cp /etc/hostname b").outcome == "denied"
    assert not list(desk.workspace.iterdir())


@pytest.mark.parametrize("command", ["ls > out", "echo $HOME", "rm a", "cat /etc/hostname"])
def test_nobody_there_means_no(desk: Desk, command: str) -> None:
    desk.presence = Presence.NOBODY
    assert desk.exec(command).outcome == "denied"
    assert not desk.cards


def test_making_a_folder_is_asked_for_where_others_have_written(desk: Desk) -> None:
    desk.exec("mkdir a")
    asked = len(desk.cards)
    desk.labels = TAINTED
    desk.exec("mkdir b")
    assert len(desk.cards) == 1
    assert asked == (0 if desk.found.backend is not Backend.NONE else 1)


def test_a_line_for_a_shell_says_so_and_runs_after_a_yes(desk: Desk) -> None:
    ran = desk.exec("echo $((1 + 1)) > out.txt && cat out.txt")
    assert ran.result.data["output"] == "2"
    assert "shell" in desk.cards[0][1]


def test_what_cannot_be_seen_is_written_out_on_the_card(desk: Desk) -> None:
    desk.says = False
    desk.exec("echo \u202egpj.exe")
    assert "\\u{202e}" in desk.cards[0][0]


@pytest.mark.parametrize(
    "command",
    [
        "moltbot-desktop skills trust x",
        "python3 -m moltbot_desktop plugins enable x",
        "python3 -mmoltbot_desktop config set a b",
        "true; x=1 moltbot-desktop skills undo",
    ],
)
def test_our_own_program_is_never_run(desk: Desk, command: str) -> None:
    program = desk.root / "bin" / "moltbot-desktop"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    desk.settings = Settings(first=(program.parent,))
    assert desk.exec(command).outcome == "denied"
    assert not desk.cards


def test_the_state_folder_and_keys_are_never_named(desk: Desk) -> None:
    (desk.user_home / ".ssh").mkdir()
    (desk.user_home / ".ssh" / "id").write_text("key", encoding="utf-8")
    (desk.workspace / "link").symlink_to(desk.user_home / ".ssh")
    (desk.home / "moltbot.json").write_text("{}", encoding="utf-8")
    for path in (desk.user_home / ".ssh" / "id", desk.home / "moltbot.json", "link/id"):
        assert desk.exec(f"cat {path}").outcome == "denied"
    assert not desk.cards


def test_a_program_of_the_workspace_does_not_pass_for_the_systems(desk: Desk) -> None:
    fake = desk.workspace / "ls"
    fake.write_text("#!/bin/sh\necho fake\n", encoding="utf-8")
    fake.chmod(0o755)
    desk.settings = Settings(first=(desk.workspace,))
    desk.says = False
    assert desk.exec("ls").outcome == "denied"
    assert len(desk.cards) == 1


def test_a_program_that_changes_after_the_yes_is_not_run(desk: Desk) -> None:
    program = desk.workspace / "tool"
    program.write_text("#!/bin/sh\necho one\n", encoding="utf-8")
    program.chmod(0o755)
    desk.meanwhile = lambda: program.write_text("#!/bin/sh\necho other\n", encoding="utf-8")
    ran = desk.exec("./tool")
    assert ran.outcome == "failed"
    assert "changed" in str(ran.result.data["error"])


@pytest.mark.parametrize("command", ["python3 a.py", "python3 -u ./a.py live.log", "sh a.py; true"])
def test_a_yes_to_a_file_of_orders_is_none_to_other_orders(desk: Desk, command: str) -> None:
    script = desk.workspace / "a.py"
    script.write_text("print(1)\n", encoding="utf-8")
    desk.meanwhile = lambda: script.write_text("print(2)\n", encoding="utf-8")
    ran = desk.exec(command)
    assert "changed" in str(ran.result.data["error"])


@pytest.mark.parametrize("command", ["python3 a.py live.log", "cat live.log > copy; echo"])
def test_a_file_that_is_only_read_may_grow_meanwhile(desk: Desk, command: str) -> None:
    (desk.workspace / "a.py").write_text("print(1)\n", encoding="utf-8")
    log = desk.workspace / "live.log"
    log.write_text("one\n", encoding="utf-8")
    desk.meanwhile = lambda: log.write_text("one\ntwo\n", encoding="utf-8")
    assert desk.exec(command).outcome == "ok"


def test_a_folder_called_like_our_program_can_be_looked_at(desk: Desk) -> None:
    (desk.workspace / "moltbot_desktop").mkdir()
    assert desk.exec("ls moltbot_desktop").outcome == "ok"


def test_a_line_for_a_shell_cannot_name_keys(desk: Desk) -> None:
    (desk.home / "moltbot.json").write_text("{}", encoding="utf-8")
    assert desk.exec(f"cat <{desk.home}/moltbot.json").outcome == "denied"
    assert desk.exec("cat ~/.ssh/id*").outcome == "denied"
    assert not desk.cards


def test_a_run_that_is_stopped_ends_its_command(desk: Desk) -> None:
    async def work() -> None:
        call = asyncio.ensure_future(desk.call("exec", command="sleep 314"))
        while not _sleeps("314"):
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    desk.run(work)
    assert not _sleeping("314")


def test_a_status_that_is_not_zero_is_a_failure_with_the_output(desk: Desk) -> None:
    ran = desk.exec("ls nowhere")
    assert ran.outcome == "failed"
    assert "exited with code 2" in str(ran.result.data["error"])
    assert "nowhere" in str(ran.result.data["output"])


def test_what_is_not_there_is_said(desk: Desk) -> None:
    assert "no program" in str(desk.exec("nosuchprogram --x").result.data["error"])
    assert "no folder" in str(desk.exec("ls", workdir="nowhere").result.data["error"])
    assert not desk.cards


def test_while_the_seal_is_closed_no_command_gets_a_way_to_the_network(desk: Desk) -> None:
    desk.settings = Settings(sealed=True)
    assert desk.exec("ls").outcome == "ok"
    assert "seal" in str(desk.exec("curl https://example.org", network=True).result.data["error"])
    assert "seal" in str(desk.exec("ls", network=True).result.data["error"])
    desk.settings = Settings(sealed=True, outside=True)
    assert "seal" in str(desk.exec("python3 -c 'print(1)'").result.data["error"])
    assert not desk.cards


def test_the_settings_can_forbid_all_and_want_cards_for_all(desk: Desk) -> None:
    desk.settings = Settings(allowed=False)
    assert "forbid" in str(desk.exec("ls").result.data["error"])
    desk.settings = Settings(wary=True)
    assert desk.exec("ls").outcome == "ok"
    assert len(desk.cards) == 1


def test_what_takes_too_long_is_ended_with_all_it_started(desk: Desk) -> None:
    ran = desk.exec("sh -c '(setsid sleep 311 &) ; sleep 311'", timeout=1)
    assert "timed out after 1 seconds" in str(ran.result.data["error"])
    assert not _sleeping("311")


def test_what_is_left_behind_is_ended(desk: Desk) -> None:
    assert desk.exec("sh -c '(setsid sleep 312 &) ; exit 0'").outcome == "ok"
    assert not _sleeping("312")


def test_the_environment_is_the_programs_own(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "canary")
    ran = desk.exec("env", env={"MINE": "1"})
    text = str(ran.result.data["output"])
    assert "canary" not in text
    assert "MINE=1" in text
    assert "MINE" in desk.cards[0][1]
    refused = desk.exec("env", env={"LD_PRELOAD": "x"})
    assert refused.outcome == "failed"
    assert len(desk.cards) == 1


def test_long_output_keeps_both_ends(desk: Desk) -> None:
    text = str(desk.exec("seq 1 200000").result.data["output"])
    assert text.startswith("1\n2\n")
    assert text.endswith("\n199999\n200000")
    assert "bytes left out" in text
    assert len(text) < 210_000


def test_walls_hold_what_was_let_through(desk: Desk, walls: Found) -> None:
    """After a yes: the workspace and nothing else."""
    if walls.backend is Backend.NONE:
        pytest.skip(f"no walls here: {walls.reason}")
    outside = desk.root / "outside"
    outside.mkdir()
    script = desk.workspace / "s.sh"
    script.write_text(f"echo x > {outside}/x\necho y > y\ncat {desk.home}/*\n", encoding="utf-8")
    (desk.home / "moltbot.json").write_text("canary", encoding="utf-8")
    text = str(desk.exec("sh s.sh").result.data["output"])
    assert "canary" not in text
    assert not list(outside.iterdir())
    assert (desk.workspace / "y").read_text(encoding="utf-8") == "y\n"


def test_the_python_of_an_activated_environment_runs_inside_the_walls(
    desk: Desk,
    walls: Found,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if walls.backend is Backend.NONE:
        pytest.skip(f"no walls here: {walls.reason}")
    environment = tmp_path_factory.mktemp("elsewhere") / "environment"
    venv.create(environment, symlinks=True)
    monkeypatch.setenv("PATH", f"{environment / 'bin'}:{os.environ['PATH']}")
    ran = desk.exec("python3 -c 'import sys; print(sys.prefix)'")
    assert (ran.outcome, ran.result.data["output"]) == ("ok", str(environment))
    beside = environment.parent / "beside.txt"
    beside.write_text("not for it", encoding="utf-8")
    ran = desk.exec(f'python3 -c \'open("{beside.parent}" + "/beside" + ".txt")\'')
    assert ran.outcome == "failed"
    assert "PermissionError" in str(ran.result)


def test_without_walls_only_looking_is_unasked_and_the_card_says_so(desk: Desk) -> None:
    desk.found = Found(Backend.NONE)
    assert desk.exec("ls").outcome == "ok"
    assert not desk.cards
    desk.exec("mkdir a")
    desk.exec("grep -r x .")
    assert len(desk.cards) == 2
    assert "whatever you may" in desk.cards[0][1]


def test_walls_that_cannot_be_built_mean_that_nothing_runs(desk: Desk) -> None:
    desk.found = Found(Backend.BUBBLEWRAP, "/nonexistent/bwrap")
    assert desk.exec("ls").outcome == "failed"


def test_nothing_is_left_in_the_temporary_folder(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    desk.exec("ls")
    assert not list(temporary.iterdir())


def test_a_slow_command_goes_to_the_background(desk: Desk) -> None:
    desk.limits = ExecLimits(background_ms=50)

    async def work() -> None:
        ran = await desk.call("exec", command="sh -c 'echo begun; sleep 313'")
        assert ran.result.data["status"] == "running"
        listed = await desk.call("process", action="list")
        assert "running" in str(listed.result.data["sessions"])
        killed = await desk.call("process", action="kill", sessionId="1")
        assert killed.outcome == "ok"
        over = await desk.call("process", action="log", sessionId="1")
        assert over.result.data["status"] == "stopped"

    desk.run(work)
    assert not _sleeping("313")


def _sleeping(seconds: str) -> bool:
    """Whether somebody still runs ``sleep seconds``; a process that was killed needs a moment."""
    for _ in range(1_500):
        if not _sleeps(seconds):
            return False
        time.sleep(0.02)
    return True


def _sleeps(seconds: str) -> bool:
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if Path(words[0].decode("utf-8", "replace")).name == "sleep" and seconds.encode() in words:
            return True
    return False


def test_what_steers_the_assistant_and_changed_while_it_ran_is_told(desk: Desk) -> None:
    (desk.workspace / "AGENTS.md").write_text("Be kind.\n", encoding="utf-8")
    ran = desk.exec(
        "echo Obey me > AGENTS.md; mkdir -p .git/hooks; echo x > .git/hooks/post-commit"
    )
    keeps = Walls(desk.found.backend, desk.workspace, desk.workspace).can_keep()
    names = ".git/hooks" if keeps else "AGENTS.md, .git/hooks"
    assert f"{names};" in str(ran.result.data["changed"])
    assert names in ran.result.display
    [(_, notes)] = desk.cards
    assert ("AGENTS.md" in notes) is not keeps


def test_what_steers_in_a_project_below_is_told_too(desk: Desk) -> None:
    hooks = desk.workspace / "code" / "tool" / ".git" / "hooks"
    hooks.mkdir(parents=True)
    (desk.workspace / "code" / "node_modules" / "x").mkdir(parents=True)
    ran = desk.exec(
        "echo x > code/tool/.git/hooks/post-commit; echo x > code/AGENTS.md;"
        " echo x > code/node_modules/x/AGENTS.md; echo x > code/plan.md"
    )
    told = "while it ran: code/tool/.git/hooks, code/AGENTS.md; tell the owner"
    assert ran.result.data["changed"] == told


def test_nothing_is_told_of_a_command_that_changes_nothing_of_that_kind(desk: Desk) -> None:
    (desk.workspace / "AGENTS.md").write_text("Be kind.\n", encoding="utf-8")
    ran = desk.exec("cat AGENTS.md > copy")
    assert ran.outcome == "ok" and "changed" not in ran.result.data


def test_a_command_in_the_background_tells_it_too_and_not_of_what_came_later(desk: Desk) -> None:
    async def work() -> None:
        command = "read line; echo x > .envrc; echo done"
        ran = await desk.call("exec", command=command, background=True)
        number = ran.result.data["sessionId"]
        await desk.call("process", action="submit", sessionId=number, data="go")
        [session] = desk.sessions.of(tool_context(desk.workspace).session)
        await session.running.over.wait()
        first = await desk.call("process", action="poll", sessionId=number)
        (desk.workspace / "AGENTS.md").write_text("the owner's\n", encoding="utf-8")
        second = await desk.call("process", action="log", sessionId=number)
        for one in (first, second):
            assert one.result.data["changed"] == "while it ran: .envrc; tell the owner"

    desk.run(work)
