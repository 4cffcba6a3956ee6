"""The workspace folder, and where skills lie."""

from __future__ import annotations

from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.settings import Config
from moltbot_desktop.skills.discovery import SkillRoot
from moltbot_desktop.storage.files import make_private_dir


def prepare_workspace(paths: Paths, config: Config) -> Path:
    """Make the workspace and its memory folder where they are missing.

    Raises:
        StorageError: they cannot be made.
    """
    make_private_dir(paths.home)
    workspace = config.agent.workspace or paths.default_workspace
    make_private_dir(workspace)
    make_private_dir(workspace / "memory")
    return workspace.resolve()


def skill_roots(paths: Paths, workspace: Path) -> tuple[SkillRoot, ...]:
    """Where skills are looked for; a later root's skill replaces an earlier one's."""
    return (
        SkillRoot("bundled", paths.bundled_skills),
        SkillRoot("managed", paths.managed_skills),
        SkillRoot("workspace", workspace / "skills"),
    )
