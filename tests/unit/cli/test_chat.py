"""One line in, one answer out, also where a command sets an answer going."""

from __future__ import annotations

import asyncio
import io
import json

import pytest

from moltbot_desktop.cli.chat import ChatSession
from moltbot_desktop.cli.console import Console, JsonConsole, PlainConsole
from moltbot_desktop.core.events import RunEnded
from moltbot_desktop.core.ids import RunId
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.client import ClientEvent
from tests.fakes.assistant_client import SESSION, FakeAssistantClient


def ended(run_id: str, text: str, then: str = "") -> RunEnded:
    return RunEnded(RunId(run_id), SESSION, 2, RunOutcome(OutcomeKind.ANSWERED, text), RunId(then))


def talked(console: Console, *events: ClientEvent) -> list[str]:
    """What was sent when the lines "/regenerate" and "next" were typed and those things happened,
    one each time the terminal had nothing to do."""

    async def scenario() -> list[str]:
        client = FakeAssistantClient(answers={"next": "Next."})
        lines = iter(["/regenerate", "next", None])

        async def read_line() -> str | None:
            return next(lines)

        async def happen() -> None:
            for event in events:
                for _ in range(5):
                    await asyncio.sleep(0)
                assert client.sent == ["/regenerate"]
                client.listeners[0](event)

        talking = asyncio.gather(ChatSession(client, console, read_line).run(), happen())
        await asyncio.wait_for(talking, 10)
        return client.sent

    return asyncio.run(scenario())


@pytest.mark.parametrize("as_json", [False, True])
def test_the_next_line_waits_for_the_answer_that_a_command_set_going(as_json: bool) -> None:
    out = io.StringIO()
    console = JsonConsole(out, io.StringIO()) if as_json else PlainConsole(out, io.StringIO())
    sent = talked(console, ended("run-1", "Once more.", "run-1-first"), ended("run-1-first", "4"))
    assert sent == ["/regenerate", "next"]
    told = out.getvalue().splitlines()
    if as_json:
        assert [json.loads(line)["text"] for line in told] == ["4", "Next."]
    else:
        assert told == ["Once more.", "4", "Next."]
