"""What is told on a channel while an answer is made."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.config.agents import AgentConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.config.streaming import BlockCoalesceConfig
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
from moltbot_desktop.gateway.channel_rules import along_rules, block_rules
from moltbot_desktop.gateway.chunks import Break, rest_from
from moltbot_desktop.gateway.streamed import BlockRules, Streamed, caught_up, part_name, sent_of
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
    parts: list[str] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)
    refuses: bool = False

    def aside(self, aside: Aside) -> None:
        self.said.append(aside)

    def draft(self, so_far: str) -> None:
        self.drafts.append(so_far)

    def part(self, so_far: str) -> bool:
        if not self.refuses:
            self.parts.append(so_far)
        return not self.refuses

    def after(self, *events: RunEvent) -> list[str]:
        teller = Teller(lambda: self.rules, self, Language.ENGLISH)
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
    assert Heard(AlongRules("on")).after(*events) == ["📖 Reading a file: plan.md"]
    assert Heard(AlongRules("full")).after(*events) == [
        "📖 Reading a file: plan.md",
        "📖 Reading a file\n```\nBuy tea.\n```",
    ]
    assert Heard(AlongRules("full")).after(called(), gave(" \n")) == ["📖 Reading a file"]


def test_a_level_that_changes_during_a_run_holds_from_the_next_tool_on() -> None:
    heard = Heard(AlongRules("off"))
    teller = Teller(lambda: heard.rules, heard, Language.ENGLISH)
    teller.happened(BEGUN)
    teller.happened(called(path="a"))
    heard.rules = AlongRules("on")
    teller.happened(called(path="b"))
    assert [one.text for one in heard.said] == ["📖 Reading a file: b"]


def test_a_thought_is_told_whole_and_before_what_it_leads_to() -> None:
    heard = Heard(AlongRules("on", thoughts=True))
    assert heard.after(thinks("I should "), thinks("look.\n\nNow."), called(), says("x")) == [
        "Reasoning:\n_I should look._\n\n_Now._",
        "📖 Reading a file",
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
    assert [one.bare for one in heard.said] == ["", "📖 Reading a file", ""]


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
    assert step_line("plugin_tool", arguments, Language.ENGLISH) == f"🧩 plugin_tool{detail}"


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
        return along_rules(config, kept, its, {}, group=group).verbose

    assert rules("full", "on", "off") == "off"
    assert rules("full", "on", "") == "on"
    assert rules("full", "", "") == "full"
    assert rules("full", "", "", group=True) == ""
    assert rules("off", "on", "", group=True) == "on"
    streams = SessionSettings(reasoning="stream")
    rules_of = along_rules(Config(), streams, RunSettings(), {}, group=False)
    assert rules_of == AlongRules("off", thoughts=True)


# ------------------------------------------------------------------------ long answers in parts

WORDS = BlockRules(least=10, most=30, prefer=Break.SENTENCE)


def streamed(rules: BlockRules, *events: RunEvent) -> list[str]:
    heard = Heard(AlongRules(blocks=rules))
    heard.after(*events)
    return heard.parts


def test_a_part_goes_out_when_there_is_enough_of_it_and_the_end_with_the_run() -> None:
    parts = streamed(WORDS, says("It is warm"), says(". It will "), says("rain."))
    assert parts == ["It is warm. "]


def test_what_was_said_before_a_tool_goes_out_before_it() -> None:
    assert streamed(WORDS, says(" I look."), called(), says("Found.")) == ["I look."]
    assert streamed(replace(WORDS, at_end=True), says("I look. " * 9), called()) == ["I look. " * 9]
    assert streamed(WORDS, says("NO_REPLY"), called()) == []


def test_an_answer_that_says_nothing_is_not_begun() -> None:
    assert streamed(WORDS, says("NO_REPLY because it is none of our business at all.")) == []


def test_after_a_refused_part_nothing_more_of_that_answer_goes_out() -> None:
    heard = Heard(AlongRules(blocks=WORDS), refuses=True)
    teller = Teller(lambda: heard.rules, heard, Language.ENGLISH)
    teller.happened(BEGUN)
    teller.happened(says("It is warm. It is late. It is dark."))
    heard.refuses = False
    teller.happened(says("It is warm. It is late. It is dark."))
    assert heard.parts == []
    teller.happened(called())
    teller.happened(says("It is warm. It is late. "))
    assert heard.parts == ["It is warm. It is late. "]


def test_a_pause_of_the_model_sends_what_else_would_wait_for_more() -> None:
    async def scenario() -> list[str]:
        heard = Heard(AlongRules(blocks=replace(WORDS, join=25, idle=0.0)))
        teller = Teller(lambda: heard.rules, heard, Language.ENGLISH)
        teller.happened(BEGUN)
        teller.happened(says("It is warm. "))
        before = list(heard.parts)
        async with asyncio.timeout(30):
            while not heard.parts:
                await asyncio.sleep(0.01)
        teller.happened(OVER)
        return [*before, "|", *heard.parts]

    assert asyncio.run(scenario()) == ["|", "It is warm. "]


TEXTS = st.text(alphabet="ab .\n`#", max_size=150) | st.text(max_size=150)


@settings(max_examples=150)
@given(TEXTS, st.lists(st.integers(1, 20)), st.integers(1, 30), st.sampled_from(Break))
def test_the_parts_and_the_rest_are_the_answer_however_it_comes(
    text: str, sizes: list[int], least: int, prefer: Break
) -> None:
    """Sent again with other borders, the parts begin where the first ones ended."""
    rules = BlockRules(least, 2 * least, prefer=prefer)
    whole = text.strip()
    events, at = [], 0
    for size in sizes:
        events.append(says(text[at : at + size]))
        at += size
    parts = streamed(rules, *events, says(text[at:]))
    assert all(whole.startswith(one.rstrip()) for one in parts)
    assert [len(one) for one in parts] == sorted({len(one) for one in parts})
    names = [part_name(one) for one in parts]
    sent = sent_of(whole, names)
    assert sent == max((len(one.rstrip()) for one in parts), default=0)
    if not text.count("`"):
        rest = rest_from(whole, sent)
        shown = "".join(rest_from(one, sent_of(one, names[:n])) for n, one in enumerate(parts))
        assert (shown + rest).split() == whole.split() or "".join(
            (shown + rest).split()
        ) == "".join(whole.split())


TRIES = st.lists(st.tuples(st.integers(1, 25), st.integers(0, 200)), max_size=4)


@settings(max_examples=200)
@given(st.text(alphabet="abc .\n", max_size=200), TRIES, st.integers(1, 30))
def test_however_often_it_is_killed_all_of_it_is_sent_once(
    text: str, killed: list[tuple[int, int]], least: int
) -> None:
    """Each try has borders of its own, and is killed after so many characters but for the last."""
    sent: list[str] = []
    shown = ""
    for its_least, characters in [*killed, (least, len(text))]:
        before, answer = tuple(sent), Streamed()
        rules = BlockRules(its_least, 2 * its_least, prefer=Break.SENTENCE)
        for piece in text[:characters]:
            answer.add(piece)
            while so_far := answer.due(rules):
                if caught_up(so_far, before) and (rest := rest_from(so_far, sent_of(so_far, sent))):
                    shown += rest
                    sent.append(part_name(so_far))
    shown += rest_from(text.strip(), sent_of(text.strip(), sent))
    assert "".join(shown.split()) == "".join(text.split())


def test_what_was_sent_of_another_answer_counts_for_nothing() -> None:
    names = [part_name("It is warm."), "step:abc:1", "part:x:y", "part:4:zz", "part:²:a"]
    assert sent_of("It is warm. And late.", names) == 11
    assert sent_of("It is cold. And late.", names) == 0


def test_code_that_is_parted_is_code_in_both_messages() -> None:
    code = "```py\n" + "x = 1\n" * 20 + "```\nDone."
    rules = BlockRules(40, 60)
    so_far = streamed(rules, says(code))[0]
    assert rest_from(so_far, 0).endswith("\n```")
    assert rest_from(code, len(so_far.rstrip())).startswith("```py\nx = 1")


@pytest.mark.parametrize(
    ("default", "channel", "on"),
    [
        ("off", {}, False),
        ("on", {}, True),
        ("on", {"blockStreaming": False}, False),
        ("off", {"blockStreaming": True}, True),
    ],
)
def test_a_channel_says_for_itself_whether_it_gets_parts(
    default: str, channel: dict[str, JsonValue], on: bool
) -> None:
    agent = AgentConfig(block_streaming_default=default)
    assert (block_rules(agent, channel) is not None) is on


def test_parts_are_no_longer_than_the_channel_takes() -> None:
    agent = AgentConfig(
        block_streaming_default="on",
        block_streaming_break="message_end",
        block_streaming_coalesce=BlockCoalesceConfig(min_chars=1_500, idle_ms=200),
    )
    assert block_rules(agent, {}) == BlockRules(
        800, 1_500, 1_500, 0.2, Break.PARAGRAPH, at_end=True
    )
    short = block_rules(agent, {"textChunkLimit": 500})
    assert short is not None and (short.least, short.most, short.join) == (500, 500, 500)
