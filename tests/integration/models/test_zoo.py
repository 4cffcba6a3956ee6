"""Bad model files and bad grammars: each is refused with a reason, none ends this process.

A file passes three gates: the header is read here, llama.cpp tries it in a process of its own, and
with isolation it is used in another one. The last test takes the first two gates away.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from moltbot_desktop.core.errors import GrammarRejected, ModelError, ModelFileInvalid
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.models.chat import load_chat_model
from moltbot_desktop.models.formats.hermes import HermesFormat
from moltbot_desktop.models.grammar import call_grammar
from moltbot_desktop.models.llama import LlamaContext
from moltbot_desktop.models.thread import ModelThread
from moltbot_desktop.models.worker.model import ProcessChatModel, load_isolated_chat_model
from moltbot_desktop.sdk.models import ModelEvent
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from tests.data.model_zoo import FLIPPED, REFUSED
from tests.fakes.asking import asking, calls_in, done, events_of, malformed_in

# --- model files


@pytest.fixture
def good(chat_file: Path) -> bytes:
    return chat_file.read_bytes()


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_is_refused_with_its_reason_before_it_is_loaded_here(
    name: str, good: bytes, tmp_path: Path, model_thread: ModelThread
) -> None:
    damage, reason = REFUSED[name]
    file = tmp_path / "bad.gguf"
    file.write_bytes(damage(good))
    with pytest.raises(ModelFileInvalid) as caught:
        asyncio.run(
            load_chat_model(model_thread, file, context_tokens=256, threads=1, state_dir=tmp_path)
        )
    assert reason in caught.value.message and "bad.gguf" in caught.value.message
    assert caught.value.hint


def test_a_folder_is_refused_with_its_reason(tmp_path: Path, model_thread: ModelThread) -> None:
    with pytest.raises(ModelFileInvalid, match="it is a folder"):
        asyncio.run(
            load_chat_model(
                model_thread, tmp_path, context_tokens=256, threads=1, state_dir=tmp_path
            )
        )


async def _used(file: Path, state_dir: Path, command: tuple[str, ...] | None = None) -> str:
    """The file loaded and asked in a process: "" or why that did not work."""
    model: ProcessChatModel | None = None
    try:
        model = await load_isolated_chat_model(
            file, context_tokens=256, threads=1, state_dir=state_dir, command=command
        )
        events: list[ModelEvent] = await events_of(model, asking("hello", max_tokens=3))
        assert done(events).usage.completion_tokens > 0
    except ModelError as error:
        return error.message
    finally:
        if model is not None:
            await model.close()
    return ""


@pytest.mark.parametrize("name", FLIPPED)
def test_a_file_with_flipped_bits_answers_or_is_refused_with_a_reason(
    name: str, good: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "flipped.gguf"
    file.write_bytes(FLIPPED[name](good))
    assert file.read_bytes() != good
    refused = asyncio.run(_used(file, tmp_path))
    assert refused == "" or "flipped.gguf" in refused


# Neither the header is looked at nor is the file tried out: what happens then happens to the child.
UNGUARDED = """
import sys
from moltbot_desktop.models.worker.channel import claim_stdout
answers = claim_stdout()
from dataclasses import replace
from pathlib import Path
from moltbot_desktop.models import chat
from moltbot_desktop.models.worker import child
good, read = Path(sys.argv[1]), chat.read_header
chat.read_header = lambda path: replace(read(good), path=path)
chat.ensure_probed = lambda *_, **__: None
sys.exit(child.serve(answers))
"""
KILLERS = ("0 blocks", "1e6 blocks")


@pytest.mark.expect_log("The model's process")
@pytest.mark.parametrize(
    "name",
    [
        *KILLERS,
        "unknown architecture",
        "0 heads",
        "7 heads",
        "width 100000",
        "bos 1e9",
        "eos 1e9",
        "no context",
        "rope of 77",
        "weights that are no numbers",
        "cut by 10",
    ],
)
def test_a_bad_file_that_reaches_llama_cpp_harms_its_own_process_only(
    name: str, good: bytes, chat_file: Path, tmp_path: Path
) -> None:
    file = tmp_path / "bad.gguf"
    file.write_bytes(REFUSED[name][0](good))
    command = (sys.executable, "-c", UNGUARDED, str(chat_file))
    refused = asyncio.run(_used(file, tmp_path, command))
    if name in KILLERS:
        assert "broke down" in refused, refused


# --- grammars

BAD_SCHEMAS: dict[str, JsonValue] = {
    "recursive reference": {
        "$defs": {"N": {"type": "object", "properties": {"c": {"$ref": "#/$defs/N"}}}},
        "$ref": "#/$defs/N",
    },
    "reference to nothing": {"$ref": "#/$defs/none"},
    "reference to the web": {"$ref": "https://json-schema.org/x"},
    "pattern without anchors": {"type": "string", "pattern": "[a-z]+"},
    "pattern that looks ahead": {"type": "string", "pattern": r"^(?=x)\d+$"},
    "pattern that is none": {"type": "string", "pattern": "(("},
    "no type": {"description": "anything"},
    "nothing at all": {},
    "a default alone": {"default": 1, "title": "t"},
    "boolean": True,
    "not": {"not": {"type": "string"}},
    "if and then": {"if": {"properties": {}}, "then": {}},
    "key with a quote": {"type": "object", "properties": {'a"b': {"type": "string"}}},
    "key with a line end": {"type": "object", "properties": {"a\nb ::= x": {"type": "string"}}},
    "key without a character": {"type": "object", "properties": {"": {"type": "string"}}},
    "unicode key": {"type": "object", "properties": {"名字": {"type": "string"}}},
    "huge maximum length": {"type": "string", "maxLength": 10**9},
    "huge minimum length": {"type": "string", "minLength": 10**9},
    "negative length": {"type": "string", "maxLength": -1},
    "lengths the wrong way round": {"type": "string", "minLength": 9, "maxLength": 3},
    "huge array": {"type": "array", "items": {"type": "integer"}, "minItems": 10**6},
    "no number possible": {"type": "integer", "minimum": 5, "maximum": 1},
    "multiple of": {"type": "integer", "multipleOf": 5},
    "unique items": {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
    "empty enum": {"enum": []},
    "enum of everything": {"enum": ["x", 'y"', 3, None, True, {"a": [1]}, "\ud800"]},
    "unknown type": {"type": "imaginary"},
    "type of types": {"type": ["string", "null", "imaginary"]},
    "any of nothing": {"anyOf": []},
    "all of": {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]},
    "free properties": {"type": "object", "additionalProperties": {"type": "integer"}},
    "deep": {"type": "array", "items": {"type": "array", "items": {"type": "array"}}},
    "a list": [],
    "a text": "string",
    "nothing": None,
}


def _tool(schema: JsonValue) -> ToolSpec:
    parameters = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return ToolSpec("odd", "a tool with a bad schema", parameters, Effect.NONE)


@pytest.mark.parametrize("name", BAD_SCHEMAS)
def test_a_bad_schema_makes_a_grammar_that_llama_cpp_takes_or_is_refused_with_a_reason(
    name: str, context: LlamaContext
) -> None:
    try:
        context.grammar(call_grammar(HermesFormat(), [_tool(BAD_SCHEMAS[name])])).close()
    except GrammarRejected as error:
        assert len(error.message) > 20


def test_forced_calls_of_tools_with_bad_schemas_end_in_a_call_or_a_report_and_in_no_death(
    chat_file: Path, state_dir: Path
) -> None:
    async def run() -> dict[str, bool]:
        model = await load_isolated_chat_model(
            chat_file, context_tokens=8192, threads=1, state_dir=state_dir
        )
        process_id, told = model.process_id, {}
        for name, schema in BAD_SCHEMAS.items():
            request = asking(
                "hello", tools=(_tool(schema),), force_tool="odd", temperature=1.0, max_tokens=60
            )
            events = await events_of(model, request)
            told[name] = bool(calls_in(events) or malformed_in(events)) and bool(done(events))
        assert model.process_id == process_id, "the process died"
        await model.close()
        return told

    told = asyncio.run(run())
    assert all(told.values()), told
