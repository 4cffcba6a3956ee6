"""The weather case whole, as a person meets it: switched on, asked for in their own words and by
/weather, answered by the built-in model or by none; and what is said while it is off."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.fakes.open_meteo import open_meteo


def talk(home: Path, *lines: str) -> list[dict[str, object]]:
    """What `chat --json` answers to each line."""
    done = subprocess.run(
        [sys.executable, "-m", "moltbot_desktop", "chat", "--json"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "MOLTBOT_HOME": str(home), "LANG": "C.UTF-8"},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_weather_is_asked_for_in_three_ways(tmp_path: Path) -> None:
    with open_meteo() as service:
        entry = {"enabled": True, "config": service.config}
        settings = {"plugins": {"entries": {"weather": entry}}}
        (tmp_path / "moltbot.json").write_text(json.dumps(settings))
        english, chinese, command, again = talk(
            tmp_path,
            "What's the weather in Beijing?",
            "北京的天气怎么样",
            "/weather Beijing",
            "/weather 北京",
        )
    assert str(english["text"]).startswith("**Beijing (CN)**: partly cloudy, 21 °C")
    assert str(chinese["text"]).startswith("**北京 (CN)**：多云，21 °C")
    assert str(command["text"]).startswith("**Beijing (CN)**: partly cloudy, 21 °C")
    assert str(again["text"]).startswith("**北京 (CN)**：多云，21 °C")
    assert len(service.asked) == 4  # two places, each found and asked for once


def test_without_a_city_the_usual_place_is_meant_or_it_is_asked_for(tmp_path: Path) -> None:
    with open_meteo() as service:
        config = {**service.config, "place": "Beijing"}
        entry = {"enabled": True, "config": config}
        file = tmp_path / "moltbot.json"
        file.write_text(json.dumps({"plugins": {"entries": {"weather": entry}}}))
        english, chinese = talk(tmp_path, "weather", "天气")
        entry["config"] = service.config
        file.write_text(json.dumps({"plugins": {"entries": {"weather": entry}}}))
        asked, again, answered = talk(tmp_path, "weather", "How is the weather?", "Beijing")
    assert str(english["text"]).startswith("**Beijing (CN)**: partly cloudy")
    assert str(chinese["text"]).startswith("**Beijing (CN)**：多云")
    assert asked["text"] == again["text"] == "The weather of which place?"
    assert str(answered["text"]).startswith("**Beijing (CN)**: partly cloudy")


def test_while_the_plugin_is_off_it_is_said_how_to_switch_it_on(tmp_path: Path) -> None:
    english, chinese, *typed = talk(
        tmp_path,
        "What's the weather in Beijing?",
        "北京的天气怎么样",
        "/weather Beijing",
        "/weather 北京",
    )
    for answer in (english, chinese, *typed):
        assert "plugins enable weather" in str(answer["text"]), answer
    assert str(chinese["text"]).startswith("要先允许")
