"""``weather_query``: the tool. Asks at most once in ten minutes for one place.

    tool = WeatherQuery(api.runtime.web, clock, settings_from(api.config))
    tool.run(ToolInput({"city": "Beijing"}), context).display

The effect is `Effect.WEB_READ`: the place's name leaves this computer, so that the policy asks
first where a stranger's text could have chosen it.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import EgressRefused, NetworkError, ToolError
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.extensions.weather.open_meteo import (
    AnswerUnreadable,
    Day,
    Place,
    Weather,
    forecast_url,
    geocoding_url,
    read_place,
    read_weather,
)
from moltbot_desktop.extensions.weather.texts import PHRASES, sky
from moltbot_desktop.sdk.plugins import PluginWeb
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec

KEPT_SECONDS = 600.0
_MOST_KEPT = 64
_MOST_CHARACTERS = 80
_MINUTE = 60
_OK = 200
_AROUND = re.compile(
    r"^(?:(?:what(?:'s| is)\s+)?(?:the\s+)?weather\s+(?:in|at|for|of)\s+|查(?:一下|询)?)"
    r"|(?:的?天气(?:怎么样|如何)?|\s+weather)$",
    re.IGNORECASE,
)
"""What may stand around a place: "weather in Beijing", "北京的天气"."""
_ENDS = " \t?？!！。，,.;；:："


@dataclass(frozen=True)
class Settings:
    """`plugins.entries.weather.config`; see moltbot.plugin.json."""

    place: str
    imperial: bool
    endpoint: str
    geocoding_endpoint: str
    key: str


def settings_from(config: JsonObject) -> Settings:
    """The plugin's configuration, which is checked and has its defaults."""
    return Settings(
        place=str(config["place"]),
        imperial=config["units"] == "imperial",
        endpoint=str(config["endpoint"]),
        geocoding_endpoint=str(config["geocodingEndpoint"]),
        key=str(config["apiKey"]),
    )


class WeatherQuery:
    """Implements `sdk.tools.Tool`; for any thread."""

    def __init__(self, web: PluginWeb, clock: Clock, settings: Settings) -> None:
        self._web = web
        self._clock = clock
        self._settings = settings
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, Place, Weather]] = OrderedDict()

    @property
    def spec(self) -> ToolSpec:
        place = self._settings.place.strip()
        usual = f" Usually: {place}." if place else ""
        return ToolSpec(
            name="weather_query",
            description=f"The weather in a place now, today and tomorrow.{usual}",
            parameters={
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
            effect=Effect.WEB_READ,
            keywords="weather forecast temperature rain 天气 气温 下雨 预报",
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        language = context.language
        city = _city(given.text("city")) or self._settings.place.strip()
        if not city:
            question = PHRASES.say("which", language)
            return ToolResult({"error": question}, question, ok=False, question=question)
        try:
            asked, place, weather = self._weather(city)
        except EgressRefused as error:
            raise ToolError(PHRASES.say("refused", language, reason=str(error))) from error
        except NetworkError as error:
            raise ToolError(PHRASES.say("offline", language)) from error
        except AnswerUnreadable as error:
            raise ToolError(PHRASES.say("broken", language)) from error
        except _Refused as error:
            raise ToolError(PHRASES.say("status", language, status=error.status)) from error
        except _NoSuchPlace as error:
            raise ToolError(PHRASES.say("unknown", language, city=city)) from error
        minutes = int((self._clock.monotonic() - asked) // _MINUTE)
        data = _data(city, place, weather, minutes, imperial=self._settings.imperial)
        return ToolResult(data, self._told(city, place, weather, minutes, language))

    def _weather(self, city: str) -> tuple[float, Place, Weather]:
        """When it was asked for, and what came."""
        name = city.casefold()
        with self._lock:
            kept = self._kept.get(name)
        if kept is not None and self._clock.monotonic() - kept[0] < KEPT_SECONDS:
            return kept
        place = kept[1] if kept is not None else self._place(city)
        settings = self._settings
        url = forecast_url(settings.endpoint, place, imperial=settings.imperial, key=settings.key)
        fresh = (self._clock.monotonic(), place, read_weather(self._asked(url)))
        with self._lock:
            self._kept[name] = fresh
            self._kept.move_to_end(name)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return fresh

    def _place(self, city: str) -> Place:
        # The service knows "北京" and not always "北京市".
        for name in dict.fromkeys((city, city.removesuffix("市"))):
            url = geocoding_url(self._settings.geocoding_endpoint, name, self._settings.key)
            if name and (found := read_place(self._asked(url))) is not None:
                return found
        raise _NoSuchPlace(city)

    def _asked(self, url: str) -> bytes:
        answer = self._web.get(url, max_bytes=256_000)
        if answer.status != _OK:
            raise _Refused(answer.status)
        return answer.body

    def _told(
        self, city: str, place: Place, weather: Weather, minutes: int, language: Language
    ) -> str:
        degrees, speed = ("°F", "mph") if self._settings.imperial else ("°C", "km/h")
        now = weather.now
        lines = [
            PHRASES.say(
                "now",
                language,
                place=f"{city} ({place.country})" if place.country else city,
                sky=sky(now.code, language),
                temperature=f"{now.temperature:.0f} {degrees}",
                felt=f"{now.felt:.0f} {degrees}",
                humidity=now.humidity,
                wind=f"{now.wind:.0f} {speed}",
            )
        ]
        for key, day in zip(("today", "tomorrow"), weather.days, strict=True):
            chance = day.rain
            rain = "" if chance is None else PHRASES.say("rain", language, chance=chance)
            values = {"low": f"{day.low:.0f}", "high": f"{day.high:.0f} {degrees}"}
            lines.append(
                PHRASES.say(key, language, sky=sky(day.code, language), rain=rain, **values)
            )
        if minutes:
            lines.append(PHRASES.say("as_of", language, minutes=minutes))
        return "\n".join(lines)


class _Refused(Exception):
    """The service said no."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _NoSuchPlace(Exception):
    """The service knows no such place."""


def _city(text: str) -> str:
    """The name of a place, without what a person may say around it."""
    one_line = " ".join(text.split()).strip(_ENDS)
    return _AROUND.sub("", one_line).strip(_ENDS)[:_MOST_CHARACTERS]


def _data(
    city: str, place: Place, weather: Weather, minutes: int, *, imperial: bool
) -> Mapping[str, JsonValue]:
    now = weather.now
    return {
        "city": city,
        "country": place.country,
        "units": "°F, mph" if imperial else "°C, km/h",
        "now": {
            "sky": sky(now.code, Language.ENGLISH),
            "temperature": now.temperature,
            "feels_like": now.felt,
            "humidity_percent": now.humidity,
            "wind": now.wind,
        },
        "today": _day(weather.days[0]),
        "tomorrow": _day(weather.days[1]),
        "minutes_old": minutes,
    }


def _day(day: Day) -> Mapping[str, JsonValue]:
    return {
        "sky": sky(day.code, Language.ENGLISH),
        "low": day.low,
        "high": day.high,
        "rain_percent": day.rain,
    }
