"""An editor: the package's own client over a process of ours, which keeps what it is told.

async with edited(program, "--local") as (editor, process):
    session = await editor.new(tmp_path)
    response = await editor.ask(session, "What is 2 + 2?")
    editor.said(session)
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acp import PROTOCOL_VERSION, text_block
from acp.client.connection import ClientSideConnection
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    Implementation,
    PermissionOption,
    PromptResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
)
from acp.stdio import spawn_agent_process

from tests.e2e.program import Program

LIMIT_SECONDS = 240


@dataclass
class Editor:
    """Implements `acp.Client`.

    Attributes:
        choose: the option of a card, "" to cancel it; None leaves it unanswered.
        cards: what was asked, with the names of the options.
        told: the updates of each session, as JSON.
    """

    choose: Callable[[ToolCallUpdate], str | None] = lambda _: "no"
    cards: list[tuple[ToolCallUpdate, list[str]]] = field(default_factory=list)
    told: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    unanswered: int = 0
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    def on_connect(self, conn: object) -> None:
        self.connection: ClientSideConnection = conn  # type: ignore[assignment]

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        coded = update.model_dump(mode="json", by_alias=True, exclude_none=True)
        self.told.setdefault(session_id, []).append(coded)
        await self._tell()

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        self.cards.append((tool_call, [one.option_id for one in options]))
        await self._tell()
        choice = self.choose(tool_call)
        if choice is None:
            self.unanswered += 1
            await asyncio.Event().wait()
        if not choice:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=choice)
        return RequestPermissionResponse(outcome=outcome)

    async def begin(self) -> Any:
        info = Implementation(name="test-editor", title="Test Editor", version="1")
        return await self.connection.initialize(PROTOCOL_VERSION, client_info=info)

    async def new(self, folder: Path) -> str:
        return (await self.connection.new_session(cwd=str(folder))).session_id

    async def ask(self, session: str, *blocks: Any) -> PromptResponse:
        parts = [text_block(one) if isinstance(one, str) else one for one in blocks]
        return await self.connection.prompt(session_id=session, prompt=parts)

    async def until(self, true: Callable[[], object]) -> None:
        """Held up by the test's own limit only."""
        async with self._news:
            await self._news.wait_for(true)

    def updates(self, session: str, kind: str = "") -> list[dict[str, Any]]:
        told = self.told.get(session, [])
        return [one for one in told if kind in ("", one["sessionUpdate"])]

    def said(self, session: str, kind: str = "agent_message_chunk") -> str:
        return "".join(one["content"]["text"] for one in self.updates(session, kind))

    def card_text(self, number: int = -1) -> str:
        shown = self.cards[number][0].content or []
        return "\n".join(one.content.text for one in shown if one.type == "content")  # type: ignore[union-attr]

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()


@asynccontextmanager
async def edited(
    program: Program, *options: str, editor: Editor | None = None
) -> AsyncIterator[tuple[Editor, Process]]:
    """A greeted agent; ended as an editor ends one, by the end of its input."""
    editor = editor or Editor()
    command: Sequence[str] = program.command("acp", *options)
    async with asyncio.timeout(LIMIT_SECONDS):
        async with (
            spawn_agent_process(
                lambda _: editor,  # type: ignore[arg-type, return-value]
                command[0],
                *command[1:],
                env=program.environment(),
                transport_kwargs={
                    "limit": 8_000_000,
                    "shutdown_timeout": 60.0,
                    "stderr": asyncio.subprocess.DEVNULL,
                },
            ) as (connection, process)
        ):
            editor.on_connect(connection)
            await editor.begin()
            yield editor, process
