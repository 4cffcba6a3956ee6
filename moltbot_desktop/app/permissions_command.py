"""`moltbot-desktop permissions`: put together from the book and the clock.

The book is the one that a running assistant has open too.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.permissions import (
    USUAL_DEEDS,
    revoke,
    show_deeds,
    show_grants,
    told_import,
)
from moltbot_desktop.config.exec_approvals import read_exec_approvals
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.permissions import Kind, Part
from moltbot_desktop.security.permission_book import PermissionBook
from moltbot_desktop.security.permissions import Permissions
from moltbot_desktop.storage.bounded import read_named
from moltbot_desktop.storage.files import disk_errors

_LARGEST_FILE = 5_000_000


def run_permissions_command(
    paths: Paths, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """`permissions list`, `revoke ID`, `audit` and `import FILE`.

    Raises:
        StorageError: the book cannot be used, or the file not be read.
        UserInputInvalid: no such permission, or no such file.
    """
    with contextlib.closing(PermissionBook(paths.permissions_database)) as book:
        permissions = Permissions(book, clock)
        match arguments.action:
            case "revoke":
                return revoke(permissions, arguments.name, arguments.json, language, sys.stdout)
            case "audit":
                most = arguments.number or USUAL_DEEDS
                return show_deeds(permissions, most, arguments.json, language, sys.stdout)
            case "import":
                return _import(permissions, paths, arguments, language)
        return show_grants(permissions, arguments.json, language, sys.stdout)


def _import(
    permissions: Permissions, paths: Paths, arguments: Arguments, language: Language
) -> int:
    file = Path(arguments.name)
    with disk_errors(file):
        text = read_named(file, _LARGEST_FILE).decode("utf-8-sig", "replace")
    read = read_exec_approvals(text)
    have = {(one.agent, one.part) for one in permissions.grants()}
    taken = 0
    for rule in read.rules:
        # As the reference has it: any arguments, anywhere. What starts other programs is asked for
        # all the same, and nothing reaches the internet by such a rule.
        pattern = rule.pattern
        if pattern.startswith("~/"):
            pattern = str(paths.user_home / pattern[2:])
        part = Part(Kind.PROGRAM, "exec", pattern, pattern=True)
        if (rule.agent, part) not in have:
            permissions.give((part,), Term.ALWAYS, rule.agent, file.name)
            taken += 1
    return told_import(taken, read.left, arguments.json, language, sys.stdout)
