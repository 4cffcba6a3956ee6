"""What a conversation costs: twenty turns with tools, a restart, and the first prompt of all."""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from devtools.golden import golden_folder
from moltbot_desktop.agent import prompt
from moltbot_desktop.core.messages import ChatMessage, Role, ToolCall
from moltbot_desktop.models.chat import LlamaChatModel, saved_states
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.sdk.models import GenerationRequest, PromptStyle
from tests.bench.models_figures import LINE, evaluated, milliseconds, program, tell
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.fakes.asking import asking, done, events_of
from tests.fakes.built_in_tools import BUILT_IN
from tests.fakes.default_prompt import TOKENIZERS, Tokenizer, default_prompt, first_prompt

TURNS = 20
SKILLS = 20
BEGIN = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
# The vocabulary of these random weights spells most words letter by letter.
_LONG = TinyModel(context=16_384)
_SAVED_BYTES = 2**30
_RESTARTS = 3


def requests(frozen: tuple[prompt.PromptSegment, ...]) -> list[GenerationRequest]:
    """Twenty turns: a request, a call of a tool, its result, an answer. Two generations each."""
    history: list[ChatMessage] = []
    made = []
    for number in range(TURNS):
        call = ToolCall(f"call-{number}", "calc", {"expression": f"{number} * 7"})
        turn = (
            ChatMessage(Role.ASSISTANT, "", (call,)),
            ChatMessage(Role.TOOL, f'{{"value":{number * 7}}}', tool_call_id=call.id),
        )
        now = BEGIN + timedelta(minutes=3 * number)
        parts = prompt.PromptParts(frozen, tuple(history), f"What is {number} * 7?", now)
        for one in (parts, replace(parts, turn=turn)):
            messages = prompt.messages(one, PromptStyle.FULL)
            made.append(GenerationRequest(messages, BUILT_IN, max_tokens=1, conversation="session"))
        answer = ChatMessage(Role.ASSISTANT, f"It is {number * 7}.")
        history += [ChatMessage(Role.USER, parts.user_text), *turn, answer]
    return made


def twenty_turns(folder: Path) -> None:
    """Counts tokens, so the smallest model will do."""
    file = write_chat_model(folder / "long.gguf", _LONG)
    asked = requests(default_prompt(folder / "home"))

    def ask(model: LlamaChatModel, request: GenerationRequest) -> tuple[int, int]:
        events = asyncio.run(events_of(model, request))
        return evaluated(events), done(events).usage.prompt_tokens

    def started() -> tuple[int, int]:
        with program(file, folder, window=_LONG.context, saved_state_bytes=_SAVED_BYTES) as made:
            return ask(made[1], asked[-1])

    with program(file, folder, window=_LONG.context, saved_state_bytes=_SAVED_BYTES) as made:
        counts = [ask(made[1], request) for request in asked]
    later = counts[2:]
    worst = min(100 * (1 - new / whole) for new, whole in later)
    new, whole = (sum(column) for column in zip(*counts, strict=True))
    note = f"turns 2-{TURNS}, worst of {len(later)} prompts; evaluated {new}, without reuse {whole}"
    tell("models: prompt from the cache", worst, "%", note, "at least 95")
    new, whole = started()
    note = f"{new} of {whole} tokens evaluated: the last one's logits are in no saved state"
    tell("models: prompt from the saved state", 100 * (1 - new / whole), "%", note, "100")


def restart(file: Path, folder: Path) -> None:
    """The same request to a program that has just begun, without and with a saved state."""
    request = asking(LINE * 40, max_tokens=1, conversation="a")
    saves, restored, cold, size, tokens = [], [], [], 0.0, 0
    for number in range(_RESTARTS):
        state = folder / f"restart-{number}"
        for times in (cold, restored):
            with program(file, state, saved_state_bytes=_SAVED_BYTES) as (thread, model):
                began = time.perf_counter()
                events = asyncio.run(events_of(model, request))
                times.append(milliseconds(began))
                tokens = done(events).usage.prompt_tokens
                thread.stop()
                began = time.perf_counter()
                thread.join()
            if times is cold:
                saves.append(milliseconds(began))
                size = sum(path.stat().st_size for path in saved_states(state).iterdir()) / 2**20
    took, without = statistics.median(restored), statistics.median(cold)
    note = f"{took:.0f} ms to the first token, {size:.0f} MiB; "
    note += f"without: {without:.0f} ms for {tokens} tokens"
    tell("models: saved state read back", took / size, "ms/MiB", note, "under 5")
    note = "with the closing of the model"
    tell("models: state saved", statistics.median(saves) / size, "ms/MiB", note)


def prompt_size(folder: Path) -> None:
    """Tokens of the first prompt of a session, by the tokenizers of models people use."""
    first = asyncio.run(first_prompt(folder / "home"))
    frozen = default_prompt(folder / "frozen")
    source = golden_folder()
    name = "models: default prompt, 20 skills"
    for model, (vocabulary, template, bos, eos) in TOKENIZERS.items():
        if source is None:
            tell(f"{name} ({model})", "-", "tokens", "run: python3 packaging/dev.py setup test")
            continue
        file = source / f"ggml-vocab-{vocabulary}.gguf"
        written = source / "templates" / f"{template}.jinja"
        chat = ChatTemplate(written.read_text(encoding="utf-8"), bos_token=bos, eos_token=eos)
        count = Tokenizer(file)
        whole = count(chat.render(first.messages, first.tools))
        bare = count(chat.render(first.messages, ()))
        parts = ", ".join(f"{segment.name} {count(segment.text)}" for segment in frozen)
        every = count(chat.render(first.messages, BUILT_IN))
        note = f"{len(first.tools)} tools {whole - bare}, {parts}; with every built-in tool {every}"
        tell(f"{name} ({model})", whole, "tokens", note, "under 1500")
        count.close()
