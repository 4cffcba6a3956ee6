"""Dialogues of requests that were written one by one (phrases/written-en.txt, written-zh.txt).

The grammar of dialogues.py is wide but speaks with one voice. These requests have the variety of
people; each is varied, so that it is understood and not learnt by heart: its values are exchanged
with those of others that stand in the same surroundings, words and numbers in them are replaced,
and the request around them gets the same slips as those of the grammar.

A line is a request with its arguments marked in place, `read <path>a.txt</path>`; one of a sum in
words ends with ` => ` and the expression.
"""

import functools
import random
import re
from collections import defaultdict
from typing import Final

from starter_model.dialogues import (
    CHAT_SHARE,
    SLOT,
    TOOL_WEIGHTS,
    Dialogue,
    Writer,
    chat_section,
    fixed_answer,
)
from starter_model.fillers import sections, wide_words
from starter_model.tools import TOOLS, argument_names

MARK: Final = re.compile(r"<(\w+)>(.*?)</\1>")
SUM: Final = " => "
NUMBER: Final = re.compile(r"(?<![A-Za-z0-9_.,])\d+(?:\.\d+)?(?![A-Za-z_]|[.,]?\d)")
QUOTES: Final = "\"'“”‘’「」『』《》`"
# Arguments of words, whose words and numbers may be others.
FREE: Final = {"text", "query", "content"}
# What the grammar's fillers can put there as well.
FILLERS: Final = {
    "read path": "textpath",
    "write path": "path",
    "write content": "content",
    "memory_get path": "memfile",
    "web_fetch url": "url",
    "exec command": "command",
    "weather_query city": "city",
}
ENGLISH_WORD: Final = re.compile(r"\b[a-z]{4,}\b")
LONGEST_CHINESE: Final = 4

Segment = tuple[str, str]


@functools.cache
def requests(language: str) -> dict[str, list[tuple[tuple[Segment, ...], str]]]:
    """By section: what a request consists of (argument name or "", text), and its sum if any.

    Raises:
        ValueError: a mark names no argument of the section's tool.
    """
    found: dict[str, list[tuple[tuple[Segment, ...], str]]] = {}
    for section, lines in sections(f"written-{language}").items():
        names = argument_names(section) if section in TOOLS else ()
        for line in lines:
            text, _, expression = line.partition(SUM) if section == "calc" else (line, "", "")
            segments: list[Segment] = []
            last = 0
            for mark in MARK.finditer(text):
                if mark[1] not in names:
                    raise ValueError(f"{mark[1]} is no argument of {section}: {line}")
                segments += [("", text[last : mark.start()]), (mark[1], mark[2])]
                last = mark.end()
            segments.append(("", text[last:]))
            found.setdefault(section, []).append((tuple(segments), expression))
    return found


def kind(name: str, value: str, before: str) -> str:
    """What decides which values may stand in each other's place."""
    first = re.match(r"\w+", value)
    opening = before.rstrip()[-1:]
    if name in ("path", "url", "target", "pattern"):
        if "*" in value:
            return "glob"
        if re.search(r"\.\w{2,}/|://|^www\.|\.(?:com|org|net|io|cn|de|uk)\b", value):
            return "address"
        return "file" if re.search(r"\.\w{1,5}$|[/\\]", value) else "words"
    if name in ("content", "command"):
        return "quoted" if opening and opening in QUOTES else ""
    if name == "when":
        if value[:1].isascii():
            return first[0].lower() if first else ""
        return value[:1] if value[0] in "每再过等" else "后" if value.endswith("后") else ""
    if name in ("text", "query"):
        around = re.search(r"\w+\W*\Z", before) if before.isascii() else None
        lead = around[0].lower() if around else before[-1:]
        start = first[0].lower() if first and value[:1].isascii() else value[:1]
        return f"{lead}|{start if start in ('i', 'my', 'the', '我', '我的') else ''}"
    return ""


@functools.cache
def values(language: str) -> dict[str, list[str]]:
    """The values of all requests, by tool, argument and kind."""
    found: dict[str, list[str]] = defaultdict(list)
    for section, lines in requests(language).items():
        for segments, _ in lines:
            before = ""
            for name, text in segments:
                if name:
                    found[f"{section} {name} {kind(name, text, before)}"].append(text)
                before += text
    return dict(found)


@functools.cache
def _word_kinds(language: str) -> dict[str, str]:
    """In which pool of wide.txt a word stands; of a noun that is also a verb, the noun's."""
    pools = ("verb", "noun") if language == "en" else ("name", "adj", "verb", "noun")
    wide = wide_words()
    return {word: f"{language} {pool}" for pool in pools for word in wide[f"{language} {pool}"]}


