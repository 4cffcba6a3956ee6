"""Which tools there are and how they behave: `tools`, for all agents and for one.

    tools: { profile: "coding", deny: ["browser"], byProvider: { "lab/small": { allow: ["read"] } },
             exec: { timeoutSec: 600 }, agentToAgent: { enabled: true, allow: ["work"] } }

None means that it is not said here.
"""

# ruff: noqa: RUF009 (`setting` makes dataclass fields, which ruff cannot know)
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.declaration import Conflict, Section, setting
from moltbot_desktop.config.kinds import (
    Choice,
    Flag,
    Folder,
    Identifier,
    ListOf,
    Optional,
    Text,
    WholeNumber,
)
from moltbot_desktop.config.structures import GroupOf, MapOf, no_names

PROFILES = ("minimal", "coding", "messaging", "full")
_NAMES = ListOf(Text())


@dataclass(frozen=True)
class ToolPolicyConfig(Section):
    """One filter of tools; names may hold ``*`` and may be groups such as ``group:fs``."""

    profile: str | None = setting(
        "profile", Optional(Choice(PROFILES)), None, "A ready-made choice of tools."
    )
    allow: tuple[str, ...] | None = setting(
        "allow", Optional(_NAMES), None, "Only these tools; null or none is all."
    )
    also_allow: tuple[str, ...] = setting(
        "alsoAllow", _NAMES, (), "These tools beside those of the profile."
    )
    deny: tuple[str, ...] = setting("deny", _NAMES, (), "Never these tools.")

    def conflict(self) -> Conflict | None:
        """One says "only these", the other "these too"."""
        if not self.allow or not self.also_allow:
            return None
        return Conflict("also_allow", "not_with_allow", {})


@dataclass(frozen=True)
class AgentToAgentConfig(Section):
    enabled: bool = setting("enabled", Flag(), False, "Whether agents may write to each other.")
    allow: tuple[str, ...] = setting("allow", _NAMES, (), "Which; none is all, * too.")


@dataclass(frozen=True)
class ElevatedConfig(Section):
    """Commands outside the sandbox: what the owner says yes to, after /elevated."""

    enabled: bool = setting("enabled", Flag(), True, "false allows it to nobody.")
    allow_from: Mapping[str, tuple[str, ...]] = setting(
        "allowFrom",
        MapOf(ListOf(Identifier())),
        no_names(),
        "Channel -> who may ask for it; nobody who is not named.",
    )


@dataclass(frozen=True)
class ExecConfig(Section):
    host: str | None = setting(
        "host", Optional(Choice(("sandbox", "gateway", "node"))), None, "Where commands run."
    )
    security: str | None = setting(
        "security",
        Optional(Choice(("deny", "allowlist", "full"))),
        None,
        "Which may run; what the permissions forbid stays forbidden.",
    )
    ask: str | None = setting(
        "ask", Optional(Choice(("off", "on-miss", "always"))), None, "When you are asked."
    )
    node: str | None = setting("node", Optional(Text()), None, "On which node.")
    path_prepend: tuple[Path, ...] = setting(
        "pathPrepend", ListOf(Folder()), (), "Folders searched for programs first."
    )
    safe_bins: tuple[str, ...] | None = setting(
        "safeBins",
        Optional(_NAMES),
        None,
        "Programs that may read standard input without being asked for; null is the usual ones.",
    )
    background_ms: int = setting(
        "backgroundMs",
        WholeNumber(10, 120_000),
        10_000,
        "Milliseconds after which a command goes on in the background.",
    )
    timeout_sec: int = setting(
        "timeoutSec", WholeNumber(1, 86_400), 1_800, "Seconds a command may take."
    )
    cleanup_ms: int = setting(
        "cleanupMs",
        WholeNumber(60_000, 10_800_000),
        1_800_000,
        "Milliseconds the output of a finished one is kept.",
    )
    notify_on_exit: bool = setting(
        "notifyOnExit", Flag(), True, "Tell the model when one in the background is over."
    )
    apply_patch: bool = setting(
        "applyPatch.enabled", Flag(), False, "Offer apply_patch beside write and edit."
    )
    apply_patch_models: tuple[str, ...] = setting(
        "applyPatch.allowModels", _NAMES, (), "Only to these models; none is all."
    )


@dataclass(frozen=True)
class ToolsConfig(ToolPolicyConfig):
    by_provider: Mapping[str, ToolPolicyConfig] = setting(
        "byProvider",
        MapOf(GroupOf(ToolPolicyConfig())),
        no_names(),
        "One more filter for a provider, or one of its models.",
    )
    agent_to_agent: AgentToAgentConfig = setting(
        "agentToAgent", GroupOf(AgentToAgentConfig()), AgentToAgentConfig(), "Between agents."
    )
    elevated: ElevatedConfig = setting(
        "elevated", GroupOf(ElevatedConfig()), ElevatedConfig(), "Outside the sandbox."
    )
    exec: ExecConfig = setting("exec", GroupOf(ExecConfig()), ExecConfig(), "Commands.")
    subagent_tools: ToolPolicyConfig = setting(
        "subagents.tools",
        GroupOf(ToolPolicyConfig()),
        ToolPolicyConfig(),
        "One more filter for helpers.",
    )
    sandbox_tools: ToolPolicyConfig = setting(
        "sandbox.tools",
        GroupOf(ToolPolicyConfig()),
        ToolPolicyConfig(),
        "One more filter in a sandbox.",
    )
