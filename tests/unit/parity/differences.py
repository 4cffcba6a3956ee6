"""Where memory deliberately does not do what the reference does, and what it does instead.

A difference is a rule and never a list of cases: `applies` says from a case's input alone whether
it may be one, `holds` what our program must then do. So a case nobody has seen yet is judged too.
Each carries an `example` with the reference's answer, by which test_reference_cases.py makes sure
that the difference exists. The rules are written apart from the program: its patterns are not
used here, only asked.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import PathRefused
from moltbot_desktop.memory.capture import Category, capturable
from moltbot_desktop.memory.chunks import SMALLEST_WINDOW, UNITS_PER_TOKEN, cut_chunks
from moltbot_desktop.memory.engine import open_memory
from moltbot_desktop.memory.files import memory_path
from moltbot_desktop.memory.rank import best_is_one, bm25
from moltbot_desktop.memory.search import MEANING_FLOOR, STRONG_HIT, understand
from moltbot_desktop.memory.stopwords import ENGLISH
from moltbot_desktop.sdk.memory import SearchHit
from moltbot_desktop.sdk.models import Embedder

NOON = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
MOST_HITS = 40


@dataclass(frozen=True)
class Case:
    """One row of the file: what went into the reference and what came out."""

    id: str
    category: str
    input: Mapping[str, Any]
    expected: Any


@dataclass(frozen=True)
class Difference:
    """A rule by which ours differs.

    Attributes:
        applies: whether a case with this input is of the kind.
        holds: whether our program does with the case what this difference says; gets an empty
            folder.
        example: an input of the kind, and what the reference makes of it.
    """

    category: str
    name: str
    reason: str
    applies: Callable[[Mapping[str, Any]], bool]
    holds: Callable[[Case, Path], bool]
    example: tuple[Mapping[str, Any], Any]


# ------------------------------------------------------------------ chunking


def utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def cuts_a_character(given: Mapping[str, Any]) -> bool:
    """Whether a border between two slices of a line falls into a character of two units."""
    step = 2 * max(SMALLEST_WINDOW, given["tokens"] * UNITS_PER_TOKEN)
    return any(
        data[:border].decode("utf-16-le", "ignore") != data[:border].decode("utf-16-le", "replace")
        for data in map(utf16, given["text"].split("\n"))
        for border in range(step, len(data), step)
    )


def characters_stay_whole(case: Case, _: Path) -> bool:
    chunks = cut_chunks(**case.input)
    for chunk in chunks:
        chunk.text.encode()  # raises for half a character
    return [(chunk.start_line, chunk.end_line) for chunk in chunks] == [
        (chunk["startLine"], chunk["endLine"]) for chunk in case.expected
    ]


# ------------------------------------------------------------------ questions as keywords


def search(
    folder: Path, notes: Sequence[str], query: str, embedder: Embedder | None = None
) -> tuple[SearchHit, ...]:
    """What memory answers when each of `notes` is a file of its own."""
    workspace = folder / "workspace"
    (workspace / "memory").mkdir(parents=True)
    for number, note in enumerate(notes):
        (workspace / "memory" / f"{number}.md").write_text(f"- {note}\n", encoding="utf-8")
    memory = open_memory(workspace, folder / "index", embedder, ManualClock(NOON))
    try:
        memory.refresh()
        return memory.search(query, max_results=MOST_HITS).hits
    finally:
        memory.close()


def is_solid(word: str) -> bool:
    return word.casefold() not in ENGLISH and len(word) > 1


def has_words(given: Mapping[str, Any]) -> bool:
    return any(map(is_solid, re.findall(r"[^\W_]+", given["query"])))


def any_word_finds(case: Case, folder: Path) -> bool:
    """Each word alone finds the note that has it, and the reference's words are among them."""
    query = case.input["query"]
    words = [word for word in understand(query, date(2026, 1, 5)).words if word.weight > 0]
    told = " ".join(word.text for word in words)
    missed = [
        part
        for part in re.findall(r"[A-Za-z0-9]{3,}", query)
        if is_solid(part) and part.casefold() not in told
    ]
    asked = [word.text for word in words][:MOST_HITS]
    found = {hit.snippet for hit in search(folder, asked, query)}
    return bool(asked) and not missed and found == set(asked)


def nothing_is_asked(case: Case, folder: Path) -> bool:
    return search(folder, ["what is it about", "a note"], case.input["query"]) == ()


