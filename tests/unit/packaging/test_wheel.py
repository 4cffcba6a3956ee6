"""A wheel has resources and skills inside, its RECORD names them, and the program finds them."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from build_backend.moltbot_build import PROGRAM, add_files, program_files
from devtools.places import ROOT
from moltbot_desktop.app.paths import BUNDLED_PLUGINS, PACKAGE, own_python, program_folder

DATE = (2026, 1, 2, 3, 4, 6)


def make_wheel(path: Path) -> Path:
    """As flit leaves one: RECORD last, and itself the last row."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(zipfile.ZipInfo("moltbot_desktop/__init__.py", DATE), "x = 1\n")
        rows = "moltbot_desktop/__init__.py,sha256=abc,6\nmoltbot-1.dist-info/RECORD,,\n"
        file.writestr(zipfile.ZipInfo("moltbot-1.dist-info/RECORD", DATE), rows)
    return path


def make_checkout(folder: Path) -> Path:
    for name in ("resources/icons/a.svg", "resources/screenshots/big.png", "skills/todo/SKILL.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "skills/todo/__pycache__").mkdir()
    (folder / "skills/todo/__pycache__/a.pyc").write_text("")
    (folder / "resources/.hidden").write_text("")
    return folder


def test_what_goes_in_is_without_screenshots_caches_and_hidden_files(tmp_path: Path) -> None:
    names = list(program_files(make_checkout(tmp_path)))
    assert names == [f"{PROGRAM}/resources/icons/a.svg", f"{PROGRAM}/skills/todo/SKILL.md"]


def test_record_names_every_file_with_its_hash(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "a.whl")
    add_files(wheel, program_files(make_checkout(tmp_path / "checkout")))
    with zipfile.ZipFile(wheel) as file:
        assert file.testzip() is None
        record = next(name for name in file.namelist() if name.endswith("RECORD"))
        rows = list(csv.reader(io.StringIO(file.read(record).decode())))
        assert sorted(row[0] for row in rows) == sorted(file.namelist())
        assert rows[-1] == [record, "", ""]
        for name, said, size in rows[1:-1]:
            data = file.read(name)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            assert (said, int(size)) == (f"sha256={digest}", len(data))
        assert {entry.date_time for entry in file.infolist()} == {DATE}
    assert [one.name for one in tmp_path.glob("*.draft")] == []


def test_a_build_that_fails_leaves_the_wheel_as_it_was(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "a.whl")
    before = wheel.read_bytes()
    with pytest.raises(FileNotFoundError):
        add_files(wheel, {"a": tmp_path / "not-there"})
    assert wheel.read_bytes() == before


def test_all_that_git_has_of_resources_and_skills_goes_in() -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not here")
    listed = subprocess.run(
        ["git", "ls-files", "resources", "skills"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode or not listed.stdout:
        pytest.skip("no git checkout")
    there = {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}
    inside = {name.removeprefix(f"{PROGRAM}/") for name in program_files(ROOT)}
    assert there - inside == {one for one in there if one.startswith("resources/screenshots/")}


def test_in_a_checkout_they_lie_beside_the_package(tmp_path: Path) -> None:
    package = tmp_path / "moltbot_desktop"
    package.mkdir()
    assert program_folder(package) == tmp_path
    assert (program_folder(PACKAGE) / "resources" / "icons" / "moltbot.svg").is_file()
    assert (BUNDLED_PLUGINS / "weather" / "plugin.py").is_file()


def test_where_a_wheel_was_installed_they_lie_inside(tmp_path: Path) -> None:
    package = tmp_path / "moltbot_desktop"
    (package / "program").mkdir(parents=True)
    assert program_folder(package) == package / "program"
    assert PROGRAM == "moltbot_desktop/program"


def test_a_frozen_build_names_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_python()
    monkeypatch.setattr("sys.frozen", True, raising=False)
    assert own_python() == ""
