"""Steps and thoughts on a channel: real mail book, real transcripts, a scripted model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.gateway.along import AlongRules
from moltbot_desktop.gateway.chunks import Break
from moltbot_desktop.gateway.mail import MailBook
from moltbot_desktop.gateway.streamed import BlockRules, digest_of
from moltbot_desktop.sdk.channels import OutboundMessage
from moltbot_desktop.sdk.models import TextDelta
from moltbot_desktop.sdk.tools import Effect, ToolResult
from tests.fakes.chat_model import ScriptedTurn, calls, hangs, says
from tests.fakes.mail import NOON, counting, envelope
from tests.fakes.tools import FakeTool, spec
from tests.integration.gateway.test_channel_desk import KEY, Rig, begun, kept, rig
from tests.integration.gateway.test_front_desk import play
from tests.integration.gateway.test_reply_gate import make_private

FULL = AlongRules("full", thoughts=True)


def looking() -> FakeTool:
    return FakeTool(spec("memory_search"), lambda _: ToolResult({"ok": True}, "Dr. Okafor"))


def asked(text: str) -> ScriptedTurn:
    return calls("memory_search", {"text": text})


def test_steps_and_thoughts_come_as_messages_of_their_own_before_the_answer(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        call = asked("dentist")
        script = [call, says("Dr. Okafor.", thinking="Found it.")]
        async with rig(tmp_path, script, tools=(looking(),)) as made:
            made.along = FULL
            await made.desk.receive([envelope("1", "who is my dentist?")])
            assert await made.answers(4) == [
                "🧠 Looking in memory: dentist",
                "🧠 Looking in memory\n```\nDr. Okafor\n```",
                "Reasoning:\n_Found it._",
                "Dr. Okafor.",
            ]
            assert made.book.unfinished() == ()

    play(scenario)


def test_of_a_private_conversation_only_the_tools_name_is_told_and_nobody_is_asked(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        call = asked("dentist")
        script = [call, says("Dr. Okafor.", thinking="It is Okafor.")]
        async with rig(tmp_path, script, tools=(looking(),)) as made:
            make_private(made)
            made.along = FULL
            await made.desk.receive([envelope("1")])
            step, answer = await made.answers(2)
            assert step == "🧠 Looking in memory"
            assert "Okafor" not in answer

    play(scenario)


def test_what_a_tool_read_of_the_owners_is_not_told_although_the_question_was(
    tmp_path: Path,
) -> None:
    async def scenario() -> None:
        tool = FakeTool(
            spec("memory_search", Effect.MEMORY_READ),
            lambda _: ToolResult({"ok": True}, "Dr. Okafor", private=True),
        )
        script = [asked("dentist"), says("Okafor.", thinking="Okafor.")]
        async with rig(tmp_path, script, tools=(tool,)) as made:
            made.along = FULL
            await made.desk.receive([envelope("1")])
            step, answer = await made.answers(2)
            assert step == "🧠 Looking in memory: dentist"
            assert "Okafor" not in answer

    play(scenario)


def test_a_link_that_nobody_wrote_is_left_out_of_a_step(tmp_path: Path) -> None:
    async def scenario() -> None:
        call = asked("see https://evil.example/?q=secret")
        async with rig(tmp_path, [call, says("No.")], tools=(looking(),)) as made:
            made.along = AlongRules("on")
            await made.desk.receive([envelope("1")])
            step, _ = await made.answers(2)
            assert "evil[.]example" in step and "secret" not in step

    play(scenario)


def test_a_run_that_a_crash_has_begun_anew_tells_nothing_twice(tmp_path: Path) -> None:
    async def scenario() -> None:
        kept(tmp_path, envelope("1"))
        store = begun(tmp_path, "run0")
        store.close(store.open(KEY))
        line = "🧠 Looking in memory: dentist"
        tell_before(tmp_path, RunId(f"run0:step:{digest_of(line)}:1"), line)
        script = [asked("dentist"), asked("dentist"), says("Dr. Okafor.", thinking="Found it.")]
        async with rig(tmp_path, script, tools=(looking(),)) as made:
            made.along = AlongRules("on", thoughts=True)
            told = await made.answers(3)
            assert told == [line, "Reasoning:\n_Found it._", "Dr. Okafor."]  # once, not twice

    play(scenario)


def tell_before(home: Path, name: RunId, text: str) -> None:
    """What a program that was killed had told already."""
    book = MailBook(home / "mail.sqlite", ManualClock(NOON), counting("other"))
    book.finish(name, [OutboundMessage(envelope("1").reply_target, text)], handled=())
    book.sent(book.heads()[0].id, "")
    book.close()


# ------------------------------------------------------------------------ long answers in parts

LONG = [f"This is sentence number {n} of a long story. " for n in range(12)]
PARTS = AlongRules(blocks=BlockRules(100, 200, prefer=Break.SENTENCE))
OTHER_BORDERS = AlongRules(blocks=BlockRules(40, 80, prefer=Break.SENTENCE))


async def all_of(made: Rig) -> list[str]:
    """What is sent until nothing is left to be answered."""
    await made.assistant.becomes(lambda: made.book.unfinished() == ())
    told = []
    while heads := made.book.heads():
        (row,) = made.book.load(heads[0].id)
        told.append(row.message.text)
        made.book.sent(row.id, "")
    return told


def test_a_long_answer_comes_in_parts_and_nothing_of_it_twice(tmp_path: Path) -> None:
    async def scenario() -> None:
        script = [replace(asked("x"), events=(TextDelta("Let me look."), *asked("x").events))]
        async with rig(tmp_path, [*script, says(*LONG)], tools=(looking(),)) as made:
            made.along = PARTS
            await made.desk.receive([envelope("1")])
            told = await all_of(made)
            assert told[0] == "Let me look."
            assert " ".join(told[1:]) == "".join(LONG).strip()
            assert len(told) > 3 and all(len(one) <= 200 for one in told)

    play(scenario)


def test_a_crash_in_the_middle_of_a_long_answer_neither_loses_nor_doubles_any_of_it(
    tmp_path: Path,
) -> None:
    async def scenario(rules: AlongRules, home: Path) -> None:
        """The second time the borders are the same, others, or the answer comes as a whole."""
        async with rig(home, [hangs(*LONG[:7])]) as before:
            before.along = PARTS
            await before.desk.receive([envelope("1")])
            first = await before.answers(2)
        async with rig(home, [says(*LONG)]) as made:
            made.along = rules
            second = await all_of(made)
        assert " ".join((*first, *second)) == "".join(LONG).strip()

    play(lambda: scenario(PARTS, tmp_path / "same"))
    play(lambda: scenario(OTHER_BORDERS, tmp_path / "other"))
    play(lambda: scenario(AlongRules(), tmp_path / "whole"))
