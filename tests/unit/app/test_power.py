"""On battery only when that is certain."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from moltbot_desktop.app.power import on_battery

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sysfs is Linux")


def supply(folder: Path, name: str, **content: str) -> None:
    (folder / name).mkdir(parents=True)
    for key, value in content.items():
        (folder / name / key).write_text(value + "\n")


def test_a_computer_without_a_battery_is_not_on_battery(tmp_path: Path) -> None:
    assert not on_battery(tmp_path / "none")
    supply(tmp_path, "AC", type="Mains", online="1")
    assert not on_battery(tmp_path)


@pytest.mark.parametrize(
    ("status", "online", "expected"),
    [
        ("Discharging", "0", True),
        ("Charging", "1", False),
        ("Full", "1", False),
        ("Not charging", "0", False),
        ("Discharging", "1", False),
        ("Unknown", "0", False),
    ],
)
def test_a_laptop(tmp_path: Path, status: str, online: str, expected: bool) -> None:
    supply(tmp_path, "AC", type="Mains", online=online)
    supply(tmp_path, "BAT0", type="Battery", status=status)
    assert on_battery(tmp_path) is expected


def test_a_broken_supply_is_passed_over(tmp_path: Path) -> None:
    supply(tmp_path, "odd")
    (tmp_path / "BAT0").write_text("not a folder")
    assert not on_battery(tmp_path)
