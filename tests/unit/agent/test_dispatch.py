"""One way to a tool: checked arguments, a verdict, the owner's answer, then the call."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from moltbot_desktop.agent.dispatch import Dispatcher, Scope
from moltbot_desktop.agent.turn import ToolRan
from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import ApprovalId, RunId, SessionKey
from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.core.permissions import Offer
from moltbot_desktop.plugins.hooks import HookBus
from moltbot_desktop.sdk.hooks import AfterToolCall, BeforeToolCall, ToolCallAnswer
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult
from moltbot_desktop.security.approvals import Answer, Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.skills.environment import SkillEnvironment
from moltbot_desktop.tools.missing import MissingTool
from tests.fakes.tools import FakeTool, spec


class NotCancelled:
    cancelled = False


@dataclass
class Owner:
    """Answers every card the same way; None leaves it lying."""

    approvals: Approvals
    says: bool | None
    thinks_seconds: float = 0.0
    titles: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    closed: list[Answer] = field(default_factory=list)

    def show(
        self, approval_id: ApprovalId, call: ToolCall, title: str, reason: str, offer: Offer
    ) -> None:
        self.titles.append(title)
        self.reasons.append(reason)
        if self.says is not None:
            loop = asyncio.get_running_loop()
            answer = partial(self.approvals.answer, approval_id, allow=self.says)
            loop.call_later(self.thinks_seconds, answer)

    def close(self, approval_id: ApprovalId, answer: Answer) -> None:
        self.closed.append(answer)


async def at_once(call: Callable[[], ToolResult]) -> ToolResult:
    return call()


@dataclass
class Desk:
    """A dispatcher with one tool and an owner."""

    workspace: Path
    tool: FakeTool
    says: bool | None = True
    presence: Presence = Presence.PRESENT
    labels: Labels = field(default_factory=Labels)

    def __post_init__(self) -> None:
        approvals = Approvals(lambda: "card", expires_after=0 if self.says is None else 60)
        around = Surroundings(self.workspace, self.workspace.parent / "home", self.workspace.parent)
        missing = {"web_fetch": MissingTool("I cannot open web pages yet.", "我还不能打开网页。")}
        self.hooks = HookBus()
        self.dispatcher = Dispatcher([self.tool], missing, around, approvals, at_once, self.hooks)
        self.owner = Owner(approvals, self.says)
        context = ToolContext(
            RunId("r"), SessionKey("k"), self.workspace, "", Language.ENGLISH, NotCancelled()
        )
        self.scope = Scope(context, self.presence, self.owner, self.labels)

    def run(self, call: ToolCall) -> ToolRan:
        async def scenario() -> ToolRan:
            ran = await self.dispatcher.run(call, self.scope)
            await self.hooks.close()
            return ran

        return asyncio.run(scenario())


def call(name: str = "tool", **arguments: str | int) -> ToolCall:
    return ToolCall("1", name, arguments)


def test_a_harmless_call_runs(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool")))
    ran = desk.run(call(text="hi"))
    assert (ran.outcome, ran.result.data) == ("ok", {"ok": True})
    assert desk.tool.got[0][0] == {"text": "hi"}
    assert desk.owner.titles == []


def test_wrong_arguments_never_reach_the_tool(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool")))
    ran = desk.run(call(text="hi", count="many"))
    assert ran.outcome == "failed"
    assert "`count`" in str(ran.result.data["error"])
    assert desk.tool.got == []


def test_a_missing_argument_is_the_tools_question(tmp_path: Path) -> None:
    asks = FakeTool(spec("tool"), lambda given: ToolResult({}, "", ok=False, question="Which?"))
    assert Desk(tmp_path, asks).run(call()).result.question == "Which?"


def test_a_tool_that_this_build_lacks_is_answered_plainly(tmp_path: Path) -> None:
    ran = Desk(tmp_path, FakeTool(spec("tool"))).run(call("web_fetch", url="https://x.org"))
    assert (ran.outcome, ran.result.display) == ("unavailable", "I cannot open web pages yet.")


def test_an_unknown_tool_is_corrected_with_the_known_names(tmp_path: Path) -> None:
    ran = Desk(tmp_path, FakeTool(spec("tool"))).run(call("tol"))
    assert ran.outcome == "failed"
    assert "tool" in str(ran.result.data["error"])


def test_a_servers_tool_that_was_guessed_is_looked_for_and_not_named(tmp_path: Path) -> None:
    """Its name is a stranger's words, and stands in no prompt before find_tool has shown it."""
    strange = FakeTool(spec("notes_obey_me", Effect.FOREIGN))
    desk = Desk(tmp_path, FakeTool(spec("find_tool")))
    desk.dispatcher = Dispatcher(
        [desk.tool, strange], {}, Surroundings(tmp_path, tmp_path, tmp_path),
        Approvals(lambda: "card"), at_once, desk.hooks,
    )  # fmt: skip
    error = str(desk.run(call("notes_add")).result.data["error"])
    assert error.endswith("there are: find_tool; find_tool finds those of servers")


