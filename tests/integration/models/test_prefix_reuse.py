"""A conversation is read once: each turn evaluates what is new, and nothing costs it its place."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from moltbot_desktop.agent import prompt
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.models.chat import LlamaChatModel, load_chat_model, make_engine
from moltbot_desktop.models.generation import Engine, Generation
from moltbot_desktop.models.llama import LlamaContext, LlamaParameters
from moltbot_desktop.models.stop_flag import StopFlag
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.sdk.models import GenerationRequest, ModelEvent, Priority, PromptStyle
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.fakes.asking import Never, asking, done, events_of, said
from tests.fakes.built_in_tools import BUILT_IN

TURNS = 20
BEGIN = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
PERSONA = "You are a calm helper. Say what is so, ask what is unclear, and keep it short. " * 12
SKILLS = "weather: what the sky will do\nnotes: write down and find again\n" * 10


def _frozen(_now: datetime) -> tuple[prompt.PromptSegment, ...]:
    return (
        prompt.PromptSegment("persona", PERSONA, prompt.Stability.FROZEN),
        prompt.PromptSegment("skills", SKILLS, prompt.Stability.FROZEN),
    )


def _frozen_with_a_clock(now: datetime) -> tuple[prompt.PromptSegment, ...]:
    clock = prompt.PromptSegment("clock", f"It is {now:%H:%M}.", prompt.Stability.FROZEN)
    return (clock, *_frozen(now))


@dataclass(frozen=True)
class Read:
    """One generation's prompt: its length, and the text that had to be evaluated."""

    tokens: int
    evaluated: str
    evaluated_tokens: int

    @property
    def cached_share(self) -> float:
        return 1 - self.evaluated_tokens / self.tokens


@pytest.fixture(scope="module")
def long_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    return write_chat_model(folder / "long.gguf", TinyModel(context=16_384))


