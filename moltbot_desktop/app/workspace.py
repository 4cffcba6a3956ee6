"""The workspace folder and what of it stands in the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from moltbot_desktop.agent.prompt import PromptSegment, Stability
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.settings import Config
from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.memory.notes import read_fact, struck_until
from moltbot_desktop.sdk.memory import MemoryEngine
from moltbot_desktop.skills.discovery import SkillRoot, discover_skills
from moltbot_desktop.skills.index import skills_prompt
from moltbot_desktop.storage.files import make_private_dir

_SKILLS_CHARACTERS = 1_300
_MEMORY_CHARACTERS = 2_000


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


def frozen_prompt(paths: Paths, workspace: Path, memory: MemoryEngine) -> Sequence[PromptSegment]:
    """The frozen segments of a new session: they stay as they are until the session ends."""
    snapshot = discover_skills(skill_roots(paths, workspace))
    texts = {
        "persona": (paths.resources / "prompts" / "persona.md").read_text(encoding="utf-8"),
        "skills": skills_prompt(
            snapshot, max_characters=_SKILLS_CHARACTERS, user_home=paths.user_home
        ),
        "memory": _long_term_memory(memory),
    }
    return [PromptSegment(name, text, Stability.FROZEN) for name, text in texts.items() if text]


def _long_term_memory(memory: MemoryEngine) -> str:
    try:
        lines = memory.get("MEMORY.md").text.strip().split("\n")
    except MoltbotError:
        return ""
    # What holds no longer stays in the file as history and would only mislead here.
    text = "\n".join(line for line in lines if not struck_until(read_fact(line)[0]))
    if len(text) > _MEMORY_CHARACTERS:
        text = text[:_MEMORY_CHARACTERS] + "\n… (more: memory_get MEMORY.md)"
    return f"## Long-term memory (MEMORY.md)\n{text}" if text else ""
