"""The commands of `memory` that do more than look: doctor, inbox, forget.

MemoryActions(paths, plan, workspace, clock, engine, opened).run(arguments, language)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.agent_plan import AgentPlan
from moltbot_desktop.app.forgetting import Forgetter
from moltbot_desktop.app.inbox import open_inbox
from moltbot_desktop.app.memory_doctor import Clinic, run_doctor
from moltbot_desktop.app.model_setup import OpenEmbedder
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.typed import typed_line
from moltbot_desktop.cli import memory_forget, memory_inbox
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.memory.engine import MarkdownMemory
from moltbot_desktop.sessions.store import SessionStore


@dataclass(frozen=True)
class MemoryActions:
    """What they work on; `opened` is what `engine` embeds with."""

    paths: Paths
    plan: AgentPlan
    workspace: Path
    clock: Clock
    engine: MarkdownMemory
    opened: OpenEmbedder

    def run(self, arguments: Arguments, language: Language) -> int:
        """Do what `arguments.action` says; returns the exit code.

        Raises:
            MoltbotError: it could not be done.
        """
        paths, workspace, engine, embedder = (
            self.paths, self.workspace, self.engine, self.opened.embedder
        )  # fmt: skip
        plan, memory = self.plan, self.plan.memory
        inbox = open_inbox(plan.folder, memory, workspace, engine, embedder, self.clock)
        if arguments.action == "doctor":
            reason = self.opened.reason_now
            clinic = Clinic(paths, plan, workspace, engine, inbox, embedder, reason)
            return run_doctor(clinic, arguments, language)
        if arguments.action in memory_inbox.ACTIONS:
            return memory_inbox.run_inbox(inbox, arguments, language, sys.stdout)
        store = SessionStore(paths.home, self.clock)
        forgetter = Forgetter(paths, workspace, self.clock, engine, inbox, store, plan.folder)
        talk = memory_forget.Talk(language, sys.stdout, _ask if sys.stdin.isatty() else None)
        return memory_forget.run_forget(engine, forgetter, arguments, talk)


def _ask(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    return typed_line()
