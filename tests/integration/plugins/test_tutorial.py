"""docs/PLUGINS.md is true: its files, put where it says, make a plugin that works."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

import moltbot_desktop
from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.made import AssistantOptions, Made, make
from moltbot_desktop.app.main import main
from moltbot_desktop.app.paths import locate
from moltbot_desktop.app.plugin_life import follow_plugins
from moltbot_desktop.config.load import load_config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.gateway.commands.ports import CommandCall
from moltbot_desktop.plugins.host import PluginHost, PluginStatus
from moltbot_desktop.sdk.plugins import PluginApi, ToolFactoryContext
from moltbot_desktop.security.policy import Presence

GUIDE = Path(moltbot_desktop.__file__).parent / "docs" / "PLUGINS.md"
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL))
MAIN = SessionKey("agent:main:main")


@asynccontextmanager
async def house(home: Path) -> AsyncIterator[tuple[Made, PluginHost, list[Notice]]]:
    """The parts of an assistant in `home`, its plugins brought in."""
    told: list[Notice] = []
    async with AsyncExitStack() as stack:
        paths = locate({"MOLTBOT_HOME": str(home)}, home)
        options = AssistantOptions(Language.ENGLISH, presence=Presence.SCRIPT)
        made = await make(stack, paths, load_config(home), SystemClock(), options, told.append)
        yield made, await follow_plugins(stack, made, told.append), told


def put(home: Path, name: str, manifest: str, code: str, settings: str) -> None:
    folder = home / "extensions" / name
    folder.mkdir(parents=True)
    (folder / "moltbot.plugin.json").write_text(manifest, "utf-8")
    (folder / "plugin.py").write_text(code, "utf-8")
    (home / "moltbot.json").write_text(settings, "utf-8")


def tools_of(made: Made) -> Callable[[], list[str]]:
    context = ToolFactoryContext(
        AgentId("main"), made.workspace, made.plan.folder, Language.ENGLISH, made.memory
    )
    lent = made.plugins.tools.for_agent(context, lambda: made.live.config)
    return lambda: [tool.spec.name for tool in lent()]


def test_the_tutorial_makes_a_plugin_that_works(tmp_path: Path) -> None:
    put(
        tmp_path, "dice",
        FILES["moltbot.plugin.json"], FILES["plugin.py"], FILES["moltbot.json"],
    )  # fmt: skip

    async def seen() -> None:
        async with house(tmp_path) as (made, host, told):
            assert [one.text for one in told] == []
            assert [one.found.id for one in host.records() if one.status is PluginStatus.ON] == [
                "dice",
                "memory-core",
            ]
            call = CommandCall("dice", "2", MAIN, Language.ENGLISH)
            assert 2 <= int((await made.plugins.commands.answer(call)).text) <= 40
            assert tools_of(made)() == ["throw_dice"]
            lent = tools_of(made)
        assert lent() == []
        assert "dice" not in made.plugins.commands.commands()

    asyncio.run(seen())


def test_the_guide_names_everything_that_can_be_registered() -> None:
    text = GUIDE.read_text("utf-8")
    calls = [name for name in vars(PluginApi) if name.startswith("register_")]
    assert len(calls) == 10
    for name in calls:
        assert f"`{name}" in text, name


EVERYTHING = """
from moltbot_desktop.sdk.channels import OutboundMessage
from moltbot_desktop.sdk.hooks import GatewayStart
from moltbot_desktop.sdk.plugins import *
from moltbot_desktop.sdk.tools import *

class Named:
    def __init__(self, name):
        self.name = name
    @property
    def spec(self):
        return ToolSpec(self.name, "a tool", {"type": "object", "properties": {}}, Effect.NONE)
    def run(self, given, context):
        return ToolResult({}, self.name)

class Service:
    id = "beat"
    def __init__(self, file):
        self.file = file
    async def start(self):
        self.file.write_text("started")
    async def stop(self):
        self.file.write_text("stopped")

async def twice(params):
    return {"twice": params["n"] * 2}

def register(api):
    api.register_tool(lambda context: [Named("made_one"), Named("not_named")], names=["made_one"])
    api.register_tool(Named("seldom"), optional=True)
    api.on(GatewayStart, lambda event: None)
    api.register_hook("gateway:startup", lambda event: None)
    api.register_service(Service(api.resolve_path("state.txt")))
    api.register_cli(CliCommand("shout", "shouts", "喊", lambda args: print(args.word.upper()) or 7,
                                lambda parser: parser.add_argument("word")))
    api.register_command(PluginCommand("echo", "echoes", "回声", lambda call: call.arguments,
                                       arguments="TEXT"))
    number = {"n": {"type": "integer"}}
    api.register_gateway_method(GatewayMethod("all.twice", twice, number, ("n",)))
    api.register_http_route(HttpRoute("/all", twice))
    api.register_channel(PluginChannel("pigeon", lambda account: None))
    api.register_provider(PluginProvider("lab", ("bright",), embedding_models=("near",)))
