"""A library that is missing: each channel says so on its page and in `channels status`, with the
line that installs it, and the others go on. For a wrong token and for a server that is gone
`ChannelContract` looks at the same page.
"""

from __future__ import annotations

import asyncio
import contextlib
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

from moltbot_desktop.core.errors import GatewayError
from moltbot_desktop.sdk.panels import Tone
from tests.contract.test_every_channel import bundled
from tests.fakes.channel_page import Shown, read
from tests.fakes.pigeon_platform import TOKEN, PigeonPlatform, add_plugin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it is ended by a signal")

LIBRARIES = {
    "dingtalk": ("server", "aiohttp"),
    "discord": ("discord", "discord"),
    "email": ("email", "imap_tools"),
    "feishu": ("server", "aiohttp"),
    "matrix": ("matrix", "nio"),
    "mattermost": ("server", "aiohttp"),
    "mqtt": ("mqtt", "aiomqtt"),
    "signal": ("server", "aiohttp"),
    "slack": ("server", "aiohttp"),
    "telegram": ("server", "aiohttp"),
    "webchat": ("server", "aiohttp"),
    "xmpp": ("xmpp", "slixmpp"),
}
"""Extra and library, of channels that need one."""
WITHOUT = {"irc"}
"""Needs none; its server is gone."""
PATIENCE_SECONDS = 90.0
DEAD = 9
"""Nobody serves the port “discard” on this machine, and nobody may without being asked."""
_NOWHERE = f"http://127.0.0.1:{DEAD}"
ACCOUNTS: Mapping[str, Mapping[str, object]] = {
    "dingtalk": {"clientId": "ding1", "clientSecret": "no"},
    "discord": {"token": "x" * 24 + "." + "y" * 6 + "." + "z" * 38},
    "email": {"address": "molty@test.local", "password": "pw", "imapHost": "127.0.0.1"},
    "feishu": {"appId": "cli_1", "appSecret": "no", "apiRoot": _NOWHERE},
    "irc": {"host": "127.0.0.1", "port": DEAD, "tls": False, "nick": "molty"},
    "matrix": {"homeserver": _NOWHERE, "userId": "@molty:lab.local", "password": "pw"},
    "mattermost": {"baseUrl": _NOWHERE, "botToken": "no"},
    "mqtt": {"host": "127.0.0.1", "port": DEAD, "tls": False},
    "signal": {"account": "+15550000001", "httpUrl": _NOWHERE},
    "slack": {"botToken": "xoxb-1", "appToken": "xapp-1", "apiRoot": f"{_NOWHERE}/api"},
    "telegram": {"botToken": "1:abc", "apiRoot": _NOWHERE},
    "webchat": {"port": 0},
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

    def __init__(self, home: Path) -> None:
        self.home = home

    def stands(self, channel: str, *states: str) -> Shown:
        """Wait until its account stands so; what is told of it then."""
        last, told = time.monotonic() + PATIENCE_SECONDS, None
        while time.monotonic() < last:
            with contextlib.suppress(GatewayError):
                told = read(self.home, channel)
                if told.reports["main"]["state"] in states:
                    return told
            time.sleep(0.1)
        raise AssertionError(f"{channel}: {told}")


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
        yield Trouble(home)
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
        missing = ",".join(sorted({library for _, library in LIBRARIES.values()}))
        with running(folder, checkout, accounts, missing) as program:
            yield program


@pytest.mark.parametrize("channel", LIBRARIES)
def test_a_library_that_is_missing_is_told_with_the_line_that_installs_it(
    trouble: Trouble, channel: str
) -> None:
    told, (extra, library) = trouble.stands(channel, "failed"), LIBRARIES[channel]
    page, problem = told.rows["main"], str(told.reports["main"]["lastError"])
    assert page.tone is Tone.BAD and library in problem and problem in page.detail
    [line] = [one.copies for one in page.actions if one.copies]
    assert line == f"pip install 'moltbot-desktop[{extra}]'" and line in problem


def test_what_has_its_library_goes_on(trouble: Trouble) -> None:
    gone = trouble.stands("irc", "backoff")
    problem = str(gone.reports["main"]["lastError"])
    assert problem in gone.rows["main"].detail and gone.rows["main"].tone is Tone.BAD
    assert trouble.stands("pigeon", "online").rows["main"].tone is Tone.GOOD


def test_each_bundled_channel_is_looked_at() -> None:
    assert set(bundled()) == LIBRARIES.keys() | WITHOUT == ACCOUNTS.keys()
