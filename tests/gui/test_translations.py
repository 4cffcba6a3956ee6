"""Every sentence of the windows exists in Chinese, and the compiled file is up to date."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtWidgets import QApplication

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.ui.translations import chosen_language, install_translation
from tests.gui.conftest import MakeDesk

Sentences = dict[tuple[str, str], str]
SLOT = re.compile(r"\{\w+\}")


def tool(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    assert found, f"{name} comes with PySide6-Essentials"
    return found


def sentences(file: Path) -> Sentences:
    """(context, English) -> Chinese, "" where unfinished."""
    found: Sentences = {}
    for context in ElementTree.parse(file).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            chinese = message.find("translation")
            finished = chinese is not None and chinese.get("type") is None
            text = (chinese.text or "") if finished and chinese is not None else ""
            found[name, message.findtext("source", "")] = text
    return found


@pytest.fixture(scope="module")
def shipped(checkout: Path) -> Sentences:
    found: Sentences = {}
    for file in sorted((checkout / "resources" / "translations").glob("*_zh.ts")):
        found |= sentences(file)
    return found


def test_every_sentence_of_the_source_has_a_chinese_one(
    checkout: Path, tmp_path: Path, shipped: Sentences
) -> None:
    fresh = tmp_path / "fresh.ts"
    files = [str(file) for file in sorted((checkout / "moltbot_desktop" / "ui").rglob("*.py"))]
    command = [tool("pyside6-lupdate"), *files, "-ts", str(fresh), "-target-language", "zh_CN"]
    subprocess.run(command, check=True, capture_output=True)
    wanted = sentences(fresh)
    assert len(wanted) > 80
    assert [one for one in wanted if not shipped.get(one)] == []
    assert [one for one in shipped if one not in wanted] == []


def test_both_languages_have_the_same_slots(shipped: Sentences) -> None:
    different = [
        english
        for (_, english), chinese in shipped.items()
        if sorted(SLOT.findall(english)) != sorted(SLOT.findall(chinese))
    ]
    assert different == []


@pytest.fixture
def chinese(qapp: QApplication, checkout: Path) -> Iterator[None]:
    translators = install_translation(qapp, Language.CHINESE, checkout / "resources")
    assert translators
    yield
    for one in translators:
        qapp.removeTranslator(one)
        one.deleteLater()


def test_the_compiled_file_holds_what_the_source_file_says(
    chinese: None, shipped: Sentences
) -> None:
    stale = [
        english
        for (context, english), text in shipped.items()
        if QCoreApplication.translate(context, english) != text
    ]
    assert stale == []


def test_the_window_speaks_chinese(chinese: None, make_desk: MakeDesk) -> None:
    desk = make_desk()
    assert "记住" in desk.window.welcome.requests()[0]
    desk.screenshot("welcome-light-zh")


def test_auto_follows_the_system() -> None:
    assert chosen_language("auto", QLocale("zh_CN")) is Language.CHINESE
    assert chosen_language("auto", QLocale("de_DE")) is Language.ENGLISH
    assert chosen_language("en", QLocale("zh_CN")) is Language.ENGLISH
    assert chosen_language("zh", QLocale("en_US")) is Language.CHINESE
