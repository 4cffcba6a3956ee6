"""Everything in a frozen folder is led back to somebody, and has a licence."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from devtools import contents
from devtools.contents import (
    Component,
    Owners,
    components_in,
    files_of_nobody,
    libraries_inside,
    modules_of_nobody,
    told_of_components,
    unknown_components,
    unknown_libraries,
)
from devtools.licences import FOLDER, read_known
from devtools.places import SetupError
from pyinstaller import collected

KNOWN = read_known((FOLDER / "known.toml").read_text(encoding="utf-8"))
OWNERS = Owners(
    {
        "attr/__init__.py": "attrs",
        "attr/setters.py": "attrs",
        "jaraco/classes/properties.py": "jaraco.classes",
        "pip/__init__.py": "pip",
        "yaml/_yaml.cpython-311-x86_64-linux-gnu.so": "PyYAML",
    },
    (),
    frozenset({"json", "sqlite3"}),
)
TOOLS = frozenset({"pip"})


def test_each_file_is_a_packages_the_systems_or_pythons() -> None:
    paths = (
        "attr/__init__.py",
        "libz.so.1",
        "base_library.zip",
        "libpython3.11.so.1.0",
        "python3.11/lib-dynload/_json.cpython-311-x86_64-linux-gnu.so",
        "LICENCES.txt",
    )
    system = frozenset({"libz.so.1"})
    assert files_of_nobody(paths, OWNERS, system, TOOLS) == []
    strange = ["libz.so.2", "attr/more.py", "sub/libz.so.1", "pip/__init__.py"]
    assert files_of_nobody([*paths, *strange], OWNERS, system, TOOLS) == strange


def test_what_python_brings_on_windows_and_macos_is_pythons() -> None:
    names = ("python311.dll", "json.pyd", "VCRUNTIME140.dll", "libcrypto-3.dll", "libssl.3.dylib")
    assert files_of_nobody(names, OWNERS, frozenset(), TOOLS) == []
    strange = ["libcrypto.so.3", "other.dll", "strange.pyd", "sub/libcrypto-3.dll"]
    assert files_of_nobody(strange, OWNERS, frozenset(), TOOLS) == strange


def test_each_module_is_a_packages_pythons_or_the_loaders() -> None:
    def left(*names: str) -> list[str]:
        return modules_of_nobody(Owners(OWNERS.files, names, OWNERS.standard), TOOLS)

    assert left("attr", "attr.setters", "jaraco", "jaraco.classes", "json.decoder") == []
    assert left("pyimod01_archive", "_sysconfigdata__linux_x86_64-linux-gnu") == []
    assert left("attr.gone", "pip", "strange") == ["attr.gone", "pip", "strange"]


def test_a_library_inside_a_wheel_is_found_and_a_module_of_python_is_not() -> None:
    paths = (
        "pillow.libs/libtiff-20b7e810.so.6.3.0",
        "llama_cpp/lib/libggml-cpu.so.0",
        "sqlite_vec/vec0.so",
        "yaml/_yaml.cpython-311-x86_64-linux-gnu.so",
        "PySide6/QtCore.abi3.so",
        "libz.so.1",
    )
    assert libraries_inside(paths) == {
        paths[0]: "libtiff",
        paths[1]: "libggml-cpu",
        paths[2]: "vec0",
    }


def test_a_library_stops_the_build_when_it_is_unknown_or_its_licences_words_are_missing() -> None:
    inside = {"pillow.libs/libtiff-20b7e810.so.6.3.0": "libtiff"}
    assert unknown_libraries(inside, KNOWN, "Copyright (c) 1988-1997 Sam Leffler") == []
    [line] = unknown_libraries(inside, KNOWN, "another text")
    assert "Sam Leffler" in line
    [line] = unknown_libraries({"x.libs/libnew.so.1": "libnew"}, KNOWN, "any text")
    assert line.startswith("x.libs/libnew.so.1")
    assert unknown_libraries({"PySide6/Qt/plugins/a/libqnew.so": "libqnew"}, KNOWN, "") != []


def bill(folder: Path, *components: object) -> None:
    place = folder / "my_thing-1.0.dist-info" / "sboms"
    place.mkdir(parents=True)
    text = json.dumps({"bomFormat": "CycloneDX", "components": components})
    (place / "thing.cdx.json").write_text(text)


def test_a_bill_of_materials_is_read_and_what_may_not_be_shipped_is_named(tmp_path: Path) -> None:
    bill(
        tmp_path,
        {"name": "a", "version": "1", "licenses": [{"expression": "MIT OR GPL-3.0-only"}]},
        {"name": "b", "version": "2", "licenses": [{"license": {"id": "GPL-3.0-or-later"}}]},
        {"name": "c", "licenses": [{"license": {"name": "MIT"}}, {"license": {"id": "ISC"}}]},
        {"name": "d", "scope": "optional", "licenses": [{"license": {"id": "GPL-3.0-only"}}]},
        {"name": "openssl", "version": "4.0.3"},
        {"name": "mute", "version": "5"},
    )
    found = components_in(tmp_path)
    assert [(one.name, one.licence) for one in found] == [
        ("a", "(MIT OR GPL-3.0-only)"),
        ("b", "GPL-3.0-or-later"),
        ("c", "MIT AND ISC"),
        ("openssl", ""),
        ("mute", ""),
    ]
    assert {one.package for one in found} == {"my-thing"}
    assert [line.split(" ")[0] for line in unknown_components(found, KNOWN)] == ["b", "mute"]
    assert "  my-thing: openssl 4.0.3: Apache-2.0\n" in told_of_components(found, KNOWN)


def test_the_check_names_everything_that_is_wrong_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    internal = tmp_path / "_internal"
    bill(internal, {"name": "bad", "licenses": [{"license": {"id": "GPL-3.0-only"}}]})
    for name in ("attr/__init__.py", "strange.dat", "x.libs/libnew.so.1"):
        (internal / name).parent.mkdir(exist_ok=True)
        (internal / name).write_bytes(b"")
    (tmp_path / "moltbot-desktop").write_bytes(b"")
    (internal / "link.dat").symlink_to("strange.dat")
    more = {"x.libs/libnew.so.1": "x", "my_thing-1.0.dist-info/sboms/thing.cdx.json": "my-thing"}
    told = {"owners": {**OWNERS.files, **more}, "standard": ["json"], "modules": ["json", "ghost"]}
    answer = json.dumps(told).encode()
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=answer))
    with pytest.raises(SetupError) as error:
        contents.check(Path("python"), tmp_path, KNOWN, "")
    for words in ("strange.dat: nobody's", "module ghost", "libnew.so.1: a library", "bad  in my"):
        assert words in str(error.value)
    assert "link.dat" not in str(error.value)


def test_components_without_problems_stand_below_the_licences() -> None:
    rows = [Component("p", "b", "2", "MIT"), Component("p", "a", "1", "ISC")] * 2
    assert told_of_components(rows, KNOWN).splitlines()[2:] == ["  p: a 1: ISC", "  p: b 2: MIT"]


def test_no_tool_of_the_build_leaves_its_name_in_what_is_built() -> None:
    assert KNOWN.tools >= collected.TOOLS
    assert {"pyinstaller", "packaging", "pip"} <= collected.TOOLS
