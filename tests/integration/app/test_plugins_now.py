"""The plugins page over the running assistant: how a plugin stands now, and brought in anew."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from moltbot_desktop.app import plugin_life
from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.settings_desk import FileSettingsDesk
from moltbot_desktop.app.settings_pages import SettingsPages
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.plugins.host import PluginHost
from moltbot_desktop.sdk.forms import SettingsPage
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.fakes.key_ring import MemoryKeyRing
from tests.fakes.obedient import obedient
from tests.fakes.plugins import Ground, LendsLittle, Remembers, make_plugin

CODE = """
from moltbot_desktop.sdk.plugins import PluginService

class Tides:
    id = "tides"
    def __init__(self, state): self.state = state
    async def start(self):
        if (self.state / "no-sea").exists():
            raise OSError("the sea is gone")
    async def stop(self): pass

def register(api):
    if (api.runtime.state / "no-moon").exists():
        raise ValueError("there is no moon tonight")
    api.register_service(Tides(api.runtime.state))
"""
SLOW = """
import time

def register(api):
    while (api.runtime.state / "slow").exists():
        (api.runtime.state / "begun").touch()
        time.sleep(0.01)
"""
PAGE = "plugin:moon"


class Window:
    """What the settings window asks for, on a thread of its own."""

    def __init__(self, home: Path, checkout: Path, language: Language) -> None:
        self.paths = Paths(home, home.parent, checkout)
        self.now = PluginsNow(language)
        pages = SettingsPages(self.paths, {}, language, SystemClock(""), self.now)
        ring = MemoryKeyRing()
        self.desk = FileSettingsDesk(
            pages, SecretStore(home / SECRET_NAMES_FILE, lambda: ring), self.now
        )
        self.told: list[ClientEvent] = []

    async def page(self) -> SettingsPage:
        pages = await asyncio.to_thread(self.desk.pages)
        return next(one for one in pages if one.id == PAGE)

    async def reload(self) -> str:
        return await asyncio.to_thread(self.desk.reload, PAGE)

    @property
    def state(self) -> Path:
        return self.paths.home / "plugins" / "moon"


def played(
    home: Path,
    checkout: Path,
    story: Callable[[Window], Awaitable[None]],
    language: Language,
    code: str = CODE,
) -> Window:
    make_plugin(home / "extensions", "moon", code)
    (home / "moltbot.json").write_text("{plugins: {entries: {moon: {enabled: true}}}}")
    window = Window(home, checkout, language)

    async def whole() -> None:
        options = AssistantOptions(language, stays=True, plugins_now=window.now)
        loaded, clock = load_config(home), SystemClock("")
        async with (
            asyncio.timeout(60),
            open_assistant(window.paths, loaded, clock, options) as client,
        ):
            client.subscribe(window.told.append)
            await story(window)

    with obedient():
        asyncio.run(whole())
    return window


@pytest.mark.expect_log("register failed", "service tides", "is not used")
@pytest.mark.parametrize(
    ("language", "anew", "broken", "but"),
    [
        (Language.ENGLISH, "Brought in anew.", "not brought in", "But its service “tides”"),
        (Language.CHINESE, "已重新载入。", "没有载入", "它的服务“tides”没有启动"),
    ],
)
def test_a_plugin_is_brought_in_anew_and_says_what_went_wrong(
    tmp_path: Path, checkout: Path, language: Language, anew: str, broken: str, but: str
) -> None:
    async def story(window: Window) -> None:
        page = await window.page()
        assert page.renewable and "tides" not in page.note
        assert await window.reload() == anew

        (window.state / "no-moon").touch()
        assert broken in await window.reload()
        page = await window.page()
        assert page.renewable and "no moon tonight" in page.note
        (window.state / "no-moon").unlink()

        (window.state / "no-sea").touch()
        assert await window.reload() == anew
        assert but in (await window.page()).note
        (window.state / "no-sea").unlink()
        assert await window.reload() == anew

    window = played(tmp_path / "home", checkout, story, language)
    with pytest.raises(UserInputInvalid):
        window.desk.reload(PAGE)
    assert not next(one for one in window.desk.pages() if one.id == PAGE).renewable


def test_code_that_changed_is_not_brought_in_by_a_button(tmp_path: Path, checkout: Path) -> None:
    async def story(window: Window) -> None:
        path = window.paths.home / "extensions" / "moon" / "plugin.py"
        path.write_text(CODE + "\nprint('new')\n")
        page = await window.page()
        assert not page.renewable and "plugins trust moon" in page.note
        with pytest.raises(UserInputInvalid) as refused:
            await window.reload()
        assert "plugins trust moon" in refused.value.hint

    played(tmp_path / "home", checkout, story, Language.ENGLISH)


@pytest.mark.expect_log("service tides")
def test_a_service_that_does_not_start_is_told_in_the_chat(tmp_path: Path, checkout: Path) -> None:
    home = tmp_path / "home"
    (home / "plugins" / "moon").mkdir(parents=True)
    (home / "plugins" / "moon" / "no-sea").touch()

    async def story(window: Window) -> None:
        texts = [one.text for one in window.told if isinstance(one, Notice)]
        assert [one for one in texts if "“moon” is on, but its service “tides”" in one]

    played(home, checkout, story, Language.ENGLISH)


def test_who_waits_while_the_assistant_ends_is_told(tmp_path: Path) -> None:
    """The window's worker would wait for ever, and the program could not end."""
    ground, now = Ground(tmp_path / "extensions"), PluginsNow(Language.ENGLISH)
    make_plugin(ground.folder, "moon", SLOW)
    ground.on("moon")
    state = tmp_path / "state" / "moon"
    state.mkdir(parents=True)
    refused: list[UserInputInvalid] = []

    def wait() -> None:
        try:
            now.reload("moon")
        except UserInputInvalid as error:
            refused.append(error)

    async def scene() -> None:
        lender = LendsLittle(tmp_path / "state")
        host = PluginHost(
            ground.survey, lender, Remembers(), asyncio.to_thread, Language.ENGLISH, 60.0
        )
        await host.follow()
        now.open(host, asyncio.get_running_loop())
        (state / "slow").touch()
        worker = threading.Thread(target=wait)
        worker.start()
        while not (state / "begun").exists():
            await asyncio.sleep(0.01)
        now.close()
        await asyncio.to_thread(worker.join)
        (state / "slow").unlink()
        await host.close()
        async with asyncio.timeout(20):  # what came too late goes, too
            while any(name.startswith("moltbot_plugin_") for name in sys.modules):
                await asyncio.sleep(0.01)

    asyncio.run(scene())
    assert len(refused) == 1 and "does not run" in refused[0].message


