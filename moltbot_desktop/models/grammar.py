"""The eager grammar for what follows a call marker.

    text = call_grammar(format, tools, string_limit=remaining_tokens // 4)

The grammar's root is `root`. It matches body + close marker and nothing after it; it is to be
checked for NULL by the engine all the same (`llama_sampler_init_grammar`) and cached by its text.
"""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.models.formats.contract import CallFormat
from moltbot_desktop.sdk.tools import ToolSpec

DEFAULT_STRING_LIMIT = 4096


def call_grammar(
    call_format: CallFormat,
    tools: Sequence[ToolSpec],
    *,
    string_limit: int = DEFAULT_STRING_LIMIT,
) -> str:
    """GBNF for a call of one of `tools` (one tool: that call is forced).

    Args:
        string_limit: most characters of a string whose schema has no smaller `maxLength`. It
            makes every call end: choose it so that a call fits the tokens that are left.

    Raises:
        GrammarRejected: a schema cannot be expressed; the message names the tool and the reason.
            Decode that call freely instead; the parser checks it all the same.
    """
    raise NotImplementedError
