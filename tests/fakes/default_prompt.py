"""The prompt of a new session with twenty skills, and the vocabularies that count its tokens."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import llama_cpp

from moltbot_desktop.agent import prompt
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.sdk.models import GenerationRequest
from tests.fakes.memory import FakeMemory
from tests.fakes.obedient import obedient, socket_of
from tests.fakes.workspace_prompt import frozen_prompt

ROOT = Path(__file__).parents[2]
SKILLS = 20
SMALL_WINDOW = 8_192
# Vocabulary and chat template of models that people use; both come with the source of
# llama-cpp-python, which the set-up unpacks beside the wheel it built.
TOKENIZERS = {
    "Qwen 2.5": ("qwen2", "Qwen-Qwen2.5-7B-Instruct", "", "<|im_end|>"),
    "Llama 3.1": (
        "llama-bpe",
        "meta-llama-Llama-3.1-8B-Instruct",
        "<|begin_of_text|>",
        "<|eot_id|>",
    ),
    "Gemma 4": ("gemma-4", "google-gemma-4-31B-it", "<bos>", "<turn|>"),
}


def twenty_skills(workspace: Path) -> None:
    """The bundled skills, and as many of the person's own as make twenty."""
    bundled = sum(1 for _ in Paths(workspace, workspace, ROOT).bundled_skills.glob("*/SKILL.md"))
    for number in range(SKILLS - bundled):
        folder = workspace / "skills" / f"my-skill-{number:02}"
        folder.mkdir(parents=True, exist_ok=True)
        description = f'"Skill {number} (技能, 我的): write down, find again, sum up, show."'
        text = f"---\nname: {folder.name}\ndescription: {description}\n---\nDo it.\n"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")


def default_prompt(home: Path) -> tuple[prompt.PromptSegment, ...]:
    """The frozen segments of a new session with twenty skills and nothing remembered yet."""
    workspace = home / "workspace"
    twenty_skills(workspace)
    return frozen_prompt(Paths(home, home, ROOT), workspace, FakeMemory())


async def first_prompt(home: Path, settings: Mapping[str, Any] | None = None) -> GenerationRequest:
    """What the program itself asks a model with a small window first, with twenty skills."""
    state = home / "state"
    twenty_skills(state / "workspace")
    with obedient(SMALL_WINDOW) as models:
        async with socket_of(state, dict(settings or {})) as ask:
            await ask("agent:main:main", "Who is my dentist?")
    return models["obedient"].requests[0]


class Tokenizer:
    """Counts tokens with a file that holds a vocabulary and no weights."""

    def __init__(self, file: Path) -> None:
        parameters = llama_cpp.llama_model_default_params()
        parameters.vocab_only = True
        self._model = llama_cpp.llama_model_load_from_file(os.fsencode(file), parameters)
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)

    def __call__(self, text: str) -> int:
        data = text.encode()
        room = len(data) + 16
        buffer = (llama_cpp.llama_token * room)()
        vocabulary = self._vocabulary
        return llama_cpp.llama_tokenize(vocabulary, data, len(data), buffer, room, False, True)

    def close(self) -> None:
        llama_cpp.llama_model_free(self._model)
