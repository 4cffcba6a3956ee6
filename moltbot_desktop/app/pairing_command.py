"""`moltbot-desktop channels pairing`: the book that a running assistant has open too."""

from __future__ import annotations

import contextlib
import sys

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.pairing import run_pairing
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.pairing_book import PairingBook


def run_pairing_command(
    paths: Paths, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """`channels pairing list`, `approve CODE`, `refuse CODE` and `remove CHANNEL ID [ACCOUNT]`.

    Raises:
        StorageError: the book cannot be used.
        UserInputInvalid: nobody who waits has that code, or too many wrong ones were tried.
    """
    with contextlib.closing(PairingBook(paths.pairings_database, clock)) as book:
        return run_pairing(book, arguments, language, sys.stdout)
