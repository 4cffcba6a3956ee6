"""From a sentence in a chat to a line in MEMORY.md and back, with the real program."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.program import Program


def test_a_fact_beside_a_question_waits_is_kept_found_and_taken_back(tmp_path: Path) -> None:
    program = Program(tmp_path / "home")
    program.chat("By the way, I'm allergic to peanuts. What is 6 times 7?")
    found = json.loads(program.run("memory", "inbox", "--json").stdout)
    assert [one["text"] for one in found["proposals"]] == ["Allergic to peanuts"]
    assert not (program.home / "workspace" / "MEMORY.md").exists()

    kept = program.run("memory", "accept", "1")
    assert kept.stdout == "Kept in MEMORY.md: “Allergic to peanuts”.\n"
    search = json.loads(program.run("memory", "search", "--json", "what am I allergic to").stdout)
    assert search["results"][0]["snippet"] == "Allergic to peanuts"

    assert program.run("memory", "undo").returncode == 0
    assert not (program.home / "workspace" / "MEMORY.md").exists()
    again = program.run("memory", "accept", "9")
    assert again.returncode == 2
    assert "Nothing waits under the number 9" in again.stderr
