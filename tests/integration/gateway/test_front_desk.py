"""The front desk with real transcripts, a real runner and a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher
from moltbot_desktop.agent.lanes import Lanes
from moltbot_desktop.agent.prompt import PromptSegment, Stability
from moltbot_desktop.agent.recall import Recaller
from moltbot_desktop.agent.runner import AgentParts, AgentRunner, RunLimits
from moltbot_desktop.agent.texts import PHRASES
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import ContextOverflow, UserInputInvalid
from moltbot_desktop.core.events import AssistantDelta, RunEnded, RunEvent, ToolEnded
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.gateway.arrivals import Arrivals
from moltbot_desktop.gateway.client import (
    AssistantStatus,
    ClientEvent,
    HistoryLoaded,
    ItemKind,
    Notice,
)
from moltbot_desktop.gateway.front_desk import DeskParts, FrontDesk
from moltbot_desktop.gateway.handed_files import HandedFiles
from moltbot_desktop.gateway.inbox_desk import InThread
from moltbot_desktop.gateway.looking_desk import LookingDesk
from moltbot_desktop.gateway.loop_client import Listeners, LoopClient
from moltbot_desktop.gateway.opening_desk import OpeningDesk
from moltbot_desktop.gateway.session_desks import SessionDesks
from moltbot_desktop.gateway.standby import STANDBY_FILE, Standby
from moltbot_desktop.gateway.switch_desk import SwitchDesk
from moltbot_desktop.gateway.versions_desk import VersionsDesk
from moltbot_desktop.memory.inbox import FileInbox, InboxParts
from moltbot_desktop.memory.long_term import LongTerm
from moltbot_desktop.sdk.models import (
    ChatModel,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    PromptStyle,
)
from moltbot_desktop.sdk.schedule import SystemNotices
from moltbot_desktop.sdk.tools import AnyTool, CancelToken, ToolResult
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.security.seal import SEAL_FILE, Seal
from moltbot_desktop.sessions.library import StoredSessions
from moltbot_desktop.sessions.store import SessionStore
from tests.fakes.chat_model import ScriptedChatModel, ScriptedTurn, calls, fails, hangs, says
from tests.fakes.commands import desk_ports
from tests.fakes.forgetting import FakeForgetting
from tests.fakes.memory import FakeMemory
from tests.fakes.tools import FakeTool, spec

T = TypeVar("T")
KEY, SPARE = SessionKey("agent:main:main"), SessionKey("agent:main:spare")
COMMAND = ModelInfo("starter", 1024, 0, PromptStyle.COMMAND, 0.7)
GAVE_UP = "That is beyond my small built-in model. You can add a larger one under Models."
FULL = ModelInfo("scripted", 8192, 0)


async def at_once(call: Callable[[], T]) -> T:
    return call()


@dataclass
class Assistant:
    """A desk over a scripted model, in a temporary home."""

    home: Path
    script: list[ScriptedTurn]
    info: ModelInfo = FULL
    memory: FakeMemory = field(default_factory=FakeMemory)
    limits: RunLimits = field(default_factory=RunLimits)
    presence: Presence = Presence.PRESENT
    tools: tuple[AnyTool, ...] = ()
    persona: str = "You are Moltbot."
    notices: SystemNotices | None = None
    keep_files: InThread = at_once
    events: list[ClientEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
        self.model = ScriptedChatModel(self.script, self.info)
        self.tool = FakeTool(spec("note"), lambda given: ToolResult({"n": "7"}, "Noted 7."))
        self.numbers = count(1)
        self.forgetting = FakeForgetting(self.memory)
        self.may_read_along = True

    @asynccontextmanager
    async def lend(self, _name: str = "") -> AsyncIterator[ChatModel]:
        yield self.model

    async def __aenter__(self) -> Assistant:
        approvals = Approvals(lambda: "card")
        around = Surroundings(self.home / "workspace", self.home, self.home)
        self.store = SessionStore(self.home, self.clock)
        self.runner = AgentRunner(
            AgentParts(
                model=self.lend,
                recaller=Recaller(self.memory, at_once, strong_hit=0.6),
                dispatcher=Dispatcher([*self.tools, self.tool], {}, around, approvals, at_once),
                workspace=self.home,
                clock=self.clock,
                frozen_prompt=lambda _: [PromptSegment("persona", self.persona, Stability.FROZEN)],
                limits=self.limits,
                book=self.store,
                notices=self.notices,
            )
        )
        long_term = LongTerm(self.home / "workspace", 24_000, lambda _: None)
        log = self.home / "memory-inbox.jsonl"
        self.inbox = FileInbox(InboxParts(log, long_term, self.memory, None, self.clock))
        self.listeners = listeners = Listeners()
        self.desk = FrontDesk(
            DeskParts(
                runner=self.runner,
                desks=SessionDesks(
                    *(self.store, self.runner, Lanes(self.clock), self.clock, self.is_over),
                    asyncio.to_thread,
                ),
                store=self.store,
                approvals=approvals,
                clock=self.clock,
                key=KEY,
                spare_key=SPARE,
                fresh=False,
                presence=self.presence,
                model_info=lambda: self.info,
                one_request=lambda: self.info.style is PromptStyle.COMMAND,
                memory_status=self.memory.status,
                forgetting=self.forgetting,
                find_again=lambda used: at_once(lambda: self.memory.find_again(used)),
                inbox=self.inbox,
                in_thread=at_once,
                pending_reminders=tuple,
                may_read_along=lambda: self.may_read_along,
                command_ports=lambda runs, own: replace(
                    desk_ports(lambda: self.info, self.memory),
                    runs=runs,
                    own_memory=own,
                    sessions=self.store,
                    seal=Seal(self.home, self.clock),
                ),
                language=Language.ENGLISH,
            ),
            listeners.tell,
        )
        self.desk.open()
        loop = asyncio.get_running_loop()
        looking = LookingDesk(
            self.desk.ports, lambda: self.desk.session.key, Language.ENGLISH, listeners.tell
        )
        numbers = self.numbers
        self.client = LoopClient(
            *(loop, self.desk, looking, listeners, lambda: f"run-{next(numbers)}"),
            *(self._switches(), self._opening(), self._arrivals()),
            VersionsDesk(self.desk, Language.ENGLISH),
        )
        self.client.subscribe(self.events.append)
        return self

    def _arrivals(self) -> Arrivals:
        numbers = count(1)
        files = HandedFiles(
            *(lambda _: self.home / "workspace", lambda: 5_000_000),
            *(lambda: f"{next(numbers):08}", self.keep_files, self.clock),
        )
        self.arrivals = Arrivals(self.desk, files, self.listeners.tell, Language.ENGLISH)
        return self.arrivals

    def _opening(self) -> OpeningDesk:
        library = lambda: StoredSessions(SessionStore(self.home, self.clock), self.clock)  # noqa: E731
        return OpeningDesk(self.desk, library, at_once, self.listeners.tell)

    def _switches(self) -> SwitchDesk:
        async def nothing() -> bool:
            return False

        return SwitchDesk(
            *(Standby(self.home / STANDBY_FILE, self.clock), lambda *_: None, nothing, self.clock),
            *(at_once, self.desk.status, self.listeners.tell),
        )

    async def __aexit__(self, *_: object) -> None:
        await self.arrivals.close()
        await self.desk.close()

    async def say(self, text: str) -> RunEnded:
        run_id = self.client.send(text)
        return await self.until(lambda e: isinstance(e, RunEnded) and e.run_id == run_id)

    async def settled(self) -> None:
        """Everything that was asked of the loop has been done."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def becomes(self, true: Callable[[], object]) -> None:
        """Held up by the test's own time limit only."""
        while not true():
            await asyncio.sleep(0)

    async def until(self, wanted: Callable[[ClientEvent], bool]) -> RunEnded:
        async with asyncio.timeout(30):
            while True:
                for event in self.events:
                    if wanted(event):
                        return event  # type: ignore[return-value]
                await asyncio.sleep(0)

    async def ended(self, run_id: str) -> RunEnded:
        return await self.until(lambda e: isinstance(e, RunEnded) and e.run_id == run_id)

    def is_over(self, _: SessionKey, used: datetime, now: datetime) -> bool:
        return now.date() > used.date()

    def run_events(self) -> list[RunEvent]:
        return [event for event in self.events if isinstance(event, RunEvent)]


