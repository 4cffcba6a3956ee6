"""The bundled skills parse, fit the prompt, and what they tell a model to run has the effect that
they promise: through the real dispatcher and its verdicts, in an empty home."""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.found_tools import FoundTools
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.app.web_setup import WEB_EFFECTS
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.ids import ApprovalId
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.permissions import Offer
from moltbot_desktop.schedule.store import ReminderStore
from moltbot_desktop.sdk.tools import Effect, ToolResult, ToolSpec
from moltbot_desktop.security.approvals import Answer, Approvals
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.skills.discovery import Skill, SkillRoot, discover_skills
from moltbot_desktop.skills.frontmatter import parse_skill
from moltbot_desktop.skills.index import skills_characters, skills_section
from moltbot_desktop.storage.scratch_table import ScratchTable
from moltbot_desktop.tools.clipboard import ClipboardTool
from moltbot_desktop.tools.find_tool import FindTool
from moltbot_desktop.tools.registry import ToolParts, core_tools
from tests.fakes.clipboard import HeldClipboard
from tests.fakes.documents import pdf
from tests.fakes.forgetting import FakeForgetting
from tests.fakes.memory import FakeMemory
from tests.fakes.tool_context import tool_context
from tests.fakes.tools import FakeTool

FOLDER = Path(__file__).parents[3] / "skills"
SNAPSHOT = discover_skills([SkillRoot("bundled", FOLDER)])
SKILLS = pytest.mark.parametrize("skill", SNAPSHOT.skills, ids=lambda skill: skill.name)
NOT_OURS_TO_RUN = frozenset({"weather", "git-helper"})
"""The first one's tool belongs to a plugin, whose own tests run it; the other's commands are run
where commands are: `tests/integration/tools/exec/test_git_helper.py`."""
NO_TOOL = frozenset({"next_offset"})
"""Words in a skill's code that look like a tool: what a result calls something."""
PROMPT_BUDGET = skills_characters(8_192)
"""Characters that a small window has for the list of skills (app.workspace_prompt)."""


@dataclass(frozen=True)
class Promise:
    """What a skill's example starts from and leaves: files, and what its last calls answer."""

    leaves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    finds: Mapping[str, bytes] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    """Words that the person reads in the results, in this order."""
    asks: tuple[str, ...] = ()
    """Tools that need the owner's yes, because what was read came from others."""


