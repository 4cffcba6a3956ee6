"""A request to ``POST /v1/chat/completions`` as values. Pure.

    asked = chat_asked(read_object(body))

Protocol: https://platform.openai.com/docs/api-reference/chat/create. What would change the answer
and cannot be done here is refused (`n`, `logprobs`, `logit_bias`, penalties, pictures, sound);
what changes nothing a client could miss (`store`, `metadata`, `service_tier`) and what nobody
knows is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.core.messages import ChatMessage
from moltbot_desktop.gateway.http.openai_fields import Fields, entries, is_list, whole_text
from moltbot_desktop.gateway.http.openai_messages import read_messages
from moltbot_desktop.sdk.models import ANY_TOOL
from moltbot_desktop.sdk.tools import Effect, ToolSpec

MOST_TOOLS = 128
MOST_STOPS = 4
LONGEST_STOP = 256
_LONGEST_NAME = 256
_MOST_TOKENS = 2**31 - 1
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_THINKING = {"none": "off", "minimal": "minimal", "low": "low", "medium": "medium", "high": "high"}
_ANSWER_ROOT = "object"
_NOT_HERE = "is not supported here"


@dataclass(frozen=True)
class ChatAsked:
    """What a client wants.

    Attributes:
        messages: as they were said, those of the system among them.
        max_tokens: None for as many as fit.
        seed: None for another one each time.
        force_tool: as in `GenerationRequest`.
        one_call: no second call beside the first one.
        answer_schema: as in `GenerationRequest`.
        thinking: as in `GenerationRequest`.
        user: "" for none.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    stream: bool = False
    include_usage: bool = False
    max_tokens: int | None = None
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int | None = None
    stop: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    force_tool: str = ""
    one_call: bool = False
    answer_schema: JsonObject | None = None
    thinking: str = ""
    user: str = ""


def chat_asked(body: JsonObject) -> ChatAsked:
    """Read a request.

    Raises:
        ApiRefusal: it cannot be answered as it is meant.
    """
    fields = Fields(body)
    model = fields.needed("model", _LONGEST_NAME)
    _check_supported(fields)
    tools, force_tool = _tools(fields)
    answer_schema = _answer_schema(fields)
    if tools and answer_schema is not None:
        fields.refuse("response_format", "goes without tools here")
    stream = bool(fields.flag("stream"))
    options = fields.group("stream_options")
    if options is not None and not stream:
        fields.refuse("stream_options", "is for streams")
    seed = fields.whole("seed", -(2**63), 2**63 - 1)
    return ChatAsked(
        model=model,
        messages=read_messages(fields),
        stream=stream,
        include_usage=options is not None and bool(options.flag("include_usage")),
        max_tokens=_max_tokens(fields),
        temperature=_given(fields.number("temperature", 0, 2), 1.0),
        top_p=_given(fields.number("top_p", 0, 1), 1.0),
        seed=None if seed is None else seed % 2**32,
        stop=_stops(fields),
        tools=tools,
        force_tool=force_tool,
        one_call=fields.flag("parallel_tool_calls") is False,
        answer_schema=answer_schema,
        thinking=_thinking(fields),
        user=fields.text("user", 512) or "",
    )


