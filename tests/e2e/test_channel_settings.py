"""What the settings promise about channels holds in the whole program, over a pipe."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from tests.e2e.test_channels import Scene, scene_in, transcripts
from tests.fakes.pipes import PEERS, pipe_settings

HEADER = re.compile(r"\[Pipe ada \+\d+[sm] \d{4}-\d\d-\d\d \d\d:\d\d [A-Z+-].*?\] ")


def settings(folder: Path) -> dict[str, object]:
    whole: Any = pipe_settings(folder, mode="followup")
    whole["agents"]["defaults"] |= {"envelopeTimestamp": "on", "envelopeElapsed": "on"}
    whole["agents"]["defaults"]["userTimezone"] = "Asia/Tokyo"
    whole["agents"]["defaults"]["envelopeTimezone"] = "user"
    whole["messages"] |= {"messagePrefix": "(by pipe)", "inbound": {"debounceMs": 300}}
    return cast(dict[str, object], whole)


def texts(scene: Scene) -> list[str]:
    return [str(one["text"]) for one in scene.scripts["two"].answers.values()]


def test_steps_headers_prefixes_and_quick_messages(tmp_path: Path) -> None:
    [peer, *_] = [one for one in PEERS["two"] if one["kind"] == "dm"]
    with scene_in(tmp_path, settings(tmp_path), tmp_path / "done") as scene:
        script = scene.scripts["two"]
        scene.program.start()
        script.say("1", peer, "/verbose full")
        scene.until(lambda: len(texts(scene)) == 1)
        script.say("2", peer, "do m17")
        scene.until(lambda: len(texts(scene)) == 4)
        step, output, answer = texts(scene)[1:]
        assert (step, answer) == ("🧩 note_down: m17", "m17")
        assert output == "🧩 note_down\n```\nWrote m17 down.\n```"
        script.say("3", peer, "m18")
        script.say("4", peer, "m19")
        scene.until(lambda: len(texts(scene)) == 5)
        assert texts(scene)[4] == "m18 m19"
        assert scene.program.end() == 0
        # The model that the settings name reads one request alone, until another one is seen.
        [heard] = transcripts(scene.home)
        said = list(heard.runs.values())[-1]
    found = HEADER.match(said)
    assert found is not None and "JST" in found[0], said
    assert said[found.end() :] == "(by pipe) m18\nm19"