LETTER = "王女士:\n\n谢谢您的来信。\n".encode()
COPIED = HeldClipboard(LETTER.decode())
PICTURE = "screenshots/2026-11-21_18-00-00.png"
SCREEN = FakeTool(
    ToolSpec("screenshot", "A picture of the screen.", {"type": "object"}, Effect.SCREENSHOT),
    lambda _: ToolResult({"path": PICTURE}, f"Kept as {PICTURE}.", private=True),
)
LEASE = pdf("Lease of 1 December 2026\nThe rent is 900 a month.", "Notice: three months.")
FLOOD = "<title>Flood</title><nav>Home</nav><p>The river rose.</p><p>The school stays open.</p>"
BANK = "day,kind,amount\n2026-10-30,rent,-900\n2026-11-02,food,-12.50\n2026-11-09,food,-7.5\n"
PROMISES = {
    "birthdays": Promise(
        {"birthdays.md": ("- 05-03 Anna (1990)",)}, answers=("3 May 2027 at 09:00", "37")
    ),
    "clipboard-helper": Promise(
        answers=("clipboard", "谢谢您的来信", "on the clipboard (42"), asks=("clipboard",) * 2
    ),
    "screenshot-to-notes": Promise(
        {"screens.md": (f"![]({PICTURE})",)}, answers=(PICTURE,), asks=("screenshot",)
    ),
    "csv-questions": Promise(
        {"bank.csv": (BANK,)},
        {"bank.csv": BANK.encode()},
        answers=("table_query", "3 rows", "food: -20", "| 2026-10 | -900 |"),
    ),
    "document-text": Promise(
        {"lease.md": ("(page 2)",)},
        {"lease.pdf": LEASE},
        answers=("lease.pdf", "rent is 900", "[page 2]"),
        asks=("write",),
    ),
    "file-tidy-up": Promise(
        {"scan-rent-november.txt": ("900",), "tidied.md": ("→ bills/",)},
        {"scan-rent-november.txt": b"900"},
        answers=("scan-rent-november.txt", "move_file", "is now bills/", "is now scan-"),
    ),
    "habits": Promise(
        {"habits.csv": ("2026-11-21,running,5",)},
        {"habits.csv": b"day,habit,amount\n2026-11-20,running,4\n"},
        answers=("2026-11-20,running,4", "| 2 | 9 |"),
    ),
    "web-page-reader": Promise(
        {"clips/flood.md": ("From: flood.html",)},
        {"flood.html": FLOOD.encode()},
        answers=("flood.html", "The school stays open."),
        asks=("write",),
    ),
    "daily-review": Promise(
        finds={"todo.md": b"- [ ] Buy stamps\n", "memory/2026-11-21.md": b"- lunch with Anna\n"},
        answers=("lunch with Anna", "Buy stamps", "no reminders", "tomorrow, Sunday"),
    ),
    "expenses": Promise(
        {"expenses/2026-11.md": ("| 12.50 |", "| 30 |")}, answers=("| 42.5 | 2 |",)
    ),
    "flashcards": Promise(
        {"cards/french.md": ("- [2] to eat = manger", "- [1] dog = chien")},
        answers=("no file", "[1] to eat"),
    ),
    "journal": Promise(
        {"journal/2026-11-21.md": ("## 18:00", "Mood: happy")},
        answers=("journal/2026-11-21.md", "river with Anna"),
    ),
    "meeting-notes": Promise(
        {"meetings/2026-11-21-budget.md": ("- [ ] Anna: send the contract", "- [ ] ?:")},
        answers=("Friday 27 November at 09:00",),
    ),
    "notes": Promise({"notes/garden-plan.md": ("Plant garlic", "Order mulch")}),
    "packing-list": Promise(
        {"packing/oslo.md": ("- [x] passport", "- [ ] 6 pairs of socks")}, answers=("6",)
    ),
    "reading-list": Promise({"reading.md": ("- 三体 (2026-11-21, ★★★★★)",)}),
    "recipes": Promise({"recipes/pancakes.md": ("Serves: 4", "- 200 g flour")}, answers=("300",)),
    "shopping-list": Promise({"shopping.md": ("- 2 milk (1.10)",)}, answers=("5.4",)),
    "todo": Promise(
        {"todo.md": ("- [x] Call Anna", "- [ ] Buy stamps")}, answers=("09:00: buy stamps",)
    ),
    "translate": Promise(
        {"letter.md": (LETTER.decode(),), "letter.en.md": ("Dear Ms Wang",)},
        {"letter.md": LETTER},
        answers=("letter.md", "谢谢您的来信"),
    ),
}


class Owner:
    """Says yes to every card, and remembers which tools asked."""

    def __init__(self) -> None:
        self.approvals = Approvals(lambda: f"card-{len(self.asked)}")
        self.asked: list[str] = []

    def show(
        self, approval_id: ApprovalId, call: ToolCall, title: str, reason: str, offer: Offer
    ) -> None:
        self.asked.append(call.name)
        assert title
        assert reason
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: self.approvals.answer(approval_id, allow=True))

    def close(self, approval_id: ApprovalId, answer: Answer) -> None:
        assert answer.allowed


async def at_once(call: Callable[[], ToolResult]) -> ToolResult:
    return call()


class Home:
    """An empty home, the program's own tools and the one way to them."""

    def __init__(self, folder: Path) -> None:
        clock = ManualClock(datetime(2026, 11, 21, 18, 0, tzinfo=UTC))
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.reminders = ReminderStore(folder / "state.sqlite", clock)
        memory = FakeMemory()
        parts = ToolParts(memory, self.reminders, clock, FakeForgetting(memory))
        self.owner = Owner()
        around = Surroundings(self.workspace, folder / "state", folder, (FOLDER,))
        found = FoundTools(lambda _key: self._dispatcher.specs)
        at_the_desk = (ClipboardTool(COPIED), SCREEN)
        tools = (*core_tools(parts), *at_the_desk, FindTool(found.find))
        self._dispatcher = Dispatcher(tools, {}, around, self.owner.approvals, at_once)
        self.specs: Mapping[str, ToolSpec] = {one.name: one for one in self._dispatcher.specs}

    def lay_out(self, files: Mapping[str, bytes]) -> None:
        for name, content in files.items():
            path = self.workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def carry_out(self, calls: list[tuple[str, dict[str, str]]]) -> list[ToolRan]:
        """One conversation: what is read in it is known to the verdict on the next call."""
        return asyncio.run(self._carry_out(calls))

    async def _carry_out(self, calls: list[tuple[str, dict[str, str]]]) -> list[ToolRan]:
        scope = Scope(tool_context(self.workspace), Presence.PRESENT, self.owner)
        return [
            await self._dispatcher.run(ToolCall(str(number), name, given), scope)
            for number, (name, given) in enumerate(calls)
        ]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.reminders.close()


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


