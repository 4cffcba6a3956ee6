"""What whoever wrote on a channel is told while their answer is made: steps, thoughts, parts.

    teller = Teller(lambda: AlongRules(verbose="on"), out, language)
    teller.happened(ToolStarted(..., "read", {"path": "plan.md"}))
    # out.aside(Aside("step:…:1", "📖 Reading a file: plan.md", bare="📖 Reading a file"))

Steps are tools: with ``on`` a line when one begins, with ``full`` also what it gave. A thought is
what the model thought before it spoke, whole: a channel has no drafts, so ``stream`` is like
``on``. Parts are the answer itself, where long ones are sent while they are written (`streamed`).
Nothing here decides who may see what: an aside has a short form without anybody's words in it, and
whoever is told (`Out`) chooses, or refuses.

What is said along the way carries a name made of its own words (`Aside.name`). So the same words
of the same run are in the outbox once, also when a crash has the run begun anew.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from moltbot_desktop.agent.tokens import is_silent
from moltbot_desktop.core.events import (
    AssistantDelta,
    AssistantRetracted,
    RunEnded,
    RunEvent,
    RunStarted,
    ToolEnded,
    ToolStarted,
)
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.tool_words import tool_words
from moltbot_desktop.gateway.streamed import BlockRules, Streamed, digest_of
from moltbot_desktop.security.redaction import redacted

MOST_SHOWN = 1_500
"""Characters of a tool's result in a message."""
_LONGEST_DETAIL = 160
_SHORTEST_DRAFT = 30
"""Characters; what is shorter may become a word for silence, and is soon there anyway."""
_LONGEST_THOUGHT = 4_000
_CUT = "…"

PHRASES = Phrases(
    english={"thought": "Reasoning:"},
    chinese={"thought": "思考过程："},
)

_TELLING = "command path query url pattern expression target city when text name to action".split()
"""Arguments that say best what a call is about, the best first."""
_TICKS = re.compile(r"`{3,}")
_ITALIC_LINE = re.compile(r"^(?=.*\S)(.*?)[ \t]*$", re.MULTILINE)


class Kind(StrEnum):
    STEP = "step"
    THOUGHT = "thought"


@dataclass(frozen=True)
class Aside:
    """Something to be told before the answer is there.

    Attributes:
        name: tells it apart from what else is told in its run.
        text: all of it.
        bare: what of it anybody may read, "" for nothing.
    """

    name: str
    text: str
    bare: str = ""


@dataclass(frozen=True)
class AlongRules:
    """Attributes:
    verbose: ``on`` tells what tools are used, ``full`` also what they gave.
    thoughts: what the model thinks is told.
    blocks: how a long answer is sent in parts; None for as a whole.
    draft: the answer is shown while it is written, in one message that changes.
    """

    verbose: str = ""
    thoughts: bool = False
    blocks: BlockRules | None = None
    draft: bool = False

    @property
    def steps(self) -> bool:
        return self.verbose in ("on", "full")


class Out(Protocol):
    """Where it is told."""

    def aside(self, aside: Aside) -> None: ...

    def draft(self, so_far: str) -> None:
        """The answer as far as it is written."""
        ...

    def part(self, so_far: str) -> bool:
        """More of the answer, which begins with `so_far`; False when nothing of it may go out
        before the whole is there."""
        ...


