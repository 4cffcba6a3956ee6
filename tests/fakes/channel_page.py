"""What a person is told of a channel's accounts, in the settings window and in the shell.

told = await shown(home, "telegram")           # while the assistant in `home` runs
told.rows["main"], told.reports["main"]        # of its page, of `channels status --json`
assert says_what_to_do(told.reports["main"]["lastError"])
"""

from __future__ import annotations

import asyncio
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moltbot_desktop.app.channel_panel import ChannelPanels
from moltbot_desktop.app.channel_setup import ChannelSetup
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.running_command import asking
from moltbot_desktop.cli.channels import run_channels
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.sdk.panels import PanelRow
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.fakes.key_ring import MemoryKeyRing

_CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Shown:
    """By account."""

    rows: Mapping[str, PanelRow]
    reports: Mapping[str, Mapping[str, Any]]


async def shown(home: Path, channel: str) -> Shown:
    return await asyncio.to_thread(read, home, channel)


def read(home: Path, channel: str) -> Shown:
    """The same for another thread than the assistant's."""
    paths, store = Paths(home, home.parent, _CHECKOUT), SecretStore(_names(home), MemoryKeyRing)
    # Asked once: a moment later it may stand otherwise.
    now, out = asking(paths, Language.ENGLISH)("channels.status", {}), io.StringIO()

    def ask(method: str, params: JsonObject) -> JsonValue:
        assert (method, params) == ("channels.status", {})
        return now

    setup = ChannelSetup(paths, {}, Language.ENGLISH, store)
    panels = ChannelPanels(setup, ask, paths, SystemClock(), Language.ENGLISH)
    run_channels(ask, Arguments("channels", action="status", json=True), Language.ENGLISH, out)
    reports = [row for row in json.loads(out.getvalue()) if row["channel"] == channel]
    rows = [row for part in panels.channel(channel) for row in part.rows]
    return Shown(
        {row.text.partition(": ")[0]: row for row in rows if ": " in row.text},
        {row["accountId"]: row for row in reports},
    )


def says_what_to_do(problem: str) -> bool:
    """Behind what is wrong there is a sentence more."""
    return len(re.findall(r"[\w)”’'`][.?!](?=\s|$)", problem)) > 1


def _names(home: Path) -> Path:
    return home / SECRET_NAMES_FILE
