"""The first channel of a program that was started with none comes and goes with the settings."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from moltbot_desktop.app.assistant import AssistantOptions, open_assistant
from moltbot_desktop.app.channel_setup import ChannelSetup
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.rpc.client import connected
from moltbot_desktop.gateway.rpc.door import socket_path
from moltbot_desktop.gateway.rpc.frames import RpcFailure
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from tests.fakes.channel_contract import Program, until
from tests.fakes.obedient import ObedientModel, obedient
from tests.fakes.pigeon_platform import TOKEN, PigeonPlatform, add_plugin

_CHECKOUT = Path(__file__).resolve().parents[3]
NOTHING: Mapping[str, Any] = {
    "agents": {
        "defaults": {
            "memorySearch": {"enabled": False},
            "envelopeTimestamp": "off",
            "envelopeElapsed": "off",
        }
    },
    "messages": {"inbound": {"debounceMs": 0}, "ackReaction": ""},
}


@dataclass
class Scene:
    program: Program
    platform: PigeonPlatform
    model: ObedientModel

    def write(self, settings: Mapping[str, Any]) -> None:
        (self.program.home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")

    @property
    def pigeons(self) -> Mapping[str, Any]:
        account = {"port": self.platform.port, "token": TOKEN}
        channel = {"dmPolicy": "allowlist", "allowFrom": ["ada"], **account}
        entries = {"pigeon": {"enabled": True}}
        return {**NOTHING, "plugins": {"entries": entries}, "channels": {"pigeon": channel}}

    @property
    def texts(self) -> list[str]:
        return [one.text for one in self.platform.posts.values()]

    @property
    def notices(self) -> list[str]:
        return [one.text for one in self.program.told if isinstance(one, Notice)]


@asynccontextmanager
async def running(folder: Path, settings: Mapping[str, Any]) -> AsyncIterator[Scene]:
    home, platform = folder / ".moltbot", PigeonPlatform()
    home.mkdir(parents=True)
    add_plugin(home)
    await platform.start()
    scene = Scene(Program(home, [], None), platform, ObedientModel())  # type: ignore[arg-type]
    scene.write(settings)
    options = AssistantOptions(Language.ENGLISH, stays=True)
    paths = Paths(home, home.parent, _CHECKOUT)
    try:
        with obedient() as models:
            models["obedient"] = scene.model
            async with open_assistant(paths, load_config(home), SystemClock(), options) as client:
                scene.program.window = client
                client.subscribe(scene.program.told.append)
                yield scene
    finally:
        await platform.stop()


def play(
    folder: Path,
    story: Callable[[Scene], Coroutine[Any, Any, None]],
    settings: Mapping[str, Any] = NOTHING,
) -> None:
    async def whole() -> None:
        async with running(folder, settings) as scene:
            await story(scene)

    asyncio.run(whole())


def is_end(event: ClientEvent, run_id: RunId) -> bool:
    return isinstance(event, RunEnded) and event.run_id == run_id


def channel_threads() -> list[str]:
    return [one.name for one in threading.enumerate() if one.name.startswith("channel-")]


def test_it_comes_with_the_settings_and_goes_with_them(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        assert not (scene.program.home / "mail.sqlite").exists() and channel_threads() == []
        scene.write(scene.pigeons)
        await scene.program.stands("pigeon", "default", "online")
        await scene.platform.say("1", "hello", sender="ada")
        await until(lambda: scene.texts == ["hello"])
        assert not any("start" in one for one in scene.notices)  # nothing waits for another one

        scene.write(NOTHING)
        await until(lambda: channel_threads() == [])
        assert await scene.program.accounts("pigeon") == {}

        scene.write(scene.pigeons)
        await scene.program.stands("pigeon", "default", "online")
        await scene.platform.say("2", "again", sender="ada")
        await until(lambda: scene.texts == ["hello", "again"])

    play(tmp_path, story)


@pytest.mark.expect_log("does not fit")
def test_what_the_reference_has_and_nothing_reads_yet_refuses_no_account(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        channel = {**scene.pigeons["channels"]["pigeon"], "historyLimit": 5, "dms": {}}
        scene.write({**scene.pigeons, "channels": {"pigeon": channel}})
        row = await scene.program.stands("pigeon", "default", "online")
        assert row["notUsed"] == ["historyLimit", "dms"] and "lastError" not in row
        await scene.platform.say("1", "hello", sender="ada")
        await until(lambda: scene.texts == ["hello"])

        scene.write({**scene.pigeons, "channels": {"pigeon": {**channel, "tokn": "x"}}})
        row = await scene.program.stands("pigeon", "default", "failed")
        assert "tokn" in row["lastError"] and "“token”" in row["lastError"]

    play(tmp_path, story)


def test_the_tool_that_writes_to_people_comes_and_goes_with_it(tmp_path: Path) -> None:
    async def found(scene: Scene, number: int) -> bool:
        """Whether the agent finds `message`."""
        asked = f'find_tool {{"words": "messages to somebody on a channel, try {number}"}}'
        run_id = scene.program.window.send(asked)
        await until(lambda: any(is_end(one, run_id) for one in scene.program.told))
        return "message" in scene.model.tools

    async def story(scene: Scene) -> None:
        assert not await found(scene, 1)
        scene.write(scene.pigeons)
        await scene.program.stands("pigeon", "default", "online")
        assert await found(scene, 2)
        scene.write(NOTHING)
        await until(lambda: channel_threads() == [])
        assert not await found(scene, 3)

    play(tmp_path, story)


@pytest.mark.expect_log
def test_a_login_opens_the_first_channel(tmp_path: Path) -> None:
    """As `channels login` in a shell and the page in the settings window do it."""

    async def story(scene: Scene) -> None:
        home = scene.program.home
        setup = ChannelSetup(
            Paths(home, home.parent, _CHECKOUT),
            {},
            Language.ENGLISH,
            SecretStore(home / SECRET_NAMES_FILE),
        )
        await asyncio.to_thread(setup.log_in, "irc", "", {"host": "127.0.0.1"})
        row = await scene.program.stands("irc", "default", "backoff", "starting", "online")
        assert row["enabled"] and channel_threads() == ["channel-irc-default"]
        await asyncio.to_thread(setup.log_out, "irc", "")
        await scene.program.stands("irc", "default", "stopped")
        await until(lambda: channel_threads() == [])

    play(tmp_path, story)


def test_before_it_is_there_nothing_is_sent_and_nobody_is_asked(tmp_path: Path) -> None:
    async def story(scene: Scene) -> None:
        asked = {"channel": "pigeon", "to": "ada", "message": "hi", "idempotencyKey": "k"}
        async with connected(socket_path(scene.program.home)) as assistant:
            with pytest.raises(RpcFailure, match="No channel is set up here"):
                await assistant.call("send", asked)

    play(tmp_path, story)


def test_another_process_that_has_the_channels_is_told_once_and_followed(tmp_path: Path) -> None:
    """Whoever was first at the mail book keeps it; when they go, the next change opens it here."""

    async def story(scene: Scene) -> None:
        home = scene.program.home
        other = MailBook(home / "mail.sqlite", SystemClock(), lambda: "id")
        assert other.take_charge()
        scene.write(scene.pigeons)
        await until(lambda: any("runs the channels" in one for one in scene.notices))
        row = (await scene.program.accounts("pigeon"))["default"]
        assert (row["running"], row["state"]) == (False, "stopped")
        assert "another Moltbot Desktop" in row["lastError"]
        other.close()
        scene.write({**scene.pigeons, "messages": {"inbound": {"debounceMs": 1}}})
        await scene.program.stands("pigeon", "default", "online")
        assert len([one for one in scene.notices if "runs the channels" in one]) == 1

    play(tmp_path, story)
