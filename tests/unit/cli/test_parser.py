"""The command line's grammar."""

from __future__ import annotations

from pathlib import Path

import pytest

from moltbot_desktop.cli.parser import Arguments, parse
from moltbot_desktop.core.i18n import Language


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ([], Arguments()),
        (["--hidden"], Arguments(start_hidden=True)),
        (["chat"], Arguments("chat")),
        (["chat", "--json", "--resume"], Arguments("chat", json=True, resume=True)),
        (["ask", "hi", "--model", "x.gguf"], Arguments("ask", text="hi", model=Path("x.gguf"))),
        (["ask", "hi", "--agent", "work"], Arguments("ask", text="hi", agent="work")),
        (
            ["agents", "add", "work", "--model", "m", "--workspace", "w"],
            Arguments("agents", "add", name="work", text="m", out=Path("w")),
        ),
        (["memory", "search", "tea"], Arguments("memory", "search", "tea")),
        (
            ["memory", "search", "--json", "--batch", "q.txt", "--max-chars", "4000"],
            Arguments("memory", "search", json=True, batch=Path("q.txt"), max_characters=4000),
        ),
        (["memory", "status", "--json"], Arguments("memory", "status", json=True)),
        (["skills", "list"], Arguments("skills", "list")),
        (["models", "list", "--json"], Arguments("models", "list", json=True)),
        (["models", "pull", "x"], Arguments("models", "pull", name="x")),
        (["models", "import", "f", "--link"], Arguments("models", "import", name="f", link=True)),
        (["models", "remove", "x", "--yes"], Arguments("models", "remove", name="x", yes=True)),
    ],
)
def test_lines(line: list[str], expected: Arguments) -> None:
    assert parse(line) == expected


@pytest.mark.parametrize(
    "line", [["dance"], ["ask"], ["memory"], ["memory", "search", "x", "--max-chars", "0"]]
)
def test_wrong_lines_end_with_usage(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(line)
    assert ended.value.code == 2
    assert "usage: moltbot-desktop" in capsys.readouterr().err


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["chat"], ["ask"], ["memory", "search"], ["skills"], []):
        with pytest.raises(SystemExit) as ended:
            parse([*command, "--help"])
        assert ended.value.code == 0
    assert "--max-chars" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "english", "chinese"),
    [
        (["cron", "edit"], "required: JOB", "还缺少 JOB"),
        (["ask", "a", "b"], "unrecognized arguments: b", "多了 b"),
        (["dance"], "'dance'", "不能是 'dance'，可以是"),
        (["memory", "forget", "x", "--number", "two"], "whole number", "不小于 1 的整数"),
        (["memory", "forget", "x", "--number", "9" * 5000], "whole number", "不小于 1 的整数"),
        (["chat", "--agent"], "expected one argument", "后面要写一个值"),
    ],
)
def test_a_mistake_is_told_in_the_persons_language_with_what_helps(
    line: list[str], english: str, chinese: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for language, words, how in (
        (Language.ENGLISH, english, "--help” shows"),
        (Language.CHINESE, chinese, "--help”可以看到"),
    ):
        with pytest.raises(SystemExit, match="2"):
            parse(line, language)
        told = capsys.readouterr().err
        assert words in told and how in told
        assert "_positive" not in told
