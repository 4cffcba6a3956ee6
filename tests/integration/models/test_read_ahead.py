"""The model reads along while the person types: it changes no answer and is in nobody's way."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.models.chat import LlamaChatModel
from moltbot_desktop.models.llama import LlamaContext
from moltbot_desktop.models.reading import certain_head, prompt_tokens
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.sdk.models import GenerationRequest, Priority
from tests.data.make_gguf import CHATML_TEMPLATE
from tests.fakes.asking import Never, asking, done, events_of, said
from tests.fakes.built_in_tools import BUILT_IN

LONG = "the weather in the city tomorrow and the note " * 20
TAIL = "\n\n[now 2026-11-21 09:00 Sat]"
CHUNK = 256


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The text of every token that llama.cpp was given."""
    pieces: list[bytes] = []
    advance = LlamaContext.advance

    def noted(self: LlamaContext, tokens: list[int]) -> None:
        advance(self, tokens)
        pieces.extend(map(self.piece, tokens))

    monkeypatch.setattr(LlamaContext, "advance", noted)
    return pieces


def _typing(text: str) -> GenerationRequest:
    return asking(text, tools=BUILT_IN, conversation="a", max_tokens=8)


def test_what_was_read_while_typing_is_not_read_again(
    model: LlamaChatModel, read: list[bytes]
) -> None:
    expected = said(asyncio.run(events_of(model, replace(_typing(LONG + TAIL), conversation=""))))
    other = GenerationRequest((ChatMessage(Role.USER, "x"),), max_tokens=1)
    asyncio.run(events_of(model, other))
    for typed in (LONG[:40], LONG[:300], LONG):
        asyncio.run(model.prefill(_typing(typed), Never()))
    read.clear()
    events = asyncio.run(events_of(model, _typing(LONG + TAIL)))
    usage = done(events).usage
    new = b"".join(read[: usage.prompt_tokens - usage.cached_tokens]).decode()
    assert new.strip() == f"{TAIL.strip()}<|im_end|>\n<|im_start|>assistant"
    assert said(events) == expected


def test_the_word_being_written_and_what_follows_is_not_read(
    model: LlamaChatModel, read: list[bytes]
) -> None:
    asyncio.run(model.prefill(_typing("remind me of the wea"), Never()))
    assert b"".join(read).decode().endswith("<|im_start|>user\nremind me of the")
    read.clear()
    asyncio.run(model.prefill(_typing("remind me of the weather "), Never()))
    assert b"".join(read).decode() == " weather"


def test_before_the_first_word_everything_in_front_of_it_is_read(
    model: LlamaChatModel, read: list[bytes]
) -> None:
    asyncio.run(model.prefill(_typing("r"), Never()))
    assert b"".join(read).decode().endswith("<|im_start|>user\n")


def test_a_request_stops_the_reading_at_once(
    model: LlamaChatModel, read: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held at its second chunk until the request is there, the reading does no third, ever."""
    asked, chunks = threading.Event(), list[int]()
    advance = LlamaContext.advance

    def held(self: LlamaContext, tokens: list[int]) -> None:
        chunks.append(len(tokens))
        if len(chunks) == 2:
            assert asked.wait(20)
        advance(self, tokens)

    monkeypatch.setattr(LlamaContext, "advance", held)

    async def run() -> int:
        reading = asyncio.create_task(model.prefill(_typing(LONG * 3), Never()))
        while len(chunks) < 2:
            await asyncio.sleep(0)
        answer = asyncio.create_task(events_of(model, asking("quick", max_tokens=1)))
        while answer.get_coro().cr_await is None:
            await asyncio.sleep(0)
        asked.set()
        events = await answer
        await reading
        return done(events).usage.prompt_tokens - done(events).usage.cached_tokens

    evaluated = asyncio.run(run())
    assert sum(chunks[2:]) == evaluated
    assert len(read) < 3 * CHUNK + evaluated


def test_reading_ahead_waits_for_everybody(
    model: LlamaChatModel, model_thread: ModelThread, read: list[bytes]
) -> None:
    """It is queued last, behind work in the background."""
    order, release = list[str](), threading.Event()
    model_thread.call(lambda: release.wait(20), Priority.INTERACTIVE)

    async def run() -> None:
        ahead = asyncio.create_task(model.prefill(_typing("one two "), Never()))
        await asyncio.sleep(0)
        late = model_thread.call(lambda: order.append(f"{len(read)} read"), Priority.BACKGROUND)
        release.set()
        await asyncio.wrap_future(late)
        await ahead

    asyncio.run(run())
    assert order == ["0 read"] and read


def test_cancelled_or_newer_typing_ends_the_reading(
    model: LlamaChatModel, read: list[bytes]
) -> None:
    cancel = CancelSource()
    cancel.cancel()
    asyncio.run(model.prefill(_typing(LONG), cancel))
    assert read == []

    async def run() -> None:
        first = asyncio.create_task(model.prefill(_typing(LONG + "zebra "), Never()))
        await asyncio.sleep(0)
        await model.prefill(_typing("new "), Never())
        await first

    asyncio.run(run())
    assert "zebra" not in b"".join(read).decode()


def test_what_does_not_fit_is_left_for_the_request_to_tell(
    model: LlamaChatModel, read: list[bytes]
) -> None:
    for text in ("word " * 5000, "x" * 10_000_000 + " "):
        asyncio.run(model.prefill(_typing(text), Never()))
    assert read == []


def test_reading_ahead_leaves_other_conversations_their_place(
    model: LlamaChatModel, read: list[bytes]
) -> None:
    asyncio.run(events_of(model, asking(LONG, conversation="b", max_tokens=4)))
    asyncio.run(model.prefill(_typing("another one "), Never()))
    read.clear()
    events = asyncio.run(events_of(model, asking(LONG, conversation="b", max_tokens=1)))
    assert len(read) == 1 == done(events).usage.prompt_tokens - done(events).usage.cached_tokens


def test_a_prompt_without_a_typed_text_has_no_certain_head(model: LlamaChatModel) -> None:
    messages = (ChatMessage(Role.USER, "hi"), ChatMessage(Role.ASSISTANT, "yes"))
    asyncio.run(model.prefill(GenerationRequest(messages, conversation="a"), Never()))


PIECES = st.sampled_from(
    ["the", "weather", "a.b", "你好", "明天", " ", "\n", "x", "<|im_end|>", "7,5"]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(typed=st.lists(PIECES, max_size=6).map("".join), more=st.lists(PIECES).map("".join))
def test_what_is_certain_stands_in_every_prompt_that_follows(
    typed: str, more: str, context: LlamaContext
) -> None:
    """Also where the template cuts blanks off, and with control tokens in the text."""
    source = CHATML_TEMPLATE.replace("{{ message.content }}", "{{ message.content | trim }}")
    for template in (_template(context, CHATML_TEMPLATE), _template(context, source)):

        def messages(text: str) -> tuple[ChatMessage, ...]:
            return (ChatMessage(Role.SYSTEM, "You help."), ChatMessage(Role.USER, text))

        head = certain_head(context, template, messages(typed), ())
        later = prompt_tokens(context, template.render(messages(typed + more + TAIL)))
        assert later[: len(head)] == head and len(head) > 10


def _template(context: LlamaContext, source: str) -> ChatTemplate:
    return ChatTemplate(
        source,
        bos_token=context.bos_text,
        eos_token=context.eos_text,
        control_tokens=context.control_texts,
    )
