"""What is told to somebody who helps: how the program does, and not a word of its owner's. Pure.

    scrubbed_log(text, vocabulary)        # words that the program itself says stay, others become …
    settings_shape(raw, names, choices)   # which settings are written, of what kind

Not what looks private is taken out, but what the program is known to say is kept: a name, a path or
a sentence of a conversation that got into the log is none of it.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Mapping, Set

from moltbot_desktop.core import errors
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.security.redaction import holds_key

HIDDEN = "…"
_LONGEST_LINE = 2_000
_MOST_LINES = 2_000
_LARGEST_NUMBER = 100_000
_DEEPEST = 12
_HEAD = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[,.]?\d{0,6}) "
    r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) (?P<name>[A-Za-z0-9_.]{1,100}): "
)
_FRAME = re.compile(
    r'\s{0,12}File "(?P<path>[^"]{1,400})", line (?P<line>\d{1,7})(?:, in (?P<name>\S{1,100}))?'
)
_OURS = re.compile(r"moltbot_desktop[/\\][A-Za-z0-9_/\\]{1,200}\.py$")
_LIBRARY = re.compile(r"(?:site-packages|python3\.\d{1,2})[/\\][A-Za-z0-9_./\\-]{1,200}\.pyi?$")
_QUOTED = re.compile(r"“[^”]{0,2000}”|\"[^\"]{0,2000}\"|'[^']{0,2000}'|`[^`]{0,2000}`")
_PATH = re.compile(r"(?:[A-Za-z]:)?[^\s“”\"'`]{0,400}[/\\@][^\s“”\"'`]{0,400}")
_TOKEN = re.compile(r"[A-Za-z]+(?:[_.][A-Za-z]+)*|\d+|[^\x00-\x7f]+|_+")
_SLOT = re.compile(r"\{[^{}]{0,60}\}")
_WORD = re.compile(r"[A-Za-z]+")
_COUNT = re.compile(r"\d{1,4}")
_ERRORS = frozenset(
    name
    for place in (builtins, errors)
    for name, one in vars(place).items()
    if isinstance(one, type) and issubclass(one, BaseException)
)


def vocabulary_of(sentences: Iterable[str]) -> frozenset[str]:
    """The words that the program's own sentences are made of, without what stands in them."""
    words: set[str] = set()
    for one in sentences:
        words.update(word.lower() for word in _WORD.findall(_SLOT.sub(" ", one)))
    return frozenset(words)


def scrubbed_log(text: str, vocabulary: Set[str]) -> str:
    """The last lines of a log or of a traceback; of every line what the program itself said."""
    lines = text.splitlines()[-_MOST_LINES:]
    kept = (_line(line[:_LONGEST_LINE], vocabulary) for line in lines)
    return "".join(f"{line}\n" for line in kept)


def _line(line: str, vocabulary: Set[str]) -> str:
    if holds_key(line):
        return HIDDEN
    if frame := _FRAME.match(line):
        return _frame(frame)
    head = _HEAD.match(line)
    if head is None:
        return _words(line, vocabulary)
    name = head["name"] if head["name"].startswith("moltbot_desktop.") else HIDDEN
    said = _words(line[head.end() :], vocabulary)
    return f"{head['time']} {head['level']} {name}: {said}"


def _frame(frame: re.Match[str]) -> str:
    place = _OURS.search(frame["path"]) or _LIBRARY.search(frame["path"])
    where = place[0] if place else HIDDEN
    name = frame["name"] or ""
    inside = f", in {name}" if place and name.replace("_", "a").isidentifier() else ""
    return f'  File "{where}", line {frame["line"]}{inside}'


def _words(text: str, vocabulary: Set[str]) -> str:
    text = _QUOTED.sub(HIDDEN, text)
    text = _PATH.sub(HIDDEN, text)

    def kept(found: re.Match[str]) -> str:
        word = found[0]
        if word.isdecimal():
            return word if _COUNT.fullmatch(word) else HIDDEN
        last = word.rpartition(".")[2]
        return word if last in _ERRORS or word.lower() in vocabulary else HIDDEN

    shown = _TOKEN.sub(kept, text)
    while (shorter := shown.replace(f"{HIDDEN} {HIDDEN}", HIDDEN)) != shown:
        shown = shorter
    return shown


def settings_shape(raw: JsonObject, names: Set[str], choices: Set[str]) -> JsonObject:
    """Which settings stand in the file; of each text only how long it is.

    Args:
        names: of settings that the program knows; others are numbered.
        choices: words that settings offer to choose from.
    """
    return _Shape(names, choices).group(raw, 0)


class _Shape:
    def __init__(self, names: Set[str], choices: Set[str]) -> None:
        self._names = names
        self._choices = choices
        self._numbered: dict[str, str] = {}

    def group(self, raw: JsonObject, deep: int) -> JsonObject:
        return {self._name(name): self._value(value, deep + 1) for name, value in raw.items()}

    def _name(self, name: str) -> str:
        if name in self._names:
            return name
        return self._numbered.setdefault(name, f"name-{len(self._numbered) + 1}")

    def _value(self, value: JsonValue, deep: int) -> JsonValue:
        if deep > _DEEPEST:
            return HIDDEN
        if isinstance(value, Mapping):
            return self.group(value, deep)
        if isinstance(value, list):
            return [self._value(item, deep + 1) for item in value[:100]]
        if isinstance(value, str):
            return value if value in self._choices else f"<{len(value)} characters>"
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int | float):
            return value if abs(value) <= _LARGEST_NUMBER else "<number>"
        return HIDDEN


def schema_words(schema: JsonValue) -> tuple[frozenset[str], frozenset[str]]:
    """The names of settings in a JSON Schema, and the words they offer to choose from."""
    names: set[str] = set()
    choices: set[str] = set()
    waiting: list[JsonValue] = [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, Mapping):
            properties = one.get("properties")
            if isinstance(properties, Mapping):
                names.update(properties)
            enum = one.get("enum")
            if isinstance(enum, list | tuple):
                choices.update(item for item in enum if isinstance(item, str))
            waiting += [*one.values()]
    return frozenset(names), frozenset(choices)
