"""What a frozen build and a .deb are made of: nothing of ours is missing."""

from __future__ import annotations

import hashlib
import plistlib
import shutil
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from devtools import deb, package, shipping
from devtools.places import PACKAGING, ROOT, SetupError
from devtools.system import needs_of
from pyinstaller import collected

PACKAGE = ROOT / "moltbot_desktop"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LINUX = PACKAGING / "linux"
ENTRY = LINUX / "moltbot-desktop.desktop"

HEADERS = """\
/a/moltbot-desktop:     file format elf64-x86-64

Dynamic Section:
  NEEDED               libdl.so.2
  NEEDED               libc.so.6
  RUNPATH              $ORIGIN

Version References:
  required from libc.so.6:
    0x09691a75 0x00 04 GLIBC_2.2.5
    0x069691b4 0x00 02 GLIBC_2.34
    0x06969189 0x00 03 GLIBC_2.9
"""


# --- the frozen folder


def test_every_plugin_is_frozen_as_modules_and_as_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collected, "_of_others", list)
    modules = collected.own_modules(PACKAGE)
    assert (str(PACKAGE / "extensions"), "moltbot_desktop/extensions") in collected.datas(PACKAGE)
    plugins = [one.parent.name for one in (PACKAGE / "extensions").glob("*/moltbot.plugin.json")]
    assert len(plugins) >= 15
    for name in plugins:
        assert f"moltbot_desktop.extensions.{name}.plugin" in modules


def test_every_module_of_ours_is_named_once_and_can_be_found() -> None:
    modules = collected.own_modules(PACKAGE)
    assert len(set(modules)) == len(modules)
    assert {"moltbot_desktop", "moltbot_desktop.app.main", "moltbot_desktop.__main__"} <= {*modules}
    for name in modules:
        path = ROOT / name.replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_children_that_a_frozen_program_starts_again_as_are_in_it() -> None:
    modules = {*collected.own_modules(PACKAGE)}
    for name in (
        "models.worker.child",
        "models.probe",
        "security.sandbox.launcher",
        "security.sandbox.attempts",
        "tools.documents.child",
    ):
        assert f"moltbot_desktop.{name}" in modules


def test_a_plugin_of_ones_own_finds_the_standard_library() -> None:
    names = {*collected.standard_modules()}
    assert {"sqlite3", "xml", "email", "zoneinfo", "wave", "csv"} <= names
    assert not names & {*collected.EXCLUDED}


def test_what_is_left_out_for_its_size_or_its_licence_is_not_asked_for_by_name() -> None:
    hidden = {one.partition(".")[0] for one in collected.hidden(PACKAGE)}
    assert not hidden & {*collected.EXCLUDED}
    assert {"mouseinfo", "pymsgbox", "readline"} <= {*collected.EXCLUDED}


def test_libraries_that_are_loaded_by_their_path_are_in_it() -> None:
    places = {(Path(source).name, inside) for source, inside in collected.libraries()}
    assert ("sqlite_vec", "vec0") in {(inside, name.partition(".")[0]) for name, inside in places}
    assert any(
        name.startswith("libllama.") and inside == "llama_cpp/lib" for name, inside in places
    )


def test_gtk_and_screens_without_a_desktop_are_left_out() -> None:
    assert not collected.wanted("PySide6/Qt/plugins/platformthemes/libqgtk3.so")
    assert collected.wanted("PySide6/Qt/plugins/platforms/libqxcb.so")
    assert collected.wanted("PySide6/Qt/plugins/platforms/libqwayland.so")


def test_every_extra_is_shipped_or_there_is_a_reason() -> None:
    assert set(PROJECT["optional-dependencies"]) == shipping.SHIPPED | set(shipping.NOT_SHIPPED)
    assert not shipping.SHIPPED & set(shipping.NOT_SHIPPED)
    assert all(len(reason) > 5 for reason in shipping.NOT_SHIPPED.values())


def test_each_tool_of_the_build_is_pinned() -> None:
    rows = [line for line in shipping.PINS.read_text().splitlines() if not line.startswith("#")]
    assert "pyinstaller" in {row.partition("==")[0] for row in rows}
    assert all("==" in row for row in rows)


