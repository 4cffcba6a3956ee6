"""Arguments by the names that a tool has for them, whatever a model learned to call them.

    with_own_names(spec, call)      # {"file_path": "a.md"} -> {"path": "a.md"}

Before anything is judged: policy, card and tool must all see the same words.
"""

from __future__ import annotations

from dataclasses import replace

from moltbot_desktop.core.messages import ToolCall
from moltbot_desktop.sdk.tools import ToolSpec


def with_own_names(spec: ToolSpec, call: ToolCall) -> ToolCall:
    """`call` with each argument under the tool's own name. One that stands there under both stays
    as it is, and is refused by the schema."""
    other = {
        theirs: own
        for theirs, own in spec.aliases
        if theirs in call.arguments and own not in call.arguments
    }
    if not other or len(set(other.values())) < len(other):
        return call
    arguments = {other.get(name, name): value for name, value in call.arguments.items()}
    unseen = tuple(other.get(name, name) for name in call.unseen_arguments)
    return replace(call, arguments=arguments, unseen_arguments=unseen)
