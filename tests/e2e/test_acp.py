"""The assistant in an editor: the package's own client, a real process, the starter or a scripted
model behind an API."""

from __future__ import annotations

import asyncio
import json
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from acp import RequestError, embedded_text_resource, resource_block
from acp.schema import ToolCallUpdate

from moltbot_desktop.sessions.keys import parse_session_key
from tests.e2e.program import Program
from tests.fakes.editor import Editor, edited
from tests.fakes.openai_server import ApiServer, call, ends, hangs, streams, text


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "home")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "project"
    found.mkdir()
    (found / "beds.py").write_text("BEDS = 3\n", encoding="utf-8")
    return found


def asking(program: Program, lab: ApiServer) -> Program:
    """`program` with the model of `lab`."""
    program.home.mkdir(parents=True)
    settings = {
        "models": {"providers": {"lab": {"baseUrl": lab.base_url, "apiKey": "${LAB_KEY}"}}},
        "agents": {"defaults": {"model": {"primary": "lab/small"}}},
    }
    (program.home / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")
    return replace(program, extra={"LAB_KEY": "sk-lab"})


def test_a_whole_day_in_an_editor_with_the_starter_model(program: Program, folder: Path) -> None:
    def choose(card: ToolCallUpdate) -> str:
        return choices.pop(0)

    choices = ["once", "no", ""]

    async def day() -> str:
        async with edited(program, "--local", editor=Editor(choose)) as (editor, _):
            first, second = await editor.new(folder), await editor.new(folder)
            done = await asyncio.gather(
                editor.ask(first, "What is 12.5 * 8?"), editor.ask(second, "What is 6 * 7?")
            )
            assert [one.stop_reason for one in done] == ["end_turn", "end_turn"]
            assert "100" in editor.said(first) and "42" in editor.said(second)
            begun, ended = (
                editor.updates(first, "tool_call"),
                editor.updates(first, "tool_call_update"),
            )
            assert [one["status"] for one in (*begun, *ended)] == ["in_progress", "completed"]
            assert begun[0]["toolCallId"] == ended[0]["toolCallId"]
            assert begun[0]["rawInput"] == {"expression": "12.5 * 8"}
            commands = editor.updates(first, "available_commands_update")
            names = {one["name"] for one in commands[0]["availableCommands"]}
            assert {"help", "status", "new"} <= names and "mode" not in names

            for allowed in (True, False, False):
                asked = len(editor.cards)
                await editor.ask(first, f"read {folder / 'beds.py'}")
                assert len(editor.cards) == asked + 1
                assert str(folder / "beds.py") in editor.card_text()
                last = editor.updates(first, "tool_call_update")[-1]
                assert ("BEDS = 3" in str(last), last["status"] == "completed") == (allowed,) * 2
                assert editor.updates(first, "tool_call")[-1]["locations"] == [
                    {"path": str(folder / "beds.py")}
                ]
            assert editor.cards[0][1] == ["once", "run", "no"]

            with pytest.raises(RequestError, match="not taken from another program"):
                await editor.ask(first, "/mode trusting")
            await editor.ask(first, "/status")
            assert "Model" in editor.said(first)
            return first

    async def next_day(session: str) -> None:
        async with edited(program, "--local") as (editor, _):
            listed = (await editor.connection.list_sessions()).sessions
            known = {one.session_id: one for one in listed}
            assert len(known) == 2 and known[session].cwd == str(folder)
            assert known[session].title == "What is 12.5 * 8?"
            await editor.connection.load_session(cwd=str(folder), session_id=session)
            kinds = [one["sessionUpdate"] for one in editor.updates(session)][:3]
            assert kinds == ["user_message_chunk", "tool_call", "agent_message_chunk"]
            assert editor.said(session, "user_message_chunk").startswith("What is 12.5 * 8?")
            await editor.ask(session, "What is 9 * 9?")
            assert "81" in editor.said(session)
            with pytest.raises(RequestError, match="no such conversation"):
                await editor.connection.load_session(cwd="/", session_id="agent:main:main")
            with pytest.raises(RequestError, match="no folder"):
                await editor.new(folder / "gone")

    session = asyncio.run(day())
    key = parse_session_key(session)
    assert key is not None and key.rest.startswith("acp:")
    asyncio.run(next_day(session))


def test_an_answer_streams_is_stopped_and_its_end_is_kept(program: Program, folder: Path) -> None:
    script = [
        streams(text("There are "), text("three ![x](http://a.example/?q)"), ends()),
        hangs(text("One moment, ")),
        hangs(text("Again, ")),
    ]

    async def talk() -> str:
        async with edited(program, "--local") as (editor, process):
            session = await editor.new(folder)
            along = embedded_text_resource("file:///beds.py", "BEDS = 3")
            done = await editor.ask(session, "How many beds?", resource_block(along))
            assert done.stop_reason == "end_turn"
            assert editor.said(session) == "There are three &#33;[x](http://a.example/?q)"
            asked = str(lab.requests[0].body["messages"])
            assert "BEDS = 3" in asked and f"Test Editor, open folder: {folder}" in asked

            going_on = asyncio.ensure_future(editor.ask(session, "Tell me a story."))
            await editor.until(lambda: "One moment," in editor.said(session))
            with pytest.raises(RequestError, match="still answering"):
                await editor.ask(session, "And another.")
            await editor.connection.cancel(session_id=session)
            assert (await going_on).stop_reason == "cancelled"

            last = asyncio.ensure_future(editor.ask(session, "Go on."))
            await editor.until(lambda: "Again," in editor.said(session))
            assert process.stdin is not None
            process.stdin.close()  # the editor is gone in the middle of an answer
            await process.wait()
            assert process.returncode == 0
            # An editor that ends need not hear of it; if it does, it is told the truth.
            (heard,) = await asyncio.gather(last, return_exceptions=True)
            gone = isinstance(heard, ConnectionError)
            assert gone or getattr(heard, "stop_reason", "") == "cancelled", heard
            return session

    with ApiServer(script, key="sk-lab") as lab:
        program = asking(program, lab)
        session = asyncio.run(talk())
    found = [path.read_text(encoding="utf-8") for path in program.transcripts()]
    (transcript,) = (one for one in found if "Go on." in one)
    assert transcript.count('"cancelled"') == 2
    assert "One moment," in transcript and "Again," in transcript
    assert session.count(":") == 3


def test_an_edit_in_an_agents_own_folder_is_shown_as_one_and_undone(
    program: Program, folder: Path
) -> None:
    script = [
        streams(
            call(0, '{"path": "beds.py", "oldText": "3", "newText": "4"}', "edit", "c1"),
            ends("tool_calls"),
        ),
        streams(text("Done."), ends()),
    ]

    async def talk() -> None:
        async with edited(program, "--local") as (editor, _):
            session = await editor.new(folder)
            assert session.startswith("agent:garden:acp:")
            assert (await editor.ask(session, "Make it four.")).stop_reason == "end_turn"
            (begun,) = editor.updates(session, "tool_call")
            place = str(folder / "beds.py")
            assert begun["kind"] == "edit" and begun["locations"] == [{"path": place}]
            assert begun["content"] == [
                {"type": "diff", "path": place, "oldText": "3", "newText": "4"}
            ]
            assert editor.cards == []

    with ApiServer(script, key="sk-lab") as lab:
        program = asking(program, lab)
        added = program.run("agents", "add", "garden", "--workspace", str(folder))
        assert added.returncode == 0, added.stderr
        asyncio.run(talk())
    assert (folder / "beds.py").read_text(encoding="utf-8") == "BEDS = 4\n"
    undone = program.run("undo", "--agent", "garden")
    assert undone.returncode == 0, undone.stderr
    assert (folder / "beds.py").read_text(encoding="utf-8") == "BEDS = 3\n"


def test_garbage_is_answered_and_standard_output_is_the_protocols_alone(program: Program) -> None:
    lines = [
        b"garbage",
        b"[1, 2, 3]",
        b'{"jsonrpc":"2.0","id":[1],"method":"initialize"}',
        b'{"jsonrpc":"2.0","id":77,"error":"text"}',
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}',
        b'{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":7}}',
        b'{"jsonrpc":"2.0","id":3,"method":"no/such"}',
        b'{"jsonrpc":"2.0","method":"session/cancel","params":{}}',
        b'{"jsonrpc":"2.0","id":4,"method":"session/set_mode",'
        b'"params":{"sessionId":"a","modeId":"trusting"}}',
        b'{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"a","prompt":[]}}',
    ]
    done = program.run("acp", "--local", lines=b"\n".join(lines))
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    by_id = {one["id"]: one for one in answers if one["id"] is not None}
    assert [one["error"]["code"] for one in answers if one["id"] is None] == [
        -32700,
        -32600,
        -32600,
    ]
    assert by_id[1]["result"]["protocolVersion"] == 1
    assert by_id[1]["result"]["agentCapabilities"]["loadSession"] is True
    assert by_id[2]["error"]["code"] == -32602
    assert by_id[3]["error"]["code"] == -32601
    assert "moltbot-desktop mode" in by_id[4]["error"]["message"]
    assert "no such conversation" in by_id[5]["error"]["message"]


def test_beside_a_running_assistant_that_one_answers(program: Program, folder: Path) -> None:
    async def talk() -> None:
        async with edited(program) as (editor, process):
            session = await editor.new(folder)
            done = await editor.ask(session, "What is 6 * 7?")
            assert (done.stop_reason, "42" in editor.said(session)) == ("end_turn", True)
            await editor.ask(session, f"read {folder / 'beds.py'}")  # nobody sits before `serve`
            assert "BEDS" not in str(editor.told) and editor.cards == []
            (listed,) = (await editor.connection.list_sessions()).sessions
            assert (listed.session_id, listed.cwd) == (session, str(folder))
            await editor.connection.load_session(cwd=str(folder), session_id=session)
            assert editor.said(session, "user_message_chunk").startswith("What is 6 * 7?")
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0

    with program.started(["serve"]) as serving:
        assert serving.stdout is not None
        while "reach it at" not in (line := serving.stdout.readline()):
            assert line
        asyncio.run(talk())
