"""Where everything lies. The program's own files have two places: see `program_folder`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import AgentId

MEMORY_INBOX = "memory-inbox.jsonl"
MEMORY_FORGOTTEN = "memory-forgotten.json"
PACKAGE = Path(__file__).resolve().parents[1]
BUNDLED_PLUGINS = PACKAGE / "extensions"


@dataclass(frozen=True)
class Paths:
    """The program's folders.

    Attributes:
        home: state folder, ``~/.moltbot`` unless ``MOLTBOT_HOME`` says otherwise.
        user_home: the person's own home folder.
        program: the folder that holds `resources/` and `skills/`.
    """

    home: Path
    user_home: Path
    program: Path

    @property
    def config(self) -> Path:
        return self.home / "moltbot.json"

    @property
    def default_workspace(self) -> Path:
        return self.home / "workspace"

    @property
    def state_database(self) -> Path:
        return self.home / "state.sqlite"

    @property
    def mail_database(self) -> Path:
        return self.home / "mail.sqlite"

    @property
    def pairings_database(self) -> Path:
        """Who asks to be let in on a channel, and who was."""
        return self.home / "pairings.sqlite"

    @property
    def outgoing_files(self) -> Path:
        """Copies of files that are on their way out by a channel."""
        return self.home / "media" / "outbound"

    @property
    def permissions_database(self) -> Path:
        return self.home / "permissions.sqlite"

    @property
    def own_files(self) -> Path:
        """Which files of workspaces the assistant wrote on the owner's word."""
        return self.home / "own-files.json"

    @property
    def undo_key(self) -> Path:
        """The key of the marks that records of the undo journal bear."""
        return self.home / "undo.key"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def model_state(self) -> Path:
        return self.home / "models"

    @property
    def model_files(self) -> Path:
        """Where model files are kept, unless `models.folder` says otherwise."""
        return self.model_state / "files"

    @property
    def model_library(self) -> Path:
        """What was chosen with `models use`, and models that lie elsewhere."""
        return self.model_state / "library.json"

    @property
    def managed_skills(self) -> Path:
        return self.home / "skills"

    @property
    def skill_trust(self) -> Path:
        """What skills from outside the owner trusts."""
        return self.home / "skill-trust"

    @property
    def plugin_trust(self) -> Path:
        """What plugins from outside were when their owner switched them on."""
        return self.home / "plugin-trust"

    @property
    def bundled_skills(self) -> Path:
        return self.program / "skills"

    @property
    def resources(self) -> Path:
        return self.program / "resources"

    @property
    def memory_inbox(self) -> Path:
        """What waits for the owner's word before it is remembered."""
        return self.home / MEMORY_INBOX

    @property
    def memory_forgotten(self) -> Path:
        """The note that was forgotten last, for some minutes."""
        return self.home / MEMORY_FORGOTTEN

    def workspace_of(self, agent: AgentId) -> Path:
        """Of an agent that is not the default one, unless the settings say otherwise."""
        return self.home / f"workspace-{agent}"

    def agent(self, agent: AgentId) -> Path:
        """What one agent keeps beside its workspace."""
        return self.home / "agents" / agent

    def sessions(self, agent: AgentId) -> Path:
        """The transcripts of one agent's conversations."""
        return self.agent(agent) / "sessions"

    def memory_index(self, agent: AgentId) -> Path:
        return self.home / "memory" / agent


def locate(environ: Mapping[str, str], user_home: Path | None) -> Paths:
    """Where this person's folders are.

    Args:
        user_home: None where the system does not know, as in a container that runs under a number
            without a name.

    Raises:
        UserInputInvalid: nothing says where.
    """
    chosen = environ.get("MOLTBOT_HOME", "").strip()
    if user_home is None:
        if not Path(chosen).is_absolute():
            raise UserInputInvalid(
                "This system does not know your home folder.",
                hint="Set MOLTBOT_HOME to a folder that you may write, such as /data/moltbot.",
            )
        user_home = Path(chosen)
    home = Path(chosen).expanduser() if chosen else user_home / ".moltbot"
    return Paths(home.absolute(), user_home, program_folder(PACKAGE))


def program_folder(package: Path) -> Path:
    """The folder that holds `resources/` and `skills/`.

    Args:
        package: the folder of `moltbot_desktop`. In a checkout they lie beside it. A wheel, and
            what PyInstaller makes of one, has them inside, in `program/`.
    """
    inside = package / "program"
    return inside if inside.is_dir() else package.parent


def own_python() -> str:
    """The interpreter whose pip adds packages to this program; "" where there is none: what
    PyInstaller made carries its own Python, and its `sys.executable` is the program."""
    return "" if getattr(sys, "frozen", False) else sys.executable or "python3"
