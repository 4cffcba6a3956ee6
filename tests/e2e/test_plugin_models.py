"""A model of a plugin answers in the whole program, and what goes wrong in it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.plugins import make_plugin

CODE = """
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.models import FinishReason, GenerationDone, ModelInfo, TextDelta
from moltbot_desktop.sdk.plugins import PluginProvider

class Parrot:
    info = ModelInfo("parrot", 8192, 0)
    async def generate(self, request, cancel):
        said = request.messages[-1].content
        if "sulk" in said:
            raise ValueError("the parrot sulks")
        for word in ("You", " said", ":", " bananas" if "bananas" in said else " nothing"):
            yield TextDelta(word)
        yield GenerationDone(FinishReason.STOP, Usage())
    async def count_tokens(self, text):
        return len(text) // 4
    async def prefill(self, request, cancel):
        pass

def register(api):
    api.register_provider(PluginProvider("zoo", ("parrot",), lambda name: Parrot()))
"""


@pytest.mark.timeout(120)
def test_a_model_of_a_plugin_answers_and_its_faults_are_told(tmp_path: Path) -> None:
    home = tmp_path / "home" / ".moltbot"
    home.mkdir(parents=True)
    make_plugin(home / "extensions", "zoo", CODE, providers=["zoo"])
    settings = {
        "agents": {"defaults": {"model": "zoo/parrot", "memorySearch": {"enabled": False}}},
        "plugins": {"entries": {"zoo": {"enabled": True}}},
    }
    (home / "moltbot.json").write_text(json.dumps(settings))
    told = Program(home).run("chat", "--json", lines="say bananas\nsulk\n/models\n")
    assert "You said: bananas" in told.stdout, told.stdout + told.stderr
    assert "the parrot sulks" in told.stdout
    assert "zoo/parrot" in told.stdout
