"""Windows' ways with programs and variables; the folders are of this computer, the rules theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.tools.exec.environment import refused_variables
from moltbot_desktop.tools.exec.system import System
from moltbot_desktop.tools.exec.windows_system import windows


def put(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("", encoding="utf-8")
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path / "Windows" / "System32", "findstr.exe", "where.exe")
    return tmp_path


def system_of(root: Path, *path: object) -> System:
    return windows({"SystemRoot": str(root / "Windows"), "Path": ";".join(map(str, path))})


def test_programs_are_found_by_whole_folders_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, here = put(root / "tools", "git.exe"), put(root / "work", "git.exe", "evil.exe")
    system = system_of(root, "", ".", "tools", r"\\server\share", f'"{tools}"')
    monkeypatch.chdir(here)
    assert system.find("git", here, ()) == tools / "git.exe"
    assert system.find("evil", here, ()) is None
    assert system.find("where", here, ()) == root / "Windows" / "System32" / "where.exe"


def test_no_other_computer_is_asked_for_a_program(root: Path) -> None:
    system = system_of(root, "//server/share", r"\\server\share")
    assert "server" not in system.environment(())["PATH"]


def test_a_folder_of_the_settings_comes_first(root: Path) -> None:
    tools, first = put(root / "tools", "git.exe"), put(root / "first", "git.exe")
    assert system_of(root, tools).find("git", root, (first,)) == first / "git.exe"


def test_endings_in_their_order_and_no_others(root: Path) -> None:
    """https://learn.microsoft.com/windows-server/administration/windows-commands/path"""
    tools = put(root / "tools", "a.cmd", "a.exe", "b.cmd", "b.vbs", "c.vbs", "d.ps1", "e")
    system = system_of(root, tools)
    found = {name: system.find(name, root, ()) for name in ("a", "b", "c", "d", "e", "a.exe")}
    names = {name: path and path.name for name, path in found.items()}
    assert names == {"a": "a.exe", "b": "b.cmd", "c": None, "d": None, "e": None, "a.exe": "a.exe"}


def test_a_name_with_a_folder_is_seen_from_where_it_works(root: Path) -> None:
    put(root / "work" / "bin", "x.exe")
    system = system_of(root)
    assert system.find(r"bin\x", root / "work", ()) == root / "work" / "bin" / "x.exe"
    assert system.find(r"bin\gone", root / "work", ()) is None
    assert system.find("bin/", root / "work", ()) is None


def test_batch_files_are_for_a_shell(root: Path) -> None:
    system = system_of(root)
    assert system.for_a_shell(Path("C:/x/npm.CMD"))
    assert system.for_a_shell(Path("C:/x/a.bat"))
    assert not system.for_a_shell(Path("C:/x/git.exe"))


def test_the_systems_programs_lie_in_one_folder(root: Path) -> None:
    inside = put(root / "Windows" / "System32" / "spool", "x.exe")
    system = system_of(root)
    assert system.is_systems((root / "Windows" / "System32" / "where.exe").resolve())
    assert not system.is_systems((inside / "x.exe").resolve())
    assert not system.is_systems(put(root / "tools", "where.exe") / "where.exe")


def test_a_line_for_a_shell_is_one_word_of_powershell(root: Path) -> None:
    assert system_of(root).shell("dir") is None
    place = root / "Windows" / "System32" / "WindowsPowerShell" / "v1.0"
    put(place, "powershell.exe")
    words = system_of(root).shell('dir "a b"; $x')
    assert words is not None
    assert words[0] == str(place / "powershell.exe")
    assert words[-2:] == ("-Command", 'dir "a b"; $x')
    assert "-NoProfile" in words


def test_programs_get_few_variables_and_no_keys() -> None:
    system = windows(
        {
            "SystemRoot": "C:\\Windows",
            "OPENAI_API_KEY": "x",
            "Path": "",
            "UserName": "ann",
            "TEMP": "t",
        }
    )
    found = system.environment(())
    assert found["SYSTEMROOT"] == "C:\\Windows"
    assert found["USERNAME"] == "ann"
    assert found["NODEFAULTCURRENTDIRECTORYINEXEPATH"] == found["PYTHONUTF8"] == "1"
    assert not {"OPENAI_API_KEY", "TEMP", "Path"} & set(found)
    assert system.homes("h", "s") == {"USERPROFILE": "h", "HOME": "h", "TEMP": "s", "TMP": "s"}


@pytest.mark.parametrize("name", ["PathExt", "ComSpec", "SystemRoot", "PSModulePath", "AppData"])
def test_variables_that_would_make_another_program_run_are_refused(name: str) -> None:
    assert refused_variables([(name, "x")]) == (name,)


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("a.txt", "a.txt"),
        (r"C:\x", r"C:\x"),
        ("a b", '"a b"'),
        ("", '""'),
        ('a"b', "'a\"b'"),
        (";", '";"'),
    ],
)
def test_words_are_shown_as_they_could_be_written(word: str, shown: str) -> None:
    system = windows({})
    assert system.shown(word) == shown
    read = system.dialect.read(f"x {shown}")
    assert getattr(read, "commands", None) == (("x", word),)
