"""What a run tells, as an editor shows it. Pure but for what it remembers of the run.

    telling = RunTelling("run-1", workspace, Language.ENGLISH)
    for event in events:
        for update in telling.updates(event): ...     # session/update
    telling.stopped(outcome)                          # StopReason

Calls of tools get numbers of the run's, because the names that models give them may come again.
The model's Markdown loads nothing (`harmless`), what tools show is code to look at. Source:
https://agentclientprotocol.com/protocol/prompt-turn and /tool-calls
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from acp import helpers
from acp.schema import (
    AgentMessageChunk,
    AgentThoughtChunk,
    ContentToolCallContent,
    FileEditToolCallContent,
    StopReason,
    ToolCallLocation,
    ToolCallProgress,
    ToolCallStart,
    ToolKind,
    Usage,
    UserMessageChunk,
)

from moltbot_desktop.core.events import (
    ApprovalRequested,
    AssistantDelta,
    AssistantRetracted,
    CompactionStarted,
    RunEnded,
    RunEvent,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
)
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.results import OutcomeKind, RunOutcome
from moltbot_desktop.core.tool_words import tool_words
from moltbot_desktop.gateway.acp.harmless import HarmlessMarkdown, in_one_line, verbatim
from moltbot_desktop.gateway.client import ConversationItem, ItemKind

Update = AgentMessageChunk | AgentThoughtChunk | UserMessageChunk | ToolCallStart | ToolCallProgress
Content = ContentToolCallContent | FileEditToolCallContent
_LONGEST_TITLE = 200
_LONGEST_SHOWN = 20_000
_KINDS: Mapping[str, ToolKind] = MappingProxyType(
    {
        **dict.fromkeys(("read", "list", "memory_get", "image", "table_query"), "read"),
        **dict.fromkeys(("write", "edit", "apply_patch", "undo", "memory_store"), "edit"),
        **dict.fromkeys(("delete_file", "memory_forget"), "delete"),
        "move_file": "move",
        **dict.fromkeys(("find_files", "memory_search", "find_tool", "web_search"), "search"),
        **dict.fromkeys(("exec", "process"), "execute"),
        **dict.fromkeys(("web_fetch", "browser", "weather_query"), "fetch"),
    }
)
_PATHS = ("path", "file_path", "from", "to", "folder", "target")
_STOPS: Mapping[OutcomeKind, StopReason] = MappingProxyType(
    {
        OutcomeKind.CANCELLED: "cancelled",
        OutcomeKind.OUT_OF_BUDGET: "max_turn_requests",
        OutcomeKind.TIMED_OUT: "max_turn_requests",
    }
)
_PHRASES = Phrases(
    english={
        "summarising": "Summarising the beginning of this conversation…",
        "unfinished": "(unfinished)",
    },
    chinese={"summarising": "正在整理对话的开头…", "unfinished": "（未写完）"},
)


@dataclass
class _Call:
    number: str
    tool: str
    arguments: Mapping[str, JsonValue]
    begun: bool = False


@dataclass
class RunTelling:
    """For one prompt; a command and the run it sets going are one.

    Attributes:
        workspace: where paths that are not absolute begin.
    """

    name: str
    workspace: Path
    language: Language
    _calls: list[_Call] = field(default_factory=list)
    _open: dict[str, _Call] = field(default_factory=dict)
    _count: int = 0
    _markdown: HarmlessMarkdown = field(default_factory=HarmlessMarkdown)
    _streamed: str = ""
    _told: bool = False

    def updates(self, event: RunEvent) -> Sequence[Update]:
        """What to tell of `event`; of cards nothing, they are asked (`card_call`)."""
        match event:
            case AssistantDelta(thinking=True):
                return [helpers.update_agent_thought_text(event.text)] if event.text else []
            case AssistantDelta():
                self._streamed += event.text
                return self._said(self._markdown.more(event.text))
            case AssistantRetracted():
                return self._paragraph()
            case ToolStarted():
                return [*self._paragraph(), self._begun(event)]
            case ToolUpdated() if (call := self._open.get(event.call_id)) is not None:
                doing = tool_words(event.tool, self.language).doing
                title = in_one_line(f"{doing}: {event.display}", _LONGEST_TITLE)
                return [helpers.update_tool_call(call.number, title=title, status="in_progress")]
            case ToolEnded():
                return self._ended(event)
            case CompactionStarted():
                said = _PHRASES.say("summarising", self.language)
                return [helpers.update_agent_thought_text(said)]
            case RunEnded():
                return self._last(event.outcome)
            case _:
                return []

    def card_call(self, card: ApprovalRequested) -> tuple[str, ToolCallStart | None]:
        """The number of the call that `card` asks about; with what tells of it, where the card
        comes before its call, together with others."""
        for call in self._open.values():
            if (call.tool, call.arguments) == (card.tool, card.arguments):
                return call.number, None
        call = self._call(card.tool, card.arguments)
        self._calls.append(call)
        return call.number, self._start(call, "pending")

    def aside(self, text: str) -> Sequence[Update]:
        """Words of the program's own, a paragraph by themselves."""
        return [*self._paragraph(), *self._said(text)]

    def _begun(self, event: ToolStarted) -> Update:
        for at, known in enumerate(self._calls):
            if (known.tool, known.arguments) == (event.tool, event.arguments):
                call = self._calls.pop(at)
                self._open[event.call_id] = call
                return helpers.update_tool_call(call.number, status="in_progress")
        call = self._open[event.call_id] = self._call(event.tool, event.arguments)
        return self._start(call, "in_progress")

    def _call(self, tool: str, arguments: Mapping[str, JsonValue]) -> _Call:
        self._count += 1
        return _Call(f"{self.name}-{self._count}", tool, arguments)

    def _start(self, call: _Call, status: str) -> ToolCallStart:
        return helpers.start_tool_call(
            call.number,
            title_of(call.tool, call.arguments, self.language),
            kind=kind_of(call.tool),
            status="pending" if status == "pending" else "in_progress",
            content=edits_of(call.tool, call.arguments, self.workspace),
            locations=locations_of(call.arguments, self.workspace),
            raw_input=dict(call.arguments),
        )

    def _ended(self, event: ToolEnded) -> Sequence[Update]:
        call = self._open.pop(event.call_id, None)
        if call is None:
            return []
        shown: list[Content] = list(edits_of(call.tool, call.arguments, self.workspace))
        if event.display.strip():
            text = verbatim(event.display[:_LONGEST_SHOWN])
            shown.append(helpers.tool_content(helpers.text_block(text)))
        status = "completed" if event.ok else "failed"
        return [
            helpers.update_tool_call(
                call.number,
                title=title_of(call.tool, call.arguments, self.language),
                status="completed" if status == "completed" else "failed",
                content=shown,
            )
        ]

    def _last(self, outcome: RunOutcome) -> Sequence[Update]:
        left = [helpers.update_tool_call(one.number, status="failed") for one in self._left()]
        text = outcome.text or ("" if outcome.kind in _SILENT else outcome.reason)
        if self._streamed.strip() == text.strip() or not text.strip():
            return [*left, *self._paragraph(space=False)]
        told = [*left, *self._paragraph()]
        whole = HarmlessMarkdown()
        told += self._said(whole.more(text) + whole.rest())
        return [*told, *self._paragraph(space=False)]

    def _left(self) -> Sequence[_Call]:
        left = (*self._open.values(), *self._calls)
        self._open.clear()
        self._calls.clear()
        return left

    def _said(self, text: str) -> list[Update]:
        if not text:
            return []
        self._told = True
        return [helpers.update_agent_message_text(text)]

    def _paragraph(self, *, space: bool = True) -> list[Update]:
        """What was said stands by itself; what comes next is another paragraph."""
        told = self._said(self._markdown.rest())
        if space and self._told and self._streamed.strip():
            told += self._said("\n\n")
        self._streamed, self._markdown = "", HarmlessMarkdown()
        return told


