"""The call syntaxes we read, each with the models that write it.

A new one that is "JSON between markers", "a name and JSON" or "tags" is a value here; another kind
is one file beside this one and one line in `KNOWN`.
"""

from __future__ import annotations

from moltbot_desktop.models.formats.bare_json import BareJsonFormat
from moltbot_desktop.models.formats.contract import CallFormat, Opening
from moltbot_desktop.models.formats.function_xml import FunctionXmlFormat
from moltbot_desktop.models.formats.gemma import GemmaFormat
from moltbot_desktop.models.formats.hermes import HermesFormat
from moltbot_desktop.models.formats.json_calls import JsonCallsFormat
from moltbot_desktop.models.formats.named_json import Joint, NamedJsonFormat, joints
from moltbot_desktop.models.formats.python_calls import PythonCallsFormat
from moltbot_desktop.models.formats.tagged import TaggedFormat

HERMES = HermesFormat()

MISTRAL_LIST = JsonCallsFormat(
    "mistral-list",
    "[TOOL_CALLS]",
    "",
    frozenset(
        {
            "[TOOL_CALLS]",
            "[TOOL_RESULTS]",
            "[/TOOL_RESULTS]",
            "[AVAILABLE_TOOLS]",
            "[/AVAILABLE_TOOLS]",
            "[INST]",
            "[/INST]",
        }
    ),
)
MISTRAL_NAMED = NamedJsonFormat(
    "mistral-named",
    "[TOOL_CALLS]",
    "",
    MISTRAL_LIST.structure
    | {"[ARGS]", "[CALL_ID]", "[TOOL_CONTENT]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"},
    joint=Joint(
        "[ARGS]",
        r"(?:\[CALL_ID\]\w{1,40})?\[ARGS\]",
        '( "[CALL_ID]" [a-zA-Z0-9]{9} )? "[ARGS]"',
    ),
)
# The end of a message is `<|call|>`, `<|end|>` or `<|return|>`: end-of-generation tokens for most
# files, silent for the rest.
GPT_OSS = NamedJsonFormat(
    "gpt-oss",
    " to=functions.",
    "",
    frozenset({"<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|call|>", "<|end|>"}),
    joint=Joint(
        "<|channel|>commentary json<|message|>",
        r"(?:<\|channel\|>commentary)?\s*(?:<\|constrain\|>)?\s*(?:json)?\s*<\|message\|>",
        joints(
            "<|channel|>commentary json<|message|>",
            "<|channel|>commentary <|constrain|>json<|message|>",
            " <|constrain|>json<|message|>",
            " json<|message|>",
            "<|message|>",
        ),
    ),
    openings=(
        Opening(" to=functions.", first=True),
        Opening("<|channel|>commentary to=functions."),
        Opening("<|channel|>analysis to=functions."),
    ),
    silent=(
        "<|start|>assistant",
        "<|channel|>final<|message|>",
        "<|channel|>commentary<|message|>",
        "<|call|>",
        "<|end|>",
        "<|return|>",
    ),
)
KIMI = NamedJsonFormat(
    "kimi",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    frozenset(
        {
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_begin|>",
            "<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
        }
    ),
    before=Joint(
        "<|tool_call_begin|>functions.",
        r"<\|tool_call_begin\|>\s*functions\.",
        '"<|tool_call_begin|>functions."',
    ),
    joint=Joint(
        ":0<|tool_call_argument_begin|>",
        r":[0-9]{1,6}\s*<\|tool_call_argument_begin\|>",
        '":" [0-9]{1,3} "<|tool_call_argument_begin|>"',
    ),
    after=Joint("<|tool_call_end|>"),
)
_DEEPSEEK_MARKERS = frozenset(
    f"<｜tool▁{name}｜>"
    for name in (
        "calls▁begin",
        "calls▁end",
        "call▁begin",
        "call▁end",
        "sep",
        "outputs▁begin",
        "outputs▁end",
        "output▁begin",
        "output▁end",
    )
)
DEEPSEEK = NamedJsonFormat(
    "deepseek",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    _DEEPSEEK_MARKERS,
    before=Joint("<｜tool▁call▁begin｜>"),
    joint=Joint("<｜tool▁sep｜>"),
    after=Joint("<｜tool▁call▁end｜>"),
)
DEEPSEEK_R1 = NamedJsonFormat(
    "deepseek-r1",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    _DEEPSEEK_MARKERS,
    before=Joint("<｜tool▁call▁begin｜>function<｜tool▁sep｜>"),
    joint=Joint("\n```json\n"),
    after=Joint("\n```<｜tool▁call▁end｜>"),
    between="\n",
)
FUNCTIONARY = NamedJsonFormat(
    "functionary",
    "<function=",
    "</function>",
    frozenset({"<function=", "</function>"}),
    joint=Joint(">"),
)
SOLAR = NamedJsonFormat(
    "solar",
    "<|tool_call:begin|>",
    "",
    frozenset(
        {
            "<|tool_calls|>",
            "<|tool_call:begin|>",
            "<|tool_call:name|>",
            "<|tool_call:args|>",
            "<|tool_call:end|>",
            "<|calls|>",
            "<|tool_response|>",
            "<|begin|>",
            "<|content|>",
            "<|end|>",
        }
    ),
    before=Joint(
        "0<|tool_call:name|>",
        r"\w{1,40}<\|tool_call:name\|>",
        '[a-zA-Z0-9]{1,10} "<|tool_call:name|>"',
    ),
    joint=Joint("<|tool_call:args|>"),
    silent=(
        "<|tool_calls|>",
        "<|tool_call:end|>",
        "<|calls|>",
        "<|begin|>assistant",
        "<|content|>",
        "<|end|>",
    ),
)
APRIEL = JsonCallsFormat(
    "json-tool-calls",
    "<tool_calls>",
    "</tool_calls>",
    frozenset({"<tool_calls>", "</tool_calls>", "<available_tools>", "</available_tools>"}),
)
MINIMAX_M1 = JsonCallsFormat(
    "json-lines",
    "<tool_calls>",
    "</tool_calls>",
    frozenset({"<tool_calls>", "</tool_calls>", "<tools>", "</tools>"}),
    before="\n",
    between="\n",
    after="\n",
)
NEMOTRON = JsonCallsFormat(
    "nemotron",
    "<TOOLCALL>",
    "</TOOLCALL>",
    frozenset({"<TOOLCALL>", "</TOOLCALL>", "<TOOL_RESPONSE>", "</TOOL_RESPONSE>"}),
)
GRANITE = JsonCallsFormat("granite", "<|tool_call|>", "", frozenset({"<|tool_call|>"}))
GIGACHAT = JsonCallsFormat(
    "gigachat",
    "<|function_call|>",
    "",
    frozenset({"<|function_call|>", "<|message_sep|>", "<|role_sep|>"}),
    before="",
    after="",
)
COMMAND = JsonCallsFormat(
    "command",
    "<|START_ACTION|>",
    "<|END_ACTION|>",
    frozenset(
        {
            "<|START_ACTION|>",
            "<|END_ACTION|>",
            "<|START_TOOL_RESULT|>",
            "<|END_TOOL_RESULT|>",
            "<|START_RESPONSE|>",
            "<|END_RESPONSE|>",
            "<|START_TEXT|>",
            "<|END_TEXT|>",
        }
    ),
    before="[\n    ",
    between=",\n    ",
    after="\n]",
    name_key="tool_name",
    arguments_key="parameters",
    number_key="tool_call_id",
    silent=("<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"),
)
APERTUS = JsonCallsFormat(
    "apertus",
    "<|tools_prefix|>",
    "<|tools_suffix|>",
    frozenset({"<|tools_prefix|>", "<|tools_suffix|>"}),
    name_key="",
    arguments_key="",
)


