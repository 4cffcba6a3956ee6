"""How long /weather takes against a service on this computer, beside the bare way to that service.

    python tests/bench/bench_weather.py [--json]

Each place is asked for once, so that the ten minutes' cache has no part in it. The ratio of the two
figures is what to compare between computers.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fakes.open_meteo import WeatherService, open_meteo

NAMES = [f"Beijing {number}" for number in range(20)]


def answered(service: WeatherService) -> list[float]:
    """Seconds for each /weather, the first (which opens the door) left out."""
    config = {**service.config, "place": ""}
    settings = {"plugins": {"entries": {"weather": {"enabled": True, "config": config}}}}
    with tempfile.TemporaryDirectory() as home:
        Path(home, "moltbot.json").write_text(json.dumps(settings))
        command = [sys.executable, "-m", "moltbot_desktop", "chat", "--json"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
        with subprocess.Popen(command, env={**os.environ, "MOLTBOT_HOME": home}, **pipes) as chat:
            return [_answered(chat, name) for name in NAMES][1:]


def _answered(chat: subprocess.Popen[str], name: str) -> float:
    """Seconds from the line that is written to the answer that is read."""
    assert chat.stdin is not None
    assert chat.stdout is not None
    began = time.perf_counter()
    chat.stdin.write(f"/weather {name}\n")
    chat.stdin.flush()
    answer = json.loads(chat.stdout.readline())
    assert "21 °C" in answer["text"], answer
    return time.perf_counter() - began


def bare(service: WeatherService) -> float:
    """Seconds for the two questions without the program."""
    began = time.perf_counter()
    for address in (f"{service.geocoding_endpoint}?name=Beijing", service.endpoint):
        with urllib.request.urlopen(address) as reply:
            reply.read()
    return time.perf_counter() - began


def main() -> None:
    with open_meteo() as service:
        service.knows = lambda name: name.startswith("beijing")
        whole = statistics.median(answered(service))
        alone = statistics.median(bare(service) for _ in NAMES)
    figures = {
        "weather_ms": round(whole * 1000, 1),
        "bare_ms": round(alone * 1000, 1),
        "ratio": round(whole / alone, 1),
    }
    if "--json" in sys.argv:
        print(json.dumps(figures))
    else:
        print(
            f"/weather {figures['weather_ms']} ms, the service alone {figures['bare_ms']} ms, "
            f"ratio {figures['ratio']}"
        )


if __name__ == "__main__":
    main()
