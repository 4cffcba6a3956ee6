"""The workspace folder, and where skills lie."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.app.agent_plan import agent_plan, default_agent
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.skills.discovery import BUNDLED, EXTRA, MANAGED, WORKSPACE, SkillRoot
from moltbot_desktop.storage.files import make_private_dir


def prepare_workspace(paths: Paths, config: Config) -> Path:
    """The default agent's; see `made_workspace`."""
    plan = agent_plan(paths, config, default_agent(config), Language.ENGLISH)
    return made_workspace(paths.home, plan.workspace)


def made_workspace(home: Path, workspace: Path) -> Path:
    """Make a workspace and its memory folder where they are missing.

    Raises:
        StorageError: they cannot be made.
    """
    make_private_dir(home)
    make_private_dir(workspace)
    make_private_dir(workspace / "memory")
    return workspace.resolve()


def skill_roots(
    paths: Paths,
    workspace: Path,
    extra: Sequence[Path] = (),
    plugins: Sequence[SkillRoot] = (),
) -> tuple[SkillRoot, ...]:
    """Where skills are looked for; a later root's skill replaces an earlier one's."""
    return (
        *(SkillRoot(EXTRA, folder) for folder in extra),
        *plugins,
        SkillRoot(BUNDLED, paths.bundled_skills),
        SkillRoot(MANAGED, paths.managed_skills),
        SkillRoot(WORKSPACE, workspace / "skills"),
    )
