"""`memory doctor` put together: what is examined, and what may be made anew."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.agent_plan import AgentPlan
from moltbot_desktop.app.memory_plan import memory_plan
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.cli.memory_doctor import doctor
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory.doctor import Patient, examine, treat
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.memory.sources import Sources
from moltbot_desktop.sdk.inbox import MemoryInbox
from moltbot_desktop.sdk.models import Embedder


@dataclass(frozen=True)
class Clinic:
    """What `memory doctor` needs of the program; the engine is not open yet.

    Attributes:
        no_embedder: why there is no embedder, half a sentence.
    """

    paths: Paths
    agent: AgentPlan
    workspace: Path
    engine: MarkdownMemory
    inbox: MemoryInbox
    embedder: Embedder | None
    no_embedder: str


def run_doctor(clinic: Clinic, arguments: Arguments, language: Language) -> int:
    """`memory doctor [--fix] [--json]`; the exit code. Closes the engine when it was used.

    Raises:
        MoltbotError: the treatment failed altogether.
    """
    folder = clinic.agent.index
    plan = memory_plan(clinic.agent.memory, clinic.workspace, clinic.paths.user_home)
    sources = Sources(clinic.workspace, plan)
    patient = Patient(
        sources,
        clinic.workspace,
        folder,
        clinic.embedder,
        clinic.no_embedder,
        proposals=lambda: len(clinic.inbox.proposals()),
        problems=tuple(sources.problems(language)),
    )
    return doctor(
        lambda: examine(patient),
        lambda: treat(clinic.engine, clinic.workspace, folder),
        arguments,
        language,
        sys.stdout,
    )
