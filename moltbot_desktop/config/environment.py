"""Variables that the settings bring along: `env`.

    env: { LAB_KEY: "…", vars: { OTHER: "…" } }

What the process was started with and is not blank wins over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.config.sections import Mistake, WrongSetting
from moltbot_desktop.core.json import JsonObject, JsonValue

_NOT_VARIABLES = ("vars", "shellEnv")


def environment_mistakes(raw: JsonObject) -> list[Mistake]:
    """What of `env` sets nothing: it is no group, or a value is no text."""
    block = raw.get("env", {})
    found: list[Mistake] = []
    for path, group in (("env", block), *_variables(block)):
        if not isinstance(group, Mapping):
            found.append(WrongSetting(path, "env_group", {}, group))
            continue
        found += [
            WrongSetting(f"{path}.{name}", "env_text", {}, value)
            for name, value in group.items()
            if not isinstance(value, str) and not (path == "env" and name in _NOT_VARIABLES)
        ]
    return found


def _variables(block: JsonValue) -> tuple[tuple[str, JsonValue], ...]:
    inner = block.get("vars", {}) if isinstance(block, Mapping) else {}
    return (("env.vars", inner),)


def environment_with(raw: JsonObject, process: Mapping[str, str]) -> Mapping[str, str]:
    """`process`, with what `raw` (the file) sets beside it."""
    block = raw.get("env")
    if not isinstance(block, Mapping):
        return process
    variables = block.get("vars")
    written = {name: value for name, value in block.items() if name not in _NOT_VARIABLES}
    written |= variables if isinstance(variables, Mapping) else {}
    added = {
        name: value
        for name, value in written.items()
        if isinstance(value, str) and value.strip() and not process.get(name, "").strip()
    }
    return MappingProxyType({**process, **added})
