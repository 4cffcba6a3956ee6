"""Which system packages are missing, and what a person is told about them."""

from __future__ import annotations

import re

import pytest

from devtools import environment
from devtools.places import PACKAGING, SetupError
from devtools.system import (
    Need,
    apt_command,
    by_hand,
    compiler_hint,
    known_libraries,
    missing_packages,
    needs_of,
    read_needs,
    system_probe,
)

LDCONFIG = """\
3 libs found in cache `/etc/ld.so.cache'
\tlibEGL.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libEGL.so.1
\tlibGL.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libGL.so.1
"""


def test_a_table_row_is_a_package_and_its_probe() -> None:
    text = "# heading\n\nlibegl1  lib:libEGL.so.1   # Qt\nxvfb cmd:Xvfb\n"
    assert read_needs(text) == (Need("libegl1", "lib:libEGL.so.1"), Need("xvfb", "cmd:Xvfb"))


@pytest.mark.parametrize("name", ["apt-run.txt", "apt-test.txt", "apt-package.txt"])
def test_every_row_of_the_tables_has_a_known_probe(name: str) -> None:
    needs = read_needs((PACKAGING / name).read_text())
    assert needs
    for need in needs:
        assert re.fullmatch(r"(lib|cmd|font):\S+|browser", need.probe), need
        assert re.fullmatch(r"[a-z0-9][a-z0-9.+-]+", need.package), need
    assert len({need.package for need in needs}) == len(needs)


def test_the_tests_need_more_than_the_program() -> None:
    run, test = needs_of("run", compiler=False), needs_of("test", compiler=False)
    assert set(run) < set(test)
    assert "xvfb" in {need.package for need in test}
    assert needs_of("run", compiler=True)[-1].package == "g++"


@pytest.mark.parametrize(
    ("system", "program", "there"),
    [("debian", None, False), ("debian", "/usr/bin/chromium", True), ("ubuntu", None, True)],
)
def test_a_browser_is_wanted_where_it_is_a_plain_package(
    monkeypatch: pytest.MonkeyPatch, system: str, program: str | None, there: bool
) -> None:
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: {"ID": system})
    monkeypatch.setattr("shutil.which", lambda _: program)
    assert system_probe()(Need("chromium", "browser")) is there


def test_libraries_are_read_from_the_linkers_cache() -> None:
    assert known_libraries(LDCONFIG) == {"libEGL.so.1", "libGL.so.1"}
    assert known_libraries("") == frozenset()


def test_only_what_is_missing_is_asked_for_each_once_in_order() -> None:
    needs = [Need("a", "x"), Need("b", "y"), Need("c", "z"), Need("b", "w")]
    assert missing_packages(needs, lambda need: need.package == "a") == ("b", "c")
    assert missing_packages(needs, lambda need: True) == ()


def test_an_unknown_probe_is_an_error_of_ours() -> None:
    with pytest.raises(ValueError, match="typo"):
        system_probe()(Need("typo", "librari:x"))


def test_a_person_gets_one_command_to_copy() -> None:
    text = by_hand(["libegl1", "xvfb"], apt=True)
    commands = [line for line in text.splitlines() if line.startswith("  ")]
    assert commands == [
        "  sudo apt-get update && sudo apt-get install -y --no-install-recommends libegl1 xvfb"
    ]


def test_without_apt_a_person_gets_the_names() -> None:
    assert by_hand(["libegl1", "xvfb"], apt=False).endswith("libegl1 xvfb")


def test_apt_asks_nothing() -> None:
    assert apt_command(["x"])[:3] == ("apt-get", "install", "-y")


@pytest.mark.parametrize(
    ("system", "words"),
    [("darwin", "xcode-select --install"), ("win32", "VCTools"), ("linux", "g")],
)
def test_every_system_has_its_own_way_to_a_compiler(system: str, words: str) -> None:
    assert words in compiler_hint(system)


def test_the_program_starts_without_window_libraries(capsys: pytest.CaptureFixture[str]) -> None:
    environment.tell_missing(["libegl1"], apt=True, stop=False)
    told = capsys.readouterr().err
    assert "sudo apt-get" in told
    assert "Going on" in told


def test_the_tests_do_not_start_without_their_tools() -> None:
    with pytest.raises(SetupError, match="run the same command again"):
        environment.tell_missing(["xvfb"], apt=True, stop=True)


class System:
    """A pretended Linux: what is there, and what apt can add to it."""

    def __init__(self, present: set[str], available: set[str]) -> None:
        self.present, self.available, self.installs = present, available, 0

    def probe(self) -> object:
        return lambda need: need.package in self.present

    def install(self, packages: tuple[str, ...]) -> None:
        self.installs += 1
        self.present |= self.available & set(packages)


@pytest.fixture
def pretend(monkeypatch: pytest.MonkeyPatch) -> object:
    def make(*, present: set[str], available: set[str], root: bool) -> System:
        system = System(present, available)
        monkeypatch.setattr(environment.sys, "platform", "linux")
        monkeypatch.setattr(environment.shutil, "which", lambda name: f"/usr/bin/{name}")
        monkeypatch.setattr(environment, "system_probe", system.probe)
        monkeypatch.setattr(environment, "install_system_packages", system.install)
        monkeypatch.setattr(environment, "is_root", lambda: root)
        needs = (Need("libegl1", "lib:x"), Need("trayer", "cmd:y"))
        monkeypatch.setattr(environment, "needs_of", lambda command, *, compiler: needs)
        return system

    return make


def test_root_gets_the_packages_installed(pretend) -> None:
    system = pretend(present=set(), available={"libegl1", "trayer"}, root=True)
    assert environment.ensure_system("test", frozenset(), compiler=False) == frozenset()
    assert system.installs == 1


def test_others_are_told_and_nothing_is_installed(pretend) -> None:
    system = pretend(present={"libegl1"}, available={"trayer"}, root=False)
    assert environment.ensure_system("run", frozenset(), compiler=False) == {"trayer"}
    assert system.installs == 0


def test_what_could_not_be_installed_is_neither_tried_nor_told_at_each_start(
    pretend, capsys: pytest.CaptureFixture[str]
) -> None:
    system = pretend(present={"libegl1"}, available=set(), root=True)
    hopeless = environment.ensure_system("run", frozenset(), compiler=False)
    assert "trayer" in capsys.readouterr().err
    assert environment.ensure_system("run", hopeless, compiler=False) == {"trayer"}
    assert system.installs == 1
    assert capsys.readouterr().err == ""
