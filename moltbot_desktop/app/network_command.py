"""`moltbot-desktop network`: shows what left this computer, closes and opens the seal.

Works beside a running assistant, which sees the seal at its next connection.
"""

from __future__ import annotations

import sys

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.network import NetworkState, show_network, told_seal
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.security.seal import Seal

_DAYS = 7


def run_network_command(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """`network list` and `network seal on|off`.

    Raises:
        StorageError: the seal cannot be moved, or the book not be read.
    """
    with Seal(paths.home, clock) as seal:
        if arguments.action == "seal":
            if arguments.name == "on":
                seal.close_it()
            else:
                seal.open_it()
            sent = seal.sent_today()
            return told_seal(seal.closed, sent, arguments.json, language, sys.stdout)
        days = arguments.number or _DAYS
        tools = loaded.config.tools
        state = NetworkState(
            seal.closed,
            seal.sent_today(),
            tools.web_fetch.fetch_enabled,
            tools.web_search.search_enabled,
            days,
            seal.passages(days),
        )
        return show_network(state, arguments.json, language, sys.stdout)
