"""The environment is made once, left alone when right, and made anew when half made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devtools import environment
from devtools.places import PACKAGING
from devtools.stamp import Stamp, read_stamp, write_stamp

RUN, TEST, CHECK = ("+".join(sorted(environment.EXTRAS[name])) for name in ("run", "test", "check"))


class Site:
    """A pretended checkout: the slow parts write down that they were called."""

    def __init__(self, venv: Path) -> None:
        self.venv = venv
        self.did: list[str] = []
        self.sound = False
        self.fails_at = ""
        self.golden = 0

    def step(self, name: str) -> None:
        self.did.append(name)
        if name == self.fails_at:
            raise KeyboardInterrupt

    def make_venv(self) -> None:
        self.step("venv")
        python = environment.venv_program("python")
        python.parent.mkdir(parents=True)
        python.touch()
        self.sound = True

    def ensure_llama(self, *, golden: bool) -> None:
        self.step("llama with golden files" if golden else "llama")

    def ensure_golden(self) -> None:
        self.golden += 1

    def is_sound(self) -> bool:
        return self.sound and not environment.MARKER.exists()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    site = Site(tmp_path / ".venv")
    monkeypatch.setattr(environment, "VENV", site.venv)
    monkeypatch.setattr(environment, "STAMP", site.venv / "stamp.json")
    monkeypatch.setattr(environment, "MARKER", site.venv / "marker")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "venv_program", lambda name: site.venv / "bin" / name)
    monkeypatch.setattr(environment, "fingerprint", lambda: "f")
    monkeypatch.setattr(environment, "venv_is_sound", site.is_sound)
    monkeypatch.setattr(environment, "make_venv", site.make_venv)
    monkeypatch.setattr(environment, "must_compile", lambda: False)
    monkeypatch.setattr(environment, "ensure_llama", site.ensure_llama)
    monkeypatch.setattr(environment, "ensure_golden", site.ensure_golden)
    monkeypatch.setattr(environment, "ensure_minilm", lambda: None)
    monkeypatch.setattr(environment, "ensure_synapse", lambda: None)
    monkeypatch.setattr(
        environment, "install_packages", lambda extras: site.step("+".join(sorted(extras)))
    )
    nothing_missing = lambda *arguments, **options: frozenset()  # noqa: E731
    monkeypatch.setattr(environment, "ensure_system", nothing_missing)
    return site


def test_the_first_set_up_makes_everything(site: Site) -> None:
    environment.ensure_setup("run")
    assert site.did == ["venv", "llama", RUN]
    assert read_stamp(environment.STAMP) == Stamp("f", environment.EXTRAS["run"])
    assert not environment.MARKER.exists()


def test_the_second_installs_nothing(site: Site) -> None:
    environment.ensure_setup("test")
    site.did.clear()
    environment.ensure_setup("test")
    environment.ensure_setup("run")
    assert site.did == []


def test_tests_add_to_what_run_made_and_run_keeps_it(site: Site) -> None:
    environment.ensure_setup("run")
    environment.ensure_setup("test")
    assert site.did == ["venv", "llama", RUN, "llama with golden files", TEST]
    site.did.clear()
    environment.ensure_setup("run")
    assert site.did == []


def test_a_changed_project_installs_again_without_dropping_extras(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.ensure_setup("check")
    site.did.clear()
    monkeypatch.setattr(environment, "fingerprint", lambda: "g")
    environment.ensure_setup("run")
    assert site.did == ["llama", CHECK]


def test_each_command_has_what_the_one_before_it_has() -> None:
    run, test, check, bench = (
        environment.EXTRAS[name] for name in ("run", "test", "check", "bench")
    )
    assert run < test < check
    assert test <= bench


@pytest.mark.parametrize(("command", "times"), [("run", 0), ("test", 1), ("check", 1)])
def test_what_tests_read_is_looked_for_each_time_and_for_tests_alone(
    site: Site, command: str, times: int
) -> None:
    """Each time: the environment, or the wheel in the cache, may be older than the wish."""
    environment.ensure_setup(command)
    assert site.golden == times
    environment.ensure_setup(command)
    assert site.golden == 2 * times


@pytest.mark.parametrize("moment", ["venv", "llama", RUN])
def test_one_that_was_killed_in_the_middle_is_made_anew(site: Site, moment: str) -> None:
    site.fails_at = moment
    with pytest.raises(KeyboardInterrupt):
        environment.ensure_setup("run")
    (site.venv / "half-written").touch()
    assert not environment.is_ready("run", "f")
    site.fails_at = ""
    site.did.clear()
    environment.ensure_setup("run")
    assert site.did == ["venv", "llama", RUN]
    assert not (site.venv / "half-written").exists()
    assert environment.is_ready("run", "f")


def test_a_stamp_without_its_environment_is_not_trusted(site: Site) -> None:
    environment.ensure_setup("run")
    environment.venv_program("python").unlink()
    assert not environment.is_ready("run", "f")


def test_a_package_that_appeared_since_is_noted(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.ensure_setup("run")
    write_stamp(environment.STAMP, Stamp("f", environment.EXTRAS["run"], frozenset({"xvfb"})))
    environment.ensure_setup("run")
    assert read_stamp(environment.STAMP).missing == frozenset()


HOLDER = """
import sys
sys.path.insert(0, {packaging!r})
from pathlib import Path
from devtools import environment
environment.ROOT = Path({root!r})
with environment.setup_lock():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="reads the message of the POSIX lock")
def test_two_set_ups_wait_for_each_other(site: Site) -> None:
    code = HOLDER.format(packaging=str(PACKAGING), root=str(environment.ROOT))
    start = [sys.executable, "-c", code]
    pipe = subprocess.PIPE
    with subprocess.Popen(start, stdin=pipe, stdout=pipe, text=True) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with subprocess.Popen(start, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as second:
            assert second.stderr is not None
            assert "waiting" in second.stderr.readline()
            first.stdin.close()
            assert second.communicate(timeout=30)[0] == "held\n"


def test_an_environment_of_another_checkout_is_not_used(site: Site, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "kept").touch()
    site.venv.symlink_to(other)
    with pytest.raises(environment.SetupError, match="Remove the link"):
        environment.ensure_setup("run")
    assert site.did == []
    assert [path.name for path in other.iterdir()] == ["kept"]
