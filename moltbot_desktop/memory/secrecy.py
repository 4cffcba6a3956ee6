"""Whether a text tells a secret: a password, a card number, a key.

    looks_secret("my wifi password is hunter2")         # True
    looks_secret("4539 1488 0343 6467")                 # True: a card number, by its check digit
    looks_secret("my locker is number 4539")            # False

What only slipped out in a conversation must not end up in a file of plain text. Rather one fact
too few is proposed than one secret too many, so the bare word "password" is enough; what the
owner asks to remember is theirs to decide and is not judged here.
"""

from __future__ import annotations

import re
import unicodedata

_NAMED = re.compile(
    r"\b(?:pass ?(?:word|phrase|code)s?|passwd|pwd|pin(?: ?code| number)?|cvv|cvc|otp|2fa"
    r"|(?:security|verification|recovery|backup|access|alarm|door|gate|one-time) codes?"
    r"|(?:api|private|secret|access|recovery|encryption|licen[cs]e|ssh|gpg|pgp) ?keys?"
    r"|seed (?:phrase|words)|secret question|mother's maiden name|auth(?:entication)? token"
    r"|(?:access|bearer|api|refresh) tokens?|credentials?|iban|social security|ssn"
    r"|(?:credit|debit|bank) ?card|(?:passport|account|card) (?:number|no))\b"
    r"|密码(?![学子])|口令|密钥|私钥|秘钥|助记词|验证码|校验码|安全码|动态码|解锁码|门禁码|授权码|激活码"
    r"|令牌|身份证|护照号|社保号|(?:银行卡|信用卡|储蓄卡|卡)号|银行账[号户]|开门码|凭证",
    re.IGNORECASE,
)
_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]+-----|\beyJ[\w-]{8,}\.[\w-]{8,}"  # PEM, JSON Web Token
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abposr]-|AKIA|ASIA|AIza|hf_|npm_)[\w-]{10,}"
    r"|\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@"  # user and password in an address
    r"|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b"  # IBAN
    r"|(?<!\d)\d{17}[\dXx](?!\d)"  # a Chinese identity card
    r"|(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)"  # a United States social security number
)
_DIGITS = re.compile(r"(?<![\d+])\d(?:[ -]?\d){12,18}(?!\d)")
_WORD = re.compile(r"[A-Za-z0-9_+/=-]{20,}")


def looks_secret(text: str) -> bool:
    """Whether `text` names or holds something that must not be kept by inference."""
    plain = unicodedata.normalize("NFKC", text)
    return bool(
        _NAMED.search(plain)
        or _SHAPES.search(plain)
        or any(_is_card(found) for found in _DIGITS.findall(plain))
        or any(_is_random(found) for found in _WORD.findall(plain))
    )


def _is_card(written: str) -> bool:
    """Luhn's check digit, which one in ten numbers of that length has by chance."""
    digits = [int(character) for character in reversed(written) if character.isdecimal()]
    doubled = (2 * digit - 9 * (digit > 4) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _is_random(word: str) -> bool:
    """Letters of both cases among digits, or many digits among letters: no language writes so."""
    digits = sum(character.isdigit() for character in word)
    if not 0 < digits < len(word):
        return False
    cases = any(map(str.islower, word)) and any(map(str.isupper, word))
    return cases or digits * 4 >= len(word)
