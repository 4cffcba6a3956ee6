"""The decoding loop itself, stepped by hand on the test's own thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from moltbot_desktop.models import generation
from moltbot_desktop.models.chat import make_engine
from moltbot_desktop.models.generation import Emit, Engine, Generation
from moltbot_desktop.models.llama import LlamaContext, LlamaParameters
from moltbot_desktop.models.stop_flag import StopFlag
from moltbot_desktop.models.template import ChatTemplate
from moltbot_desktop.sdk.models import FinishReason, GenerationRequest, ModelEvent, ToolCallWritten
from moltbot_desktop.sdk.tools import Effect, ToolSpec
from tests.data.make_gguf import TinyModel, write_chat_model
from tests.fakes.asking import Never, asking, calls_in, done, malformed_in, said
from tests.fakes.built_in_tools import BUILT_IN

CALC = next(tool for tool in BUILT_IN if tool.name == "calc")
Speak = Callable[[str], None]


@pytest.fixture
def stop_flag() -> StopFlag:
    return StopFlag()


@pytest.fixture
def engine(tmp_path: Path, stop_flag: StopFlag) -> Iterator[Engine]:
    model = TinyModel(
        quote_bias=6, call_tokens=False, more_pieces=('>{"', "l>", 'l>\n{"na', "l>你", "\u2581<")
    )
    file = write_chat_model(tmp_path / "tiny.gguf", model)
    context = LlamaContext(file, LlamaParameters(2048, 1, batch_tokens=64), stop_flag)
    yield make_engine(context)
    context.close()


@pytest.fixture
def speak(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Speak:
    """`speak(pieces)` makes the model choose these tokens first, one for each `|` part."""
    choose, planned = generation.choose, list[int]()
    texts = engine.context.token_texts()

    def next_token(logits, temperature, random, top_p) -> int:
        return planned.pop(0) if planned else choose(logits, temperature, random, top_p)

    def plan(pieces: str) -> None:
        planned[:] = [texts.index(piece.replace(" ", "\u2581")) for piece in pieces.split("|")]

    monkeypatch.setattr(generation, "choose", next_token)
    return plan


def _run(engine: Engine, request: GenerationRequest) -> list[ModelEvent]:
    events: list[ModelEvent] = []
    for _ in Generation(engine, request, events.append, Never()).steps():
        pass
    return events


class _AfterTheCall:
    """Ends an answer when the last token of its call is evaluated, and nothing behind it."""

    def __init__(self, events: list[ModelEvent]) -> None:
        self._events = events
        self._asked = 0

    @property
    def cancelled(self) -> bool:
        self._asked += bool(calls_in(self._events) or malformed_in(self._events))
        return self._asked > 1


MARKER = "<|t|o|o|l|_|c|a|l"


@pytest.mark.parametrize(
    "spoken",
    [
        f"{MARKER}|l|>",
        f"{MARKER}|l>",
        f'{MARKER}|l|>{{"',
        f'{MARKER}|l>\n{{"na',
        f"{MARKER}|l>你",
        f"{MARKER}|l>|<0xE4>",
        f"h|i| |{MARKER}|l>",
    ],
    ids=["exact", "tail", "with a brace", "with a beginning", "with text", "half letter", "after"],
)
def test_a_call_is_whole_wherever_the_markers_last_token_ends(
    spoken: str, engine: Engine, speak: Speak
) -> None:
    for seed in range(5):
        speak(spoken)
        request = asking("x", tools=(CALC,), temperature=1.0, seed=seed, max_tokens=700)
        events: list[ModelEvent] = []
        for _ in Generation(engine, request, events.append, _AfterTheCall(events)).steps():
            pass
        [call] = calls_in(events)
        shown = said(events[: events.index(ToolCallWritten(call))])
        read = b"".join(map(engine.context.piece, engine.context.held)).decode()
        body = read.rpartition("assistant\n")[2].partition("<tool_call>")[2]
        assert body.lstrip().startswith('{"name"'), "the model goes on from what it took back"
        assert call.name == "calc" and list(call.arguments) == ["expression"]
        assert shown == ("hi " if spoken.startswith("h") else "")


# No grammar holds an object without named properties, so its calls are written freely.
FREE = ToolSpec(
    "note",
    "",
    {
        "type": "object",
        "properties": {"text": {"type": "string"}, "more": {"type": "object"}},
        "required": ["text"],
    },
    Effect.NONE,
)
LISTS = (
    "{% for m in messages %}{{ m.role }}: {{ m.content }}{% if m.tool_calls %}[TOOL_CALLS]["
    '{% for c in m.tool_calls %}{"name": "{{ c.function.name }}", "arguments": '
    "{{ c.function.arguments | tojson }}}{{ ', ' if not loop.last }}{% endfor %}]{% endif %}"
    "\n{% endfor %}{{ tools }}"
)


def _spelt(text: str) -> str:
    return "|".join(f"<0x{byte:02X}>" for byte in text.encode())


def test_one_broken_call_makes_the_whole_list_a_correction(engine: Engine, speak: Speak) -> None:
    lists = replace(engine, template=ChatTemplate(LISTS))
    assert lists.template.call_format.name == "mistral-list"
    whole = '{"name": "note", "arguments": {"text": "a"}}'
    both = f'[{whole}, {{"name": "note", "arguments": {{"txt": "b"}}}}]'
    speak(_spelt(f"[TOOL_CALLS]{both}"))
    events = _run(lists, asking("x", tools=(FREE,), max_tokens=200))
    [malformed] = malformed_in(events)
    assert not calls_in(events), "it would run, and nobody would hear of the other"
    assert malformed.raw.strip() == both and "`text` missing" in malformed.problem
    speak(_spelt(f"[TOOL_CALLS][{whole}, {whole}]"))
    events = _run(lists, asking("x", tools=(FREE,), max_tokens=120))
    assert [call.id for call in calls_in(events)][:2] == ["call-1", "call-2"]


def test_a_text_that_was_cut_off_is_not_asked_for_in_parts(
    engine: Engine, speak: Speak, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second `write` to a file would replace the first."""
    monkeypatch.setattr(generation, "DEFAULT_STRING_LIMIT", 20)
    body = '{"name": "note", "arguments": {"text": "twenty characters..."}}'
    speak(_spelt(f"<tool_call>{body}</tool_call>"))
    [malformed] = malformed_in(_run(engine, asking("x", tools=(FREE,), max_tokens=200)))
    assert malformed.problem == (
        "`text` is longer than 20 characters; write less, and say that it is not all"
    )


