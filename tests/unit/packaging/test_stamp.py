"""When a set-up is needed again, and when not."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools.stamp import NO_STAMP, Stamp, project_fingerprint, read_stamp, write_stamp

PYPROJECT = '[project]\nname = "x"\ndependencies = ["a==1"]\n[tool.ruff]\nline-length = 100\n'
BASE = project_fingerprint(PYPROJECT, "a==1\n", (3, 11, 2))


@pytest.mark.parametrize(
    ("pyproject", "constraints", "python"),
    [
        (PYPROJECT.replace("a==1", "a==2"), "a==1\n", (3, 11, 2)),
        (PYPROJECT + '[build-system]\nrequires = ["y"]\n', "a==1\n", (3, 11, 2)),
        (PYPROJECT, "a==2\n", (3, 11, 2)),
        (PYPROJECT, "a==1\n", (3, 12, 0)),
    ],
    ids=["dependency", "build", "pin", "python"],
)
def test_what_changes_the_environment_changes_the_fingerprint(
    pyproject: str, constraints: str, python: tuple[int, ...]
) -> None:
    assert project_fingerprint(pyproject, constraints, python) != BASE


def test_lint_rules_and_patch_releases_do_not_reinstall() -> None:
    relaxed = PYPROJECT.replace("100", "120")
    assert project_fingerprint(relaxed, "a==1\n", (3, 11, 9)) == BASE


def test_a_stamp_serves_the_same_fingerprint_and_fewer_extras() -> None:
    stamp = Stamp("f", frozenset({"convert", "test"}))
    assert stamp.serves("f", frozenset({"convert"}))
    assert not stamp.serves("f", frozenset({"convert", "dev"}))
    assert not stamp.serves("g", frozenset({"convert"}))
    assert not NO_STAMP.serves("f", frozenset())


def test_a_stamp_survives_the_disk(tmp_path: Path) -> None:
    stamp = Stamp("f", frozenset({"test"}), frozenset({"trayer"}))
    write_stamp(tmp_path / "stamp.json", stamp)
    assert read_stamp(tmp_path / "stamp.json") == stamp
    assert [path.name for path in tmp_path.iterdir()] == ["stamp.json"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"fingerprint": "f"}', '"f"', "\x00"])
def test_a_damaged_stamp_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "stamp.json").write_text(text)
    assert read_stamp(tmp_path / "stamp.json") == NO_STAMP


def test_a_missing_stamp_counts_as_none(tmp_path: Path) -> None:
    assert read_stamp(tmp_path / "none.json") == NO_STAMP
