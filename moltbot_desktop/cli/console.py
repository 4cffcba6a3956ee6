"""How answers look in a terminal and in a pipe. Decides nothing, prints what happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TextIO

from moltbot_desktop.cli.terminal_text import shown
from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.events import (
    AssistantDelta,
    CompactionEnded,
    CompactionStarted,
    RunEnded,
    RunEvent,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
)
from moltbot_desktop.core.i18n import Language, Phrases, in_one_line, language_of
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.results import OutcomeKind
from moltbot_desktop.core.tool_words import tool_words
from moltbot_desktop.gateway.client import InboxChanged, Notice, ReminderDue

PROMPT = "> "
"""What a person at a terminal types behind."""

_SHOWN_INPUT = 2_000
_PROGRESS_CHARACTERS = 70
_CLEARED = "\r\x1b[2K"
"""Back to the beginning of a line that is empty then."""


class Console(Protocol):
    """Where a conversation in a terminal is told."""

    def asked(self, text: str) -> None: ...

    def happened(self, event: RunEvent) -> None: ...

    def refused(self, text: str, error: MoltbotError) -> None: ...

    def reminder(self, event: ReminderDue) -> None: ...

    def notice(self, event: Notice) -> None: ...

    def inbox(self, event: InboxChanged) -> None: ...


_PHRASES = Phrases(
    english={
        "keep": "Keep this? “{text}”  /keep {id} or /no {id}",
        "waits": "Waits for your yes: “{text}” (moltbot-desktop memory accept {id})",
        "summarising": "summarising the beginning of this conversation…",
        "summarised": "summarised for the model; every word stays and can be searched",
    },
    chinese={
        "keep": "要记住吗？“{text}”  /keep {id} 或 /no {id}",
        "waits": "等你确认：“{text}”（moltbot-desktop memory accept {id}）",
        "summarising": "正在整理对话的开头…",
        "summarised": "已为模型整理好；每一句话都还在，也能搜索到",
    },
)


def inbox_lines(event: InboxChanged, phrase: str) -> list[str]:
    """What was just proposed, one a line, in its own language; then what was just done."""
    lines = [
        _PHRASES.say(phrase, language_of(one.text), text=one.text, id=one.id)
        for one in event.waiting
        if one.id in event.fresh
    ]
    return [*lines, event.told] if event.told else lines


def reminder_line(event: ReminderDue) -> str:
    missed = " (missed while I was off)" if event.missed else ""
    return f"⏰ {event.text} — {event.due}{missed}"


@dataclass
class PlainConsole:
    """Answers as lines of text; errors and notices go to the error stream."""

    out: TextIO
    err: TextIO

    def asked(self, text: str) -> None:
        """A pipe does not show the question again."""

    def happened(self, event: RunEvent) -> None:
        if isinstance(event, RunEnded):
            self._line(self.out, event.outcome.text or event.outcome.reason)

    def refused(self, text: str, error: MoltbotError) -> None:
        self._line(self.out, in_words(error, language_of(text)))

    def reminder(self, event: ReminderDue) -> None:
        self._line(self.out, reminder_line(event))

    def notice(self, event: Notice) -> None:
        self._line(self.err, in_one_line(event.text, event.hint))

    def inbox(self, event: InboxChanged) -> None:
        for line in inbox_lines(event, "waits"):
            self._line(self.err, line)

    @staticmethod
    def _line(stream: TextIO, text: str) -> None:
        stream.write(text + "\n")
        stream.flush()


@dataclass
class TerminalConsole(PlainConsole):
    """As a person at a terminal likes it: the answer while it comes, tools as dim lines.

    Attributes:
        own: the assistant is of this process. One that runs elsewhere takes no yes from here, so
            what waits for one names the command that gives it.
    """

    own: bool = True

    _streamed: str = ""
    _progress: bool = False
    """How far a slow tool is stands in the line, and goes when anything else comes."""
    _idle: bool = False
    """The prompt for the next line stands there already."""
    _language: Language = Language.ENGLISH

    def asked(self, text: str) -> None:
        self._streamed = ""
        self._idle = False
        self._language = language_of(text, self._language)

    def happened(self, event: RunEvent) -> None:
        match event:
            case AssistantDelta() if not event.thinking:
                self._end_progress()
                self._streamed += event.text
                self.out.write(shown(event.text))
                self.out.flush()
            case ToolStarted():
                self._dim(f"{tool_words(event.tool, self._language).doing}…")
            case ToolUpdated():
                self._update(event.display)
            case ToolEnded():
                self._end_progress()
            case CompactionStarted():
                self._dim(_PHRASES.say("summarising", self._language))
            case CompactionEnded() if event.exchanges:
                self._dim(_PHRASES.say("summarised", self._language))
            case RunEnded():
                self._end(event)

    def reminder(self, event: ReminderDue) -> None:
        self.out.write("\a\r")
        super().reminder(event)
        self._prompt_again()

    def notice(self, event: Notice) -> None:
        """On a line of its own, not behind the prompt."""
        self._end_progress()
        self.out.write("\r" if self._idle else "")
        self.out.flush()
        super().notice(event)
        self._prompt_again()

    def inbox(self, event: InboxChanged) -> None:
        """Below the answer; the prompt for the next line may stand there already."""
        if lines := inbox_lines(event, "keep" if self.own else "waits"):
            told = "".join(f"\x1b[2m· {line}\x1b[0m\n" for line in lines)
            self.out.write(f"\r{told}{PROMPT}")
            self.out.flush()

    def _prompt_again(self) -> None:
        if self._idle:
            self.out.write(PROMPT)
            self.out.flush()

    def _dim(self, text: str) -> None:
        self._new_line()
        self.out.write(f"\x1b[2m· {text}\x1b[0m\n")
        self.out.flush()

    def _update(self, display: str) -> None:
        self._new_line()
        line = " ".join(display.split())[:_PROGRESS_CHARACTERS]
        self.out.write(f"\x1b[2m  {line}\x1b[0m")
        self.out.flush()
        self._progress = True

    def _end_progress(self) -> None:
        if self._progress:
            self.out.write(_CLEARED)
        self._progress = False

    def _end(self, event: RunEnded) -> None:
        self._end_progress()
        self._idle = not event.then
        text = event.outcome.text or event.outcome.reason
        if self._streamed.strip() != text.strip():
            self._new_line()
            self.out.write(shown(text))
        self.out.write("\n")
        self.out.flush()

    def _new_line(self) -> None:
        self._end_progress()
        if self._streamed:
            self.out.write("\n")
        self._streamed = ""


@dataclass
class JsonConsole:
    """One JSON object per input line, as scripts and evaluations read it.

    ``input``, ``text``, ``tool_calls`` (``name``, ``arguments``, ``ok``, ``outcome``),
    ``outcome``, ``reason``, ``tokens`` (``prompt``, ``cached``, ``completion``), ``seconds``.
    Everything else goes to the error stream, so that line n answers input n.
    """

    out: TextIO
    err: TextIO
    _input: str = ""
    _calls: dict[str, dict[str, JsonValue]] = field(default_factory=dict)

    def asked(self, text: str) -> None:
        self._input = text
        self._calls = {}

    def happened(self, event: RunEvent) -> None:
        match event:
            case ToolStarted():
                arguments: JsonValue = dict(event.arguments)
                self._calls[event.call_id] = {"name": event.tool, "arguments": arguments}
            case ToolEnded():
                self._calls[event.call_id] |= {"ok": event.ok, "outcome": event.outcome}
            case RunEnded() if not event.then:
                self._print(self._answer(event))

    def refused(self, text: str, error: MoltbotError) -> None:
        self._print(
            {
                "input": text[:_SHOWN_INPUT],
                "text": in_words(error, language_of(text)),
                "tool_calls": [],
                "outcome": OutcomeKind.FAILED.value,
                "reason": error.code,
                "tokens": {"prompt": 0, "cached": 0, "completion": 0},
                "seconds": 0.0,
            }
        )

    def reminder(self, event: ReminderDue) -> None:
        self.err.write(reminder_line(event) + "\n")

    def notice(self, event: Notice) -> None:
        self.err.write(in_one_line(event.text, event.hint) + "\n")

    def inbox(self, event: InboxChanged) -> None:
        self.err.writelines(line + "\n" for line in inbox_lines(event, "waits"))

    def _answer(self, event: RunEnded) -> Mapping[str, JsonValue]:
        outcome = event.outcome
        return {
            "input": self._input,
            "text": outcome.text,
            "tool_calls": list(self._calls.values()),
            "outcome": outcome.kind.value,
            "reason": outcome.reason,
            "tokens": {
                "prompt": outcome.usage.prompt_tokens,
                "cached": outcome.usage.cached_tokens,
                "completion": outcome.usage.completion_tokens,
            },
            "seconds": round(outcome.seconds, 4),
        }

    def _print(self, value: Mapping[str, JsonValue]) -> None:
        self.out.write(json.dumps(value, ensure_ascii=False) + "\n")
        self.out.flush()
