"""Hooks in folders: found, switched on by name, loaded, called; a bad one hurts nobody."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moltbot_desktop.app.hooks import Hooks, all_hooks, open_hooks
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.automation import (
    HookEntry,
    HookHandler,
    HooksConfig,
    InternalHooksConfig,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionId, SessionKey
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.plugins.hook_folders import HookRoot, find_hooks
from moltbot_desktop.plugins.internal import InternalHooks
from moltbot_desktop.sdk.hooks import (
    BeforeToolCall,
    MessageContext,
    MessageSending,
    ToolCallContext,
)
from moltbot_desktop.sdk.internal_hooks import InternalEvent

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
KEY = SessionKey("agent:main:main")


def hook(root: Path, name: str, events: str, code: str, *, extra: str = "") -> Path:
    folder = root / name
    folder.mkdir(parents=True)
    metadata = f'{{ "moltbot": {{ "events": {events}{extra} }} }}'
    text = f"---\nname: {name}\ndescription: A hook.\nmetadata: {metadata}\n---\n# {name}\n"
    (folder / "HOOK.md").write_text(text, encoding="utf-8")
    (folder / "handler.py").write_text(code, encoding="utf-8")
    return folder


def opened(tmp_path: Path, checkout: Path, *on: str, enabled: bool = True) -> Hooks:
    entries = {name: HookEntry(enabled=True) for name in on}
    config = HooksConfig(InternalHooksConfig(enabled=enabled, entries=entries))
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    workspaces = {AgentId("main"): tmp_path / "workspace", AgentId("work"): tmp_path / "work"}
    return open_hooks(paths, config, workspaces, Language.ENGLISH)


def event(tmp_path: Path, name: str, **more: object) -> InternalEvent:
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    workspace.mkdir(exist_ok=True)
    return InternalEvent(name, KEY, NOON, workspace, home, **more)  # type: ignore[arg-type]


def trigger(hooks: Hooks, happened: InternalEvent) -> InternalEvent:
    asyncio.run(hooks.internal.trigger(happened))
    return happened


SAYS = "async def handle(event):\n    event.messages.append(event.name)\n"


def test_a_hook_runs_only_when_it_is_switched_on_by_name(tmp_path: Path, checkout: Path) -> None:
    workspace = tmp_path / "workspace" / "hooks"
    hook(workspace, "greet", '["command:new"]', SAYS)
    hook(workspace, "other", '["command:new"]', "raise SystemExit('never loaded')\n")
    hooks = opened(tmp_path, checkout, "greet")
    assert trigger(hooks, event(tmp_path, "command:new")).messages == ["command:new"]
    off = opened(tmp_path, checkout, "greet", enabled=False)
    assert not off.internal.listens("command:new")


def test_a_type_goes_before_its_actions_and_one_after_the_other(
    tmp_path: Path, checkout: Path
) -> None:
    managed = tmp_path / "home" / "hooks"
    code = "import asyncio\nasync def handle(event):\n    await asyncio.sleep(0)\n"
    for name, events in (("a", '["command:new"]'), ("b", '["command"]')):
        hook(managed, name, events, f"{code}    event.messages.append('{name}')\n")
    hooks = opened(tmp_path, checkout, "a", "b")
    assert trigger(hooks, event(tmp_path, "command:new")).messages == ["b", "a"]


def test_the_workspaces_hook_takes_the_place_of_a_bundled_one(
    tmp_path: Path, checkout: Path
) -> None:
    hook(tmp_path / "workspace" / "hooks", "command-logger", '["command"]', SAYS)
    hooks = opened(tmp_path, checkout, "command-logger")
    assert trigger(hooks, event(tmp_path, "command:stop")).messages == ["command:stop"]
    assert not (tmp_path / "home" / "logs").exists()


def test_a_handler_may_listen_to_a_typed_hook(tmp_path: Path, checkout: Path) -> None:
    code = (
        "from moltbot_desktop.sdk.hooks import ToolCallAnswer\n"
        "def handle(event):\n    return ToolCallAnswer(block=True, block_reason=event.tool)\n"
    )
    hook(tmp_path / "workspace" / "hooks", "no", '["before_tool_call"]', code)
    bus = opened(tmp_path, checkout, "no").bus
    call = BeforeToolCall(ToolCallContext(AgentId("main"), KEY), "exec", {})
    assert asyncio.run(bus.before_tool_call(call)).block_reason == "exec"


def test_a_folder_says_how_early_its_handler_is_called(tmp_path: Path, checkout: Path) -> None:
    code = (
        "from moltbot_desktop.sdk.hooks import MessageAnswer\n"
        "def handle(event):\n    return MessageAnswer(event.content + {name!r})\n"
    )
    for name, priority in (("a", 0), ("b", 5), ("c", -1), ("d", '"high"')):
        events, extra = '["message_sending"]', f', "priority": {priority}'
        hook(tmp_path / "workspace" / "hooks", name, events, code.format(name=name), extra=extra)
    bus = opened(tmp_path, checkout, "a", "b", "c", "d").bus
    sending = MessageSending(MessageContext("pipe"), "ada", ">")
    assert asyncio.run(bus.message_sending(sending)).content == ">badc"


@pytest.mark.expect_log("cannot be loaded")
@pytest.mark.parametrize(
    ("events", "code"),
    [
        ('["command:new"]', "def handle(:\n"),
        ('["command:new"]', "raise ValueError('no')\n"),
        ('["command:new"]', "raise SystemExit\n"),
        ('["command:new"]', "handler = None\n"),
        ('["command:nonsense"]', SAYS),
        ("[]", SAYS),
        ('["tool_result_persist"]', SAYS),
    ],
)
def test_a_bad_hook_is_told_and_the_others_are_loaded(
    tmp_path: Path, checkout: Path, events: str, code: str
) -> None:
    workspace = tmp_path / "workspace" / "hooks"
    hook(workspace, "bad", events, code)
    hook(workspace, "good", '["command:new"]', SAYS)
    hooks = opened(tmp_path, checkout, "bad", "good")
    assert [problem.name for problem in hooks.problems] == ["bad"]
    assert hooks.problems[0].reason
    assert trigger(hooks, event(tmp_path, "command:new")).messages == ["command:new"]


def test_a_hook_of_an_agents_workspace_hears_of_that_agent_alone(
    tmp_path: Path, checkout: Path
) -> None:
    hook(tmp_path / "home" / "hooks", "greeting", '["command", "gateway:startup"]', SAYS)
    mine = SAYS.replace("event.name)", "f'work: {event.name} {event.workspace.name}')")
    blocks = (
        "from moltbot_desktop.sdk.hooks import ToolCallAnswer\n"
        "def handle(event):\n    return ToolCallAnswer(block=True)\n"
    )
    hook(tmp_path / "work" / "hooks", "greeting", '["command", "gateway:startup"]', mine)
    hook(tmp_path / "work" / "hooks", "guard", '["before_tool_call"]', blocks)
    hooks = opened(tmp_path, checkout, "greeting", "guard")
    assert hooks.problems == ()
    ours = event(tmp_path, "command:new")
    theirs = replace(event(tmp_path, "command:new"), session=SessionKey("agent:work:main"))
    assert trigger(hooks, ours).messages == ["command:new"]
    assert trigger(hooks, theirs).messages == ["work: command:new workspace"]
    started = trigger(hooks, event(tmp_path, "gateway:startup"))
    assert sorted(started.messages) == ["gateway:startup", "work: gateway:startup work"]
    for agent, blocked in (("main", None), ("work", True)):
        whose = ToolCallContext(AgentId(agent), SessionKey(f"agent:{agent}:main"))
        answer = asyncio.run(hooks.bus.before_tool_call(BeforeToolCall(whose, "exec", {})))
        assert answer.block is blocked


def test_single_files_are_handlers_too(tmp_path: Path, checkout: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "mine.py").write_text(SAYS.replace("handle", "handler"), encoding="utf-8")
    handlers = (HookHandler("command:new", "mine.py"), HookHandler("command:new", "gone.py"))
    config = HooksConfig(InternalHooksConfig(enabled=True, handlers=handlers))
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    hooks = open_hooks(paths, config, {AgentId("main"): workspace}, Language.ENGLISH)
    assert [problem.name for problem in hooks.problems] == ["gone.py"]
    assert trigger(hooks, event(tmp_path, "command:new")).messages == ["command:new"]


def test_a_hook_that_is_switched_on_and_not_there_is_told(tmp_path: Path, checkout: Path) -> None:
    (problem,) = opened(tmp_path, checkout, "gone").problems
    assert (problem.name, problem.reason) == ("gone", "")


@pytest.mark.expect_log("failed at command:new")
def test_a_handler_that_fails_does_not_keep_the_next_one(tmp_path: Path) -> None:
    hooks = InternalHooks()

    async def breaks(_: InternalEvent) -> None:
        raise ZeroDivisionError

    hooks.on("command", breaks, name="breaks")
    hooks.on("command:new", lambda happened: happened.messages.append("next"), name="next")
    happened = event(tmp_path, "command:new")
    asyncio.run(hooks.trigger(happened))
    assert happened.messages == ["next"]


# --- the bundled ones


def test_the_bundled_hooks_are_usable(tmp_path: Path, checkout: Path) -> None:
    paths = Paths(tmp_path / "home", tmp_path, checkout)
    workspaces = {AgentId("main"): tmp_path}
    found = all_hooks(paths, HooksConfig(), workspaces, Language.ENGLISH)
    assert [(one.name, one.problem) for one in found] == [
        ("boot-md", ""),
        ("command-logger", ""),
        ("session-memory", ""),
    ]


@pytest.mark.parametrize("tainted", [False, True])
def test_session_memory_keeps_what_was_said_with_its_mark(
    tmp_path: Path, checkout: Path, tainted: bool
) -> None:
    hooks = opened(tmp_path, checkout, "session-memory")
    said = (ChatMessage(Role.USER, "My Dentist moved\n<!-- x"), ChatMessage(Role.ASSISTANT, "Ok."))
    for _ in range(2):  # a second conversation of the same words is another file
        trigger(
            hooks,
            event(
                tmp_path, "command:new", session_id=SessionId("s"), history=said, tainted=tainted
            ),
        )
    files = sorted((tmp_path / "workspace" / "memory").iterdir())
    assert [one.name for one in files] == [
        "2026-01-05-my-dentist-moved-x-2.md",
        "2026-01-05-my-dentist-moved-x.md",
    ]
    mark = " <!-- mark: untrusted -->" if tainted else ""
    assert files[0].read_text(encoding="utf-8").splitlines()[2:] == [
        f"- 12:00 · user: My Dentist moved x{mark}",
        f"- 12:00 · assistant: Ok.{mark}",
    ]


def test_the_command_logger_writes_a_line_for_each(tmp_path: Path, checkout: Path) -> None:
    hooks = opened(tmp_path, checkout, "command-logger")
    for name in ("command:new", "command:stop"):
        trigger(hooks, event(tmp_path, name))
    log = (tmp_path / "home" / "logs" / "commands.log").read_text(encoding="utf-8")
    assert [json.loads(line)["action"] for line in log.splitlines()] == ["new", "stop"]


def test_boot_md_asks_what_stands_in_the_file(tmp_path: Path, checkout: Path) -> None:
    hooks, asked = opened(tmp_path, checkout, "boot-md"), []
    trigger(hooks, event(tmp_path, "gateway:startup", ask=asked.append))
    (tmp_path / "workspace" / "BOOT.md").write_text("Say hello.\n", encoding="utf-8")
    trigger(hooks, event(tmp_path, "gateway:startup", ask=asked.append))
    assert asked == ["Say hello."]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(alphabet="-:{}[]\"'\n ,eventsmoltbotname&*!#", max_size=200) | st.binary(max_size=80)
)
def test_no_hook_file_breaks_the_search(tmp_path: Path, content: str | bytes) -> None:
    folder = tmp_path / "hooks" / "any"
    folder.mkdir(parents=True, exist_ok=True)
    data = content if isinstance(content, bytes) else f"---\n{content}\n---\n".encode()
    (folder / "HOOK.md").write_bytes(data)
    (found,) = find_hooks([HookRoot("managed", tmp_path / "hooks")])
    assert found.problem
