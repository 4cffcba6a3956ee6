"""A weather service of the Open-Meteo shape on this computer, and the answers it gives.

    with open_meteo() as service:
        service.endpoint, service.geocoding_endpoint, service.asked

It knows Beijing, in both languages, and nowhere else.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BEIJING: dict[str, Any] = {
    "results": [
        {
            "id": 1816670,
            "name": "Beijing",
            "latitude": 39.9075,
            "longitude": 116.39723,
            "country_code": "CN",
            "timezone": "Asia/Shanghai",
            "country": "China",
        }
    ],
    "generationtime_ms": 0.5,
}
FORECAST: dict[str, Any] = {
    "latitude": 39.875,
    "longitude": 116.375,
    "timezone": "Asia/Shanghai",
    "current_units": {"temperature_2m": "°C", "wind_speed_10m": "km/h"},
    "current": {
        "time": "2026-05-04T10:15",
        "temperature_2m": 21.4,
        "apparent_temperature": 20.8,
        "relative_humidity_2m": 38,
        "weather_code": 2,
        "wind_speed_10m": 11.9,
    },
    "daily": {
        "time": ["2026-05-04", "2026-05-05"],
        "weather_code": [2, 61],
        "temperature_2m_max": [24.6, 19.9],
        "temperature_2m_min": [14.0, 12.3],
        "precipitation_probability_max": [10, None],
    },
}


@dataclass
class WeatherService:
    """Attributes:
    asked: paths with their queries, in order.
    status: what is answered to everything, 200 for the answer itself.
    knows: whether there is a place of that name, lower-case.
    """

    address: str
    asked: list[str] = field(default_factory=list)
    status: int = 200
    knows: Callable[[str], bool] = lambda name: name in ("beijing", "北京")

    @property
    def endpoint(self) -> str:
        return f"{self.address}/v1/forecast"

    @property
    def geocoding_endpoint(self) -> str:
        return f"{self.address}/v1/search"

    @property
    def config(self) -> dict[str, str]:
        """`plugins.entries.weather.config` that leads here."""
        return {"endpoint": self.endpoint, "geocodingEndpoint": self.geocoding_endpoint}

    def answer(self, path: str) -> dict[str, Any]:
        self.asked.append(path)
        parts = urlsplit(path)
        if parts.path == "/v1/forecast":
            return FORECAST
        name = parse_qs(parts.query).get("name", [""])[0].casefold()
        return BEIJING if self.knows(name) else {"generationtime_ms": 0.3}


@contextmanager
def open_meteo() -> Iterator[WeatherService]:
    """A running service; ended and its port given back afterwards."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(service.answer(self.path)).encode()
            self.send_response(service.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service = WeatherService(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="open-meteo")
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
