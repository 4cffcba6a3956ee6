"""A conversation whose settings name its skills has those: in its prompt and as commands.

The whole assistant runs, with a model that shows what it was shown.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.room_skills import skills_named, usable_in
from moltbot_desktop.app.skills_setup import open_skills
from moltbot_desktop.app.workspace_prompt import PromptSources, WorkspacePrompt
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.client import ClientEvent, Notice
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.skills.discovery import Skill
from tests.fakes.memory import FakeMemory
from tests.fakes.obedient import obedient, socket_of
from tests.fakes.workspace_prompt import CLOCK, session_of

T = TypeVar("T")
OWN, NONE, WRONG, OTHER = (f"agent:main:pigeon:group:{one}" for one in ("own", "none", "slip", "x"))
SETTINGS: dict[str, object] = {
    "channels": {
        "pigeon": {
            "groups": {
                "own": {"skills": ["notes", "recipes"]},
                "none": {"skills": []},
                "slip": {"skills": "notes"},
            }
        }
    }
}


async def at_once(call: Callable[[], T]) -> T:
    return call()


def listed(system: str) -> set[str]:
    inside = system.partition("<available_skills>")[2].partition("</available_skills>")[0]
    lines = (line for line in inside.splitlines() if line and not line.startswith("<"))
    return {line.partition(":")[0] for line in lines}


def test_a_run_has_the_skills_of_its_conversation_and_no_others(tmp_path: Path) -> None:
    told: list[ClientEvent] = []

    async def scene() -> None:
        home = tmp_path / ".moltbot"
        with obedient() as models:
            async with asyncio.timeout(60), socket_of(home, SETTINGS, told) as ask:
                seen: dict[str, set[str]] = {}
                for key in (OWN, NONE, WRONG, OTHER, "agent:main:main", OWN):
                    await ask(key, "hello")
                    seen[key] = listed(models["obedient"].system)
                assert seen[OWN] == {"notes", "recipes"}
                assert seen[NONE] == seen[WRONG] == set()
                assert seen[OTHER] == seen["agent:main:main"] > {"notes", "recipes", "todo"}

                assert "leave it out" in await ask(OWN, "/skill todo buy milk")
                assert "leave it out" in await ask(NONE, "/todo buy milk")
                asked = len(models["obedient"].requests)
                assert "leave it out" not in await ask(OTHER, "/todo buy milk")
                assert len(models["obedient"].requests) == asked + 1
                known = json.loads(await ask(OWN, "/skill"))
                assert "todo" not in str(known) and "recipes" in str(known)

    asyncio.run(scene())
    said = [one.text for one in told if isinstance(one, Notice)]
    assert [one for one in said if "channels.pigeon" in one] == [
        "channels.pigeon.groups.slip.skills is no list of skill names, "
        "so no skill can be used there."
    ]


@pytest.mark.parametrize(("key", "left_out"), [("agent:main:main", True), (OWN, False)])
def test_others_are_to_be_found_only_where_the_conversation_may_use_them(
    tmp_path: Path, key: str, left_out: bool
) -> None:
    """`find_tool` looks for skills by this word; it is each conversation's own."""
    paths = Paths(tmp_path / "home", tmp_path, tmp_path / "program")
    (paths.resources / "prompts").mkdir(parents=True)
    for text in ("persona", "group"):
        (paths.resources / "prompts" / f"{text}.md").write_text("You help.")
    for name in (*(f"skill-number-{one}" for one in range(200)), "notes"):
        folder = paths.bundled_skills / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Helps.\n---\nDo it.\n")
    workspace = paths.home / "workspace"
    workspace.mkdir(parents=True)
    raw: JsonObject = json.loads(json.dumps(SETTINGS))
    book = open_skills(paths, workspace, "main", Config, CLOCK, Language.ENGLISH)

    def usable(session: SessionKey) -> tuple[Skill, ...]:
        return tuple(usable_in(book.view().usable, skills_named(raw, session)))

    hooks, memory = InternalHooks(), FakeMemory({})
    prompts = WorkspacePrompt(
        PromptSources(
            paths, workspace, memory, CLOCK, hooks, lambda: 8_192, 20_000, usable, at_once
        )
    )

    async def scene() -> None:
        for number, session in enumerate(("agent:main:main", OWN)):
            folder = tmp_path / str(number)
            folder.mkdir()
            await prompts.prepare(session_of(folder, session))

    asyncio.run(scene())
    assert prompts.leaves_skills_out(SessionKey(key)) is left_out
