"""What a conversation shows a model: the owner's memories alone, and a beginning that stays."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from moltbot_desktop.core.messages import Role
from moltbot_desktop.sdk.memory import SearchAnswer
from tests.fakes.chat_model import says
from tests.fakes.memory import FakeMemory
from tests.integration.gateway.test_front_desk import FULL, Assistant, play


class MarkedMemory(FakeMemory):
    """All of it was written while a stranger's text was in the conversation."""

    def search(self, query: str, *, max_results: int = 6, max_characters: int = 0) -> SearchAnswer:
        found = super().search(query, max_results=max_results, max_characters=max_characters)
        return SearchAnswer(tuple(replace(hit, mark="web") for hit in found.hits), found.note)


def test_own_memories_are_brought_up_and_make_the_conversation_private(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = FakeMemory({"MEMORY.md": "the dentist is Dr. Okafor"})
        async with Assistant(tmp_path, [says("hm")], memory=memory) as assistant:
            await assistant.say("dentist")
            assert "Okafor" in assistant.model.requests[0].messages[-1].content
            labels = assistant.desk.session.transcript.labels()
            assert labels == {"untrusted": False, "private": True}

    play(scenario)


def test_what_a_stranger_may_have_written_is_not_brought_up_unasked(tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = MarkedMemory({"MEMORY.md": "the dentist is Dr. Evil"})
        async with Assistant(tmp_path, [says("hm")], memory=memory) as assistant:
            await assistant.say("dentist")
            assert "Evil" not in assistant.model.requests[0].messages[-1].content
            assert assistant.desk.session.transcript.labels() == {}

    play(scenario)


def test_a_full_window_is_cut_seldom_so_that_little_is_read_again(tmp_path: Path) -> None:
    turns = 60

    async def scenario() -> list[str]:
        info = replace(FULL, context_tokens=1_200)
        script = [says(f"answer {number} " + "word " * 12) for number in range(turns)]
        async with Assistant(tmp_path, script, info) as assistant:
            for number in range(turns):
                await assistant.say(f"question {number} " + "more " * 8)
            return [
                next(m.content for m in request.messages if m.role is Role.USER)
                for request in assistant.model.requests
            ]

    beginnings = play(scenario)
    assert len(beginnings) == turns
    moves = sum(one != other for one, other in pairwise(beginnings))
    assert 1 <= moves <= turns // 5
