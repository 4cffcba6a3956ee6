"""What is set for a message, a conversation or everybody reaches the run, in that order."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.agent.run_settings import RunSettings, of_conversation
from moltbot_desktop.core.events import AssistantDelta
from moltbot_desktop.sessions.settings import SessionSettings
from tests.fakes.chat_model import ScriptedChatModel, says
from tests.fakes.talk import MAIN, Talk


def test_the_message_comes_before_the_conversation_and_that_before_all(tmp_path: Path) -> None:
    async def scenario() -> tuple[ScriptedChatModel, list[str]]:
        model = ScriptedChatModel([says(word) for word in "one two three four".split()])
        async with Talk(tmp_path, model, usual=RunSettings(think="low")) as talk:
            await talk.say("first")
            talk.store.change_settings(
                MAIN, lambda old: replace(old, think="high", model="big", model_provider="lab")
            )
            await talk.say("second")
            await talk.say("third", settings=RunSettings(think="off", model="small"))
            await talk.say("fourth", settings=RunSettings(model="Default"))
            return model, talk.lent

    model, lent = asyncio.run(scenario())
    assert [request.thinking for request in model.requests] == ["low", "high", "off", "high"]
    assert lent == ["", "lab/big", "small", ""]


def test_reasoning_is_kept_back_only_where_it_was_switched_off(tmp_path: Path) -> None:
    async def scenario(settings: RunSettings) -> str:
        model = ScriptedChatModel([says("Blue.", thinking="Hm, a colour.")])
        async with Talk(tmp_path, model) as talk:
            outcome = await talk.say("Which?", settings=settings)
            assert outcome.text == "Blue."
            told = [one for one in talk.events if isinstance(one, AssistantDelta)]
        return "".join(one.text for one in told if one.thinking)

    assert asyncio.run(scenario(RunSettings())) == "Hm, a colour."
    assert asyncio.run(scenario(RunSettings(reasoning="off"))) == ""


def test_that_the_owner_stopped_the_last_answer_is_told_once_and_not_in_their_words(
    tmp_path: Path,
) -> None:
    async def scenario() -> ScriptedChatModel:
        model = ScriptedChatModel([says("one"), says("two")])
        async with Talk(tmp_path, model) as talk:
            talk.store.change_settings(MAIN, lambda old: replace(old, aborted_last_run=True))
            await talk.say("So?")
            assert not talk.store.settings(MAIN).aborted_last_run
            await talk.say("And now?")
            assert talk.session.transcript.messages()[0].content == "So?"
        return model

    first, second = (request.messages for request in asyncio.run(scenario()).requests)
    assert "stopped the answer" in first[-1].content
    assert "stopped" not in "".join(one.content for one in second)


def test_a_provider_and_its_model_make_one_name() -> None:
    kept = SessionSettings(model_provider="lab", model="org/big", verbose="full")
    assert of_conversation(kept) == RunSettings(verbose="full", model="lab/org/big")
