"""The generated references: what the pages say is what the program goes by."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from devtools import references
from devtools.references import FOLDER, commands_page, pages, settings_page, write
from moltbot_desktop.core.json import JsonObject


@pytest.mark.parametrize(
    "name", ["settings.md", "settings.zh.md", "command-line.md", "command-line.zh.md"]
)
def test_a_reference_is_what_would_be_written_now(name: str) -> None:
    """`python3 packaging/dev.py docs` writes it anew."""
    assert (FOLDER / name).read_text(encoding="utf-8") == pages()[name]


def test_nothing_else_lies_among_them() -> None:
    assert {one.name for one in FOLDER.iterdir()} == set(pages())


def test_they_are_the_same_on_every_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    narrow = pages()
    monkeypatch.setenv("COLUMNS", "200")
    assert pages() == narrow


def test_a_setting_says_what_may_stand_there_and_what_it_does() -> None:
    schema: JsonObject = {
        "properties": {
            "$schema": {"type": "string"},
            "ui": {
                "title": "Look",
                "properties": {
                    "zoom": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
                    "key": {
                        "anyOf": [{"type": "string"}, {"type": "null"}],
                        "description": "a|b <c>",
                    },
                    "all": {"type": "array", "items": {"properties": {"on": {"type": "boolean"}}}},
                    "by": {"additionalProperties": {"properties": {"is": {"enum": ["x", 1]}}}},
                },
            },
        }
    }
    assert settings_page(schema, references._ENGLISH).splitlines()[4:] == [
        "## ui (Look)",
        "",
        "| setting | what may stand there; default | what it does |",
        "|---|---|---|",
        "| `ui.zoom` | a whole number, 1 to 9; `2` |  |",
        "| `ui.key` | text or `null` | a\\|b &lt;c> |",
        "| `ui.all[].on` | `true` or `false` |  |",
        '| `ui.by.NAME.is` | `"x"`, `1` |  |',
    ]


def test_a_command_says_how_it_is_written_and_what_each_word_means() -> None:
    parser = argparse.ArgumentParser(prog="moltbot-desktop")
    parser.add_argument("--hidden", action="store_true", help="in the tray")
    inner = parser.add_subparsers().add_parser("notes", help="your notes").add_subparsers()
    find = inner.add_parser("find", help="look for one")
    find.add_argument("--last", metavar="N", help="the last N")
    find.add_argument("--json", action="store_true")
    find.add_argument("text", metavar="WORDS", help="what to look for")
    inner.add_parser("own", help="as it says").usage = "%(prog)s [-- COMMAND ...]"
    assert commands_page(parser, references._ENGLISH).splitlines()[4:] == [
        "- `--hidden`: in the tray",
        "",
        "## notes",
        "",
        "your notes",
        "",
        "### notes find",
        "",
        "look for one",
        "",
        "```",
        "moltbot-desktop notes find WORDS [--last N] [--json]",
        "```",
        "",
        "- `--last N`: the last N",
        "- `WORDS`: what to look for",
        "",
        "### notes own",
        "",
        "as it says",
        "",
        "```",
        "moltbot-desktop notes own [-- COMMAND ...]",
        "```",
    ]


def test_all_of_them_are_written_into_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "reference")
    assert {one.name for one in (tmp_path / "docs" / "reference").iterdir()} == set(pages())
