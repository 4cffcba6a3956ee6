"""How a process of ours is started: from a checkout, and in a frozen build."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from moltbot_desktop.models.worker.command import (
    CHILD_OPTION,
    ChildRole,
    child_environment,
    own_command,
)


@pytest.mark.parametrize("role", ChildRole)
def test_from_a_checkout_a_role_is_a_module_that_exists(role: ChildRole, tmp_path: Path) -> None:
    executable, option, module = own_command(role)
    assert (executable, option) == (sys.executable, "-m")
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
    found = subprocess.run(
        [executable, "-c", code, module], cwd=tmp_path, env=child_environment(), check=False
    )
    assert found.returncode == 0, f"{module} is not found from another working directory"


@pytest.mark.parametrize("role", ChildRole)
def test_a_frozen_build_starts_itself_with_the_hidden_option(
    role: ChildRole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert own_command(role) == (sys.executable, CHILD_OPTION, role.value)


def test_a_search_path_of_the_person_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/own/place")
    first, *rest = child_environment()["PYTHONPATH"].split(os.pathsep)
    assert (Path(first) / "moltbot_desktop").is_dir() and rest == ["/own/place"]
