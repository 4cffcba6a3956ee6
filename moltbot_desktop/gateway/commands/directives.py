"""Directives: settings that may stand inside a message that says more.

    read = directives_in("/think high what is 17 * 23?")
    read.directives.think          # "high", for this message only
    read.text                      # "what is 17 * 23?"

They are looked for in the reference's order and taken out. One that would mean nothing (/think
with a word that is no level, /model with a model nobody has) is left in the text: it was about
the command, or about a path. So is everything in code. What the words around them say, and how
they stand in lines, does not change.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from moltbot_desktop.agent.run_settings import RunSettings
from moltbot_desktop.gateway.commands.levels import level
from moltbot_desktop.gateway.commands.options import (
    ExecOptions,
    QueueOptions,
    exec_options,
    queue_options,
)
from moltbot_desktop.gateway.commands.registry import COMMANDS, SIMPLE
from moltbot_desktop.sessions.settings import SessionSettings

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_WORD = re.compile(r"[ \t]*(?:[:：][ \t]*)?([^\s:：=]+)")
_LINE_END = re.compile(r"[^\S\n]*(?:\n|\Z)")
_OPTION_WORD = re.compile(r"[ \t]*(?:[:：][ \t]*)?(\S+)")

ModelKnown = Callable[[str], bool]
"""Whether a word names a model that can be used."""


@dataclass(frozen=True)
class Directives:
    """What a message sets; "" and empty options set nothing.

    Attributes:
        status: the state is asked for beside what the message says.
        model: as it was typed; ``default`` for the agent's own.
    """

    think: str = ""
    verbose: str = ""
    reasoning: str = ""
    elevated: str = ""
    exec: ExecOptions = field(default_factory=ExecOptions)
    status: bool = False
    model: str = ""
    queue: QueueOptions = field(default_factory=QueueOptions)

    def __bool__(self) -> bool:
        return self != _NONE

    @property
    def for_run(self) -> RunSettings:
        """What holds for the run of this message alone."""
        return RunSettings(self.think, self.verbose, self.reasoning, self.model)

    def applied_to(self, settings: SessionSettings) -> SessionSettings:
        """`settings` with what this sets: for one message, or for the conversation."""
        if not self:
            return settings
        queue, run = self.queue, self.exec
        changed = replace(
            settings,
            think=self.think or settings.think,
            verbose=self.verbose or settings.verbose,
            reasoning=self.reasoning or settings.reasoning,
            elevated=self.elevated or settings.elevated,
            exec_host=run.host or settings.exec_host,
            exec_security=run.security or settings.exec_security,
            exec_ask=run.ask or settings.exec_ask,
            exec_node=run.node or settings.exec_node,
        )
        if queue.default:
            changed = replace(
                changed, queue_mode="", queue_debounce_ms=None, queue_cap=None, queue_drop=""
            )
        changed = replace(
            changed,
            queue_mode=queue.mode or changed.queue_mode,
            queue_debounce_ms=_first(queue.debounce_ms, changed.queue_debounce_ms),
            queue_cap=_first(queue.cap, changed.queue_cap),
            queue_drop=queue.drop or changed.queue_drop,
        )
        return _with_model(changed, self.model) if self.model else changed


_NONE = Directives()


@dataclass(frozen=True)
class Read:
    """A message taken apart; `text` is what it says apart from its directives."""

    text: str
    directives: Directives = field(default_factory=Directives)


def directives_in(text: str, model_known: ModelKnown = lambda _: False) -> Read:
    """`text` without its directives, and what they set."""
    read = Read(text.strip())
    for name, take in _TAKERS.items():
        read = _taken(read, name, take, model_known)
    return read


def without_simple(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` without the commands that change nothing, and their names.

    They count at the end of a line: "/help me" asks for help with something. One that is there
    several times is taken out once.
    """
    names: list[str] = []
    for name in sorted(SIMPLE):
        at_line_ends = (at for at in _places(text, name) if _LINE_END.match(text, at[1]))
        if place := next(at_line_ends, None):
            text = _cut(text, *place)
            names.append(name)
    return text, tuple(names)