def unsure_call() -> ScriptedTurn:
    return calls("note", {"text": "tea"}, confidence=0.3)


def play(scenario: Callable[[], Awaitable[T]]) -> T:
    async def run() -> T:
        return await scenario()

    return asyncio.run(run())


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_only_a_model_that_may_vary_gets_another_seed_each_time(
    tmp_path: Path, temperature: float
) -> None:
    async def scenario() -> list[int]:
        limits = RunLimits(temperature=temperature)
        async with Assistant(tmp_path, [says("a"), says("b")], limits=limits) as assistant:
            await assistant.say("hello")
            await assistant.say("hello again")
            return [request.seed for request in assistant.model.requests]

    first, second = play(scenario)
    assert (first, second) == (0, 0) if temperature == 0 else first != second


def test_a_call_a_result_and_an_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [calls("note", {"text": "tea"}), says("It is ", "7.")]
        async with Assistant(tmp_path, script) as assistant:
            end = await assistant.say("note tea")
            assert (end.outcome.kind, end.outcome.text) == (OutcomeKind.ANSWERED, "It is 7.")
            numbers = [event.seq for event in assistant.run_events()]
            assert numbers == list(range(1, len(numbers) + 1))
            roles = [message.role for message in assistant.model.requests[1].messages]
            assert roles == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.TOOL]

    play(scenario)


