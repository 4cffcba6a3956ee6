"""`moltbot-desktop agents init`: AGENTS.md and its like, for who wants them.

Nothing is put into a workspace unasked: the files cost a small model part of its window, and most
people need none of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.workspace import prepare_workspace
from moltbot_desktop.cli.agents import Seeded, told_seeded
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.storage.files import disk_errors, write_atomic


def run_agents_command(
    paths: Paths, loaded: LoadedConfig, arguments: Arguments, language: Language
) -> int:
    """Do what `arguments.action` says: init.

    Raises:
        StorageError: a file cannot be written.
    """
    workspace = prepare_workspace(paths, loaded.config)
    seeded = seed_workspace(paths.resources / "workspace" / language.value, workspace)
    return told_seeded(seeded, arguments.json, language, sys.stdout)


def seed_workspace(templates: Path, workspace: Path) -> Seeded:
    """Copy the files of `templates` that `workspace` lacks; what is there is never touched.

    Raises:
        StorageError: a file cannot be written.
    """
    made, kept = [], []
    for template in sorted(templates.glob("*.md")):
        target = workspace / template.name
        if target.exists() or target.is_symlink():
            kept.append(template.name)
            continue
        with disk_errors(template):
            text = template.read_bytes()
        write_atomic(target, text)
        made.append(template.name)
    return Seeded(str(workspace), tuple(made), tuple(kept))
