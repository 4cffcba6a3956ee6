"""The pictures for people to look at are of the real window, and say which place they show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from moltbot_desktop.ui.place import CHAT, SETTINGS
from tests.e2e.desktop import pictures
from tests.e2e.desktop.driver import missing_programs
from tests.e2e.desktop.homes import Home, dress, fill

NARROWED = ["--home", "empty", "--language", "zh", "--theme", "dark"]


@pytest.mark.xvfb
@pytest.mark.timeout(300)
@pytest.mark.skipif(bool(missing_programs()), reason=f"needs {missing_programs()}")
def test_a_picture_of_a_place_and_a_sheet_of_all(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `qapp`: there is one application in a process, and the tests of the window need theirs.
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    wanted = [*NARROWED, "--only", CHAT, "--only", SETTINGS]
    assert pictures.main(["--out", str(tmp_path), *wanted]) == 0
    chat, settings, sheet = (
        QImage(str(tmp_path / f"{name}.png"))
        for name in ("zh-dark-empty-chat", "zh-dark-empty-settings", "sheet-zh-dark")
    )
    assert chat.size() == settings.size()
    assert chat != settings
    assert sheet.width() > chat.width()
    middle = chat.pixelColor(chat.width() // 2, chat.height() // 2)
    assert middle.lightness() < 128, "the window, and dark"


def test_a_home_keeps_its_settings_when_it_is_shown_in_another_look(tmp_path: Path) -> None:
    home = tmp_path / ".moltbot"
    fill(Home.EMPTY, home, "en")
    file = home / "moltbot.json"
    file.write_text(json.dumps({"models": {}, "ui": {"theme": "light"}}))
    dress(home, "zh", "dark")
    settings = json.loads(file.read_text())
    assert settings == {"models": {}, "ui": {"language": "zh", "theme": "dark"}}


def test_every_place_can_be_chosen_by_name() -> None:
    names = pictures.place_names()
    assert names[0] == CHAT
    assert SETTINGS in names
    assert len(set(names)) == len(names)
