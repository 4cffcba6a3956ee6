"""A conversation may be longer than the window: it goes on, and nothing said is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import chain, count, pairwise, repeat
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.agent.context import ContextLimits
from moltbot_desktop.agent.prompt import SUMMARY
from moltbot_desktop.agent.runner import RunCancel
from moltbot_desktop.core.errors import ContextOverflow, ModelError, RemoteUnreachable
from moltbot_desktop.core.events import CompactionEnded, CompactionStarted
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.hooks import AfterCompaction, BeforeCompaction, HookEvent
from moltbot_desktop.sdk.models import GenerationRequest, PromptStyle
from moltbot_desktop.sdk.tools import ToolResult
from moltbot_desktop.sessions.entries import CompactionEntry, UserEntry
from tests.fakes.chat_model import ScriptedTurn, calls, fails, says
from tests.fakes.talk import Talk
from tests.fakes.tools import FakeTool, spec
from tests.fakes.windowed_model import WindowedModel, rough_tokens

T = TypeVar("T")


def play(scenario: Callable[[], Awaitable[T]]) -> T:
    async def run() -> T:
        return await scenario()

    return asyncio.run(run())


def compactions(talk: Talk) -> list[CompactionEntry]:
    return [e for e in talk.session.transcript.entries() if isinstance(e, CompactionEntry)]


def echo(request: GenerationRequest) -> ScriptedTurn:
    """Answers with the first line of the newest request."""
    newest = next(m.content for m in reversed(request.messages) if m.role is Role.USER)
    return says(f"You said: {without_summary(newest).splitlines()[0][:200]}")


def without_summary(text: str) -> str:
    return text.partition(f"</{SUMMARY}>\n\n")[2] or text


def requests_in(request: GenerationRequest) -> list[str]:
    """What the person said, as it stands in a prompt, without summary and tail."""
    said = (m.content for m in request.messages if m.role is Role.USER)
    return [without_summary(text).partition("\n\n[now ")[0] for text in said]


def prefix_of(before: GenerationRequest, after: GenerationRequest) -> bool:
    """Whether all but the tail of the earlier prompt is the beginning of the later one."""
    *head, last = before.messages
    same = tuple(head) == after.messages[: len(head)]
    return same and after.messages[len(head)].content in last.content


def test_sixty_exchanges_in_a_window_of_2000_tokens_are_all_answered(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(2_048, echo)
        async with Talk(tmp_path, model, persona="You are Moltbot. " * 20) as talk:
            for number in range(60):
                outcome = await talk.say(f"question {number}: " + "what about tea? " * 8)
                assert outcome.kind is OutcomeKind.ANSWERED
                assert outcome.text.startswith(f"You said: question {number}:")
            assert not model.over
            said = [e.text for e in talk.session.transcript.entries() if isinstance(e, UserEntry)]
            assert [text.split(":")[0] for text in said] == [f"question {n}" for n in range(60)]
            assert 2 <= len(compactions(talk)) <= 20
            last = model.asked[-1].messages
            assert last[1].content.count("- tea was talked about") == 1
            moved = [not prefix_of(one, other) for one, other in pairwise(model.asked)]
            assert sum(moved) == len(compactions(talk))

    play(scenario)


def test_after_a_restart_the_prompt_goes_on_from_the_summary(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(2_048, echo)
        async with Talk(tmp_path, model) as talk:
            for number in range(25):
                await talk.say(f"question {number}: " + "what about tea? " * 8)
        before = model.asked[-1]
        async with Talk(tmp_path, model) as talk:
            await talk.say("and now?")
        assert prefix_of(before, model.asked[-1])

    play(scenario)


def test_a_summary_folds_the_one_before_it_in(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(2_048, echo)
        async with Talk(tmp_path, model) as talk:
            for number in range(40):
                await talk.say(f"question {number}: " + "what about tea? " * 8)
            first, second = model.summaries[:2]
            assert "<record>" not in first.messages[-1].content
            assert "<record>\n- tea was talked about\n</record>" in second.messages[-1].content

    play(scenario)


def test_what_happens_is_told_and_counted(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(2_048, echo)
        async with Talk(tmp_path, model) as talk:
            while not compactions(talk):
                await talk.say("what about tea? " * 10)
            (begun,) = [e for e in talk.events if isinstance(e, CompactionStarted)]
            (ended,) = [e for e in talk.events if isinstance(e, CompactionEnded)]
            (entry,) = compactions(talk)
            assert begun.tokens == ended.tokens_before == entry.tokens_before > ended.tokens_after
            assert ended.exchanges > 0
            assert not ended.will_retry
            assert talk.store.settings(talk.key).compaction_count == 1
            assert talk.runner.context(talk.session).compactions == 1
            counted = talk.store.settings(talk.key)
            assert counted.context_tokens == 2_048
            assert counted.total_tokens == model.tokens(model.asked[-1]) + 1
            assert counted.input_tokens > counted.total_tokens

    play(scenario)


def test_a_prompt_that_the_model_refuses_is_made_shorter_and_asked_once_more(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        script = iter([*[says("ok")] * 6, fails(ContextOverflow("Too long.")), says("fine")])
        model = WindowedModel(8_192, lambda _: next(script))
        async with Talk(tmp_path, model) as talk:
            for _ in range(6):
                await talk.say("tell me of tea " * 40)
            assert (await talk.say("and now?")).text == "fine"
            (ended,) = [e for e in talk.events if isinstance(e, CompactionEnded)]
            assert ended.will_retry

    play(scenario)


def test_a_refusal_makes_the_window_smaller_for_a_while_only(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = chain([fails(ContextOverflow("Too long."))], repeat(says("ok")))
        model = WindowedModel(2_048, lambda _: next(script))
        async with Talk(tmp_path, model) as talk:
            await talk.say("hello")
            whole, smaller = (request.max_tokens for request in model.asked)
            assert smaller < 0.75 * whole
            for _ in range(20):
                await talk.say("and?")
            replies = [request.max_tokens for request in model.asked[1:]]
            assert replies == sorted(replies)
            assert replies[-1] == whole

    play(scenario)


def test_another_model_has_all_of_its_window(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = chain([says("ok"), fails(ContextOverflow("Too long."))], repeat(says("ok")))
        model = WindowedModel(2_048, lambda _: next(script))
        async with Talk(tmp_path, model) as talk:
            await talk.say("hello")
            await talk.say("hello")
            talk.model = other = WindowedModel(2_050, lambda _: says("ok"))
            await talk.say("hello")
            assert other.asked[0].max_tokens >= model.asked[0].max_tokens

    play(scenario)


def test_a_prompt_that_is_refused_again_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(8_192, lambda _: fails(ContextOverflow("Too long.")))
        async with Talk(tmp_path, model) as talk:
            outcome = await talk.say("hello")
            assert (outcome.kind, outcome.text) == (OutcomeKind.FAILED, "Too long.")
            assert len(model.asked) == 2

    play(scenario)


@pytest.mark.parametrize(
    ("text", "words"), [("tea " * 9_000, "at once"), ("茶" * 9_000, "一次能读")]
)
def test_a_message_longer_than_the_window_is_refused_in_words(
    tmp_path: Path, text: str, words: str
) -> None:
    async def scenario() -> None:
        model = WindowedModel(4_096, echo)
        async with Talk(tmp_path, model) as talk:
            outcome = await talk.say(text)
            assert outcome.kind is OutcomeKind.FAILED
            assert words in outcome.text
            assert not model.requests
            assert (await talk.say("short")).kind is OutcomeKind.ANSWERED

    play(scenario)


def test_the_longest_message_that_is_taken_leaves_room_for_its_answer(tmp_path: Path) -> None:
    """With what a template prints around it, which no count of texts knows."""

    async def scenario() -> None:
        kinds = set()
        for words in range(1_700, 2_000, 10):
            model = WindowedModel(2_048, lambda _: says("ok"))
            async with Talk(tmp_path / str(words), model) as talk:
                kinds.add((await talk.say("tea " * words)).kind)
            assert not model.over, words
        assert kinds == {OutcomeKind.ANSWERED, OutcomeKind.FAILED}

    play(scenario)


@pytest.mark.expect_log("the model wrote no summary")
def test_a_model_that_cannot_summarise_does_not_end_the_conversation(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(2_048, echo, summary=lambda _: fails(ModelError("broken")))
        async with Talk(tmp_path, model) as talk:
            for number in range(30):
                await talk.say(f"question {number}: " + "what about tea? " * 8)
            assert compactions(talk)
            assert "- Asked: question" in compactions(talk)[0].summary
            assert not model.over

    play(scenario)


@pytest.mark.expect_log("the model wrote no summary")
def test_nothing_is_written_while_a_model_cannot_be_reached(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(2_048, echo, summary=lambda _: fails(RemoteUnreachable("away")))
        async with Talk(tmp_path, model) as talk:
            for number in range(30):
                outcome = await talk.say(f"question {number}: " + "what about tea? " * 8)
                assert outcome.kind is OutcomeKind.ANSWERED
            assert not compactions(talk)
            assert not model.over

    play(scenario)


def test_without_compaction_the_oldest_exchanges_are_left_out(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(2_048, echo)
        async with Talk(tmp_path, model, context=ContextLimits(compaction=False)) as talk:
            for number in range(30):
                await talk.say(f"question {number}: " + "what about tea? " * 8)
            assert not model.summaries
            assert not model.over
            moved = [not prefix_of(one, other) for one, other in pairwise(model.asked)]
            assert 1 <= sum(moved) <= 8

    play(scenario)


def test_old_results_are_shortened_before_anything_is_summarised(tmp_path: Path) -> None:
    page = FakeTool(spec("page"), lambda _: ToolResult({"text": "tea leaves " * 150}, "Read."))

    def answer(request: GenerationRequest) -> ScriptedTurn:
        asks = request.messages[-1].role is Role.USER
        return calls("page", {}) if asks and "page" in requests_in(request)[-1] else says("ok")

    async def scenario() -> None:
        model = WindowedModel(8_192, answer)
        async with Talk(tmp_path, model, tools=(page,)) as talk:
            before = 0
            for number in range(24):
                await talk.say(f"page {number}")
                contents = [m.content for m in model.asked[-1].messages if m.role is Role.TOOL]
                short = sum("left out" in content for content in contents)
                assert short >= before or compactions(talk)
                before = short
                assert "left out" not in "".join(contents[-3:])
                if short:
                    break
            assert before
            assert not model.summaries
            stored = [m for m in talk.session.transcript.messages() if m.role is Role.TOOL]
            assert all("left out" not in message.content for message in stored)

    play(scenario)


def test_what_is_shown_moves_seldom_also_where_results_are_shortened(tmp_path: Path) -> None:
    page = FakeTool(spec("page"), lambda _: ToolResult({"text": f"{next(pages)} " * 900}, "Read."))
    pages = count()

    def answer(request: GenerationRequest) -> ScriptedTurn:
        asks = request.messages[-1].role is Role.USER
        return calls("page", {}) if asks else says("ok")

    async def scenario() -> None:
        model = WindowedModel(8_192, answer)
        async with Talk(tmp_path, model, tools=(page,)) as talk:
            for number in range(40):
                await talk.say(f"page {number}")
            begun = [one for one in model.asked if one.messages[-1].role is Role.USER]
            moved = [not prefix_of(one, other) for one, other in pairwise(begun)]
            assert not model.over
            assert 2 <= sum(moved) <= 7

    play(scenario)


def test_reading_along_reads_what_the_run_then_asks(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(2_048, echo)
        async with Talk(tmp_path, model) as talk:
            await talk.say("first")
            await talk.runner.read_along(talk.session, "seco", RunCancel())
            await talk.say("second")
            assert model.read_along[0].messages[:-1] == model.asked[-1].messages[:-1]

    play(scenario)


def test_a_person_may_ask_for_a_summary_and_say_what_it_is_to_keep(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(8_192, echo)
        async with Talk(tmp_path, model) as talk:
            assert await talk.runner.compact(talk.session, "", RunCancel()) is None
            for number in range(4):
                await talk.say(f"question {number}: " + "what about tea? " * 8)
            done = await talk.runner.compact(talk.session, "the recipe", RunCancel())
            assert done is not None
            assert done.tokens_after < done.tokens_before
            assert "the recipe" in model.summaries[0].messages[0].content
            await talk.say("and now?")
            assert requests_in(model.asked[-1])[0].startswith("question 2:")

    play(scenario)


def test_the_built_in_model_reads_no_history_so_nothing_of_it_is_summarised(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        model = WindowedModel(1_024, lambda _: says("ok"), style=PromptStyle.COMMAND)
        async with Talk(tmp_path, model, persona="You are Moltbot. " * 200) as talk:
            for number in range(6):
                await talk.say(f"question {number}: " + "what about tea? " * 8)
            assert await talk.runner.compact(talk.session, "", RunCancel()) is None
            assert not compactions(talk)

    play(scenario)


def test_the_report_tells_characters_first_and_tokens_once_they_were_counted(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        model = WindowedModel(8_192, echo)
        async with Talk(tmp_path, model) as talk:
            before = talk.runner.context(talk.session)
            assert [part.tokens for part in before.parts] == [None, 0, 0]
            await talk.say("hello")
            await talk.say("hello again")
            report = talk.runner.context(talk.session)
            assert report.window == 8_192
            by_name = {part.name: part for part in report.parts}
            assert by_name["system"].tokens == rough_tokens("You are Moltbot.")
            assert by_name["chat"].characters > 0
            await talk.say("and once more")
            chat = talk.runner.context(talk.session).parts[-1]
            assert chat.tokens is None  # the newest answer has not been in a prompt yet

    play(scenario)


def test_an_extension_is_told_before_and_after(tmp_path: Path) -> None:
    async def scenario() -> None:
        told: list[HookEvent] = []
        model = WindowedModel(2_048, echo)
        async with Talk(tmp_path, model) as talk:
            for kind in (BeforeCompaction, AfterCompaction):
                talk.hooks.on(kind, told.append, name="test")
            while not compactions(talk):
                await talk.say("what about tea? " * 10)
            before, after = told
            assert isinstance(before, BeforeCompaction)
            assert isinstance(after, AfterCompaction)
            assert after.compacted_count + after.message_count == before.message_count

    play(scenario)


def test_stopping_while_the_beginning_is_summarised_changes_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        model = WindowedModel(8_192, echo)
        async with Talk(tmp_path, model) as talk:
            for number in range(4):
                await talk.say(f"question {number}")
            cancel = RunCancel()
            cancel.cancel()
            assert await talk.runner.compact(talk.session, "", cancel) is None
            assert not compactions(talk)

    play(scenario)
