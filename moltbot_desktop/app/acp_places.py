"""Which agent answers in which folder of an editor.

    places = EditorPlaces(paths, loaded, language, agent="")
    places.begin(Path("/home/ada/garden"))     # agent:main:acp:5f0c…
    places.workspace(key)

The agent whose workspace the project lies in: there it may write, and take back, without a card for
each change. Else the one that was named at the start, or the default one, which reads what lies
outside of its workspace with a yes for the folder, and changes nothing there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from moltbot_desktop.app.agent_plan import agent_ids, agent_plan, named_agent
from moltbot_desktop.app.model_setup import read_model_setup, seeing
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.errors import AgentUnusable
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.sessions.keys import KeyKind, agent_of, job_key


@dataclass(frozen=True)
class EditorPlaces:
    """Implements `gateway.acp.agent.Places` by the settings as they were at the start.

    Attributes:
        agent: who answers where no workspace decides it, "" for the default one.
        model: a file to use instead of the configured model.
    """

    paths: Paths
    loaded: LoadedConfig
    language: Language
    agent: str = ""
    model: Path | None = None

    def begin(self, folder: Path) -> SessionKey:
        return job_key(self._agent_in(folder), KeyKind.ACP, uuid4().hex)

    def workspace(self, key: SessionKey) -> Path:
        config = self.loaded.config
        return agent_plan(self.paths, config, agent_of(key), self.language).workspace

    def sees(self, key: SessionKey | None) -> bool:
        if self.model is not None:
            return False
        config = self.loaded.config
        agent = agent_of(key) if key else named_agent(config, self.agent, self.language)
        plan = agent_plan(self.paths, config, agent, self.language)
        setup = read_model_setup(self.paths, self.loaded, self.language)
        return seeing(setup, plan.model) is not None

    def _agent_in(self, folder: Path) -> AgentId:
        config, real = self.loaded.config, Path(os.path.realpath(folder))
        best, depth = named_agent(config, self.agent, self.language), 0
        for agent in agent_ids(config):
            try:
                workspace = agent_plan(self.paths, config, agent, self.language).workspace
            except AgentUnusable:
                continue
            home = Path(os.path.realpath(workspace))
            if real.is_relative_to(home) and len(home.parts) > depth:
                best, depth = agent, len(home.parts)
        return best
