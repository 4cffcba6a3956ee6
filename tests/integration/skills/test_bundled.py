"""The bundled skills parse, fit the prompt, and their examples run with the real tools."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.tools import Tool, ToolContext, ToolInput
from moltbot_desktop.skills.discovery import Skill, SkillRoot, discover_skills
from moltbot_desktop.skills.frontmatter import parse_skill
from moltbot_desktop.skills.index import skills_prompt
from moltbot_desktop.tools.registry import ToolParts, core_tools
from tests.fakes.forgetting import FakeForgetting
from tests.fakes.memory import FakeMemory

FOLDER = Path(__file__).parents[3] / "skills"
SNAPSHOT = discover_skills([SkillRoot("bundled", FOLDER)])
CORE = frozenset(
    "memory_store memory_search memory_get reminder_add reminder_list read write find_files calc"
    .split()
)  # fmt: skip
OTHER_TOOLS = frozenset(
    "edit exec process browser cron message web_fetch web_search open screenshot weather_query "
    "reminder_cancel sessions_list image tts canvas nodes apply_patch".split()
)
SKILLS = pytest.mark.parametrize("skill", SNAPSHOT.skills, ids=lambda skill: skill.name)
LETTER = "王女士:\n\n谢谢您的来信。\n"


class NeverCancelled:
    cancelled = False


@pytest.fixture
def tools(tmp_path) -> Iterator[Mapping[str, Tool]]:
    clock = ManualClock(datetime(2026, 11, 21, 18, 0, tzinfo=UTC))
    reminders = ReminderStore(tmp_path / "state.sqlite", clock)
    memory = FakeMemory({"memory/2026-11-21.md": "x"})
    parts = ToolParts(memory, reminders, clock, FakeForgetting(memory))
    yield {tool.spec.name: tool for tool in core_tools(parts)}
    reminders.close()


@pytest.fixture
def context(tmp_path) -> ToolContext:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "letter.md").write_text(LETTER)
    return ToolContext(
        RunId("r"),
        SessionKey("agent:main:main"),
        workspace,
        "",
        Language.ENGLISH,
        NeverCancelled(),
    )


def instructions(skill: Skill) -> str:
    return parse_skill(skill.location.read_bytes()).instructions


def example_calls(text: str) -> list[tuple[str, dict[str, str]]]:
    """The calls in the code blocks of the section Example, which are written like Python."""
    example = text.partition("## Example")[2]
    blocks = re.findall(r"^```\n(.*?)^```", example, re.MULTILINE | re.DOTALL)
    calls = []
    for line in "".join(blocks).splitlines():
        call = ast.parse(line, mode="eval").body
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Name)
        assert call.args == []
        given = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        calls.append((call.func.id, given))
    return calls


def test_there_are_at_least_four_and_all_can_be_used():
    assert SNAPSHOT.problems == ()
    assert len(SNAPSHOT.skills) >= 4
    folders = {path.parent.name for path in FOLDER.glob("*/SKILL.md")}
    assert {skill.name for skill in SNAPSHOT.skills} == folders


@SKILLS
def test_a_skill_is_described_in_english_with_chinese_words(skill):
    assert re.search(r"[\u4e00-\u9fff]{2}", skill.description)
    assert re.match(r"[A-Z][a-z]", skill.description)
    assert len(skill.description) <= 80, "longer ones are cut when many skills are installed"
    assert skill.metadata["emoji"]


@SKILLS
def test_a_skill_is_short_enough_for_a_small_model(skill):
    assert len(instructions(skill)) <= 2_000


@SKILLS
def test_a_skill_names_only_tools_that_exist(skill):
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)*)`", instructions(skill)))
    named |= {name for name, _ in example_calls(instructions(skill))}
    assert not named & OTHER_TOOLS
    assert named & CORE
    unknown = {name for name in named if "_" in name} - CORE - {"next_offset"}
    assert not unknown


@SKILLS
def test_the_example_of_a_skill_runs_with_the_real_tools(skill, tools, context):
    calls = example_calls(instructions(skill))
    assert calls
    for name, given in calls:
        assert name in CORE
        jsonschema.validate(given, tools[name].spec.parameters)
        result = tools[name].run(ToolInput(given), context)
        missing = "file not found" in str(result.data.get("error"))
        assert result.ok or (name == "read" and missing), (name, given, result)


def test_the_examples_leave_what_they_promise(tools, context):
    for skill in SNAPSHOT.skills:
        for name, given in example_calls(instructions(skill)):
            tools[name].run(ToolInput(given), context)
    workspace = context.workspace
    assert "- [x] Call Anna" in (workspace / "todo.md").read_text()
    assert "Order mulch" in (workspace / "notes" / "garden-plan.md").read_text()
    assert "| 30 |" in (workspace / "expenses" / "2026-11.md").read_text()
    assert (workspace / "letter.md").read_text() == LETTER
    total = tools["calc"].run(ToolInput({"expression": "2 * 1.10 + 3.20"}), context)
    assert "5.4" in total.display
    assert "stamps" in tools["reminder_list"].run(ToolInput({}), context).display


def test_all_of_them_stand_in_the_prompt_unshortened():
    """With a usual installation path; the budget is what the program gives the section."""
    text = skills_prompt(SNAPSHOT, max_characters=1_300, user_home=Path.home())
    for skill in SNAPSHOT.skills:
        assert skill.name in text
        assert skill.description.replace("&", "&amp;") in text
