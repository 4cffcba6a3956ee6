"""The regular expressions of the program, read from its source without running it.

    for pattern in patterns(read_sources(folder)):
        pattern.where, pattern.text, pattern.flags     # "security.redaction:_NAMED", …

A pattern's text is put together where it is constant: strings, f-strings and sums of strings and of
other constants, the ones of other modules too. What a function puts together while it runs comes
from `re.escape` or from a list; its text is None.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.arch.rules import PACKAGE, Source, aliases, assigned, called_names, dotted_name

_TAKERS = frozenset(
    f"re.{name}" for name in ("compile", "match", "search", "fullmatch", "sub", "subn", "split")
) | {"re.findall", "re.finditer"}
# Where the flags stand among the arguments, for the calls that take them without their name.
_FLAGS_AT = {"re.compile": 1, "re.sub": 4, "re.subn": 4, "re.split": 3}


@dataclass(frozen=True)
class Pattern:
    """`where` is the module and the constant or function; `text` None is made while running."""

    where: str
    line: int
    text: str | None
    flags: int = 0


def patterns(sources: Iterable[Source]) -> Iterator[Pattern]:
    """Every pattern that is given to `re`, in the order of the modules."""
    sources = list(sources)
    known = {source.name: _Names(source) for source in sources}
    for source in sources:
        names = known[source.name]
        for call, name, inside in called_names(source):
            if name not in _TAKERS or not call.args:
                continue
            text = _text(call.args[0], names, known)
            at = _FLAGS_AT.get(name, 2)
            given = next((one.value for one in call.keywords if one.arg == "flags"), None)
            flags = given or (call.args[at] if len(call.args) > at else None)
            inside = inside or names.constant_at(call)
            yield Pattern(f"{source.name}:{inside}", call.lineno, text, _flags(flags))


class _Names:
    """The constants and imports of one module."""

    def __init__(self, source: Source) -> None:
        self.imports = aliases(source)
        self.constants = {
            name: value for node in source.tree.body for name, value in _assigned(node)
        }
        self._lines = [
            (node.lineno, node.end_lineno or node.lineno, name)
            for node in source.tree.body
            for name, _ in _assigned(node)
        ]

    def constant_at(self, call: ast.Call) -> str:
        return next((n for a, b, n in self._lines if a <= call.lineno <= b), "")


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    yield from ((name, value) for name, value in assigned(node) if value is not None)


def _text(node: ast.expr, names: _Names, known: dict[str, _Names]) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return _joined([_text(one, names, known) for one in node.values])
    if isinstance(node, ast.FormattedValue):
        plain = node.conversion == -1 and node.format_spec is None
        return _text(node.value, names, known) if plain else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _joined([_text(node.left, names, known), _text(node.right, names, known)])
    if isinstance(node, ast.Attribute) and node.attr == "pattern":
        return _text(node.value, names, known)
    if isinstance(node, ast.Call) and dotted_name(node.func) == "re.compile":
        return _text(node.args[0], names, known)
    if isinstance(node, ast.Name) and node.id in names.constants:
        return _text(names.constants[node.id], names, known)
    if isinstance(node, ast.Name | ast.Attribute):
        first, dot, rest = dotted_name(node).partition(".")
        module, _, name = (names.imports.get(first, first) + dot + rest).rpartition(".")
        other = known.get(module.removeprefix(PACKAGE + "."))
        if other is not None and name in other.constants:
            return _text(other.constants[name], other, known)
    return None


def _joined(parts: list[str | None]) -> str | None:
    whole = [part for part in parts if part is not None]
    return "".join(whole) if len(whole) == len(parts) else None


def _flags(node: ast.expr | None) -> int:
    """The flags that are named in `node` (`re.VERBOSE | re.I`)."""
    if node is None:
        return 0
    named = [dotted_name(one) for one in ast.walk(node) if isinstance(one, ast.Attribute)]
    flags = re.RegexFlag(0)
    for name in named:
        flags |= re.RegexFlag[name.rpartition(".")[2]]
    return int(flags)
