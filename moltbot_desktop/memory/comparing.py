"""Whether two facts say the same, or one takes the other's place.

    near_duplicate("I prefer window seats", "I prefer a window seat")        # True
    near_duplicate("Standup is at 5", "Standup is at 6")                     # False
    supersedes("My dentist is Dr. Lee", "My dentist is Dr. Okafor")          # True
    supersedes("My friend is Anna", "My friend is Bob")         # False: one has several
    supersedes("我住在上海", "我住在杭州")                         # True

A wrong merge loses a fact and a wrong succession hides one, while a fact kept twice costs a line.
So both are decided only where the rule is sure; everything else stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import hypot

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, language_of
from moltbot_desktop.memory.notes import same_fact
from moltbot_desktop.sdk.models import Embedder

DUPLICATE = 0.95
"""From this likeness on two facts may be one; the reference's threshold."""

# --- the same fact in other words

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_NUMBER_WORDS = frozenset(
    "zero one two three four five six seven eight nine ten eleven twelve first second third"
    " half twice once dozen".split()
)
_TURNS = frozenset(
    "not no never none nothing without hardly neither nor don't doesn't didn't isn't aren't wasn't"
    " can't cannot won't wouldn't shouldn't except unless only always sometimes often rarely"
    " like love hate dislike enjoy prefer detest before after left right more less most least"
    " old new former ex up down in out on off yes morning noon afternoon evening night am pm"
    " mother father mum mom dad sister brother son daughter wife husband he she his her him"
    " north south east west summer winter spring autumn fall big small hot cold black white red"
    " green blue yellow january february march april may june july august september october"
    " november december monday tuesday wednesday thursday friday saturday sunday".split()
)
_FILLERS = frozenset(
    "a an the my our i i'm i've i'd am is are was be been have has had do does really very quite"
    " just also too so that this of to for with and it's its actually always usually".split()
)
_FILLER_SIGNS = frozenset("的了呢吧啊呀哦很真非常就都也是个一着过会能我，。！、 ,.!")


def near_duplicate(one: str, other: str, likeness: float | None = None) -> bool:
    """Whether both say the same.

    Args:
        likeness: cosine of their meaning, -1..1, where a model gave one; else letters decide.
            Chinese is always compared by its characters: one of them makes another name.
    """
    if same_fact(one) == same_fact(other):
        return True
    if Language.CHINESE in (language_of(one), language_of(other)):
        return _bare_signs(one) == _bare_signs(other)
    if not may_be_one(one, other):
        return False
    if likeness is not None:
        return likeness >= DUPLICATE
    if _content(one) != _content(other):
        return False
    return SequenceMatcher(None, same_fact(one), same_fact(other)).ratio() >= _LETTERS


_LETTERS = 0.7
"""Enough where the words that matter are the same ones already: it is their order that is left."""


def _bare_signs(text: str) -> str:
    return "".join(sign for sign in same_fact(text) if sign not in _FILLER_SIGNS)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).replace("’", "'"))


def may_be_one(one: str, other: str) -> bool:
    """Whether numbers, names and the words that turn a sentence round are the same ones."""
    first, second = _words(one), _words(other)
    return _telling(first, second) == _telling(second, first)


def _telling(words: Sequence[str], other: Sequence[str]) -> list[str]:
    """Those words in their order: whom Anna calls is another fact than who calls Anna."""
    # A capital at the beginning of a sentence makes a name only where the other has not the word.
    plain = _FILLERS.union(word for word in other if word.islower())
    turning = _TURNS | _NUMBER_WORDS
    return [
        folded
        for word in words
        if (folded := word.casefold()) in turning
        or any(map(str.isdigit, word))
        or not (word.islower() or folded in plain)
    ]


def _content(text: str) -> frozenset[str]:
    folded = (word.casefold() for word in _words(text))
    return frozenset(_stem(word) for word in folded if word not in _FILLERS)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def known_as(text: str, known: Sequence[str], embedder: Embedder | None) -> str:
    """Which of `known` says the same as `text`; "" when none does.

    Args:
        embedder: compares by meaning too; one that fails is done without.
    """
    plainly = next((one for one in known if near_duplicate(text, one)), "")
    if plainly or embedder is None or language_of(text) is Language.CHINESE:
        return plainly
    near = [one for one in known if may_be_one(text, one)][:_MOST_COMPARED]
    try:
        vector, *others = embedder.embed_passages([text, *near]) if near else [()]
    except MoltbotError:
        return ""
    likely = (
        one
        for one, other in zip(near, others, strict=True)
        if near_duplicate(text, one, _cosine(vector, other))
    )
    return next(likely, "")