# ------------------------------------------------------------------ scores


def scores_tell_hits_apart(case: Case, _: Path) -> bool:
    """Of two notes with the word, the one that has a rarer word too is 1, the other between."""
    rank = case.input["rank"]
    known = isinstance(rank, int | float) and math.isfinite(rank) and rank != 0
    weight = min(abs(rank), 1e9) if known else 1.0
    postings = [(np.array([0, 1, 2]), weight), (np.array([2]), weight)]
    scores = best_is_one(bm25(postings, np.ones(9)))
    return bool(scores[2] == 1.0 and 0 < scores[0] == scores[1] < 1 and not scores[3:].any())


class _Placed:
    """An embedder that puts note n at `cosines[n]` from every query."""

    model_id = "placed"

    def __init__(self, cosines: Sequence[float]) -> None:
        self._cosines = cosines
        self.dimensions = len(cosines) + 1

    def _at(self, number: int, cosine: float) -> list[float]:
        vector = [0.0] * self.dimensions
        vector[0], vector[number + 1] = cosine, math.sqrt(1 - cosine * cosine)
        return vector

    def embed_query(self, text: str) -> list[float]:
        del text
        return self._at(0, 1.0)

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        numbers = [int(re.findall(r"place(\d+)", text)[0]) for text in texts]
        return [self._at(number, self._cosines[number]) for number in numbers]


def both_legs_are_fused(case: Case, folder: Path) -> bool:
    """Words before meaning, each place once with all its reasons, and none below a minimum.

    The case's places become notes: those of its keyword leg have the word that is asked for, and
    all are as near in meaning as its vector leg says.
    """
    vector = {hit["id"]: hit["vectorScore"] for hit in case.input["vector"]}
    keyword = {hit["id"] for hit in case.input["keyword"]}
    ids = list(dict.fromkeys([*vector, *(hit["id"] for hit in case.input["keyword"])]))
    if not ids:
        return True
    cosines = [min(1.0, max(-1.0, vector.get(place, 0.0))) for place in ids]
    notes = [f"place{n} {'zebra' if ids[n] in keyword else 'horse'}" for n in range(len(ids))]
    hits = search(folder, notes, "zebra", _Placed(cosines))
    shown = [notes.index(hit.snippet) for hit in hits]
    worded = [ids[number] in keyword for number in shown]
    meant = [cosines[number] >= MEANING_FLOOR for number in shown]
    wanted = {n for n in range(len(ids)) if ids[n] in keyword or cosines[n] >= MEANING_FLOOR}
    by_meaning = [number for number, word in zip(shown, worded, strict=True) if not word]
    # Below the average, nearness says nothing any more.
    average = sum(cosines) / len(cosines)
    nearness = [round(max(0.0, cosines[number] - average), 6) for number in by_meaning]
    scores = [hit.score for hit, word in zip(hits, worded, strict=True) if not word]
    return (
        sorted(shown) == sorted(wanted)[:MOST_HITS]
        and worded == sorted(worded, reverse=True)
        and [("keyword" in hit.why, "meaning" in hit.why) for hit in hits]
        == list(zip(worded, meant, strict=True))
        and all(hit.score == 1.0 for hit, word in zip(hits, worded, strict=True) if word)
        and all(0 < score < STRONG_HIT for score in scores)
        and nearness == sorted(nearness, reverse=True)
    )


# ------------------------------------------------------------------ paths


def given_path(given: Mapping[str, Any]) -> str:
    return str(given["path"]).strip().replace("\\", "/")


def first_part(given: Mapping[str, Any]) -> str:
    return next(iter(PurePosixPath(given_path(given)).parts), "")


def is_memory_path(path: str, folder: Path) -> bool:
    """Whether memory opens `path`, with a file at every place it could be taken for."""
    workspace = folder / "outer" / "workspace"
    workspace.mkdir(parents=True)
    plain = path.strip().replace("\\", "/")
    for name in (plain, plain.lstrip("./")):
        place = Path(os.path.normpath(workspace / name.lstrip("/")))
        if place.is_relative_to(folder):
            with suppress(OSError, ValueError):  # not a name a file can have
                place.parent.mkdir(parents=True, exist_ok=True)
                place.touch()
    try:
        memory_path(workspace, path)
    except PathRefused:
        return False
    return True


def is_refused(case: Case, folder: Path) -> bool:
    return not is_memory_path(case.input["path"], folder)


