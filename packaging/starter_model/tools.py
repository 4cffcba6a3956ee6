"""The tools the starter model knows and the token layout of its calls.

A call is written in the XML syntax of Qwen3-Coder because values stand verbatim in it, without
any escaping. The opening of a call up to its first value, every separator between two values and
the closing are one token each: choosing a tool is one decision and a call has few syntax tokens.
"""

from typing import Final

# Argument names in the order in which the model writes them. A trailing "?" marks an optional one.
TOOLS: Final[dict[str, tuple[str, ...]]] = {
    "memory_store": ("text",),
    "memory_search": ("query",),
    "memory_get": ("path", "from?", "lines?"),
    "reminder_add": ("when", "text"),
    "reminder_list": (),
    "read": ("path",),
    "write": ("path", "content"),
    "find_files": ("pattern",),
    "calc": ("expression",),
    "web_fetch": ("url",),
    "open": ("target",),
    "exec": ("command",),
    "screenshot": (),
    "weather_query": ("city",),
}

# Which argument a slot of the phrasing lists fills. Slots that are missing here are only text.
SLOT_ARGUMENT: Final[dict[str, dict[str, str]]] = {
    "memory_store": {"fact": "text", "ownfact": "text", "statement": "text"},
    "memory_search": {
        "topic": "query",
        "own": "query",
        "bday": "query",
        "iclause": "query",
        "ziclause": "query",
        "zwclause": "query",
        "didclause": "query",
        "askclause": "query",
        "carclause": "query",
        "lentclause": "query",
        "subjectclause": "query",
        "asked": "query",
        "possessed": "query",
    },
    "memory_get": {"memfile": "path", "from": "from", "lines": "lines"},
    "reminder_add": {
        "when": "when",
        "whenbare": "when",
        "dated": "when",
        "datedbare": "when",
        "todo": "text",
        "event": "text",
    },
    "reminder_list": {},
    "read": {"textpath": "path"},
    "write": {"path": "path", "content": "content", "shout": "content"},
    "find_files": {"pattern": "pattern", "thing": "pattern", "ftype": "pattern"},
    "calc": {
        "expression": "expression",
        "percentof": "expression",
        "divide": "expression",
        "multiply": "expression",
        "addup": "expression",
        "subtract": "expression",
        "times": "expression",
    },
    "web_fetch": {"url": "url"},
    "open": {
        "url": "target",
        "app": "target",
        "doc": "target",
        "textpath": "target",
        "folder": "target",
    },
    "exec": {"command": "command"},
    "screenshot": {},
    "weather_query": {"city": "city"},
}

CLOSE_TEXT: Final = "\n</parameter>\n</function>\n</tool_call>"


def argument_names(tool: str) -> tuple[str, ...]:
    """The argument names of a tool without the marks of optional ones."""
    return tuple(name.rstrip("?") for name in TOOLS[tool])


def open_text(tool: str) -> str:
    """The text of the token that opens a call, up to the first value."""
    head = f"<tool_call>\n<function={tool}>\n"
    names = argument_names(tool)
    return head + (f"<parameter={names[0]}>\n" if names else "</function>\n</tool_call>")


def separator_text(argument: str) -> str:
    """The text of the token between two values; `argument` is the name of the next one."""
    return f"\n</parameter>\n<parameter={argument}>\n"


def syntax_texts() -> list[str]:
    """All call-syntax tokens, in the order of their ids."""
    texts = [open_text(tool) for tool in TOOLS]
    texts += [separator_text(name) for tool in TOOLS for name in argument_names(tool)[1:]]
    texts.append(CLOSE_TEXT)
    return list(dict.fromkeys(texts))
