"""Where what is worth keeping lies here, and where it stands in a backup.

places = Places(home, {AgentId("main"): home / "workspace"}, ...)
place_of("workspaces/main/notes.md")       # Spot("workspaces", "main", "notes.md")
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from moltbot_desktop.core.ids import AgentId
from moltbot_desktop.sdk.backup import Part

WORKSPACES, SESSIONS, INBOX, SKILLS = "workspaces", "sessions", "inbox", "skills"
PLUGINS, HOOKS = "plugins/extensions", "plugins/hooks"
SETTINGS, JOBS, REMINDERS = "settings.json", "books/jobs.json", "books/reminders.json"
PAIRINGS, MODELS, KEYS = "told/pairings.json", "told/models.json", "told/keys.txt"
INDEX = "sessions.json"

MEMORY_FILE, MEMORY_FOLDER = "MEMORY.md", "memory"


@dataclass(frozen=True)
class Places:
    """The program's folders, as far as backups know them.

    Attributes:
        home: the state folder.
        workspaces: of each agent.
        inboxes: of each agent, the log of facts that wait.
        default_agent: who has what names nobody.
        version: the program's.
        models: what model files are here, for the list that goes along.
    """

    home: Path
    workspaces: Mapping[AgentId, Path]
    inboxes: Mapping[AgentId, Path]
    default_agent: AgentId
    version: str
    models: Mapping[str, int] = field(default_factory=dict)

    @property
    def jobs(self) -> Path:
        return self.home / "cron" / "jobs.sqlite"

    @property
    def reminders(self) -> Path:
        return self.home / "state.sqlite"

    @property
    def pairings(self) -> Path:
        return self.home / "pairings.sqlite"

    @property
    def snapshots(self) -> Path:
        return self.home / "snapshots"

    def sessions(self, agent: AgentId) -> Path:
        return self.home / "agents" / agent / "sessions"

    def workspace(self, agent: AgentId) -> Path:
        """Of an agent the settings may not know yet."""
        return self.workspaces.get(agent, self.home / f"workspace-{agent}")

    def inbox(self, agent: AgentId) -> Path:
        return self.inboxes.get(agent, self.home / "agents" / agent / "memory-inbox.jsonl")


@dataclass(frozen=True)
class Spot:
    """A place in a backup, taken apart: `workspaces/main/notes.md`.

    Attributes:
        agent: "" where it is nobody's own.
        rest: below, with ``/``; "" for a file of the program's own list.
    """

    kind: str
    agent: str = ""
    rest: str = ""


def spot_of(path: str) -> Spot | None:
    """None for a place that no backup has. `path` may come from anybody."""
    if path in (SETTINGS, JOBS, REMINDERS, PAIRINGS, MODELS, KEYS):
        return Spot(path)
    for kind in (PLUGINS, HOOKS, SKILLS):
        if path.startswith(f"{kind}/"):
            return Spot(kind, "", path.removeprefix(f"{kind}/"))
    kind, _, rest = path.partition("/")
    agent, _, below = rest.partition("/")
    if kind == INBOX and agent.endswith(".jsonl") and not below:
        return Spot(INBOX, agent.removesuffix(".jsonl"))
    if kind in (WORKSPACES, SESSIONS) and agent and below:
        return Spot(kind, agent, below)
    return None


def part_of(path: str) -> Part | None:
    """Whose part something is that stands at `path` of a backup."""
    spot = spot_of(path)
    if spot is None:
        return None
    if spot.kind == WORKSPACES:
        memory = spot.rest == MEMORY_FILE or spot.rest.startswith(f"{MEMORY_FOLDER}/")
        return Part.MEMORY if memory else Part.WORKSPACE
    return {
        SESSIONS: Part.SESSIONS,
        INBOX: Part.INBOX,
        SKILLS: Part.SKILLS,
        PLUGINS: Part.PLUGINS,
        HOOKS: Part.PLUGINS,
        SETTINGS: Part.SETTINGS,
        JOBS: Part.SCHEDULE,
        REMINDERS: Part.REMINDERS,
    }.get(spot.kind, Part.TOLD)
