"""The MCP page of the settings, and `moltbot-desktop mcp`, over a real file."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.mcp_command import run_mcp_command
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugins_now import PluginsNow
from moltbot_desktop.app.settings_desk import FileSettingsDesk
from moltbot_desktop.app.settings_pages import SettingsPages
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.mcp import Approval, McpServer, read_mcp_servers
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.panels import PanelRow, Tone
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.tools.mcp.hub import McpHub
from moltbot_desktop.tools.mcp.noted import NOTED_FILE, note_standings, read_noted
from moltbot_desktop.tools.mcp.values import ServerAnswer, ServerTool, Standing, State
from tests.fakes.key_ring import MemoryKeyRing

CLOCK = ManualClock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
TIME = McpServer("time", command="x")


@pytest.fixture
def paths(tmp_path: Path, checkout: Path) -> Paths:
    home = tmp_path / "home"
    home.mkdir()
    (home / "moltbot.json").write_text('{ mcp: { servers: { time: { command: "x" } } } } // mine\n')
    return Paths(home, tmp_path, checkout)


def servers(paths: Paths) -> dict[str, McpServer]:
    return dict(read_mcp_servers(load_config(paths.home).config.raw, {}))


def run(paths: Paths, *words: str, language: Language = Language.ENGLISH) -> int:
    arguments = parse(["mcp", *words])
    return run_mcp_command(paths, load_config(paths.home), CLOCK, arguments, language)


@pytest.fixture
def desk(paths: Paths) -> FileSettingsDesk:
    store = SecretStore(paths.home / SECRET_NAMES_FILE, MemoryKeyRing)
    now = PluginsNow(Language.ENGLISH)
    return FileSettingsDesk(SettingsPages(paths, {}, Language.ENGLISH, CLOCK, now), store, now)


def test_each_tool_of_a_server_that_answered_has_a_field(
    paths: Paths, desk: FileSettingsDesk
) -> None:
    tools = (ServerTool("now", "The time.", {}), ServerTool("convert", "Another zone.", {}))
    note_standings(paths.home / NOTED_FILE, [Standing(TIME, State.READY, tools=tools)])
    form = desk.open("mcp")
    (server,) = form.root(Language.ENGLISH).children
    assert "Ready, 2 tools." in server.help
    desk.save("mcp", form.put(("time", "tools", "now"), "auto"))
    known = servers(paths)["time"]
    assert known.approval_of("now") is Approval.AUTO
    assert known.approval_of("convert") is Approval.ASK
    assert "// mine" in paths.config.read_text()


def test_a_new_server_is_begun_on_the_page(paths: Paths, desk: FileSettingsDesk) -> None:
    form = desk.open("mcp").add((), "notes").put(("notes", "url"), "https://a.example/mcp")
    form = form.add(("notes", "headers"))
    form = form.add(("notes", "headers"), "Authorization")
    form = form.hide(("notes", "headers", "Authorization"), "Bearer t0ken")
    desk.save("mcp", form)
    found = servers(paths)["notes"]
    assert found.problem is None and found.headers["Authorization"].startswith("keyring:")
    assert "t0ken" not in paths.config.read_text()


def test_what_would_not_fit_is_refused(desk: FileSettingsDesk) -> None:
    form = desk.open("mcp").put(("time", "url"), "https://a.example")
    with pytest.raises(MoltbotError, match="either a command or a url"):
        desk.save("mcp", form)


def test_what_was_noted_is_read_again_and_damage_is_nothing(tmp_path: Path) -> None:
    file = tmp_path / NOTED_FILE
    tools = (ServerTool("now", "The time.", {}),)
    note_standings(file, [Standing(TIME, State.WAITING, "it ended", tools)])
    assert read_noted(file)["time"].tools == (("now", "The time."),)
    for text in ("", "[1]", '{"time": 5}', '{"time": {"state": "?"}}', "\xff"):
        file.write_text(text)
        assert not read_noted(file)


def test_added_listed_removed_in_a_shell(paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(paths, "add", "git", "--env", "A=b=c", "--", "uvx", "mcp-server-git", "-v") == 0
    known = servers(paths)["git"]
    assert (known.command, known.args, dict(known.env)) == (
        "uvx", ("mcp-server-git", "-v"), {"A": "b=c"},
    )  # fmt: skip
    capsys.readouterr()
    run(paths, "list", "--json")
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["time", "git"]
    for wrong in (("add", "git", "--", "x"), ("add", "b"), ("remove", "no"), ("test", "no"),
                  ("add", "c", "--url", "http://a.example")):  # fmt: skip
        with pytest.raises(MoltbotError):
            run(paths, *wrong)
    assert run(paths, "remove", "git") == 0
    assert list(servers(paths)) == ["time"]


def test_a_server_is_tried_in_a_shell(paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = Path(__file__).parents[1] / "mcp" / "hostile_server.py"
    run(paths, "add", "noisy", "--", sys.executable, str(hostile), "noise")
    capsys.readouterr()
    assert run(paths, "test", "noisy") == 0
    assert "do (asks first): does it" in capsys.readouterr().out
    assert run(paths, "test", "time", language=Language.CHINESE) == 1
    tried = read_noted(paths.home / NOTED_FILE)  # what `list` and the settings window show
    assert tried["noisy"].state is State.READY and tried["noisy"].tools
    assert tried["time"].state is not State.READY and tried["time"].reason
    assert "没有程序" in capsys.readouterr().out


def test_another_programs_servers_are_taken_over(
    paths: Paths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "other.json"
    file.write_text(json.dumps({"mcpServers": {"W": {"command": "w", "env": {"TOKEN": "t0p"}}}}))
    assert run(paths, "import", str(file)) == 0
    assert servers(paths)["w"].env["TOKEN"] == "keyring:mcp.w.TOKEN"
    assert "t0p" not in paths.config.read_text() + capsys.readouterr().out
    file.write_text("{}")
    with pytest.raises(MoltbotError, match="names no MCP servers"):
        run(paths, "import", str(file))


class SlowServer:
    """`gate` holds up each start but the first; `broken` has it fail."""

    def __init__(self) -> None:
        self.starts, self.broken, self.gate = 0, False, threading.Event()

    @contextlib.asynccontextmanager
    async def __call__(
        self, server: McpServer, changed: Callable[[], None]
    ) -> AsyncIterator[SlowServer]:
        self.starts += 1
        if self.starts > 1:
            await asyncio.to_thread(self.gate.wait, 60)
        if self.broken:
            raise OSError("no such thing")
        yield self

    async def tools(self) -> tuple[ServerTool, ...]:
        return (ServerTool("now", "", {}),)

    async def call(self, tool: str, arguments: JsonObject) -> ServerAnswer:
        raise AssertionError(tool)

    async def ended(self) -> None:
        await asyncio.Event().wait()


class Told:
    """Waits until the hub tells something that fits."""

    def __init__(self) -> None:
        self.heard = threading.Condition()

    def __call__(self) -> None:
        with self.heard:
            self.heard.notify_all()

    def until(self, fits: Callable[[], bool]) -> None:
        with self.heard:
            assert self.heard.wait_for(fits, 60)


@pytest.mark.parametrize(
    ("language", "words", "starting"),
    [
        (Language.ENGLISH, ("Reconnect", "Reconnect time"), "is starting"),
        (Language.CHINESE, ("重新连接", "重新连接 time"), "正在启动"),
    ],
)
def test_a_button_starts_a_server_anew_and_says_so_meanwhile(
    paths: Paths, language: Language, words: tuple[str, str], starting: str
) -> None:
    server, told, now = SlowServer(), Told(), PluginsNow(language)
    hub = McpHub(lambda: server, told, language)
    store = SecretStore(paths.home / SECRET_NAMES_FILE, MemoryKeyRing)
    desk = FileSettingsDesk(SettingsPages(paths, {}, language, CLOCK, now), store, now)

    def row() -> PanelRow:
        (part,) = desk.panel("mcp")
        return part.rows[0]

    try:
        hub.follow({"time": TIME, "off": McpServer("off", command="x", enabled=False)})
        now.mcp.open(hub)
        told.until(lambda: row().tone is Tone.GOOD)
        (action,) = row().actions
        assert (action.label, action.name) == words
        assert "time" in desk.act("mcp", action.id)
        assert (row().detail, row().tone, row().actions) == (starting, Tone.PLAIN, ())
        server.broken = True
        server.gate.set()
        told.until(lambda: row().tone is Tone.BAD and "OSError" in row().detail)
        server.broken = False
        desk.act("mcp", action.id)
        told.until(lambda: row().tone is Tone.GOOD)
        with pytest.raises(UserInputInvalid):
            desk.act("mcp", "reconnect:off")
    finally:
        server.gate.set()
        now.mcp.close()
        hub.close()
    (part,) = desk.panel("mcp")
    assert not part.rows and part.empty
    with pytest.raises(UserInputInvalid):
        desk.act("mcp", action.id)
