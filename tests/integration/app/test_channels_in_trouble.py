"""A library that is missing and a server that is gone: each channel says so on its page and in
`channels status`, and the others go on. (A wrong token: `ChannelContract`.)
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.app.channel_panel import ChannelPanels
from moltbot_desktop.app.channel_setup import ChannelSetup
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.running_command import asking
from moltbot_desktop.cli.channels import run_channels
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.errors import GatewayError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.sdk.panels import PanelRow, Tone
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.fakes.key_ring import MemoryKeyRing
from tests.fakes.pigeon_platform import TOKEN, PigeonPlatform, add_plugin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it is ended by a signal")

LIBRARIES = {
    "discord": "discord",
    "email": "imap_tools",
    "matrix": "nio",
    "mqtt": "aiomqtt",
    "xmpp": "slixmpp",
}
"""Of channels whose library nothing else in the program needs."""
PATIENCE_SECONDS = 90.0
DEAD = 9
"""Nobody serves the port “discard” on this machine, and nobody may without being asked."""
ACCOUNTS: Mapping[str, Mapping[str, object]] = {
    "discord": {"token": "x" * 24 + "." + "y" * 6 + "." + "z" * 38},  # never gets as far
    "email": {
        "address": "molty@test.local",
        "password": "pw",
        "imapHost": "127.0.0.1",
        "imapPort": DEAD,
        "imapSecurity": "none",
        "smtpHost": "127.0.0.1",
        "smtpPort": DEAD,
        "smtpSecurity": "none",
        "authservId": "mx.test.local",
    },
    "irc": {"host": "127.0.0.1", "port": DEAD, "tls": False, "nick": "molty"},
    "matrix": {
        "homeserver": f"http://127.0.0.1:{DEAD}",
        "userId": "@molty:lab.local",
        "password": "pw",
    },
    "mqtt": {"host": "127.0.0.1", "port": DEAD, "tls": False},
    "slack": {
        "botToken": "xoxb-1",
        "appToken": "xapp-1",
        "apiRoot": f"http://127.0.0.1:{DEAD}/api",
    },
    "telegram": {"botToken": "1:abc", "apiRoot": f"http://127.0.0.1:{DEAD}"},
    "xmpp": {"jid": "molty@localhost", "password": "pw", "host": "127.0.0.1", "port": DEAD},
}
SERVE = """
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None                # as if it were not installed
from moltbot_desktop.app.main import main
sys.exit(main(["serve"]))
"""
State = Mapping[str, Any]


class Trouble:
    """A program with an account of each channel, and a pigeon that all goes well for."""

    def __init__(self, home: Path, checkout: Path) -> None:
        paths = Paths(home, home.parent, checkout)
        self.ask = asking(paths, Language.ENGLISH)
        store = SecretStore(home / SECRET_NAMES_FILE, MemoryKeyRing)
        setup = ChannelSetup(paths, {}, Language.ENGLISH, store)
        clock = SystemClock()
        self.panels = ChannelPanels(setup, self.ask, paths, clock, Language.ENGLISH)

    def row(self, channel: str) -> State:
        try:
            told: Any = self.ask("channels.status", {})
        except GatewayError:
            return {}
        return next(iter(told["channelAccounts"].get(channel, ())), {})

    def stands(self, channel: str, *states: str) -> State:
        last = time.monotonic() + PATIENCE_SECONDS
        while (row := self.row(channel)).get("state") not in states:
            assert time.monotonic() < last, f"{channel}: {row}"
            time.sleep(0.1)
        return row

    def page(self, channel: str) -> PanelRow:
        rows = [one for part in self.panels.channel(channel) for one in part.rows]
        return next(one for one in rows if one.text.startswith("main: "))

    def shell(self) -> str:
        out = io.StringIO()
        arguments = Arguments("channels", action="status")
        run_channels(self.ask, arguments, Language.ENGLISH, out)
        return out.getvalue()

    def line(self, channel: str) -> str:
        """What the shell says of it."""
        return next(one for one in self.shell().splitlines() if one.startswith(f"{channel} main:"))


@contextmanager
def running(folder: Path, checkout: Path, accounts: State, without: str) -> Iterator[Trouble]:
    home = folder / ".moltbot"
    home.mkdir()
    add_plugin(home)
    channels = {name: {"accounts": {"main": one}} for name, one in accounts.items()}
    settings = {
        "plugins": {"entries": {name: {"enabled": True} for name in channels}},
        "channels": channels,
    }
    (home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")
    environment = {**os.environ, "MOLTBOT_HOME": str(home), "HOME": str(folder)}
    environment |= {"PYTHONPATH": str(checkout), "LANG": "en_US.UTF-8"}
    with (folder / "said").open("wb") as said:
        program = subprocess.Popen(
            [sys.executable, "-c", SERVE, without],
            env=environment,
            stdout=said,
            stderr=said,
            cwd=checkout,
        )
    try:
        yield Trouble(home, checkout)
    finally:
        program.send_signal(signal.SIGTERM)
        assert program.wait(PATIENCE_SECONDS) == 0, (folder / "said").read_text()[-2000:]


@contextmanager
def with_pigeons() -> Iterator[State]:
    """The account of a platform that is there; it lives on the loop that is given back."""
    loop, platform = asyncio.new_event_loop(), PigeonPlatform()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def done(work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(PATIENCE_SECONDS)

    try:
        done(platform.start())
        yield {"port": platform.port, "token": TOKEN}
        done(platform.stop())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture(scope="module")
def trouble(tmp_path_factory: pytest.TempPathFactory, checkout: Path) -> Iterator[Trouble]:
    """All at once: libraries that are missing, servers that are gone, and one that works."""
    folder = tmp_path_factory.mktemp("trouble")
    with with_pigeons() as pigeons:
        accounts = {**ACCOUNTS, "pigeon": pigeons}
        with running(folder, checkout, accounts, ",".join(LIBRARIES.values())) as program:
            yield program


@pytest.mark.parametrize("channel", LIBRARIES)
def test_a_library_that_is_missing_is_told_with_the_line_that_installs_it(
    trouble: Trouble, channel: str
) -> None:
    row = trouble.stands(channel, "failed")
    page = trouble.page(channel)
    assert page.tone is Tone.BAD and LIBRARIES[channel] in page.detail
    [line] = [one.copies for one in page.actions if one.copies]
    assert line == f"pip install 'moltbot-desktop[{channel}]'"
    assert line in str(row["lastError"]) and line in trouble.line(channel)
    trouble.stands("pigeon", "online")


@pytest.mark.parametrize("channel", sorted(ACCOUNTS.keys() - LIBRARIES.keys()))
def test_a_server_that_is_gone_is_told_on_the_page(trouble: Trouble, channel: str) -> None:
    row = trouble.stands(channel, "backoff")
    problem, page = str(row["lastError"]), trouble.page(channel)
    assert len(problem) > 10 and problem in page.detail and page.tone is Tone.BAD
    assert problem in trouble.line(channel)
    trouble.stands("pigeon", "online")
    assert trouble.page("pigeon").tone is Tone.GOOD