def test_the_environment_of_children_is_as_it_was_before_the_bootloader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = (PACKAGING / "pyinstaller" / "clean_environment.py").read_text()
    cases: list[tuple[Mapping[str, str], Mapping[str, str]]] = [
        ({"LD_LIBRARY_PATH": "/b", "LD_LIBRARY_PATH_ORIG": "/own"}, {"LD_LIBRARY_PATH": "/own"}),
        ({"LD_LIBRARY_PATH": "/b"}, {}),
        ({"PATH": "/bin"}, {"PATH": "/bin"}),
    ]
    for before, after in cases:
        environment = dict(before)
        monkeypatch.setattr("os.environ", environment)
        exec(compile(code, "clean_environment.py", "exec"), {})
        assert environment == after


# --- the .deb


def test_what_it_needs_is_read_out_of_its_programs() -> None:
    assert deb.needed_libraries(HEADERS) == {"libdl.so.2", "libc.so.6"}
    assert deb.newest_glibc(HEADERS) == "2.34"
    assert deb.newest_glibc("") == ""


def made_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "folder"
    (folder / "_internal").mkdir(parents=True)
    (folder / "moltbot-desktop").write_bytes(b"\x7fELF program")
    (folder / "_internal" / "libown.so.1").write_bytes(b"\x7fELF library")
    (folder / "_internal" / "text.txt").write_text("no program")
    (folder / "_internal" / "text.txt").chmod(0o777)
    icons = tmp_path / "icons"
    icons.mkdir()
    (icons / "48.png").write_bytes(b"png")
    (tmp_path / "LICENCES.txt").write_text("MIT")
    monkeypatch.setattr(shipping, "ICONS", icons)
    monkeypatch.setattr(shipping, "LICENCES", tmp_path / "LICENCES.txt")
    return folder


def test_it_depends_on_what_is_not_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made_folder(tmp_path, monkeypatch)
    said = f"{HEADERS}\n  NEEDED               libown.so.1\n"
    owners = {"libc.so.6": "libc6", "libdl.so.2": "libc6"}
    asked: list[str] = []

    def run(command: list[object], **_: object) -> SimpleNamespace:
        asked.extend(map(str, command))
        return SimpleNamespace(stdout=said)

    monkeypatch.setattr("subprocess.run", run)
    monkeypatch.setattr(deb, "debian_package", lambda name: owners.get(name, ""))
    assert deb.dependencies(folder) == ["fontconfig", "libc6 (>= 2.34)"]
    assert [Path(one).name for one in asked[2:]] == ["libown.so.1", "moltbot-desktop"]
    del owners["libdl.so.2"]
    with pytest.raises(SetupError, match=r"libdl\.so\.2"):
        deb.dependencies(folder)


def test_its_files_lie_where_debian_wants_them_with_the_modes_it_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    deb.lay_out(made_folder(tmp_path, monkeypatch), tree)
    link = tree / "usr/bin/moltbot-desktop"
    assert link.is_symlink() and link.resolve().read_bytes().startswith(b"\x7fELF")
    share = tree / "usr/share"
    for name in (
        "applications/moltbot-desktop.desktop",
        f"metainfo/{deb.METAINFO}",
        "icons/hicolor/48x48/apps/moltbot-desktop.png",
        "icons/hicolor/scalable/apps/moltbot-desktop.svg",
        "doc/moltbot-desktop/copyright",
        "doc/moltbot-desktop/changelog.gz",
    ):
        assert (share / name).stat().st_mode & 0o777 == 0o644, name
    assert link.resolve().stat().st_mode & 0o777 == 0o755
    inside = tree / "usr/lib/moltbot-desktop/_internal"
    assert inside.stat().st_mode & 0o777 == 0o755
    assert (inside / "text.txt").stat().st_mode & 0o777 == 0o644


def test_the_control_file_is_filled_in_or_refused() -> None:
    fields = {"VERSION": "1.2", "ARCHITECTURE": "amd64", "DEPENDS": "libc6", "SIZE": "7"}
    fields["MAINTAINER"] = deb.maintainer({})
    text = deb.control(fields)
    lines = text.splitlines()
    assert lines[0] == "Package: moltbot-desktop" and "Version: 1.2" in lines
    assert "Depends: libc6" in lines and "Installed-Size: 7" in lines and "#" not in text
    del fields["SIZE"]
    with pytest.raises(SetupError):
        deb.control(fields)


