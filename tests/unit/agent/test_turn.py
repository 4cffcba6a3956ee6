"""Playbooks of the turn machine: given events, expect effects."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from moltbot_desktop.agent.texts import PHRASES
from moltbot_desktop.agent.turn import (
    AskToGoOn,
    CallModel,
    GoOnAnswered,
    ModelAnswered,
    Recall,
    Recalled,
    RunTools,
    Stop,
    ToolRan,
    ToolsRan,
    TurnMachine,
    TurnSetup,
)
from moltbot_desktop.agent.typos import Respelled
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.sdk.models import FinishReason, MalformedCall, PromptStyle
from moltbot_desktop.sdk.tools import ToolResult

CALC = ToolCall("1", "calc", {"expression": "6*7"})
STORE = ToolCall("2", "memory_store", {"text": "tea"}, confidence=0.5)
FOUND = ToolResult({"value": "42"}, "6*7 = 42")
NOON = datetime(2026, 11, 21, 12, 7, tzinfo=UTC)


def machine(
    text: str = "6*7", style: PromptStyle = PromptStyle.FULL, gate: float = 0.0, calls: int = 12
) -> TurnMachine:
    return TurnMachine(TurnSetup(text, Language.ENGLISH, NOON, style, gate, calls))


def said(text: str) -> ModelAnswered:
    return ModelAnswered(text, FinishReason.STOP)


def wants(*calls: ToolCall) -> ModelAnswered:
    return ModelAnswered("", FinishReason.TOOL_CALLS, calls)


def ran(call: ToolCall, result: ToolResult = FOUND, outcome: str = "ok") -> ToolsRan:
    return ToolsRan((ToolRan(call, result, outcome),))


def test_a_plain_answer_ends_the_run() -> None:
    turn = machine()
    assert turn.start() == CallModel()
    assert turn.feed(said(" hello \n")) == Stop(OutcomeKind.ANSWERED, "hello")


def test_a_call_runs_and_its_result_goes_back_to_the_model() -> None:
    turn = machine()
    turn.start()
    assert turn.feed(wants(CALC)) == RunTools((CALC,))
    assert turn.feed(ran(CALC)) == CallModel()
    assert turn.feed(said("It is 42.")) == Stop(OutcomeKind.ANSWERED, "It is 42.")


@pytest.mark.parametrize(
    "text", ["NO_REPLY", "  NO_REPLY.", "Nothing to add. NO_REPLY", "NO_REPLY\nbye"]
)
def test_no_reply_is_silence(text: str) -> None:
    turn = machine()
    turn.start()
    effect = turn.feed(said(text))
    assert isinstance(effect, Stop)
    assert (effect.kind, effect.text) == (OutcomeKind.SILENT, "")


def test_a_word_that_only_looks_like_the_token_is_an_answer() -> None:
    turn = machine()
    turn.start()
    assert turn.feed(said("NO_REPLYING is a word")) == Stop(
        OutcomeKind.ANSWERED, "NO_REPLYING is a word"
    )


def test_two_repairs_then_the_run_fails_visibly() -> None:
    turn = machine()
    turn.start()
    bad = ModelAnswered("", FinishReason.STOP, malformed=MalformedCall("{", "`path` missing"))
    assert isinstance(turn.feed(bad), CallModel)
    assert isinstance(turn.feed(bad), CallModel)
    end = turn.feed(bad)
    assert isinstance(end, Stop)
    assert end.kind is OutcomeKind.FAILED
    assert "`path` missing" in end.reason


def test_the_same_result_three_times_asks_and_five_times_ends() -> None:
    turn = machine()
    turn.start()
    effects = []
    for _ in range(5):
        turn.feed(wants(CALC))
        effect = turn.feed(ran(CALC))
        effects.append(type(effect))
        if isinstance(effect, AskToGoOn):
            assert turn.feed(GoOnAnswered(True)) == CallModel()
    assert effects == [CallModel, CallModel, AskToGoOn, CallModel, Stop]


def test_a_no_to_going_on_ends_the_run() -> None:
    turn = machine()
    turn.start()
    for _ in range(3):
        turn.feed(wants(CALC))
        turn.feed(ran(CALC))
    end = turn.feed(GoOnAnswered(False))
    assert isinstance(end, Stop)
    assert end.kind is OutcomeKind.OUT_OF_BUDGET


def test_different_results_are_progress() -> None:
    turn = machine(calls=100)
    turn.start()
    for number in range(10):
        turn.feed(wants(CALC))
        assert turn.feed(ran(CALC, ToolResult({"value": str(number)}, ""))) == CallModel()


def test_the_budget_of_calls_ends_the_run() -> None:
    turn = machine(calls=1)
    turn.start()
    turn.feed(wants(CALC))
    turn.feed(ran(CALC))
    end = turn.feed(wants(CALC))
    assert isinstance(end, Stop)
    assert end.kind is OutcomeKind.OUT_OF_BUDGET


def test_a_tools_question_is_asked_back_as_it_is() -> None:
    turn = machine()
    turn.start()
    turn.feed(wants(CALC))
    asks = ToolResult({"error": "when?"}, "", ok=False, question="When shall I remind you?")
    end = turn.feed(ran(CALC, asks, "failed"))
    why = "I had to ask first: When shall I remind you?"
    assert end == Stop(OutcomeKind.NEEDS_YOU, "When shall I remind you?", why)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Dinner is at 8!", OutcomeKind.SILENT),
        ("  **dinner is at 8** 🍝", OutcomeKind.SILENT),
        ("", OutcomeKind.SILENT),
        ("dinner is at", OutcomeKind.SILENT),
        ("Dinner is at 8. Bring wine.", OutcomeKind.ANSWERED),
        ("Sent.", OutcomeKind.ANSWERED),
        ("Din", OutcomeKind.ANSWERED),
    ],
)
def test_what_a_tool_has_sent_is_not_said_again(text: str, kind: OutcomeKind) -> None:
    turn = machine()
    turn.start()
    turn.feed(wants(CALC))
    turn.feed(ran(CALC, ToolResult({"ok": True}, "Sent.", sent="Dinner is at 8.")))
    stop = turn.feed(said(text))
    assert isinstance(stop, Stop) and stop.kind is kind


def test_cancelled_keeps_what_was_said_so_far() -> None:
    turn = machine()
    turn.start()
    end = turn.feed(ModelAnswered("half a sen", FinishReason.CANCELLED))
    assert isinstance(end, Stop)
    assert (end.kind, end.text) == (OutcomeKind.CANCELLED, "half a sen")


def test_a_reply_that_was_cut_says_so() -> None:
    turn = machine()
    turn.start()
    end = turn.feed(ModelAnswered("Once upon a ", FinishReason.LENGTH))
    assert isinstance(end, Stop)
    assert end.text == "Once upon a\n\n" + PHRASES.say("cut", Language.ENGLISH)


def test_no_answer_at_all_fails_with_words() -> None:
    turn = machine()
    turn.start()
    end = turn.feed(said("  "))
    assert isinstance(end, Stop)
    assert end.kind is OutcomeKind.FAILED
    assert end.text


def test_an_unsure_call_that_changes_something_becomes_a_question() -> None:
    turn = machine("remember tea", PromptStyle.COMMAND, gate=0.7)
    turn.start()
    end = turn.feed(wants(STORE))
    assert isinstance(end, Stop)
    assert end.kind is OutcomeKind.NEEDS_YOU
    assert end.pending == STORE
    assert "remember “tea”" in end.text
    assert end.reason == "I was not sure that this is meant: remember “tea”."


def test_a_call_the_model_hardly_believes_in_is_not_even_asked_about() -> None:
    wild = ToolCall("3", "write", {"path": "x"}, confidence=0.01)
    turn = machine("write something", PromptStyle.COMMAND, gate=0.7)
    turn.start()
    end = turn.feed(wants(wild))
    assert end == Stop(OutcomeKind.ANSWERED, PHRASES.say("beyond", Language.ENGLISH))


def test_a_confirmed_call_runs_without_the_model() -> None:
    setup = TurnSetup("yes", Language.ENGLISH, NOON, PromptStyle.COMMAND, 0.7, certain=(STORE,))
    assert TurnMachine(setup).start() == RunTools((STORE,))


def test_results_of_command_models_are_told_in_the_tools_words() -> None:
    failed = ToolResult({"error": "no such file"}, "There is no such file.", ok=False)
    for result, outcome in ((FOUND, "ok"), (failed, "failed")):
        turn = machine(style=PromptStyle.COMMAND)
        turn.start()
        turn.feed(wants(CALC))
        assert turn.feed(ran(CALC, result, outcome)) == Stop(OutcomeKind.ANSWERED, result.display)


def test_a_question_the_command_model_cannot_answer_is_looked_up_in_memory() -> None:
    for quote in ("You told me: “x”", ""):
        turn = machine("Where did I park?", PromptStyle.COMMAND)
        turn.start()
        gave_up = "That is beyond my small built-in model. You can add a larger one under Models."
        assert turn.feed(said(gave_up)) == Recall("Where did I park?")
        expected = quote or PHRASES.say("beyond", Language.ENGLISH)
        assert turn.feed(Recalled(quote)) == Stop(OutcomeKind.ANSWERED, expected)


def test_a_sum_is_calculated_even_when_the_command_model_gives_up() -> None:
    gave_up = said("That is beyond my small built-in model.")
    for unsure in (gave_up, wants(ToolCall("9", "calc", {"expression": "6"}, confidence=0.01))):
        turn = machine("What is 6*7?", PromptStyle.COMMAND, gate=0.7)
        turn.start()
        effect = turn.feed(unsure)
        assert isinstance(effect, RunTools)
        assert dict(effect.calls[0].arguments) == {"expression": "6*7"}


@pytest.mark.parametrize(
    ("language", "heard", "told"),
    [
        (Language.ENGLISH, "Let me look at the clock.", "It is 12:07."),
        (Language.ENGLISH, "Let me look at the calendar.", "Today is Saturday, 2026-11-21."),
        (Language.CHINESE, "我看一下钟。", "现在是 12:07。"),
        (Language.CHINESE, "我看一下日历。", "今天是 2026-11-21，星期六。"),
    ],
)
def test_the_program_tells_the_time_for_a_command_model(
    language: Language, heard: str, told: str
) -> None:
    turn = TurnMachine(TurnSetup("What time is it?", language, NOON, PromptStyle.COMMAND))
    turn.start()
    assert turn.feed(said(heard)) == Stop(OutcomeKind.ANSWERED, told)


def test_what_the_command_model_says_it_can_do_is_said_in_this_builds_words() -> None:
    turn = machine("What can you do?", PromptStyle.COMMAND)
    turn.start()
    end = turn.feed(said("I can remember facts and find them again, and fly."))
    assert end == Stop(OutcomeKind.ANSWERED, PHRASES.say("abilities", Language.ENGLISH))


def test_a_confirmed_call_is_told_in_the_tools_words() -> None:
    setup = TurnSetup("yes", Language.ENGLISH, NOON, PromptStyle.COMMAND, 0.7, certain=(STORE,))
    turn = TurnMachine(setup)
    turn.start()
    assert turn.feed(ran(STORE)) == Stop(OutcomeKind.ANSWERED, FOUND.display)


# --- words that complete an earlier request

REMIND = ToolCall("3", "reminder_add", {"when": "at 5", "text": "call Anna"}, confidence=0.9)


def continued(text: str, *completed: str) -> TurnMachine:
    return TurnMachine(
        TurnSetup(text, Language.ENGLISH, NOON, PromptStyle.COMMAND, 0.7, completed=completed)
    )


def test_an_answer_is_read_as_the_rest_of_the_request() -> None:
    turn = continued("at 5", "remind me to call Anna at 5")
    assert turn.start() == CallModel(request="remind me to call Anna at 5")
    assert turn.feed(wants(REMIND)) == CallModel()
    assert turn.feed(said("That is beyond my small built-in model.")) == RunTools((REMIND,))


def test_a_new_request_is_one_even_after_a_question() -> None:
    turn = continued("remind me at 5 to call Anna", "weather remind me at 5 to call Anna")
    turn.start()
    odd = ToolCall("4", "weather_query", {"city": "Anna"}, confidence=0.8)
    assert turn.feed(wants(odd)) == CallModel()
    assert turn.feed(wants(REMIND)) == RunTools((REMIND,))


def test_small_talk_after_a_question_is_small_talk() -> None:
    turn = continued("thanks", "weather thanks")
    turn.start()
    turn.feed(wants(ToolCall("4", "weather_query", {"city": "thanks"}, confidence=0.9)))
    stop = turn.feed(said("You are welcome."))
    assert stop == Stop(OutcomeKind.ANSWERED, "You are welcome.")


def test_a_call_without_anything_of_the_answer_does_not_count() -> None:
    turn = continued("well", "remind me to call Anna well")
    turn.start()
    turn.feed(wants(REMIND))
    stop = turn.feed(said("That is beyond my small built-in model."))
    assert isinstance(stop, Stop) and "beyond" in stop.text


def test_what_is_still_missing_is_asked_for_and_everything_said_is_kept() -> None:
    turn = continued("call Anna", "remind me call Anna")
    turn.start()
    turn.feed(said("When should I remind you? Please say it again in one sentence."))
    stop = turn.feed(said("That is beyond my small built-in model."))
    assert isinstance(stop, Stop) and stop.text == "When should I remind you?"
    ended = turn.ended(stop)
    assert ended.asked and ended.request == "remind me call Anna"


def test_the_end_tells_which_reminder_was_set() -> None:
    turn = machine("remind me at 5 to call Anna", PromptStyle.COMMAND)
    turn.start()
    turn.feed(wants(REMIND))
    added = ToolResult({"ok": True, "id": 4, "due": "2026-11-21 17:00"}, "I will remind you")
    stop = turn.feed(ran(REMIND, added))
    assert isinstance(stop, Stop)
    assert turn.ended(stop).reminder == (4, NOON.replace(hour=17, minute=0))
    assert not turn.ended(stop).asked


def test_for_the_weather_no_city_is_asked_for_before_the_tool_was_tried() -> None:
    turn = machine("how is the weather?", PromptStyle.COMMAND)
    turn.start()
    tried = turn.feed(said("In which city?"))
    assert tried == RunTools((ToolCall("weather", "weather_query", {}),))


def test_a_quote_from_memory_is_no_question() -> None:
    turn = machine("which city do I like?", PromptStyle.COMMAND)
    turn.start()
    turn.feed(said("In which city?"))
    stop = turn.feed(Recalled("You told me: “Do I like Oslo? Yes.”"))
    assert isinstance(stop, Stop) and not turn.ended(stop).asked


def test_the_old_reminder_stays_when_the_new_one_was_not_set() -> None:
    cancel = ToolCall("5", "reminder_cancel", {"id": 4})
    setup = TurnSetup(
        "no, at 6", Language.ENGLISH, NOON, PromptStyle.COMMAND, 0.7, certain=(REMIND, cancel)
    )
    moved = TurnMachine(setup)
    assert moved.start() == RunTools((REMIND,))
    added = ToolResult({"ok": True, "id": 5, "due": "2026-11-21 18:00"}, "Set.")
    assert moved.feed(ran(REMIND, added)) == RunTools((cancel,))
    stop = moved.feed(ran(cancel, ToolResult({"ok": True}, "Cancelled.")))
    assert stop == Stop(OutcomeKind.ANSWERED, "Set.\n\nCancelled.")
    assert isinstance(stop, Stop) and moved.ended(stop).reminder == (
        5,
        NOON.replace(hour=18, minute=0),
    )
    denied = TurnMachine(setup)
    denied.start()
    result = ToolResult({"error": "denied"}, "I did not do that.", ok=False)
    assert denied.feed(ran(REMIND, result, "denied")) == Stop(
        OutcomeKind.ANSWERED, "I did not do that."
    )


def test_a_whole_request_is_not_read_as_a_value() -> None:
    write = ToolCall("6", "write", {"path": "notes.txt", "content": "hello"}, confidence=0.8)
    read = ToolCall("7", "read", {"path": "notes.txt"}, confidence=0.95)
    turn = continued("write hello to notes.txt", "read write hello to notes.txt")
    turn.start()
    turn.feed(wants(read))
    assert turn.feed(wants(write)) == RunTools((write,))
    bare = continued("notes.txt", "write a file: notes.txt")
    bare.start()
    bare.feed(wants(ToolCall("8", "write", {"path": "notes.txt"}, confidence=0.96)))
    assert bare.feed(wants(read)) == RunTools(
        (ToolCall("8", "write", {"path": "notes.txt"}, confidence=0.96),)
    )


def test_a_time_is_an_answer_and_no_small_talk() -> None:
    turn = continued("tomorrow at 5", "remind me to call Anna tomorrow at 5")
    turn.start()
    call = ToolCall("3", "reminder_add", {"when": "tomorrow at 5", "text": "call Anna"})
    turn.feed(wants(call))
    assert turn.feed(said("Let me look at the clock.")) == RunTools((call,))


def test_a_sum_is_the_persons_own_and_no_number_is_used_oftener_than_it_was_said() -> None:
    wrong = ToolCall("1", "calc", {"expression": "7 * 7"}, confidence=0.99)
    turn = machine("6 乘以 7 等于多少？", PromptStyle.COMMAND, gate=0.7)
    turn.start()
    effect = turn.feed(wants(wrong))
    assert isinstance(effect, RunTools)
    assert effect.calls[0].arguments == {"expression": "6*7"}
    asked = machine("I have 6 boxes with 7 in each of them", PromptStyle.COMMAND, gate=0.7)
    asked.start()
    stop = asked.feed(wants(wrong))
    assert isinstance(stop, Stop) and stop.kind is OutcomeKind.NEEDS_YOU


def test_memory_is_not_searched_for_a_sum() -> None:
    turn = machine("对了，我对花生过敏，6乘7是多少？", PromptStyle.COMMAND, gate=0.7)
    turn.start()
    searched = ToolCall("1", "memory_search", {"query": "6乘7是多少"})
    assert turn.feed(wants(searched)) == RunTools((ToolCall("1", "calc", {"expression": "6*7"}),))


BEYOND = said("That is beyond my small built-in model. You can add a larger one.")


def respelling(text: str = "remidn me") -> TurnMachine:
    """A machine whose message has a slip; it asked for the words as they were typed."""
    turn = TurnMachine(
        TurnSetup(
            text,
            Language.ENGLISH,
            NOON,
            PromptStyle.COMMAND,
            0.7,
            respelled=Respelled("remind me", {"remind": "remidn"}),
        )
    )
    assert turn.start() == CallModel()
    return turn


def test_words_with_a_slip_are_read_again_without_it() -> None:
    listing = ToolCall("1", "reminder_list", {})
    turn = respelling()
    assert turn.feed(BEYOND) == CallModel("remind me")
    assert turn.feed(wants(listing)) == RunTools((listing,))


def test_the_surer_reading_counts_and_keeps_the_persons_spelling() -> None:
    unsure = ToolCall("1", "memory_store", {"text": "remidn me"}, confidence=0.5)
    sure = ToolCall("2", "memory_store", {"text": "remind me"}, confidence=0.9)
    turn = respelling()
    turn.feed(wants(unsure))
    assert turn.feed(wants(sure)) == RunTools((replace(sure, arguments={"text": "remidn me"}),))
    turn = respelling()
    turn.feed(wants(sure))
    assert turn.feed(wants(unsure)) == RunTools((sure,))


def test_an_answer_to_the_words_as_typed_stays_when_they_say_no_more_without_the_slip() -> None:
    turn = respelling()
    turn.feed(said("You are welcome."))
    effect = turn.feed(said("Hello."))
    assert isinstance(effect, Stop)
    assert effect.text == "You are welcome."