def test_without_tools_a_marker_is_text(engine: Engine, speak: Speak) -> None:
    speak(f"{MARKER}|l>|x")
    events = _run(engine, asking("x", max_tokens=11))
    assert said(events).startswith("<tool_call>") and not calls_in(events)


def test_split_characters_arrive_whole(engine: Engine, speak: Speak) -> None:
    speak("<0xE4>|<0xBD>|<0xA0>|<0xF0>|<0x9F>|<0x8E>|<0x89>|a")
    events = _run(engine, asking("x", max_tokens=8))
    assert said(events) == "你🎉a"


def test_bytes_that_are_no_text_become_a_sign_and_break_nothing(
    engine: Engine, speak: Speak
) -> None:
    speak("<0xFF>|a|<0xE4>")
    events = _run(engine, asking("x", max_tokens=3))
    assert said(events) == "\ufffda\ufffd"


def test_blanks_before_the_answer_are_not_part_of_it(engine: Engine, speak: Speak) -> None:
    speak(" |<0x0A>| the| |a")
    assert said(_run(engine, asking("x", max_tokens=5))) == "the a"


def test_the_end_token_ends_the_answer_and_is_not_shown(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = engine.context.token_texts()
    planned = [texts.index("a"), texts.index("<|im_end|>"), texts.index("b")]
    monkeypatch.setattr(generation, "choose", lambda *_: planned.pop(0))
    events = _run(engine, asking("x"))
    assert said(events) == "a" and done(events).reason is FinishReason.STOP


def test_an_answer_interrupted_at_every_token_by_another_is_what_it_would_have_been(
    engine: Engine, stop_flag: StopFlag
) -> None:
    """Both use one context: each step finds the other's tokens in memory."""
    alone = said(_run(engine, asking("count to ten", max_tokens=25)))
    mine, other, turns = list[ModelEvent](), list[ModelEvent](), list[int]()

    def told(events: list[ModelEvent]) -> Emit:
        return lambda event: (events.append(event), stop_flag.raise_flag())[0]

    first = Generation(engine, asking("count to ten", max_tokens=25), told(mine), Never())
    second = Generation(engine, asking("the weather", max_tokens=25), told(other), Never())
    running = [first.steps(), second.steps()]
    while running:
        for steps in tuple(running):
            stop_flag.lower()
            turns.append(len(mine))
            if next(steps, "over") == "over":
                running.remove(steps)
    assert said(mine) == alone and said(other)
    assert len(turns) > 50, "each token let the other go first"


def test_a_card_that_does_not_hear_the_flag_lets_others_go_first_between_two_tokens(
    engine: Engine, stop_flag: StopFlag, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = LlamaContext.advance

    def deaf(context: LlamaContext, tokens: Sequence[int]) -> None:
        stop_flag.lower()
        advance(context, tokens)
        stop_flag.raise_flag()

    monkeypatch.setattr(LlamaContext, "advance", deaf)
    request = asking("x", max_tokens=25)
    steps = Generation(engine, request, list[ModelEvent]().append, Never()).steps()
    assert len(list(steps)) > 20


def test_while_nobody_else_wants_the_model_tokens_follow_each_other_without_a_pause(
    engine: Engine,
) -> None:
    events: list[ModelEvent] = []
    steps = Generation(engine, asking("x", max_tokens=25), events.append, Never()).steps()
    assert len(list(steps)) <= 1 and done(events).usage.completion_tokens == 25


def test_the_limit_costs_no_evaluation_after_the_last_token(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = list[int]()
    advance = LlamaContext.advance
    monkeypatch.setattr(
        LlamaContext,
        "advance",
        lambda self, tokens: (counts.append(len(tokens)), advance(self, tokens))[1],
    )
    events = _run(engine, asking("x", max_tokens=1))
    assert done(events).reason is FinishReason.LENGTH
    assert sum(counts) == done(events).usage.prompt_tokens