class WrittenRequests:
    """Varies the requests of one language."""

    def __init__(self, rng: random.Random, zh: bool) -> None:
        self.rng = rng
        self.zh = zh
        self.language = "zh" if zh else "en"
        self.writer = Writer(rng, zh)

    def dialogue(self) -> Dialogue:
        """A request, with its call or its answer."""
        if self.rng.random() < CHAT_SHARE:
            return self._chat()
        tool = self.rng.choices(list(TOOLS), [TOOL_WEIGHTS[name] for name in TOOLS])[0]
        return self.request(tool)

    def request(self, tool: str) -> Dialogue:
        """A request for a tool."""
        user, args = self._varied(tool)
        return Dialogue(user=user, zh=self.zh, kind="call", tool=tool, args=args)

    def _chat(self) -> Dialogue:
        section = chat_section(self.rng, requests(self.language))
        user, _ = self._varied(section)
        answer = fixed_answer(section, self.language)
        return Dialogue(user=user, zh=self.zh, kind=section, answer=answer)

    def _varied(self, section: str) -> tuple[str, list[tuple[str, str, int]]]:
        segments, expression = self.rng.choice(requests(self.language)[section])
        if section == "calc":
            segments, expression = self._other_numbers(segments, expression)
        before, template, chosen = "", "", dict[str, str]()
        for name, text in segments:
            if name:
                chosen[name] = self._value(section, name, text, before)
                template += f"<{name}>"
            else:
                template += self._free(text) if section == "other" else text
            before += text
        template = self._pointed(self.writer.noise(template))
        if self.rng.random() < 0.1:
            template = self.writer.polite(template)
        text, places = _filled(template, chosen)
        if expression:
            return text, [("expression", expression, text.find(expression))]
        names = [name for name in argument_names(section) if name in chosen] if chosen else []
        return text, [(name, chosen[name], places[name]) for name in names]

    def _pointed(self, template: str) -> str:
        """Another first letter, or the last mark left out, sometimes."""
        if template[0].isascii() and template[0].isalpha() and self.rng.random() < 0.25:
            template = template[0].swapcase() + template[1:]
        if len(template) > 4 and template[-1] in ".!?。！？" and self.rng.random() < 0.25:
            template = template[:-1]
        return template

    def _value(self, section: str, name: str, value: str, before: str) -> str:
        """A value that may stand where `value` does, often itself."""
        rng = self.rng
        if name in ("from", "lines"):
            return str(rng.randint(1, 400)) if rng.random() < 0.6 else value
        found = kind(name, value, before)
        if rng.random() < 0.45:
            other = rng.choice(values(self.language)[f"{section} {name} {found}"])
            filler = FILLERS.get(f"{section} {name}")
            if filler and found != "glob" and rng.random() < 0.35:
                other = str(getattr(self.writer.fillers, filler)())
            if found != "quoted" or not set(other) & set(QUOTES):
                value = other
        return self._free(value) if name in FREE or found == "words" else value

    def _free(self, text: str) -> str:
        """Free text with other words and numbers, sometimes."""
        rng = self.rng
        if rng.random() < 0.3:
            text = NUMBER.sub(lambda found: self.writer.fillers.digits(len(found[0])), text)
        if rng.random() < 0.4:
            for _ in range(rng.choice((1, 1, 2))):
                text = self._other_word(text)
        return text

    def _other_word(self, text: str) -> str:
        kinds = _word_kinds(self.language)
        if self.zh:
            spans = [
                (at, at + size)
                for size in range(2, LONGEST_CHINESE + 1)
                for at in range(len(text) - size + 1)
                if text[at : at + size] in kinds
            ]
        else:
            found = ENGLISH_WORD.finditer(text)
            spans = [word.span() for word in found if word[0] in kinds]
        if not spans:
            return text
        begin, end = self.rng.choice(spans)
        pool = kinds[text[begin:end]]
        word = self.rng.choice(wide_words()[pool])
        return text[:begin] + (word.removesuffix("的") if self.zh else word) + text[end:]

    def _other_numbers(
        self, segments: tuple[Segment, ...], expression: str
    ) -> tuple[tuple[Segment, ...], str]:
        """The same sum of other numbers."""
        whole = "".join(text for _, text in segments)
        found = NUMBER.findall(expression) if expression else NUMBER.findall(whole)
        if self.rng.random() < 0.4 or len(set(found)) < 2:
            return segments, expression
        others = {number: self.writer.fillers.amount() for number in found}

        def other(text: str) -> str:
            return NUMBER.sub(lambda number: others.get(number[0], number[0]), text)

        return tuple((name, other(text)) for name, text in segments), other(expression)


def _filled(template: str, chosen: dict[str, str]) -> tuple[str, dict[str, int]]:
    """The request, and where each value begins in it."""
    text, last, places = "", 0, dict[str, int]()
    for slot in SLOT.finditer(template):
        if slot[1] in chosen:
            text += template[last : slot.start()]
            places[slot[1]] = len(text)
            text += chosen[slot[1]]
            last = slot.end()
    return text + template[last:], places


def dialogue(rng: random.Random) -> Dialogue:
    """A random dialogue."""
    return WrittenRequests(rng, zh=rng.random() < 0.5).dialogue()