def _given(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def _check_supported(fields: Fields) -> None:
    if _given(fields.number("n", 1, 128), 1) != 1:
        fields.refuse("n", "is 1 here: there is one answer", "unsupported_value")
    for name in ("presence_penalty", "frequency_penalty"):
        if fields.number(name, -2, 2):
            fields.refuse(name, _NOT_HERE, "unsupported_parameter")
    if fields.flag("logprobs") or fields.whole("top_logprobs", 0, 20):
        fields.refuse("logprobs", _NOT_HERE, "unsupported_parameter")
    for name in ("functions", "function_call"):
        if fields.values.get(name):
            fields.refuse(name, "is the old form; use `tools`", "unsupported_parameter")
    for name in ("logit_bias", "audio", "web_search_options"):
        if fields.values.get(name) is not None and fields.values.get(name) != {}:
            fields.refuse(name, _NOT_HERE, "unsupported_parameter")
    modalities = fields.list("modalities", 8)
    if modalities is not None and list(modalities) != ["text"]:
        fields.refuse("modalities", 'can only be ["text"] here', "unsupported_value")


def _max_tokens(fields: Fields) -> int | None:
    new = fields.whole("max_completion_tokens", 1, _MOST_TOKENS)
    old = fields.whole("max_tokens", 1, _MOST_TOKENS)
    return old if new is None else new


def _stops(fields: Fields) -> tuple[str, ...]:
    value = fields.values.get("stop")
    if isinstance(value, str):
        value = [value]
    if value is None:
        return ()
    if not is_list(value) or len(value) > MOST_STOPS:
        fields.refuse("stop", f"is a string or a list of at most {MOST_STOPS}")
    stops = [whole_text(one) for one in value if isinstance(one, str)]
    if len(stops) < len(value) or not all(0 < len(one) <= LONGEST_STOP for one in stops):
        fields.refuse("stop", f"has strings of 1 to {LONGEST_STOP} characters")
    return tuple(dict.fromkeys(stops))


def _thinking(fields: Fields) -> str:
    effort = fields.text("reasoning_effort", 16)
    if effort is None:
        return ""
    if effort not in _THINKING:
        fields.refuse("reasoning_effort", f"is one of {', '.join(_THINKING)}")
    return _THINKING[effort]


# ------------------------------------------------------------------------------------ tools


def _tools(fields: Fields) -> tuple[tuple[ToolSpec, ...], str]:
    """Those that may be called, sorted by name, and which must be."""
    tools = {}
    for entry in entries(fields, "tools", MOST_TOOLS):
        if entry.needed("type") != "function":
            entry.refuse("type", "is “function” here", "unsupported_value")
        function = entry.group("function")
        if function is None:
            entry.refuse("function", "is missing", "missing_required")
        tool = _tool(function)
        if tool.name in tools:
            function.refuse("name", f"is there twice: {tool.name}")
        tools[tool.name] = tool
    chosen = _choice(fields, tools)
    if chosen is None:
        return (), ""
    return tuple(tools[name] for name in sorted(tools)), chosen


def _tool(function: Fields) -> ToolSpec:
    name = function.needed("name")
    if not _TOOL_NAME.fullmatch(name):
        function.refuse("name", "is not 1 to 64 letters, digits, _ or -")
    parameters = function.group("parameters")
    schema: JsonObject = {} if parameters is None else parameters.values
    if schema.get("type", "object") != "object":
        function.refuse("parameters", "is not the schema of an object", "invalid_function_schema")
    plain: dict[str, JsonValue] = {"type": "object", "properties": {}, **schema}
    return ToolSpec(name, function.text("description") or "", plain, Effect.NONE, core=False)


def _choice(fields: Fields, tools: Mapping[str, ToolSpec]) -> str | None:
    """A tool's name, `ANY_TOOL`, "" for a free choice; None for none of them."""
    value = fields.values.get("tool_choice")
    if value is None or value == "auto":
        return ""
    if value == "none":
        return None
    if value == "required":
        if not tools:
            fields.refuse("tool_choice", "demands a tool, and there is none")
        return ANY_TOOL
    if not isinstance(value, Mapping) or value.get("type") != "function":
        fields.refuse("tool_choice", "is none, auto, required or a function")
    function = Fields(value, "tool_choice.").group("function")
    name = function.needed("name") if function is not None else ""
    if name not in tools:
        fields.refuse("tool_choice", "names a function that is not in `tools`")
    return name


# ------------------------------------------------------------------------------------ the form


def _answer_schema(fields: Fields) -> JsonObject | None:
    form = fields.group("response_format")
    if form is None:
        return None
    kind = form.needed("type")
    if kind not in ("text", "json_object", "json_schema"):
        form.refuse("type", "is text, json_object or json_schema")
    if kind == "text":
        return None
    return _schema(form) if kind == "json_schema" else {}


def _schema(form: Fields) -> JsonObject:
    described = form.group("json_schema")
    schema = described.group("schema") if described is not None else None
    if schema is None:
        form.refuse("json_schema", "has no `schema`", "missing_required")
    if schema.values.get("type", _ANSWER_ROOT) != _ANSWER_ROOT:
        form.refuse("json_schema", "is not the schema of an object")
    return schema.values