def test_the_page_of_mcp_servers_knows_whether_the_assistant_runs(
    tmp_path: Path, checkout: Path
) -> None:
    async def story(window: Window) -> None:
        (part,) = window.desk.panel("mcp")
        assert "none yet" in part.empty

    window = played(tmp_path / "home", checkout, story, Language.ENGLISH)
    (part,) = window.desk.panel("mcp")
    assert "does not run" in part.empty


@pytest.mark.parametrize(
    ("language", "starting", "came"),
    [
        (Language.ENGLISH, "“moon” is not in yet: it is still starting", "“moon” is in now"),
        (Language.CHINESE, "“moon”还没有载入：它还在启动", "“moon”已载入"),
    ],
)
def test_a_plugin_that_hangs_does_not_hold_up_the_start(
    tmp_path: Path,
    checkout: Path,
    monkeypatch: pytest.MonkeyPatch,
    language: Language,
    starting: str,
    came: str,
) -> None:
    home = tmp_path / "home"
    slow = home / "plugins" / "moon" / "slow"
    slow.parent.mkdir(parents=True)
    slow.touch()
    monkeypatch.setattr(plugin_life, "PATIENCE_SECONDS", 0.1)

    async def story(window: Window) -> None:
        note = (await window.page()).note  # the assistant is there
        assert ("Not in yet" if language is Language.ENGLISH else "还没有载入") in note
        assert [one for one in texts(window) if starting in one]
        slow.unlink()
        while not any(came in one for one in texts(window)):
            await asyncio.sleep(0.01)
        assert starting not in (await window.page()).note

    def texts(window: Window) -> list[str]:
        return [one.text for one in window.told if isinstance(one, Notice)]

    played(home, checkout, story, language, SLOW)
