"""OpenAI's own package asks the whole program, which listens only where the settings say so."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import openai
import pytest

from tests.e2e.program import Program
from tests.e2e.test_plugin_routes import started
from tests.fakes.forked_program import ForkedProgram

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")


def test_a_program_asks_the_assistant_and_its_embedding_model(tmp_path: Path) -> None:
    home = tmp_path / "home" / ".moltbot"
    home.mkdir(parents=True)
    on = {"enabled": True}
    endpoints = {"chatCompletions": on, "embeddings": on}
    settings = {"gateway": {"port": 0, "http": {"endpoints": endpoints}}}
    with ForkedProgram(home, tmp_path / "done") as program:
        (home / "moltbot.json").write_text(json.dumps(settings))
        web = started(home, program)["web"]
        assert isinstance(web, dict)
        token = Path(str(web["tokenFile"])).read_text().strip()
        told = Program(home).run("status").stdout
        assert str(web["openai"]) in told and str(web["tokenFile"]) in told
        http = openai.DefaultHttpxClient(trust_env=False)
        with openai.OpenAI(api_key=token, base_url=str(web["openai"]), http_client=http) as client:
            names = {one.id for one in client.models.list().data}
            assert {"moltbot", "moltbot:main", "local/minilm"} <= names
            asked = [{"role": "user", "content": "How are you?"}]
            answer = client.chat.completions.create(model="moltbot", messages=asked)
            assert answer.choices[0].message.content == "well"  # all that its model says
            chunks = client.chat.completions.create(model="moltbot", messages=asked, stream=True)
            said = "".join(one.choices[0].delta.content or "" for one in chunks)
            assert said == "well"
            texts = ["a cat sleeps", "a kitten naps", "tax law of 1987"]
            found = client.embeddings.create(model="local/minilm", input=texts)
            cat, kitten, law = (one.embedding for one in found.data)
            assert likeness(cat, kitten) > likeness(cat, law)
            with pytest.raises(openai.AuthenticationError):
                client.with_options(api_key="wrong", max_retries=0).models.list()
        assert program.end() == 0


def likeness(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
