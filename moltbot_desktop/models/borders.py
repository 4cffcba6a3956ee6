"""Where an argument may begin and end inside a request.

The pointer mask lets the starter copy runs of the request; these rules keep it from cutting what
belongs together: words, numbers, clock times, dates, codes with hyphens, mail addresses, titles
with their names ("Dr. Okafor"), amounts with their currency, a command with its options, what
stands in quotes or brackets. A border at `i` lies between characters `i - 1` and `i`.

Between two Chinese characters a border is nearly always allowed: which of them belong to one word
is the model's decision. Measured: borders at the words of rjieba's dictionary would make 6 of 771
calls right that are not, and 1 wrong that is right ("里写上交水费"); not worth its 33 MB.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

# Han, kana and full-width punctuation: scripts whose words are not kept apart by spaces.
_EAST = "\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff0f\uff1a-\uff20"
_LETTER = rf"[^\W{_EAST}]"
_ADDRESS = r"[A-Za-z0-9_/\\~*=&%#@+\-$^|]"
_APOSTROPHE = r"['’](?!s\b)"
_TITLES = "Dr|Mr|Mrs|Ms|Mx|Prof|St|Rev|Capt|Lt|Col|Gen|Sgt|Fr|Hon"
_DAYS = "今天|明天|后天|今晚|明晚|明早|(?:周|星期|礼拜)[一二三四五六日天]|[号日]"
_HAN = "\u3400-\u9fff\uf900-\ufaff"
# Quotes that open behind a blank, a colon or a Chinese character and close before something else
# than a letter: no apostrophes, no quotes inside code.
_QUOTES = re.compile(
    rf"(?:(?<=[\s:=,;(（：，、{_HAN}])|^)"
    r"(?:\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`)(?![A-Za-z0-9_])"
    r"|“[^“”\n]+”|「[^「」\n]+」|『[^『』\n]+』"
)
_NO_NAME = r'\\/:*?"<>|\n'
_NAME_WORD = rf"(?!(?:for|in|with|and|to|from|into|as|on|please)\b)[^{_NO_NAME}\s.]+"
# On Windows folders and files often have blanks in their names.
_WINDOWS_FILE = (
    rf"[A-Za-z]:\\(?:[^{_NO_NAME}]{{1,60}}\\)*{_NAME_WORD}(?: {_NAME_WORD}){{0,3}}"
    r"\.[A-Za-z0-9]{1,5}\b"
)
# Politeness behind a comma is said to the assistant.
_POLITE_END = re.compile(
    r"(?i:[,，]\s*(?:please|thanks|thank you|thx|okay|ok))"
    r"|[,，]\s*(?:谢谢你?|多谢|拜托了?|麻烦了|好吗|行吗|可以吗)"
)
# Without a comma, too, at the end of a request that is not about asking or saying something.
_ASKED_KINDLY = re.compile(
    r"\A(?![\s\S]*[问说写])[\s\S]*?(?:好不好|[好行成]吗|好[嘛么]|行不行|可以[吗不])(?=[？?。！!\s]*\Z)"
)
# "好不好", "要不要": nothing ends in the middle of asking.
_EITHER_WAY = re.compile(rf"(?<=([{_HAN}]))(?=不\1)")
# Nothing ends with what only leads on to the next thing, but code with its semicolon ("f();").
_SEPARATOR = re.compile(r"(?:[,:，；：、]|(?<![0-9)\]}\"']);)(?=\s|[^\x00-\x7f])")
_PAIRS = {")": "(", "]": "[", "}": "{"}

_GENITIVE = re.compile(r"(?<=\w)['’]s\b")
_ZH_NUMBER = "[一二三四五六七八九十廿]"
_ZH_DATE = (
    rf"(?:农历|阴历|阳历|公历)?(?:\d{{4}}年)?(?:\d{{1,2}}|正|冬|腊|闰?{_ZH_NUMBER}{{1,2}})月"
    rf"(?:初{_ZH_NUMBER}|\d{{1,2}}|{_ZH_NUMBER}{{1,3}})[日号]?"
)
_IT_IS = r"(?:it|that|what|there|here|let|he|she|who|where|how|when)['’]s\b"
# Behind these something must follow.
_LEADS_ON = re.compile(
    rf"\b(?:the|an|is|are|was|were|and|or|of|to|but|if|when|because|(?i:{_IT_IS}))(?=\s+\w)"
    rf"|[是把](?=[{_HAN}])|(?<![现实存])在(?=\s?\S)"
    rf"|\b(?i:remind me)(?=\s+\w)|提醒我(?=[{_HAN}])|[个条](?=提醒|闹[钟铃])"
)
# With the blank in front, which belongs to the first token of a word. "to" leads on to what to
# do, but not in "quarter to nine" and "from Monday to Friday".
_CLOCK_WORDS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midday|midnight|the"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_REMINDING = re.compile(
    r"\s?\b(?i:remind(?:er)?s?|alarm|nudge|ping)\b|提醒|闹[钟铃]|[叫喊]我|通知我|告诉我"
    rf"|\sto(?=\s(?!(?i:{_CLOCK_WORDS}))[A-Za-z])"
)
# Of a Chinese question nothing is left out ("我对" of 我对什么过敏) but an end that only asks
# (是什么, 放在哪里了, 叫啥名字).
_ASKING = "什么|啥|谁|哪|几|多少|怎么|怎样|何时"
_ASKING_WORD = re.compile(_ASKING)
_PARTICLES = re.compile(r"(?:来着|[呢呀啊吧了的吗嘛哦噢哈呗])*\s*")
_ASKING_END = re.compile(
    r"(?:[是叫姓有为]|叫做|是?指的?是?|(?:最[后终])?[定选说]的是|[放停住约定存藏]?在|[放停住存藏]|[我你]?(?:说|讲|提|记|写)[过了]?些?)?"
    rf"(?:{_ASKING})"
    r"(?:名字|时候|时间|地方|地址|日子|日期|位置|样子|[名样人一几里儿天年月日号点个位家种款条本次些层楼岁块钱拼写念读支路])*"
    rf"{_PARTICLES.pattern}"
)
_CLAUSE = re.compile(r"[^，,。.！!？?；;：:\n]+")
# With these nothing begins: they lean on the word before, or announce what comes.
_LEANS = re.compile(
    "的(?![士确])|了(?![解不结])|[吗们，。、；：！？]|这(?:串|行代码|行字|句话|几个字)(?![的是要在])"
    r"|[上下入进里][：:]|(?i:content)\s?(?:是|[：:](?!//))|请[将把](?=[\"'“‘「『])"
)
# No time begins in a telephone number.
_PHONE = re.compile(r"\s?(?<![\d-])\d{3,4}[- ]\d{3,}(?:[- ]\d+)*")
# A verb or a place that begins the request is no part of a file's name.
_BEFORE_NAME = re.compile(
    r"(?:请|麻烦|劳驾|帮我|帮忙|给我|替我|你|[\s，,])*+(?P<word>生成|新建|新增|创建|建立|打开|编辑|储存|存储"
    r"|保存|读取|查看|追加|[在往])(?!文本文档|文件夹)(?=\S*\.[A-Za-z])"
)

# Inside a match of these no argument begins or ends.
_TOGETHER = tuple(
    map(
        re.compile,
        (
            # Words, also with inner apostrophe, hyphen, dot, slash or @; 7:30, 3.5, 1,000.
            rf"{_LETTER}+(?:(?:[.@/\-]|{_APOSTROPHE}|(?<=\d)[:,](?=\d)){_LETTER}+)*",
            _GENITIVE.pattern,
            rf"[a-z]+://[^\s{_EAST}\"'<>]*[^\s{_EAST}\"'<>.,;:!?)]",
            r"[$€£¥￥#+]\d|\d\s?[%°℃]",
            r"(?i:\d\s?(?:[ap](?:m\b|\.m\.?)|o['’]clock))",
            rf"\b(?:{_TITLES})\.?\s+[A-Z]",
            # A day with its clock time.
            r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[ T]\d{1,2}:\d\d",
            rf"(?:{_DAYS})\s*\d{{1,2}}[:：]\d\d",
            r"(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\s+\d{1,2}(?::\d\d|\s?[ap]m\b))",
            rf"(?i:\b{_IT_IS})",
            _ZH_DATE,
            "[早晚]上|[上中下]午|凌晨|傍晚|[今明后昨]天(?!气)|[今明]晚|[今明]早|分钟|小时",
            f"再过(?=[0-9半两]|{_ZH_NUMBER})",
            # Words that requests are full of.
            "文件[名夹]?|命令|脚本|图片|照片|视频|网[页址站]|链接|软件|程序|闹[钟铃]|提醒|备忘|笔记",
            "谢谢|妈妈|爸爸|爷爷|奶奶|宝宝|哥哥|姐姐|弟弟|妹妹|叔叔|公公|婆婆|太太",
            "密码|号码|进入|(?<!填)写入(?!口)|(?<!检)查看(?!看)",
            "[那这哪](?:[个家位张天次些种件条首部款台套]|本(?!来))",
            rf"([{_HAN}]{{2}})\1",
            # Options belong to their command, and so does what it is joined with.
            r"[\w./\"')\]]\s+--?[A-Za-z]",
            r"[\w./\"')\]]\s+(?:&&|\|\|?|>>?)\s+(?=\S)",
            # Accents and the parts of one emoji.
            "[\\s\\S][\u0300-\u036f\ufe0e\ufe0f\u200d\U0001f3fb-\U0001f3ff]+",
            "\u200d[\\s\\S]",
        ),
    )
)
_ADDRESSES = tuple(
    map(
        re.compile,
        (
            # One piece as long as nothing but ASCII goes on without a space.
            rf"\.{{0,2}}{_ADDRESS}+(?:[.:?,!;]+{_ADDRESS}+)*",
            _WINDOWS_FILE,
        ),
    )
)
# "1,000" is one number, "3,4" are two; in a sum "5x3" are two as well.
_NUMBER = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d+(?:\.\d+)?|\.\d+")
_COUNT = re.compile(rf"(?<!{_LETTER})(?<!\d[.:,])\d+(?!{_LETTER})(?![.:,]\d)")
_NO_START = re.compile(rf"(?<=[/\\_\-=&%#@+.])[{_EAST}]|(?<=[{_EAST}])[\\_\-=&%#@+]")
_NO_END = re.compile(
    rf"(?<=[{_EAST}])(?:[/\\_\-~=&%#@+*](?=\S)|[.:?,](?=[A-Za-z0-9]))"
    rf"|(?<=[A-Za-z0-9]=)(?=[{_HAN}])|(?<=[A-Za-z]盘)(?=[的里上中下])"
)
# "https://a.org/terms的条款": what is wanted of a page is no part of its address.
_OF_A_PAGE = re.compile(rf"://[^\s{_EAST}]+的(?P<wanted>[{_HAN}]+)")
# "a.org/wiki/北京": where an encyclopedia has its entries the Chinese goes on with the address,
# unless it speaks about the page ("a.org/wiki/这个网页"). Behind other folders the model decides.
_NO_END_BEHIND = re.compile(
    rf"[A-Za-z0-9]\.[a-z]{{2,}}/(?:[^\s{_EAST}]+/)?(?:wiki|w|item)/(?=[{_HAN}])"
    "(?![的里上看读]|这[个篇页]|那[个篇页]|主页|网[页站]|页面|内容|最新|[是有]什么|[说写讲])"
)
# What names a file or an address by its ending, and words that never belong to such a name.
_NAME_RUN = re.compile(rf"[{_HAN}A-Za-z0-9_~*./\\:\-·（）()]+")
# A whole path needs no ending.
_PATH = re.compile(rf"(?<![A-Za-z0-9.:/])(?:[/~]|\.{{1,2}}/|[A-Za-z]:\\)[A-Za-z0-9_.~/\\{_HAN}-]+")
_ENDING = re.compile(rf"(?<=[{_HAN}A-Za-z0-9_)）])\.[A-Za-z][A-Za-z0-9]{{1,4}}(?![A-Za-z0-9])")
_NO_NAME_WORD = (
    "to|into|in|inside|from|at|as|of|on|for|with|and|or|is|are|the|an?|my|me|us|it|its|this|that|please|up"
    "|files?|folder|documents?|pages?|sites?|websites?|links?|urls?|contents?|texts?|called|named|name"
    "|open|read|show|find|locate|search|write|save|saved|put|add|append|edit|play|view|see|get|fetch"
    "|visit|go|launch|start|run|display|check|look|where|what|whats|what's|says?|summari[sz]e|summary"
)
_LONGEST_BEFORE = 60
_NAME_BEFORE = re.compile(
    rf"(?i:(?:(?<![\w'])(?!(?:{_NO_NAME_WORD})\s)(?:[^\W{_HAN}]|['~./\\:-])+ ){{0,3}})\Z"
)
# Where a longer name may begin: with a capital inside the sentence ("me Letter to Margaret.txt"),
# or behind what leads on to it ("in films to watch.txt").
_NAME_BEGINS = re.compile(
    r"(?<=[a-z,:] )(?=[A-Z])"
    rf"|\b(?:in|of|to|from|into|called|named|file) (?!(?i:{_NO_NAME_WORD})\s)(?=\w)"
)
# The first part of a Chinese name with a blank ("看看第2课 生词.txt").
_HAN_BEFORE = re.compile(rf"[{_HAN}A-Za-z0-9]*[{_HAN}] \Z")
# A Chinese file name with its extension, and whatever stands before it without a blank.
_HAN_FILE = re.compile(rf"[{_HAN}][{_HAN}A-Za-z0-9_\-·（）()]*\.[A-Za-z0-9]{{1,5}}(?![A-Za-z0-9])")
# The last characters of the words that stand before a file name ("打开", "名字叫", "里的").
_BEFORE_FILE = frozenset(
    "件到下在进个看的叫开读往档为把将入是念成有用出听眼建遍示给找取让放至来写搜了盖份向要以辑志道带清存"
    "瞧我得拿载再记诸部本查名索动置于做替览印帮着翻改上里见字合倒片讲说些像目播充映含过问对阅拟认曰实"
    "瞅调案康掉新跟使频觅文径望位签击换摆和与或打发传送去删移作加添补录述称显现号张这那你他她它"
)


@dataclass(frozen=True)
class Borders:
    """Positions (0..len) where an argument may begin and where it may end.

    Attributes:
        only_end: begin of what stands in quotes -> its end, the only one for that begin, and for
            no other.
    """

    starts: frozenset[int]
    ends: frozenset[int]
    only_end: Mapping[int, int]


def text_borders(text: str) -> Borders:
    """For free text. "Moscow's weather" may give "Moscow", but nothing begins with "'s"."""
    brackets = _in_brackets(text)
    quoted = [(a + 1, b - 1) for a, b in _quotes(text) if a not in brackets]
    inside = {i for a, b in quoted for i in range(a, b + 1)}
    allowed = frozenset(range(len(text) + 1)) - inside - brackets - _inside(text, _TOGETHER)
    no_start = {found.start() for found in _GENITIVE.finditer(text)}
    no_start |= {found.start() for found in _LEANS.finditer(text)}
    starts = allowed - no_start - {a - 1 for a, _ in quoted}
    ends = allowed - {
        found.end()
        for pattern in (_SEPARATOR, _POLITE_END, _ASKED_KINDLY, _EITHER_WAY, _LEADS_ON)
        for found in pattern.finditer(text)
    }
    return Borders(starts | {a for a, _ in quoted}, ends, MappingProxyType(dict(quoted)))


def question_borders(text: str) -> Borders:
    """For what is looked for in memory, which a question asks."""
    plain = text_borders(text)
    return replace(plain, ends=plain.ends - _before_the_question(text))


def _before_the_question(text: str) -> set[int]:
    """Borders that would cut a clause off from the question it asks."""
    found = set[int]()
    for clause in _CLAUSE.finditer(text):
        words = list(_ASKING_WORD.finditer(text, *clause.span()))
        if not words:
            continue
        last = words[-1]
        only_asks = _ASKING_END.fullmatch(text, last.start(), clause.end())
        for at in range(clause.start() + 1, clause.end() if only_asks else last.end()):
            if at > last.start():
                whole = _PARTICLES.fullmatch(text, at, clause.end())
            else:
                whole = _ASKING_END.fullmatch(text, at, clause.end())
            if not whole or text[at - 1] in "是叫姓在":
                found.add(at)
    return found


def address_borders(text: str) -> Borders:
    """For file names, patterns and addresses, which are copied whole.

    After a Chinese character an address may begin with `/`, `~`, `*` or `.` (“打开~/a.txt”,
    “搜.log”), but none ends there (“文档/a.txt”, “报告.txt”). A Chinese file name begins behind a
    word that may stand before one (“打开报告.txt”, not “告.txt”) and ends with its extension.
    """
    plain, inside = text_borders(text), _inside(text, _ADDRESSES)
    no_start, no_end = _in_file_names(text)
    no_start |= {found.start() for found in _NO_START.finditer(text)}
    if word := _BEFORE_NAME.match(text):
        no_start.update(range(*word.span("word")))
        no_start.discard(word.end("word"))
    no_end |= {found.start() for found in _NO_END.finditer(text)}
    no_end |= {found.end() for found in _NO_END_BEHIND.finditer(text)}
    for page in _OF_A_PAGE.finditer(text):
        no_end.update(range(page.start("wanted"), page.end("wanted") + 1))
    starts = plain.starts - inside - no_start
    starts = starts & _named(text) or starts  # of a name that is none of these, anywhere
    ends = plain.ends - inside - no_end
    return Borders(starts | plain.only_end.keys(), ends, plain.only_end)


def _inside(text: str, patterns: tuple[re.Pattern[str], ...]) -> frozenset[int]:
    found = (match.span() for pattern in patterns for match in pattern.finditer(text))
    return frozenset(i for start, end in found for i in range(start + 1, end))


def _named(text: str) -> set[int]:
    """Where an address may begin in a request that names some by their endings: nowhere else.

    Up to three words before it may belong to a file name with blanks ("the shopping list.txt").
    """
    found = set[int]()
    for run in _NAME_RUN.finditer(text):
        endings = list(_ENDING.finditer(text, *run.span()))
        if not endings:
            continue
        before = _NAME_BEFORE.search(text, max(0, run.start() - _LONGEST_BEFORE), run.start())
        begin = before.start() if before else run.start()
        found.update(range(max(0, begin - 1), endings[-1].end()))
        window = max(0, run.start() - _LONGEST_BEFORE)
        for longer in _NAME_BEGINS.finditer(text, window, begin):
            found.update((longer.end() - 1, longer.end()))
        if with_blank := _HAN_BEFORE.search(text, window, run.start()):
            chunk = range(with_blank.start() + 1, with_blank.end())
            found.update(at for at in chunk if text[at - 1] in _BEFORE_FILE)
    if found:
        paths = (range(path.start() - 1, path.end()) for path in _PATH.finditer(text))
        found.update(itertools.chain.from_iterable(paths))
    for name in re.finditer(_WINDOWS_FILE, text):
        found.update(range(max(0, name.start() - 1), name.end()))
    return found


def _in_file_names(text: str) -> tuple[set[int], set[int]]:
    """Where no Chinese file name begins, and where none ends."""
    no_start, no_end = set[int](), set[int]()
    for found in _HAN_FILE.finditer(text):
        no_end.update(range(found.start() + 1, found.end()))
        for at in range(found.start() + 1, found.end()):
            if text[at] >= "\u3400" and text[at - 1] not in _BEFORE_FILE:
                no_start.add(at)
        if text[found.start()] in "把将" and found.start() + 1 not in no_start:
            no_start.add(found.start())
    return no_start, no_end


def _quotes(text: str) -> Iterator[tuple[int, int]]:
    """Spans of what stands in quotes, with them; not of a request that is quoted as a whole."""
    for found in _QUOTES.finditer(text):
        if found[0] != text.strip():
            yield found.span()


def _in_brackets(text: str) -> frozenset[int]:
    """Positions inside `{...}`, `[...]` and the `(...)` of a call like `print(...)`."""
    opened: list[int] = []
    found = set[int]()
    for at, character in enumerate(text):
        if character in _PAIRS.values():
            opened.append(at)
        elif opened and text[opened[-1]] == _PAIRS.get(character):
            begin = opened.pop()
            called = begin > 0 and text[begin - 1].isascii() and text[begin - 1].isalnum()
            whole = text[begin : at + 1] == text.strip()
            if (character != ")" or called) and not whole:
                found.update(range(begin + (not called), at + 1))
    return frozenset(found)


def separators(text: str) -> list[int]:
    """Where a colon or semicolon stands that leads on to something else: no clock time's."""
    return [found.start() for found in _SEPARATOR.finditer(text) if found[0] in ":;：；"]


def reminding(text: str) -> list[int]:
    """Where a word that asks for a reminder begins and ends: no time goes on over it."""
    return [at for found in _REMINDING.finditer(text) for at in found.span()]


def phone_numbers(text: str) -> list[tuple[int, int]]:
    """Spans of telephone numbers, with the blank before: no time begins in one."""
    return [found.span() for found in _PHONE.finditer(text)]


def numbers(text: str) -> list[tuple[int, int]]:
    """Spans of the numbers of a sum."""
    return [found.span() for found in _NUMBER.finditer(text)]


def counts(text: str) -> list[tuple[int, int]]:
    """Spans of whole numbers that stand alone: a line, a count; no part of a word or a time."""
    return [found.span() for found in _COUNT.finditer(text)]
