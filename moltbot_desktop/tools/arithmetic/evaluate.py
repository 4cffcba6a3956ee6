"""A small calculator: tokens, precedence climbing by descent, fractions.

Fractions rather than floats or `decimal`: 0.1 + 0.2 is 0.3 and 1/3*3 is 1. What cannot be a
fraction (most roots) is worked out to 50 digits and shown with 12. Everything is bounded before
it is computed, so that no text can take long: length, depth, size of numbers, exponents.

`%` after a number is percent, unless another operand follows: then it is the remainder. As on
pocket calculators, `100 + 10%` is 110; `20% of 50` is 10.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from enum import StrEnum
from fractions import Fraction
from math import isqrt, log10

from moltbot_desktop.tools.arithmetic.words import in_symbols

_LONGEST = 500
_DEEPEST = 40
_MOST_BITS = 12_000  # about 3,600 decimal digits; Python refuses to print more than 4,300
_LARGEST_EXPONENT = 10_000
_SIGNIFICANT = 12
_EXACT_DIGITS = 24
_WORK = Context(prec=50, Emax=10**6, Emin=-(10**6))
_PI = Fraction("3.14159265358979323846264338327950288419716939937510")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:e[+-]?\d{1,4}(?![\w.]))?|\.\d+)|(?P<sign>\*\*|//|[-+*/^%()])"
    r"|(?P<name>sqrt|abs|mod|pi)(?![a-z])|(?P<other>[^\s\d+*/^%()-]+))"
)


class Trouble(StrEnum):
    """Why there is no value; the key of its sentence."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    UNKNOWN_WORD = "unknown_word"
    INCOMPLETE = "incomplete"
    UNBALANCED = "unbalanced"
    ZERO_DIVISION = "zero_division"
    TOO_LARGE = "too_large"
    NEGATIVE_ROOT = "negative_root"
    TOO_DEEP = "too_deep"


class CalcError(Exception):
    """The expression has no value; `near` is the place in it."""

    def __init__(self, trouble: Trouble, near: str = "") -> None:
        super().__init__(f"{trouble.value}: {near}")
        self.trouble = trouble
        self.near = near[:40]


@dataclass(frozen=True)
class _Value:
    number: Fraction
    percent: bool = False


def _tokens(text: str) -> list[str]:
    found = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            break
        if match["other"]:
            raise CalcError(Trouble.UNKNOWN_WORD, match["other"])
        found.append(match.group().strip())
        position = match.end()
    return found


def _bounded(number: Fraction) -> Fraction:
    if number.numerator.bit_length() + number.denominator.bit_length() > _MOST_BITS:
        raise CalcError(Trouble.TOO_LARGE)
    return number


def _literal(token: str) -> Fraction:
    mantissa, _, exponent = token.partition("e")
    if len(mantissa) > 200 or (exponent and abs(int(exponent)) > 1000):
        raise CalcError(Trouble.TOO_LARGE, token)
    return Fraction(mantissa) * Fraction(10) ** int(exponent or 0)


def _to_decimal(number: Fraction) -> Decimal:
    return _WORK.divide(Decimal(number.numerator), Decimal(number.denominator))


def _root(number: Fraction) -> Fraction:
    """The square root, exact where it is a fraction."""
    if number < 0:
        raise CalcError(Trouble.NEGATIVE_ROOT)
    top, bottom = isqrt(number.numerator), isqrt(number.denominator)
    if top * top == number.numerator and bottom * bottom == number.denominator:
        return Fraction(top, bottom)
    return Fraction(_WORK.sqrt(_to_decimal(number)))


def _divided(left: Fraction, right: Fraction) -> Fraction:
    if right == 0:
        raise CalcError(Trouble.ZERO_DIVISION)
    return left / right


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if base == 0 and exponent < 0:
        raise CalcError(Trouble.ZERO_DIVISION)
    if abs(exponent) > _LARGEST_EXPONENT:
        if abs(base) == 1 and exponent.denominator == 1:
            return base if exponent.numerator % 2 else Fraction(1)
        raise CalcError(Trouble.TOO_LARGE)
    if exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if bits * abs(exponent.numerator) > _MOST_BITS * 2 and abs(base) != 1:
            raise CalcError(Trouble.TOO_LARGE)
        return base**exponent.numerator
    return _irrational_power(base, exponent)


def _irrational_power(base: Fraction, exponent: Fraction) -> Fraction:
    if base < 0:
        raise CalcError(Trouble.NEGATIVE_ROOT)
    if base == 0:
        return Fraction(0)
    if exponent.denominator == 2:
        return _power(_root(base), Fraction(exponent.numerator))
    tens = float(exponent) * (log10(base.numerator) - log10(base.denominator))
    if abs(tens) > _MOST_BITS * 0.3:
        raise CalcError(Trouble.TOO_LARGE)
    return Fraction(_WORK.power(_to_decimal(base), _to_decimal(exponent)))


