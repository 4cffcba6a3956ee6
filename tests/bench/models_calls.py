"""Tool calls of a model that knows nothing: its weights are random, its calls must be whole."""

from __future__ import annotations

import asyncio
from pathlib import Path
from unittest.mock import patch

import jsonschema

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.models.chat import LlamaChatModel
from moltbot_desktop.models.generation import Generation
from moltbot_desktop.sdk.models import GenerationRequest, MalformedCall, ToolCallWritten
from tests.bench.models_figures import program, tell
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.fakes.asking import Never, asking
from tests.fakes.built_in_tools import BUILT_IN

FORCED_EACH = 12
FREE = 40
_BIASED = TinyModel(call_bias=3, quote_bias=6)
_BY_NAME = {tool.name: tool for tool in BUILT_IN}


def _asked() -> list[GenerationRequest]:
    """Every tool forced some times, and all of them offered to a model that may call any."""
    text, common = "what is it?", {"temperature": 1.0, "max_tokens": 1200}
    forced = [
        asking(text, tools=(tool,), force_tool=tool.name, seed=seed, **common)
        for tool in BUILT_IN
        for seed in range(FORCED_EACH)
    ]
    return forced + [asking(text, tools=BUILT_IN, seed=seed, **common) for seed in range(FREE)]


async def _first_call(
    model: LlamaChatModel, request: GenerationRequest
) -> ToolCall | MalformedCall | None:
    """An answer counts up to its first call: one that the token limit cuts is no call."""
    async for event in model.generate(request, Never()):
        if isinstance(event, ToolCallWritten):
            return event.call
        if isinstance(event, MalformedCall):
            return event
    return None


def _bad(call: ToolCall | MalformedCall) -> bool:
    if isinstance(call, MalformedCall):
        return True
    schema = _BY_NAME[call.name].parameters
    return not jsonschema.Draft202012Validator(schema).is_valid(dict(call.arguments))


def _counted(model: LlamaChatModel, asked: list[GenerationRequest]) -> tuple[int, int]:
    """Malformed calls, and calls."""

    async def run() -> list[ToolCall | MalformedCall]:
        found = [await _first_call(model, request) for request in asked]
        return [call for call in found if call is not None]

    calls = asyncio.run(run())
    return sum(map(_bad, calls)), len(calls)


def malformed_calls(folder: Path) -> None:
    """With our grammar, and the same model beside it without."""
    file = write_chat_model(folder / "calls.gguf", _BIASED)
    with program(file, folder, window=8192, threads=1) as (_, model):
        bad, calls = _counted(model, _asked())
        with patch.object(Generation, "_grammar", return_value=None):
            free_bad, free_calls = _counted(model, _asked()[::8])
    note = f"of {calls}, {len(BUILT_IN)} tools; decoded freely: {free_bad} of {free_calls}"
    tell("models: malformed calls, random weights", bad, "calls", note, "0")