def test_the_next_prompt_repeats_the_last_one_up_to_its_tail(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("one"), says("two")]
        async with Assistant(tmp_path, script) as assistant:
            await assistant.say("first")
            assistant.clock.advance(3600)
            await assistant.say("second")
            first, second = (request.messages for request in assistant.model.requests)
            assert second[0] == first[0]
            assert [m.content for m in second[1:3]] == ["first", "one"]
            assert second[3].content.startswith("second\n")

    play(scenario)


def test_a_new_process_continues_the_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("one")]) as assistant:
            await assistant.say("first")
        async with Assistant(tmp_path, []) as again:
            again.client.request_history()
            await again.until(lambda event: isinstance(event, HistoryLoaded))
            loaded = next(e for e in again.events if isinstance(e, HistoryLoaded))
            assert [(i.kind, i.text) for i in loaded.items] == [
                (ItemKind.USER, "first"),
                (ItemKind.ASSISTANT, "one"),
            ]

    play(scenario)


def test_stop_ends_the_run_and_keeps_the_half_answer_marked(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("half an ans")]) as assistant:
            run_id = assistant.client.send("go")
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            assistant.client.stop()
            end = await assistant.until(lambda e: isinstance(e, RunEnded) and e.run_id == run_id)
            assert end.outcome.kind is OutcomeKind.CANCELLED
            assistant.client.request_history()
            await assistant.until(lambda event: isinstance(event, HistoryLoaded))
            loaded = next(e for e in assistant.events if isinstance(e, HistoryLoaded))
            half = [item for item in loaded.items if item.kind is ItemKind.ASSISTANT]
            assert [(item.text, item.unfinished) for item in half] == [("half an ans", True)]

    play(scenario)


def test_messages_wait_for_each_other_and_stop_ends_them_all(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("...")]) as assistant:
            runs = [assistant.client.send(text) for text in ("a", "b", "c")]
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            assistant.client.stop()
            for run in runs:
                end = await assistant.until(
                    lambda e, run=run: isinstance(e, RunEnded) and e.run_id == run
                )
                assert end.outcome.kind is OutcomeKind.CANCELLED

    play(scenario)