class _Parser:
    """Recursive descent over tokens; one instance per expression."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0
        self._depth = 0

    def whole(self) -> Fraction:
        value = self._sum()
        if self._next is not None:
            trouble = Trouble.UNBALANCED if self._next == ")" else Trouble.INCOMPLETE
            raise CalcError(trouble, self._next)
        return value.number

    @property
    def _next(self) -> str | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take(self) -> str:
        token = self._next
        if token is None:
            raise CalcError(Trouble.INCOMPLETE)
        self._position += 1
        return token

    def _operand_follows(self, ahead: int) -> bool:
        position = self._position + ahead
        if position >= len(self._tokens):
            return False
        token = self._tokens[position]
        return token in ("(", "sqrt", "abs", "pi") or token[0].isdigit() or token[0] == "."

    def _sum(self) -> _Value:
        left = self._product()
        while self._next in ("+", "-"):
            sign = 1 if self._take() == "+" else -1
            right = self._product()
            share = left.number * right.number if right.percent else right.number
            left = _Value(_bounded(left.number + sign * share))
        return left

    def _product(self) -> _Value:
        left = self._signed()
        while True:
            if self._next in ("*", "/", "//", "%", "mod"):
                operator = self._take()
            elif self._next in ("(", "sqrt", "abs", "pi"):
                operator = "*"  # 2(3+4), 2 pi
            else:
                return left
            left = _Value(_bounded(self._combined(left.number, operator, self._signed().number)))

    @staticmethod
    def _combined(left: Fraction, operator: str, right: Fraction) -> Fraction:
        if operator == "*":
            return left * right
        quotient = _divided(left, right)
        if operator == "/":
            return quotient
        floor = Fraction(quotient.numerator // quotient.denominator)
        return floor if operator == "//" else left - right * floor

    def _signed(self) -> _Value:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise CalcError(Trouble.TOO_DEEP)
        try:
            if self._next in ("+", "-"):
                sign = -1 if self._take() == "-" else 1
                value = self._signed()
                return _Value(sign * value.number, value.percent)
            return self._raised()
        finally:
            self._depth -= 1

    def _raised(self) -> _Value:
        base = self._with_percent()
        if self._next not in ("^", "**"):
            return base
        self._take()
        return _Value(_bounded(_power(base.number, self._signed().number)))

    def _with_percent(self) -> _Value:
        value = _Value(self._atom())
        while self._next == "%" and not self._operand_follows(1):
            self._take()
            value = _Value(value.number / 100, percent=True)
        return value

    def _atom(self) -> Fraction:
        token = self._take()
        if token[0].isdigit() or token[0] == ".":
            return _literal(token)
        if token == "(":
            value = self._sum().number
            if self._next != ")":
                raise CalcError(Trouble.UNBALANCED, "(")
            self._take()
            return value
        if token in ("sqrt", "abs"):
            inner = self._with_percent_of_function()
            return _bounded(_root(inner)) if token == "sqrt" else abs(inner)
        if token == "pi":
            return _PI
        raise CalcError(Trouble.UNBALANCED if token == ")" else Trouble.INCOMPLETE, token)

    def _with_percent_of_function(self) -> Fraction:
        return self._signed().number if self._next in ("-", "sqrt", "abs") else self._atom()


def _rounded(number: Fraction) -> str:
    """At most 12 significant digits, without trailing zeros."""
    value = Context(prec=_SIGNIFICANT, Emax=10**6, Emin=-(10**6)).plus(_to_decimal(number))
    exponent = value.adjusted()
    if -7 < exponent < 15:
        return f"{value.normalize():f}"
    mantissa = f"{value.scaleb(-exponent).normalize():f}"
    return f"{mantissa}e{exponent:+d}"


def _terminates(denominator: int) -> bool:
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1


def written(number: Fraction) -> str:
    """`number` for a person: whole numbers and short decimals exactly, others to 12 digits."""
    if number.denominator == 1:
        text = str(number.numerator)
        return text if len(text) <= 1000 else _rounded(number)
    if number.denominator.bit_length() <= 256 and _terminates(number.denominator):
        exact = _to_decimal(number)
        if Fraction(exact) == number and len(exact.as_tuple().digits) <= _EXACT_DIGITS:
            return f"{exact:f}" if exact.adjusted() > -7 else _rounded(number)
    return _rounded(number)


def calculate(expression: str) -> str:
    """The value of `expression`, in symbols or English or Chinese words.

    Raises:
        CalcError: it has none.
    """
    if len(expression) > _LONGEST:
        raise CalcError(Trouble.TOO_LONG)
    tokens = _tokens(in_symbols(expression))
    if not tokens:
        raise CalcError(Trouble.EMPTY)
    return written(_Parser(tokens).whole())
