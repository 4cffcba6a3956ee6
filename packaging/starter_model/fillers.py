"""Fillers: what stands in the slots of a phrasing.

The model has to learn where an argument begins and ends, not what it means, so fillers are wide
rather than sensible: everyday words, invented words, codes with letters, digits and hyphens, names
with titles, Chinese phrases that contain characters which are triggers elsewhere.
"""

import functools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

PHRASES: Final = Path(__file__).parent / "phrases"
SYLLABLES: Final = (
    "ba be bi bo bu da de di do du fa fe fi ga ge go gu ha he hi ho ja jo ju ka ke ki ko la le li "
    "lo lu ma me mi mo mu na ne ni no nu pa pe po qui ra re ri ro ru sa se si so ta te ti to tu va "
    "ve vi wa we xi ya yo za zu an en in on ar er or al el il st ch sh th tr br"
).split()
DAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS: Final = (
    "January February March April May June July August September October November December"
).split()
UPPER: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PROVINCES: Final = "京津沪渝冀晋辽吉黑苏浙皖闽赣鲁豫鄂湘粤琼川贵云陕甘青蒙桂宁新藏"
TEXT_TYPES: Final = "txt md csv json log yaml ini toml cfg py html xml sh".split()
DOCUMENT_TYPES: Final = (
    "pdf docx xlsx pptx png jpg jpeg mp3 mp4 odt gif doc xls ppt epub wav svg mov".split()
)
# The 3,755 most common Chinese characters (first level of GB 2312), straight from the codec.
LEVEL_ONE: Final = "".join(
    bytes([row, cell]).decode("gb2312", "ignore")
    for row in range(0xB0, 0xD8)
    for cell in range(0xA1, 0xFF)
)


@functools.cache
def sections(name: str) -> dict[str, list[str]]:
    """Reads a file of phrasings or words: `[section]` lines, then one entry a line."""
    result: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (PHRASES / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]") and "<" not in line:
            current = result.setdefault(line[1:-1], [])
        else:
            current.append(line)
    return result


@functools.cache
def words() -> dict[str, list[str]]:
    """The word pools by name."""
    return {
        key: [word.strip() for line in lines for word in line.split(", ")]
        for key, lines in sections("words").items()
    }


@functools.cache
def wide_words() -> dict[str, list[str]]:
    """The pools of wide_words.py by name."""
    found = {key: lines[0].split(", ") for key, lines in sections("wide").items()}
    found["en any"] = [word for key in ("en noun", "en verb", "en adj") for word in found[key]]
    found["zh adj"] = [word + "的" for word in found["zh adj"]]
    return found


# How often a pool of words.txt is left for its larger one, and which that is.
WIDE_SHARE: Final = 0.4
WIDE: Final = {
    "en noun": "en noun",
    "en own": "en noun",
    "en thing": "en noun",
    "en verb": "en verb",
    "en adj": "en adj",
    "en daily": "en any",
    "zh word": "zh noun",
    "zh own": "zh noun",
    "zh thing": "zh noun",
    "zh verb": "zh verb",
    "zh adj": "zh adj",
    "zh name": "zh name",
    "zh city": "zh place",
}