_SILENT = (OutcomeKind.ANSWERED, OutcomeKind.SILENT, OutcomeKind.CANCELLED)


def stop_reason(outcome: RunOutcome) -> StopReason:
    """How a run that has not failed ended. The protocol knows no end for want of time; it is told
    in words, and as an end before the answer was whole."""
    return _STOPS.get(outcome.kind, "end_turn")


def usage_of(outcome: RunOutcome) -> Usage:
    used = outcome.usage
    return Usage(
        total_tokens=used.prompt_tokens + used.completion_tokens,
        input_tokens=used.prompt_tokens,
        output_tokens=used.completion_tokens,
        cached_read_tokens=used.cached_tokens,
    )


def history(items: Sequence[ConversationItem], language: Language) -> Sequence[Update]:
    """A conversation as it was, for an editor that opens it again."""
    told: list[Update] = []
    for number, item in enumerate(items):
        match item.kind:
            case ItemKind.USER:
                told.append(helpers.update_user_message_text(item.text))
            case ItemKind.TOOL:
                told.append(_old_call(f"before-{number}", item, language))
            case _:
                whole = HarmlessMarkdown()
                text = whole.more(item.text) + whole.rest()
                if item.unfinished:
                    text = f"{text} {_PHRASES.say('unfinished', language)}"
                told.append(helpers.update_agent_message_text(text))
    return told


