"""`doctor` of the real program finds nothing to do in the home that the real program makes."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.program import Program

OF_THE_MACHINE = {"process.root", "sandbox.none"}
"""Whoever runs the tests may be the superuser, in a container without walls."""


def test_a_home_that_was_just_made_needs_nothing(tmp_path: Path) -> None:
    program = Program(tmp_path / "home")
    assert program.run("ask", "2+2").returncode == 0
    done = program.run("doctor", "--json")
    serious = [one for one in json.loads(done.stdout)["findings"] if one["severity"] != "info"]
    assert {one["id"] for one in serious} <= OF_THE_MACHINE
    assert done.returncode == (1 if serious else 0)
    assert program.home.stat().st_mode & 0o777 == 0o700