def is_opened(case: Case, folder: Path) -> bool:
    return is_memory_path(case.input["path"], folder)


# ------------------------------------------------------------------ what is captured

HAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# Whole words that can make the reference keep a text, each in the category it means there.
PREFERENCE = r"\b(?:prefer\w*|radši|(?:dis)?like[sd]?|love[sd]?|hate[sd]?|want(?:s|ed)?)\b"
DECISION = r"\b(?:rozhodli|budeme|decided|will use)\b"
ENTITY = r"\+\d{10,}|@[\w.-]+\.\w+|\b(?:is called|jmenuje se)\b"
FACT = r"\b(?:is|are|has|have|je|má|jsou)\b"
TRIGGER = (
    rf"{ENTITY}|\b(?:remember|(?:za)?pamatuj\w*|prefer\w*|radši|nechci|rozhodli jsme|always|never"
    r"|budeme používat|můj \w+ je|je můj|my \w+ is|is my|important"
    r"|i (?:like|prefer|hate|love|want|need))\b"
)


def said(pattern: str) -> Callable[[Mapping[str, Any]], bool]:
    words = re.compile(pattern, re.IGNORECASE)
    return lambda given: bool(words.search(given["text"]))


def answers(*kinds: Category | None) -> Callable[[Case, Path], bool]:
    return lambda case, _: capturable(case.input["text"]) in kinds


def kind_by_whole_words(case: Case, _: Path) -> bool:
    text = case.input["text"]
    kinds = zip((PREFERENCE, DECISION, ENTITY, FACT), Category, strict=False)
    found = (kind for words, kind in kinds if re.search(words, text, re.IGNORECASE))
    return capturable(text) is next(found, Category.OTHER)


def is_inside_a_word(given: Mapping[str, Any]) -> bool:
    """A word that the reference takes for a sign of a kind stands in another word only."""
    text = given["text"].lower()
    signs = "prefer like love hate want decided budeme rozhodli is are has have je má jsou".split()
    return any(sign in text and not re.search(rf"\b{sign}\b", text) for sign in signs)


CHINESE_KINDS = (
    ("喜欢|讨厌|爱[吃喝]|宁愿|不[吃喝]|以后|从现在", Category.PREFERENCE),
    ("决定|约定|商定|说好", Category.DECISION),
    ("我叫|名字|(?:电话|邮箱|微信|地址)号?(?:是|:|：)|@|1[3-9]\\d{9}", Category.ENTITY),
)
CHINESE = (
    "我|咱|记住|记下|记得|记一下|喜欢|讨厌|决定|约定|商定|说好|总是|从不|从来|永远|每次|重要|过敏"
    "|电话|邮箱|微信|地址|以后|从现在|生日"
)


def kind_of_chinese(case: Case, _: Path) -> bool:
    text = case.input["text"]
    kind = next((kind for words, kind in CHINESE_KINDS if re.search(words, text)), None)
    found = capturable(text)
    return found is kind if kind else found is not None


def latin_size(text: str) -> int:
    return len(utf16(text)) // 2


def is_long_in_chinese(given: Mapping[str, Any]) -> bool:
    return (
        latin_size(given["text"])
        <= 500
        < len(given["text"]) + 1.5 * len(HAN.findall(given["text"]))
    )


def is_short_in_letters(given: Mapping[str, Any]) -> bool:
    text = given["text"]
    return latin_size(text) < 10 <= len(text) + 1.5 * len(HAN.findall(text)) and said(TRIGGER)(
        given
    )


ASKING = (
    "what|who|whose|where|when|why|how|which|do|does|did|is|are|am|was|were|can|could|would|will"
    "|should|have|has"
)
QUESTION = (
    rf"^\W*(?:(?:hey|so|and|but|ok|please)\W+)*(?:{ASKING}|tell me|i don't know|i wonder)\b[^.!]*$"
    rf"|, (?:{ASKING})\b|[?？]\W*$|吗\W*$|什么|哪|是不是|有没有"
)


