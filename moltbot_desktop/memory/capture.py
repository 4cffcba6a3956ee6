"""Whether a message of the owner says something worth keeping, and what kind of thing it is.

    capturable("I prefer window seats")     # Category.PREFERENCE
    capturable("我对花生过敏")                # Category.FACT
    capturable("What is my blood type?")    # None
    telling_sentences("What a day! I live in Leeds, and you?")    # the one with "I live in Leeds"

The reference's triggers and filter, with what they lack: Chinese, English decisions, whole words
("whenever" is no "never"), and an ear for what states nothing: a question, a request ("remind me
..."), an idiom ("never mind"), quoted text. It goes sentence by sentence, so that a question does
not hide the fact beside it. Czech is as in the reference.

Phrases and not a model: the same message gets the same answer on every machine, at once. A rule
that is too keen costs the owner a glance at a proposal, one that is too shy costs a memory. A
plain 我想 or 我要 is left out all the same, because every other request begins so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """What a memory is about; the values are the reference's."""

    PREFERENCE = "preference"
    DECISION = "decision"
    ENTITY = "entity"
    FACT = "fact"
    OTHER = "other"


SHORTEST, LONGEST = 10, 500
"""Of a message, in UTF-16 units; a Han character, kana or Hangul syllable counts for `WIDE`."""
WIDE = 2.5
"""So much more a Chinese character says than a letter: 我叫李雷 is just long enough."""
MOST_EMOJI = 3


@dataclass(frozen=True)
class Told:
    """One sentence of a message that gives something to remember.

    Attributes:
        words: the sentence as it was written, without a question after its comma.
        explicit: it asks to remember.
    """

    words: str
    category: Category
    explicit: bool


def capturable(text: str) -> Category | None:
    """The category of what `text`, a message of the owner, gives to remember.

    None when it says nothing lasting, asks for something, or is not in the owner's own words:
    recalled memories, markup, quotations, the output of a program.
    """
    if not SHORTEST <= _size(text) <= LONGEST or _is_generated(text):
        return None
    sentences = _sentences(_own_words(_plain(text)))
    return _category(filter(_states, sentences))


def telling_sentences(text: str) -> tuple[Told, ...]:
    """The sentences for which `text` is `capturable`, in order."""
    if capturable(text) is None:
        return ()
    own = _own_words(_plain(text))
    told = []
    for sentence in _verbatim_sentences(text):
        plain = _plain(sentence).strip()
        if plain and plain in own and _states(plain) and (kind := _category((plain,))):
            told.append(Told(sentence, kind, bool(_EXPLICIT.search(_IDIOM.sub(" ", plain)))))
    return tuple(told)


def only_asks(text: str) -> bool:
    """Whether no sentence of `text` gives anything: "Hi! What am I allergic to?"."""
    sentences = _sentences(_own_words(_plain(text)))
    return not any(_states(sentence) for sentence in sentences if not _GREETING.fullmatch(sentence))


def asks_to_remember(text: str) -> bool:
    """Whether the owner says that it is to be remembered: "remember ...", 记住…"""
    return bool(_EXPLICIT.search(_IDIOM.sub(" ", _plain(text))))


def _category(sentences: Iterable[str]) -> Category | None:
    said = _IDIOM.sub(" ", "\n".join(sentences))
    if not (_EXPLICIT.search(said) or _TELLING.search(said)):
        return None
    return next((kind for kind, words in _KINDS if words.search(said)), Category.OTHER)


# --- what is judged at all

_HAN = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
_WIDE = re.compile(_HAN)
_EMOJI = re.compile("[\U0001f300-\U0001f9ff]")


def _size(text: str) -> float:
    narrow = _WIDE.sub("", text)
    surrogates = sum(character > "\uffff" for character in narrow)
    return len(narrow) + surrogates + WIDE * (len(text) - len(narrow))


def _is_generated(text: str) -> bool:
    """Recalled memories, markup, an assistant's summary or its decoration."""
    return (
        "<relevant-memories>" in text
        or (text.startswith("<") and "</" in text)
        or ("**" in text and "\n-" in text)
        or len(_EMOJI.findall(text)) > MOST_EMOJI
    )