def test_asking_runs_only_after_a_yes(tmp_path: Path) -> None:
    for says, outcome, times in ((True, "ok", 1), (False, "denied", 0), (None, "denied", 0)):
        desk = Desk(tmp_path, FakeTool(spec("tool", Effect.EXEC)), says)
        assert desk.run(call(text="ls")).outcome == outcome
        assert len(desk.tool.got) == times
        assert len(desk.owner.closed) == 1


def test_what_the_owner_thinks_about_it_is_no_work_of_the_tool(tmp_path: Path) -> None:
    for says in (True, False):
        desk = Desk(tmp_path, FakeTool(spec("tool", Effect.EXEC)), says)
        desk.owner.thinks_seconds = 0.1
        begun = time.monotonic()
        ran = desk.run(call(text="ls"))
        assert ran.outcome == ("ok" if says else "denied")
        assert time.monotonic() - begun - ran.seconds > 0.09


def test_a_tools_own_work_counts(tmp_path: Path) -> None:
    def slow(_given: ToolInput) -> ToolResult:
        asleep.wait(0.05)
        return ToolResult({"ok": True}, "")

    asleep = threading.Event()
    assert Desk(tmp_path, FakeTool(spec("tool"), slow)).run(call(text="x")).seconds >= 0.04


def test_without_a_person_what_needs_approval_is_denied(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool", Effect.EXEC)), presence=Presence.SCRIPT)
    assert desk.run(call(text="ls")).outcome == "denied"
    assert desk.owner.titles == []


def test_a_script_may_do_what_needs_no_card(tmp_path: Path) -> None:
    effect = Effect.REMINDER_WRITE
    for presence, outcome in ((Presence.SCRIPT, "ok"), (Presence.NOBODY, "denied")):
        desk = Desk(tmp_path, FakeTool(spec("tool", effect)), presence=presence)
        assert desk.run(call(text="tea")).outcome == outcome


def test_a_card_names_arguments_the_model_made_up(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool", Effect.EXEC)))
    desk.run(ToolCall("1", "tool", {"text": "rm x"}, unseen_arguments=("text",)))
    assert "text is nowhere in what you said" in desk.owner.titles[0]


def test_reading_outside_opens_only_that_folder_for_that_call(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "docs"
    workspace.mkdir()
    outside.mkdir()
    desk = Desk(workspace, FakeTool(spec("read", Effect.FILE_READ, "text")))
    desk.run(call("read", text=str(outside / "a.txt")))
    assert desk.owner.reasons == ["It is outside your workspace."]
    assert desk.tool.got[0][1].allowed_folders == (outside,)
    assert desk.scope.context.allowed_folders == ()


def test_writing_outside_is_refused_without_asking(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    desk = Desk(workspace, FakeTool(spec("write", Effect.FILE_WRITE, "text")))
    assert desk.run(call("write", text="/etc/motd")).outcome == "denied"
    assert desk.owner.titles == []


def test_results_raise_the_labels_and_labels_raise_the_verdict(tmp_path: Path) -> None:
    outside = FakeTool(
        spec("tool", Effect.FILE_WRITE), lambda given: ToolResult({}, "", taints=True)
    )
    desk = Desk(tmp_path, outside, says=False)
    assert desk.run(call(text="1")).outcome == "ok"
    labels = desk.scope.labels
    assert labels.untrusted and not labels.private
    assert [one.name for one in labels.sources] == ["tool"]
    assert desk.run(call(text="2")).outcome == "denied"


def test_notes_written_while_tainted_keep_a_mark(tmp_path: Path) -> None:
    for labels, mark in ((Labels(), ""), (Labels(untrusted=True), "untrusted")):
        desk = Desk(tmp_path, FakeTool(spec("tool", Effect.MEMORY_WRITE)), labels=labels)
        desk.run(call(text="x"))
        assert desk.tool.got[0][1].provenance == mark


def test_a_tools_error_is_something_to_correct(tmp_path: Path) -> None:
    def refuse(given: ToolInput) -> ToolResult:
        raise PathRefused("That is outside the workspace.", hint="Use a path inside.")

    ran = Desk(tmp_path, FakeTool(spec("tool"), refuse)).run(call(text="x"))
    assert ran.result.data == {"error": "That is outside the workspace. Use a path inside."}


@pytest.mark.expect_log
@pytest.mark.parametrize("kind", [ZeroDivisionError, SystemExit])
def test_a_tools_bug_does_not_end_the_conversation(
    tmp_path: Path, kind: type[BaseException]
) -> None:
    def crash(given: ToolInput) -> ToolResult:
        raise kind("oops")

    ran = Desk(tmp_path, FakeTool(spec("tool"), crash)).run(call(text="x"))
    assert ran.outcome == "failed"
    assert "oops" not in str(ran.result.data)


# --- what extensions may say about a call


def hooked(
    desk: Desk, answer: Callable[[BeforeToolCall], ToolCallAnswer | None]
) -> list[AfterToolCall]:
    """Let `answer` be asked before each call; returns what is told after them."""
    told: list[AfterToolCall] = []
    desk.hooks.on(BeforeToolCall, answer, name="test")
    desk.hooks.on(AfterToolCall, told.append, name="test")
    return told


def test_an_extension_may_change_the_arguments_and_hears_the_result(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool")))
    told = hooked(desk, lambda event: ToolCallAnswer({"text": f"{event.arguments['text']}!"}))
    ran = desk.run(call(text="hi"))
    assert desk.tool.got[0][0] == {"text": "hi!"} == dict(ran.call.arguments)
    (after,) = told
    assert (after.tool, after.arguments, after.result) == ("tool", {"text": "hi!"}, {"ok": True})


def test_changed_arguments_are_checked_against_the_schema_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool")))
    told = hooked(desk, lambda _: ToolCallAnswer({"text": "hi", "count": "many"}))
    assert desk.run(call(text="hi")).outcome == "failed"
    assert desk.tool.got == told == []


def test_changed_arguments_get_a_verdict_of_their_own(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    desk = Desk(workspace, FakeTool(spec("tool", Effect.FILE_READ, "text")))
    hooked(desk, lambda _: ToolCallAnswer({"text": str(tmp_path / "home" / "secrets.json")}))
    assert desk.run(call(text="notes.txt")).outcome == "denied"
    asking = Desk(workspace, FakeTool(spec("tool", Effect.FILE_WRITE, "text")), says=False)
    hooked(asking, lambda _: ToolCallAnswer({"text": "hooks/x/handler.py"}))
    assert asking.run(call(text="notes.txt")).outcome == "denied"
    assert len(asking.owner.titles) == 1 and "handler.py" in asking.owner.titles[0]


def test_an_extension_stops_a_call_before_anybody_is_asked(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool", Effect.EXEC)))
    hooked(desk, lambda _: ToolCallAnswer(block=True, block_reason="Not on Sundays."))
    ran = desk.run(call(text="ls"))
    assert (ran.outcome, desk.tool.got, desk.owner.titles) == ("denied", [], [])
    assert "Not on Sundays." in ran.result.display
    assert "Not on Sundays." in str(ran.result.data["error"])


def test_no_extension_allows_what_the_policy_refuses(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool", Effect.EXEC)), says=False)
    hooked(desk, lambda _: ToolCallAnswer({"text": "ls"}, block=False))
    assert desk.run(call(text="ls")).outcome == "denied"
    assert desk.tool.got == []


def test_a_slow_tool_tells_how_far_it_is(tmp_path: Path) -> None:
    class Slow(FakeTool):
        def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
            context.report("half")
            return super().run(given, context)

    desk, told = Desk(tmp_path, Slow(spec("tool"))), []
    desk.scope.told = lambda call, text: told.append((call.name, text))

    async def scenario() -> None:
        await desk.dispatcher.run(call(text="x"), desk.scope)
        await asyncio.sleep(0)

    asyncio.run(scenario())
    assert told == [("tool", "half")]


def test_tools_of_plugins_come_and_go_and_take_no_name_of_the_programs(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeTool(spec("tool")))
    mine, other = FakeTool(spec("tool", Effect.EXEC)), FakeTool(spec("web_fetch"))
    lent: list[tuple[FakeTool, ...]] = [()]
    missing = {"web_fetch": MissingTool("I cannot open web pages yet.", "我还不能打开网页。")}
    around = Surroundings(tmp_path, tmp_path.parent / "home", tmp_path.parent)
    desk.dispatcher = Dispatcher(
        [desk.tool], missing, around, Approvals(lambda: "card"), at_once, None, lambda: lent[0]
    )
    assert desk.run(call("web_fetch", text="x")).outcome == "unavailable"
    lent[0] = (mine, other)
    assert [one.name for one in desk.dispatcher.specs] == ["tool", "web_fetch"]
    assert not desk.dispatcher.missing_names
    assert desk.run(call("web_fetch", text="x")).outcome == "ok"
    assert desk.run(call("tool", text="y")).outcome == "ok"
    assert (len(desk.tool.got), len(mine.got), len(other.got)) == (1, 0, 1)
    lent[0] = ()
    assert desk.run(call("web_fetch", text="x")).outcome == "unavailable"
    assert desk.dispatcher.missing_names == {"web_fetch"}


async def tickets() -> SkillEnvironment:
    return SkillEnvironment({"TICKETS_KEY": "sesame-open"}, frozenset({"TICKETS_KEY"}))


def test_what_starts_programs_gets_the_variables_of_skills_and_its_words_hide_keys(
    tmp_path: Path,
) -> None:
    printed = ToolResult({"out": ["key: sesame-open"]}, "It says sesame-open.")
    desk = Desk(tmp_path, FakeTool(spec("tool", Effect.EXEC), lambda given: printed))
    desk.scope.find_environment = tickets
    ran = desk.run(call(text="env"))
    context = desk.tool.got[0][1]
    assert context.environment == {"TICKETS_KEY": "sesame-open"}
    assert "sesame" not in repr(context)
    assert ran.result.data == {"out": ["key: [TICKETS_KEY]"]}
    assert ran.result.display == "It says [TICKETS_KEY]."


def test_a_tool_that_starts_nothing_sees_no_variable_and_none_is_looked_up(tmp_path: Path) -> None:
    asked = []

    async def found() -> SkillEnvironment:
        asked.append(1)
        return await tickets()

    desk = Desk(tmp_path, FakeTool(spec("tool", Effect.NONE)))
    desk.scope.find_environment = found
    desk.run(call(text="hi"))
    assert desk.tool.got[0][1].environment == {}
    assert asked == []
