"""`--help` explains everything in the person's language."""

from __future__ import annotations

import pytest

from moltbot_desktop.cli import help_words
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.core.i18n import Language


def help_of(capsys: pytest.CaptureFixture[str], language: Language, *command: str) -> str:
    with pytest.raises(SystemExit) as ended:
        parse([*command, "--help"], language)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_all_that_is_explained_has_chinese_words_and_no_others_are_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    explained: set[str] = set()

    def noted(english: str | None) -> str | None:
        explained.add(english or "")
        return english

    monkeypatch.setattr(help_words, "_said", noted)
    help_of(capsys, Language.CHINESE)
    explained.discard("")
    assert len(explained) > 100
    words = set(help_words._CHINESE)
    assert (sorted(explained - words), sorted(words - explained)) == ([], [])


def test_it_is_told_in_the_persons_language(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    chinese = help_of(capsys, Language.CHINESE, "memory", "forget")
    assert chinese.startswith("用法：moltbot-desktop memory forget")
    assert "显示这段帮助" in chinese and "笔记是关于什么的" in chinese
    assert "usage" not in chinese and "options" not in chinese
    english = help_of(capsys, Language.ENGLISH, "memory", "forget")
    assert "what the note is about" in english and "usage" in english