class Fillers:
    """Random slot values of one language."""

    def __init__(self, rng: random.Random, zh: bool) -> None:
        self.rng = rng
        self.zh = zh
        self.pool = words()

    # --- building blocks ---------------------------------------------------------------------
    def one(self, *options: Callable[[], str]) -> str:
        """The value of one of several generators."""
        return self.rng.choice(options)()

    def word(self, kind: str, language: str | None = None) -> str:
        name = f"{language or ('zh' if self.zh else 'en')} {kind}"
        if name in WIDE and self.chance(WIDE_SHARE):
            return self.rng.choice(wide_words()[WIDE[name]])
        return self.rng.choice(self.pool[name])

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def number(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def invented(self, low: int = 2, high: int = 4) -> str:
        """An invented lower-case word."""
        return "".join(self.rng.choice(SYLLABLES) for _ in range(self.number(low, high)))

    def digits(self, count: int) -> str:
        return "".join(str(self.number(0, 9)) for _ in range(count))

    def letters(self, count: int) -> str:
        return "".join(self.rng.choice(UPPER) for _ in range(count))

    def characters(self, low: int = 1, high: int = 5) -> str:
        """Random Chinese characters."""
        return "".join(self.rng.choice(LEVEL_ONE) for _ in range(self.number(low, high)))

    def phone(self) -> str:
        d = self.digits
        if self.zh:
            return self.one(
                lambda: "1" + d(10),
                lambda: f"1{d(2)}-{d(4)}-{d(4)}",
                lambda: f"0{d(2)}-{d(8)}",
                lambda: f"400-{d(3)}-{d(4)}",
            )
        return self.one(
            lambda: f"{d(3)}-{d(4)}",
            lambda: f"{d(3)}-{d(3)}-{d(4)}",
            lambda: f"+{d(2)} {d(2)} {d(7)}",
            lambda: f"({d(3)}) {d(3)}-{d(4)}",
            lambda: f"0{d(3)} {d(6)}",
            lambda: d(4),
            lambda: f"{d(3)} {d(3)} {d(3)}",
        )

    def code(self) -> str:
        """A code with letters, digits and hyphens: plates, serial numbers, references."""
        d, letters = self.digits, self.letters
        mixed = "".join(self.rng.choice(UPPER + "0123456789" * 2) for _ in range(self.number(4, 9)))
        if self.zh and self.chance(0.3):
            plate = self.rng.choice(PROVINCES) + letters(1)
            tail = self.one(lambda: d(5), lambda: d(6), lambda: letters(1) + d(4), lambda: mixed)
            return plate + self.rng.choice(["", "", "·", " "]) + tail
        return self.one(
            lambda: f"{letters(2)}-{d(self.number(3, 5))}-{letters(1)}",
            lambda: f"{letters(self.number(1, 3))}-{letters(2)} {d(self.number(2, 4))}",
            lambda: f"{letters(3)}-{d(4)}-{d(4)}",
            lambda: f"{d(1)}{letters(2)}-{d(2)}{letters(1)}",
            lambda: f"{letters(2)}{d(2)} {d(4)} {d(4)} {d(4)}",
            lambda: f"{letters(2)} {d(2)} {letters(2)} {d(4)}",
            lambda: mixed,
            lambda: mixed.lower(),
            lambda: f"{d(3)}-{d(2)}-{d(4)}",
            lambda: d(self.number(3, 9)),
            lambda: f"{letters(1)}{d(self.number(4, 8))}",
            lambda: f"{self.invented(1, 2)}{d(2)}{self.rng.choice('!#_')}",
            lambda: f"{mixed[:4]}-{mixed[4:]}{d(2)}",
        )

    def person(self) -> str:
        """A name, often with a title whose dot stands inside the argument."""
        if self.zh:
            surname = self.rng.choice(
                "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯董萧程曹袁邓许"
            )
            titles = [
                "医生",
                "老师",
                "先生",
                "女士",
                "律师",
                "师傅",
                "经理",
                "教授",
                "大夫",
                "阿姨",
            ]
            return self.one(
                lambda: surname + self.rng.choice(titles),
                lambda: surname + self.characters(1, 2),
                lambda: self.word("name"),
            )
        surname = self.one(lambda: self.word("surname"), lambda: self.invented(2, 3).capitalize())
        title = self.rng.choice(["Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "Dr", "Aunt", "Sister"])
        return self.one(
            lambda: f"{title} {surname}",
            lambda: f"{self.word('name')} {surname}",
            lambda: self.word("name"),
            lambda: surname,
        )

    def daily(self, low: int, high: int) -> str:
        """Everyday words in random order: their borders cannot be guessed from grammar."""
        chosen = [self.word("daily", "en") for _ in range(self.number(low, high))]
        if self.chance(0.3):
            chosen[self.rng.randrange(len(chosen))] = self.one(
                self.invented,
                lambda: self.invented().capitalize(),
                lambda: str(self.number(0, 9999)),
                lambda: self.rng.choice(DAYS),
                self.code,
            )
        text = " ".join(chosen)
        if self.chance(0.12):
            text = text.replace(" ", self.rng.choice([", ", ": ", ". ", " - ", " & ", "/"]), 1)
        return text

    def chinese(self, low: int = 1, high: int = 4) -> str:
        """A run of Chinese words and characters, with particles inside."""
        parts = ""
        for index in range(self.number(low, high)):
            parts += self.one(
                lambda: self.word("word"),
                lambda: self.word("word"),
                lambda: self.word("verb"),
                lambda: self.word("adj"),
                lambda: self.characters(1, 4),
                lambda: self.word("name"),
            )
            if index + 1 < high and self.chance(0.12):
                parts += self.rng.choice("的在是了和给把要去到")
        if parts[-1] in "的在是了和给把要去到":
            parts += self.word("word")
        return parts

    def noun_phrase(self) -> str:
        adjective = self.word("adj") + " " if self.chance(0.4) else ""
        return adjective + self.word("noun")

    # --- facts and questions about them ------------------------------------------------------
    def own(self) -> str:
        """A noun phrase for something of the user's own life."""
        if self.zh:
            return self.one(
                lambda: "我的" + self.word("own"),
                lambda: "我的" + self.word("own"),
                lambda: (
                    self.rng.choice(["我", "我们", "我家", "咱们", "咱家"])
                    + self.rng.choice(["", "的"])
                    + self.word("own")
                ),
                lambda: self.word("bare secret"),
                lambda: self.word("relation") + "的" + self.word("own"),
                lambda: "我" + self.word("relation") + "的" + self.word("own"),
                lambda: self.word("name") + "的" + self.word("own"),
                lambda: "我的" + self.characters(1, 4),
                lambda: "我的" + self.word("adj") + self.word("own"),
                lambda: self.word("relation") + "的" + self.word("word"),
            )
        return self.one(
            lambda: "my " + self.word("own"),
            lambda: "my " + self.word("own"),
            lambda: (
                self.rng.choice(["our ", "my ", "my current ", "our old ", "my new "])
                + self.word("own")
            ),
            lambda: "the " + self.word("bare secret"),
            lambda: f"my {self.word('relation')}'s {self.one(*self._possessions())}",
            lambda: f"{self.word('name')}'s {self.one(*self._possessions())}",
            lambda: "my " + self.word("relation"),
            lambda: "my " + self.noun_phrase(),
            lambda: "my " + self.daily(1, 3),
            lambda: f"the {self.word('noun')} of my {self.word('relation')}",
            lambda: f"the name of my {self.one(*self._possessions())}",
            lambda: f"our {self.invented()} {self.word('noun')}",
        )

    def _possessions(self) -> tuple[Callable[[], str], ...]:
        return (
            lambda: self.word("own"),
            lambda: self.word("event"),
            lambda: self.word("noun"),
        )

    def bday(self) -> str:
        """A birthday or another day in the family."""
        who = self.one(lambda: self.word("relation"), lambda: self.word("name"))
        if self.zh:
            start = self.rng.choice(["", "", "我", "我们"]) if who in "妈妈爸爸" else ""
            return start + who + self.rng.choice(["的", "的", ""]) + self.word("event")
        return self.one(
            lambda: f"my {self.word('relation')}'s {self.word('event')}",
            lambda: f"{self.word('name')}'s {self.word('event')}",
            lambda: f"{self.rng.choice(['my', 'our', 'the'])} {self.word('event')}",
        )

    def iclause(self) -> str:
        """What follows "where did" in a question about the user's own doings."""
        return self.one(
            lambda: (
                f"I {self.rng.choice(['park', 'leave', 'put', 'hide', 'store', 'keep', 'buy'])} "
                + self.rng.choice(["my ", "the ", "our "])
                + self.noun_phrase()
            ),
            lambda: "I park",
            lambda: f"I {self.word('verb')} the {self.word('noun')}",
            lambda: (
                f"I have to {self.word('verb')} {self.rng.choice(['my', 'the'])} "
                + self.word("noun")
            ),
            lambda: (
                f"we {self.rng.choice(['meet', 'stay', 'eat', 'go', 'live', 'buy'])} "
                + self.daily(1, 3)
            ),
            lambda: f"I meet {self.person()}",
            lambda: f"I pay for the {self.word('noun')}",
            lambda: (
                f"I {self.rng.choice(['promise', 'give', 'lend', 'owe', 'tell'])} {self.person()}"
            ),
            lambda: "I " + self.daily(1, 4),
        )

    def ziclause(self) -> str:
        """What precedes 哪 in a question about where something was put."""
        thing = self.one(
            lambda: self.word("own"), lambda: self.word("word"), lambda: self.word("thing")
        )
        verb = self.rng.choice("放放停存藏搁收")
        return self.one(
            lambda: f"我把{thing}{verb}",
            lambda: f"我的{thing}{verb}",
            lambda: f"{thing}{verb}",
            lambda: f"我{verb}{thing}",
            lambda: f"我家的{thing}{verb}",
            lambda: f"我上次把{thing}{verb}",
        )

    def zwclause(self) -> str:
        """What precedes 什么, 谁 or 多少 in a question about the user."""
        return self.one(
            lambda: "我最喜欢" + self.rng.choice("吃喝看听玩去"),
            lambda: "我对",
            lambda: "我答应过" + self.person(),
            lambda: f"我借给{self.person()}",
            lambda: f"{self.word('relation')}喜欢" + self.rng.choice(["吃", "喝", "玩", ""]),
            lambda: f"我的{self.word('own')}叫",
            lambda: f"我给{self.person()}{self.word('verb')}",
            lambda: f"我上次{self.word('verb')}",
            lambda: f"{self.word('relation')}的{self.word('own')}叫",
        )

    def value(self) -> str:
        """The value of a fact."""
        if self.zh:
            return self.one(
                self.code,
                self.code,
                self.phone,
                self.person,
                lambda: self.word("value word"),
                lambda: self.chinese(1, 2),
                lambda: f"{self.number(1, 12)}月{self.number(1, 31)}{self.rng.choice('日号')}",
                lambda: self.invented(),
                lambda: f"{self.word('city')}{self.characters(2, 3)}路{self.number(1, 999)}号",
                lambda: f"{self.number(1, 20)}栋{self.number(101, 3304)}",
            )
        return self.one(
            self.code,
            self.code,
            self.phone,
            self.person,
            self.person,
            lambda: self.word("value word"),
            lambda: self.invented(),
            lambda: self.invented().capitalize(),
            lambda: f"{self.number(1, 31)} {self.rng.choice(MONTHS)}",
            lambda: f"{self.rng.choice(MONTHS)} {self.number(1, 31)}",
            lambda: f"{self.number(1, 300)} {self.invented().capitalize()} Street",
            lambda: f"{self.invented()}@{self.invented()}.com",
            lambda: f"${self.number(1, 900)}.{self.digits(2)}",
            lambda: f"{self.number(1, 9)},{self.digits(3)} euros",
            lambda: self.word("city"),
            lambda: f"{self.number(1, 12)}:{self.digits(1)}0",
        )

    def detail(self) -> str:
        """A second half of a fact, after a comma."""
        if self.zh:
            return self.rng.choice("，，，、；") + self.one(
                lambda: self.rng.choice(["电话", "电话是", "手机", "手机号"]) + self.phone(),
                lambda: self.rng.choice(["编号", "密码", "单号", "分机", "房间"]) + self.code(),
                lambda: self.chinese(1, 3),
                lambda: "在" + self.word("place"),
                lambda: self.word("value word"),
            )
        return ", " + self.one(
            lambda: (
                self.rng.choice(["phone ", "tel. ", "mobile ", "number ", "call ", "ext. "])
                + self.phone()
            ),
            lambda: (
                self.rng.choice(["code ", "reference ", "ref. ", "id ", "no. ", "PIN ", "room "])
                + self.code()
            ),
            lambda: self.daily(1, 4),
            lambda: self.word("value word"),
            lambda: f"{self.rng.choice(['not', 'next to', 'near', 'and'])} the {self.word('noun')}",
        )

    def ownfact(self) -> str:
        """A bare statement about the user's own life: stored without being asked."""
        text = self._ownfact_zh() if self.zh else self._ownfact_en()
        return text + (self.detail() if self.chance(0.18) else "")

    def _ownfact_en(self) -> str:
        pick, name = self.rng.choice, self.person
        is_ = pick(["is", "is", "is", "'s", "is called", "is named", "has", "was", "are"])
        return self.one(
            lambda: f"{self.own()} {is_} {self.value()}".replace(" 's", "'s"),
            lambda: f"{self.own()} is {self.value()}",
            lambda: f"{self.own()} is {name()}",
            lambda: (
                f"{self.own()} {pick(['is', 'are', 'hangs', 'lies'])} in the {self.word('place')}"
            ),
            lambda: f"{self.bday()} is {pick(['', 'on '])}{self.whenbare()}",
            lambda: f"I {pick(['live', 'work', 'was born', 'grew up'])} in {self.word('city')}",
            lambda: f"I {pick(['am', 'was'])} allergic to {self.noun_phrase()}",
            lambda: f"I'm {pick(['allergic to', 'a fan of', 'scared of'])} {self.noun_phrase()}",
            lambda: (
                f"I {pick(['prefer', 'like', 'hate', 'love', 'never eat', 'don`t eat', 'drink', 'collect'])} ".replace(
                    "`", "'"
                )
                + self.noun_phrase()
            ),
            lambda: (
                f"I {pick(['parked', 'put', 'left', 'hid', 'stored', 'keep'])} the "
                f"{self.word('noun')} {pick(['in', 'on', 'behind', 'under', 'near'])} the "
                + self.word("place")
            ),
            lambda: f"I parked {pick(['on', 'in', 'at', 'near'])} {self.daily(1, 3)}",
            lambda: (
                f"{self.word('name')} {pick(['lives in', 'moved to', 'comes from'])} "
                + self.word("city")
            ),
            lambda: f"{self.word('name')}'s {self.word('own')} is {self.value()}",
            lambda: f"the {self.word('bare secret')} is {self.value()}",
            lambda: f"I {pick(['paid', 'owe', 'lent', 'gave'])} {name()} {self.value()}",
            lambda: f"we {pick(['meet', 'eat', 'fly', 'train'])} {self.when()}",
        )

    def _ownfact_zh(self) -> str:
        pick = self.rng.choice
        is_ = pick(["是", "是", "是", "叫", "为", "在", "：", "变成了", "改成了"])
        return self.one(
            lambda: f"{self.own()}{is_}{self.value()}",
            lambda: f"{self.own()}是{self.value()}",
            lambda: f"{self.own()}是{self.person()}",
            lambda: f"{self.own()}{pick(['放在', '在', '挂在', '藏在'])}{self.word('place')}",
            lambda: f"{self.bday()}{pick(['是', '在', '是在'])}{self.whenbare()}",
            lambda: f"我{pick(['住在', '在', '来自', '出生在', '老家在'])}{self.word('city')}",
            lambda: f"我对{self.word('word')}过敏",
            lambda: (
                f"我{pick(['不吃', '不喝', '喜欢', '讨厌', '最爱吃', '爱喝', '更喜欢', '习惯', '从不吃'])}"
                + self.chinese(1, 2)
            ),
            lambda: (
                f"我把{self.word('own')}{pick(['放在', '停在', '藏在', '存在', '放到了'])}"
                + self.word("place")
            ),
            lambda: f"{pick(['车', '我的车', '自行车', '电瓶车'])}停在{self.chinese(1, 2)}",
            lambda: (
                f"{self.person()}的{pick(['电话', '手机', '生日', '地址', '邮箱'])}是{self.value()}"
            ),
            lambda: (
                f"{self.word('name')}{pick(['住在', '喜欢', '搬到了', '在', '姓'])}{self.chinese(1, 2)}"
            ),
            lambda: f"{self.word('bare secret')}是{self.value()}",
            lambda: f"我{pick(['借给', '欠', '答应'])}{self.person()}{self.value()}",
            lambda: f"我{self.word('relation')}{pick(['是', '叫', '在', '喜欢'])}{self.value()}",
        )

    def fact(self) -> str:
        """Anything that may follow "remember that"."""
        if self.chance(0.5):
            return self.ownfact()
        if self.zh:
            return self.one(
                lambda: self.chinese(2, 5),
                lambda: self.chinese(1, 3) + self.rng.choice("，、") + self.chinese(1, 2),
                lambda: self.characters(3, 9),
                lambda: f"{self.person()}{self.zwhen()}{self.word('todo')}",
                lambda: f"{self.word('word')}的{self.word('own')}在{self.chinese(1, 2)}",
                lambda: f"{self.word('word')}要{self.word('verb')}{self.chinese(1, 2)}",
                lambda: self.chinese(1, 2) + self.code(),
            )
        return self.one(
            lambda: self.daily(2, 9),
            lambda: self.daily(2, 9),
            lambda: f"the {self.noun_phrase()} is {self.value()}",
            lambda: f"{self.person()} {self.daily(2, 6)}",
            lambda: f"I {self.word('verb')} the {self.noun_phrase()} {self.when()}",
            lambda: f"{self.person()} {self.rng.choice(['works', 'calls', 'comes'])} {self.when()}",
            lambda: f"the {self.word('noun')} {self.word('noun')} is {self.invented()}",
            lambda: f"{self.daily(2, 5)}, {self.daily(1, 4)}",
            lambda: f"{self.noun_phrase()} {self.code()}",
        )

    def topic(self) -> str:
        """What a memory search asks for."""
        if self.chance(0.35):
            return self.own()
        if self.zh:
            return self.one(
                lambda: self.chinese(1, 3),
                lambda: self.word("word"),
                lambda: self.person(),
                lambda: self.characters(2, 5),
                lambda: self.word("thing"),
                self.code,
                self.invented,
            )
        return self.one(
            lambda: self.daily(1, 4),
            lambda: "the " + self.noun_phrase(),
            self.person,
            lambda: f"{self.word('noun')} {self.word('noun')}",
            lambda: f"{self.word('name')}'s {self.word('noun')}",
            self.invented,
            self.code,
            lambda: self.word("noun"),
        )

    def gtopic(self) -> str:
        """A topic of the wide world: never the user's own."""
        if self.zh:
            return self.one(
                lambda: self.word("word"), lambda: self.characters(2, 4), lambda: self.chinese(1, 2)
            ).replace("我", "它")
        return self.one(
            lambda: "the " + self.word("noun"),
            lambda: self.word("noun"),
            self.invented,
            lambda: f"{self.word('adj')} {self.word('noun')}",
            lambda: f"{self.invented()} {self.word('noun')}",
        )

    # --- times and tasks ---------------------------------------------------------------------
    def clock(self) -> str:
        n = self.number
        hour = self.rng.choice("one two three four five six seven eight nine ten eleven".split())
        return self.one(
            lambda: f"{n(0, 23)}:{n(0, 11) * 5:02d}",
            lambda: f"{n(0, 23):02d}:{n(0, 59):02d}",
            lambda: str(n(1, 12)),
            lambda: f"{n(1, 12)} {self.rng.choice(['am', 'pm', 'a.m.', 'p.m.', 'AM', 'PM'])}",
            lambda: f"{n(1, 12)}{self.rng.choice(['am', 'pm', 'PM'])}",
            lambda: f"{n(1, 12)}:{n(0, 5)}0{self.rng.choice(['am', ' pm', 'pm', ' PM'])}",
            lambda: f"{n(1, 12)} o'clock",
            lambda: self.rng.choice(["noon", "midnight", "lunchtime", "sunset"]),
            lambda: hour,
            lambda: f"half past {hour}",
            lambda: (
                f"{self.rng.choice(['quarter', 'a quarter', 'ten', '20'])} "
                f"{self.rng.choice(['to', 'past'])} {hour}"
            ),
            lambda: f"{hour} thirty",
        )

    def whenbare(self) -> str:
        """A point in time without a preposition in front."""
        if self.zh:
            return self.zwhen()
        n, pick = self.number, self.rng.choice
        day = pick(
            [
                "tomorrow",
                "today",
                "tonight",
                "the day after tomorrow",
                "tomorrow morning",
                "tomorrow evening",
                "this afternoon",
                "this evening",
                *DAYS,
            ]
        )
        return self.one(
            lambda: f"{day} at {self.clock()}",
            lambda: f"{day} {self.clock()}",
            lambda: f"{self.clock()} {day}",
            lambda: day,
            lambda: f"{pick(['next', 'this'])} {pick([*DAYS, 'week', 'weekend', 'month'])}",
            lambda: f"{n(1, 31)} {pick(MONTHS)}",
            lambda: f"{pick(MONTHS)} {n(1, 31)}{pick(['', 'st', 'nd', 'rd', 'th'])}",
            lambda: (
                f"20{n(25, 30)}-{n(1, 12):02d}-{n(1, 28):02d}"
                + pick(["", f" {self.clock()}", f" at {self.clock()}"])
            ),
            lambda: f"{pick(MONTHS)} {n(1, 31)} at {self.clock()}",
            self.clock,
            lambda: f"the {n(1, 31)}{pick(['st', 'nd', 'rd', 'th'])}",
        )

    def when(self) -> str:
        """A time as the user says it, with its preposition."""
        if self.zh:
            return self.zwhen()
        pick = self.rng.choice
        count = pick(
            [str(self.number(1, 120))] * 6
            + ["two", "three", "five", "ten", "fifteen", "twenty", "thirty", "a few", "a couple of"]
        )
        unit = pick("minutes minutes minutes hours hours days seconds weeks min mins".split())
        span = self.one(
            lambda: f"{count} {unit}",
            lambda: f"{count} {unit}",
            lambda: pick(["an hour", "half an hour", "a minute", "a week", "a day", "a month"]),
            lambda: pick(["an hour and a half", "1.5 hours", "two and a half hours", "1h 30min"]),
            lambda: f"{self.number(2, 9)} hours and {self.number(5, 50)} minutes",
            lambda: pick(["a quarter of an hour", "three quarters of an hour", "a bit", "20 min"]),
        )
        weekday = pick(DAYS)
        return self.one(
            lambda: "in " + span,
            lambda: "in " + span,
            lambda: "at " + self.clock(),
            lambda: "at " + self.clock(),
            self.whenbare,
            self.whenbare,
            lambda: f"on {weekday}{pick(['', ' morning', ' evening', ' at ' + self.clock()])}",
            lambda: (
                f"{pick(['next', 'every', 'this', 'by'])} {weekday}"
                + pick(["", "", " at " + self.clock()])
            ),
            lambda: (
                f"every {pick(['day', 'morning', 'evening', 'hour', 'week', 'workday'])}"
                + pick(["", " at " + self.clock()])
            ),
            lambda: f"on {self.number(1, 31)} {pick(MONTHS)}{pick(['', ' at ' + self.clock()])}",
            lambda: f"{pick(['before', 'after', 'around', 'by', 'before'])} {self.clock()}",
            lambda: pick(
                ["later today", "this weekend", "next month", "after lunch", "after work"]
            ),
            lambda: f"{span} from now",
            lambda: (
                f"{pick(['tonight', 'tomorrow', 'today', 'this evening', 'tomorrow morning'])} "
                f"{pick(['at', 'around', 'before', 'by', 'at'])} {self.clock()}"
            ),
            lambda: f"at {self.clock()} {pick(['tonight', 'tomorrow', 'today', 'on ' + weekday])}",
            lambda: f"{self.clock()} {pick(['tonight', 'tomorrow', 'today', 'sharp', weekday])}",
            lambda: pick(
                "first thing tomorrow;first thing in the morning;at noon;at midnight;at lunchtime;"
                "at the end of the day;at the weekend;at dinner time;in the morning;in the evening;"
                "in the afternoon;a week from today;the day after tomorrow;tomorrow night;tonight;"
                "tomorrow;tomorrow morning;tomorrow afternoon;this afternoon;this evening;soon;"
                "next week;on the weekend;after dinner;before bed;when I get home;every night".split(
                    ";"
                )
            ),
            lambda: f"in {self.number(2, 90)} {pick(['mins', 'min', 'hrs', 'secs', 'm', 'h'])}",
        )

    def zclock(self) -> str:
        n, pick = self.number, self.rng.choice
        hour = pick([str(n(1, 12)), *"一两三四五六七八九十", "十一", "十二"])
        return self.one(
            lambda: hour + "点",
            lambda: hour + "点",
            lambda: hour + "点半",
            lambda: hour + "点钟",
            lambda: (
                hour + "点" + pick(["十分", "一刻", "二十", "15分", "45", "三刻", "零五分", "50"])
            ),
            lambda: f"{n(0, 23)}:{n(0, 59):02d}",
            lambda: hour + "点整",
        )

    def zwhen(self) -> str:
        """A point in time in Chinese."""
        n, pick = self.number, self.rng.choice
        part = pick(["早上", "上午", "中午", "下午", "晚上", "凌晨", "傍晚", "夜里", "", ""])
        count = pick([str(n(1, 120)), str(n(1, 60)), *"一两三五十", "十五", "二十", "三十", "四十"])
        after = pick(["后", "后", "以后", "之后", "过后"])
        day = pick(
            "明天 今天 后天 今晚 明早 下周 周末 大后天 明晚 今早 下个月 这周末 月底 下班后 午饭后 睡前".split()
        )
        week = pick(["周", "下周", "星期", "每周", "下个星期", "这周", "礼拜", "本周", "每个星期"])
        return self.one(
            lambda: (part or "下午") + self.zclock(),
            self.zclock,
            lambda: day + part + self.zclock(),
            lambda: day + part + self.zclock(),
            lambda: day,
            lambda: count + pick(["分钟", "小时", "个小时", "天", "秒钟", "个钟头", "分"]) + after,
            lambda: count + pick(["分钟", "小时", "个小时"]) + after,
            lambda: (
                pick(["半小时", "半个小时", "一刻钟", "一个半小时", "半天", "一会儿", "三刻钟"])
                + after
            ),
            lambda: f"过{count}分钟",
            lambda: week + pick("一二三四五六日天") + pick(["", part + self.zclock()]),
            lambda: (
                pick(["每天", "每天早上", "每天晚上", "每个工作日", "每晚", "每隔两小时"])
                + pick(["", self.zclock()])
            ),
            lambda: f"{n(1, 12)}月{n(1, 31)}{pick('日号')}" + pick(["", part + self.zclock()]),
            lambda: pick(["等会儿", "待会儿", "一会儿", "晚些时候", "今天晚些时候", "天黑前"]),
        )

    def todo(self) -> str:
        """What a reminder is about."""
        if self.zh:
            return self.one(
                lambda: self.word("todo"),
                lambda: self.word("todo"),
                lambda: self.word("todo"),
                lambda: self.word("verb") + self.word("word"),
                lambda: self.word("verb") + self.word("word"),
                lambda: (
                    f"给{self.person()}{self.rng.choice(['打电话', '发邮件', '回电话', '发消息'])}"
                ),
                lambda: self.word("verb") + self.chinese(1, 2),
                lambda: f"和{self.person()}{self.word('verb')}{self.word('word')}",
                lambda: self.chinese(1, 3),
                lambda: f"去{self.word('word')}{self.word('verb')}{self.word('word')}",
                lambda: f"把{self.word('word')}{self.word('verb')}给{self.person()}",
                lambda: f"{self.word('verb')}{self.person()}的{self.word('word')}",
                lambda: self.characters(2, 6),
                lambda: (
                    f"把{self.word('word')}{self.word('verb')}"
                    + self.rng.choice(
                        ["一下", "了", "好", "出来", "出去", "上", "完", "掉", "回来"]
                    )
                ),
                lambda: f"{self.word('verb')}一下{self.word('word')}",
                lambda: (
                    f"{self.rng.choice('看问试')}{self.rng.choice(['看', '一下', ''])}{self.word('word')}"
                ),
                lambda: (
                    f"{self.rng.choice('跟和给向')}{self.person()}{self.rng.choice(['说', '讲', '谈', '道歉', '要', '借'])}{self.word('word')}"
                ),
                lambda: (
                    f"{self.word('verb')}{self.number(1, 20)}{self.rng.choice('个次份本张瓶斤')}{self.word('word')}"
                ),
            )
        tail = self.one(
            str,
            str,
            lambda: f" for {self.word('name')}",
            lambda: f" with {self.person()}",
            lambda: f" from the {self.word('noun')}",
            lambda: f", {self.rng.choice(['ask for', 'bring', 'room', 'code'])} {self.value()}",
        )
        return self.one(
            lambda: f"{self.word('verb')} the {self.word('noun')}{tail}",
            lambda: f"{self.word('verb')} my {self.noun_phrase()}",
            lambda: f"{self.word('verb')} {self.noun_phrase()}{tail}",
            lambda: (
                f"{self.rng.choice(['call', 'ring', 'phone', 'email', 'meet'])} {self.person()}"
            ),
            lambda: f"{self.word('verb')} {self.person()}{tail}",
            lambda: f"{self.word('verb')} {self.daily(1, 5)}",
            lambda: f"{self.word('verb')} {self.invented()}",
            lambda: f"take the {self.word('noun')} to the {self.word('noun')}",
            lambda: f"{self.word('verb')} {self.word('noun')} and {self.word('noun')}",
            lambda: f"the {self.word('noun')} {self.word('noun')}",
            lambda: f"my {self.word('noun')} appointment",
            lambda: self.daily(1, 6),
            lambda: self.word("verb"),
            lambda: (
                f"{self.rng.choice(['send', 'give', 'show', 'bring', 'tell', 'ask', 'lend'])} "
                f"{self.person()} {self.rng.choice(['the', 'my', 'about the', 'for the', 'his'])} "
                + self.word("noun")
            ),
            lambda: (
                f"{self.rng.choice(['take', 'get', 'bring', 'put', 'pick up', 'collect'])} "
                f"{self.rng.choice(['the', 'my', 'our'])} {self.word('noun')} "
                f"{self.rng.choice(['out of', 'from', 'into', 'back to', 'off', 'to', 'at', 'in'])} "
                f"the {self.word('noun')}"
            ),
            lambda: (
                f"{self.rng.choice(['pick up', 'fetch', 'collect', 'meet'])} {self.person()} "
                f"{self.rng.choice(['from', 'at', 'for'])} {self.word('noun')}"
            ),
            lambda: (
                f"{self.rng.choice(['go to', 'be at', 'leave for', 'drive to', 'check on'])} "
                f"{self.rng.choice(['the ', 'my ', ''])}{self.word('noun')}"
            ),
            lambda: f"{self.rng.choice(['take', 'drink', 'eat', 'do'])} my {self.word('noun')}",
        )

    # --- files -------------------------------------------------------------------------------
    def stem(self) -> str:
        if self.chance(0.35):
            return self.word("stem", "zh" if self.zh and self.chance(0.5) else "en")
        if self.zh and self.chance(0.45):
            return self.one(lambda: self.chinese(1, 2), lambda: self.word("thing"))
        noun = self.word("noun", "en").replace(" ", "_")
        return self.one(
            lambda: self.invented(2, 3),
            lambda: noun,
            lambda: noun,
            lambda: noun + self.rng.choice("_-") + self.invented(1, 2),
            lambda: f"{noun}{self.rng.choice(['', '_', '-', '_v'])}{self.number(1, 2030)}",
            lambda: f"{self.invented(1, 2)}_{noun}_{self.number(1, 30)}",
            lambda: f"{self.number(2019, 2030)}-{self.number(1, 12):02d}-{noun}",
            lambda: noun.upper(),
        )

    def _located(self, name: str) -> str:
        """A file name, alone or with a folder."""
        folder = self.one(
            lambda: self.invented(1, 2), lambda: self.word("folder", "en").replace(" ", "_")
        )
        if self.zh and self.chance(0.3):
            folder = self.word("folder")
        kind = self.rng.random()
        if kind < 0.55:
            return name
        if kind < 0.72:
            return f"{folder}/{name}"
        if kind < 0.82:
            return f"~/{folder}/{name}"
        if kind < 0.91:
            return f"/{folder}/{self.invented(1, 2)}/{name}"
        return f"{self.rng.choice('CDE')}:\\{folder}\\{name}"

    def textpath(self) -> str:
        """A text file."""
        return self._located(f"{self.stem()}.{self.rng.choice(TEXT_TYPES[:5] * 3 + TEXT_TYPES)}")

    def path(self) -> str:
        """A file to write."""
        return self.textpath() if self.chance(0.9) else self.doc()

    def doc(self) -> str:
        """A document that needs a program."""
        return self._located(f"{self.stem()}.{self.rng.choice(DOCUMENT_TYPES)}")

    def memfile(self) -> str:
        """A file of the memory."""
        if self.chance(0.4):
            return "MEMORY.md"
        if self.chance(0.6):
            year, month, day = self.number(2025, 2031), self.number(1, 12), self.number(1, 31)
            return f"memory/{year}-{month:02d}-{day:02d}.md"
        return f"memory/{self.invented(2, 3)}.md"

    def folder(self) -> str:
        if self.zh and self.chance(0.75):
            return self.word("folder") if self.chance(0.8) else self.chinese(1, 1)
        return self.one(
            lambda: self.word("folder", "en"),
            lambda: self.word("folder", "en"),
            self.invented,
            lambda: "~/" + self.invented(),
            lambda: f"/{self.invented(1, 2)}/{self.invented(1, 2)}",
        )

    def ftype(self) -> str:
        """A kind of file: "pdf", "*.docx", ".csv"."""
        kind = self.rng.choice(DOCUMENT_TYPES + TEXT_TYPES + ["zip", "java", "cpp", "mkv", "iso"])
        return self.one(
            lambda: kind, lambda: kind, kind.upper, lambda: "*." + kind, lambda: "." + kind
        )

    def thing(self) -> str:
        """A file by what it is."""
        if self.zh:
            return self.one(
                lambda: self.word("thing"),
                lambda: self.word("thing"),
                lambda: self.chinese(1, 2),
                lambda: self.word("name") + "的" + self.word("thing"),
                lambda: self.word("word"),
            )
        return self.one(
            lambda: self.word("thing"),
            lambda: self.word("thing"),
            lambda: f"{self.word('noun')} {self.word('thing')}",
            lambda: f"{self.word('thing')} from {self.number(1990, 2030)}",
            lambda: self.daily(1, 3),
        )

    def pattern(self) -> str:
        """A file name, a part of one or a pattern."""
        types = TEXT_TYPES + DOCUMENT_TYPES
        return self.one(
            lambda: "*." + self.rng.choice(types),
            self.stem,
            lambda: f"{self.stem()}.{self.rng.choice(types)}",
            lambda: f"{self.stem()}.{self.rng.choice(types)}",
            lambda: f"*{self.invented(1, 2)}*",
            lambda: f"{self.invented(1, 2)}*.{self.rng.choice(types)}",
            lambda: "." + self.rng.choice(types),
        )

    def content(self) -> str:
        """What is written into a file."""
        if not self.zh and self.chance(0.2):
            items = [self.word("noun") for _ in range(self.number(2, 4))]
            return ", ".join(items[:-1]) + self.rng.choice([" and ", ", "]) + items[-1]
        if self.zh and self.chance(0.2):
            items = [self.word("word") for _ in range(self.number(2, 4))]
            return self.rng.choice("、，").join(items[:-1]) + self.rng.choice("和、") + items[-1]
        if self.zh:
            return self.one(
                self.fact, self.todo, lambda: self.chinese(1, 4), self.sentence, self.entry
            )
        return self.one(self.fact, self.todo, lambda: self.daily(1, 5), self.sentence, self.entry)

    def sentence(self) -> str:
        """A short sentence about anybody."""
        pick = self.rng.choice
        if self.zh:
            who = self.one(
                self.person, lambda: pick("我你他她"), lambda: pick(["我们", "大家", "老师"])
            )
            return self.one(
                lambda: f"{who}{pick(['今天', '昨天', '明天', '已经', '还没', '想', '要', ''])}{self.word('verb')}{pick(['了', ''])}{self.chinese(1, 2)}",
                lambda: f"{pick(['你好', '大家好', '亲爱的' + self.word('name'), '早上好'])}，{self.chinese(1, 3)}",
                lambda: f"{self.word('word')}{pick(['很', '真', '太', '不', '有点'])}{pick(['好', '贵', '美', '难', '便宜', '好吃', '重要', '有意思'])}",
                lambda: f"{self.word('verb')}{self.word('word')}，{self.word('verb')}{self.word('word')}",
            )  # fmt: skip
        who = self.one(
            self.person, lambda: pick(["I", "we", "you", "they", "the " + self.word("noun")])
        )
        return self.one(
            lambda: f"{who} {pick(['will', 'must', 'should', 'can', 'did not', 'wants to', 'has to'])} {self.word('verb')} the {self.word('noun')}",
            lambda: f"{pick(['hello', 'hi', 'dear', 'good morning', 'thank you', 'hello world'])}{pick([' ', ', '])}{self.word('name')}",
            lambda: pick(["hello world", "Hello World", "hello", "test", "hi there", "this is a test", "lorem ipsum", "TODO"]),
            lambda: f"the {self.noun_phrase()} {pick(['is', 'was', 'looks', 'must be'])} {self.word('adj')}",
            lambda: f"{who} {pick(['went', 'goes', 'came', 'moved', 'drove', 'walked'])} to the {self.word('noun')}",
            lambda: f"{self.word('verb')} the {self.word('noun')}, {self.word('verb')} the {self.word('noun')}",
        )  # fmt: skip

    def entry(self) -> str:
        """A line of a list, a table or a configuration."""
        word = self.word("word") if self.zh else self.word("noun")
        return self.one(
            lambda: f"{word}: {self.value()}",
            lambda: f"{word}{'：' if self.zh else ' - '}{self.number(1, 900)}",
            lambda: f"{self.number(1, 12)} {word}",
            lambda: f"{self.invented(1, 2)}={self.number(0, 99)}",
            lambda: f"{self.invented(1, 2)},{self.number(0, 99)},{self.invented(1, 2)}",
            lambda: f"{self.number(2024, 2031)}-{self.number(1, 12):02d}-{self.number(1, 28):02d} {word}",
            lambda: f"# {word}",
            lambda: f"- {word}",
            lambda: str(self.number(0, 99999)),
        )  # fmt: skip

    # --- the slots of the last part of the training (phrases/more_*.txt) ---------------------
    def repeating(self) -> str:
        """A number in which a digit repeats: the hardest thing to copy."""
        digit = self.digits(1)
        run = digit * self.number(2, 4)
        return self.one(
            lambda: f"{run[:3]}-{self.digits(4)}",
            lambda: f"{digit * 3}-{self.digits(4)}",
            lambda: f"{self.digits(3)}-{run}",
            lambda: f"{self.digits(1)}{run}{self.digits(2)}",
            lambda: f"{run}-{self.letters(2)}-{run}",
            lambda: f"{self.digits(2)}{run}-{self.digits(2)}{run}",
            lambda: f"{run}{self.rng.choice('#*')}",
            lambda: f"{self.invented(1, 2).capitalize()}{self.rng.choice('#_-')}{run}",
        )

    def subject(self) -> str:
        """Somebody or something of the user's."""
        if self.zh:
            return self.one(
                lambda: "我" + self.word("relation"), lambda: self.word("relation"), self.person
            )
        return self.one(
            lambda: "my " + self.word("relation"),
            lambda: "my " + self.word("own"),
            lambda: "the " + self.word("noun"),
            lambda: "our " + self.word("noun"),
            self.person,
        )

    def lent(self) -> str:
        """A thing that one may lend."""
        if self.zh:
            return self.one(lambda: self.word("word"), lambda: self.word("thing"))
        return self.rng.choice(["the ", "my ", "our ", ""]) + self.noun_phrase()

    def statement(self) -> str:
        """A bare statement worth keeping, in more shapes than `ownfact`."""
        if self.chance(0.3):
            return self.ownfact()
        value = self.one(self.repeating, self.repeating, self.value, self.code)
        text = self._statement_zh(value) if self.zh else self._statement_en(value)
        return text + (self.detail() if self.chance(0.15) else "")

    def _statement_en(self, value: str) -> str:
        pick = self.rng.choice
        return self.one(
            lambda: f"{self.own()} is {value}",
            lambda: (
                f"{self.own()} is {self.person()}, {pick(['phone', 'mobile', 'tel.', 'ext.'])} "
                + self.repeating()
            ),
            lambda: (
                f"{self.person()}'s {pick(['phone', 'number', 'new number', 'code'])} is {value}"
            ),
            lambda: f"the {self.noun_phrase()} is {pick(['number', 'no.', 'code'])} {value}",
            lambda: f"the {self.noun_phrase()} {pick(['number', 'code', 'password'])} is {value}",
            lambda: (
                f"I {pick(['take', 'drink', 'eat', 'like', 'have'])} my {self.word('noun')} "
                f"{pick(['with', 'without'])} {self.noun_phrase()}"
            ),
            lambda: (
                f"I {pick(['lent', 'gave', 'sold', 'returned', 'promised'])} {self.lent()} to "
                + self.person()
            ),
            lambda: (
                f"{self.subject()} {pick(['gets', 'needs', 'takes', 'wants', 'likes', 'has'])} "
                + self.daily(2, 6)
            ),
            lambda: (
                f"{self.subject()} {pick(['works', 'closes', 'opens', 'leaves', 'comes'])} "
                + self.when()
            ),
            lambda: f"{self.subject()} is called {self.person()}",
            lambda: (
                f"we have {pick(['two', 'three', 'a', 'an old'])} {self.noun_phrase()} called "
                + self.word("name")
            ),
            lambda: f"our {self.word('noun')} {pick(['password', 'code', 'login'])} is {value}",
            lambda: (
                f"the {self.word('thing')} {pick(['is', 'lies', 'hangs'])} "
                f"{pick(['in', 'behind', 'under', 'on'])} the {self.word('place')}"
            ),
            lambda: f"I usually {self.word('verb')} {self.noun_phrase()} {self.when()}",
            lambda: f"I spent {value} on {self.noun_phrase()} {self.when()}",
            lambda: (
                f"I parked {pick(['on', 'in', 'at'])} {pick(['level', 'row', 'spot', 'floor'])} "
                + value
            ),
        )

    def _statement_zh(self, value: str) -> str:
        pick = self.rng.choice
        return self.one(
            lambda: f"{self.own()}是{value}",
            lambda: (
                f"{self.own()}是{self.person()}，{pick(['电话', '手机', '分机'])}{self.repeating()}"
            ),
            lambda: f"{self.person()}的{pick(['新电话', '手机号', '新地址', '编号'])}是{value}",
            lambda: f"{self.own()}{pick(['改成了', '换成了', '变成', '现在是', '改为'])}{value}",
            lambda: (
                f"{self.chinese(1, 2)}{pick(['密码', '号码', '编号'])}{pick(['是', '改成了'])}{value}"
            ),
            lambda: (
                f"我把{self.lent()}{pick(['借给了', '送给了', '交给了', '还给了', '卖给了'])}{self.person()}"
            ),
            lambda: (
                f"我{pick(['每天', '每天早上', '平时', '一般', '晚上'])}{self.word('verb')}{self.chinese(1, 2)}"
            ),
            lambda: f"我{self.zwhen()}{self.word('verb')}{self.chinese(1, 2)}",
            lambda: (
                f"{self.subject()}{pick(['每天', '喜欢', '要', '不能', '最近', '周末'])}{self.chinese(1, 2)}"
            ),
            lambda: f"{self.subject()}{pick(['叫', '姓', '属', '住', '在'])}{self.chinese(1, 1)}",
            lambda: f"{self.lent()}花了{self.number(2, 9999)}{pick(['元', '块', '块钱'])}",
            lambda: f"{self.word('thing')}{pick(['放在', '在', '挂在'])}{self.word('place')}",
            lambda: f"航班号{value}，{self.zwhen()}{pick(['起飞', '到', '出发'])}",
            lambda: f"{pick(['车', '我的车', '自行车'])}停在{pick(['B', 'A', '地下'])}{value}",
        )

    def didclause(self) -> str:
        """What follows "did" in a question about the user, in more shapes than `iclause`."""
        return self.one(
            self.iclause,
            lambda: f"I {self.word('verb')} {self.lent()}",
            lambda: f"we {self.word('verb')} {self.lent()}",
            lambda: f"I {self.rng.choice(['take', 'drink', 'like', 'eat'])} my {self.word('noun')}",
        )

    def askclause(self) -> str:
        """What precedes the question word in a Chinese question about the family."""
        return self.one(
            lambda: (
                self.subject() + self.rng.choice(["穿", "喜欢吃", "属", "住", "叫", "在", "要"])
            ),
            lambda: "我" + self.rng.choice(["穿", "住", "欠", "喜欢", "每天喝", "上次买了"]),
            lambda: "我最喜欢" + self.rng.choice("吃喝看听玩去"),
            lambda: f"我答应过{self.person()}",
            lambda: f"我上次{self.word('verb')}",
        )

    def lentclause(self) -> str:
        """What stands around a lent thing in a question about who has it."""
        if self.zh:
            verb = self.rng.choice(["借给", "借给了", "送给", "交给", "交给了", "卖给", "还给"])
            return f"我把{self.lent()}{verb}"
        verb = self.rng.choice("lend give sell promise send show recommend hand return".split())
        return f"{self.rng.choice(['I', 'I', 'we'])} {verb} {self.lent()} to"

    def subjectclause(self) -> str:
        """What follows "does" in a question about somebody of the user's."""
        verbs = ["close", "open", "work", "live", "start", "end", "come back", "arrive", "leave"]
        verbs += ["like to eat", "go to school", "usually eat", "sleep", "go to bed", "play"]
        return f"{self.subject()} {self.rng.choice(verbs)}"

    def asked(self) -> str:
        return self.noun_phrase()

    def possessed(self) -> str:
        """Something that belongs to somebody of the user's."""
        if self.zh:
            return self.subject() + self.rng.choice(["的", "的", ""]) + self.word("own")
        owner = self.one(
            lambda: self.word("name"),
            lambda: "my " + self.word("relation"),
            self.person,
            lambda: self.invented().capitalize(),
        )
        return f"{owner}'s {self.one(*self._possessions())}"

    def carclause(self) -> str:
        """What precedes 哪 in a question about a parked or stored thing."""
        return self.one(
            self.ziclause,
            lambda: (
                self.rng.choice(["车", "我的车", "车子", "自行车", "电瓶车", "摩托车"]) + "停在"
            ),
            lambda: self.lent() + self.rng.choice(["放在", "存在", "放"]),
        )

    def event(self) -> str:
        """What a reminder says with a verb of its own."""
        if self.zh:
            return self.word("word") + self.rng.choice(["到期", "要交了", "该换了", "开始", "到了"])
        return f"{self.rng.choice(['the', 'my', 'our'])} {self.word('noun')} " + self.rng.choice(
            ["is due", "ends", "starts", "goes out", "go out", "arrives", "needs water", "is ready"]
        )

    def ordinal(self) -> str:
        return f"{self.number(1, 31)}{self.rng.choice(['st', 'nd', 'rd', 'th'])}"

    def datedbare(self) -> str:
        """A date with an ordinal."""
        tail = self.one(str, str, lambda: " at " + self.clock())
        month = self.rng.choice(MONTHS)
        return self.one(
            lambda: f"the {self.ordinal()} of {month}{tail}",
            lambda: f"{month} {self.ordinal()}{tail}",
            lambda: f"the {self.ordinal()}{tail}",
            lambda: f"{self.rng.choice(DAYS)} the {self.ordinal()}{tail}",
        )

    def dated(self) -> str:
        return "on " + self.datedbare()

    def shout(self) -> str:
        """Quoted text that ends in a mark which belongs to it."""
        mark = self.rng.choice("！？。" if self.zh else "!?.")
        return self.one(self.phrase, self.todo).strip("。.") + mark

    def phrase(self) -> str:
        """A few words that somebody might say."""
        if self.zh:
            return self.chinese(1, 3)
        text = self.daily(2, 6)
        return text + (f", {self.word('name')}" if self.chance(0.3) else "")

    # --- the rest ----------------------------------------------------------------------------
    def url(self) -> str:
        start = self.rng.choice(["", "", "www.", "https://", "https://", "http://", "https://www."])
        host = self.invented() + self.rng.choice(["", "", "-" + self.invented(1, 2), "24"])
        if self.chance(0.15):
            host = f"{self.invented(1, 2)}.{host}"
        ends = [".com", ".org", ".net", ".io", ".cn", ".dev", ".co.uk", ".de", ".edu", ".com.cn"]
        tail = self.one(
            str,
            str,
            str,
            lambda: "/" + self.invented(1, 2),
            lambda: f"/{self.invented(1, 2)}/{self.invented(1, 2)}",
            lambda: f"/{self.invented(1, 1)}.html",
            lambda: "/?q=" + self.invented(1, 2),
            lambda: f"/{self.invented(1, 2)}/{self.number(1, 9999)}",
            lambda: f"/{self.invented(1, 2)}-{self.invented(1, 2)}",
            lambda: "/",
        )
        return start + host + self.rng.choice(ends) + tail

    def command(self) -> str:
        return self.one(
            lambda: self.word("command", "en"),
            lambda: self.word("command", "en"),
            lambda: (
                self.rng.choice(["cat ", "rm ", "python3 ", "wc -l ", "chmod +x ", "nano "])
                + self.textpath()
            ),
            lambda: f"head -n {self.number(1, 50)} {self.textpath()}",
            lambda: f"grep -r {self.invented(1, 3)} {self.folder()}",
            lambda: f"{self.rng.choice(['pip', 'npm', 'brew'])} install {self.invented()}",
            lambda: f"echo {self.daily(1, 4)}",
            lambda: f'git commit -m "{self.daily(1, 4)}"',
            lambda: f"curl {self.url()}",
            lambda: f"{self.invented(1, 2)} -{self.rng.choice('abcdefghxv')} {self.invented(1, 2)}",
            lambda: f"{self.invented(1, 2)} --{self.invented(1, 3)} {self.number(0, 99)}",
            lambda: f"cd {self.folder()} && {self.word('command', 'en')}",
            self._program,
            self._program,
            lambda: (
                f"{self._program()} {self.rng.choice(['|', '&&', '>', '>>', '||'])} {self._program()}"
            ),
        )

    def _program(self) -> str:
        """A program with sub-commands, flags and arguments."""
        flag = lambda: self.one(  # noqa: E731 - used three times below, nowhere else
            lambda: "-" + self.rng.choice("abcdefghilmnoprstuvx"),
            lambda: "-" + "".join(self.rng.choice("abcfhlnrtvx") for _ in range(self.number(2, 3))),
            lambda: f"-{self.rng.choice('cnpt')} {self.number(1, 100)}",
            lambda: (
                "--" + self.rng.choice("help version all force watch verbose quiet json".split())
            ),
            lambda: f"--{self.invented(1, 2)}={self.number(1, 99)}",
        )
        start = self.rng.choice(
            "ls df du git docker npm pip python3 node cargo make grep find tar ssh curl ping systemctl "
            "journalctl top ps kill free uptime whoami cat head tail sort wc brew apt yarn kubectl "
            "ffmpeg rsync chmod mkdir touch which netstat ip java go cmake pytest ruff sqlite3".split()
        )
        words = [start]
        if self.chance(0.45):
            words.append(
                self.rng.choice(
                    "install up down run build status log list update show push pull start stop get compose add test".split()
                )
            )
        words += [flag() for _ in range(self.rng.choice((0, 1, 1, 2)))]
        if self.chance(0.4):
            words.append(self.one(self.textpath, self.invented, self.folder, lambda: "."))
        return " ".join(words)

    def app(self) -> str:
        if self.zh and self.chance(0.6):
            return self.word("app") if self.chance(0.75) else self.characters(2, 4)
        name = self.one(
            lambda: self.word("app", "en"),
            lambda: self.word("app", "en"),
            lambda: self.invented().capitalize(),
            lambda: f"{self.invented().capitalize()} {self.invented(1, 2).capitalize()}",
            lambda: f"{self.invented().capitalize()} {self.number(2, 2030)}",
        )
        return name.lower() if self.chance(0.15) else name

    def city(self) -> str:
        if self.zh:
            return self.word("city") if self.chance(0.65) else self.characters(2, 4)
        return self.one(
            lambda: self.word("city"),
            lambda: self.word("city"),
            lambda: self.invented().capitalize(),
            lambda: (
                f"{self.rng.choice(['San', 'New', 'Port', 'Saint', 'El', 'Santa', 'Rio de', 'Kota', 'Fort'])} "
                + self.invented().capitalize()
            ),
        )

    def name(self) -> str:
        return self.word("name")

    def noun(self) -> str:
        return self.word("noun")

    def adj(self) -> str:
        return self.word("adj")

    def lines(self) -> str:
        return str(self.number(1, 60))

    def start(self) -> str:
        return str(self.number(1, 400))

    def amount(self) -> str:
        """A number of a sum."""
        return self.one(
            lambda: str(self.number(0, 20)),
            lambda: str(self.number(0, 999)),
            lambda: str(self.number(0, 999)),
            lambda: str(self.number(0, 99999)),
            lambda: str(round(self.rng.random() * 100, self.number(1, 2))),
            lambda: str(self.number(1, 20) * 25),
        )
