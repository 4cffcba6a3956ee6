"""The reference's `exec-approvals.json`: which rules of it can be taken over.

    read = read_exec_approvals(text)
    read.rules        # (Rule(agent="*", pattern="/usr/bin/git"),)
    read.left         # (("rg", "a name without a folder fits nothing"),)

`{version, socket{…}, defaults{…}, agents{id: {…, allowlist[{id, pattern, lastUsedAt, …}]}}}`. Only
the allowlists are taken: what the file says beside them would make this program less strict than
it is (`security: full`, `ask: off`), and its socket's token is another program's key. The file
itself stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.json import JsonObject

_MOST_RULES = 1_000
_LONGEST = 1_000
EVERY_AGENT = "*"


@dataclass(frozen=True)
class Rule:
    """One that can be taken over.

    Attributes:
        pattern: of a program's real path, in the reference's form (`*`, `**`, `?`).
    """

    agent: str
    pattern: str


@dataclass(frozen=True)
class ExecApprovals:
    """What a file has.

    Attributes:
        left: what was left out, each with why.
    """

    rules: tuple[Rule, ...]
    left: tuple[tuple[str, str], ...]


def read_exec_approvals(text: str) -> ExecApprovals:
    """Raises UserInputInvalid: it is no such file."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        raise _no_such_file("it is no JSON") from None
    if not isinstance(whole, Mapping) or whole.get("version") != 1:
        raise _no_such_file("it has no “version”: 1")
    agents = whole.get("agents", {})
    if not isinstance(agents, Mapping):
        raise _no_such_file("its “agents” is no object")
    rules: dict[Rule, None] = {}
    left: list[tuple[str, str]] = [*_stricter(whole.get("defaults"), "defaults")]
    for agent, entry in agents.items():
        if not isinstance(entry, Mapping):
            left.append((f"agents.{agent}"[:_LONGEST], "it is no object"))
            continue
        left += _stricter(entry, f"agents.{agent}")
        for pattern in _patterns(entry):
            if "/" not in pattern and "\\" not in pattern:
                left.append((pattern, "a name without a folder fits nothing"))
            elif len(rules) >= _MOST_RULES:
                left.append((pattern, f"more than {_MOST_RULES} rules"))
            else:
                # The reference keeps its default agent's under this older name too.
                rules[Rule("main" if agent == "default" else str(agent), pattern)] = None
    return ExecApprovals(tuple(rules), tuple(left))


def _patterns(entry: JsonObject) -> Iterator[str]:
    """Older files have the patterns alone, without an object around each."""
    allowlist = entry.get("allowlist")
    for one in allowlist if isinstance(allowlist, list) else ():
        pattern = one.get("pattern") if isinstance(one, Mapping) else one
        if isinstance(pattern, str) and pattern.strip() and len(pattern) <= _LONGEST:
            yield pattern.strip()


def _stricter(entry: object, where: str) -> Iterator[tuple[str, str]]:
    """What would make commands freer than they are here."""
    if not isinstance(entry, Mapping):
        return
    for name, value in (("security", "full"), ("ask", "off"), ("askFallback", "full")):
        if entry.get(name) == value:
            yield (
                f"{where}.{name}: {value}"[:_LONGEST],
                "commands always follow the permissions here",
            )
    if entry.get("autoAllowSkills") is True:
        yield f"{where}.autoAllowSkills"[:_LONGEST], "a skill allows nothing by itself here"


def _no_such_file(why: str) -> UserInputInvalid:
    return UserInputInvalid(
        f"That is no exec-approvals.json: {why}.",
        hint="Name the file exec-approvals.json of Clawdbot, Moltbot or OpenClaw.",
    )