def _arg_keys(suffix: str = "", line: str = "") -> TaggedFormat:
    """GLM's tags; `line` stands between them, `suffix` inside (Hunyuan)."""
    call = f"tool_call{suffix}"
    tags = (call, f"arg_key{suffix}", f"arg_value{suffix}", f"tool_response{suffix}")
    marks = {f"<{tag}>" for tag in tags} | {f"</{tag}>" for tag in tags}
    return TaggedFormat(
        f"arg-keys{suffix}" + ("-lines" if line else ""),
        f"<{call}>",
        f"</{call}>",
        frozenset(marks),
        call_open="",
        name_end=line,
        key_open=f"<arg_key{suffix}>",
        value_open=f"</arg_key{suffix}>{line}<arg_value{suffix}>",
        value_close=f"</arg_value{suffix}>{line}",
    )


ARG_KEYS = _arg_keys()
ARG_KEYS_LINES = _arg_keys(line="\n")
HUNYUAN = TaggedFormat(
    "hunyuan",
    "<tool_calls:opensource>",
    "</tool_calls:opensource>",
    _arg_keys(":opensource").structure | {"<tool_calls:opensource>", "</tool_calls:opensource>"},
    call_open="\n<tool_call:opensource>",
    name_end="<tool_sep:opensource>\n",
    key_open="<arg_key:opensource>",
    value_open="</arg_key:opensource>\n<arg_value:opensource>",
    value_close="</arg_value:opensource>\n",
    call_close="</tool_call:opensource>",
    after="\n",
)
SEED = TaggedFormat(
    "seed",
    "<seed:tool_call>",
    "</seed:tool_call>",
    frozenset(
        {
            "<seed:tool_call>",
            "</seed:tool_call>",
            "<function=",
            "</function>",
            "<parameter=",
            "</parameter>",
        }
    ),
    call_open="\n<function=",
    name_end=">\n",
    key_open="<parameter=",
    value_open=">",
    value_close="</parameter>\n",
    call_close="</function>",
    after="\n",
)
MINIMAX_M2 = TaggedFormat(
    "minimax",
    "<minimax:tool_call>",
    "</minimax:tool_call>",
    frozenset(
        {
            "<minimax:tool_call>",
            "</minimax:tool_call>",
            "<invoke name=",
            "</invoke>",
            "<parameter name=",
            "</parameter>",
        }
    ),
    call_open='\n<invoke name="',
    name_end='">\n',
    key_open='<parameter name="',
    value_open='">',
    value_close="</parameter>\n",
    call_close="</invoke>",
    after="\n",
)


