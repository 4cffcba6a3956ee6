"""What there is, for a program that wants to show or choose it: nothing here changes anything.

    skills.status  {}   → {skills: [{name, description, source, filePath, eligible, …}]}
    models.list    {}   → {models: [{id, name, provider, current, problem?}]}
    agents.list    {}   → {defaultId, agents: [{id, name, identity}]}
    agent.identity.get  {agentId?}  → {agentId, name, emoji, avatar}
    config.get     {}   → {path, exists, valid, config, issues}
    config.schema  {}   → {schema, version}

`config.get` shows what stands in moltbot.json, keys and passwords hidden. `config.set` and
`config.patch` of the reference are not here on purpose (`left_out`, rule R5).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.config.agent_list import AgentEntry, IdentityConfig
from moltbot_desktop.config.problems import ConfigProblem
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject, JsonValue
from moltbot_desktop.gateway.commands.ports import Models
from moltbot_desktop.gateway.rpc.methods import TEXT, Given, Method
from moltbot_desktop.skills.book import SkillView, Standing
from moltbot_desktop.skills.eligibility import Gate

_SHOWN_IDENTITY = ("name", "theme", "emoji", "avatar")


@dataclass(frozen=True)
class ShownConfig:
    """The settings as they are written, without keys and passwords.

    Attributes:
        problems: what is wrong with them; none of it stops the assistant, which goes on with what
            worked last.
    """

    path: Path
    exists: bool
    written: JsonValue
    problems: Sequence[ConfigProblem]


@dataclass(frozen=True)
class LookingMethods:
    """Attributes:
    agents: those of the settings; none when there is only the default one.
    config: raises StorageError when the disk does not give the file.
    """

    version: str
    default_agent: str
    agents: Callable[[], Sequence[AgentEntry]]
    skills: Callable[[], Awaitable[SkillView]]
    models: Models
    config: Callable[[], Awaitable[ShownConfig]]
    schema: Callable[[], JsonObject]
    language: Language = Language.ENGLISH

    def methods(self) -> tuple[Method, ...]:
        return (
            Method("skills.status", self._skills),
            Method("models.list", self._models),
            Method("agents.list", self._agents),
            Method("agent.identity.get", self._identity, {"agentId": TEXT}),
            Method("config.get", self._config),
            Method("config.schema", self._schema),
        )

    async def _skills(self, _: Given) -> JsonValue:
        found = await self.skills()
        whole = [_skill_json(one, self.language) for one in found.standings]
        broken: list[JsonValue] = [
            {
                "name": problem.path.parent.name,
                "filePath": str(problem.path),
                "eligible": False,
                "problem": problem.reason,
                "hint": problem.hint,
            }
            for problem in found.problems
        ]
        return {"skills": [*whole, *broken]}

    async def _models(self, _: Given) -> JsonValue:
        rows: list[JsonValue] = []
        for one in await self.models.choices():
            name = one.name.removeprefix(f"{one.provider}/")
            row: dict[str, JsonValue] = {"id": one.name, "name": name, "provider": one.provider}
            row["current"] = one.current
            if one.note:
                row["problem"] = one.note
            rows.append(row)
        return {"models": rows}

    async def _agents(self, _: Given) -> JsonValue:
        listed = self.agents() or (AgentEntry(id=self.default_agent),)
        rows: list[JsonValue] = [_agent_json(one) for one in listed]
        return {"defaultId": self.default_agent, "agents": rows}

    async def _identity(self, given: Given) -> JsonValue:
        wanted = given.text("agentId") or self.default_agent
        listed = self.agents() or (AgentEntry(id=self.default_agent),)
        one = next((one for one in listed if one.id.lower() == wanted.lower()), None)
        if one is None:
            raise UserInputInvalid(
                f"There is no agent “{wanted[:80]}”.", hint="agents.list names them."
            )
        shown = _identity_json(one.identity)
        told = {name: shown[name] for name in ("emoji", "avatar") if name in shown}
        return {"agentId": one.id, "name": one.identity.name or one.name or one.id, **told}

    async def _config(self, _: Given) -> JsonValue:
        shown = await self.config()
        issues: list[JsonValue] = [
            {"path": one.path, "message": one.message, "hint": one.hint, "serious": one.serious}
            for one in shown.problems
        ]
        return {
            "path": str(shown.path),
            "exists": shown.exists,
            "valid": not any(one.serious for one in shown.problems),
            "config": shown.written,
            "issues": issues,
        }

    async def _schema(self, _: Given) -> JsonValue:
        return {"schema": self.schema(), "version": self.version}


def _agent_json(one: AgentEntry) -> JsonObject:
    told: dict[str, JsonValue] = {"id": one.id}
    if one.name:
        told["name"] = one.name
    if identity := _identity_json(one.identity):
        told["identity"] = identity
    return told


def _identity_json(identity: IdentityConfig) -> JsonObject:
    values: dict[str, JsonValue] = {name: getattr(identity, name) for name in _SHOWN_IDENTITY}
    return {name: value for name, value in values.items() if value}


def _skill_json(standing: Standing, language: Language) -> JsonValue:
    """As the reference words it, with the reasons in words beside it."""
    skill, report = standing.skill, standing.report
    metadata, needs = skill.metadata, skill.metadata.requires
    missing: dict[str, JsonValue] = {
        "bins": list(report.missing(Gate.BINS)),
        "anyBins": list(report.missing(Gate.ANY_BINS)),
        "env": list(report.missing(Gate.ENV)),
        "config": list(report.missing(Gate.CONFIG)),
        "os": list(report.missing(Gate.OS)),
    }
    return {
        "name": skill.name,
        "description": skill.description,
        "source": skill.source,
        "filePath": str(skill.location),
        "skillKey": skill.key,
        "primaryEnv": metadata.primary_env,
        "emoji": metadata.emoji,
        "homepage": metadata.homepage,
        "always": metadata.always,
        "eligible": report.eligible,
        "disabled": report.has(Gate.DISABLED),
        "blockedByAllowlist": report.has(Gate.NOT_ALLOWED),
        "waitsForTrust": standing.waits,
        "offeredToModel": skill.offered_to_model,
        "requirements": {
            "bins": list(needs.bins),
            "anyBins": list(needs.any_bins),
            "env": list(needs.env),
            "config": list(needs.config),
            "os": list(metadata.os),
        },
        "missing": missing,
        "problem": report.words(language),
    }
