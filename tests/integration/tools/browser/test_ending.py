"""A browser that is killed, closed or left alone: nothing stays, and its profile is good again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.security.forward_door import LocalHosts
from moltbot_desktop.tools.browser.settings import BrowserSettings
from tests.fakes.openai_server import CERTIFICATE
from tests.fakes.pages import served
from tests.integration.tools.browser.conftest import PROGRAM, Desk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(autouse=True)
def _closed_after_each(desk: Desk) -> Iterator[None]:
    """What waits for a browser's end belongs to the test that started it."""
    yield
    desk.call(action="stop")


def users_of(profile: Path) -> list[int]:
    """Processes that name the profile, those that have ended and wait to be buried among them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(profile) in words:
            found.append(int(folder.name))
    return found


def main_process(profile: Path) -> int:
    return int(str((profile / "SingletonLock").readlink()).rpartition("-")[2])


def until(holds: Callable[[], bool]) -> None:
    """Wait for it; the test's own time limit ends what never comes."""
    while not holds():
        time.sleep(0.05)


def test_a_killed_browser_is_started_anew_with_what_it_knew(desk: Desk) -> None:
    desk.settings = replace(desk.settings, evaluate=True)
    desk.open("/next")
    keeping = "document.cookie = 'known=yes; max-age=1000'"
    desk.act("evaluate", request={"fn": keeping})
    desk.call(action="stop")  # cookies are on the disk now
    desk.open("/next")
    os.kill(main_process(desk.settings.profile), signal.SIGKILL)
    until(lambda: not desk.call(action="status").data["running"])
    gone = desk.call(action="snapshot")
    assert "no page is open" in str(gone.data["error"])
    desk.open("/next")
    cookie = desk.act("evaluate", request={"fn": "document.cookie"})
    assert cookie.data["result"] == '"known=yes"'
    desk.settings = replace(desk.settings, evaluate=False)


def test_a_browser_killed_in_the_middle_of_an_act_is_told(desk: Desk) -> None:
    desk.open("/next")
    process = main_process(desk.settings.profile)

    async def during() -> object:
        waiting = asyncio.ensure_future(desk.called(action="act", kind="wait", text="never"))
        await asyncio.sleep(0.3)
        os.kill(process, signal.SIGKILL)
        return (await waiting).data["error"]

    told = str(desk.run(during()))  # a busy machine may not have come to the act before
    assert "closed meanwhile" in told or "no page is open" in told


def test_it_is_closed_when_nobody_uses_it(desk: Desk) -> None:
    desk.settings = replace(desk.settings, idle_seconds=0.5)
    desk.open("/next")
    until(lambda: not users_of(desk.settings.profile))
    desk.settings = replace(desk.settings, idle_seconds=600.0)
    assert desk.call(action="status").data["running"] is False
    assert desk.open("/next").ok


def test_a_cancelled_run_leaves_the_browser_usable(desk: Desk) -> None:
    desk.open("/next")

    async def cancelled() -> None:
        waiting = asyncio.ensure_future(desk.called(action="act", kind="wait", text="never"))
        await asyncio.sleep(0.2)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    desk.run(cancelled())
    assert desk.call(action="snapshot").ok


_PROGRAM = """
import asyncio, sys
from pathlib import Path
from moltbot_desktop.security.forward_door import LocalHosts
from moltbot_desktop.sdk.tools import ToolInput
from moltbot_desktop.tools.browser.house import BrowserHouse
from moltbot_desktop.tools.browser.keeper import Keeper
from moltbot_desktop.security.forward_door import LocalHosts
from moltbot_desktop.tools.browser.settings import BrowserSettings
from moltbot_desktop.tools.browser.tool import Browser
from moltbot_desktop.tools.web.addresses import ReadAddresses
from tests.fakes.tool_context import tool_context
from tests.fakes.way import FakeWay
profile, program, sandbox, url, workspace = sys.argv[1:]
settings = BrowserSettings(Path(profile), headless=True, sandbox=sandbox == "yes",
                           local=LocalHosts.of([url.split("/")[2]]))
house = BrowserHouse(lambda: Keeper, lambda: settings, lambda _: Path(program), FakeWay(),
                     lambda: False)
tool = Browser(house, ReadAddresses())
given = ToolInput({"action": "open", "url": url})
result = asyncio.run(tool.wait(given, tool_context(Path(workspace))))
print(result.data.get("title") or result.data, flush=True)
if url.endswith("stay"):
    sys.stdin.read()
house.close()
"""


def another_program(settings: BrowserSettings, url: str, workspace: Path) -> subprocess.Popen[str]:
    sandbox = "yes" if settings.sandbox else "no"
    words = [str(settings.profile), str(PROGRAM), sandbox, url, str(workspace)]
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[4],
    )


def test_a_killed_program_leaves_no_browser_and_a_profile_that_is_good_again(
    desk: Desk, tmp_path: Path
) -> None:
    desk.site.pages["/stay"] = "<title>Stays</title>"
    settings = replace(desk.settings, profile=tmp_path / "state" / "profile")
    with another_program(settings, desk.site.at("/stay"), tmp_path) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "Stays\n"
        with another_program(settings, desk.site.at("/next"), tmp_path) as beside:
            assert beside.stdout is not None
            assert "another Moltbot is using the browser" in beside.stdout.read()
        assert users_of(settings.profile)
        first.kill()
    with another_program(settings, desk.site.at("/next"), tmp_path) as second:
        assert second.stdout is not None
        assert second.stdout.readline() == "Next\n"
    assert second.returncode == 0
    until(lambda: not users_of(settings.profile))


def test_a_running_browser_is_connected_to_and_its_pages_reach_no_further(
    desk: Desk, tmp_path: Path
) -> None:
    assert PROGRAM is not None
    walls = () if desk.settings.sandbox else ("--no-sandbox",)
    words = ("--headless", "--remote-debugging-port=0", f"--user-data-dir={tmp_path}", *walls)
    with subprocess.Popen(
        [PROGRAM, *words, "about:blank"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as browser:
        try:
            port = tmp_path / "DevToolsActivePort"
            until(lambda: port.exists() and bool(port.read_text().strip()))
            address = f"http://127.0.0.1:{port.read_text().splitlines()[0]}"
            desk.call(action="stop")
            desk.settings = replace(desk.settings, connect=address)
            assert desk.open("/next").data["title"] == "Next"
            assert desk.call(action="status").data["profile"] == "connected"
            with served() as secret:
                desk.site.pages["/reaches"] = f"<script>fetch('{secret.at()}')</script><p>Hi</p>"
                desk.open("/reaches")
                desk.act("wait", request={"timeMs": 300})
                assert secret.asked == []
            assert desk.call(action="stop").ok
            assert browser.poll() is None  # it is not ours to end
        finally:
            desk.settings = replace(desk.settings, connect="")
            browser.terminate()


def test_encryption_is_the_browsers_own_and_a_strangers_certificate_is_told(desk: Desk) -> None:
    """The tunnel carries it; nobody in between can read it, or take a certificate for good."""
    with served(CERTIFICATE) as secret:
        local = (*desk.settings.local.ports, ("127.0.0.1", secret.port))
        desk.settings = replace(desk.settings, local=LocalHosts(frozenset(local)))
        desk.call(action="stop")  # its rules are those of its start
        refused = desk.call(action="open", url=f"https://127.0.0.1:{secret.port}/next")
        assert "ERR_CERT_AUTHORITY_INVALID" in str(refused.data["error"])
        assert secret.asked == []
        assert desk.way.opened == []  # nor did the browser try to find out why
