"""GBNF (llama.cpp's grammar language) for the nodes of `schema.py`.

    rules = SchemaGbnf(string_limit=2048)
    body = rules.json(node)                   # an expression; its rules are kept in `rules`
    text = rules.grammar(root=body)

Everything is bounded, also with a model that writes noise: strings and lists have a largest
length, numbers a largest count of digits, and no white space is optional. Otherwise a call may
never end, and a call that was cut off is worth nothing.

A bounded string is not written `char{0,4096}`: llama.cpp expands that to 4,096 rules and refuses
more than about 2,000. It is `block{0,k} char{0,r}` with blocks of about the square root of the
length (4,096: 125 rules); at most two blocks' tails are open at a time, so matching stays cheap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from moltbot_desktop.core.errors import GrammarRejected
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.models.schema import (
    ArrayNode,
    BooleanNode,
    ChoiceNode,
    IntegerNode,
    NullNode,
    NumberNode,
    ObjectNode,
    SchemaNode,
    StringNode,
    UnionNode,
)
from moltbot_desktop.models.spelling import JSON, Spelling

MAX_INTEGER = 10**15 - 1
MAX_ITEMS = 32
MAX_REPEAT = 1000
LONGEST_STRING = MAX_REPEAT**2
_PLAIN_REPEAT = 32


def literal(text: str) -> str:
    """`text` as a GBNF literal."""
    return '"' + "".join(map(_literal_character, text)) + '"'


def _literal_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character < " " or character == "\x7f":
        return f"\\x{ord(character):02X}"
    return character


def any_of(options: Iterable[str]) -> str:
    """One of some expressions."""
    listed = list(dict.fromkeys(options))
    return listed[0] if len(listed) == 1 else "( " + " | ".join(listed) + " )"


class SchemaGbnf:
    """The rules of one grammar, each kept once.

    Texts have at most `string_limit` characters, lists `MAX_ITEMS` items, whole numbers 15 digits.
    A schema that demands more makes `json`, `value`, `members` and `scalar` raise GrammarRejected.
    """

    def __init__(self, *, string_limit: int) -> None:
        """`string_limit`: longest string (characters) where the schema names no smaller one."""
        self._limit = max(1, min(string_limit, LONGEST_STRING))
        self._rules: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def grammar(self, root: str) -> str:
        """The whole grammar's text."""
        lines = [f"{name} ::= {body}" for name, body in self._rules.items()]
        return "\n".join([f"root ::= {root}", *lines]) + "\n"

    def rule(self, hint: str, body: str) -> str:
        """The name of a rule with this body; `hint` (letters) makes the grammar readable."""
        if body not in self._names:
            name = f"{hint}-{len(self._rules)}"
            self._names[body] = name
            self._rules[name] = body
        return self._names[body]

    def string_bounds(self, node: StringNode) -> tuple[int, int]:
        """Shortest and longest length of a string.

        Raises:
            GrammarRejected: it must be longer than any string may be.
        """
        if node.min_length > MAX_REPEAT:
            raise GrammarRejected(f"A text of at least {node.min_length} characters is too long.")
        longest = self._limit if node.max_length is None else min(node.max_length, self._limit)
        # What the schema demands goes over what we would like.
        longest = max(longest, node.min_length)
        return node.min_length, longest

    def repeated(self, unit: str, fewest: int, most: int) -> str:
        """`unit` (a rule's name) from `fewest` (<= `MAX_REPEAT`) to `most` times."""
        spare = most - fewest
        parts = [f"{unit}{{{fewest}}}"] if fewest else []
        if spare > _PLAIN_REPEAT:
            size = math.isqrt(spare) + 1
            blocks = (spare - size + 1) // size
            block = self.rule("block", f"{unit}{{{size}}}")
            parts.append(f"{block}{{0,{blocks}}}")
            spare -= blocks * size
        parts.append(f"{unit}{{0,{spare}}}" if spare else "")
        return " ".join(filter(None, parts)) or '""'

    def json(self, node: SchemaNode) -> str:
        """An expression for `node` as JSON text, spaced as Python's `json.dumps` does."""
        return self.value(node, JSON)

    def value(self, node: SchemaNode, spelling: Spelling) -> str:
        """An expression for `node`, spelled as told."""
        match node:
            case StringNode():
                return self.rule("string", self._string(node, spelling))
            case ArrayNode():
                return self.rule("list", self._list(node, spelling))
            case ObjectNode():
                return self.rule("object", f'"{{" {self.members(node, spelling)} "}}"')
            case UnionNode():
                options = [self.value(option, spelling) for option in node.options]
                return self.rule("union", any_of(options))
            case ChoiceNode():
                return self.rule("choice", self.choice(node.values, spelling))
            case _:
                return self.scalar(node, spelling)

    def choice(self, values: Sequence[JsonValue], spelling: Spelling = JSON) -> str:
        return any_of(literal(spelling.write(value)) for value in values)

    def scalar(
        self, node: IntegerNode | NumberNode | BooleanNode | NullNode, spelling: Spelling = JSON
    ) -> str:
        true, false, null = map(literal, spelling.constants)
        match node:
            case IntegerNode():
                return self.rule("integer", integer_between(node.minimum, node.maximum))
            case NumberNode():
                sign = "" if node.non_negative else '"-"? '
                return self.rule(
                    "number", f'{sign}( "0" | [1-9] [0-9]{{0,14}} ) ( "." [0-9]{{1,15}} )?'
                )
            case BooleanNode():
                return f"( {true} | {false} )"
            case NullNode():
                return null

    def members(
        self, node: ObjectNode, spelling: Spelling, *, names: Spelling | None = None
    ) -> str:
        """An object's members in the schema's order, without its braces.

        Args:
            names: how names are spelled where they are not as inside of values.
        """
        # Built from the end: `head` is what may stand from here on when nothing was written yet,
        # `rest` when something was (so a comma comes first).
        head, rest, comma = '""', '""', literal(spelling.comma)
        for entry in reversed(node.properties):
            key = literal((names or spelling).key(entry.name))
            member = self.rule("member", f"{key} {self.value(entry.value, spelling)}")
            first = f"{member} {rest}"
            if entry.required:
                head, rest = first, self.rule("more", f"{comma} {first}")
            else:
                head = self.rule("members", f"{first} | {head}")
                rest = self.rule("more", f"( {comma} {first} ) | {rest}")
        return head

    def _string(self, node: StringNode, spelling: Spelling) -> str:
        limited = node.max_length is not None and spelling.short_character
        character = self.rule("char", spelling.short_character if limited else spelling.character)
        quote = literal(spelling.quote)
        return f"{quote} {self.repeated(character, *self.string_bounds(node))} {quote}"

    def _list(self, node: ArrayNode, spelling: Spelling) -> str:
        most = MAX_ITEMS if node.max_items is None else min(node.max_items, MAX_ITEMS)
        if node.min_items > most:
            raise GrammarRejected(f"A list of at least {node.min_items} items is too long.")
        item = self.rule("item", self.value(node.items, spelling))
        if most == 0:
            return '"[]"'
        following = self.rule("next", f"{literal(spelling.comma)} {item}")
        full = f'"[" {item} {self.repeated(following, max(0, node.min_items - 1), most - 1)} "]"'
        return full if node.min_items else f'"[]" | {full}'