_SEAM = re.compile(rf"(?<={_HAN})(?=\w)(?!{_HAN})|(?<=\w)(?<!{_HAN})(?={_HAN})")


def _plain(text: str) -> str:
    """One form of each sign, and a space where scripts meet, so that words end: 我always."""
    text = unicodedata.normalize("NFKC", text).replace("\u2019", "'").replace("\r", "\n")
    return re.sub(r"[^\S\n]+", " ", _SEAM.sub(" ", text))


def _alike(text: str) -> str:
    """Like `_plain`, with every character still where it was."""
    forms = (unicodedata.normalize("NFKC", character) for character in text)
    narrow = (form if len(form) == 1 else was for form, was in zip(forms, text, strict=True))
    return "".join(narrow).replace("\u2019", "'").replace("\r", "\n")


# --- quotations

_FENCE = re.compile(r"^ *(?:```|~~~)", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_JSON = re.compile(r"\s*[{\[].*[}\]]\s*", re.DOTALL)
_QUOTED_LINE = re.compile(
    r" *(?:>|\$ [a-z]|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|Traceback \(|File \"|at [\w.$<>]+ \("
    r"|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)(?:\]|:| ))"
)
_OUTPUT = re.compile(
    r" *(?:(?:(?:tool|command|terminal|program) (?:output|result|log)s?|output|stdout|stderr)"
    r"|(?:工具|命令|终端|程序)的?(?:输出|返回|结果|日志)(?:结果)?|输出(?:结果)?) ?:",
    re.IGNORECASE,
)


def _own_words(text: str) -> str:
    """`text` without code, quoted lines, and what "Output:" announces up to an empty line."""
    if _JSON.fullmatch(text):
        return ""
    outside = _FENCE.split(text)[::2]
    kept = (line for part in outside for line in _unquoted(part.split("\n")))
    return _CODE.sub(" ", "\n".join(kept))


def _unquoted(lines: Iterable[str]) -> Iterator[str]:
    announced = False
    for line in lines:
        announced = bool(line.strip()) and (announced or bool(_OUTPUT.match(line)))
        if not announced and not _QUOTED_LINE.match(line):
            yield line


# --- phrases


def _phrases(latin: str, chinese: str) -> re.Pattern[str]:
    """Whole words of the one, characters of the other."""
    return re.compile(rf"\b(?:{latin})\b|{chinese}", re.IGNORECASE)


_NO_STOP = "[^,。!?;:\\n]"
_REMEMBER = (
    "remember|(?:keep|bear) in mind|(?:don't|do not) forget|(?:make|take) a note|note (?:that|down)"
    "|for future reference"
)
_EXPLICIT = _phrases(
    rf"{_REMEMBER}|(?:za)?pamatuj\w*",
    "(?<![没不])记住|记下|记一下|记录一下|牢记|别忘|不要忘"
    "|(?:^|[,。!;:\\s])(?:请你?|一定要|要|你要)?记得",
)
_HOW = (
    "(?:(?:really|also|just|still|always|never|absolutely|usually|generally|personally|actually"
    "|much|do|don't|do not) ){0,2}"
)
_DIET = "i (?:don't|do not|never|only) (?:eat|drink|smoke|use)"
_LIKES = _phrases(
    rf"prefer\w*|radši|nechci|i {_HOW}(?:like|hate|love|dislike|enjoy|adore|detest)"
    "|i (?:really |just |don't |do not )?want|i (?:really |just )?need"
    "|i (?:can't|cannot|can not) (?:stand|bear)|i(?:'d| would) (?:much )?rather"
    f"|{_DIET}",
    f"我{_NO_STOP}{{0,4}}?(?:喜欢|讨厌|偏好|偏爱|宁愿|宁可|受不了|热爱|最爱|恨|习惯|不想"
    "|爱(?=[吃喝看听玩用穿去读写跑骑养])|(?:不|只)[吃喝抽](?!了)|只用)"
    "|(?:^|[,。!;\\s])(?:不|很|更|最|非常|特别)?(?:喜欢|讨厌|偏好)|忌口|吃素",
)
_DECIDES = _phrases(
    "rozhodli jsme|budeme používat"
    "|(?:we|i)(?:'ve| have| had)?(?: just| all| finally| already)?"
    " (?:decided|agreed|chose|chosen|settled on)"
    "|(?:we|i)(?: will|'ll) (?:always )?use|(?:we're|we are|i'm|i am) going with",
    f"(?:我|我们|咱们|大家|公司|团队){_NO_STOP}{{0,6}}?(?<!没)(?<!没有)(?<!未)"
    "(?:决定|商定|约定|说好|选定|敲定|(?<!一)定了|打算)|(?:我们|咱们)(?:会|将|都)?(?:采用|改用|统一用)",
)
_NAMES = "叫(?![了他她它你您人车外过不])|姓|名字"
_KIN = (
    "家|妈|爸|母亲|父亲|老婆|老公|妻子|丈夫|太太|先生|爱人|[男女]朋友|[男女]友|女儿|儿子|孩子|弟|妹|哥|姐"
    "|爷爷|奶奶|外公|外婆|老板|同事|朋友|公司|血型|生日|猫|狗"
)
_ABOUT = _phrases(
    r"my (?:[\w'-]+ ){1,3}(?:is|are)|my name's|(?:is|are|it's|that's) my"
    r"|our (?:[\w'-]+ ){1,3}(?:is|are)|můj \w+ je|je můj|you can call me|i was born|i moved to"
    r"|i (?:live|work|study) (?:in|at|for|as|on|near|with|from)"
    r"|i (?:[\w']+ ){1,5}every (?:day|night|morning|evening|week|month|year|\w+day)"
    r"|i(?:'m| am|'ve been| have been) (?:\w+ ){0,2}?(?:allergic|vegetarian|vegan|diabetic|married"
    r"|(?:left|right)-handed|called|from|born|\d+ years old)|allerg(?:y|ies|ic)",
    f"我们?的{_NO_STOP}{{1,12}}?(?:是|叫|姓|在|住|为|属)"
    f"|我们?(?:{_KIN}){_NO_STOP}{{0,10}}?(?:是|叫|姓|在|住|属|对|有)"
    f"|我(?:{_NAMES}|来自|住|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|出生|不能[吃喝]|每[天周晚月年])"
    f"|我{_NO_STOP}{{0,4}}?(?:住在|搬[到去])|我在{_NO_STOP}{{1,10}}?(?:工作|上班|上学|读书|长大|出生)"
    f"|我是{_NO_STOP}{{0,10}}?(?:人|者|师|生|员|族|型血?|撇子|教徒|党|控)(?=[,。!;\\s]|$)"
    "|我今年 ?[\\d一二三四五六七八九十]+ ?岁|过敏|生日 ?(?:是|在|:)",
)
_CONTACT = re.compile(
    r"\+\d(?:[ ()./-]{0,2}\d){9}|(?<!\d)1[3-9]\d(?:[ -]?\d{4}){2}(?!\d)"
    r"|[\w.-]@[\w-]+(?:\.[\w-]+)*\.\w"
    "|(?<![这那]个)(?:电话|手机|座机|微信|QQ|邮箱|电子邮件|地址|住址|车牌|学号|工号|账号)"
    r" ?(?:号码|号)? ?(?:是|为|:|=|\d)",
    re.IGNORECASE,
)
_STANDING = _phrases(
    "always|never|from now on",
    "总是|从不|从来不|从来没|从没|永远(?!的)|绝不|一向|向来|每次都|一律|今后|从现在(?:开始|起)"
    "|(?:^|[,。!;\\s])以后(?!再)",
)
_IMPORTANT = _phrases("important", "重要")
_TELLING = re.compile(
    "|".join(p.pattern for p in (_LIKES, _DECIDES, _ABOUT, _CONTACT, _STANDING, _IMPORTANT)),
    re.IGNORECASE,
)
_IDIOM = _phrases(
    r"never ?mind|(?:as|like) always"
    r"|(?:not|isn't) (?:(?:so|very|that|really|too|all) ){0,2}important"
    r"|my (?:question|point|guess) is"
    r"|(?:i|we|he|she|they)(?: (?:still|do|don't|do not|can|can't|cannot|could|couldn't|did|didn't"
    r"|also|now|never|hardly|vaguely)){0,2} remember|(?:don't|do not|didn't|can't) remember",
    "(?:不|没)(?:有|是|怎么|太|那么|这么|很|算)*重要|我的(?:问题|意思|疑问)是"
    "|(?<!帮)我(?:会|都|已经)?记住|记住了",
)

# First match wins; a word counts wherever it stands.
_KINDS = (
    (
        Category.PREFERENCE,
        _phrases(
            "prefer\\w*|radši|(?:dis)?like[sd]?|love[sd]?|hate[sd]?|want(?:s|ed)?"
            "|would rather|i'd rather|enjoy|adore|detest|(?:can't|cannot|can not) (?:stand|bear)"
            f"|from now on|{_DIET}",
            "喜欢|讨厌|偏好|偏爱|宁愿|宁可|受不了|热爱|最爱|恨|习惯|不想"
            "|爱[吃喝看听玩用穿去读写跑骑养]|[不只][吃喝抽]|只用|忌口|吃素|以后|今后|从现在",
        ),
    ),
    (
        Category.DECISION,
        _phrases(
            "rozhodli|budeme|decided|agreed|chosen?|settled on|(?:will|'ll) use|going with",
            "决定|商定|约定|说好|选定|敲定|(?<!一)定了|打算|采用|改用|统一用",
        ),
    ),
    (
        Category.ENTITY,
        re.compile(
            rf"{_CONTACT.pattern}|@[\w-]+(?:\.[\w-]+)*\.\w"
            rf"|\b(?:is called|are called|i'm called|am called|jmenuje se)\b|{_NAMES}",
            re.IGNORECASE,
        ),
    ),
    (
        Category.FACT,
        re.compile(
            rf"{_ABOUT.pattern}|\b(?:is|are|am|i'm|has|have|je|má|jsou)\b"
            "|(?<![总就还可但])是|有|(?<![现正])在|(?<!记)住|生日|岁|不能",
            re.IGNORECASE,
        ),
    ),
)


# --- sentences that state something

_END = re.compile(r"(?<=[.!?;])(?=[\s\u3000-\u9fff]|$)|(?<=[.!?;][\"'”)])(?=\s)|(?<=。)|\n")
_OPENING = (
    r"\W*+(?:(?:hey|hi|hello|ok|okay|so|and|but|well|oh|now|then|also|please|by the way)\b\W*"
    r"|(?:那么?|请问|另外|对了|还有|请|麻烦|你好)\W*)*"
)
_GREETING = re.compile(_OPENING, re.IGNORECASE)
_WHICH = "what|who|whom|whose|where|when|why|how|which"
_ASKING = (
    rf"(?:(?:{_WHICH})(?:'s|'re| (?:is|are|was|were|am|do|does|did|can|could|should|would|will|has"
    "|have|had|many|much|often|long|old|far|big|tall|about|come|kind|sort|time|day|colou?r|happens))\\b"
    "|(?:is|are|am|was|were|do|does|did|don't|doesn't|didn't|can|can't|could|would|will|won't|should"
    "|shall|may|might|has|have|had|isn't|aren't)"
    " (?:i|you|he|she|it|we|they|there|any\\w*|some\\w*)\\b"
    "|(?:is|are|was|were|does|did|has|had|will) (?:my|your|his|her|our|their|this|that|the)\\b"
    f"|(?:tell|show|remind) me (?:again )?(?:{_WHICH}|if|whether|about)\\b"
    f"|i (?:wonder|forgot|(?:don't|do not|can't) (?:know|remember)) (?:{_WHICH}|if|whether)\\b"
    "|(?:and|what about|how about) you\\b"
    "|[你您](?:还|是否)?(?:知道|记得|记不记得|知不知道|呢)|还记得|为什么|为何|什么|怎么(?![都也])"
    "|哪(?!怕)|谁(?![都也])|几[点号时]|多少|多久|我(?:不知道|不记得|不确定|忘了)"
    r"|\d[\d.]* ?(?:乘以?|除以?|加|减|[*×÷+]) ?\d)"
)
_QUESTION = re.compile(_OPENING + _ASKING, re.IGNORECASE)
_ASKED = re.compile(
    r"(?:\?|[吗么]|(?:谁|哪里?|哪儿|哪个|多少|几点|几号|怎么办|怎么样|如何)呢?)\W*$"
    "|(?<![没管论])什么(?![都也的])|(?<![管论])哪[些个里儿天年](?![都也])"
    "|是不是|有没有|喜不喜欢|爱不爱|记不记得|对不对"
)
_AFTERTHOUGHT = re.compile(
    r"\W*+(?P<condition>(?:if|unless|suppose)\b|如果|要是|假如|万一)?"
    rf".*?(?P<comma>,) ?(?={_ASKING})",
    re.IGNORECASE,
)
_POLITE = re.compile(
    _OPENING + rf"(?:(?:can|could|would|will) you (?:please )?(?:{_REMEMBER}) (?!(?:{_WHICH}|if)\b)"
    "|[你您]?(?:能不能|可不可以|能|可以)(?:帮我)?(?:记住|记下|记一下|记得))(?P<what>.*)",
    re.IGNORECASE | re.DOTALL,
)
_OKAY = re.compile(r", (?:ok|okay|alright|all right|please)\W*$", re.IGNORECASE)
_POLITE_TAG = re.compile(
    r"(?:, (?:will|can|could|would) you(?: please)?"
    r"|,? ?(?:好吗|好不好|好么|行吗|行不行|可以吗))\W*$",
    re.IGNORECASE,
)
_UNKNOWN = re.compile("什么|谁|哪|几|多少|怎么")
_REQUEST = re.compile(
    _OPENING + r"(?:(?:tell|show|give|remind|send|help|teach) me\b|let me know\b"
    r"|i (?:want|need|would like) (?:you to|to (?:know|ask|find out|see|check))\b"
    r"|i need (?:some |your )?(?:help|advice)\b"
    r"|(?:write(?! to)|draft|translate|summari[sz]e|play|open|search|find|look up|explain|read"
    r"|draw)\b"
    r"|把|写[一个首封篇段]|翻译|总结|搜索|搜一下|查一下|查查|查询|打开|播放|推荐|解释|列出|生成"
    r"|你?(?:再|先)?(?:告诉我|提醒我|给我|帮我|帮忙|教我|让我)|我(?:想|要|需要)(?:知道|问|请你|让你|你))",
    re.IGNORECASE,
)


def _sentences(text: str) -> Iterator[str]:
    """The sentences of `text`, without questions that follow a comma ("..., what's yours?").

    With "if ..." before the comma all of it is the question.
    """
    for part in map(str.strip, _END.split(text)):
        aside = _AFTERTHOUGHT.match(part)
        if not aside or _POLITE.match(part, aside.end()):
            yield part
        elif not aside["condition"]:
            yield part[: aside.start("comma")]


_SHORT_FORM = re.compile(r"\b(?:dr|mrs?|ms|prof|st|mt|no|jr|sr|vs|approx|[a-z])\.\Z", re.IGNORECASE)
"""What ends with a full stop and no sentence."""


def _verbatim_sentences(text: str) -> Iterator[str]:
    """The sentences as they were written; without questions after a comma, as in `_sentences`."""
    alike = _alike(text)
    found = (one.span() for one in _END.finditer(alike))
    ends = [span for span in found if not _SHORT_FORM.search(alike, 0, span[0])]
    starts = [0, *(end for _, end in ends)]
    for start, stop in zip(starts, [*(begin for begin, _ in ends), len(text)], strict=True):
        part = alike[start:stop]
        aside = _AFTERTHOUGHT.match(part)
        if aside and not _POLITE.match(part, aside.end()):
            if aside["condition"]:
                continue
            stop = start + aside.start("comma")
        yield text[start:stop].strip()


def _states(sentence: str) -> bool:
    """Whether a sentence gives something, in place of asking for it."""
    sentence = _OKAY.sub("", sentence)
    polite = _POLITE.match(sentence)
    if polite:
        what = polite["what"]
        gives = what.startswith("that ") or _TELLING.search(what)
        return bool(gives) and not _UNKNOWN.search(what)
    if _EXPLICIT.search(sentence):
        sentence = _POLITE_TAG.sub("", sentence)
    elif _REQUEST.match(sentence) and not _STANDING.search(sentence):
        return False
    return not (_ASKED.search(sentence) or _QUESTION.match(sentence))
