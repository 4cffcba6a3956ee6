"""A desk with helpers and other conversations over a model that answers by what it is asked.

async with Company(tmp_path, answer) as company:      # answer(request) -> ScriptedTurn
    await company.say("look into it")
    company.of(KEY), company.texts(KEY)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, RunId, SessionKey
from moltbot_desktop.core.messages import Role
from moltbot_desktop.gateway.client import ClientEvent
from moltbot_desktop.gateway.commands.desk import CommandDesk
from moltbot_desktop.gateway.commands.ports import CommandCall
from moltbot_desktop.gateway.helper_book import HelperBook
from moltbot_desktop.gateway.helper_desk import HelperDesk, HelperParts, HelperRules
from moltbot_desktop.gateway.other_sessions import AgentsTalk, OtherParts, OtherSessions
from moltbot_desktop.gateway.own_turns import OwnTurns
from moltbot_desktop.gateway.tool_outbox import ToolOutbox
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.notices import Notices
from moltbot_desktop.sdk.channels import Attachment, DeliveryTarget
from moltbot_desktop.sdk.models import ChatModel, GenerationRequest
from moltbot_desktop.sdk.sessions import SessionInfo
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore
from moltbot_desktop.tools.message import Message
from moltbot_desktop.tools.sessions import session_tools
from tests.fakes.chat_model import ScriptedChatModel, ScriptedTurn
from tests.integration.gateway.test_front_desk import KEY, Assistant

Answer = Callable[[GenerationRequest], ScriptedTurn]


def asked(request: GenerationRequest) -> str:
    """The last message of the prompt, whoever's."""
    return request.messages[-1].content


def users(request: GenerationRequest) -> list[str]:
    return [one.content for one in request.messages if one.role is Role.USER]


@dataclass
class Company:
    """See the module. `requests`: all prompts; `heard`: what no window is told."""

    home: Path
    answer: Answer
    rules: HelperRules = field(default_factory=HelperRules)
    talk: AgentsTalk = field(default_factory=AgentsTalk)
    requests: list[GenerationRequest] = field(default_factory=list)
    heard: list[ClientEvent] = field(default_factory=list)
    posted: list[tuple[DeliveryTarget, str]] = field(default_factory=list)
    files: list[Attachment] = field(default_factory=list)
    put_away: list[tuple[SessionKey, bool]] = field(default_factory=list)

    async def __aenter__(self) -> Company:
        self.assistant = assistant = Assistant(self.home, [])
        assistant.lend = self._lend  # type: ignore[method-assign]
        self.database = ScheduleDatabase(self.home / "jobs.sqlite", assistant.clock)
        assistant.notices = self.notices = Notices(self.database)
        tools = session_tools(lambda: self.access)
        assistant.tools = (*tools, Message(lambda: self.outbox))
        await assistant.__aenter__()
        assistant.listeners.overhear(self.heard.append)
        self.desks, self.desk = assistant.desk.parts.desks, assistant.desk
        self.turns = OwnTurns(self.desk, assistant.listeners, self._new_id)
        self.book = HelperBook(self.home / "subagents" / "runs.json")
        self.helpers = HelperDesk(
            HelperParts(
                desks=self.desks,
                store=assistant.store,
                book=self.book,
                clock=assistant.clock,
                new_id=self._new_id,
                rules=self._rules,
                model_known=lambda name: name == "small",
                tell=self.turns.tell,
                warn=assistant.listeners.tell,
                notify=self.notices.add,
                take_turn=self.turns.take,
                put_away=self._put_away,
                language=Language.ENGLISH,
            )
        )
        self.access = OtherSessions(
            OtherParts(
                desks=self.desks,
                clock=assistant.clock,
                new_id=self._new_id,
                current=self._current,
                talk=lambda: self.talk,
                status=self._status,
                tell=self.turns.tell,
                notify=self.notices.add,
                take_turn=self.turns.take,
                language=Language.ENGLISH,
            ),
            self.helpers,
        )
        self.outbox = ToolOutbox(self.desks, self._current, self._new_id, self._post)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.helpers.close()
        await self.assistant.__aexit__()
        self.database.close()

    async def say(self, text: str) -> RunEnded:
        return await self.assistant.say(text)

    async def command(self, name: str, rest: str = "") -> str:
        ports = replace(self.desk.ports, helpers=self.helpers)
        desk = CommandDesk(ports)
        call = CommandCall(name, rest, KEY, Language.ENGLISH)
        text = (await desk.answer(call)).text
        await desk.close()
        return text

    def ends(self, session: SessionKey = KEY) -> list[RunEnded]:
        return [e for e in self.heard if isinstance(e, RunEnded) and e.session == session]

    async def becomes(self, true: Callable[[], object]) -> None:
        await self.assistant.becomes(true)

    def texts(self, key: SessionKey = KEY) -> list[str]:
        """What stands in a conversation's transcript."""
        session = self.desks.of(key).session
        return [message.content for message in session.transcript.messages()]

    @asynccontextmanager
    async def _lend(self, _name: str = "") -> AsyncIterator[ChatModel]:
        yield _Answering(self)

    def _new_id(self) -> str:
        return f"id{next(self.assistant.numbers)}"

    def _rules(self, _agent: AgentId) -> HelperRules:
        return self.rules

    async def _post(
        self,
        run_id: RunId,
        target: DeliveryTarget,
        text: str,
        files: tuple[Attachment, ...] = (),
    ) -> None:
        self.posted.append((target, text))
        self.files += files

    async def _put_away(self, key: SessionKey, delete: bool) -> None:
        self.put_away.append((key, delete))

    async def _current(self) -> Sequence[SessionInfo]:
        clock = self.assistant.clock
        found = StoredSessions(SessionStore(self.home, clock), clock).sessions()
        return [one for one in found if one.current and one.key]

    async def _status(self, key: SessionKey, _language: Language) -> str:
        return f"{key} is well"


class _Answering(ScriptedChatModel):
    """One generation, by the company's answer."""

    def __init__(self, company: Company) -> None:
        super().__init__([], company.assistant.info)
        self._company = company

    async def generate(self, request, cancel):  # type: ignore[no-untyped-def]
        self._company.requests.append(request)
        turn = self._company.answer(request)
        async for event in ScriptedChatModel([turn], self.info).generate(request, cancel):
            yield event