def test_an_order_of_messages_is_kept(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says(str(number)) for number in range(5)]
        async with Assistant(tmp_path, script) as assistant:
            runs = [assistant.client.send(f"m{number}") for number in range(5)]
            for number, run in enumerate(runs):
                end = await assistant.until(
                    lambda e, run=run: isinstance(e, RunEnded) and e.run_id == run
                )
                assert end.outcome.text == str(number)
            asked = [
                request.messages[-1].content.split("\n")[0] for request in assistant.model.requests
            ]
            assert asked == [f"m{number}" for number in range(5)]

    play(scenario)


def test_a_known_error_of_the_model_is_told_in_words(tmp_path: Path) -> None:
    async def scenario() -> None:
        too_long = fails(ContextOverflow("Too long.", hint="Start a new conversation."))
        script = [too_long, too_long, says("ok")]
        async with Assistant(tmp_path, script) as assistant:
            end = await assistant.say("long")
            assert end.outcome.kind is OutcomeKind.FAILED
            assert end.outcome.text == "Too long. Start a new conversation."
            assert end.outcome.reason == end.outcome.text  # told once, not twice
            assert (await assistant.say("short")).outcome.text == "ok"
            assert "long" not in [m.content for m in assistant.model.requests[2].messages[:-1]]

    play(scenario)


def test_a_run_that_takes_too_long_is_timed_out(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs()], limits=RunLimits(seconds=0)) as assistant:
            end = await assistant.say("go")
            assert end.outcome.kind is OutcomeKind.TIMED_OUT

    play(scenario)


def test_commands_need_no_model(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("hello")]) as assistant:
            await assistant.say("hi")
            assert "scripted" in (await assistant.say("/status")).outcome.text
            assert assistant.info is not None
            assistant.info = replace(assistant.info, gpu_reason="There is no graphics card.")
            assert "(There is no graphics" in (await assistant.say("/status")).outcome.text
            assert "/new starts" in (await assistant.say("/help")).outcome.text
            assert "/新对话 重新开始" in (await assistant.say("/帮助")).outcome.text
            assert (await assistant.say("/new")).outcome.kind is OutcomeKind.ANSWERED
            assistant.client.request_history()
            await asyncio.sleep(0)
            loaded = [event for event in assistant.events if isinstance(event, HistoryLoaded)]
            assert loaded[-1].items == ()
            assert assistant.model.unplayed == 0

    play(scenario)


def test_an_unsure_call_is_asked_back_and_yes_runs_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [unsure_call()], COMMAND) as assistant:
            asked = await assistant.say("note tea maybe")
            assert asked.outcome.kind is OutcomeKind.NEEDS_YOU
            assert assistant.tool.got == []
            ended = next(event for event in assistant.events if isinstance(event, ToolEnded))
            assert ended.outcome == "not_run"
            assert (await assistant.say("yes")).outcome.text == "Noted 7."
            assert assistant.tool.got[0][0] == {"text": "tea"}
            history = assistant.desk.session.transcript.messages()
            assert [m.role for m in history][-3:] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]

    play(scenario)


