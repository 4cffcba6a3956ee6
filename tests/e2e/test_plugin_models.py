"""A model of a plugin answers in the whole program, and what goes wrong in it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.openai_server import ApiServer, ends, streams, text
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


FAR = """
import asyncio
import json
from moltbot_desktop.core.results import Usage
from moltbot_desktop.sdk.models import FinishReason, GenerationDone, ModelInfo, TextDelta
from moltbot_desktop.sdk.plugins import PluginProvider

class Talk:
    info = ModelInfo("talk", 8192, 0)
    def __init__(self, web, server):
        self._web, self._url = web, server + "/chat/completions"
    async def generate(self, request, cancel):
        said = [{"role": "user", "content": request.messages[-1].content}]
        body = json.dumps({"model": "m", "stream": True, "messages": said}).encode()
        with self._web.stream(self._url, body) as answer:
            lines = answer.lines()
            while (line := await asyncio.to_thread(next, lines, None)) is not None:
                if line.startswith("data: {"):
                    for one in json.loads(line[6:])["choices"]:
                        yield TextDelta(one["delta"].get("content", ""))
        yield GenerationDone(FinishReason.STOP, Usage())
    async def count_tokens(self, text):
        return len(text) // 4
    async def prefill(self, request, cancel):
        pass

class Far:
    model_id, dimensions = "far-1", 8
    def __init__(self, web, server):
        self.web, self.server = web, server
    def embed_query(self, text):
        return self.embed_passages([text])[0]
    def embed_passages(self, texts):
        body = json.dumps({"model": "m", "input": list(texts)}).encode()
        answer = self.web.post(self.server + "/embeddings", body)
        data = sorted(json.loads(answer.body)["data"], key=lambda one: one["index"])
        return [one["embedding"] for one in data]

def register(api):
    web, server = api.runtime.web, api.config["server"]
    api.register_provider(PluginProvider(
        "far", ("talk",), lambda name: Talk(web, server), ("near",), lambda name: Far(web, server)))
"""


@pytest.mark.timeout(120)
def test_a_plugins_models_at_a_server_embed_and_are_listed(tmp_path: Path) -> None:
    home = tmp_path / "home" / ".moltbot"
    (home / "workspace").mkdir(parents=True)
    (home / "workspace" / "MEMORY.md").write_text("- My dentist is Dr Lee.\n")
    schema = {"type": "object", "properties": {"server": {"type": "string"}}}
    make_plugin(home / "extensions", "far", FAR, configSchema=schema)
    program = Program(home)
    with ApiServer(answer=lambda _: streams(text("Good "), text("morning"), ends())) as server:
        entry = {"enabled": True, "config": {"server": server.base_url}}
        settings = {
            "agents": {"defaults": {"memorySearch": {"provider": "far/near"}, "model": "far/talk"}},
            "plugins": {"entries": {"far": entry}},
        }
        (home / "moltbot.json").write_text(json.dumps(settings))
        told = program.run("memory", "search", "Who is my dentist?")
        assert "Dr Lee" in told.stdout, told.stderr
        assert any("dentist" in str(one.body) for one in server.requests)
        status = program.run("memory", "status")
        assert "far/near" in status.stdout, status.stderr
        asked = len(server.requests)
        told = program.run("chat", "--json", lines="hello\n/memory search Who is my dentist?\n")
        assert "Good morning" in told.stdout, told.stdout + told.stderr
        assert "Dr Lee" in told.stdout, told.stdout + told.stderr
        assert len(server.requests) > asked
    listed = json.loads(program.run("models", "list", "--json").stdout)
    known = {one["name"]: one for one in listed}
    assert known["far/near"]["in_use"] and known["far/near"]["kind"] == "embedding"
    assert known["far/talk"]["provided"] == "plugin" and known["far/talk"]["in_use"]
    assert "far/talk (chat, in use, a plugin's)" in program.run("models", "list").stdout
