"""find_tool in a run: what it finds can be called at once, and stays."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from moltbot_desktop.agent.found_tools import FoundTools
from moltbot_desktop.tools.find_tool import FindTool
from tests.fakes.chat_model import ScriptedChatModel, calls, says
from tests.fakes.talk import Talk
from tests.fakes.tools import FakeTool, spec


def test_what_was_found_is_called_in_the_same_run(tmp_path: Path) -> None:
    wanted = replace(spec("tide_table"), description="When the sea is high.", core=False)
    tide = FakeTool(wanted)
    found = FoundTools(lambda _: (wanted,))
    model = ScriptedChatModel(
        [
            calls("find_tool", {"words": "high sea"}),
            calls("tide_table", {"text": "today"}),
            says("At nine."),
            says("You are welcome."),
        ]
    )

    async def scenario() -> None:
        tools = (FakeTool(spec("note")), tide, FindTool(found.find))
        async with Talk(tmp_path, model, tools=tools, found=found) as talk:
            assert (await talk.say("when is the sea high?")).text == "At nine."
            await talk.say("thanks")

    asyncio.run(scenario())
    offered = [[tool.name for tool in request.tools] for request in model.requests]
    assert offered[0] == ["find_tool", "note"]
    assert all(names == ["note", "tide_table"] for names in offered[1:])
    assert len(tide.got) == 1
    assert '"tide_table"' in model.requests[1].messages[-1].content