def test_a_no_drops_the_call_and_another_sentence_lets_it_lapse(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [*[unsure_call()] * 2, says("Hi!")]
        async with Assistant(tmp_path, script, COMMAND) as assistant:
            await assistant.say("note tea maybe")
            assert (await assistant.say("no")).outcome.kind is OutcomeKind.ANSWERED
            await assistant.say("note tea maybe")
            assert (await assistant.say("hello")).outcome.text == "Hi!"
            assert assistant.tool.got == []

    play(scenario)


BEYOND = says("That is beyond my small built-in model.")


def test_an_answer_to_a_question_completes_the_request(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("What should I note?"), calls("note", {"text": "milk"}), BEYOND, BEYOND]
        async with Assistant(tmp_path, script, COMMAND) as assistant:
            await assistant.say("Make a note")
            assert (await assistant.say("milk")).outcome.text == "Noted 7."
            asked = [request.messages[-1].content for request in assistant.model.requests]
            assert asked == ["Make a note", "Make a note milk", "Make a note: milk", "milk"]
            assert assistant.tool.got[0][0] == {"text": "milk"}
            stored = assistant.desk.session.transcript.messages()
            assert [m.content for m in stored if m.role is Role.USER] == ["Make a note", "milk"]

    play(scenario)


def test_a_new_conversation_has_no_open_questions(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [says("What should I note?"), BEYOND, unsure_call(), BEYOND]
        async with Assistant(tmp_path, script, COMMAND) as assistant:
            await assistant.say("Make a note")
            await assistant.say("/new")
            await assistant.say("milk")
            assert assistant.model.requests[-1].messages[-1].content == "milk"
            await assistant.say("note tea maybe")
            await assistant.say("/new")
            await assistant.say("yes")
            assert assistant.tool.got == []
            assert assistant.model.unplayed == 0

    play(scenario)


def test_memory_answers_what_the_small_model_cannot(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory({"memory/2026-01-05.md": "the spare key is under the blue pot"})
        script = [says(GAVE_UP)] * 2
        async with Assistant(tmp_path, script, COMMAND, memory) as assistant:
            told = await assistant.say("Where is the spare key?")
            assert "under the blue pot" in told.outcome.text
            beyond = (await assistant.say("Who won in 1998?")).outcome.text
            assert beyond == PHRASES.say("beyond", Language.ENGLISH)

    play(scenario)


class SlowReader(ScriptedChatModel):
    """Reads ahead until it is told to stop or let go, as a large model does."""

    def __init__(self, script: list[ScriptedTurn]) -> None:
        super().__init__(script, FULL)
        self.let_go = False
        self.did: list[str] = []

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        text = request.messages[-1].content
        self.did.append(f"begins {text}")
        while not cancel.cancelled and not self.let_go:
            await asyncio.sleep(0)
        # A model's look at the token and its end are not one moment.
        await asyncio.sleep(0)
        self.did.append(f"{'gives up' if cancel.cancelled else 'has read'} {text}")

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        self.did.append("answers")
        async for event in super().generate(request, cancel):
            yield event


def test_the_model_reads_along_while_the_person_types(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("one"), says("two")]) as assistant:
            await assistant.say("first")
            assistant.client.typing("second thou")
            await assistant.becomes(lambda: assistant.model.read_along)
            await assistant.say("second thought")
            [ahead], real = assistant.model.read_along, assistant.model.requests[-1]
            assert (ahead.messages[:-1], ahead.tools) == (real.messages[:-1], real.tools)
            assert ahead.messages[-1].content == "second thou"
            assert real.messages[-1].content.startswith(ahead.messages[-1].content)
            assert ahead.conversation == real.conversation != ""

    play(scenario)


def test_newer_words_end_the_reading_of_older_ones_and_wait_for_its_end(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            assistant.model = reader = SlowReader([])
            assistant.client.typing("a")
            await assistant.becomes(lambda: reader.did)
            assistant.client.typing("a b")
            await assistant.becomes(lambda: "begins a b" in reader.did)
            reader.let_go = True
            await assistant.becomes(lambda: len(reader.did) == 4)
            assert reader.did == ["begins a", "gives up a", "begins a b", "has read a b"]

    play(scenario)


def test_of_what_is_typed_while_the_model_is_busy_only_the_newest_is_read(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            assistant.model = reader = SlowReader([])
            assistant.client.typing("a")
            await assistant.becomes(lambda: reader.did)
            for text in ("a b", "a b c", "a b c d"):
                assistant.client.typing(text)
            await assistant.becomes(lambda: len(reader.did) == 3)
            assert reader.did == ["begins a", "gives up a", "begins a b c d"]

    play(scenario)


def test_what_was_typed_is_not_read_any_more_once_it_was_sent(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            assistant.model = reader = SlowReader([says("one")])
            assistant.client.typing("a")
            await assistant.becomes(lambda: reader.did)
            assistant.client.typing("a b")
            await assistant.say("a b c")
            await assistant.becomes(lambda: len(reader.did) == 3)
            await assistant.settled()
            assert reader.did[0] == "begins a"
            assert set(reader.did[1:]) == {"gives up a", "answers"}

    play(scenario)


def test_closing_waits_for_every_reading(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            assistant.model = reader = SlowReader([])
            assistant.client.typing("a")
            await assistant.becomes(lambda: reader.did)
            assistant.client.typing("a b")
            await asyncio.sleep(0)
        assert reader.did == ["begins a", "gives up a"]

    play(scenario)


def test_nothing_is_read_along_when_it_may_not_or_need_not(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs()]) as assistant:
            for text in ("", "  ", "/help", "/new something"):
                assistant.client.typing(text)
            assistant.may_read_along = False
            assistant.client.typing("on battery")
            await assistant.settled()
            assistant.may_read_along = True
            assistant.client.send("a long story")
            await assistant.becomes(lambda: assistant.model.requests)
            assistant.client.typing("while it answers")
            await assistant.settled()
            assert assistant.model.read_along == []

    play(scenario)


def test_a_command_model_does_not_read_along(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [], COMMAND) as assistant:
            assistant.client.typing("hello")
            await assistant.settled()
            assert assistant.model.read_along == []

    play(scenario)


def test_bad_messages_are_refused_with_a_reason(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            for text in ("  ", "a\0b", "x" * 10_000_000):
                with pytest.raises(UserInputInvalid) as refused:
                    assistant.client.send(text)
                assert refused.value.hint

    play(scenario)


def test_a_message_that_cannot_be_kept_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            from moltbot_desktop.core.errors import DiskFull

            def full(*_: object, **__: object) -> None:
                raise DiskFull("The disk is full.", hint="Free some space.")

            monkeypatch.setattr(assistant.desk.session.transcript, "append_user", full)
            end = await assistant.say("hello")
            assert end.outcome.kind is OutcomeKind.FAILED
            assert "The disk is full." in end.outcome.text

    play(scenario)


def test_two_processes_never_share_a_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as one, Assistant(tmp_path, []) as other:
            assert one.desk.session.key == KEY
            assert other.desk.session.key == SPARE

    play(scenario)


def test_another_answer_another_question_and_the_way_back(tmp_path: Path) -> None:
    async def scenario() -> tuple[list[str], list[str]]:
        script = [says("Red."), says("Blue."), says("Seven.")]
        async with Assistant(tmp_path, script) as assistant:
            answers = [(await assistant.say("a colour?")).outcome.text]
            for number, typed in ((2, "/regenerate"), (3, "/edit a number?")):
                await assistant.say(typed)
                answers.append((await assistant.ended(f"run-{number}-first")).outcome.text)
            listed = (await assistant.say("/branch")).outcome.text
            await assistant.say("/branch 1")
            shown = [event for event in assistant.events if isinstance(event, HistoryLoaded)]
            kept = assistant.desk.session.transcript.messages()
            return [*answers, listed], [shown[-1].items[-1].text, *(m.content for m in kept)]

    (*answers, listed), (shown, *kept) = play(scenario)
    assert answers == ["Red.", "Blue.", "Seven."]
    assert listed.splitlines()[1:4] == [
        "1. a colour? (1 message)",
        "2. a colour? (1 message)",
        "3. a number? (1 message) ← here",
    ]
    assert shown == "Red."
    assert kept == ["a colour?", "Red."]


def test_another_answer_can_be_asked_for_while_one_is_written(tmp_path: Path) -> None:
    async def scenario() -> list[str]:
        async with Assistant(tmp_path, [hangs("Re"), says("Blue.")]) as assistant:
            assistant.client.send("a colour?")
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            await assistant.say("/regenerate")
            await assistant.ended("run-2-first")
            return [m.content for m in assistant.desk.session.transcript.messages()]

    assert play(scenario) == ["a colour?", "Blue."]


def test_a_command_beside_a_request_is_answered_first(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says("Four.")]) as assistant:
            first = await assistant.say("what is 2+2? /status")
            await assistant.ended(first.then)
            ends = [one for one in assistant.events if isinstance(one, RunEnded)]
            assert ["Model:" in end.outcome.text for end in ends] == [True, False]
            assert ends[0].then == ends[1].run_id
            assert ends[1].outcome.text == "Four."
            (asked,) = assistant.model.requests
            assert "/status" not in asked.messages[-1].content

    play(scenario)


def test_what_a_message_sets_holds_for_its_run_and_what_a_command_sets_from_then_on(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [says(word) for word in ("1", "2", "3")]) as assistant:
            for text in ("/think off what is it?", "And now?", "/think high", "And then?"):
                run_id = assistant.client.send(text)
                await assistant.until(
                    lambda e, run=run_id: isinstance(e, RunEnded) and e.run_id == run
                )
            asked = [request.thinking for request in assistant.model.requests]
            assert asked == ["off", "", "high"]
            assert "/think" not in assistant.model.requests[0].messages[-1].content

    play(scenario)


def test_a_stop_by_the_person_is_remembered_for_the_next_prompt(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, [hangs("half"), says("All right.")]) as assistant:
            key = assistant.desk.session.key
            run_id = assistant.client.send("go")
            await assistant.until(lambda event: isinstance(event, AssistantDelta))
            assistant.client.stop()
            await assistant.until(lambda e: isinstance(e, RunEnded) and e.run_id == run_id)
            assert assistant.store.settings(key).aborted_last_run
            run_id = assistant.client.send("so?")
            await assistant.until(lambda e: isinstance(e, RunEnded) and e.run_id == run_id)
            assert "stopped the answer" in assistant.model.requests[-1].messages[-1].content
            assert not assistant.store.settings(key).aborted_last_run
            assistant.client.stop()  # nothing ran
            await asyncio.sleep(0)
            assert not assistant.store.settings(key).aborted_last_run

    play(scenario)


def test_what_is_set_is_there_after_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            end = await assistant.say("/think high /queue steer")
            assert end.outcome.text.startswith("Set here: think high, queue steer.")
        async with Assistant(tmp_path, []) as again:
            assert "think high, queue steer" in (await again.say("/status")).outcome.text
            assert (await again.say("/staus")).outcome.text.endswith("Did you mean /status?")

    play(scenario)


def test_the_seal_is_moved_and_how_it_stands_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            assistant.client.move_seal(closed=True)
            await assistant.until(lambda e: isinstance(e, AssistantStatus) and e.sealed)
            assert (tmp_path / SEAL_FILE).exists()
            assistant.events.clear()
            assistant.client.move_seal(closed=False)
            await assistant.until(lambda e: isinstance(e, AssistantStatus) and not e.sealed)
            assert not (tmp_path / SEAL_FILE).exists()
            (tmp_path / SEAL_FILE).mkdir()  # nobody can take that away
            assistant.client.move_seal(closed=False)
            await assistant.until(lambda e: isinstance(e, Notice) and e.serious)

    play(scenario)


def test_the_model_is_called_what_people_call_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            assert assistant.desk.state().model == FULL.name
            called = replace(assistant.desk.parts, model_title=lambda one: f"my {one.name}")
            assistant.desk.parts = called
            assert assistant.desk.state().model == f"my {FULL.name}"

    play(scenario)


def test_whether_walls_hold_stays_in_what_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Assistant(tmp_path, []) as assistant:
            assert assistant.desk.state().walled is None
            assistant.desk.walls_tried(False)
            await assistant.until(lambda e: isinstance(e, AssistantStatus) and e.walled is False)
            assert assistant.desk.state().walled is False

    play(scenario)
