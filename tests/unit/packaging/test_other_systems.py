"""What is written for Windows and macOS, and not run yet: it says so, and names what is there."""

from __future__ import annotations

import plistlib
import re
import subprocess
from pathlib import Path

import pytest

from devtools import shipping
from devtools.places import PACKAGING, ROOT

INSTALLER = PACKAGING / "windows" / "moltbot.iss"
MACOS = PACKAGING / "macos"


@pytest.mark.parametrize(
    "path", [INSTALLER, *(MACOS / name for name in ("Info.plist", "entitlements.plist"))]
)
def test_each_says_that_nobody_has_run_it(path: Path) -> None:
    assert "NOT RUN YET" in path.read_text(encoding="utf-8")
    assert "NOT RUN YET" in (MACOS / "make_dmg.sh").read_text(encoding="utf-8")


def test_the_installer_takes_what_the_spec_makes() -> None:
    text = INSTALLER.read_text(encoding="utf-8")
    spec = shipping.SPEC.read_text(encoding="utf-8")
    program = re.search(r'#define Program "(.+)\.exe"', text)
    assert program is not None and f'program("{program[1]}", console=False)' in spec
    folder = shipping.FOLDER.relative_to(ROOT).as_posix().replace("/", "\\")
    assert rf"{{#Root}}\{folder}\*" in text
    sources = re.findall(r"\{#Root\}\\(resources\\[^\s\"*]+)", text)
    assert sources and all((ROOT / one.replace("\\", "/")).is_file() for one in sources)
    ids = re.findall(r"^AppId=\{\{[0-9A-F-]{36}\}$", text, re.MULTILINE)
    assert len(ids) == 1


def test_being_started_with_the_computer_is_the_programs_own_setting_alone() -> None:
    """What an installer wrote, the setting would neither show nor take away."""
    text = INSTALLER.read_text(encoding="utf-8")
    [line] = [one for one in text.splitlines() if r"CurrentVersion\Run" in one]
    assert "ValueType: none" in line and "uninsdeletevalue" in line and "ValueData" not in line
    name = re.search(r'ValueName: "([^"]+)"', line)
    autostart = (ROOT / "moltbot_desktop" / "app" / "autostart.py").read_text(encoding="utf-8")
    assert name is not None and f'_NAME = "{name[1]}"' in autostart


def test_the_bundle_is_the_one_that_the_spec_and_the_disk_image_mean() -> None:
    info = plistlib.loads((MACOS / "Info.plist").read_bytes())
    rights = plistlib.loads((MACOS / "entitlements.plist").read_bytes())
    spec = shipping.SPEC.read_text(encoding="utf-8")
    script = (MACOS / "make_dmg.sh").read_text(encoding="utf-8")
    assert f'name="{info["CFBundleName"]}.app"' in spec
    assert f"{info['CFBundleName']}.app" in script
    assert all(value is True for value in rights.values())
    assert "entitlements.plist" in spec and "entitlements.plist" in script


def test_the_script_of_the_disk_image_can_be_read_by_a_shell() -> None:
    done = subprocess.run(["sh", "-n", MACOS / "make_dmg.sh"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_windows_shows_the_version_with_four_numbers() -> None:
    text = shipping.version_resource("1.2.3")
    assert "filevers=(1, 2, 3, 0)" in text and "StringStruct('ProductVersion', '1.2.3')" in text
    compile(text, "version.txt", "eval")
