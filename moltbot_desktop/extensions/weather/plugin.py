"""The weather plugin: one tool, ``weather_query``.

/weather PLACE is the skill ``weather``, which sends its words straight to this tool.
"""

from __future__ import annotations

from moltbot_desktop.extensions.weather.query import WeatherQuery, settings_from
from moltbot_desktop.sdk.plugins import PluginApi


def register(api: PluginApi) -> None:
    """Offer the tool."""
    runtime = api.runtime
    api.register_tool(WeatherQuery(runtime.web, runtime.clock, settings_from(api.config)))