"""
MANIFEST = '{"id": "all", "configSchema": {"type": "object"}}'
ON = '{"plugins": {"entries": {"all": {"enabled": true}}}%s}'


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    put(tmp_path, "all", MANIFEST, EVERYTHING, ON % "")
    return tmp_path


@pytest.mark.expect_log("without naming it")
def test_all_that_is_registered_takes_effect_and_goes_again(everything: Path) -> None:
    state = everything / "extensions" / "all" / "state.txt"

    async def seen() -> None:
        async with house(everything) as (made, _, told):
            lent = tools_of(made)
            assert lent() == ["made_one"]
            assert made.plugins.tools.groups["all"] == ("made_one", "seldom")
            assert made.hooks.internal.listens("gateway:startup")
            assert state.read_text() == "started"
            call = CommandCall("echo", "a\x07b  c", MAIN, Language.ENGLISH)
            assert (await made.plugins.commands.answer(call)).text == "ab  c"
            assert "all.twice" in made.plugins.methods()
            assert list(made.plugins.channels.known) == ["pigeon"]
            assert list(made.plugins.routes()) == ["/plugins/all/all"]
            assert made.plugins.models.names() == ("lab/bright",)
            assert [one.text for one in told] == []
        assert lent() == []
        assert not made.hooks.internal.listens("gateway:startup")
        assert state.read_text() == "stopped"
        assert "all.twice" not in made.plugins.methods()
        assert not made.plugins.channels.known and not made.plugins.routes()
        assert not made.plugins.models.names()

    asyncio.run(seen())


@pytest.mark.expect_log("without naming it")
@pytest.mark.parametrize("name", ["seldom", "all", "group:plugins"])
def test_an_optional_tool_is_there_where_an_allow_list_names_it(
    everything: Path, name: str
) -> None:
    (everything / "moltbot.json").write_text(ON % f', "tools": {{"allow": ["{name}"]}}')

    async def seen() -> None:
        async with house(everything) as (made, _, _told):
            assert tools_of(made)() == ["made_one", "seldom"]

    asyncio.run(seen())


@pytest.mark.expect_log("without naming it")
def test_a_running_assistant_follows_its_settings(everything: Path) -> None:
    settings = everything / "moltbot.json"
    state = everything / "extensions" / "all" / "state.txt"

    async def until(done: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not done():
                await asyncio.sleep(0.01)

    async def seen() -> None:
        settings.write_text("{}")
        async with house(everything) as (made, _, _told):
            lent = tools_of(made)
            assert lent() == []
            settings.write_text(ON % "")
            made.live.take(load_config(everything))
            await until(lambda: state.exists() and lent() == ["made_one"])
            settings.write_text("{}")
            made.live.take(load_config(everything))
            await until(lambda: state.read_text() == "stopped")
            assert lent() == []

    asyncio.run(seen())


@pytest.mark.expect_log("is not used")
def test_a_command_of_the_programs_own_is_not_taken(tmp_path: Path) -> None:
    code = EVERYTHING.replace('PluginCommand("echo"', 'PluginCommand("status"')
    put(tmp_path, "all", MANIFEST, code, ON % "")

    async def seen() -> None:
        async with house(tmp_path) as (made, host, told):
            assert [one.status for one in host.records() if one.found.id == "all"] == [
                PluginStatus.BROKEN
            ]
            assert tools_of(made)() == []
            assert "all.twice" not in made.plugins.methods()
            assert any("/status" in one.text for one in told)

    asyncio.run(seen())


def test_a_subcommand_of_a_plugin_runs_in_a_shell(
    everything: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOLTBOT_HOME", str(everything))
    assert main(["shout", "hello"]) == 7
    assert capsys.readouterr().out == "HELLO\n"
    with pytest.raises(SystemExit):
        main(["whisper"])


def test_a_plugin_that_changed_between_two_starts_stays_off_and_is_told(tmp_path: Path) -> None:
    put(
        tmp_path, "dice",
        FILES["moltbot.plugin.json"], FILES["plugin.py"], FILES["moltbot.json"],
    )  # fmt: skip

    async def started() -> tuple[str, list[str]]:
        async with house(tmp_path) as (_, host, told):
            (record,) = [one for one in host.records() if one.found.id == "dice"]
            return record.status, [f"{one.text} {one.hint}" for one in told]

    assert asyncio.run(started()) == ("on", [])
    with (tmp_path / "extensions" / "dice" / "plugin.py").open("a") as code:
        code.write("\nbad = True\n")
    status, told = asyncio.run(started())
    assert status == "off"
    assert "have changed" in told[0] and "plugins trust dice" in told[0]
