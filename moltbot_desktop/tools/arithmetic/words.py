"""Arithmetic in words as arithmetic in symbols: "12 times 3", 十二乘以三 and １２×３ become 12*3.

What no rule knows stays as it is; the tokenizer then names it in its error.
"""

from __future__ import annotations

import re
import unicodedata

_SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_WORD = "|".join((*_SMALL, *_SCALES))
_ENGLISH_NUMBER = re.compile(
    rf"\b(?:a (?=hundred|thousand|million|billion))?(?:{_WORD})(?:(?:[ -]|, | and )(?:{_WORD}))*\b"
)
_HAN = {character: value for value, character in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_HAN_SMALL = {"十": 10, "百": 100, "千": 1000}
_HAN_LARGE = {"万": 10**4, "亿": 10**8}
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?")
_N = r"\d+(?:\.\d+)?"
_OPERAND = rf"(?:{_N}%?|\([^()]*\))"

# In this order: longer words first, and before NFKC turns ² into a plain 2.
_SIGNS = (("²", "^2"), ("³", "^3"), ("×", "*"), ("✕", "*"), ("·", "*"), ("÷", "/"), ("−", "-"),
          ("–", "-"), ("—", "-"), ("√", "sqrt "), ("π", "pi"), ("½", "(1/2)"), ("¼", "(1/4)"),
          ("¾", "(3/4)"), ("【", "("), ("】", ")"))  # fmt: skip


def _rules(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), meaning) for pattern, meaning in pairs)


_LEAD_INS = (
    "please|hey|hi|ok|okay|now|quickly|so|and|moltbot|assistant|can you|could you|would you"
    "|i want to know|i need to know|do you know|tell me|give me|show me|do the math|quick math|math"
)
_CHINESE = _rules(
    (r"等于(?:多少|几)?|是(?:多少|几)|得(?:多少|几)|多少|结果|请|帮我|计算|算一?下?|[。，、]", " "),
    (r"再(?=[加减乘除])|然后(?=[加减乘除])", ""),
    (rf"百分之({_N})", r"\1%"),
    (rf"({_N})分之({_N})", r"(\2/\1)"),
    (rf"({_N})的?万", r"(\1*10000)"),
    (rf"({_N})的?亿", r"(\1*100000000)"),
    (rf"({_OPERAND})的?(?:算术)?平方根", r"sqrt(\1)"),
    (rf"({_OPERAND})开(?:平)?方", r"sqrt(\1)"),
    (rf"(?:除以|除)({_OPERAND})的余数", r" mod \1"),
    (r"根号|平方根", " sqrt "),
    (r"的?平方", "^2"),
    (r"的?立方", "^3"),
    (rf"的?({_N})次[方幂]", r"^\1"),
    (r"的一半|的1半", "/2"),
    (rf"的({_N})倍", r"*\1"),
    (rf"(?<=[\d)])的(?=\(?{_N})", "*"),
    (r"加上|加", "+"),
    (r"减去|减掉|减", "-"),
    (r"乘以|乘上|乘", "*"),
    (r"除以|除", "/"),
    (r"取余|求余|取模|模|余", " mod "),
    (r"负", "-"),
    (r"倍", ""),
)
_ENGLISH = _rules(
    (rf"^\s*(?:(?:{_LEAD_INS})[\s,:!]+)+", " "),
    (r"^\s*(?:please )?(?:what is|what's|whats|how much is|how many is)\b", " "),
    (r"^\s*(?:please )?(?:calculate|compute|evaluate|work out|solve|(?:the )?result of)\b", " "),
    (r"\b(?:please|equals?|is what)\b|[=?]+\s*$", " "),
    (rf"\b(?:add|sum)(?: up| together)? ({_N}), ({_N}),? and ({_N})", r"\1 + \2 + \3"),
    (rf"\b(?:add|sum)(?: up| together)? ({_N}) (?:and|to|with|plus) ({_N})", r"\1 + \2"),
    (rf"\b(?:subtract|deduct|take) ({_N}) from ({_N})", r"\2 - \1"),
    (rf"\bmultiply ({_N}) (?:by|with|and) ({_N})", r"\1 * \2"),
    (rf"\bdivide ({_N}) by ({_N})", r"\1 / \2"),
    (r"\b(?:the )?square root of\b|\bsqrt of\b|\broot of\b", " sqrt "),
    (r"\bto the power(?: of)?\b|\braised to\b", "^"),
    (r"\bto the (\d+)(?:st|nd|rd|th)(?: power)?\b", r"^\1"),
    (r"\bsquared\b", "^2"),
    (r"\bcubed\b", "^3"),
    (r"\b(?:percent|per cent|pct)\b", "%"),
    (r"\bdivided by\b|\bdivide by\b|\bover\b", "/"),
    (r"\bmultiplied by\b|\bmultiply by\b|\btimes\b|(?<=[\d)])(?<!\b0)\s*x\s*(?=[\d(.-])", "*"),
    (r"\bplus\b", "+"),
    (r"\bminus\b|\bnegative\b", "-"),
    (r"\bmodulo\b|\bmodulus\b", " mod "),
    (r"\bhalf of\b", "1/2*"),
    (r"\bof\b", "*"),
)  # fmt: skip
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_CURRENCY = re.compile(r"[$€£¥￥]|元|块钱?|dollars?\b|euros?\b")


