"""What the assistant does about skills: a new one is told, waits, and is listed after a word."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest

from moltbot_desktop.app.clock import SystemClock
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_skills import PluginSkills
from moltbot_desktop.app.skills_setup import (
    Heard,
    WaitingNews,
    follow_skills,
    lent_waiting,
    open_skills,
    waiting_notices,
)
from moltbot_desktop.app.workspace_prompt import PromptSources, WorkspacePrompt
from moltbot_desktop.config.sections import check_part
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.gateway.client import Notice
from moltbot_desktop.plugins.discovery import FoundPlugin, Origin, found_plugin
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sessions.store import Session
from moltbot_desktop.skills.book import SkillBook
from moltbot_desktop.skills.discovery import WORKSPACE
from tests.fakes.chat_model import ScriptedChatModel, says
from tests.fakes.memory import FakeMemory
from tests.fakes.plugins import make_plugin
from tests.fakes.talk import Talk
from tests.fakes.workspace_prompt import session_of

T = TypeVar("T")
CLOCK = ManualClock(datetime.now(UTC) + timedelta(days=1))


async def at_once(call: Callable[[], T]) -> T:
    return call()


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    home = tmp_path / "home"
    home.mkdir()
    return Paths(home, tmp_path, tmp_path / "program")


def configured(raw: JsonObject) -> Config:
    return Config().with_parts({"skills": check_part("skills", raw, {}).value}, raw)


def book_of(paths: Paths, raw: JsonObject | None = None) -> SkillBook:
    config = configured(raw or {})
    workspace = paths.home / "workspace"
    return open_skills(paths, workspace, "main", lambda: config, CLOCK, Language.ENGLISH)


def put(folder: Path, name: str, text: str = "Helps.", body: str = "Do it.") -> Path:
    path = folder / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nname: {name}\ndescription: {text}\n---\n{body}\n")
    return path


def say_yes(book: SkillBook, name: str) -> None:
    standing = book.view().standing(name)
    assert standing is not None
    book.trust.trust(standing.skill, Language.ENGLISH)


def test_settings_are_met_as_they_stand(paths: Paths, tmp_path: Path) -> None:
    put(paths.bundled_skills, "ours")
    put(paths.bundled_skills, "theirs")
    put(tmp_path / "extra", "ours", "Weaker than the bundled one.")
    put(tmp_path / "extra", "more")
    book = book_of(
        paths,
        {"skills": {"allowBundled": ["ours"], "load": {"extraDirs": [str(tmp_path / "extra")]}}},
    )
    assert [one.name for one in book.view().usable] == ["ours"]
    assert book.view().usable[0].description == "Helps."
    assert [one.skill.name for one in book.view().waiting] == ["more"]


@pytest.mark.parametrize(("written", "usable"), [(None, []), (True, ["web"]), (False, [])])
def test_what_needs_the_browser_is_there_when_the_browser_is(
    paths: Paths, written: bool | None, usable: list[str]
) -> None:
    """It is off here until it is switched on, where the reference has it on."""
    needs = '{"requires": {"config": ["browser.enabled"]}}'
    path = put(paths.bundled_skills, "web")
    path.write_text(
        f'---\nname: web\ndescription: x\nmetadata: {{"moltbot": {needs}}}\n---\nDo it.\n'
    )
    raw: JsonObject = {} if written is None else {"browser": {"enabled": written}}
    config = Config().with_parts({"browser": check_part("browser", raw, {}).value}, raw)
    workspace = paths.home / "workspace"
    book = open_skills(paths, workspace, "main", lambda: config, CLOCK, Language.ENGLISH)
    assert [one.name for one in book.view().usable] == usable


def test_who_waits_is_told_with_what_to_type(paths: Paths) -> None:
    put(paths.managed_skills, "one")
    book = book_of(paths)
    notice = waiting_notices(book.view().waiting, Language.ENGLISH)[0]
    assert "“one”" in notice.text
    assert "/skill trust one" in notice.hint
    put(paths.managed_skills, "two")
    (both,) = waiting_notices(book.view().waiting, Language.CHINESE)
    assert "one、two" in both.text
    assert waiting_notices((), Language.ENGLISH) == []


def test_many_that_wait_are_named_as_people_count(paths: Paths) -> None:
    for number in (1, 2, 9, 10, 11, 12):
        put(paths.managed_skills, f"box-{number}")
    (told,) = waiting_notices(book_of(paths).view().waiting, Language.ENGLISH)
    assert "box-1, box-2, box-9, box-10, box-11, …" in told.text


def test_a_skill_that_comes_while_it_runs_is_told_once(paths: Paths) -> None:
    put(paths.managed_skills, "old")
    config = configured({"skills": {"load": {"watchDebounceMs": 20}}})
    clock = SystemClock()
    book = open_skills(paths, paths.home / "w", "main", lambda: config, clock, Language.ENGLISH)
    told: list[Notice] = []

    async def scene() -> None:
        looked = asyncio.Event()

        async def in_thread(call: Callable[[], T]) -> T:
            found = await asyncio.to_thread(call)
            looked.set()
            return found

        heard = Heard(in_thread, told.append, Language.ENGLISH, PluginSkills().on_change)
        following = asyncio.create_task(follow_skills(book, clock, config.skills, heard))
        await looked.wait()
        assert told == []
        put(paths.managed_skills, "new")
        while not told:
            await asyncio.sleep(0.01)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    asyncio.run(asyncio.wait_for(scene(), 30))
    assert "“new”" in told[0].text
    assert len(told) == 1


# ------------------------------------------------------------------- skills of plugins


def a_plugin(folder: Path) -> FoundPlugin:
    make_plugin(folder, "gardener", skills=["skills", "more"])
    return found_plugin(folder / "gardener", Origin.OWN, Language.ENGLISH)


def test_the_skills_of_a_plugin_come_and_go_with_it(paths: Paths, tmp_path: Path) -> None:
    plugin = a_plugin(tmp_path / "extensions")
    put(plugin.folder / "skills", "prune")
    put(plugin.folder / "skills", "ours", "Weaker than the bundled one.")
    put(paths.bundled_skills, "ours")
    lent, config = PluginSkills(), configured({})
    workspace = paths.home / "workspace"
    book = open_skills(
        paths, workspace, "main", lambda: config, CLOCK, Language.ENGLISH, lent.roots
    )
    assert [one.name for one in book.view().usable] == ["ours"]
    book.watched(book.roots)
    take_away = lent.add(plugin)
    assert book.unchanged() is None, "the watch lies on other folders"
    assert [one.skill.name for one in book.view().waiting] == ["prune"]
    assert "“prune”" in lent_waiting(book.view(), Language.ENGLISH)[0].text
    say_yes(book, "prune")
    assert [one.name for one in book.view().usable] == ["ours", "prune"]
    assert book.view().usable[0].description == "Helps."
    take_away()
    assert [one.name for one in book.view().usable] == ["ours"]


def test_the_folders_of_a_plugin_are_watched_from_when_it_comes(
    paths: Paths, tmp_path: Path
) -> None:
    plugin = a_plugin(tmp_path / "extensions")
    lent = PluginSkills()
    config = configured({"skills": {"load": {"watchDebounceMs": 20}}})
    clock, home = SystemClock(), paths.home / "w"
    book = open_skills(paths, home, "main", lambda: config, clock, Language.CHINESE, lent.roots)
    told: list[Notice] = []

    async def scene() -> None:
        heard = Heard(asyncio.to_thread, told.append, Language.CHINESE, lent.on_change)
        following = asyncio.create_task(follow_skills(book, clock, config.skills, heard))
        while book.unchanged() is None:
            await asyncio.sleep(0.01)
            await asyncio.to_thread(book.view)
        lent.add(plugin)
        assert book.unchanged() is None
        while book.unchanged() is None:
            await asyncio.sleep(0.01)
            await asyncio.to_thread(book.view)
        put(plugin.folder / "more", "weed")
        while not told:
            await asyncio.sleep(0.01)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)

    asyncio.run(asyncio.wait_for(scene(), 30))
    assert "“weed”" in told[0].text


def test_of_another_agent_only_its_own_skills_are_told(paths: Paths) -> None:
    put(paths.managed_skills, "everybody")
    put(paths.home / "workspace" / "skills", "mine")
    view = book_of(paths).view()
    assert [one.skill.name for one in WaitingNews(frozenset({WORKSPACE})).of(view)] == ["mine"]
    assert len(WaitingNews().of(view)) == 2


def test_a_skill_that_was_away_for_a_moment_is_no_news(paths: Paths, tmp_path: Path) -> None:
    plugin = a_plugin(tmp_path / "extensions")
    put(plugin.folder / "skills", "prune")
    lent, config, news = PluginSkills(), configured({}), WaitingNews()
    workspace = paths.home / "workspace"
    book = open_skills(
        paths, workspace, "main", lambda: config, CLOCK, Language.ENGLISH, lent.roots
    )
    take_away = lent.add(plugin)
    assert len(news.of(book.view())) == 1
    take_away()
    assert news.of(book.view()) == ()
    lent.add(plugin)
    assert news.of(book.view()) == (), "its plugin was renewed, nothing else"
    put(plugin.folder / "skills", "prune", body="Do it twice.")
    assert len(news.of(book.view())) == 1


# ------------------------------------------------------------------- the prompt


def prompts_of(paths: Paths, book: SkillBook) -> WorkspacePrompt:
    workspace = paths.home / "workspace"
    workspace.mkdir(exist_ok=True)
    sources = PromptSources(
        paths,
        workspace,
        FakeMemory({}),
        CLOCK,
        InternalHooks(),
        lambda: 8_192,
        20_000,
        lambda _: book.view().usable,
        at_once,
    )
    return WorkspacePrompt(sources)


@pytest.fixture
def persona(paths: Paths) -> None:
    (paths.resources / "prompts").mkdir(parents=True)
    (paths.resources / "prompts" / "persona.md").write_text("You help.")


def listed(prompts: WorkspacePrompt, session: Session) -> str:
    return next((one.text for one in prompts.frozen(session) if one.name == "skills"), "")


@pytest.mark.usefixtures("persona")
def test_the_list_changes_at_the_next_turn_and_only_when_it_says_something_else(
    paths: Paths,
) -> None:
    skills = paths.home / "workspace" / "skills"
    put(skills, "mine")
    book = book_of(paths)
    prompts, session = prompts_of(paths, book), session_of(paths.home)
    asyncio.run(prompts.prepare(session))
    assert listed(prompts, session) == ""
    before = prompts.mark(session)
    say_yes(book, "mine")
    assert prompts.mark(session) == before  # not in the middle of a run
    asyncio.run(prompts.prepare(session))
    assert prompts.mark(session) != before
    assert "mine: Helps." in listed(prompts, session)

    before = prompts.mark(session)
    put(skills, "mine", body="Do it twice.")
    say_yes(book, "mine")
    asyncio.run(prompts.prepare(session))
    assert prompts.mark(session) == before  # only its instructions are others
    put(skills, "mine", "Helps with more.")
    asyncio.run(prompts.prepare(session))
    assert listed(prompts, session) == ""  # changed: it waits again


@pytest.mark.usefixtures("persona")
def test_the_prefix_of_a_conversation_changes_once_when_a_skill_does(paths: Paths) -> None:
    skills = paths.home / "workspace" / "skills"
    put(skills, "mine")
    book = book_of(paths)
    say_yes(book, "mine")
    prompts = prompts_of(paths, book)
    model = ScriptedChatModel([says(str(number)) for number in range(4)])

    async def scenario() -> None:
        async with Talk(paths.home, model, prompts=prompts) as talk:
            await talk.say("one")
            (paths.home / "workspace" / "AGENTS.md").write_text("Be brief.")
            put(skills, "mine", body="Do it twice.")
            say_yes(book, "mine")
            await talk.say("two")  # other instructions; the same line in the list
            put(paths.bundled_skills, "new", "Another one.")
            await talk.say("three")
            await talk.say("four")

    asyncio.run(scenario())
    systems = [request.messages[0].content for request in model.requests]
    assert systems[0] == systems[1]
    assert "new: Another one." in systems[2]
    assert systems[2] == systems[3]