def _old_call(number: str, item: ConversationItem, language: Language) -> ToolCallStart:
    words = tool_words(item.title, language)
    shown = verbatim(item.text[:_LONGEST_SHOWN])
    return helpers.start_tool_call(
        number,
        in_one_line(words.done if item.ok else words.meant, _LONGEST_TITLE),
        kind=kind_of(item.title),
        status="completed" if item.ok else "failed",
        content=[helpers.tool_content(helpers.text_block(shown))] if item.text.strip() else [],
    )


def kind_of(tool: str) -> ToolKind:
    return _KINDS.get(tool, "other")


def title_of(tool: str, arguments: Mapping[str, JsonValue], language: Language) -> str:
    """What a call does, with the first of its arguments that says about what."""
    doing = tool_words(tool, language).doing
    named = ("path", "command", "query", "url", "from", "text", "pattern", "file_path")
    about = next((str(arguments[one]) for one in named if arguments.get(one)), "")
    return in_one_line(f"{doing}: {about}" if about else doing, _LONGEST_TITLE)


def locations_of(arguments: Mapping[str, JsonValue], workspace: Path) -> list[ToolCallLocation]:
    """The files that a call names, absolute, so that the editor can follow."""
    found = [value for name in _PATHS if isinstance(value := arguments.get(name), str)]
    usable = [one for one in found if one.strip() and "\0" not in one and ":" not in one[2:]]
    line = arguments.get("line")
    at = line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else None
    return [ToolCallLocation(path=str(_absolute(one, workspace)), line=at) for one in usable]


def edits_of(
    tool: str, arguments: Mapping[str, JsonValue], workspace: Path
) -> list[FileEditToolCallContent]:
    """The passage that `edit` would replace. What `write` puts over a whole file is no comparison:
    nobody here has read what it held; its card shows it."""
    place = arguments.get("path") or arguments.get("file_path")
    old = arguments.get("oldText", arguments.get("old_string"))
    new = arguments.get("newText", arguments.get("new_string", ""))
    if tool != "edit" or not isinstance(place, str) or not isinstance(old, str):
        return []
    path = str(_absolute(place, workspace))
    return [helpers.tool_diff_content(path, new if isinstance(new, str) else "", old)]


def _absolute(path: str, workspace: Path) -> Path:
    return workspace / path
