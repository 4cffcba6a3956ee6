"""Each command that the parser knows is carried out by somebody, and loaded when it is typed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

from moltbot_desktop.app.shell_commands import COMMANDS
from moltbot_desktop.cli.parser import _parser
from moltbot_desktop.core.i18n import Language

ELSEWHERE = {"ask", "chat", "open", "settings", "toggle"}
"""What `app.main` shows in a window or a terminal."""


def test_each_command_of_the_parser_has_somebody() -> None:
    known = {
        word
        for one in _parser(Language.ENGLISH)._actions
        if isinstance(one.choices, Mapping)
        for word in one.choices
    }
    assert known - ELSEWHERE == set(COMMANDS)


def test_none_is_loaded_before_it_is_typed() -> None:
    script = (
        "import sys, moltbot_desktop.app.main\n"
        "print([one for one in sys.modules if one.endswith('_command')"
        " or one in ('PySide6.QtWidgets', 'moltbot_desktop.app.terminal')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
