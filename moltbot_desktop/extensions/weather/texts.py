"""The plugin's words, and the names of WMO weather codes, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "which": "The weather of which place?",
        "now": "**{place}**: {sky}, {temperature} (feels like {felt}), humidity {humidity} %, "
        "wind {wind}.",
        "today": "Today {low} to {high}, {sky}{rain}.",
        "tomorrow": "Tomorrow {low} to {high}, {sky}{rain}.",
        "rain": ", chance of rain {chance} %",
        "as_of": "(as of {minutes} min ago)",
        "unknown": "I know no place called “{city}”. Try its full name, or a larger town nearby.",
        "offline": "I cannot look up the weather now: the weather service cannot be reached. "
        "This computer seems to be offline.",
        "refused": "I cannot look up the weather: {reason}",
        "broken": "The weather service gave an answer that I cannot read. Try again later.",
        "status": "The weather service refused the question (HTTP {status}). Try again later.",
    },
    chinese={
        "which": "要查哪里的天气？",
        "now": "**{place}**：{sky}，{temperature}（体感 {felt}），湿度 {humidity}%，风速 {wind}。",
        "today": "今天 {low} 到 {high}，{sky}{rain}。",
        "tomorrow": "明天 {low} 到 {high}，{sky}{rain}。",
        "rain": "，降雨概率 {chance}%",
        "as_of": "（{minutes} 分钟前的数据）",
        "unknown": "找不到叫“{city}”的地方。请试试全称，或附近大一点的城市。",
        "offline": "现在查不了天气：连不上天气服务，这台电脑可能没有联网。",
        "refused": "查不了天气：{reason}",
        "broken": "天气服务的回答读不懂，请稍后再试。",
        "status": "天气服务拒绝了查询（HTTP {status}），请稍后再试。",
    },
)

_SKIES: Mapping[int, tuple[str, str]] = MappingProxyType(
    {
        0: ("clear sky", "晴"),
        1: ("mostly clear", "大致晴朗"),
        2: ("partly cloudy", "多云"),
        3: ("overcast", "阴"),
        45: ("fog", "雾"),
        48: ("freezing fog", "冻雾"),
        51: ("light drizzle", "小毛毛雨"),
        53: ("drizzle", "毛毛雨"),
        55: ("heavy drizzle", "大毛毛雨"),
        56: ("light freezing drizzle", "小冻毛毛雨"),
        57: ("freezing drizzle", "冻毛毛雨"),
        61: ("light rain", "小雨"),
        63: ("rain", "中雨"),
        65: ("heavy rain", "大雨"),
        66: ("light freezing rain", "小冻雨"),
        67: ("freezing rain", "冻雨"),
        71: ("light snow", "小雪"),
        73: ("snow", "中雪"),
        75: ("heavy snow", "大雪"),
        77: ("snow grains", "米雪"),
        80: ("light showers", "小阵雨"),
        81: ("showers", "阵雨"),
        82: ("violent showers", "强阵雨"),
        85: ("light snow showers", "小阵雪"),
        86: ("heavy snow showers", "大阵雪"),
        95: ("thunderstorm", "雷阵雨"),
        96: ("thunderstorm with hail", "雷阵雨伴冰雹"),
        99: ("thunderstorm with heavy hail", "雷阵雨伴大冰雹"),
    }
)


def sky(code: int, language: Language) -> str:
    """A WMO code (table 4677, as Open-Meteo gives it) in words."""
    english, chinese = _SKIES.get(code, ("changing weather", "天气多变"))
    return chinese if language is Language.CHINESE else english
