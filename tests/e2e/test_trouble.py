"""Bad input, bad files, no disk, sudden death: a clear word each, nothing lost."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from moltbot_desktop.models.worker.command import CHILD_OPTION, ChildRole
from tests.data.make_gguf import write_chat_model
from tests.e2e.program import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.name == "nt" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("name", ["empty", "text", "truncated", "lying", "folder", "missing"])
def test_a_model_file_that_cannot_be_used_is_one_line_and_exit_2(
    program: Program, tmp_path: Path, name: str
) -> None:
    path = tmp_path / f"{name}.gguf"
    good = tmp_path / "good.gguf"
    write_chat_model(good)
    data = good.read_bytes()
    match name:
        case "empty":
            path.write_bytes(b"")
        case "text":
            path.write_text("<html>not found</html>", encoding="utf-8")
        case "truncated":
            path.write_bytes(data[: len(data) // 2])
        case "lying":
            path.write_bytes(data[:8] + b"\xff" * 8 + data[16:])
        case "folder":
            path.mkdir()
    done = program.run("ask", "--model", str(path), "hello")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("moltbot-desktop: ")


def test_a_users_own_model_answers(program: Program, tmp_path: Path) -> None:
    good = tmp_path / "good.gguf"
    write_chat_model(good)
    done = program.run("ask", "--json", "--model", str(good), "hello")
    answer = json.loads(done.stdout)
    assert answer["tokens"]["completion"] > 0, done.stderr


def test_killed_in_the_middle_of_an_answer(program: Program, tmp_path: Path) -> None:
    model = tmp_path / "slow.gguf"
    write_chat_model(model)
    with program.started(["chat", "--resume", "--model", str(model)]) as process:
        assert process.stdin is not None
        process.stdin.write("tell me a very long story\n")
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not any("very long story" in p.read_text("utf-8") for p in program.transcripts()):
            assert time.monotonic() < deadline, "the message never reached the disk"
            time.sleep(0.005)
        process.kill()
        process.wait()
    program.run("chat", "--resume", lines="What is 2+2?\n")
    (transcript,) = program.transcripts()
    entries = [json.loads(line) for line in transcript.read_text("utf-8").splitlines()]
    assert "very long story" in json.dumps(entries[1])
    outcomes = [e for e in entries if "outcome" in str(e.get("customType", e.get("type")))]
    assert "cancelled" in json.dumps(outcomes[0])
    answers = [e for e in entries if e.get("message", {}).get("role") == "assistant"]
    assert all("4" in json.dumps(a) or "calc" in json.dumps(a) for a in answers), answers


def test_an_unreadable_config_falls_back_and_says_where(program: Program) -> None:
    program.home.mkdir()
    (program.home / "moltbot.json").write_text("{ models: { chat: ", encoding="utf-8")
    done = program.run("chat", lines="What is 6*7?\n")
    assert "42" in done.stdout
    assert "moltbot.json" in done.stderr


def test_a_broken_skill_is_named_and_the_rest_goes_on(program: Program) -> None:
    folder = program.home / "workspace" / "skills" / "broken"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: [unclosed\n---\nhi\n", encoding="utf-8")
    done = program.run("chat", lines="What is 6*7?\n")
    assert "42" in done.stdout
    assert "SKILL.md" in done.stderr
    listed = program.run("skills", "list")
    assert "✗ broken" in listed.stdout
    assert listed.stdout.count("✓") >= 3


def test_ten_megabytes_and_a_nul_are_refused_and_the_next_line_works(program: Program) -> None:
    lines = b"x" * 10_000_000 + b"\n" + b"a\0b\n" + b"What is 6*7?\n"
    done = program.run("chat", "--json", lines=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["outcome"] for answer in answers] == ["failed", "failed", "answered"]
    assert "at most" in answers[0]["text"]
    assert "NUL" in answers[1]["text"]


def test_a_home_that_cannot_be_written_is_said_plainly(program: Program) -> None:
    with mounted(program.home, "ro,size=1m"):
        done = program.run("chat", lines="hello\n")
    assert done.returncode == 2
    assert str(program.home) in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_full_disk_is_said_and_what_was_kept_stays(program: Program) -> None:
    with mounted(program.home, "size=8m"):
        program.chat("Remember that the blue box is empty")
        filler = program.home / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        done = program.run("chat", lines="Remember that the red box is full\n")
        assert "disk" in (done.stdout + done.stderr).lower()
        assert "Traceback" not in done.stderr
        filler.unlink()
        (answer,) = program.chat("Where is the blue box?")
        assert "the blue box is empty" in program.daily_notes()
        assert answer["outcome"] in ("answered", "needs_you")


def test_a_frozen_programs_entry_serves_its_own_children(program: Program, tmp_path: Path) -> None:
    """As `own_command` starts it where there is no interpreter to give a module to."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    done = program.run(CHILD_OPTION, ChildRole.PROBE, str(broken))
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["reason"]


def test_memory_doctor_finds_a_damaged_index_and_mends_it(program: Program) -> None:
    notes = program.home / "workspace" / "MEMORY.md"
    notes.parent.mkdir(parents=True)
    notes.write_text("My dentist is Dr. Okafor\n", encoding="utf-8")
    program.run("memory", "index")
    (index,) = (program.home / "memory" / "main").glob("index-*.sqlite")
    index.write_bytes(index.read_bytes().replace(b"Okafor", b"Okapor"))
    found = program.run("memory", "doctor")
    assert found.returncode == 1
    assert "problem  The search index is damaged. --fix makes it anew" in found.stdout
    mended = program.run("memory", "doctor", "--fix", "--json")
    assert mended.returncode == 0
    assert [one["code"] for one in json.loads(mended.stdout)["done"]] == ["set_aside", "up_to_date"]
    assert notes.read_text(encoding="utf-8") == "My dentist is Dr. Okafor\n"
    assert "Okafor" in program.run("memory", "search", "dentist").stdout


def test_what_is_wrong_with_the_settings_is_told_in_their_language(program: Program) -> None:
    program.home.mkdir(parents=True)
    settings = {"agents": {"defaults": {"language": "zh"}}, "odd": 1}
    (program.home / "moltbot.json").write_text(json.dumps(settings))
    told = program.run("chat", lines="/help\n")
    assert "没有这个设置" in told.stdout + told.stderr
    assert "no such setting" not in told.stdout + told.stderr
