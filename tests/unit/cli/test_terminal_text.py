"""What a terminal gets of texts that others wrote."""

from __future__ import annotations

import io
from pathlib import Path

from moltbot_desktop.cli.sessions import Shell
from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.i18n import Language


def test_lines_tabs_and_every_letter_stay() -> None:
    assert shown("a\tb\n你好 🙂 é") == "a\tb\n你好 🙂 é"


def test_a_title_of_a_conversation_moves_no_cursor() -> None:
    out = io.StringIO()
    shell = Shell(Language.ENGLISH, out, Path.read_text, lambda path, text: None)
    shell.show("hello \x1b]0;owned\x07\r\x1b[2K\u202etxt")
    assert out.getvalue() == "hello ]0;owned[2Ktxt\n"
