"""`channels list`, `login`, `logout` and `pairing`: what needs no assistant that runs."""

from __future__ import annotations

import contextlib
import os
import sys
from getpass import getpass

from moltbot_desktop.app.channel_setup import ChannelSetup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.channel_setup import run_channel_setup
from moltbot_desktop.cli.pairing import run_pairing
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.cli.secrets import Streams
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.pairing_book import PairingBook
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore


def run_channels_command(
    paths: Paths, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Carry one of them out; returns the exit code.

    Raises:
        MoltbotError: it could not be done.
    """
    if arguments.action == "pairing":  # the book that a running assistant has open too
        with contextlib.closing(PairingBook(paths.pairings_database, clock)) as book:
            return run_pairing(book, arguments, language, sys.stdout)
    store = SecretStore(paths.home / SECRET_NAMES_FILE)
    setup = ChannelSetup(paths, os.environ, language, store)
    streams = Streams(sys.stdin, sys.stdout, getpass)
    return run_channel_setup(setup, arguments, streams, language)
