"""The pictures for people to look at are of the real window, and say which place they show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from moltbot_desktop.ui.place import CHAT, SETTINGS
from tests.e2e.desktop import pictures
from tests.e2e.desktop.homes import Home, dress, fill
from tests.e2e.desktop.person import MISSING
from tests.e2e.desktop.scenes import SCENES

NARROWED = ["--home", "empty", "--language", "zh", "--theme", "dark"]


@pytest.mark.xvfb
@pytest.mark.timeout(300)
@pytest.mark.skipif(bool(MISSING), reason=f"needs {MISSING}")
def test_pictures_of_places_of_what_is_in_them_and_a_sheet_of_all(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `qapp`: there is one application in a process, and the tests of the window need theirs.
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    wanted = [*NARROWED, "--only", CHAT, "--only", SETTINGS, "--only", "memory.inbox"]
    assert pictures.main(["--out", str(tmp_path), *wanted]) == 0
    names = ("empty-chat", "empty-settings", "empty-memory.inbox")
    files = [tmp_path / f"zh-dark-{name}.png" for name in names]
    chat, settings, inbox = (QImage(str(one)) for one in files)
    sheet = QImage(str(tmp_path / "sheet-zh-dark.png"))
    assert sorted(tmp_path.glob("zh-*.png")) == sorted(files)
    assert chat.size() == settings.size() == inbox.size()
    assert chat != settings != inbox
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
    assert pictures.chosen_names([]) == pictures.names()
    assert pictures.chosen_names(["memory"]) == [
        "memory",
        *(one.title for one in SCENES if one.place == "memory"),
    ]
    assert pictures.chosen_names(["memory.inbox"]) == ["memory.inbox"]


def test_each_scene_is_of_a_place_and_has_a_name_of_its_own() -> None:
    titles = [one.title for one in SCENES]
    assert len(set(titles)) == len(titles)
    assert {str(one.place) for one in SCENES} <= set(pictures.place_names())
    assert all(one.homes for one in SCENES)
