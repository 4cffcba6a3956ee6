"""pyproject.toml and the constraints say the same, and every dependency says why."""

from __future__ import annotations

import tomllib
from itertools import pairwise

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from devtools.environment import EXTRAS
from devtools.places import CONSTRAINTS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PINS = [
    Requirement(line)
    for line in CONSTRAINTS.read_text().splitlines()
    if line and not line.startswith("#")
]


def wanted() -> list[Requirement]:
    """What a set-up can install."""
    extras = PROJECT["optional-dependencies"]
    chosen = [extras[name] for name in sorted(frozenset().union(*EXTRAS.values()))]
    return [Requirement(row) for rows in (PROJECT["dependencies"], *chosen) for row in rows]


def test_every_extra_is_brought_by_a_command_but_training() -> None:
    brought = frozenset().union(*EXTRAS.values())
    assert set(PROJECT["optional-dependencies"]) - brought == {"train"}


def test_every_dependency_is_pinned_within_its_own_bounds() -> None:
    for need in wanted():
        name = canonicalize_name(need.name)
        pins = [pin for pin in PINS if canonicalize_name(pin.name) == name]
        versions = [next(iter(pin.specifier)).version for pin in pins]
        assert any(need.specifier.contains(version) for version in versions), need


def test_each_pin_is_exact_and_there_is_one_for_each_python() -> None:
    for python in ("3.11", "3.12", "3.13", "3.14"):
        system = {"python_version": python, "sys_platform": "linux"}
        active = [pin for pin in PINS if pin.marker is None or pin.marker.evaluate(system)]
        names = [canonicalize_name(pin.name) for pin in active]
        assert len(names) == len(set(names))
        assert {"pyside6-essentials", "shiboken6", "llama-cpp-python"} <= set(names)
    assert all(str(pin.specifier).startswith("==") for pin in PINS)


def test_python_3_11_never_gets_the_pyside_that_kills_it() -> None:
    for pin in PINS:
        if canonicalize_name(pin.name) in {"pyside6-essentials", "shiboken6"}:
            for_old = pin.marker is None or pin.marker.evaluate({"python_version": "3.11"})
            assert for_old == (str(pin.specifier) < "==6.12")


def test_every_runtime_dependency_has_a_comment_that_says_why() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    lines = text.split("\ndependencies = [\n")[1].split("\n]")[0].splitlines()
    for above, line in pairwise(["", *lines]):
        if not line.lstrip().startswith("#"):
            name = Requirement(tomllib.loads(f"row = [{line}]")["row"][0]).name
            assert above.lstrip().startswith("#") or name in above, line