def test_there_are_at_least_twelve_and_all_can_be_used() -> None:
    assert SNAPSHOT.problems == ()
    assert len(SNAPSHOT.skills) >= 12
    folders = {path.parent.name for path in FOLDER.glob("*/SKILL.md")}
    assert {skill.name for skill in SNAPSHOT.skills} == folders


def test_each_of_them_is_tried() -> None:
    assert {skill.name for skill in SNAPSHOT.skills} - NOT_OURS_TO_RUN == PROMISES.keys()


@SKILLS
def test_a_skill_is_described_in_english_with_chinese_words(skill: Skill) -> None:
    assert re.match(r"[A-Z][A-Za-z]", skill.description)
    assert len(skill.description) <= 80, "longer ones are cut when many skills are installed"
    assert re.search(r"[\u4e00-\u9fff]{2}", skill.description[:33]), "this much is always shown"
    assert '"emoji"' in skill.location.read_text(encoding="utf-8")


@SKILLS
def test_a_skill_is_short_enough_for_a_small_model(skill: Skill) -> None:
    assert len(instructions(skill)) <= 2_000


@SKILLS
def test_a_skill_names_only_tools_that_exist(skill: Skill, home: Home) -> None:
    if skill.name in NOT_OURS_TO_RUN:
        return
    text = instructions(skill)
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)*)`", text)) - NO_TOOL
    named |= {name for name, _ in example_calls(text)}
    assert named & home.specs.keys()
    there = home.specs.keys() | WEB_EFFECTS.keys()  # once they are switched on
    assert not {name for name in named if "_" in name} - there
    assert not named & {"edit", "exec", "process", "browser", "open", "image"}


@SKILLS
def test_what_a_skill_tells_to_run_does_what_it_promises(skill: Skill, home: Home) -> None:
    if skill.name in NOT_OURS_TO_RUN:
        return
    promise = PROMISES[skill.name]
    home.lay_out(promise.finds)
    calls = example_calls(instructions(skill))
    assert calls
    for name, given in calls:
        jsonschema.validate(given, home.specs[name].parameters)
    ran = home.carry_out(calls)
    for one in ran:
        missing = "file not found" in str(one.result.data.get("error"))
        assert one.result.ok or (one.call.name == "read" and missing), (one.call, one.result)
    assert tuple(home.owner.asked) == promise.asks
    for path, texts in promise.leaves.items():
        written = (home.workspace / path).read_text(encoding="utf-8")
        assert all(text in written for text in texts), written
    told = iter("\n".join(one.result.display for one in ran).splitlines())
    for answer in promise.answers:
        assert any(answer in line for line in told), answer


@SKILLS
def test_sql_that_a_skill_shows_is_answered(skill: Skill) -> None:
    """Also that which stands in its rules and in no example."""
    columns = ("day", "habit", "amount", "kind", "what")
    shown = re.findall(r"`(SELECT [^`…]+)`", instructions(skill))
    with ScratchTable(columns, [("2026-11-21", "running", 5, "food", "lunch")]) as table:
        for sql in shown:
            assert table.ask(sql, most_rows=1, stop=lambda: False).rows
    assert bool(shown) == (skill.name in {"expenses", "habits"})


def test_all_of_them_stand_in_the_prompt_of_a_small_window() -> None:
    """With a usual installation path: each by its name, and in both languages."""
    section = skills_section(SNAPSHOT.skills, max_characters=PROMPT_BUDGET, user_home=Path.home())
    text = section.text
    for skill in SNAPSHOT.skills:
        line = next(one for one in text.splitlines() if one.startswith(f"{skill.name}: "))
        assert re.search(r"[\u4e00-\u9fff]{2}", line), line


def test_nothing_that_a_skill_says_to_read_is_changed_by_it(home: Home) -> None:
    """The examples of all skills in one home, one after the other: none spoils another's files."""
    for skill in SNAPSHOT.skills:
        if skill.name in NOT_OURS_TO_RUN:
            continue
        home.lay_out(PROMISES[skill.name].finds)
        home.carry_out(example_calls(instructions(skill)))
    for promise in PROMISES.values():
        for path, texts in promise.leaves.items():
            written = (home.workspace / path).read_text(encoding="utf-8")
            assert all(text in written for text in texts), written
