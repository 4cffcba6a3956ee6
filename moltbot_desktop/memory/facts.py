"""What a message of the owner gives to remember, each fact in the owner's own words.

    facts_of("By the way, I'm allergic to peanuts. What can I cook?")
        # Fact("Allergic to peanuts", FACT, quote="By the way, I'm allergic to peanuts.")
    facts_of("remember that my dentist is Dr. Lee")
        # Fact("My dentist is Dr. Lee", ..., explicit=True)

`capture` says which sentences state something; here they are freed of what does not belong to the
fact ("so", "remember that", "好吗"), and what will not last or must not be kept is left out. What
the owner asks to remember is kept whatever it says, unless it is something to be done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from moltbot_desktop.memory.capture import Category, Told, telling_sentences
from moltbot_desktop.memory.notes import clean_text, same_fact
from moltbot_desktop.memory.secrecy import looks_secret

MOST_PROPOSALS = 3
"""Of one message, inferred."""
_SHORTEST = 3


@dataclass(frozen=True)
class Fact:
    """Something to remember.

    Attributes:
        text: in the owner's words, one line.
        quote: the sentence it was taken from, verbatim.
        explicit: the owner asked to remember it.
    """

    text: str
    category: Category
    quote: str
    explicit: bool = False


def facts_of(message: str) -> tuple[Fact, ...]:
    """The facts of a message, in order; at most `MOST_PROPOSALS` that were not asked for."""
    found: dict[str, Fact] = {}
    inferred = 0
    for told in telling_sentences(message):
        fact = _fact(told)
        if fact is None or same_fact(fact.text) in found:
            continue
        inferred += not fact.explicit
        if fact.explicit or inferred <= MOST_PROPOSALS:
            found[same_fact(fact.text)] = fact
    return tuple(found.values())


def as_line(text: str) -> str:
    """`text` as one line of a list: no line ends, no comma or full stop around it, a capital."""
    line = " ".join(clean_text(text).split()).strip(_AROUND)
    first = line.split(" ", 1)[0]
    return line[:1].upper() + line[1:] if first.islower() else line  # an iPhone stays one


_AROUND = " ,;:.!?，；：。！？、\t"


def _fact(told: Told) -> Fact | None:
    quote = " ".join(told.words.split())
    asked = _asked_to_remember(quote) if told.explicit else None
    if told.explicit and asked is None:
        return None
    bare = as_line(_bare_words(quote if asked is None else asked))
    if asked is None:
        bare = _inferred(bare, quote)
    if len(bare) < _SHORTEST:
        return None
    return Fact(bare, told.category, quote, explicit=asked is not None)


# --- "remember that ..."

_ASK_FIRST = re.compile(
    r"^\W*(?:(?:hey|hi|ok|okay|so|and|also|then)\b\W*)*"
    r"(?:(?:can|could|would|will) you\s+)?(?:please\s+)?(?:do\s+)?"
    r"(?:remember|(?:keep|bear) in mind|(?:make|take) a note|note(?: down)?|for future reference"
    r"|(?:don't|don’t|do not) forget)\b(?: this| it)?(?:,? please)?\s*(?:that\b|of\b|[:：,，-])?\s*"
    r"(?P<fact>.*)$"
    r"|^\W*(?:(?:嗨|你好|对了|另外|还有|那么?)\W*)*(?:请问?你?|麻烦你?|帮我|你?(?:能不能|可不可以|能|可以)?(?:帮我)?)?"
    r"(?:记住|记下来?|记一下|记录一下|牢记|记得|(?:别|不要)忘(?:记|了)?)(?:这[个件]?事?)?\s*[:：,，]?\s*"
    r"(?P<zh>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_ASK_LAST = re.compile(
    r"^(?P<fact>.*?)[\s,，;；-]+(?:so |and |please )*(?:please )?"
    r"(?:remember(?: that| this| it)?|keep (?:that|this|it) in mind|note (?:that|this|it)(?: down)?"
    r"|(?:don't|don’t|do not) forget(?: that| this| it)?)(?:,? please)?\W*$"
    r"|^(?P<zh>.*?)[\s,，;；]*(?:请|麻烦)?(?:你?帮我)?(?:记住|记下来?|记一下|牢记|别忘了?)(?:这[个件]?事?|哦|啊|吧)?\W*$",
    re.IGNORECASE | re.DOTALL,
)
_TO_DO = re.compile(
    r"(?:to|when|how|what|where|why|who|whether|if|about)\b|(?:this|that|it|me|him|her|them|us)\W*$"
    r"|(?:去|要|给|买|交|带|打|拿|取|还|寄|发|吃|喝|叫|关|开|做|洗|把|帮|提醒|明天|今天|今晚|后天|下)",
    re.IGNORECASE,
)
_POLITE_END = re.compile(
    r"(?:,? (?:please|ok|okay|alright|thanks|thank you|(?:will|can|could|would) you(?: please)?)"
    r"|[,，]? ?(?:好吗|好不好|行吗|可以吗|谢谢|哦|哈))[\s?？!！.。]*$",
    re.IGNORECASE,
)


def _asked_to_remember(sentence: str) -> str | None:
    """What the sentence asks to remember, or None when that is a task or nothing."""
    sentence = _POLITE_END.sub("", sentence)
    found = _ASK_FIRST.match(sentence) or _ASK_LAST.match(sentence)
    fact = (found["fact"] or found["zh"] or "").strip() if found else ""
    return fact if fact and not _TO_DO.match(fact) else None


# --- the fact in the sentence

_OPENING = re.compile(
    r"^\W*(?:(?:by the way|btw|hey|hi|hello|ok(?:ay)?|so|and|but|well|oh|now|then|also|anyway"
    r"|actually|you know|fyi|just so you know|as you know|please|note that|i mean|yes|yeah|no"
    r"|顺便(?:说一下|提一下|一提)?|对了|另外|还有|那么?|其实|你好|嗨|是的|嗯|哦)\b\W*"
    r"|(?:顺便(?:说一下|提一下|一提)?|对了|另外|还有|那么|其实|你好|嗨|是的|嗯|哦)\W*)++",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[,，]? *(?:\b(?:you know|by the way|btw|though|actually|anyway|lol|haha|please|thanks"
    r"|thank you|of course|i think|i guess|as you know|just so you know|fyi)"
    r"|[,，](?:对吧|其实|哈哈+|谢谢|你知道的))[\s.!。！]*$",
    re.IGNORECASE,
)
_I_AM = re.compile(
    r"^(?:i'm|i’m|i am) (?=(?:\w+ ){0,2}?(?:allergic|vegetarian|vegan|diabetic|married"
    r"|(?:left|right)-handed))",
    re.IGNORECASE,
)
_FLEETING = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|at the moment|just now"
    r"|this (?:morning|afternoon|evening|week|weekend|month)|last (?:night|week)"
    r"|next (?:week|month)|in (?:a|\d+) (?:minutes?|hours?|days?))\b"
    r"|\b(?:i|we) (?:really |just |do |also )*(?:don't |don’t |do not )?"
    r"(?:want|need|like|love|hate) (?:to (?:know|see|ask|go|get|have|do|be|find|make|buy|leave"
    r"|sleep|eat|talk|say)|a|an|some|it|this|that|these|those|you|your|more|another|help|how|what|when)\b"
    r"|(?:it|this|that)(?:'s|’s| is| was) (?:very |really |so |not |also )*important"
    r"|\b(?:is|are|isn't|isn’t) (?:still |too |so |very |really )*(?:not working|broken|slow"
    r"|stuck|down|angry|tired|sick|late|crashing|missing|lost|empty|full|out of)\b"
    r"|\bi never (?:got|received|saw)\b"
    r"|\bthe (?:first|second|third|last|other|shorter|longer|previous|former|latter|new|old) "
    r"(?:one|version|option|answer|idea)\b"
    r"|今天|今晚|今早|昨天|昨晚|明天|后天|刚才|刚刚|(?:现在|目前)(?!住|在|是|叫|用)|这[周次会几]|下[周个次]|上[周个次]|本周|等会|待会|一会"
    r"|我(?:很|真|也|就|都|又|才)?(?:喜欢|讨厌|爱|恨|不喜欢)[这那你它]|这(?:很|非常|太|真)?重要",
    re.IGNORECASE,
)


def _bare_words(sentence: str) -> str:
    bare = _TAIL.sub("", _OPENING.sub("", sentence))
    return _I_AM.sub("", bare)


_NOT_MEANT = re.compile(
    r"(?:(?:forget|unremember|unlearn|(?:don't|don’t|do not) (?:remember|keep|save|store)|delete"
    r"|remove|erase|suppose|imagine|pretend|assume|act (?:as|like)|say|repeat|fix|correct|rephrase"
    r"|change|stop|example|e\.g|in (?:my|the|a) (?:novel|story|book|film|movie|game|dream|play))\b"
    r"|(?:he|she|they|someone|people|(?:my|the|a) [\w'’-]+(?: [\w'’-]+)?) "
    r"(?:say|says|said|told|thinks?|thought|wrote|writes|claims?|asked)\b"
    r"|(?:请你?|麻烦你?|帮我)?(?:(?:别|不要|不用|不必)(?:再)?(?:记|存|保存)|忘掉|忘记|忘了|删|去掉|移除|假设|假如|假装|想象|设想"
    r"|扮演|例如|比如|例子|重复|纠正|改一?[下写]|说一遍)"
    r"|在?我的?(?:小说|故事|梦|游戏|剧本)里|(?:他|她|他们|有人|我?[^,，]{0,4})(?:说|写道|认为|觉得)[:：,，])"
    r"|.*, (?:said|asked|cried|replied) [\w ]+$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』|《[^》]*》")


def _inferred(text: str, quote: str) -> str:
    """What of `text` may be proposed, "" for nothing: not what is somebody else's word, an order,
    a fiction, or a secret, nor what is over by tomorrow or points at something outside."""
    if _NOT_MEANT.match(text) or looks_secret(quote):
        return ""
    if _QUOTED.search(quote) and not telling_sentences(_QUOTED.sub(" … ", quote)):
        return ""
    if not _FLEETING.search(text):
        return text
    # "My dentist is Dr. Lee, remind me tomorrow to call him": the first part lasts.
    parts = (as_line(part) for part in _CLAUSE.split(text))
    lasting = (part for part in parts if not _FLEETING.search(part) and telling_sentences(part))
    return next(lasting, "")


_CLAUSE = re.compile(r"[,，;；]")
