"""Files given to the real program in its window, with the model that comes along."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.desktop.driver import (
    DesktopDriver,
    been_here,
    missing_programs,
    virtual_desktop,
)
from tests.e2e.program import CHECKOUT

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(missing_programs()), reason=f"needs {missing_programs()}"),
]

PICTURE = CHECKOUT / "resources" / "screenshots" / "chat-light.png"


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DesktopDriver]:
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT))
    with virtual_desktop(tmp_path) as desktop:
        driver = DesktopDriver(desktop, [sys.executable, "-m", "moltbot_desktop"])
        been_here(driver.home)
        yield driver
        if driver.running:
            driver.kill()


def kept(driver: DesktopDriver) -> dict[str, bytes]:
    folder = driver.home / "workspace" / "media" / "inbound"
    return {one.name: one.read_bytes() for one in folder.iterdir()} if folder.exists() else {}


def test_pasted_files_come_with_a_message_and_are_read(
    driver: DesktopDriver, tmp_path: Path
) -> None:
    note = tmp_path / "shopping 清单.md"
    note.write_text("milk, bread and eleven eggs\n", encoding="utf-8")
    driver.start()
    driver.focus()
    driver.type_text("What does it say? ")
    driver.paste_files(note)
    driver.press("Return")
    driver.wait_for_transcript("milk, bread and eleven eggs")
    assert f"media/inbound/{next(iter(kept(driver)))}" in driver.transcripts()
    driver.paste_files(PICTURE)
    driver.press("Return")
    driver.wait_for_transcript("I cannot see what is in a picture")
    driver.screenshot("window-attachments")
    assert PICTURE.read_bytes() in kept(driver).values()
    assert driver.quit() == 0
    assert "Traceback" not in driver.printed
    driver.start()
    driver.screenshot("window-attachments-again")
    assert driver.quit() == 0
