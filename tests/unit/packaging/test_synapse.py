"""The environment of the tests' Matrix server: made once, whole or not used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devtools import synapse
from devtools.places import SetupError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Synapse does not run there")


class Steps:
    """What would have been run; `fails` is what pip then says."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self.fails = ""

    def run(self, title: str, _seconds: int, command: tuple[str | Path, ...]) -> None:
        self.titles.append(title)
        if "venv" in command:
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.touch()
        elif self.fails:
            raise SetupError(self.fails)


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Steps:
    steps = Steps()
    monkeypatch.setenv("MOLTBOT_BUILD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(synapse, "VENV", tmp_path / "venv")
    monkeypatch.setattr(synapse, "run_logged", steps.run)
    return steps


def test_it_is_made_once(steps: Steps, tmp_path: Path) -> None:
    synapse.ensure_synapse()
    synapse.ensure_synapse()
    assert len(steps.titles) == 2  # an environment, and what is in it
    found = synapse.synapse_python()
    assert found is not None and found.is_relative_to(tmp_path / "cache")


def test_other_pins_are_another_environment(
    steps: Steps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synapse.ensure_synapse()
    (tmp_path / "pins.txt").write_text("matrix-synapse==9\n")
    monkeypatch.setattr(synapse, "PINS", tmp_path / "pins.txt")
    assert synapse.synapse_python() is None


def test_half_of_one_is_not_used_and_made_anew(
    steps: Steps, capsys: pytest.CaptureFixture[str]
) -> None:
    steps.fails = "No network."
    synapse.ensure_synapse()
    told = capsys.readouterr().err
    assert "No network." in told and "skipped" in told
    assert synapse.synapse_python() is None
    steps.fails = ""
    synapse.ensure_synapse()
    assert synapse.synapse_python() is not None


def test_a_cache_that_cannot_be_written_leaves_it_in_the_environment(
    steps: Steps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cache").touch()  # a file where the folder should be
    synapse.ensure_synapse()
    found = synapse.synapse_python()
    assert found is not None and found.is_relative_to(tmp_path / "venv")
    assert "going on in .venv" in capsys.readouterr().err