@dataclass
class Teller:
    """Listens to one run. Lives on the agent's event loop.

    Attributes:
        rules: as they are now; asked when a run or a tool begins.
        language: of whoever is told.
    """

    rules: Callable[[], AlongRules]
    out: Out
    language: Language
    _now: AlongRules = field(default_factory=AlongRules)
    _thought: str = ""
    _told: Counter[str] = field(default_factory=Counter)
    _answer: Streamed = field(default_factory=Streamed)
    _refused: bool = False
    _draft: str = ""
    _pause: asyncio.TimerHandle | None = None

    def happened(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self._now = self.rules()
            case AssistantDelta(thinking=True):
                if self._now.thoughts:
                    self._thought += event.text
            case AssistantDelta():
                if event.text.strip():
                    self._tell_thought()
                self._more(event.text)
            case AssistantRetracted():
                self._thought = ""
                self._begin_anew()
            case ToolStarted():
                self._tell_thought()
                if self._now.blocks is not None:
                    self._part(self._answer.rest())
                self._begin_anew()
                self._now = self.rules()
                if self._now.steps:
                    line = step_line(event.tool, event.arguments, self.language)
                    self._tell(Kind.STEP, line, step_line(event.tool, {}, self.language))
            case ToolEnded() if self._now.verbose == "full" and event.display.strip():
                bare = step_line(event.tool, {}, self.language)
                self._tell(Kind.STEP, f"{bare}\n{fenced(event.display)}", "")
            case RunEnded():
                self._tell_thought()
                self._begin_anew()

    def _more(self, text: str) -> None:
        """The rest of the answer goes out with the end of the run, as the whole one would."""
        if self._now.draft:
            self._draft = self._draft + text if self._draft else text.lstrip()
            if len(self._draft) >= _SHORTEST_DRAFT and not is_silent(self._draft):
                self.out.draft(self._draft)
        blocks = self._now.blocks
        if blocks is None or self._refused:
            return
        self._answer.add(text)
        while so_far := self._answer.due(blocks):
            self._part(so_far)
        if blocks.waits:
            self._stop_waiting()
            loop = asyncio.get_running_loop()
            self._pause = loop.call_later(blocks.idle, self._quiet, blocks)

    def _quiet(self, blocks: BlockRules) -> None:
        self._part(self._answer.due(blocks, quiet=True))

    def _part(self, so_far: str) -> None:
        if so_far and not self._refused:
            self._refused = not self.out.part(so_far)

    def _begin_anew(self) -> None:
        self._stop_waiting()
        self._answer, self._refused, self._draft = Streamed(), False, ""

    def _stop_waiting(self) -> None:
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

    def _tell_thought(self) -> None:
        thought, self._thought = self._thought.strip(), ""
        if thought and self._now.thoughts:
            self._tell(Kind.THOUGHT, thought_text(thought, self.language), "")

    def _tell(self, kind: Kind, text: str, bare: str) -> None:
        digest = digest_of(text)
        self._told[digest] += 1
        self.out.aside(Aside(f"{kind}:{digest}:{self._told[digest]}", text, bare))


def step_line(tool: str, arguments: Mapping[str, JsonValue], language: Language) -> str:
    """A call in a line: ``📖 Reading a file: plan.md``; without arguments the tool alone."""
    words = tool_words(tool, language)
    line = f"{words.sign} {words.doing}"
    detail = _detail(arguments)
    colon = "：" if language is Language.CHINESE else ": "
    return f"{line}{colon}{detail}" if detail else line


def _detail(arguments: Mapping[str, JsonValue]) -> str:
    said = {name: value for name, value in arguments.items() if _is_said(value)}
    name = next((one for one in (*_TELLING, *said) if one in said), None)
    if name is None:
        return ""
    line = " ".join(redacted(str(said[name])).split())
    return line if len(line) <= _LONGEST_DETAIL else line[:_LONGEST_DETAIL] + _CUT


def _is_said(value: JsonValue) -> bool:
    return isinstance(value, (str, int, float)) and str(value).strip() != ""


def fenced(text: str) -> str:
    """What a tool gave as a block of code that nothing inside can end, cut to `MOST_SHOWN`."""
    shown = redacted(text.strip("\n"))
    if len(shown) > MOST_SHOWN:
        shown = f"{shown[:MOST_SHOWN]}\n…(truncated)…"
    longest = max((len(run) for run in _TICKS.findall(shown)), default=2)
    mark = "`" * (longest + 1)
    return f"{mark}\n{shown}\n{mark}"


def thought_text(thought: str, language: Language) -> str:
    """A thought as a message of its own, each line in italics as the reference has it."""
    if len(thought) > _LONGEST_THOUGHT:
        thought = thought[:_LONGEST_THOUGHT] + _CUT
    lines = _ITALIC_LINE.sub(r"_\1_", thought)
    return f"{PHRASES.say('thought', language)}\n{lines}"
