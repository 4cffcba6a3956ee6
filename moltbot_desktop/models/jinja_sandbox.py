"""Jinja2, as chat templates need it and no further.

A template comes inside a model file from anywhere, so it is a program by a stranger. It runs in
Jinja's immutable sandbox (no attributes of Python, no changes to our values) and on a budget:
rounds of loops and calls of macros, and the sizes of texts, products and of the output are
counted; what goes beyond raises `TemplateRefused`. Known gaps: lists that hold themselves many
times, printed as a whole, and slow work on texts just below the limit. For those the first-load
probe of an unknown file renders it once in a process of its own with a time limit.

Beyond Jinja: `tojson` without HTML escapes, `from_json`, `raise_exception`, `strftime_now` of a
date given from outside (a clock in the prompt's frozen part would spoil the prefix), `{% break %}`,
`{% continue %}`, `{% generation %}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date

from jinja2 import Environment, TemplateError, nodes, pass_environment
from jinja2.ext import Extension, loopcontrols
from jinja2.filters import do_indent, sync_do_sum
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from moltbot_desktop.core.json import JsonValue

MAX_SOURCE = 500_000
MAX_STEPS = 200_000
MAX_CHARACTERS = 4_000_000
_BUDGET = "_budget"
_WIDE_PERCENT = re.compile(r"%[^a-zA-Z%]*(?:[0-9]{4}|\*)")
_WIDE_BRACES = re.compile(r"\{[^{}]*(?:[0-9]{4}|\{)")
# What one field of a format may add by its own width or precision.
_FIELD_WIDTH = 1000
_STRETCHING_METHODS = frozenset(
    "center ljust rjust zfill expandtabs format_map encode translate".split()
)
_SIZED = (str, list, tuple)
_LIST_METHODS = frozenset({"append", "pop"})
_STRETCHING_FILTERS = ("batch", "center", "format", "random", "slice", "urlize", "wordwrap")
# What a stranger's program may raise. Not `Exception`: MemoryError and RecursionError of ours
# would hide there, and a list shows what was thought of.
_TEMPLATE_ERRORS = (
    TemplateError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
)


class TemplateRefused(Exception):
    """The template cannot be used; the message says why."""


class CompiledTemplate:
    """A template that compiled. Holds no state of a rendering; safe on any thread.

    A source has at most `MAX_SOURCE` characters; a rendering `MAX_STEPS` rounds and calls, and
    `MAX_CHARACTERS` characters of any text and of its output.
    """

    def __init__(self, source: str, today: date) -> None:
        """Compile.

        Args:
            today: what `strftime_now` formats.

        Raises:
            TemplateRefused: it is too long or no valid template.
        """
        if len(source) > MAX_SOURCE:
            raise TemplateRefused(f"the template is longer than {MAX_SOURCE} characters")
        try:
            self._template = _environment(today).from_string(source)
        except _TEMPLATE_ERRORS as error:
            raise TemplateRefused(_reason(error)) from error

    def render(self, variables: Mapping[str, object]) -> str:
        """The template's output.

        Raises:
            TemplateRefused: it raised, or went beyond its budget.
        """
        try:
            given = {**_given(variables), _BUDGET: _Budget()}
            return _concatenated(self._template.generate(given))
        except _TEMPLATE_ERRORS as error:
            raise TemplateRefused(_reason(error)) from error


class _Given(list[object]):
    """A list of ours: a template reads it and makes no changes."""


def _given(variables: Mapping[str, object]) -> dict[str, object]:
    return {name: _read_only(value) for name, value in variables.items()}


def _read_only(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _read_only(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return _Given(map(_read_only, value))
    return value


def _concatenated(pieces: Iterable[str]) -> str:
    kept, length = [], 0
    for piece in pieces:
        length += len(piece)
        _sized(length)
        kept.append(piece)
    return "".join(kept)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:300].strip(": ")


class _OverBudget(TemplateError):
    pass


class _Budget:
    """What one rendering may still do."""

    def __init__(self) -> None:
        self._steps = MAX_STEPS

    def step(self) -> None:
        self._steps -= 1
        if self._steps < 0:
            raise _OverBudget(f"the template takes more than {MAX_STEPS} steps")


def _sized(length: int) -> None:
    if length > MAX_CHARACTERS:
        raise _OverBudget(f"the template makes a text of over {MAX_CHARACTERS} characters")


class _Environment(ImmutableSandboxedEnvironment):
    """The sandbox with a budget. A rendering keeps its state in the context, none is here."""

    intercepted_binops = frozenset(["+", "*", "**", "%"])
    # With it Jinja joins what a macro or a `{% set %}` block printed.
    concat = staticmethod(_concatenated)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = _Counting().visit(super()._parse(source, name, filename))
        assert isinstance(template, nodes.Template)
        return template.set_environment(self)  # type: ignore[return-value]

    def step(self, context: Context) -> str:
        """One round of a loop or one call of a macro; the rewritten template calls it."""
        budget = context.parent[_BUDGET]
        assert isinstance(budget, _Budget)
        budget.step()
        return ""

    def joined(self, *parts: object) -> str:
        """What `a ~ b` means; the rewritten template calls it."""
        texts = [str(part) for part in parts]
        _sized(sum(map(len, texts)))
        return "".join(texts)

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        if operator == "**":
            raise _OverBudget("powers are not for templates")
        if operator == "%" and isinstance(left, str):
            if _WIDE_PERCENT.search(left):
                raise _OverBudget("a format with a large width")
            _sized(_format_size(left, "%", _fields(right)))
        if operator == "*":
            _sized(_product_size(left, right))
        if operator == "+" and isinstance(left, _SIZED) and isinstance(right, _SIZED):
            _sized(len(left) + len(right))
        result: object = super().call_binop(context, operator, left, right)
        return result

    def call(self, context: Context, obj: object, /, *args: object, **kwargs: object) -> object:
        owner, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        if isinstance(owner, list) and name in _LIST_METHODS:
            self.step(context)
        if isinstance(owner, str) and name == "replace":
            _sized(_replaced_size(owner, *args[:2]))
        if isinstance(owner, str) and name == "join" and args:
            args = (_sized_parts(args[0], owner), *args[1:])
        result: object = super().call(context, obj, *args, **kwargs)
        return result

    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        if isinstance(obj, str) and attr in _STRETCHING_METHODS:
            return False
        if isinstance(obj, int) and attr == "to_bytes":
            return False
        if type(obj) is list and attr in _LIST_METHODS:
            # Templates collect with them (Kimi, Devstral), in lists of their own.
            return True
        return super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: object) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None
        form, write = str(getattr(value, "__self__", "")), wrapped
        if _WIDE_BRACES.search(form):
            raise _OverBudget("a format with a large width")

        def measured(*args: object, **kwargs: object) -> str:
            _sized(_format_size(form, "{", [*args, *kwargs.values()]))
            return write(*args, **kwargs)

        return measured


class _Counting(NodeTransformer):
    """Rewrites a template so that it counts its steps and measures what it joins."""

    def visit_For(self, node: nodes.For) -> nodes.Node:
        return self._counted(node)

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:
        return self._counted(node)

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.Node:
        return self._counted(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _own_call("joined", node.nodes, node.lineno)

    def _counted(self, node: nodes.For | nodes.Macro | nodes.CallBlock) -> nodes.Node:
        self.generic_visit(node)
        step = _own_call("step", [nodes.ContextReference()], node.lineno)
        node.body.insert(0, nodes.ExprStmt(step, lineno=node.lineno))
        return node


def _own_call(method: str, arguments: list[nodes.Expr], lineno: int) -> nodes.Call:
    target = nodes.EnvironmentAttribute(method)
    return nodes.Call(target, arguments, [], None, None).set_lineno(lineno)  # type: ignore[return-value]


class _Generation(Extension):
    """`{% generation %}` marks text for training; here it is nothing."""

    tags = {"generation"}  # noqa: RUF012 - Jinja's own way of declaring them

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _environment(today: date) -> _Environment:
    environment = _Environment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[loopcontrols, _Generation],
        finalize=_measured,
    )
    for name in _STRETCHING_FILTERS:
        del environment.filters[name]
    environment.filters |= {
        "tojson": _to_json,
        "from_json": json.loads,
        "replace": _replace,
        "join": _join,
        "indent": _indent,
        "sum": _sum,
    }
    environment.globals |= {
        "raise_exception": _raise_exception,
        "strftime_now": lambda form: _formatted(today, form),
        "from_json": json.loads,
    }
    del environment.globals["lipsum"]
    return environment


def _measured(value: object) -> object:
    if isinstance(value, str):
        _sized(len(value))
    return value


def _product_size(left: object, right: object) -> int:
    """Length of `left * right`, or for two numbers their digits."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(other, int):
            return len(one) * max(0, other)
    numbers = [abs(n).bit_length() for n in (left, right) if isinstance(n, int)]
    return 0 if sum(numbers) < 1024 else MAX_CHARACTERS + 1