@dataclass(frozen=True)
class _Found:
    """What one directive sets, and where it ends in the text."""

    directives: Directives
    end: int


_Take = Callable[[Directives, str, int, ModelKnown], _Found | None]


def _taken(read: Read, name: str, take: _Take, model_known: ModelKnown) -> Read:
    for start, end in _places(read.text, name):
        found = take(read.directives, read.text, end, model_known)
        if found is not None:
            return Read(_cut(read.text, start, found.end), found.directives)
    return read


def _places(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where /`name` stands as a word of its own, outside code."""
    names = "|".join(map(re.escape, COMMANDS[name].names))
    code = [match.span() for match in _CODE.finditer(text)]
    for match in re.finditer(rf"(?:(?<=\s)|^)/(?:{names})(?=\s|[:：]|$)", text, re.IGNORECASE):
        before = bisect_right(code, (match.start(), len(text) + 1)) - 1
        if before < 0 or code[before][1] <= match.start():
            yield match.span()


def _cut(text: str, start: int, end: int) -> str:
    """`text` without a part, and without the blanks that only parted it from the rest."""
    before, after = text[:start], text[end:]
    if before[-1:] in (" ", "\t", "") or after[:1] in ("\n", ""):
        before = before.rstrip(" \t")
    after = after.lstrip(" \t")
    glue = " " if before[-1:].strip() and after[:1].strip() else ""
    return f"{before}{glue}{after}".strip()


def _level(name: str, setter: Callable[[Directives, str], Directives]) -> _Take:
    def take(known: Directives, text: str, end: int, _: ModelKnown) -> _Found | None:
        word = _WORD.match(text, end)
        meant = level(name, word[1]) if word else ""
        return _Found(setter(known, meant), word.end()) if word and meant else None

    return take


def _exec(known: Directives, text: str, end: int, _: ModelKnown) -> _Found | None:
    words, after = _options(text, end, lambda word: not exec_options(word).wrong)
    return _Found(replace(known, exec=exec_options(words)), after) if words else None


def _queue(known: Directives, text: str, end: int, _: ModelKnown) -> _Found | None:
    words, after = _options(text, end, lambda word: not queue_options(word).wrong)
    return _Found(replace(known, queue=queue_options(words)), after) if words else None


def _status(known: Directives, text: str, end: int, _: ModelKnown) -> _Found | None:
    after = end + 1 if text[end : end + 1] in (":", "：") else end
    return _Found(replace(known, status=True), after)


def _model(known: Directives, text: str, end: int, model_known: ModelKnown) -> _Found | None:
    word = _OPTION_WORD.match(text, end)
    if word is None or not (word[1].casefold() == "default" or model_known(word[1])):
        return None
    return _Found(replace(known, model=word[1]), word.end())


def _options(text: str, end: int, usable: Callable[[str], bool]) -> tuple[str, int]:
    """The usable words from `end` on, and where they end."""
    words: list[str] = []
    while (word := _OPTION_WORD.match(text, end)) and usable(word[1]):
        words.append(word[1])
        end = word.end()
    return " ".join(words), end


_TAKERS: dict[str, _Take] = {
    "think": _level("think", lambda known, one: replace(known, think=one)),
    "verbose": _level("verbose", lambda known, one: replace(known, verbose=one)),
    "reasoning": _level("reasoning", lambda known, one: replace(known, reasoning=one)),
    "elevated": _level("elevated", lambda known, one: replace(known, elevated=one)),
    "exec": _exec,
    "status": _status,
    "model": _model,
    "queue": _queue,
}
"""In the order in which they are taken out."""


def _first(one: int | None, other: int | None) -> int | None:
    return other if one is None else one


def _with_model(settings: SessionSettings, model: str) -> SessionSettings:
    if model.casefold() == "default":
        return replace(settings, model="", model_provider="")
    provider, slash, name = model.partition("/")
    if not slash:
        return replace(settings, model=model, model_provider="")
    return replace(settings, model=name, model_provider=provider)
