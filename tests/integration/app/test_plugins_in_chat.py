"""`/plugins`: how they stand, one renewed, and nothing of it for anybody but the owner."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from moltbot_desktop.app.plugin_commands import PluginCommands
from moltbot_desktop.app.plugin_methods import plugin_methods
from moltbot_desktop.app.plugins_in_chat import plugins_command
from moltbot_desktop.app.plugins_off import PluginsOff
from moltbot_desktop.core.errors import PluginInvalid, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.gateway.commands.ports import CommandCall as GatewayCall
from moltbot_desktop.plugins.host import PluginHost
from moltbot_desktop.sdk.plugins import CommandCall, PluginCommand
from tests.fakes.plugins import Ground, LendsLittle, Remembers, make_plugin

CODE = """
from moltbot_desktop.sdk.plugins import *
def register(api):
    api.register_command(PluginCommand("sun", "first", "太阳", print))
"""


def call(words: str, *, owner: bool = True) -> CommandCall:
    session = SessionKey("agent:main:main")
    return CommandCall(words, session, Language.ENGLISH, "desktop", "", owner=owner)


@pytest.mark.expect_log
def test_they_are_shown_and_renewed_for_the_owner_alone(tmp_path: Path) -> None:
    ground, effects = Ground(tmp_path / "extensions"), Remembers()
    make_plugin(ground.folder, "sun", CODE)
    make_plugin(ground.folder, "rain")
    ground.on("sun")

    async def story() -> None:
        host = PluginHost(
            ground.survey, LendsLittle(tmp_path), effects, asyncio.to_thread, Language.ENGLISH
        )
        handler = plugins_command(host).handler

        async def said(words: str, *, owner: bool = True) -> str:
            return str(await handler(call(words, owner=owner)))  # type: ignore[misc]

        assert "no plugins" in await said("")
        await host.follow()
        assert "- sun: on" in await said("") and "- rain: off" in await said("list")
        make_plugin(ground.folder, "sun", CODE.replace("first", "second"))
        assert "owner" in await said("reload sun", owner=False)
        assert effects.taken["sun"].commands[0].english == "first"
        assert "renewed" in await said("reload sun")
        assert effects.taken["sun"].commands[0].english == "second"
        make_plugin(ground.folder, "sun", "1/0")
        assert "ZeroDivisionError" in await said("reload sun")
        assert effects.taken == {}
        assert "off" in await said("reload rain")
        assert "no plugin" in await said("reload nobody")
        assert "/plugins reload NAME" in await said("renew")
        await host.close()

    asyncio.run(story())


def test_no_plugin_takes_a_name_that_somebody_has() -> None:
    commands = PluginCommands(Language.ENGLISH)
    mine = PluginCommand("plugins", "a", "b", lambda _call: "mine")
    remove = commands.add([mine])
    with pytest.raises(PluginInvalid):
        commands.add([PluginCommand("plugins", "a", "b", lambda _call: "theirs")])
    remove()
    assert commands.commands() == {}


@pytest.mark.expect_log
def test_over_the_socket_they_are_shown_and_renewed(tmp_path: Path) -> None:
    ground, effects = Ground(tmp_path / "extensions"), Remembers()
    make_plugin(ground.folder, "sun", CODE)
    make_plugin(ground.folder, "rain")
    ground.on("sun")

    async def story() -> None:
        host = PluginHost(
            ground.survey, LendsLittle(tmp_path), effects, asyncio.to_thread, Language.ENGLISH
        )
        methods = {one.name: one.answer for one in plugin_methods(host)}

        async def asked(what: str, **params: str) -> list[tuple[str, str]]:
            told = json.loads(json.dumps(await methods[f"plugins.{what}"](params)))
            return [(one["id"], one["status"]) for one in told["plugins"]]

        await host.follow()
        assert await asked("status") == [("rain", "off"), ("sun", "on")]
        make_plugin(ground.folder, "sun", CODE.replace("first", "second"))
        assert await asked("reload") == [("sun", "on")]
        assert effects.taken["sun"].commands[0].english == "second"
        make_plugin(ground.folder, "sun", "1/0")
        assert await asked("reload", name="sun") == [("sun", "broken")]
        make_plugin(ground.folder, "sun", CODE)
        assert await asked("reload") == [("sun", "on")], "one that was broken is tried again"
        with pytest.raises(UserInputInvalid):
            await asked("reload", name="rain")
        await host.close()

    asyncio.run(story())


def test_whoever_types_a_command_of_a_plugin_that_is_off_is_told_so(tmp_path: Path) -> None:
    """By its id, and by what its manifest says it registers; one that works answers for itself."""
    ground, effects = Ground(tmp_path / "extensions"), Remembers()
    make_plugin(ground.folder, "sun", CODE, commands=["/Sunrise", "status", "no name"])
    off = PluginsOff()
    assert off.commands() == {}

    async def story() -> None:
        host = PluginHost(
            ground.survey, LendsLittle(tmp_path), effects, asyncio.to_thread, Language.ENGLISH
        )
        off.follow(host.records)
        await host.follow()
        names = off.commands()
        assert set(names) == {"sun", "sunrise"} and all(one.hidden for one in names.values())
        assert off.commands() is names
        session = SessionKey("agent:main:main")
        for language in Language:
            reply = await off.answer(GatewayCall("sunrise", "now", session, language))
            assert not reply.ok and "plugins enable sun" in reply.text and "/sunrise" in reply.text
        ground.on("sun")
        await host.follow()
        assert off.commands() == {}
        await host.close()

    asyncio.run(story())