def _fields(values: object) -> Iterable[object]:
    """What stands right of a `%`, one by one."""
    if isinstance(values, Mapping):
        return values.values()
    return values if isinstance(values, tuple) else [values]


def _format_size(form: str, sign: str, values: Iterable[object]) -> int:
    """At most as long as this; a field begins with `sign`, and each may hold the longest value."""
    longest = max((len(str(value)) for value in values), default=0)
    return len(form) + form.count(sign) * (longest + _FIELD_WIDTH)


def _replaced_size(text: str, old: object = "", new: object = "") -> int:
    return len(text) + (text.count(str(old)) * len(str(new)))


def _sized_parts(parts: object, separator: str) -> list[str]:
    texts = [str(part) for part in parts] if isinstance(parts, Iterable) else []
    _sized(sum(map(len, texts)) + len(separator) * len(texts))
    return texts


def _replace(value: object, old: object, new: object, count: int = -1) -> str:
    text = str(value)
    _sized(_replaced_size(text, old, new))
    return text.replace(str(old), str(new), count)


def _join(value: Iterable[object], d: object = "", attribute: str | None = None) -> str:
    if attribute is not None:
        value = (item[attribute] if isinstance(item, Mapping) else "" for item in value)
    return str(d).join(_sized_parts(value, str(d)))


def _indent(value: object, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    text = str(value)
    step = len(width) if isinstance(width, str) else width
    _sized(len(text) + step * (text.count("\n") + 1))
    return do_indent(text, width, first, blank)


@pass_environment
def _sum(
    environment: Environment,
    value: Iterable[int],
    attribute: str | int | None = None,
    start: int = 0,
) -> object:
    if not isinstance(start, int | float):
        raise _OverBudget("a sum of anything but numbers")
    return sync_do_sum(environment, value, attribute, start)


def _to_json(
    value: JsonValue,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Jinja's own escapes `<`, `>`, `&` and `'` for HTML and sorts keys; models never saw that."""
    if isinstance(indent, int) and indent > 16:
        raise _OverBudget("an indent that large")
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=(separators[0], separators[1]) if separators else None,
        sort_keys=sort_keys,
        default=_listed,
    )


def _listed(value: object) -> list[object]:
    """What `map` and `select` give, for a template that forgot `| list`."""
    if not isinstance(value, Iterator):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return list(value)


def _formatted(today: date, form: str) -> str:
    if _WIDE_PERCENT.search(form):
        raise _OverBudget("a date format with a large width")
    return today.strftime(form)


def _raise_exception(message: object = "") -> str:
    raise TemplateError(str(message))
