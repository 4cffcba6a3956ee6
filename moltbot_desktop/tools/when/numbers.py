"""Number words as digits, so that the grammars know digits only.

"twenty-five minutes" becomes "25 minutes", 三点二十五 becomes 3点25, full-width becomes ASCII.
Chinese weekdays are settled first: in 下周一十点 the 一 belongs to the week, not to the ten.
"""

from __future__ import annotations

import re
import unicodedata

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60,
         "seventy": 70, "eighty": 80, "ninety": 90}  # fmt: skip
_ORDINALS = {
    "first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19,
    "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_MONTH_WORD = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_NUMBER = re.compile(
    rf"\b(?:({'|'.join(_TENS)})(?:[ -]({'|'.join(list(_UNITS)[1:10])}))?|({'|'.join(_UNITS)}))\b"
)
_ORDINAL = re.compile(rf"\b(?:(twenty|thirty)[ -])?({'|'.join(_ORDINALS)})\b")
# "second" is nearly always a unit of time; as an ordinal only next to a month or after a tens word.
_SECOND = re.compile(
    rf"\b(?:(?P<tens>twenty)[ -]second|(?<=the )second(?= of\b)|(?:(?<=[a-z] )second(?= of "
    rf"(?:{_MONTH_WORD})\b))|(?P<month>{_MONTH_WORD}) second)\b"
)

_HAN_DIGITS = {character: value for value, character in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "俩": 2,
    "仨": 3,
}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMBER = re.compile("[零〇一二两俩仨三四五六七八九十百千]+")
_HAN_WEEKDAY = re.compile(r"(周|星期|礼拜)([一二三四五六日天](?![次点])|[1-7](?![\d点时:]))")
_WEEKDAY_DIGIT = {**{str(day): day for day in range(1, 8)}, "日": 7, "天": 7} | {
    character: value for character, value in _HAN_DIGITS.items() if 1 <= value <= 6
}
# Idioms that hold a numeral which is no number.
_IDIOMS = (
    (re.compile("一大早|大清早|(?<![周期拜])一早"), "清晨"),
    (re.compile("一会儿?|一阵子|一段时间|等一下|(?<![今明后当傍])[早晚]一点"), "待会"),
    (re.compile("第二天"), "明天"),
    (re.compile("双十一"), "11月11号"),
)


def _english_number(match: re.Match[str]) -> str:
    tens, unit, single = match.groups()
    if single is not None:
        return str(_UNITS[single])
    return str(_TENS[tens] + (_UNITS[unit] if unit else 0))


def _english_ordinal(match: re.Match[str]) -> str:
    tens, word = match.groups()
    return f"{(_TENS[tens] if tens else 0) + _ORDINALS[word]}th"


def _english_second(match: re.Match[str]) -> str:
    if match["tens"]:
        return "22nd"
    return f"{match['month']} 2nd" if match["month"] else "2nd"


def han_number(text: str) -> int:
    """The value of a Chinese numeral: 二十五 is 25, 一百零五 is 105, 二零二六 is 2026."""
    if not any(character in _HAN_SCALES for character in text):
        return int("".join(str(_HAN_DIGITS[character]) for character in text))
    total, digit, scale = 0, 0, 1
    for character in text:
        if character in _HAN_SCALES:
            scale = _HAN_SCALES[character]
            total += (digit or 1) * scale
            digit = 0
        else:
            digit = _HAN_DIGITS[character]
    # 一百五 means 150: a digit right after a scale above ten counts tens of that scale.
    elided = scale >= 100 and digit and text[-2:-1] in _HAN_SCALES
    return total + (digit * scale // 10 if elided else digit)


def _han_digits(match: re.Match[str]) -> str:
    return str(han_number(match.group()))


def _han_weekday(match: re.Match[str]) -> str:
    return f"周{_WEEKDAY_DIGIT[match[2]]} "


def readable(text: str) -> str:
    """Words of a `with_digits` text for a person: 周3 is written 周三 again."""
    return re.sub("周([1-7]) ?", lambda match: "周" + "一二三四五六日"[int(match[1]) - 1], text)


def with_digits(text: str) -> str:
    """`text` lower-cased, in half-width characters, with number words replaced by digits."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'").replace("‘", "'")
    for idiom, meaning in _IDIOMS:
        plain = idiom.sub(meaning, plain)
    plain = _HAN_WEEKDAY.sub(_han_weekday, plain)
    plain = _HAN_NUMBER.sub(_han_digits, plain)
    plain = _SECOND.sub(_english_second, plain)
    plain = _ORDINAL.sub(_english_ordinal, plain)
    plain = _NUMBER.sub(_english_number, plain)
    return re.sub(r"\s+", " ", plain).strip()
