"""`find_tool`: finds the tools that are not in the prompt, by words, and puts them there.

{"words": "write to another conversation"}   ->   {"tools": [{"name": ..., "what": ...}]}

Where there are more skills than the prompt lists, it finds those too, with the file to read:
``{"tools": [...], "skills": [{"name": ..., "what": ..., "read": "~/…/SKILL.md"}]}``. One tool for
both: a small model that looks for help need not know what kind of help there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.core.ids import SessionKey
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.replies import arguments, ask, text_argument

Find = Callable[[SessionKey, str], Sequence[ToolSpec]]
"""The tools that fit some words best, of those that a conversation may use."""
_KINDS = (
    *("commands", "reminders", "forgetting", "files", "clipboard", "screen"),
    *("schedule", "conversations", "helpers", "messages"),
)
_PHRASES = Phrases(
    {
        "ask": "What kind of tool shall I look for?",
        "found": "Found: {names}",
        "none": "I have no tool for that.",
    },
    {
        "ask": "要找什么样的工具？",
        "found": "找到：{names}",
        "none": "没有这样的工具。",
    },
)


@dataclass(frozen=True)
class FoundSkill:
    """A skill that the prompt may not list; `read` is the path of its SKILL.md."""

    name: str
    description: str
    read: str


def _no_skills(_session: SessionKey, _words: str) -> Sequence[FoundSkill]:
    return ()


def _none_lent() -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class FindTool:
    """What it finds can be called in the same run.

    Attributes:
        skills: those that fit some words best, of those that a conversation may use; none while
            its prompt lists all.
        lent: names of what the owner added that has tools of its own (MCP servers).
    """

    find: Find
    skills: Callable[[SessionKey, str], Sequence[FoundSkill]] = _no_skills
    lent: Callable[[], Sequence[str]] = _none_lent

    @property
    def spec(self) -> ToolSpec:
        kinds = (*_KINDS, *self.lent())
        return ToolSpec(
            "find_tool",
            f"Find more tools: {', '.join(kinds)}.",
            arguments(("words",), words=text_argument()),
            Effect.NONE,
            core=False,
        )

    def run(self, given: ToolInput, context: ToolContext) -> ToolResult:
        words = given.text("words")
        if not words:
            return ask("words", _PHRASES.say("ask", context.language))
        found = self.find(context.session, words)
        rows: list[JsonValue] = [
            {"name": one.name, "what": one.description, "parameters": one.parameters}
            for one in found
        ]
        skills = self.skills(context.session, words)
        names = ", ".join([one.name for one in found] + [one.name for one in skills])
        key = "found" if names else "none"
        data: dict[str, JsonValue] = {"tools": rows}
        if skills:
            data["skills"] = [
                {"name": one.name, "what": one.description, "read": one.read} for one in skills
            ]
        return ToolResult(data, _PHRASES.say(key, context.language, names=names))