def integer_between(minimum: int | None, maximum: int | None) -> str:
    """GBNF for a whole number within inclusive bounds (at most 15 digits), without `-0`.

    Raises:
        GrammarRejected: no number of at most 15 digits lies between them.
    """
    low = -MAX_INTEGER if minimum is None else max(minimum, -MAX_INTEGER)
    high = MAX_INTEGER if maximum is None else min(maximum, MAX_INTEGER)
    if low > high:
        raise GrammarRejected("Whole numbers of more than 15 digits cannot be written.")
    options = []
    if low < 0:
        options += [f'"-" {digits}' for digits in _digits(max(1, -high), -low)]
    if high >= 0:
        options += _digits(max(0, low), high)
    return any_of(options)


def _digits(low: int, high: int) -> list[str]:
    """Expressions that together match 0 <= low..high without leading zeros."""
    if low == 0:
        return ['"0"', *(_digits(1, high) if high else [])]
    found = []
    count, last = len(str(low)), len(str(high))
    while count < last and low != 10 ** (count - 1):
        found.append(_same_length(str(low), "9" * count))
        count, low = count + 1, 10**count
    whole = last if high == 10**last - 1 else last - 1
    if count <= whole and low == 10 ** (count - 1):  # all numbers of these lengths
        found.append(f"[1-9] [0-9]{{{count - 1},{whole - 1}}}")
        count, low = whole + 1, 10**whole
    return [*found, _same_length(str(low), str(high))] if count <= last else found


def _same_length(low: str, high: str) -> str:
    """Digit strings from `low` to `high`, both of one length."""
    if not low:
        return '""'
    if set(low[1:]) <= {"0"} and set(high[1:]) <= {"9"}:
        repeat = f" [0-9]{{{len(low) - 1}}}" if len(low) > 1 else ""
        return f"[{low[0]}-{high[0]}]{repeat}"
    if low[0] == high[0]:
        return f'"{low[0]}" {_same_length(low[1:], high[1:])}'
    zeros, nines = "0" * (len(low) - 1), "9" * (len(low) - 1)
    options = [f'"{low[0]}" {_same_length(low[1:], nines)}']
    if int(high[0]) - int(low[0]) > 1:
        middle = f"{int(low[0]) + 1}" + zeros, f"{int(high[0]) - 1}" + nines
        options.append(_same_length(*middle))
    return any_of([*options, f'"{high[0]}" {_same_length(zeros, high[1:])}'])