DIFFERENCES = (
    Difference(
        "chunking",
        "a character on a border stays whole",
        "Half a character can be neither stored nor shown. Line numbers do not change.",
        cuts_a_character,
        characters_stay_whole,
        (
            {"text": "x" + "\U0001f600" * 16, "tokens": 8, "overlap": 0},
            [
                {"startLine": 1, "endLine": 1, "length": 32, "sha256": ""},
                {"startLine": 1, "endLine": 1, "length": 1, "sha256": ""},
            ],
        ),
    ),
    Difference(
        "fts_query",
        "any word of any script finds",
        "Under AND of all words a natural question finds nothing, and Chinese has no ASCII words:"
        " ours looks for each word, or pair of Chinese characters, and ranks by how many are met.",
        has_words,
        any_word_finds,
        ({"query": "naïve 搜索 world"}, '"na" AND "ve" AND "world"'),
    ),
    Difference(
        "fts_query",
        "words that only make it a question are not looked for",
        "They are in every note, so they find nothing in particular.",
        lambda given: not has_words(given),
        nothing_is_asked,
        ({"query": "What is it?"}, '"What" AND "is" AND "it"'),
    ),
    Difference(
        "bm25",
        "keyword scores are relative to the best hit",
        "SQLite's ranks are negative, and cutting them at nought gives every hit 1.0: no keyword"
        " could tell two notes apart. Ours weighs rarity itself and never reads that rank.",
        lambda given: "rank" in given,
        scores_tell_hits_apart,
        ({"rank": -5.2}, 1),
    ),
    Difference(
        "hybrid_merge",
        "scores of both legs are fused, and no minimum empties the answer",
        "A fixed 0.7/0.3 of a cosine and a constant, cut at 0.35, empties most answers of a small"
        " model. Ours puts what has all the words asked for first, then what is near in meaning.",
        lambda given: {"vector", "keyword"} <= given.keys(),
        both_legs_are_fused,
        (
            {
                "vector": [{"id": "a", "vectorScore": 0.9}, {"id": "b", "vectorScore": 0.3}],
                "keyword": [{"id": "b", "textScore": 1}, {"id": "c", "textScore": 1}],
                "vectorWeight": 0.7,
                "textWeight": 0.3,
            },
            {"merged": [{"score": 0.63}, {"score": 0.51}, {"score": 0.3}]},
        ),
    ),
    Difference(
        "memory_path",
        "nothing goes up",
        "The reference strips leading dots and then trusts the text; ours refuses every `..`.",
        lambda given: ".." in PurePosixPath(given_path(given)).parts,
        is_refused,
        ({"path": "../memory/x.md"}, True),
    ),
    Difference(
        "memory_path",
        "an absolute path is one",
        "The reference strips the slash; ours takes it for the file that it names.",
        lambda given: given_path(given).startswith("/"),
        is_refused,
        ({"path": "/memory/x.md"}, True),
    ),
    Difference(
        "memory_path",
        "a hidden folder is not the one without the dot",
        "The reference strips leading dots; ours resolves the name as it is written.",
        lambda given: first_part(given).startswith("."),
        is_refused,
        ({"path": ".memory/x.md"}, True),
    ),
    Difference(
        "memory_path",
        "only Markdown is memory",
        "Anything else below memory/ was not put there to be read to a model.",
        lambda given: not given_path(given).rstrip("/").lower().endswith(".md"),
        is_refused,
        ({"path": "memory/key.txt"}, True),
    ),
    Difference(
        "memory_path",
        "a slash at the end changes nothing",
        "The path is resolved, not compared as text.",
        lambda given: given_path(given).endswith(".md/"),
        is_opened,
        ({"path": "MEMORY.md/"}, False),
    ),
    Difference(
        "should_capture",
        "Chinese is understood",
        "The reference has no Chinese trigger at all.",
        lambda given: bool(HAN.search(given["text"])) and said(CHINESE)(given),
        kind_of_chinese,
        ({"text": "我对花生过敏,请记住这一点"}, {"capture": False, "category": "other"}),
    ),
    Difference(
        "should_capture",
        "a Chinese character says more than a letter: long",
        "Two hundred characters are an essay, as five hundred letters are.",
        is_long_in_chinese,
        answers(None),
        ({"text": "remember " + "汉" * 300}, {"capture": True, "category": "other"}),
    ),
    Difference(
        "should_capture",
        "a Chinese character says more than a letter: short",
        "What takes ten letters takes four characters.",
        is_short_in_letters,
        answers(*Category),
        ({"text": "I like 喝茶"}, {"capture": False, "category": "preference"}),
    ),
    Difference(
        "should_capture",
        "decisions in English",
        "The reference knows them in Czech only.",
        said(r"\b(?:we|i)\b.{0,12}\b(?:decided|agreed|chose|will use|'ll use|going with)\b"),
        answers(Category.DECISION, Category.PREFERENCE),
        ({"text": "we decided to use Redis"}, {"capture": False, "category": "decision"}),
    ),
    Difference(
        "should_capture",
        "more ways to say it in English",
        "An adverb, a second word or a space between digits hides it from the reference.",
        said(
            r"\bi(?:'m| am|'ve| live| work| was born| moved)\b|\bi (?:\w+ |don't ){1,2}(?:like|love"
            r"|hate|want)\b|\b(?:my|our) (?:\S+ ){2,3}(?:is|are)\b|\b(?:my|our) \S+ are\b"
            r"|\ballerg|\+\d[\d ()./-]{9,}|\b1[3-9]\d{9}\b|\b(?:it's|that's|are) my\b|\bmy name's\b"
            r"|\b(?:keep in mind|don't forget|from now on|make a note)\b|\bi (?:dislike|enjoy|adore"
            r"|can't stand)\b|\bi'd rather\b|\byou can call me\b|\bour \S+ is\b"
            r"|\bi (?:don't|never|only) (?:eat|drink|smoke|use)\b"
            r"|\bevery (?:day|week|month|year|morning|\w+day)\b"
        ),
        answers(*Category),
        ({"text": "I really like green tea"}, {"capture": False, "category": "preference"}),
    ),
    Difference(
        "should_capture",
        "letters beyond ASCII are letters",
        "In the reference a Czech thing is mine only if its name has no accent.",
        said(r"můj \w*[^\W\d_a-z]\w* je"),
        answers(Category.FACT, Category.PREFERENCE),
        ({"text": "Můj kůň je v Praze"}, {"capture": False, "category": "fact"}),
    ),
    Difference(
        "should_capture",
        "kinds in plain words",
        "What ours keeps by words of its own it also knows the kind of.",
        said(r"\bi(?:'m| am| live| work)\b"),
        answers(Category.FACT),
        ({"text": "I am never late"}, {"capture": True, "category": "other"}),
    ),
    Difference(
        "should_capture",
        "a trigger is a whole word",
        '"whenever" is no "never" and "Siri likes" no "I like".',
        lambda given: not said(TRIGGER)(given),
        answers(None),
        ({"text": "whenever it rains"}, {"capture": True, "category": "other"}),
    ),
    Difference(
        "should_capture",
        "the sign of a kind is a whole word",
        '"this" has no "is", so it is no fact.',
        is_inside_a_word,
        kind_by_whole_words,
        ({"text": "Remember this for later"}, {"capture": True, "category": "fact"}),
    ),
    Difference(
        "should_capture",
        "a question tells nothing",
        "It asks for what is known; kept, it would be found in place of the answer.",
        said(QUESTION),
        answers(None),
        ({"text": "What is my blood type?"}, {"capture": True, "category": "fact"}),
    ),
    Difference(
        "should_capture",
        "a request tells nothing",
        "It is for this turn; a reminder has its own place.",
        said(
            r"^\W*(?:please )?(?:(?:tell|show|give|remind|send|help|teach) me|let me know|write"
            r"|draft|translate|summari[sz]e|play|open|search|find|explain|read|draw)\b"
            r"|\bi (?:want|need) (?:you to|to know|help|some help|your help)\b"
            r"|告诉我|提醒我|帮我|给我"
        ),
        answers(None),
        ({"text": "Remind me of it, important"}, {"capture": True, "category": "other"}),
    ),
    Difference(
        "should_capture",
        "an idiom tells nothing",
        '"Never mind" minds nothing; what one remembers is not what one asks to remember.',
        said(
            r"\bnever ?mind|\bas always|\b(?:not|isn't) \w* ?important|不.?重要"
            r"|\bmy (?:question|point|guess) is|\b(?:don't|can't|not) remember"
            r"|\b(?:i|we|he|she|they)(?: \w+(?:'t)?)? remember"
        ),
        answers(None),
        ({"text": "never mind, thanks"}, {"capture": True, "category": "other"}),
    ),
    Difference(
        "should_capture",
        "quoted text is not the owner's",
        "Code, quotations and the output of programs are somebody else's words.",
        said(
            r"```|~~~|^>|\n>|`[^`]+`|^\s*[{\[]|\boutput:|^\W*(?:ERROR|INFO|WARN|Traceback)"
            r"|\d{4}-\d\d-\d\d[T ]\d"
        ),
        answers(None),
        ({"text": "> remember the milk"}, {"capture": True, "category": "other"}),
    ),
)
