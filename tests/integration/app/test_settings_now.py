"""What is saved in the window holds when it is saved; the chat tells of others' edits alone."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from moltbot_desktop.app import settings_now
from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.settings_desk import FileSettingsDesk
from moltbot_desktop.app.settings_now import SettingsNow
from moltbot_desktop.app.settings_pages import SettingsPages
from moltbot_desktop.config.live import LiveConfig
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.fakes.key_ring import MemoryKeyRing
from tests.fakes.obedient import obedient


class Window:
    """What the settings window asks for, on a thread of its own, beside an assistant."""

    def __init__(self, home: Path, checkout: Path, language: Language = Language.ENGLISH) -> None:
        self.paths, self.language = Paths(home, home.parent, checkout), language
        self.plugins, self.now = PluginsNow(language), SettingsNow(home, language)
        pages = SettingsPages(self.paths, {}, language, SystemClock(""), self.plugins)
        store = SecretStore(home / SECRET_NAMES_FILE, MemoryKeyRing)
        self.desk = FileSettingsDesk(pages, store, self.plugins, self.now)
        self.told: list[ClientEvent] = []
        self.held: list[Config] = []

    async def save(self, *place: str, value: object) -> str:
        """Save one setting; what is told of it."""

        def saved() -> str:
            form = self.desk.open("general").put(place, value)  # type: ignore[arg-type]
            self.desk.save("general", form)
            return self.desk.waiting()

        return await asyncio.to_thread(saved)

    @property
    def notices(self) -> list[str]:
        texts = [one.text for one in self.told if isinstance(one, Notice)]
        return [one for one in texts if "moltbot.json" in one]

    async def until(self, said: Callable[[], bool]) -> None:
        while not said():
            await asyncio.sleep(0.01)

    def edit(self, text: str) -> None:
        """As an editor does it."""
        (self.paths.home / "moltbot.json").write_text(text)


def played(window: Window, story: Callable[[], Awaitable[None]]) -> None:
    window.paths.home.mkdir(exist_ok=True)
    window.edit("{}")

    async def whole() -> None:
        options = AssistantOptions(
            window.language,
            stays=True,
            settings_now=window.now,
            on_settings=window.held.append,
        )
        loaded = load_config(window.paths.home)
        async with (
            asyncio.timeout(60),
            open_assistant(window.paths, loaded, SystemClock(""), options) as client,
        ):
            client.subscribe(window.told.append)
            await story()

    with obedient():
        asyncio.run(whole())


@pytest.fixture
def window(tmp_path: Path, checkout: Path) -> Window:
    return Window(tmp_path / "home", checkout)


def test_what_is_saved_holds_at_once_and_is_not_told_in_the_chat(window: Window) -> None:
    async def story() -> None:
        assert await window.save("ui", "theme", value="dark") == ""
        assert window.held[-1].ui.theme == "dark"
        # The watch sees the file too; what somebody else writes is told, and nothing but that.
        window.edit('{ui: {theme: "dark"}, commands: {bash: true}}')
        await window.until(lambda: bool(window.notices))
        assert window.notices == ["moltbot.json was changed. In force now: commands.bash."]

    played(window, story)


def test_what_takes_a_new_start_is_told_where_it_was_saved(window: Window) -> None:
    async def story() -> None:
        assert await window.save("ui", "language", value="zh") == (
            "In force from the next start on: Language."
        )
        told = await window.save("models", "threads", value=2)
        assert told == "In force from the next start on: Threads, Language."
        assert await window.save("ui", "language", value="auto") == (
            "In force from the next start on: Threads."
        ), "as it was at the start: nothing waits for it"
        window.edit("{models: {threads: 3}}")
        await window.until(lambda: bool(window.notices))
        [told] = window.notices
        assert told == "moltbot.json was changed. In force from the next start on: models.threads."

    played(window, story)


def test_many_that_wait_are_counted(window: Window) -> None:
    names = ("threads", "gpuLayers", "idleMinutes", "contextTokens", "savedStateMb", "kvCache")

    async def story() -> None:
        told = ""
        for name in names:
            value = "q8_0" if name == "kvCache" else 1024
            told = await window.save("models", name, value=16 if name == "threads" else value)
        assert told.endswith("and 1 more.")

    played(window, story)


def test_in_chinese_too(tmp_path: Path, checkout: Path) -> None:
    window = Window(tmp_path / "home", checkout, Language.CHINESE)

    async def story() -> None:
        assert await window.save("ui", "language", value="en") == "下次启动后生效：语言。"

    played(window, story)


def test_without_an_assistant_it_is_saved_all_the_same(window: Window) -> None:
    window.paths.home.mkdir()
    window.desk.save("general", window.desk.open("general").put(("ui", "theme"), "dark"))
    assert window.desk.open("general").saved == {"ui": {"theme": "dark"}}
    assert window.desk.waiting() == ""


def test_a_file_that_cannot_be_used_changes_nothing(window: Window) -> None:
    async def story() -> None:
        await window.save("ui", "theme", value="dark")
        window.edit("{ui: ")
        await asyncio.to_thread(window.now.written)
        assert window.held[-1].ui.theme == "dark"

    played(window, story)


def test_who_waits_while_the_assistant_ends_waits_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window's worker would hold up the end of the program."""
    monkeypatch.setattr(settings_now, "_PATIENCE_SECONDS", 600.0)
    now = SettingsNow(tmp_path, Language.ENGLISH)
    worker = threading.Thread(target=now.written, daemon=True)

    async def scene() -> None:
        live = LiveConfig(tmp_path, load_config(tmp_path), Language.ENGLISH)
        now.open(live, asyncio.get_running_loop())
        worker.start()
        while not now._waiting:  # the loop takes nothing while it stands still
            time.sleep(0.001)
        now.close()
        worker.join(60)
        assert not worker.is_alive()

    asyncio.run(scene())
