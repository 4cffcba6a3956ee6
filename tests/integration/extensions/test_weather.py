"""The weather tool against a service of the Open-Meteo shape, through the one door."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import EgressRefused, NetworkError, ToolError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.extensions.weather.query import KEPT_SECONDS, WeatherQuery, settings_from
from moltbot_desktop.plugins.web import ConfiguredWeb, hosts_in
from moltbot_desktop.sdk.tools import ToolContext, ToolInput, ToolResult
from tests.fakes.open_meteo import WeatherService, open_meteo

DEFAULTS = {"place": "", "units": "metric", "apiKey": ""}


class _Never:
    cancelled = False


@pytest.fixture
def service() -> Iterator[WeatherService]:
    with open_meteo() as running:
        yield running


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 5, 4, 10, 20, tzinfo=UTC))


class _Asking:
    def __init__(self, config: dict[str, str], clock: ManualClock, workspace: Path) -> None:
        self.web = ConfiguredWeb(hosts_in(config))
        self.tool = WeatherQuery(self.web, clock, settings_from({**DEFAULTS, **config}))
        self.workspace = workspace

    def __call__(self, city: str, language: Language = Language.ENGLISH) -> ToolResult:
        context = ToolContext(
            RunId("r"), SessionKey("agent:main:main"), self.workspace, city, language, _Never()
        )
        return self.tool.run(ToolInput({"city": city}), context)


@pytest.fixture
def asking(service: WeatherService, clock: ManualClock, tmp_path: Path) -> Iterator[_Asking]:
    one = _Asking(service.config, clock, tmp_path)
    yield one
    one.web.close()


def test_the_weather_is_told_in_both_languages(asking: _Asking) -> None:
    assert asking("Beijing").display == (
        "**Beijing (CN)**: partly cloudy, 21 °C (feels like 21 °C), humidity 38 %, wind 12 km/h.\n"
        "Today 14 to 25 °C, partly cloudy, chance of rain 10 %.\n"
        "Tomorrow 12 to 20 °C, light rain."
    )
    assert asking("北京", Language.CHINESE).display == (
        "**北京 (CN)**：多云，21 °C（体感 21 °C），湿度 38%，风速 12 km/h。\n"
        "今天 14 到 25 °C，多云，降雨概率 10%。\n"
        "明天 12 到 20 °C，小雨。"
    )


@pytest.mark.parametrize(
    "said", ["weather in Beijing", "北京市", "北京的天气怎么样？", " beijing?"]
)
def test_words_around_a_place_are_left_out(asking: _Asking, said: str) -> None:
    assert asking(said).ok


def test_a_place_is_asked_for_once_in_ten_minutes(
    asking: _Asking, service: WeatherService, clock: ManualClock
) -> None:
    asking("Beijing")
    clock.advance(KEPT_SECONDS - 1)
    assert "(as of 9 min ago)" in asking("beijing").display
    assert len(service.asked) == 2
    clock.advance(2)
    asking("Beijing")
    assert len(service.asked) == 3  # where it lies is still known


def test_the_default_place_is_meant_when_none_is_named(
    service: WeatherService, clock: ManualClock, tmp_path: Path
) -> None:
    one = _Asking({**service.config, "place": "Beijing"}, clock, tmp_path)
    assert one("").display.startswith("**Beijing")
    one.web.close()


def test_without_a_place_it_asks_back(asking: _Asking) -> None:
    assert asking("").question == "The weather of which place?"


def test_an_unknown_place_is_told(asking: _Asking) -> None:
    with pytest.raises(ToolError, match="no place called “Atlantis”"):
        asking("Atlantis")


def test_a_service_that_says_no_is_told(asking: _Asking, service: WeatherService) -> None:
    service.status = 429
    with pytest.raises(ToolError, match="HTTP 429"):
        asking("Beijing")


def test_offline_it_says_so(clock: ManualClock, tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, and nobody listens
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/"
        config = {"endpoint": address, "geocodingEndpoint": address}
        one = _Asking(config, clock, tmp_path)
        with pytest.raises(ToolError, match="seems to be offline"):
            one("Beijing")
        with pytest.raises(ToolError, match="可能没有联网"):
            one("北京", Language.CHINESE)
        one.web.close()


def test_a_plugin_reaches_the_hosts_of_its_configuration_only(service: WeatherService) -> None:
    web = ConfiguredWeb(hosts_in({"servers": [{"url": "https://api.example/v1"}], "n": 3}))
    with pytest.raises(EgressRefused, match=r"127\.0\.0\.1"):
        web.get(service.endpoint)
    assert service.asked == []
    web.close()


def test_what_is_too_long_is_not_taken(service: WeatherService) -> None:
    web = ConfiguredWeb(hosts_in(service.config))
    with pytest.raises(NetworkError, match="more than 10 bytes"):
        web.get(service.endpoint, max_bytes=10)
    web.close()
    with pytest.raises(EgressRefused, match="switched off"):
        web.get(service.endpoint)


def test_hosts_are_found_anywhere_in_a_configuration() -> None:
    config = {
        "a": ["http://One.example:8080/x", {"b": "HTTPS://two.example"}],
        "c": "three.example",
    }
    assert hosts_in(config) == {"one.example", "two.example"}
    assert hosts_in("http://[") == frozenset()
