"""Where an agent lives and what holds for it, from the settings. Nothing here touches the disk.

    plan = agent_plan(paths, config, AgentId("work"), language)
    plan.workspace          # ~/.moltbot/workspace-work unless the settings say otherwise
    plan.memory             # agents.defaults.memorySearch with what its entry changes

No two agents share a workspace or a folder of their own: each would read, and overwrite, what the
other was told. Of two that would, the default agent works, else the one that stands first.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.agent_list import AgentEntry
from moltbot_desktop.config.memory import MemoryConfig
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.errors import AgentUnusable
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId
from moltbot_desktop.sessions.keys import normalise_agent_id

_PHRASES = Phrases(
    english={
        "unknown": "There is no agent “{agent}”.",
        "unknown_hint": "moltbot-desktop agents list shows those there are; agents add {agent} "
        "makes it.",
        "same": "The agent “{agent}” has the folder of the agent “{other}” ({folder}).",
        "same_hint": "Give it another one in moltbot.json; until then it does not answer.",
        "inside": "The folder of the agent “{agent}” lies inside that of “{other}”, which can read "
        "it.",
        "inside_hint": "Move one of them if the two must not know of each other.",
    },
    chinese={
        "unknown": "没有叫“{agent}”的智能体。",
        "unknown_hint": "用 moltbot-desktop agents list 可以看到全部智能体；agents add {agent} "
        "可以新建它。",
        "same": "智能体“{agent}”用了智能体“{other}”的文件夹（{folder}）。",
        "same_hint": "请在 moltbot.json 中给它另一个文件夹；在那之前它不会回答。",
        "inside": "智能体“{agent}”的文件夹在“{other}”的文件夹里面，后者可以读到它。",
        "inside_hint": "如果两者不应互相了解，请移动其中一个。",
    },
)


@dataclass(frozen=True)
class AgentPlan:
    """One agent.

    Attributes:
        default: it answers where no binding says otherwise, and in the window.
        folder: what it keeps beside its conversations: facts that wait for a yes.
        index: of its memory; a cache.
    """

    id: AgentId
    entry: AgentEntry
    default: bool
    workspace: Path
    folder: Path
    index: Path
    memory: MemoryConfig

    @property
    def name(self) -> str:
        """For the person."""
        return self.entry.name or self.entry.identity.name or self.id

    @property
    def model(self) -> str:
        """What its model is called: ``provider/model``, or a name of the library; "" for the one
        that all have."""
        return model_name(self.entry)

    @property
    def home(self) -> tuple[Path, Path, MemoryConfig]:
        """What it is opened with; everything else of its entry holds from the next use on."""
        return self.workspace, self.folder, self.memory


def model_name(entry: AgentEntry) -> str:
    """The model an entry names; "" for the one that all have."""
    return (entry.model.primary if entry.model else None) or ""


@dataclass(frozen=True)
class AgentProblem:
    """Something about the agents that the person should put right."""

    message: str
    hint: str
    serious: bool = True


def default_agent(config: Config) -> AgentId:
    return normalise_agent_id(config.default_agent)


def agent_ids(config: Config) -> tuple[AgentId, ...]:
    """The agents of the settings in their order; the one called main when there are none."""
    named = tuple(dict.fromkeys(normalise_agent_id(one.id) for one in config.agents))
    return named or (DEFAULT_AGENT,)


def named_agent(config: Config, text: str, language: Language) -> AgentId:
    """The agent that a person calls `text`, the default one for "".

    Raises:
        AgentUnusable: there is none of that name.
    """
    agent = normalise_agent_id(text or config.default_agent)
    if agent not in agent_ids(config):
        raise _unknown(agent, language)
    return agent


def agent_plan(paths: Paths, config: Config, agent: AgentId, language: Language) -> AgentPlan:
    """What holds for `agent`. While the settings list no agents, any name is one.

    Raises:
        AgentUnusable: it is not among those listed, or it has another one's folder.
    """
    if config.agents and agent not in agent_ids(config):
        raise _unknown(agent, language)
    plan = _plan(paths, config, agent)
    for other in _before(config, agent):
        one = _plan(paths, config, other)
        for mine, others in ((plan.workspace, one.workspace), (plan.folder, one.folder)):
            if _real(mine) == _real(others):
                raise AgentUnusable(
                    _PHRASES.say("same", language, agent=agent, other=other, folder=mine),
                    hint=_PHRASES.say("same_hint", language),
                )
    return plan


def agent_problems(paths: Paths, config: Config, language: Language) -> list[AgentProblem]:
    """What is wrong with the agents: those that cannot work, and folders inside of others'."""
    found, plans = [], []
    for agent in agent_ids(config):
        try:
            plans.append(agent_plan(paths, config, agent, language))
        except AgentUnusable as error:
            found.append(AgentProblem(error.message, error.hint))
    for plan in plans:
        for other in plans:
            if _real(other.workspace) in _real(plan.workspace).parents:
                text = _PHRASES.say("inside", language, agent=plan.id, other=other.id)
                found.append(AgentProblem(text, _PHRASES.say("inside_hint", language), False))
    return found


def _unknown(agent: AgentId, language: Language) -> AgentUnusable:
    return AgentUnusable(
        _PHRASES.say("unknown", language, agent=agent),
        hint=_PHRASES.say("unknown_hint", language, agent=agent),
    )


def _plan(paths: Paths, config: Config, agent: AgentId) -> AgentPlan:
    entry = config.agent_entry(agent)
    default = agent == default_agent(config)
    usual = config.agent.workspace or paths.default_workspace
    memory = entry.memory_search.over(config.memory) if entry.memory_search else config.memory
    if config.plugins.keeps_no_memory:
        memory = replace(memory, enabled=False)
    return AgentPlan(
        id=agent,
        entry=entry,
        default=default,
        workspace=entry.workspace or (usual if default else paths.workspace_of(agent)),
        folder=entry.agent_dir or (paths.home if agent == DEFAULT_AGENT else paths.agent(agent)),
        index=paths.memory_index(agent),
        memory=memory,
    )


def _before(config: Config, agent: AgentId) -> tuple[AgentId, ...]:
    """Those who keep a folder that `agent` wants too."""
    first = default_agent(config)
    order = tuple(dict.fromkeys((first, *agent_ids(config))))
    return order[: order.index(agent)] if agent in order else order


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
