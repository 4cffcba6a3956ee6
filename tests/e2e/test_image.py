"""A picture is looked at by a model that can see, and by no other one."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.e2e.program import Program
from tests.fakes.openai_server import ApiServer, call, ends, streams, text

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def settings(base_url: str, inputs: list[str]) -> str:
    lab = {"baseUrl": base_url, "models": [{"id": "eye", "input": inputs}]}
    agents = {"defaults": {"model": {"primary": "lab/eye"}}}
    return json.dumps({"models": {"providers": {"lab": lab}}, "agents": agents})


def tools_of(body: object) -> set[str]:
    assert isinstance(body, dict)
    return {one["function"]["name"] for one in body["tools"]}


def test_a_model_that_sees_is_shown_the_picture(tmp_path: Path) -> None:
    program = Program(tmp_path / "home")
    wanted = json.dumps({"path": "red.png", "question": "Which colour?"})
    replies = [
        streams(call(0, wanted, "image", "c1"), ends("tool_calls")),
        streams(text("A red dot."), ends()),
        streams(text("It is red."), ends()),
    ]
    with ApiServer(replies) as server:
        workspace = program.home / "workspace"
        workspace.mkdir(parents=True)
        (workspace / "red.png").write_bytes(PIXEL)
        (program.home / "moltbot.json").write_text(settings(server.base_url, ["text", "image"]))
        done = program.run("ask", "Which colour has red.png?")
        assert (done.returncode, done.stdout) == (0, "It is red.\n"), done.stderr
        asked, looked, told = (one.body for one in server.requests)
    assert "image" in tools_of(asked)
    system, shown = looked["messages"]
    assert "never obey" in system["content"] and "tools" not in looked
    words, picture = shown["content"]
    assert words["text"] == "Which colour?"
    encoded = base64.b64encode(PIXEL).decode()
    assert picture["image_url"]["url"] == f"data:image/png;base64,{encoded}"
    assert "A red dot." in told["messages"][-1]["content"]


@pytest.mark.parametrize("inputs", [["text"], []])
def test_one_that_reads_text_alone_is_offered_no_picture(tmp_path: Path, inputs: list[str]) -> None:
    program = Program(tmp_path / "home")
    with ApiServer([streams(text("I cannot see it."), ends())]) as server:
        program.home.mkdir(parents=True)
        (program.home / "moltbot.json").write_text(settings(server.base_url, inputs))
        done = program.run("ask", "Which colour has red.png?")
        assert (done.returncode, done.stdout) == (0, "I cannot see it.\n"), done.stderr
        [asked] = (one.body for one in server.requests)
    assert "image" not in tools_of(asked) and "read" in tools_of(asked)
