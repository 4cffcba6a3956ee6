"""A key that a model puts into a call reaches the tool and the card, and is kept nowhere."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.messages import Role
from moltbot_desktop.core.permissions import Term
from moltbot_desktop.sdk.models import GenerationRequest
from moltbot_desktop.sdk.tools import ToolInput, ToolResult
from moltbot_desktop.security.left_out import MARK
from moltbot_desktop.sessions.entries import AssistantEntry, ToolResultEntry
from moltbot_desktop.sessions.export import markdown_of
from tests.fakes.chat_model import ScriptedChatModel, ScriptedTurn, calls, says
from tests.fakes.injection.house import House, house
from tests.fakes.talk import Talk
from tests.fakes.tools import FakeTool, spec

# Put together here, so that no scanner of this repository takes it for a real one.
KEY = "sk-proj-" + "Hq9vQxk2JdW7" * 3
PART = KEY[10:24]


def _echo(given: ToolInput) -> ToolResult:
    text = given.text("text")
    return ToolResult({"said": [text]}, f"It said {text[:70]}… and {text}")


def _told(request: GenerationRequest, role: Role) -> str:
    messages = [one for one in request.messages if one.role is role]
    calls_of = [dict(call.arguments) for one in messages for call in one.tool_calls]
    return f"{[one.content for one in messages]} {calls_of}"


def _model(*more: ScriptedTurn) -> ScriptedChatModel:
    return ScriptedChatModel([calls("note", {"text": f"use {KEY}"}), says("Done."), *more])


def test_the_tool_has_the_key_and_the_transcript_a_mark(tmp_path: Path) -> None:
    async def play() -> None:
        model, tool = _model(), FakeTool(spec("note"), _echo)
        async with Talk(tmp_path, model, (tool,)) as talk:
            await talk.say("Use it.")
            entries = talk.session.transcript.entries()
            kept = talk.session.transcript.path.read_text("utf-8")
            exported = markdown_of(entries, "", Language.ENGLISH)
        assert [given["text"] for given, _ in tool.got] == [f"use {KEY}"]
        assert PART not in kept
        assert PART not in exported and MARK in exported
        made = [
            one for one in entries if isinstance(one, AssistantEntry) and one.message.tool_calls
        ]
        assert [dict(one.message.tool_calls[0].arguments) for one in made] == [
            {"text": f"use {MARK}"}
        ]
        (result,) = [one for one in entries if isinstance(one, ToolResultEntry)]
        assert PART not in result.message.content and MARK in result.message.content
        assert result.display == f"It said use {MARK}… and use {MARK}"

    asyncio.run(play())


def test_a_later_turn_sees_the_mark_before_and_after_a_restart(
    tmp_path: Path,
) -> None:
    async def play() -> None:
        model, tool = _model(says("Tea."), says("Tea.")), FakeTool(spec("note"), _echo)
        async with Talk(tmp_path, model, (tool,)) as talk:
            await talk.say("Use it.")
            await talk.say("And now?")
        again = ScriptedChatModel([says("Tea.")])
        # The last turn is asked again by a program that has only the file.
        path = talk.session.transcript.path
        lines = path.read_text("utf-8").splitlines(keepends=True)
        asked = max(n for n, line in enumerate(lines) if '"role":"user"' in line.replace(" ", ""))
        path.write_text("".join(lines[:asked]), "utf-8")
        async with Talk(tmp_path, again, (tool,)) as talk:
            await talk.say("And now?")
        running, later = model.requests[1], model.requests[2]
        assert KEY in _told(running, Role.ASSISTANT)
        assert PART not in _told(running, Role.TOOL)
        assert PART not in _told(later, Role.ASSISTANT) and MARK in _told(later, Role.ASSISTANT)
        assert again.requests[0].messages == later.messages

    asyncio.run(play())


def test_what_the_model_says_along_with_the_call_is_kept_without_its_key(
    tmp_path: Path,
) -> None:
    async def play() -> None:
        along = ScriptedTurn(
            (*says(f"I use {KEY}.", thinking=f"{KEY}?").events, *_model().script[0].events)
        )
        tool = FakeTool(spec("note"), _echo)
        async with Talk(tmp_path, ScriptedChatModel([along, says("Done.")]), (tool,)) as talk:
            await talk.say("Use it.")
            kept = talk.session.transcript.path.read_text("utf-8")
        assert PART not in kept
        assert f"I use {MARK}." in kept

    asyncio.run(play())


def _holds(root: Path, words: str) -> list[str]:
    found = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    return [str(path.relative_to(root)) for path in found if words.encode() in path.read_bytes()]


CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("exec", {"command": f"printf %s {KEY}"}),
    ("exec", {"command": f"curl --silent -H 'Authorization: Bearer {KEY}' https://a.example/"}),
    ("exec", {"command": f"mkdir -p {'plans/' * 14}{KEY}/{KEY}"}),
    ("find_files", {"pattern": KEY}),
    ("read", {"path": f"{KEY}.txt"}),
    ("memory_search", {"query": KEY}),
    ("web_fetch", {"url": f"https://a.example/?key={KEY}"}),
    ("no_such_tool", {"key": KEY}),
    ("open", {"target": f"https://a.example/{KEY}"}),
    ("reminder_list", {KEY: 1}),
)


@pytest.mark.skipif(sys.platform == "win32", reason="the house has a pipe")
@pytest.mark.expect_log
@pytest.mark.parametrize("yes", [False, True])
def test_no_key_of_a_call_lies_in_the_whole_state_folder(tmp_path: Path, yes: bool) -> None:
    async def play() -> None:
        async with house(tmp_path / "home") as home:
            await _say_all(home, yes)
            wanted = set(home.model.wished)
            asked = [one for one in home.cards if KEY in str(dict(one.arguments))]
            offered = {term for one in asked for term in one.offer.terms}
        assert wanted == {tool for tool, _ in CALLS}
        assert asked, "the card shows what will be done, with the key"
        assert offered <= {Term.ONCE, Term.RUN}, "a longer yes would keep its words"
        state = tmp_path / "home" / ".moltbot"
        assert _holds(state, MARK), "the calls were kept"
        assert _holds(state, PART) == []

    asyncio.run(play())


async def _say_all(home: House, yes: bool) -> None:
    await home.begin()
    home.yes = lambda _: yes and _.tool == "exec"
    for one in CALLS:
        await home.say(f"please {home.wish(one)}")
    await home.quiet()
