"""Slips of the fingers in the words that tell a command model what to do.

    respelled("remeber the gym")        # Respelled("remember the gym", {"remember": "remeber"})
    respelled("提行我八点吃药")            # Respelled("提醒我八点吃药", {"提醒": "提行"})

The model knows words by their pieces and not by their sound, so "serach" tells it nothing. Only
the words of requests and of times are put right, never what a request is about: the corrected text
is one more way to read the message, and arguments keep what was typed (`Respelled.as_typed`).

Pure. A slip is two neighbouring letters exchanged, one doubled or left out; of Chinese words, a
character that sounds or looks the same. Slips that are words themselves ("form", "were") are none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.core.messages import ToolCall

# Four letters and more: with fewer everything is a slip of everything.
_WORDS = frozenset(
    """
    remember remind reminder reminders search look find show open read write create append save
    list note weather forecast temperature tomorrow tonight today morning afternoon evening minutes
    minute hours monday tuesday wednesday thursday friday saturday sunday next week calculate times
    divided multiplied screenshot folder picture pictures document documents program browser launch
    start execute command file files what where which when about please called named content text
    page website summarize address memory notes store keep schedule alarm upcoming every
    """.split()
)
# More than a slip away, or short.
_KNOWN = {
    "tommorrow": "tomorrow", "tommorow": "tomorrow", "tomorow": "tomorrow", "tmrw": "tomorrow",
    "tmr": "tomorrow", "rember": "remember", "wheather": "weather", "wether": "weather",
    "whats": "what's", "wheres": "where's", "whos": "who's", "hows": "how's", "pls": "please",
    "plz": "please", "remeinder": "reminder", "minuts": "minutes", "wendesday": "wednesday",
    "screeshot": "screenshot", "wich": "which", "serch": "search",
}  # fmt: skip
# Words of their own, although a slip away from one above.
_REAL = frozenset("form tiems were writ toady minuets pease wather notse story".split())
_DROPPABLE = 6
"""Letters a word must have for one of them to be missing: "were" is not "where"."""
# No part of a code, a file name or an address, and nothing in capitals.
_WORD = re.compile(r"(?<![\w./\\@:#-])[A-Za-z][a-z]+(?:['’][a-z]+)?(?![\w/\\@-]|[.:'’]\w)")
_TIMES = frozenset({"when"})
"""Arguments that are understood, not kept: here the right word is wanted."""

# Characters that are typed for another one; which words they spoil.
_SOUNDS = {
    "记住": ("记主", "记注", "记驻", "纪住", "计住"),
    "记得": ("纪得", "计得"),
    "记一下": ("纪一下", "计一下"),
    "提醒": ("题醒", "提行", "提型", "提星", "题行", "替醒"),
    "打开": ("打凯", "打幵", "打卡开", "达开"),
    "保存": ("保村", "保寸", "报存", "包存"),
    "搜索": ("搜锁", "搜所", "嗖索"),
    "搜一下": ("嗖一下",),
    "查找": ("察找", "茶找", "差找"),
    "查一下": ("察一下", "茶一下", "差一下"),
    "查看": ("察看", "茶看", "差看"),
    "找一下": ("照一下", "找一吓"),
    "哪里": ("哪理", "哪礼", "哪李"),
    "哪儿": ("那儿", "哪而"),
    "天气": ("天汽", "天器", "天企", "添气"),
    "截图": ("截途", "截涂", "节图", "接图", "结图"),
    "截屏": ("截平", "节屏", "接屏"),
    "计算": ("记算", "纪算", "计蒜"),
    "文件": ("文见", "闻件", "文建"),
    "运行": ("云行", "运型"),
    "执行": ("执型", "职行"),
    "新建": ("新键", "心建"),
    "写入": ("写如",),
    "读取": ("读去", "毒取"),
    "网页": ("网业", "网叶"),
    "明天": ("名天", "明添"),
    "分钟": ("分种", "分中", "份钟"),
    "小时": ("小是", "小十"),
    "下午": ("下五",),
    "上午": ("上五",),
    "告诉": ("告素", "高诉"),
    "什么": ("什莫", "神么", "甚么"),
}
_CHINESE = {wrong: right for right, typed in _SOUNDS.items() for wrong in typed}
_CHINESE_SLIP = re.compile("|".join(sorted(_CHINESE, key=len, reverse=True)))


@dataclass(frozen=True)
class Respelled:
    """A message with its slips put right.

    Attributes:
        slips: right word -> as it was typed.
    """

    text: str
    slips: Mapping[str, str]

    def as_typed(self, call: ToolCall) -> ToolCall:
        """`call` with the person's own spelling in what it keeps or looks for."""
        arguments = {
            name: value if name in _TIMES else self._typed(value)
            for name, value in call.arguments.items()
        }
        return replace(call, arguments=arguments)

    def mends_a_time(self, call: ToolCall) -> bool:
        """Whether the time of a call about the right words holds one of them: "tomorow at 8"
        without its first word would be today."""
        times = [str(value).lower() for name, value in call.arguments.items() if name in _TIMES]
        return any(right.lower() in time for right in self.slips for time in times)

    def _typed(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            for right, typed in self.slips.items():
                value = value.replace(right, typed)
        return value


def respelled(text: str) -> Respelled | None:
    """`text` with the words of requests put right; None when there is nothing to put right."""
    slips: dict[str, str] = {}

    def english(found: re.Match[str]) -> str:
        right = _meant(found[0])
        if right != found[0]:
            slips[right] = found[0]
        return right

    def chinese(found: re.Match[str]) -> str:
        slips[_CHINESE[found[0]]] = found[0]
        return _CHINESE[found[0]]

    put_right = _CHINESE_SLIP.sub(chinese, _WORD.sub(english, text))
    return Respelled(put_right, slips) if slips else None


def _meant(typed: str) -> str:
    word = typed.lower()
    if len(word) > max(map(len, _WORDS)) + 1 or word in _WORDS or word in _REAL:
        return typed
    right = _KNOWN.get(word) or next((one for one in sorted(_WORDS) if _is_slip(word, one)), typed)
    if right == typed:
        return typed
    return right.capitalize() if typed[:1].isupper() else right


def _is_slip(typed: str, word: str) -> bool:
    """Whether `typed` is `word` with one slip behind its first letter."""
    if typed[0] != word[0]:
        return False
    if len(typed) == len(word):
        swapped = (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)
        )
        return typed in swapped
    if len(typed) == len(word) + 1:
        return any(word[:at] + word[at - 1] + word[at:] == typed for at in range(1, len(word) + 1))
    missing = (word[:at] + word[at + 1 :] for at in range(1, len(word) - 1))
    return len(word) >= _DROPPABLE and len(typed) == len(word) - 1 and typed in missing