def test_whoever_builds_it_may_be_its_maintainer() -> None:
    said = {"DEBFULLNAME": "Ada Byron", "DEBEMAIL": "ada@debian.example"}
    assert deb.maintainer(said) == "Ada Byron <ada@debian.example>"
    assert deb.maintainer({"DEBFULLNAME": "Ada Byron"}) == deb.maintainer({}) == deb.MAINTAINER
    assert deb.MAINTAINER.endswith(".invalid>")  # nobody's mail box


def test_its_sums_are_those_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "usr/lib").mkdir(parents=True)
    (tmp_path / "usr/lib/a b").write_bytes(b"content")
    (tmp_path / "usr/lib/link").symlink_to("a b")
    digest = hashlib.md5(b"content", usedforsecurity=False).hexdigest()
    assert deb.md5sums(tmp_path) == f"{digest}  usr/lib/a b\n"
    assert deb.installed_kilobytes(tmp_path) == 1


# --- menus and software centres


def test_the_menu_entry_starts_the_program_by_the_name_that_the_window_has() -> None:
    lines = ENTRY.read_text(encoding="utf-8").splitlines()
    assert "Exec=moltbot-desktop" in lines and "Icon=moltbot-desktop" in lines
    window = (PACKAGE / "ui" / "entrance.py").read_text(encoding="utf-8")
    assert f'setDesktopFileName("{ENTRY.stem}")' in window
    for key in ("Name", "GenericName", "Comment", "Keywords"):
        assert any(line.startswith(f"{key}[zh_CN]=") for line in lines), key


def test_the_menu_entry_is_valid() -> None:
    checker = shutil.which("desktop-file-validate")
    if checker is None:
        pytest.skip("desktop-file-validate is not here")
    done = subprocess.run([checker, ENTRY], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_metainfo_is_valid() -> None:
    checker = shutil.which("appstreamcli")
    if checker is None:
        pytest.skip("appstreamcli is not here")
    command = [checker, "validate", "--no-net", "--no-color", LINUX / deb.METAINFO]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_program_has_one_id_wherever_a_system_wants_one() -> None:
    top = ElementTree.parse(LINUX / deb.METAINFO).getroot()
    info = plistlib.loads((PACKAGING / "macos" / "Info.plist").read_bytes())
    autostart = (PACKAGE / "app" / "autostart.py").read_text(encoding="utf-8")
    assert top.findtext("id") == info["CFBundleIdentifier"] == deb.APP_ID
    assert f'_LABEL = "{deb.APP_ID}"' in autostart


def test_desktops_know_its_windows_notes_and_autostart_by_the_name_of_the_menu_entry() -> None:
    for place, said in (
        ("ui/entrance.py", f'setDesktopFileName("{ENTRY.stem}")'),
        ("app/autostart.py", f'_NAME = "{ENTRY.stem}"'),
        ("ui/outside.py", f'_PROGRAM = "{ENTRY.stem}"'),
    ):
        assert said in (PACKAGE / place).read_text(encoding="utf-8")
    name = next(one for one in ENTRY.read_text().splitlines() if one.startswith("StartupWMClass"))
    assert name == f"StartupWMClass={ENTRY.stem}" and ENTRY.stem == deb.NAME


def test_the_metainfo_names_the_menu_entry_and_this_version() -> None:
    top = ElementTree.parse(LINUX / deb.METAINFO).getroot()
    assert top.findtext("launchable") == ENTRY.name
    assert f"{top.findtext('id')}.metainfo.xml" == deb.METAINFO
    release = top.find("releases/release")
    assert release is not None and release.get("version") == shipping.version()


# --- the command


def test_a_deb_is_not_built_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(SetupError, match="Debian"):
        package.run_package("deb", check=False)


def test_a_build_needs_its_own_system_packages_and_not_those_of_the_tests() -> None:
    names = {need.package for need in needs_of("package", compiler=False)}
    assert {"libgl1", "debootstrap", "appstream"} <= names
    assert "ngircd" not in names


def test_what_was_made_is_told_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(2_400_000))
    (tmp_path / "b").symlink_to("a")
    assert package.shown(tmp_path) == f"{tmp_path} (2 MB)"
    assert package.shown(tmp_path / "a") == f"{tmp_path / 'a'} (2 MB)"
