"""Which of the allowed tools stand in a prompt: the core ones, and others once they are wanted.

    found = FoundTools(lambda key: specs)       # those that a conversation may use
    found.offered(specs, key, window=8_192)     # core tools and find_tool
    found.find("agent:main:main", "another conversation")
    found.offered(specs, key, window=8_192)     # ... and what was found

Every tool in a prompt is read before the first word of an answer, so a small model on a laptop is
shown the few that people ask for daily, and finds the others by words. Where the window is large
all of them are there, unless those of MCP servers would fill it. What a conversation has found
stays in its prompts, so that they change once.

A server describes its tools in its own words, and a model reads a description as it reads
everything. So the tools of a server that the owner did not vouch for (``approval: "auto"``) are in
no prompt until they are found; then its words are there (`worded_by_strangers`), and the
conversation is one with words of others. A tool that the settings name is the owner's choice.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from moltbot_desktop.agent.texts import server_and_tool
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.sdk.tools import Effect, ToolSpec

FIND_TOOL = "find_tool"
ROOMY_WINDOW = 32_768
"""Tokens of a window in which all tools have room."""
_SELDOM = frozenset({"exec", "memory_get", "reminder_list", "screenshot"})
"""Core tools that a small window has no room for: what `memory_get` gives, `memory_search` and
`read` give too; the others are asked for by name or by a skill. Eight of our own are left."""
_OF_SERVERS = frozenset({Effect.FOREIGN, Effect.FOREIGN_ALLOWED})
"""Nobody chose how many these are, nor how much they say."""
_SHARE = 8
"""They may take an eighth of a large window."""
_CHARACTERS_OF_A_TOKEN = 3
_MOST_CONVERSATIONS = 256
_MOST_FOUND = 4
_WORD = re.compile(r"[a-z]{3,}|[\u4e00-\u9fff]{2}")
_HAN = re.compile(r"[\u4e00-\u9fff]{2,}")


def _nothing_more(_key: SessionKey) -> bool:
    return False


@dataclass
class FoundTools:
    """`find` may be called on a worker thread, everything else on the agent's event loop.

    Attributes:
        specs: the tools that a conversation may use.
        named: tools that the settings name, which need no finding.
        more: whether a conversation has other things than tools to find, in a large window too.
    """

    specs: Callable[[SessionKey], Sequence[ToolSpec]]
    named: frozenset[str] = frozenset()
    more: Callable[[SessionKey], bool] = _nothing_more
    _found: OrderedDict[SessionKey, frozenset[str]] = field(default_factory=OrderedDict)

    def offered(
        self, specs: Sequence[ToolSpec], key: SessionKey, window: int
    ) -> tuple[ToolSpec, ...]:
        """Those of `specs`, the allowed ones, that stand in the next prompt of a conversation."""
        wanted = self.named | self._found.get(key, frozenset())
        others = {one.name for one in specs if not one.core} - {FIND_TOOL} - wanted
        if FIND_TOOL not in {one.name for one in specs}:
            return tuple(specs)
        if window >= ROOMY_WINDOW or not others:
            strange = frozenset(one.name for one in self.worded_by_strangers(specs))
            foreign = (_too_many(specs, window) | strange) - wanted
            needless = not (foreign or self.more(key))
            hidden = frozenset({FIND_TOOL}) if needless else foreign
        else:
            hidden = frozenset(others | (_SELDOM - wanted))
        return tuple(one for one in specs if one.name not in hidden)

    def worded_by_strangers(self, specs: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
        """Those that a server describes which the owner did not vouch for, nor named in the
        settings."""
        strange = (one for one in specs if one.effect is Effect.FOREIGN)
        return tuple(
            one for one in strange if server_and_tool(one.name) and one.name not in self.named
        )

    def find(self, key: SessionKey, words: str) -> tuple[ToolSpec, ...]:
        """The few tools that `words` fit best, which from now on stand in the prompts of `key`."""
        wanted = _words(words)
        ranked = sorted(
            ((_fit(wanted, one), one.name, one) for one in self.specs(key)),
            key=lambda rank: (-rank[0], rank[1]),
        )
        best = tuple(one for score, _, one in ranked if score > 0 and one.name != FIND_TOOL)
        best = best[:_MOST_FOUND]
        names = frozenset(one.name for one in best)
        self._found[key] = self._found.pop(key, frozenset()) | names
        while len(self._found) > _MOST_CONVERSATIONS:
            self._found.popitem(last=False)
        return best


def _too_many(specs: Sequence[ToolSpec], window: int) -> frozenset[str]:
    """The tools of servers, where they take more of a large window than they may."""
    foreign = [one for one in specs if one.effect in _OF_SERVERS]
    texts = (
        f"{one.name}{one.description}{json.dumps(one.parameters, default=dict)}" for one in foreign
    )
    tokens = sum(len(text) // _CHARACTERS_OF_A_TOKEN for text in texts)
    return frozenset(one.name for one in foreign) if tokens > window // _SHARE else frozenset()


def _fit(wanted: frozenset[str], spec: ToolSpec) -> int:
    """How many of the words say it; its name counts most."""
    name = _words(spec.name.replace("_", " "))
    about = _words(f"{spec.description} {spec.keywords}")
    return sum(3 * _in(word, name) + _in(word, about) for word in wanted)


def _in(word: str, words: frozenset[str]) -> bool:
    return word in words or any(
        len(word) > 3 and (one.startswith(word[:5]) or word.startswith(one)) for one in words
    )


def _words(text: str) -> frozenset[str]:
    """Latin words, and every two Han characters that stand side by side."""
    lowered = text.casefold()
    pairs = (run[0][at : at + 2] for run in _HAN.finditer(lowered) for at in range(len(run[0]) - 1))
    return frozenset(_WORD.findall(lowered)) | frozenset(pairs)
