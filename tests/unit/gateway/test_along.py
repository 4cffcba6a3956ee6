"""What is told on a channel while an answer is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.events import (
    AssistantDelta,
    AssistantRetracted,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolEnded,
    ToolStarted,
)
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.gateway.along import (
    MOST_SHOWN,
    AlongRules,
    Aside,
    Teller,
    fenced,
    step_line,
    thought_text,
)
from moltbot_desktop.gateway.channel_rules import along_rules
from moltbot_desktop.sessions.settings import SessionSettings

OF = (RunId("r"), SessionKey("agent:main:pipe:dm:7"), 1)
BEGUN = RunStarted(*OF, "hello")
OVER = RunEnded(*OF, RunOutcome(OutcomeKind.ANSWERED, "done"))


def called(tool: str = "read", **arguments: JsonValue) -> ToolStarted:
    return ToolStarted(*OF, "c", tool, arguments)


def gave(display: str, tool: str = "read") -> ToolEnded:
    return ToolEnded(*OF, "c", tool, True, "ok", display, 0.1)


@dataclass
class Heard:
    rules: AlongRules
    said: list[Aside] = field(default_factory=list)

    def after(self, *events: RunEvent) -> list[str]:
        teller = Teller(lambda: self.rules, self.said.append, Language.ENGLISH)
        for event in (BEGUN, *events, OVER):
            teller.happened(event)
        return [one.text for one in self.said]


def thinks(text: str) -> AssistantDelta:
    return AssistantDelta(*OF, text, thinking=True)


def says(text: str) -> AssistantDelta:
    return AssistantDelta(*OF, text)


def test_nothing_is_told_unless_it_is_switched_on() -> None:
    assert Heard(AlongRules("off")).after(thinks("hm"), called(), gave("text"), says("x")) == []
    assert Heard(AlongRules("")).after(called(), gave("text")) == []


def test_on_tells_a_line_for_each_tool_and_full_what_it_gave() -> None:
    events = (called(path="plan.md"), gave("Buy tea."))
    assert Heard(AlongRules("on")).after(*events) == ["📖 read: plan.md"]
    assert Heard(AlongRules("full")).after(*events) == [
        "📖 read: plan.md",
        "📖 read\n```\nBuy tea.\n```",
    ]
    assert Heard(AlongRules("full")).after(called(), gave(" \n")) == ["📖 read"]


def test_a_level_that_changes_during_a_run_holds_from_the_next_tool_on() -> None:
    heard = Heard(AlongRules("off"))
    teller = Teller(lambda: heard.rules, heard.said.append, Language.ENGLISH)
    teller.happened(BEGUN)
    teller.happened(called(path="a"))
    heard.rules = AlongRules("on")
    teller.happened(called(path="b"))
    assert [one.text for one in heard.said] == ["📖 read: b"]


def test_a_thought_is_told_whole_and_before_what_it_leads_to() -> None:
    heard = Heard(AlongRules("on", thoughts=True))
    assert heard.after(thinks("I should "), thinks("look.\n\nNow."), called(), says("x")) == [
        "Reasoning:\n_I should look._\n\n_Now._",
        "📖 read",
    ]
    assert Heard(AlongRules("", thoughts=True)).after(thinks("hm"), says("x")) == [
        "Reasoning:\n_hm_"
    ]
    assert Heard(AlongRules("", thoughts=True)).after(thinks("hm"), AssistantRetracted(*OF)) == []
    assert Heard(AlongRules("", thoughts=True)).after(thinks(" \n"), says("x")) == []


def test_the_short_form_holds_nobodys_words() -> None:
    heard = Heard(AlongRules("full", thoughts=True))
    heard.after(thinks("the PIN is 4711"), called(path="4711.md"), gave("4711"))
    assert all("4711" in one.text and "4711" not in one.bare for one in heard.said)
    assert [one.bare for one in heard.said] == ["", "📖 read", ""]


def test_the_same_run_made_again_tells_things_under_the_same_names() -> None:
    events = (called(path="a"), called(path="a"), called(path="b"))
    first, again = Heard(AlongRules("on")), Heard(AlongRules("on"))
    first.after(*events), again.after(*events)
    names = [one.name for one in first.said]
    assert len(set(names)) == 3
    assert names == [one.name for one in again.said]


@pytest.mark.parametrize(
    ("arguments", "detail"),
    [
        ({"limit": 3, "path": "a  b\nc"}, ": a b c"),
        (
            {"command": "curl -H 'token=abcdefghijklmnopqrstuvwxyz'"},
            ": curl -H 'token=abcdef…wxyz'",
        ),
        ({"lines": [1, 2]}, ""),
        ({"flag": True, "other": "x"}, ": True"),
        ({"text": ""}, ""),
    ],
)
def test_a_step_says_what_it_is_about_without_secrets(
    arguments: Mapping[str, JsonValue], detail: str
) -> None:
    assert step_line("plugin_tool", arguments) == f"🧩 plugin_tool{detail}"


@settings(max_examples=60)
@given(st.text(alphabet="a` \n~", max_size=60) | st.text(max_size=4 * MOST_SHOWN))
def test_what_a_tool_gave_stays_inside_its_block(text: str) -> None:
    lines = fenced(text).split("\n")
    assert lines[0] == lines[-1] and set(lines[0]) == {"`"}
    assert not any(line.lstrip(" ").startswith(lines[0]) for line in lines[1:-1])
    assert len(fenced(text)) <= 2 * MOST_SHOWN


def test_a_thought_in_chinese_says_so() -> None:
    assert thought_text("想一想", Language.CHINESE) == "思考过程：\n_想一想_"


def test_what_holds_for_a_run_comes_before_its_conversation_and_that_before_all() -> None:
    def rules(all_of: str, of_it: str, own: str, *, group: bool = False) -> str:
        config = Config(agent=AgentConfig(verbose_default=all_of))
        kept, its = SessionSettings(verbose=of_it), RunSettings(verbose=own)
        return along_rules(config, kept, its, group=group).verbose

    assert rules("full", "on", "off") == "off"
    assert rules("full", "on", "") == "on"
    assert rules("full", "", "") == "full"
    assert rules("full", "", "", group=True) == ""
    assert rules("off", "on", "", group=True) == "on"
    assert along_rules(
        Config(), SessionSettings(reasoning="stream"), RunSettings(), group=False
    ) == (AlongRules("off", thoughts=True))