def _dsml(section: str) -> TaggedFormat:
    mark = "｜DSML｜"
    return TaggedFormat(
        f"dsml-{section}",
        f"<{mark}{section}>",
        f"</{mark}{section}>",
        frozenset({f"<{mark}", f"</{mark}"}),
        call_open=f'\n<{mark}invoke name="',
        name_end='">\n',
        key_open=f'<{mark}parameter name="',
        value_open='" string="KIND">',
        value_close=f"</{mark}parameter>\n",
        call_close=f"</{mark}invoke>",
        after="\n",
    )


MINICPM = TaggedFormat(
    "minicpm",
    '<function name="',
    "</function>",
    frozenset({'<function name="', "</function>", "<param name=", "</param>"}),
    call_open="",
    name_end='">',
    key_open='<param name="',
    value_open='">',
    value_close="</param>",
)

KNOWN: tuple[CallFormat, ...] = (
    HERMES,
    FunctionXmlFormat(),
    BareJsonFormat(),
    PythonCallsFormat(),
    GemmaFormat(),
    MISTRAL_LIST,
    MISTRAL_NAMED,
    GPT_OSS,
    KIMI,
    DEEPSEEK,
    DEEPSEEK_R1,
    FUNCTIONARY,
    SOLAR,
    MINIMAX_M1,
    APRIEL,
    NEMOTRON,
    GRANITE,
    GIGACHAT,
    COMMAND,
    APERTUS,
    ARG_KEYS,
    ARG_KEYS_LINES,
    HUNYUAN,
    SEED,
    MINIMAX_M2,
    _dsml("function_calls"),
    _dsml("tool_calls"),
    MINICPM,
)
