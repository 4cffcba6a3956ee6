"""Open-Meteo's questions as addresses, and its answers as values. Pure.

    geocoding_url(endpoint, "Beijing")      # ...?name=Beijing&count=1&format=json
    place = read_place(body)                # Place(39.9, 116.4, "CN"), None when it knows none
    weather = read_weather(body)            # Weather(now, days)

An answer comes from another computer: only numbers that make sense and a country's two letters
are taken out of it, never its words. So what the plugin says is made of the person's own words
and of figures, and nobody can speak to the model through a weather report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from urllib.parse import urlencode, urlsplit, urlunsplit

from moltbot_desktop.core.json import JsonValue

_NOW = "temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,wind_speed_10m"
_DAILY = "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max"
_DAYS = 2
_COUNTRY = re.compile(r"[A-Z]{2}")


class AnswerUnreadable(ValueError):
    """An answer that is not of the Open-Meteo shape."""


@dataclass(frozen=True)
class Place:
    """Where a place lies, in degrees; `country` is ISO 3166, "" when not known."""

    latitude: float
    longitude: float
    country: str = ""


@dataclass(frozen=True)
class Now:
    """The weather now; degrees and speed in the units that were asked for.

    Attributes:
        humidity: in percent.
        code: WMO weather code.
    """

    temperature: float
    felt: float
    humidity: int
    wind: float
    code: int


@dataclass(frozen=True)
class Day:
    """A day's weather; `rain` is the chance in percent, None when nobody says."""

    low: float
    high: float
    code: int
    rain: int | None = None


@dataclass(frozen=True)
class Weather:
    """`days` begin with today."""

    now: Now
    days: tuple[Day, ...]


def geocoding_url(endpoint: str, name: str, key: str = "") -> str:
    """Where a place of that name is looked up."""
    return _with_query(endpoint, {"name": name, "count": "1", "format": "json"}, key)


def forecast_url(endpoint: str, place: Place, *, imperial: bool, key: str = "") -> str:
    """Where the weather of a place is asked for, in its own time zone."""
    query = {
        "latitude": f"{place.latitude:.4f}",
        "longitude": f"{place.longitude:.4f}",
        "current": _NOW,
        "daily": _DAILY,
        "forecast_days": str(_DAYS),
        "timezone": "auto",
    }
    if imperial:
        query |= {"temperature_unit": "fahrenheit", "wind_speed_unit": "mph"}
    return _with_query(endpoint, query, key)


def read_place(body: bytes) -> Place | None:
    """The first place of a geocoding answer; None when there is none.

    Raises:
        AnswerUnreadable: it is no such answer.
    """
    results = _object(body).get("results", ())
    if not isinstance(results, Sequence) or isinstance(results, str):
        raise AnswerUnreadable("results")
    if not results:
        return None
    first = results[0]
    if not isinstance(first, Mapping):
        raise AnswerUnreadable("results")
    country = first.get("country_code")
    known = isinstance(country, str) and _COUNTRY.fullmatch(country)
    return Place(
        _number(first, "latitude", 90),
        _number(first, "longitude", 180),
        country if known and isinstance(country, str) else "",
    )


def read_weather(body: bytes) -> Weather:
    """A forecast answer.

    Raises:
        AnswerUnreadable: it is no such answer.
    """
    answer = _object(body)
    current, daily = answer.get("current"), answer.get("daily")
    if not isinstance(current, Mapping) or not isinstance(daily, Mapping):
        raise AnswerUnreadable("current")
    now = Now(
        temperature=_number(current, "temperature_2m"),
        felt=_number(current, "apparent_temperature"),
        humidity=round(_number(current, "relative_humidity_2m")),
        wind=_number(current, "wind_speed_10m"),
        code=round(_number(current, "weather_code")),
    )
    return Weather(now, tuple(_day(daily, at) for at in range(_DAYS)))


def _day(daily: Mapping[str, JsonValue], at: int) -> Day:
    row = {name: _at(daily.get(name), at) for name in _DAILY.split(",")}
    chance = row["precipitation_probability_max"]
    return Day(
        low=_number(row, "temperature_2m_min"),
        high=_number(row, "temperature_2m_max"),
        code=round(_number(row, "weather_code")),
        rain=None if chance is None else round(_number(row, "precipitation_probability_max")),
    )


def _at(values: JsonValue, at: int) -> JsonValue:
    if isinstance(values, Sequence) and not isinstance(values, str) and at < len(values):
        return values[at]
    return None


def _number(group: Mapping[str, JsonValue], name: str, most: float = 1_000) -> float:
    value = group.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AnswerUnreadable(name)
    if not isfinite(value) or abs(value) > most:
        raise AnswerUnreadable(name)
    return float(value)


def _object(body: bytes) -> Mapping[str, JsonValue]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise AnswerUnreadable("json") from error
    if not isinstance(value, Mapping):
        raise AnswerUnreadable("json")
    return value


def _with_query(endpoint: str, query: Mapping[str, str], key: str) -> str:
    """`endpoint` may have a query of its own, which stays."""
    parts = urlsplit(endpoint)
    asked = urlencode({**query, "apikey": key} if key else query)
    whole = f"{parts.query}&{asked}" if parts.query else asked
    return urlunsplit((parts.scheme, parts.netloc, parts.path, whole, ""))
