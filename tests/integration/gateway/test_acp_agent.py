"""The agent for editors over a real desk and a scripted model: the package's own client at the
other end of a pair in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest
from acp import RequestError, embedded_text_resource, resource_block
from acp._transport import Transport, memory_transport_pair
from acp.client.connection import ClientSideConnection
from acp.core import AgentSideConnection
from acp.schema import RequestPermissionResponse

from moltbot_desktop.core.errors import ModelMissing
from moltbot_desktop.core.events import ApprovalRequested
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId, SessionKey
from moltbot_desktop.gateway.acp.agent import MoltbotAgent
from moltbot_desktop.gateway.acp.here import HereAssistant
from moltbot_desktop.gateway.acp.port import EditorAssistant
from moltbot_desktop.gateway.client import ReminderDue
from moltbot_desktop.sdk.sessions import SessionInfo
from moltbot_desktop.sdk.tools import Effect, ToolResult
from moltbot_desktop.sessions.settings import SessionSettings
from tests.fakes.chat_model import ScriptedTurn, calls, fails, hangs, says
from tests.fakes.editor import Editor
from tests.fakes.tools import FakeTool, spec
from tests.integration.gateway.test_front_desk import COMMAND, Assistant, play
from tests.integration.gateway.test_socket_desk import desk_of


class Places:
    """One agent, which sees nothing."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.numbers = count(1)

    def begin(self, folder: Path) -> SessionKey:
        return SessionKey(f"agent:main:acp:{next(self.numbers)}")

    def workspace(self, key: SessionKey) -> Path:
        return self.home

    def sees(self, key: SessionKey | None) -> bool:
        return False


class NothingKept:
    async def current(self) -> Sequence[SessionInfo]:
        return ()

    def settings(self, key: SessionKey) -> SessionSettings:
        return SessionSettings()


class Talk:
    """An editor that talks with the agent."""

    def __init__(self, assistant: Assistant, editor: Editor, right: Transport) -> None:
        self.assistant, self.editor, self.pipe = assistant, editor, right
        self.session = ""

    async def ask(self, text: str) -> str:
        return (await self.editor.ask(self.session, text)).stop_reason

    def begin(self, text: str) -> asyncio.Task[str]:
        return asyncio.get_running_loop().create_task(self.ask(text))


@asynccontextmanager
async def talk(
    home: Path, script: list[ScriptedTurn], editor: Editor | None = None, **more: object
) -> AsyncIterator[Talk]:
    async with desk_of(home, script, **more) as (assistant, desk):
        here = HereAssistant(desk, NothingKept(), Language.ENGLISH)
        tasks: set[asyncio.Task[None]] = set()

        async def opened() -> EditorAssistant:
            return here

        def soon(work: Awaitable[None]) -> None:
            tasks.add(asyncio.ensure_future(work))  # type: ignore[arg-type]

        numbers = count(1)
        agent = MoltbotAgent(
            opened, Places(home), lambda: f"run-{next(numbers)}", Language.ENGLISH, soon
        )
        left, right = memory_transport_pair()
        server = AgentSideConnection(agent, left)  # type: ignore[arg-type]
        editor = editor or Editor()
        client = ClientSideConnection(lambda _: editor, right)  # type: ignore[arg-type, return-value]
        editor.on_connect(client)
        one = Talk(assistant, editor, right)
        await editor.begin()
        one.session = await editor.new(home)
        try:
            yield one
        finally:
            await client.close()
            await server.close()
            await asyncio.gather(*tasks, return_exceptions=True)


def dig() -> FakeTool:
    return FakeTool(spec("dig", effect=Effect.MESSAGE), lambda _: ToolResult({}, "Dug."))


def twice() -> list[ScriptedTurn]:
    return [calls("dig", {}), calls("dig", {}, call_id="c2"), says("Well.")]


@pytest.mark.parametrize(
    ("choice", "runs", "cards"),
    [("once", 2, 2), ("no", 0, None), ("", 0, None), ("always", 0, None)],
)
def test_a_yes_is_for_one_card_and_all_else_is_a_no(
    tmp_path: Path, choice: str, runs: int, cards: int | None
) -> None:
    async def scenario() -> None:
        tool = dig()
        editor = Editor(lambda _: choice)
        async with talk(tmp_path, twice(), editor, tools=(tool,)) as one:
            assert await one.ask("dig") == "end_turn"
            assert len(tool.got) == runs
            assert cards is None or len(editor.cards) == cards
            assert "Well." in editor.said(one.session)

    play(scenario)


