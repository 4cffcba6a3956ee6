"""Text into index terms, and a question into the words that matter.

    index_text("车牌号A1, 3楼")   # the characters and pairs 车 牌 号 车牌 牌号, A1, 3, 楼, 三楼
    query_words("我的车牌号是什么？")   # one Word: 车牌号, looked for as 车牌 and 牌号

SQLite's tokenizer splits at spaces, and Chinese and Japanese write none; Korean does, but glues
particles to its nouns. So their characters are written apart before indexing, alone and in pairs;
pairs keep the order that single characters lose. A small number is also kept with the character
it counts: 3 alone says nothing, 3楼 does. Doing this here and not in a tokenizer of our own keeps
the index readable by any SQLite. English goes through as it is: FTS5's porter tokenizer stems it.
Measured against jieba and trigrams: as good, fast, and without a dictionary to load.

The index knows nothing of languages. A question does, since only in it must the words that make
it a question go: Hangul is Korean; Han characters are Japanese where kana stand beside them, else
Chinese.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from moltbot_desktop.memory.forms import fold
from moltbot_desktop.memory.stopwords import (
    CHINESE,
    CHINESE_SOFT,
    ENGLISH,
    JAPANESE,
    JAPANESE_PARTICLES,
    JAPANESE_SMALL,
    JAPANESE_SOFT,
    KOREAN,
    KOREAN_ENDINGS,
    KOREAN_SOFT,
    SOFT,
)

_HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"  # without the dot between two words
_HANGUL = "\uac00-\ud7a3"
_RUN = re.compile(f"[{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}]+")
_COUNTERS = "月日号號楼樓层層年点點时時分岁歲歳才个個本枚番階回人块塊元円週월일층번시분호개명살년"
_COUNTED = f"(?<![0-9A-Za-z.,:/-])(?P<number>[0-9]{{1,4}})(?: (?=[{_COUNTERS}]))?"
_INDEXED = re.compile(f"(?:{_COUNTED})?(?P<run>{_RUN.pattern})")
_NUMBERED = re.compile(f"{_COUNTED}(?P<counter>{_RUN.pattern[:-1]})")
_HANGUL_RUN = re.compile(f"[{_HANGUL}]+")
_OTHER_RUN = re.compile(f"[{_HAN}{_HIRAGANA}{_KATAKANA}]+")
_KANA = re.compile(f"[{_HIRAGANA}{_KATAKANA}]")
_ONE_SCRIPT = re.compile(f"(?P<han>[{_HAN}]+)|(?P<katakana>[{_KATAKANA}]+)|[{_HIRAGANA}ー]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# "who's", "don't"; in "O'Brien" the index has both parts, and the first says nothing.
_ENDING = re.compile(r"['’](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)
_APOSTROPHE = re.compile(r"['’]")
_NUMERALS = "〇一二三四五六七八九十"


def _any_of(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(words, key=len, reverse=True)))


_CHINESE_STOPS = _any_of(CHINESE)
_CHINESE_SOFT = _any_of(CHINESE_SOFT)
_JAPANESE_STOPS = re.compile("|".join(JAPANESE))
_JAPANESE_SMALL = _any_of(JAPANESE_SMALL)
_KOREAN_STOPS = re.compile("|".join(KOREAN))
_KOREAN_ENDING = re.compile(f"(.+?)({_any_of(KOREAN_ENDINGS).pattern})")

SOFT_WEIGHT = 0.25
KANA_WEIGHT = 0.75
"""Of two hiragana: mostly a thing, but sometimes grammar that no list knows."""
SHORT_RUN = 6
"""Runs of at most so many characters are also looked for by single characters."""


def index_text(text: str) -> str:
    """`text` as the full-text index gets it."""
    if text.isascii():
        return text
    return _INDEXED.sub(_apart, unicodedata.normalize("NFKC", text))


def _apart(found: re.Match[str]) -> str:
    run = fold(found["run"])
    number = found["number"]
    counted = (number, _counted(number, run[0])) if number else ()
    return f" {' '.join([*counted, *run, *_pairs(run)])} "


def _counted(number: str, counter: str) -> str:
    """One term for "3楼" and "三楼", since people write both."""
    value = int(number)
    return f"{_NUMERALS[value] if value < len(_NUMERALS) else value}{counter}"


def _pairs(run: str) -> Iterator[str]:
    return (run[at : at + 2] for at in range(len(run) - 1))


@dataclass(frozen=True)
class Word:
    """One thing a question asks about.

    Attributes:
        tokens: index terms that show it, each covering `spans[i]` of `length` characters; an
            English word has one that covers all.
        extra: the single characters of a short Chinese word, which hint at it.
        weight: how much it counts when judging whether a note fits.
        name: written like a name.
    """

    text: str
    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    length: int
    weight: float
    extra: tuple[str, ...] = ()
    name: bool = False


def query_words(text: str) -> tuple[Word, ...]:
    """What `text` asks about, without the words that only make it a question.

    Empty when nothing is left ("how are you?").
    """
    normal = unicodedata.normalize("NFKC", text)
    words: dict[str, Word] = {}
    plain = _NUMBERED.sub(" ", normal)
    east = _japanese(plain) if _KANA.search(plain) else _chinese(plain)
    for word in (*_english(_RUN.sub(" ", normal)), *_numbered(normal), *east, *_korean(plain)):
        words.setdefault(word.text, word)
    return tuple(words.values())


def _english(text: str) -> Iterator[Word]:
    for number, found in enumerate(_WORD.finditer(text)):
        for written in _APOSTROPHE.split(_ENDING.sub("", found[0])):
            word = written.casefold()
            if word in ENGLISH or (len(word) == 1 and not word.isdigit()):
                continue
            name = number > 0 and written[:1].isupper() and not written.isupper()
            yield Word(word, (word,), ((0, 1),), 1, _weight(word), name=name)


def _weight(word: str) -> float:
    if word.isdigit() and len(word) < 3:
        return 0.0  # "2" is in every other note and says nothing about it
    return SOFT_WEIGHT if word in SOFT else 1.0


def _numbered(text: str) -> Iterator[Word]:
    for found in _NUMBERED.finditer(text):
        token = _counted(found["number"], fold(found["counter"]))
        yield Word(token, (token,), ((0, 1),), 1, 1.0)


def _chinese(text: str) -> Iterator[Word]:
    for run in _OTHER_RUN.findall(fold(text)):
        for part in _CHINESE_STOPS.sub(" ", run).split():
            for soft in _CHINESE_SOFT.findall(part):
                yield _run_word(soft, SOFT_WEIGHT)
            for solid in _CHINESE_SOFT.sub(" ", part).split():
                yield _run_word(solid)


def _japanese(text: str) -> Iterator[Word]:
    """Han and katakana carry the meaning; of hiragana what is not plain grammar hints at it."""
    text = _JAPANESE_STOPS.sub(" ", text)
    for found in _ONE_SCRIPT.finditer(text):
        after = text[found.end() : found.end() + 1]
        if found["han"]:
            # The ending of 飲む tells it from 飲み物, a particle tells nothing.
            tail = after if _KANA.match(after) and after not in JAPANESE_PARTICLES else ""
            yield _noun(found[0], tail, JAPANESE_SOFT)
        elif found["katakana"]:
            if len(found[0]) > 1:
                yield _run_word(found[0], hints=False)
        else:
            yield from _hiragana(found[0], text[found.start() - 1 : found.start()])


def _hiragana(run: str, before: str) -> Iterator[Word]:
    """What of `run` may be a word: stretches of pairs that are not grammar on both sides."""
    small = _small(run, inside=before.isalnum())
    kept = "".join(
        "x" if "f" in (one, other) and "p" not in (one, other) else " "
        for one, other in itertools.pairwise(small)
    )
    for stretch in re.finditer("x+", kept):
        found = run[stretch.start() : stretch.end() + 1]
        yield _run_word(found, KANA_WEIGHT * len(found) / 2, hints=False)


def _small(run: str, *, inside: bool) -> str:
    """Per character: f free, s part of small words, p a particle beside them or at the edge.

    からし is "ssf", since から is such a word: its らし is kept and still finds it.
    """
    marks = list(_JAPANESE_SMALL.sub(lambda found: "s" * len(found[0]), run))
    if inside and marks[0] not in ("s", *JAPANESE_PARTICLES):
        marks[0] = "s"  # the ending of a verb written in Han, which has it as its tail
    for at, mark in enumerate(marks):
        before = marks[at - 1] if at else ("p" if inside else "f")
        after = marks[at + 1] if at + 1 < len(marks) else ("p" if len(run) > 2 else "f")
        if mark in JAPANESE_PARTICLES:
            marks[at] = "p" if before in ("s", "p") or after in ("s", "p") else "f"
        elif mark != "s":
            marks[at] = "f"
    return "".join(marks)


def _korean(text: str) -> Iterator[Word]:
    for run in _HANGUL_RUN.findall(text):
        if _KOREAN_STOPS.fullmatch(run) or run in KOREAN_ENDINGS:
            continue
        found = _KOREAN_ENDING.fullmatch(run)
        stem, ending = (found[1], found[2]) if found else (run, "")
        if not _KOREAN_STOPS.fullmatch(stem):
            yield _noun(stem, ending[:1], KOREAN_SOFT)


def _noun(stem: str, tail: str, soft: Container[str]) -> Word:
    """`stem`, which `tail` follows as its ending or a particle; "" when nothing does."""
    weight = SOFT_WEIGHT if stem in soft else None
    if not tail:
        return _run_word(stem, weight)
    last = fold(stem[-1] + tail)
    if len(stem) == 1:
        # 약은 is 약 and a particle, 가을 is a word; 行く is there in 行った, not in 旅行. The pair
        # shows all of it, the character alone a half.
        weight = 1.0 if weight is None else weight
        return Word(last, (last, last[0]), ((0, 2), (0, 1)), 2, weight)
    word = _run_word(stem, weight)
    end = (word.length - 1, word.length)
    return replace(word, tokens=(*word.tokens, last), spans=(*word.spans, end))


def _run_word(run: str, weight: float | None = None, *, hints: bool = True) -> Word:
    """`run` by its pairs.

    Args:
        weight: None for one that grows with the length.
        hints: short runs also by their single characters.
    """
    text = fold(run)
    length = len(text)
    tokens = tuple(_pairs(text)) or (text,)
    spans = tuple((at, min(at + 2, length)) for at in range(len(tokens)))
    extra = tuple(text) if hints and 1 < length <= SHORT_RUN else ()
    return Word(text, tokens, spans, length, weight or max(1.0, length / 2), extra)
