"""`moltbot-desktop network`, /network, and the web tools that come and go with both."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.app.models_command import run_models
from moltbot_desktop.app.network_command import run_network_command
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.web_setup import WebTools, together
from moltbot_desktop.cli.parser import parse
from moltbot_desktop.config.load import load_config
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.web import (
    ProgramToolsConfig,
    SearxngConfig,
    WebFetchConfig,
    WebSearchConfig,
)
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import EgressSealed
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.gateway.commands.network import NETWORK
from moltbot_desktop.gateway.commands.ports import CommandCall, CommandPorts, CommandReply
from moltbot_desktop.models.catalogue import load_catalogue
from moltbot_desktop.security.seal import Seal
from moltbot_desktop.security.secrets import SECRET_NAMES_FILE, SecretStore
from moltbot_desktop.tools.web.addresses import ReadAddresses
from tests.fakes.commands import fake_ports
from tests.fakes.tool_context import call, tool_context

PROGRAM = Path(__file__).resolve().parents[3]
CLOCK = ManualClock(datetime(2026, 11, 22, 12, tzinfo=UTC))
ALL = ProgramToolsConfig(
    web_fetch=WebFetchConfig(fetch_enabled=True), web_search=WebSearchConfig(search_enabled=True)
)


def network(home: Path, *words: str, language: Language = Language.ENGLISH) -> int:
    arguments = parse(["network", *words])
    return run_network_command(paths(home), load_config(home), CLOCK, arguments, language)


def paths(home: Path) -> Paths:
    return Paths(home, home, PROGRAM)


def test_the_seal_is_moved_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert network(tmp_path, "seal", "on") == 0
    assert "nothing leaves" in capsys.readouterr().out
    assert network(tmp_path, "list", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["sealed"], shown["sent_today"], shown["passages"]) == (True, 0, [])
    assert network(tmp_path, "seal", "off") == 0
    assert network(tmp_path, "list") == 0
    assert "Nothing has left this computer today." in capsys.readouterr().out


def test_what_left_is_shown_by_host_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Seal(tmp_path, CLOCK) as seal:
        way = seal.way(Errand(Purpose.MODEL, "lab"))
        way.count("lab.example", requests=2, sent=1_500, received=20)
    network(tmp_path, "list")
    out = capsys.readouterr().out
    assert "lab.example (a model: lab): 2 requests, 1.5 kB sent, 20 B received" in out
    assert "1.5 kB left this computer today" in out
    network(tmp_path, "list", language=Language.CHINESE)
    assert "lab.example（模型：lab）" in capsys.readouterr().out


def test_a_sealed_program_fetches_no_model(tmp_path: Path) -> None:
    network(tmp_path, "seal", "on")
    name = load_catalogue(PROGRAM / "resources")[0].name
    arguments = parse(["models", "pull", name])
    with pytest.raises(EgressSealed):
        run_models(paths(tmp_path), load_config(tmp_path), CLOCK, arguments, Language.ENGLISH)
    assert not (tmp_path / "network.sqlite").exists()


# ------------------------------------------------------------------ /network


def asked(rest: str, seal: Seal | None, language: Language = Language.ENGLISH) -> CommandReply:
    given = CommandCall("network", rest, SessionKey("agent:main:main"), language)
    ports = CommandPorts(**{**vars(fake_ports()), "seal": seal})
    reply = NETWORK["network"](given, ports)
    assert isinstance(reply, CommandReply)
    return reply


def test_the_command_shows_and_moves_the_seal(tmp_path: Path) -> None:
    with Seal(tmp_path, CLOCK) as seal:
        assert "Nothing has left" in asked("", seal).text
        assert "nothing leaves" in asked("seal on", seal).text
        assert seal.closed
        assert "打开" in asked("seal off", seal, Language.CHINESE).text
        assert not seal.closed
        seal.way(Errand(Purpose.WEB)).count("a.example", requests=1, sent=5)
        assert "a.example (a page)" in asked("", seal).text
    assert not asked("", None).ok


# ------------------------------------------------------------------ the tools


def tools(home: Path, config: Config, environment: Mapping[str, str] | None = None) -> WebTools:
    secrets = SecretStore(home / SECRET_NAMES_FILE)
    known = ReadAddresses()
    return WebTools(Seal(home, CLOCK), CLOCK, lambda: config, secrets, environment or {}, known)


def names(web: WebTools) -> list[str]:
    return [one.spec.name for one in web()]


def test_nothing_is_offered_until_the_owner_says_so_and_nothing_while_sealed(
    tmp_path: Path,
) -> None:
    assert names(tools(tmp_path, Config())) == []
    web = tools(tmp_path, Config(tools=ALL))
    assert names(web) == ["web_fetch", "web_search"]
    assert web() is web()
    Seal(tmp_path, CLOCK).close_it()
    assert names(web) == []
    Seal(tmp_path, CLOCK).open_it()
    both = together(web, lambda: ())
    assert both() is both()


def test_a_call_that_comes_while_the_seal_is_closed_is_refused_in_words(tmp_path: Path) -> None:
    [fetch, _] = tools(tmp_path, Config(tools=ALL))()
    Seal(tmp_path, CLOCK).close_it()
    result = call(fetch, tool_context(), url="https://example.org/")
    assert not result.ok and "network seal off" in result.display
    assert [one.name for one in tmp_path.iterdir()] == ["network.seal"]


@pytest.mark.parametrize(
    ("search", "environment", "host"),
    [
        (WebSearchConfig(searxng=SearxngConfig("http://127.0.0.1:9/")), {}, "127.0.0.1"),
        (WebSearchConfig(api_key="abc"), {}, "api.search.brave.com"),
        (WebSearchConfig(), {"BRAVE_API_KEY": "abc"}, "api.search.brave.com"),
        (WebSearchConfig(provider="searxng"), {"BRAVE_API_KEY": "abc"}, ""),
        (WebSearchConfig(searxng=SearxngConfig("nonsense [")), {}, ""),
    ],
)
def test_the_service_is_the_one_that_is_set_up(
    tmp_path: Path, search: WebSearchConfig, environment: Mapping[str, str], host: str
) -> None:
    config = Config(tools=ProgramToolsConfig(web_search=search))
    web = tools(tmp_path, config, environment)
    found = web._search_settings().engine
    assert (found.host if found else "") == host