def test_an_editor_that_cannot_ask_has_said_no(tmp_path: Path) -> None:
    class Broken(Editor):
        async def request_permission(self, *_: object, **__: object) -> RequestPermissionResponse:
            raise RequestError.method_not_found("session/request_permission")

    async def scenario() -> None:
        tool = dig()
        async with talk(
            tmp_path, [calls("dig", {}), says("Well.")], Broken(), tools=(tool,)
        ) as one:
            assert await one.ask("dig") == "end_turn"
            assert tool.got == []

    play(scenario)


def test_a_stop_while_a_card_is_open_is_a_no(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool, editor = dig(), Editor(lambda _: None)
        async with talk(tmp_path, [calls("dig", {})], editor, tools=(tool,)) as one:
            going_on = one.begin("dig")
            await editor.until(lambda: editor.unanswered)
            await editor.connection.cancel(session_id=one.session)
            assert await going_on == "cancelled"
            assert tool.got == []

    play(scenario)


def test_an_editor_that_goes_away_while_a_card_is_open_has_said_no(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool, editor = dig(), Editor(lambda _: None)
        script = [calls("dig", {}), says("Well.")]
        async with talk(tmp_path, script, editor, tools=(tool,)) as one:
            going_on = one.begin("dig")
            await editor.until(lambda: editor.unanswered)
            await one.pipe.close()
            await one.assistant.becomes(lambda: len(one.assistant.model.requests) == 2)
            assert tool.got == []
            going_on.cancel()
            await asyncio.gather(going_on, return_exceptions=True)

    play(scenario)


def test_a_card_that_is_answered_elsewhere_is_taken_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        tool, editor = dig(), Editor(lambda _: None)
        script = [calls("dig", {}), says("Well.")]
        async with talk(tmp_path, script, editor, tools=(tool,)) as one:
            going_on = one.begin("dig")
            await editor.until(lambda: editor.unanswered)
            assert any(isinstance(event, ApprovalRequested) for event in one.assistant.events)
            one.assistant.client.answer_approval(ApprovalId("card"), allow=True)
            assert await going_on == "end_turn"
            assert len(tool.got) == 1

    play(scenario)


def test_a_failure_is_told_in_our_sentence(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [fails(ModelMissing("There is no model.", hint="Fetch one.")), says("Better.")]
        async with talk(tmp_path, script) as one:
            with pytest.raises(RequestError, match="There is no model"):
                await one.ask("hi")
            assert await one.ask("hi") == "end_turn"
            assert one.editor.said(one.session).endswith("Better.")

    play(scenario)


def test_a_stop_before_anything_was_said_stops_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with talk(tmp_path, [hangs()]) as one:
            going_on = one.begin("hi")
            await one.editor.connection.cancel(session_id="agent:main:acp:other")
            while not going_on.done():  # whenever it comes
                await one.editor.connection.cancel(session_id=one.session)
                await asyncio.sleep(0)
            assert going_on.result() == "cancelled"

    play(scenario)


def test_a_reminder_is_told_in_the_conversation_used_last(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with talk(tmp_path, []) as one:
            await one.editor.new(tmp_path)
            last = await one.editor.new(tmp_path)
            one.assistant.listeners.tell(ReminderDue(1, "call Anna", "2026-01-05 12:00", False))
            await one.editor.until(lambda: "call Anna" in one.editor.said(last))
            assert one.editor.said(one.session) == ""

    play(scenario)


def test_a_model_that_reads_one_sentence_says_that_it_read_no_more(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with talk(tmp_path, [says("Hi.")], info=COMMAND) as one:
            along = resource_block(embedded_text_resource("file:///a.py", "BEDS = 3"))
            await one.editor.ask(one.session, "hello", along)
            assert "your sentence alone" in one.editor.said(one.session)
            assert "BEDS" not in str(one.assistant.model.requests)

    play(scenario)


def test_a_conversation_that_another_process_has_open_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with talk(tmp_path, []) as one:
            other = type(one.assistant.store)(tmp_path, one.assistant.clock)
            taken = SessionKey("agent:main:acp:2")
            session = other.open(taken)
            with pytest.raises(RequestError, match=r"use|open|process"):
                await one.editor.new(tmp_path)
            other.close(session)
            assert await one.editor.new(tmp_path)

    play(scenario)


def test_an_unknown_mode_or_method_changes_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with talk(tmp_path, []) as one:
            with pytest.raises(RequestError, match="does not change how much"):
                await one.editor.connection.set_session_mode(
                    session_id=one.session, mode_id="trusting"
                )
            with pytest.raises(RequestError, match="Method not found"):
                await one.editor.connection.ext_method("moltbot/allow", {})
            await one.editor.connection.ext_notification("moltbot/allow", {})

    play(scenario)
