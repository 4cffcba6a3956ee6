"""Whether a message in a group is meant for the assistant, and what was said before it.

    matcher = mention_matcher(agent_patterns, group_patterns, name="Clawd", emoji="🦞")
    matcher.names("hey clawd!", mentioned=None)        # True

    history = GroupHistory()
    history.add(key, Line("Ada (42)", "who is free tonight?"))
    prompt = before_it(history.take(key)) + said_by("Ben (7)", "clawd, what do you think?")

What others said is context and nobody's order: each line of it names who said it, and no line can
be made to look like the message that is answered, or like another person's.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from moltbot_desktop.gateway.patterns import PatternRefused, SafePattern, compile_pattern
from moltbot_desktop.sdk.channels import Sender

HISTORY_MARK = "[Chat messages since your last reply - for context]"
CURRENT_MARK = "[Current message - respond to this]"
LINES_PER_GROUP = 50
MOST_GROUPS = 1_000
_LINE_CHARACTERS = 2_000
_MENTION_CHARACTERS = 4_000
"""Only so much of a message is looked at, from both its ends together."""

_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
_BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_IN_NAME = re.compile(r"[\[\]():<>\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_QUOTE_MARK = re.compile(r"\[(/?Replying\b[^\[\]\n]*)\]", re.IGNORECASE)
_HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True)
class MentionMatcher:
    """How the assistant is called.

    Attributes:
        refused: patterns of the settings that cannot be used, to be told once.
    """

    patterns: tuple[SafePattern, ...] = ()
    refused: tuple[str, ...] = ()

    def names(self, text: str, mentioned: bool | None = None) -> bool:
        """Whether `text` calls the assistant.

        Args:
            mentioned: what the platform says of it, which counts when it can say.
        """
        if mentioned is not None:
            return mentioned
        plain = _INVISIBLE.sub("", text)
        if len(plain) > _MENTION_CHARACTERS:
            half = _MENTION_CHARACTERS // 2
            plain = f"{plain[:half]}\n{plain[-half:]}"
        return any(pattern.finds(plain) for pattern in self.patterns)

    def without(self, text: str) -> str:
        """`text` without the calling, so that a command behind it is one; when nothing would be
        left, all of it."""
        if len(text) > _MENTION_CHARACTERS:
            return text
        rest = text
        for pattern in self.patterns:
            rest = pattern.without(rest)
        rest = rest.strip().lstrip(",，:：@ ") if rest != text else rest
        return rest or text


NOBODY = MentionMatcher()


def mention_matcher(
    agent: Sequence[str] | None,
    everywhere: Sequence[str] | None,
    *,
    name: str = "",
    emoji: str = "",
    username: str = "",
) -> MentionMatcher:
    """The matcher of an agent: its own patterns, else those of all groups, else its name. With an
    "@" its user name counts beside all of them.

    Args:
        agent: patterns of the agent; None when its settings have none.
        everywhere: those of `messages.groupChat`; None when there are none.
        name: of the agent's identity.
        emoji: of the agent's identity.
        username: the assistant's on the channel, without "@"; "" when it has none.
    """
    patterns: list[SafePattern] = []
    refused: list[str] = []
    if username:
        patterns.append(compile_pattern("@" + _escaped(username) + r"\b"))
    for text in agent if agent is not None else everywhere or _derived(name, emoji, everywhere):
        try:
            # A backspace is what JSON makes of an unescaped \b.
            patterns.append(compile_pattern(text.replace("\b", r"\b")))
        except PatternRefused:
            refused.append(text)
    return MentionMatcher(tuple(patterns), tuple(refused))


def _derived(name: str, emoji: str, everywhere: Sequence[str] | None) -> list[str]:
    if everywhere is not None:
        return []
    found = []
    if words := name.split():
        # Chinese has no blanks between words, so a name has no borders there.
        if _HAN.search(name):
            found.append("@?" + r"\s*".join(map(_escaped, words)))
        else:
            found.append(r"\b@?" + r"\s+".join(map(_escaped, words)) + r"\b")
    if emoji.strip():
        found.append(_escaped(emoji.strip()))
    return found


def _escaped(text: str) -> str:
    return "".join(one if one.isalnum() else "\\" + one for one in text if not one.isspace())


@dataclass(frozen=True)
class Line:
    """Something that was said in a group; `sender` as `shown_name` makes it."""

    sender: str
    text: str


@dataclass
class GroupHistory:
    """What was said in groups and not answered. In memory only: it is context, not truth.

    Attributes:
        limit: lines kept for a group; 0 keeps none.
    """

    limit: int = LINES_PER_GROUP
    _groups: OrderedDict[str, deque[Line]] = field(default_factory=OrderedDict)

    def add(self, group: str, line: Line) -> None:
        """Keep a line, in the place of the oldest of its group or of the group heard of last."""
        if self.limit <= 0:
            return
        lines = self._groups.setdefault(group, deque(maxlen=self.limit))
        self._groups.move_to_end(group)
        lines.append(Line(line.sender, line.text[:_LINE_CHARACTERS]))
        while len(self._groups) > MOST_GROUPS:
            self._groups.popitem(last=False)

    def take(self, group: str) -> tuple[Line, ...]:
        """What was said since the last answer, oldest first; it is told once."""
        return tuple(self._groups.pop(group, ()))


def shown_name(sender: Sender) -> str:
    """Who somebody is, in one line: a name anybody can choose, and the id that nobody can."""
    name = " ".join(_IN_NAME.sub(" ", _INVISIBLE.sub("", sender.name or sender.username)).split())
    number = _IN_NAME.sub("", sender.id)
    return f"{name[:60]} ({number})" if name and number else name[:60] or number


def shown_file(name: str) -> str:
    """The name of a file that came, in one line: whoever sent it has chosen it."""
    return " ".join(_IN_NAME.sub(" ", _INVISIBLE.sub("", name)).split())[:100] or "file"


def before_it(lines: Sequence[Line], header: str = "", answers: str = "") -> str:
    """What stands above a message: what was said in the group before it, what it `answers`
    (`message_header.quote`) and its `header` (`message_header`); "" for none of them."""
    above = answers + (header and f"{header} ")
    if not lines:
        return above
    before = "\n".join(said_by(line.sender, line.text) for line in lines)
    return f"{HISTORY_MARK}\n{before}\n\n{CURRENT_MARK}\n{above}"


def said_by(sender: str, text: str) -> str:
    """Who says what. Further lines are indented: one that begins at the margin is always the
    program's."""
    return f"{sender}: " + "\n    ".join(lines_of(text))


def lines_of(text: str) -> list[str]:
    """What somebody wrote, line by line, none of which has a mark of the program's in it."""
    return [_unmarked(line.rstrip()) for line in _BREAKS.split(text.strip())]


def _unmarked(line: str) -> str:
    for mark in (HISTORY_MARK, CURRENT_MARK):
        line = re.sub(re.escape(mark), f"({mark[1:-1]})", line, flags=re.IGNORECASE)
    return _QUOTE_MARK.sub(r"(\1)", line)