_MOST_COMPARED = 12


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = hypot(*one) * hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


# --- a new value for the same thing


@dataclass(frozen=True)
class Claim:
    """`value` stands for `subject`, of which a person has one at a time."""

    subject: str
    value: str


_SOLE = (
    "dentist|doctor|gp|physician|therapist|landlord|boss|manager|wife|husband|spouse|partner"
    "|girlfriend|boyfriend|fianc[eé]e?|employer|job|name|nickname|birthday|age|blood type|height"
    "|weight|time ?zone|native language|home ?town|(?:home |office |work |email |e-mail )?address"
    "|(?:phone|mobile|cell|telephone)(?: number)?|e-?mail|zip code|postcode|licen[cs]e plate"
    "|(?:shoe|shirt|ring|clothing) size|bank|gym|(?:\\w+'s )?(?:name|birthday|age|school)"
    "|favou?rite [\\w -]+"
)
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), subject)
    for pattern, subject in (
        (rf"(?:my|our) (?P<subject>{_SOLE}) (?:is|=) (?:now )?(?P<value>.+)", ""),
        (r"(?:i|we)(?: now| currently)? live (?:in|at) (?P<value>.+)", "live"),
        (r"(?:i|we)(?: now)? (?:have )?moved to (?P<value>.+)", "live"),
        (r"i(?: now)? work (?:at|for) (?P<value>.+)", "work"),
        (r"i(?:'m| am) (?P<value>\d+)(?: years old)?", "age"),
        (r"(?:you can )?call me (?P<value>.+)", "name"),
        ("我们?(?:现在)?(?:家)?(?:住在|住|搬到了?|搬去了?)(?P<value>.+)", "live"),
        ("我(?:现在)?在(?P<value>.+?)(?:工作|上班)", "work"),
        ("我(?:的名字)?叫(?P<value>.+)", "name"),
        ("我今年(?P<value>.+?)岁", "age"),
        (
            (
                "我们?的?(?P<subject>牙医|医生|家庭医生|老板|上司|经理|房东|老婆|妻子|太太|老公|丈夫|女朋友|男朋友"
                "|女友|男友|对象|名字|生日|年龄|血型|地址|住址|电话号?码?|手机号?码?|邮箱|微信号?|职业|工作|专业"
                "|公司|车牌号?|鞋码|身高|体重|最喜欢的[^是]{1,8}|最爱的[^是]{1,8})(?:现在)?(?:是|叫|为|:)"
                "(?P<value>.+)"
            ),
            "",
        ),
    )
)


def claim_of(text: str) -> Claim | None:
    """What `text` says about one thing, in one of the shapes that are understood."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'").strip().rstrip(".。!")
    for shape, subject in _SHAPES:
        if found := shape.fullmatch(plain):
            named = same_fact(subject or found["subject"])
            if _VAGUE.search(found["value"]) or not _is_particular(named, found["value"]):
                return None
            return Claim(named, same_fact(found["value"]).rstrip("了"))
    return None


_VAGUE = re.compile(
    r"\b(?:and|or|both|too|also|sometimes|very|really|so|not|now a)\b|[、和或也还个]|不|很|挺|非常"
    r"|[\u4e00-\u9fff],[\u4e00-\u9fff]",
    re.IGNORECASE,
)
"""One of several values, a judgement, or a second sentence behind the first."""


def _is_particular(subject: str, value: str) -> bool:
    """ "My boss is Carol", not "my boss is strict": a name or a number, or a favourite."""
    if language_of(value) is Language.CHINESE or subject.startswith("favo"):
        return True
    return value != value.lower() or any(map(str.isdigit, value))


def supersedes(new: str, old: str) -> bool:
    """Whether `new` gives another value to the very thing that `old` is about."""
    if language_of(new) is not language_of(old):  # York and 约克 would be two places
        return False
    later, earlier = claim_of(new), claim_of(old)
    if later is None or earlier is None or later.subject != earlier.subject:
        return False
    # "Leeds, UK" only tells more of "Leeds".
    return later.value not in earlier.value and earlier.value not in later.value
