"""Where the starter's call syntax stands in its vocabulary.

The starter writes calls in function XML, but with whole stretches of syntax as single tokens:

    <tool_call>\\n<function=NAME>\\n<parameter=FIRST>\\n          opens a call of NAME
    <tool_call>\\n<function=NAME>\\n</function>\\n</tool_call>    a whole call without arguments
    \\n</parameter>\\n<parameter=KEY>\\n                          goes on to the argument KEY
    \\n</parameter>\\n</function>\\n</tool_call>                  ends a call

Choosing a tool is then one decision, and a call has three or four syntax tokens. The file names its
tools in the metadata `moltbot.starter.tools`: `{"memory_get": ["path", "from?", "lines?"], ...}`,
optional arguments with a `?`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.errors import GrammarRejected, ModelFileInvalid
from moltbot_desktop.core.json import JsonValue
from moltbot_desktop.models.schema import checked_name

STARTER_TOOLS_KEY = "moltbot.starter.tools"
_OPERATORS = "+-*/()%^"
_SPACE = "\u2581"
_CLOSE = "\n</parameter>\n</function>\n</tool_call>"


@dataclass(frozen=True)
class StarterArgument:
    """An argument as the file's tool table has it."""

    name: str
    required: bool


@dataclass(frozen=True)
class StarterLayout:
    """Ids of the call tokens, and of the signs of a sum.

    Attributes:
        tools: arguments of each tool, in the order they are written.
        openings: tool name -> token that opens its call (and its first argument).
        separators: argument name -> token between the previous argument and this one.
        close: token that ends every call of a tool with arguments.
        operators: tokens that may stand between the numbers of a sum, the blank among them.
        space: the blank; -1 when the vocabulary has none.
        brackets: opening and closing, -1 likewise.
        closing_operators: those after which a sum may end.
    """

    tools: Mapping[str, tuple[StarterArgument, ...]]
    openings: Mapping[str, int]
    separators: Mapping[str, int]
    close: int
    operators: frozenset[int] = frozenset()
    space: int = -1
    brackets: tuple[int, int] = (-1, -1)
    closing_operators: frozenset[int] = frozenset()

    @staticmethod
    def from_vocab(tokens: Sequence[str], tools_json: str) -> StarterLayout:
        """Find the call tokens.

        Raises:
            ModelFileInvalid: the metadata is no such table, or the vocabulary lacks a token.
        """
        tools = _read_tools(tools_json)
        ids = {text: token for token, text in reversed(list(enumerate(tokens)))}
        later = [argument for arguments in tools.values() for argument in arguments[1:]]
        signs = {sign: ids[sign] for sign in (*_OPERATORS, _SPACE) if sign in ids}
        return StarterLayout(
            tools=tools,
            openings={name: _find(ids, _opening(name, tools[name])) for name in tools},
            separators={one.name: _find(ids, _separator(one.name)) for one in later},
            close=_find(ids, _CLOSE) if any(tools.values()) else -1,
            operators=frozenset(signs.values()),
            space=signs.get(_SPACE, -1),
            brackets=(signs.get("(", -1), signs.get(")", -1)),
            closing_operators=frozenset(signs[sign] for sign in ")%" if sign in signs),
        )


def _opening(name: str, arguments: Sequence[StarterArgument]) -> str:
    rest = f"<parameter={arguments[0].name}>\n" if arguments else "</function>\n</tool_call>"
    return f"<tool_call>\n<function={name}>\n{rest}"


def _separator(argument: str) -> str:
    return f"\n</parameter>\n<parameter={argument}>\n"


def _find(ids: Mapping[str, int], text: str) -> int:
    if text not in ids:
        raise _invalid(f"its vocabulary has no token {text!r}")
    return ids[text]


def _read_tools(text: str) -> dict[str, tuple[StarterArgument, ...]]:
    try:
        table: JsonValue = json.loads(text)
        if not isinstance(table, Mapping) or not table:
            raise _invalid(f"`{STARTER_TOOLS_KEY}` names no tools")
        return {checked_name(tool): _read_arguments(tool, table[tool]) for tool in table}
    except (ValueError, RecursionError) as error:
        raise _invalid(f"`{STARTER_TOOLS_KEY}` is no JSON") from error
    except GrammarRejected as error:
        raise _invalid(f"`{STARTER_TOOLS_KEY}` has a name that is none") from error


def _read_arguments(tool: str, names: JsonValue) -> tuple[StarterArgument, ...]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise _invalid(f"the arguments of `{tool}` are no list")
    arguments = tuple(_read_argument(tool, name) for name in names)
    if arguments and not arguments[0].required:
        raise _invalid(f"the first argument of `{tool}` is optional, but opening it is not")
    if len({argument.name for argument in arguments}) < len(arguments):
        raise _invalid(f"`{tool}` has an argument twice")
    return arguments


def _read_argument(tool: str, name: JsonValue) -> StarterArgument:
    if not isinstance(name, str):
        raise _invalid(f"an argument of `{tool}` is no text")
    return StarterArgument(checked_name(name.removesuffix("?")), not name.endswith("?"))


def _invalid(reason: str) -> ModelFileInvalid:
    return ModelFileInvalid(
        f"This file says it is a starter model, but {reason}.",
        hint="Use the starter model that came with the program.",
    )
