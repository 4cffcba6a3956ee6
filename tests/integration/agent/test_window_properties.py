"""Whatever is said in whatever window: prompts fit, grow at their end, and lose nobody's words.

The same for a made-up tokenizer and for a real one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from moltbot_desktop.agent.prompt import SUMMARY
from moltbot_desktop.core.events import CompactionEnded
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.models import GenerationRequest
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.sessions.entries import CompactionEntry, OutcomeEntry, UserEntry
from tests.fakes.chat_model import ScriptedTurn, calls, says
from tests.fakes.default_prompt import ROOT, Tokenizer
from tests.fakes.talk import Talk
from tests.fakes.tools import FakeTool, spec
from tests.fakes.windowed_model import WindowedModel, rough_tokens


@dataclass(frozen=True)
class Said:
    """One request: how long it and its answer are, in which script, and what tools give back."""

    words: int
    answer: int
    results: tuple[int, ...]
    chinese: bool

    def text(self, number: int) -> str:
        return f"<{number}>" + (
            "茶叶和水" * self.words if self.chinese else " tea water" * self.words
        )


SAID = st.builds(
    Said,
    words=st.integers(0, 60) | st.integers(0, 900),
    answer=st.integers(1, 200),
    results=st.lists(st.integers(0, 600) | st.integers(0, 6_000), max_size=4).map(tuple),
    chinese=st.booleans(),
)
WINDOWS = st.sampled_from([2_048, 3_000, 4_096, 8_192, 16_384, 32_768, 131_072])
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""A talk that fails is short enough to be read; making it smaller takes minutes."""
TALKS = st.lists(SAID, min_size=1, max_size=14)
PERSONAS = st.integers(0, 60).map(lambda words: "You are Moltbot." + " Be kind." * words)


@dataclass
class Player:
    """Answers what the talk has written down, calling its tools first."""

    talk: list[Said]
    number: int = 0
    called: int = 0

    def tool_result(self) -> ToolResult:
        size = self.talk[self.number].results[self.called - 1]
        # No two are the same: the loop guard would ask whether to go on, and nobody answers here.
        return ToolResult({"text": f"{self.number}.{self.called} " + "leaf " * size}, "Read.")

    def answer(self, _: GenerationRequest) -> ScriptedTurn:
        said = self.talk[self.number]
        if self.called < len(said.results):
            self.called += 1
            return calls("page", {"text": "x"}, call_id=f"call-{self.called}")
        return says("It is so. " * said.answer)


async def held(talk: list[Said], window: int, persona: str, count: Callable[[str], int]) -> None:
    player = Player(talk)
    page = FakeTool(spec("page"), lambda _: player.tool_result())
    model = WindowedModel(window, player.answer, count=count)
    with TemporaryDirectory() as home:
        async with Talk(Path(home), model, tools=(page,), persona=persona) as told:
            for number, said in enumerate(talk):
                player.number, player.called = number, 0
                begun = len(model.requests)
                outcome = await told.say(said.text(number))
                refused = count(said.text(number)) > window // 4
                assert outcome.kind is OutcomeKind.ANSWERED or (
                    refused and outcome.kind is OutcomeKind.FAILED
                ), outcome
                assert len(model.requests) > begun or outcome.kind is OutcomeKind.FAILED
            assert not model.over
            for request in model.asked:
                pairs_are_whole(request)
            nothing_is_lost(talk, told, model)
            ends = [event for event in told.events if isinstance(event, CompactionEnded)]
            moves_only_to_make_room(model, len(ends), any(said.results for said in talk))


def pairs_are_whole(request: GenerationRequest) -> None:
    """Each call is answered at once, each result has its call, and a request stands first."""
    said = [m for m in request.messages if m.role is not Role.SYSTEM]
    assert said[0].role is Role.USER
    waiting: list[str] = []
    for message in said:
        if message.role is Role.TOOL:
            assert message.tool_call_id == waiting.pop(0)
        else:
            assert not waiting
            waiting = [call.id for call in message.tool_calls]


def nothing_is_lost(talk: list[Said], told: Talk, model: WindowedModel) -> None:
    """The person's words stand in the transcript, and in front of the model: in the newest prompt
    or in what a summary was made of. Failed requests are the model's to see no more."""
    entries = told.session.transcript.entries()
    words = [entry.text for entry in entries if isinstance(entry, UserEntry)]
    assert words == [said.text(number) for number, said in enumerate(talk)]
    if not model.asked:
        return
    read = "".join(m.content for r in model.summaries for m in r.messages)
    read += "".join(entry.summary for entry in entries if isinstance(entry, CompactionEntry))
    read += "".join(message.content for message in model.asked[-1].messages)
    failed = {
        entry.run_id
        for entry in entries
        if isinstance(entry, OutcomeEntry) and entry.outcome.kind is OutcomeKind.FAILED
    }
    runs = [entry.run_id for entry in entries if isinstance(entry, UserEntry)]
    answered = [number for number, run_id in enumerate(runs) if run_id not in failed]
    assert all(f"<{number}>" in read for number in answered)


def moves_only_to_make_room(model: WindowedModel, compactions: int, has_results: bool) -> None:
    """Without results to shorten, only a summary moves the beginning of prompts. (A message too
    long for the window makes room for itself and is in no later prompt.)"""
    if has_results:
        return
    moved = sum(not goes_on(one, other) for one, other in pairwise(model.asked))
    assert moved <= compactions


def goes_on(before: GenerationRequest, after: GenerationRequest) -> bool:
    *head, last = before.messages
    if tuple(head) != after.messages[: len(head)]:
        return False
    rest = after.messages[len(head)].content
    if last.role is not Role.USER:
        return last.content == rest
    return last.content.rpartition("\n\n[now ")[0] == rest.partition("\n\n[now ")[0]


@settings(max_examples=40, deadline=None, phases=PHASES)
@given(TALKS, WINDOWS, PERSONAS)
def test_a_conversation_of_any_shape_fits_any_window(
    talk: list[Said], window: int, persona: str
) -> None:
    asyncio.run(held(talk, window, persona, rough_tokens))


@pytest.fixture(scope="module")
def real_tokens() -> Iterator[Tokenizer]:
    tokenizer = Tokenizer(ROOT / "resources" / "models" / "starter-q8_0.gguf")
    yield tokenizer
    tokenizer.close()


@settings(max_examples=10, deadline=None, phases=PHASES)
@given(talk=TALKS, window=st.sampled_from([2_048, 4_096, 8_192]))
def test_it_fits_by_a_real_tokenizer_too(
    real_tokens: Tokenizer, talk: list[Said], window: int
) -> None:
    asyncio.run(held(talk, window, "You are Moltbot.", real_tokens))


def test_the_summary_s_mark_stands_once_in_a_prompt() -> None:
    talk = [Said(80, 40, (), False)] * 14

    async def scenario() -> None:
        player = Player(talk)
        model = WindowedModel(2_048, player.answer)
        with TemporaryDirectory() as home:
            async with Talk(Path(home), model) as told:
                for number, said in enumerate(talk):
                    player.number = number
                    await told.say(said.text(number))
        last = "".join(message.content for message in model.asked[-1].messages)
        assert last.count(f"<{SUMMARY}>") == 1

    asyncio.run(scenario())
