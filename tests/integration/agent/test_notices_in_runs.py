"""What happened meanwhile is told with the next prompt, and once it was answered no more."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.schedule.database import ScheduleDatabase
from moltbot_desktop.schedule.notices import NewNotice, Notices
from tests.fakes.chat_model import ScriptedChatModel, says
from tests.fakes.talk import MAIN, Talk


def test_a_notice_is_told_once_and_never_as_the_owners_words(tmp_path: Path) -> None:
    async def scenario() -> ScriptedChatModel:
        model = ScriptedChatModel([says("one"), says("two")])
        clock = ManualClock(datetime(2026, 1, 5, 12, 0, tzinfo=UTC))
        database = ScheduleDatabase(tmp_path / "cron" / "jobs.sqlite", clock)
        notices = Notices(database)
        notices.add(NewNotice(MAIN, "The backup has finished."))
        notices.add(NewNotice("agent:main:other", "Not for here."))
        async with Talk(tmp_path, model, notices=notices) as talk:
            await talk.say("Anything new?")
            assert notices.waiting(MAIN) == ()
            await talk.say("And now?")
            assert talk.session.transcript.messages()[0].content == "Anything new?"
        assert len(notices.waiting("agent:main:other")) == 1
        database.close()
        return model

    first, second = (request.messages for request in asyncio.run(scenario()).requests)
    assert "The backup has finished." in first[-1].content
    assert "Not for here" not in first[-1].content
    assert "backup" not in "".join(message.content for message in second)
