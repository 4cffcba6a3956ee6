"""A command line as literal words, or the reason why it is none. Never a shell.

    read_command("ls -la && grep 'a b' notes.txt | wc -l")
    # Literal((Step(Joint.ALWAYS, (("ls", "-la"),)),
    #          Step(Joint.AND, (("grep", "a b", "notes.txt"), ("wc", "-l")))))
    read_command("ls > out.txt")     # NotLiteral(Obstacle.REDIRECTION, 3)

The words are exactly those that bash would hand to the programs; that is what the oracle test
holds against a real bash. Everything whose meaning depends on more than the text itself (a
variable, a file name pattern, a substitution) is refused and named, instead of being understood
nearly: allow lists of other assistants were passed by ``ls "$(touch x)"``. Rather too strict than
wrong: what is refused is asked for, not forbidden.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

MOST_CHARACTERS = 4096

Argv = tuple[str, ...]


class Obstacle(StrEnum):
    """Why a command line is not literal."""

    EMPTY = "empty"
    LONG = "long"
    CONTROL = "control"
    """A line end, a control character, or one that cannot be seen."""
    LOOKALIKE = "lookalike"
    """A character that looks like another one, or like a blank."""
    EXPANSION = "expansion"
    """``$``: a variable, a sum, a substitution."""
    SUBSTITUTION = "substitution"
    PATTERN = "pattern"
    """``*``, ``?``, ``[``, ``{``: a pattern of file names."""
    HOME = "home"
    """``~`` where a shell puts the home folder."""
    REDIRECTION = "redirection"
    BACKGROUND = "background"
    GROUP = "group"
    COMMENT = "comment"
    ESCAPE = "escape"
    HISTORY = "history"
    QUOTE = "quote"
    """A quote without its end."""
    ASSIGNMENT = "assignment"
    """A variable set before the program, or instead of it."""
    KEYWORD = "keyword"
    """A word of the shell's own language."""
    JOINT = "joint"
    """``&&``, ``|`` or ``;`` with nothing beside it."""


class Joint(StrEnum):
    """When a step runs, seen from the one before it."""

    ALWAYS = ";"
    AND = "&&"
    OR = "||"


@dataclass(frozen=True)
class Step:
    """Programs whose output and input are joined, each with its words; the first step of a
    command line has `ALWAYS`."""

    joint: Joint
    pipeline: tuple[Argv, ...]


@dataclass(frozen=True)
class Literal:
    steps: tuple[Step, ...]

    @property
    def commands(self) -> tuple[Argv, ...]:
        """Every program with its words, in the order they are written."""
        return tuple(argv for step in self.steps for argv in step.pipeline)


@dataclass(frozen=True)
class NotLiteral:
    """`at`: the place in the text, in characters."""

    why: Obstacle
    at: int


_KEYWORDS = frozenset(
    "if then else elif fi case esac for select while until do done in function time coproc".split()
)
_BUILTINS = frozenset(
    ". : alias bg bind break builtin caller cd command compgen complete compopt continue declare "
    "dirs disown enable eval exec exit export fc fg getopts hash help history jobs let local "
    "logout mapfile popd pushd read readarray readonly return set shift shopt source suspend trap "
    "type typeset ulimit umask unalias unset wait".split()
)
"""What only a shell can do. ``cd`` is understood where it stands first, by who runs the words;
programs that are builtins as well (echo, test, kill) do the same by themselves."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_JOINTS = {"&&": Joint.AND, "||": Joint.OR, ";": Joint.ALWAYS}
_SPECIAL = {
    "$": Obstacle.EXPANSION,
    "`": Obstacle.SUBSTITUTION,
    "*": Obstacle.PATTERN,
    "?": Obstacle.PATTERN,
    "[": Obstacle.PATTERN,
    "]": Obstacle.PATTERN,
    "{": Obstacle.PATTERN,
    "}": Obstacle.PATTERN,
    "<": Obstacle.REDIRECTION,
    ">": Obstacle.REDIRECTION,
    "(": Obstacle.GROUP,
    ")": Obstacle.GROUP,
    "\\": Obstacle.ESCAPE,
    "!": Obstacle.HISTORY,
}


@dataclass(frozen=True)
class Signs:
    """Characters that mean something.

    Attributes:
        bare: outside of quotes.
        in_double: between double quotes.
        quote: what is wrong with the quote whose signs stand at two places of a text.
    """

    bare: Mapping[str, Obstacle]
    in_double: Mapping[str, Obstacle]
    quote: Callable[[str, int, int], Obstacle | None] = lambda _text, _begin, _end: None


BASH = Signs(MappingProxyType(_SPECIAL), MappingProxyType({one: _SPECIAL[one] for one in "$`\\!"}))


class _Refused(Exception):
    def __init__(self, why: Obstacle, at: int) -> None:
        super().__init__(why.value)
        self.why, self.at = why, at


def read_command(text: str, signs: Signs = BASH) -> Literal | NotLiteral:
    """The literal words of `text`, or what stands in the way. Total, and linear in its length."""
    if len(text) > MOST_CHARACTERS:
        return NotLiteral(Obstacle.LONG, MOST_CHARACTERS)
    try:
        return _parsed(text, signs)
    except _Refused as refused:
        return NotLiteral(refused.why, refused.at)


@dataclass(frozen=True)
class _Word:
    text: str
    at: int


def _parsed(text: str, signs: Signs) -> Literal:
    steps: list[Step] = []
    pipeline: list[Argv] = []
    words: list[_Word] = []
    joint, at = Joint.ALWAYS, 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        sign = _sign(text, at)
        if not sign:
            word, at = _word(text, at, signs)
            words.append(word)
            continue
        pipeline.append(_command(words, at))
        words = []
        if sign != "|":
            steps.append(Step(joint, tuple(pipeline)))
            pipeline, joint = [], _JOINTS[sign]
        at += len(sign)
    if words or pipeline or joint is not Joint.ALWAYS:
        pipeline.append(_command(words, len(text)))
        steps.append(Step(joint, tuple(pipeline)))
    if not steps:
        raise _Refused(Obstacle.EMPTY, 0)
    return Literal(tuple(steps))


def _sign(text: str, at: int) -> str:
    """The joint that begins here; "" for none."""
    two = text[at : at + 2]
    if two in ("&&", "||"):
        return two
    if two in (";;", "|&", ";&"):
        raise _Refused(Obstacle.JOINT, at)
    if text[at] == "&":
        raise _Refused(Obstacle.BACKGROUND, at)
    return text[at] if text[at] in "|;" else ""


def _command(words: list[_Word], at: int) -> Argv:
    if not words:
        raise _Refused(Obstacle.JOINT, at)
    first = words[0]
    if _ASSIGNMENT.match(first.text):
        raise _Refused(Obstacle.ASSIGNMENT, first.at)
    if first.text in _KEYWORDS or not first.text.strip():
        raise _Refused(Obstacle.KEYWORD, first.at)
    if not first.text.isascii():
        raise _Refused(Obstacle.LOOKALIKE, first.at)
    return tuple(word.text for word in words)


def _word(text: str, begin: int, signs: Signs) -> tuple[_Word, int]:
    parts: list[str] = []
    at = begin
    while at < len(text) and text[at] not in " ;|&":
        character = text[at]
        if character in "'\"":
            part, at = _quoted(text, at, signs)
            parts.append(part)
            continue
        _check_bare(text, at, begin, signs)
        parts.append(character)
        at += 1
    return _Word("".join(parts), begin), at


def _check_bare(text: str, at: int, begin: int, signs: Signs) -> None:
    character = text[at]
    if (why := signs.bare.get(character)) is not None:
        raise _Refused(why, at)
    if character == "#" and at == begin:
        raise _Refused(Obstacle.COMMENT, at)
    if character == "~" and (at == begin or text[at - 1] in "=:"):
        raise _Refused(Obstacle.HOME, at)
    _check_visible(character, at)
    if not character.isascii() and unicodedata.normalize("NFKC", character).isascii():
        raise _Refused(Obstacle.LOOKALIKE, at)


def _quoted(text: str, begin: int, signs: Signs) -> tuple[str, int]:
    quote = text[begin]
    special = signs.in_double if quote == '"' else {}
    for at in range(begin + 1, len(text)):
        character = text[at]
        if character == quote:
            if (why := signs.quote(text, begin, at)) is not None:
                raise _Refused(why, begin)
            return text[begin + 1 : at], at + 1
        if (why := special.get(character)) is not None:
            raise _Refused(why, at)
        _check_visible(character, at)
    raise _Refused(Obstacle.QUOTE, begin)


def _check_visible(character: str, at: int) -> None:
    """What a person who reads the card sees is what there is."""
    kind = unicodedata.category(character)
    if kind in ("Zs", "Zl", "Zp") and character != " ":
        raise _Refused(Obstacle.LOOKALIKE, at)
    if kind.startswith("C"):
        raise _Refused(Obstacle.CONTROL, at)


def needs_shell(argv: Argv) -> bool:
    """Whether the first word is something that only a shell can do."""
    return argv[0] in _BUILTINS