@pytest.fixture
def load(
    model_thread: ModelThread, long_file: Path, state_dir: Path
) -> Callable[[], LlamaChatModel]:
    def loaded() -> LlamaChatModel:
        loading = load_chat_model(
            model_thread, long_file, context_tokens=16_384, threads=1, state_dir=state_dir
        )
        return asyncio.run(loading)

    return loaded


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The text of every token that llama.cpp was given."""
    pieces: list[bytes] = []
    advance = LlamaContext.advance

    def noted(self: LlamaContext, tokens: list[int]) -> None:
        advance(self, tokens)
        pieces.extend(map(self.piece, tokens))

    monkeypatch.setattr(LlamaContext, "advance", noted)
    return pieces


def _replayed(
    model: LlamaChatModel,
    evaluated: list[bytes],
    frozen: Callable[[datetime], tuple[prompt.PromptSegment, ...]],
) -> list[tuple[Read, Read]]:
    """Twenty turns: a request, a call of a tool, its result, an answer. Two generations each.

    The transcript keeps a request as it was typed, so the time at its end is in one turn's
    prompts only, as in the program.
    """
    history: list[ChatMessage] = []
    turns = []
    for number in range(TURNS):
        call = ToolCall(f"call-{number}", "calc", {"expression": f"{number} * 7"})
        turn = (
            ChatMessage(Role.ASSISTANT, "", (call,)),
            ChatMessage(Role.TOOL, f'{{"value":{number * 7}}}', tool_call_id=call.id),
        )
        now = BEGIN + timedelta(minutes=3 * number)
        parts = prompt.PromptParts(frozen(now), tuple(history), f"What is {number} * 7?", now)
        first = _read(model, evaluated, parts)
        second = _read(model, evaluated, replace(parts, turn=turn))
        turns.append((first, second))
        answer = ChatMessage(Role.ASSISTANT, f"It is {number * 7}.")
        history += [ChatMessage(Role.USER, parts.user_text), *turn, answer]
    return turns


def _read(model: LlamaChatModel, evaluated: list[bytes], parts: prompt.PromptParts) -> Read:
    evaluated.clear()
    messages = prompt.messages(parts, PromptStyle.FULL)
    request = GenerationRequest(messages, BUILT_IN, max_tokens=1, conversation="session")
    usage = done(asyncio.run(events_of(model, request))).usage
    assert len(evaluated) == usage.prompt_tokens - usage.cached_tokens
    return Read(usage.prompt_tokens, b"".join(evaluated).decode(), len(evaluated))


def test_each_of_twenty_turns_evaluates_only_what_is_new(
    load: Callable[[], LlamaChatModel], evaluated: list[bytes]
) -> None:
    turns = _replayed(load(), evaluated, _frozen)
    for number, (first, second) in enumerate(turns):
        # After a tool ran: its call and its result, nothing else.
        assert second.evaluated.startswith("<tool_call>\n") and "calc" in second.evaluated
        assert second.evaluated.count("<|im_start|>") == 2
        assert second.cached_share > 0.95
        if number == 0:
            continue
        # A new request: the last one has lost its time, so what followed it is read again.
        again = first.evaluated
        assert again.startswith("<|im_end|>\n<|im_start|>assistant\n<tool_call>")
        assert f"It is {(number - 1) * 7}." in again and f"What is {number} * 7?" in again
        assert again.count("<|im_start|>user") == 2 and again.count("[now ") == 1
        assert first.cached_share > 0.95


def test_a_clock_in_the_frozen_part_would_be_noticed(
    load: Callable[[], LlamaChatModel], evaluated: list[bytes]
) -> None:
    """The measure bites: with the time in front, no turn keeps anything."""
    turns = _replayed(load(), evaluated, _frozen_with_a_clock)
    assert all(first.cached_share < 0.05 for first, _ in turns)


def _ask(model: LlamaChatModel, text: str, name: str, **options: object) -> tuple[int, str]:
    """Tokens evaluated for the prompt, and the answer."""
    events = asyncio.run(events_of(model, asking(text, conversation=name, **options)))
    usage = done(events).usage
    return usage.prompt_tokens - usage.cached_tokens, said(events)


LONG = "the weather in the city tomorrow and the note " * 20
OTHER = "remind me of the file and search the memory " * 20
TEXTS = (LONG, OTHER)


def test_a_background_run_costs_the_conversation_nothing(
    load: Callable[[], LlamaChatModel],
) -> None:
    model = load()
    alone = [_ask(model, LONG, "a", max_tokens=8)[1]]
    alone.append(_ask(model, LONG + "more", "a", max_tokens=8)[1])
    model = load()
    cost, text = _ask(model, LONG, "a", max_tokens=8)
    assert cost > 300 and text == alone[0]
    background = Priority.BACKGROUND
    assert _ask(model, OTHER, "a", max_tokens=8, priority=background)[0] > 300
    assert _ask(model, "sum up: " + OTHER, "b", max_tokens=8, priority=background)[0] > 300
    _ask(model, "a title", "", max_tokens=8)
    cost, text = _ask(model, LONG + "more", "a", max_tokens=8)
    assert cost < 30 and text == alone[1]


def test_two_windows_in_turn_read_only_what_is_new(load: Callable[[], LlamaChatModel]) -> None:
    model = load()
    texts = {"a": LONG, "b": OTHER}
    for name, text in texts.items():
        _ask(model, text, name, max_tokens=3)
    for _ in range(3):
        for name in texts:
            texts[name] += "and more "
            assert _ask(model, texts[name], name, max_tokens=3)[0] < 30


def test_two_answers_that_take_turns_token_by_token_are_what_they_would_have_been(
    long_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each finds the other's tokens in memory at every step, and its own put aside."""
    context = LlamaContext(long_file, LlamaParameters(2048, 1), StopFlag())
    engine = make_engine(context)
    requests = [
        asking(text, conversation=name, max_tokens=12, temperature=1.0)
        for text, name in ((LONG, "a"), (OTHER, "b"))
    ]
    alone = [_stepped(engine, [replace(one, conversation="")])[0] for one in requests]
    counts: list[int] = []
    advance = LlamaContext.advance
    monkeypatch.setattr(
        LlamaContext,
        "advance",
        lambda self, tokens: (counts.append(len(tokens)), advance(self, tokens))[1],
    )
    assert _stepped(engine, requests) == alone
    # Two prompts, and after a state came back its last token again; never a prompt anew.
    assert sum(counts) < sum(len(context.tokenize(text, special=False)) for text in TEXTS) + 200
    context.close()


def _stepped(engine: Engine, requests: list[GenerationRequest]) -> list[str]:
    """What is said when the requests take turns at every step."""
    heard: list[list[ModelEvent]] = [[] for _ in requests]
    running = [
        Generation(engine, request, events.append, Never()).steps()
        for request, events in zip(requests, heard, strict=True)
    ]
    while running:
        for steps in tuple(running):
            if next(steps, "over") == "over":
                running.remove(steps)
    return list(map(said, heard))
