"""Every licence of what is shipped is known, or the build stops and says what is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devtools import licences
from devtools.licences import (
    FOLDER,
    Entry,
    Known,
    Package,
    collect,
    entries_of_packages,
    entries_of_parts,
    entries_of_system,
    licence_of,
    may_ship,
    packages_of,
    read_known,
    read_text,
    system_libraries,
    told,
)
from devtools.places import SetupError

KNOWN = read_known((FOLDER / "known.toml").read_text(encoding="utf-8"))
FEW = frozenset({"MIT", "ISC", "GPL-3.0-or-later WITH GCC-exception-3.1"})


def package(name: str = "thing", *said: str, texts: tuple[str, ...] = ("text",)) -> Package:
    return Package(name, "1.0", said, texts)


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-2.0-only OR MIT", True),
        ("GPL-2.0-only AND MIT", False),
        ("MIT AND ISC", True),
        ("MIT AND (GPL-2.0-only OR ISC)", True),
        ("(MIT AND GPL-2.0-only) OR GPL-3.0-only", False),
        ("GPL-2.0-only OR MIT AND ISC", True),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", True),
        ("GPL-3.0-or-later WITH Other-exception", False),
        ("GPL-3.0-or-later", False),
        *((broken, False) for broken in ("", "(MIT", "MIT)", "MIT ISC", "MIT OR", "OR MIT", "()")),
    ],
)
def test_an_expression_may_be_shipped_when_one_way_is_allowed(expression: str, holds: bool) -> None:
    assert may_ship(expression, FEW) is holds


@given(st.lists(st.sampled_from(["MIT", "GPL-3.0-only", "AND", "OR", "WITH", "(", ")"])))
def test_no_expression_breaks_the_reader_or_ships_gpl_alone(words: list[str]) -> None:
    if may_ship(" ".join(words), FEW):
        assert "MIT" in words


def test_metadata_is_understood_in_its_own_words_and_nothing_else_is_guessed() -> None:
    assert licence_of(package("a", "Apache License, Version 2.0"), KNOWN) == "Apache-2.0"
    assert licence_of(package("a", "whatever", "MIT License"), KNOWN) == "MIT"
    assert licence_of(package("Peewee"), KNOWN) == "MIT"
    assert licence_of(package("a", "GPLv3+"), KNOWN) == ""
    assert licence_of(package("a"), KNOWN) == ""


def test_an_unknown_licence_and_a_missing_text_are_problems() -> None:
    rows = [package("good", "MIT"), package("bad", "GPLv2"), package("mute", "MIT", texts=())]
    found, problems = entries_of_packages([*rows, package("pip", "MIT")], KNOWN)
    assert [one.what for one in found] == ["good 1.0", "bad 1.0", "mute 1.0"]
    assert [line.split(":")[0] for line in problems] == ["bad 1.0", "mute 1.0"]


def test_every_text_of_the_table_is_there_and_every_licence_may_be_shipped(tmp_path: Path) -> None:
    (tmp_path / "LICENSE.txt").write_text("Python's own")
    for name, texts in KNOWN.texts.items():
        assert all(len(read_text(one)) > 200 for one in texts), name
    for entry in entries_of_parts(KNOWN, tmp_path):
        assert may_ship(entry.licence, KNOWN.allowed), entry.what
    for table in (KNOWN.words, KNOWN.packages, KNOWN.debian):
        assert all(may_ship(one, KNOWN.allowed) for one in table.values())


def test_gpl_alone_is_not_among_what_may_be_shipped() -> None:
    assert not [one for one in KNOWN.allowed if one.startswith("GPL") and " WITH " not in one]
    assert not [one for one in KNOWN.allowed if one.startswith("AGPL")]


def test_of_a_frozen_folder_the_flat_libraries_are_the_systems(tmp_path: Path) -> None:
    inside = tmp_path / "_internal"
    (inside / "numpy.libs").mkdir(parents=True)
    (inside / "numpy.libs" / "libopenblas.so").touch()
    (inside / "libopenblas.so").symlink_to("numpy.libs/libopenblas.so")
    (inside / "libX11.so.6").touch()
    (inside / "_cffi_backend.cpython-311.so").touch()
    assert system_libraries(tmp_path) == ["libX11.so.6"]


def test_a_system_library_that_nobody_looked_at_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners = {"libz.so.1": "zlib1g", "libnew.so.2": "libnew2"}
    monkeypatch.setattr(licences, "debian_package", lambda name: owners.get(name, ""))
    monkeypatch.setattr(licences, "DEBIAN_TEXTS", tmp_path)
    (tmp_path / "zlib1g").mkdir()
    (tmp_path / "zlib1g" / "copyright").write_text("free")
    found, problems = entries_of_system(["libz.so.1", "libnew.so.2", "libpython3.11.so"], KNOWN)
    assert found == [Entry("zlib1g (libz.so.1)", "Zlib", "free")]
    assert problems == ["libnew.so.2 of the system (libnew2)"]


def test_the_text_lists_everything_before_it_quotes_anything() -> None:
    text = told([Entry("a 1", "MIT", "Text A"), Entry("b 2", "ISC", "Text B")])
    assert text.index("b 2: ISC") < text.index("Text A") < text.index("Text B")


def test_an_environment_says_what_is_in_it_and_gpl_stops_it(tmp_path: Path) -> None:
    """This one is the tests': it has packages under the GPL, which a build takes out."""
    packages, library = packages_of(Path(sys.executable))
    known = {one.name: one for one in packages}
    assert known["Jinja2"].texts and known["pytest"].said[0] == "MIT"
    assert (library / "os.py").is_file()
    (tmp_path / "_internal").mkdir()
    with pytest.raises(SetupError, match=r"(?s)known\.toml.*MouseInfo"):
        collect(Path(sys.executable), tmp_path, KNOWN)
    assert isinstance(KNOWN, Known)
