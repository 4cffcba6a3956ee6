"""Whether the owner's own server vouches for who wrote an e-mail; pure (RFC 8601).

    proven("example.org", ["mx.me.org; dmarc=pass header.from=example.org"], ("mx.me.org",))

Anybody can write any name into an e-mail, and a header of this kind too. Believed is the topmost
one of a server whose name the settings know (`vouchers`), and nothing below it: servers put theirs
on top, and what stands below may be the sender's own. It counts when it speaks of the very domain
that the address has; that is also what two ways of reading one ``From`` line fail on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

LONGEST_RESULT = 8_000
"""Characters of one header."""
_MOST_RESULTS = 100
_AGAINST = frozenset({"fail", "permerror", "temperror"})


class Proof(Enum):
    """What is known of a sender."""

    GIVEN = "given"
    REFUTED = "refuted"
    """Looked at by the server, and not found to be who it says."""
    ABSENT = "absent"
    """The server wrote nothing about it, or its name is not known."""


@dataclass(frozen=True)
class Result:
    """One ``method=result`` with its properties, such as ``header.from``, in lower case."""

    method: str
    result: str
    properties: Mapping[str, str]


def proven(domain: str, headers: Iterable[str], vouchers: Sequence[str]) -> Proof:
    """Args:
    domain: of the ``From`` address, lower-case.
    headers: the values of all Authentication-Results, the topmost first.
    vouchers: names that are believed; one with a dot in front stands for all below it.
    """
    for value in headers:
        voucher, results = read_results(value)
        if voucher and _is_known(voucher, vouchers):
            return Proof.GIVEN if _passes(domain, results) else Proof.REFUTED
    return Proof.ABSENT


def read_results(value: str) -> tuple[str, tuple[Result, ...]]:
    """Who says it, and what; ("", ()) for what is no such header."""
    first, *parts = list(_parts(value[:LONGEST_RESULT]))[:_MOST_RESULTS] or [[]]
    voucher = first[0].lower().rstrip(".") if first else ""
    if not voucher or "=" in voucher:
        return "", ()
    return voucher, tuple(filter(None, map(_result, parts)))


def _passes(domain: str, results: Sequence[Result]) -> bool:
    methods = [one.method for one in results]
    if methods.count("dmarc") > 1 or methods.count("spf") > 1:
        return False  # a server says each once: something of the sender's has come between
    if any(one.method == "dmarc" and one.result in _AGAINST for one in results):
        return False
    for one in results:
        if one.result != "pass":
            continue
        said = one.properties
        if one.method == "dmarc" and _domain(said.get("header.from", "")) == domain:
            return True
        if one.method == "dkim":
            signer = _domain(said.get("header.d") or said.get("header.i", ""))
            if _speaks_for(signer, domain):
                return True
        if one.method == "spf" and _speaks_for(_domain(said.get("smtp.mailfrom", "")), domain):
            return True
    return False


def _speaks_for(who: str, domain: str) -> bool:
    """A domain speaks for itself and what is below it. Not for what is above: below a provider's
    domain anybody may have one. (RFC 7489, 3.1, allows that for one owner, which cannot be told
    here; the server's own ``dmarc=pass`` has it.)"""
    return "." in who and (domain == who or domain.endswith("." + who))


def _is_known(voucher: str, vouchers: Sequence[str]) -> bool:
    return any(
        voucher == one or (one.startswith(".") and voucher.endswith(one)) for one in vouchers
    )


def _domain(value: str) -> str:
    return value.rpartition("@")[2].strip().lower().rstrip(".")


def _result(words: Sequence[str]) -> Result | None:
    if not words:
        return None
    method, sign, result = words[0].partition("=")
    if not sign:
        return None
    pairs = (word.partition("=") for word in words[1:])
    # The first word on a thing counts: a second one may have been smuggled in behind it.
    properties: dict[str, str] = {}
    for name, _, said in pairs:
        properties.setdefault(name.lower(), said)
    return Result(method.partition("/")[0].lower(), result.lower(), properties)


def _parts(value: str) -> Iterator[list[str]]:
    """The words between semicolons; comments are left out, quoted strings are part of a word."""
    words: list[str] = []
    word: list[str] = []
    depth, quoted = 0, False

    def end() -> None:
        if word:
            words.append("".join(word))
            word.clear()

    signs = iter(value)
    for sign in signs:
        if sign == "\\":
            escaped = next(signs, "")
            if not depth:
                word.append(escaped)
        elif depth:
            depth += (sign == "(") - (sign == ")")
        elif sign == '"':
            quoted = not quoted
        elif quoted:
            word.append(sign)
        elif sign == "(":
            depth = 1
        elif sign == ";":
            end()
            yield words
            words = []
        elif sign == "=":  # blanks may stand around it
            if not word and words and "=" not in words[-1]:
                word.extend(words.pop())
            word.append(sign)
        elif sign.isspace():
            if not word or word[-1] != "=":
                end()
        else:
            word.append(sign)
    end()
    yield words