def _english_number(match: re.Match[str]) -> str:
    total, group = 0, 0
    for word in re.findall(r"[a-z]+", match.group()):
        if word in _SMALL:
            group += _SMALL[word]
        elif word == "hundred":
            group = (group or 1) * 100
        elif word in _SCALES:
            total += (group or 1) * _SCALES[word]
            group = 0
    return str(total + group)


def _han_integer(text: str) -> int:
    if not any(character in _HAN_SMALL or character in _HAN_LARGE for character in text):
        return int("".join(str(_HAN[character]) for character in text))
    total, section, digit = 0, 0, 0
    for character in text:
        if character in _HAN:
            digit = _HAN[character]
        elif character in _HAN_SMALL:
            section += (digit or 1) * _HAN_SMALL[character]
            digit = 0
        else:
            # 两万亿: what stands before is multiplied as a whole when a larger scale follows.
            scale = _HAN_LARGE[character]
            before = section + digit
            total = (total + before) * scale if total < scale else total + before * scale
            section = digit = 0
    return total + section + digit


def _han_number(match: re.Match[str]) -> str:
    whole, _, fraction = match.group().partition("点")
    if all(character in _HAN_LARGE for character in whole):
        return match.group()  # 3万: the digits stand before it
    digits = "".join(str(_HAN[character]) for character in fraction)
    return f"{_han_integer(whole)}.{digits}" if digits else str(_han_integer(whole))


def _without_commas(match: re.Match[str]) -> str:
    return match.group().replace(",", "")


def in_symbols(text: str) -> str:
    """`text` with number words, operator words, full-width and typographic signs replaced."""
    for sign, plain in _SIGNS:
        text = text.replace(sign, plain)
    text = unicodedata.normalize("NFKC", text).lower().replace("⁄", "/")
    text = _THOUSANDS.sub(_without_commas, _CURRENCY.sub(" ", text))
    text = _HAN_NUMBER.sub(_han_number, text)
    text = re.sub(r"(?<=[\d)]) +(?=[\u3400-\u9fff])|(?<=[\u3400-\u9fff]) +(?=[\d(])", "", text)
    for pattern, meaning in _CHINESE:
        text = pattern.sub(meaning, text)
    text = re.sub(r"\b([a-z]+) point ([a-z]+)\b", r"\1 . \2", text)
    text = _ENGLISH_NUMBER.sub(_english_number, text)
    text = re.sub(r"(?<=\d) (?:\.|point) (?=\d)", ".", text)
    for pattern, meaning in _ENGLISH:
        text = pattern.sub(meaning, text)
    return re.sub(r" +(?=%)|(?<= ) +", "", text).strip(" .,?=")
