"""What the status line calls the model that answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from moltbot_desktop.app.model_setup import ModelSetup
from moltbot_desktop.app.model_titles import ModelTitles
from moltbot_desktop.core.errors import ModelMissing
from moltbot_desktop.sdk.models import ModelInfo

QWEN = Path("/models/Qwen_Qwen3-4B-Q4_K_M.gguf")
OWN = Path("/models/my-own.gguf")


@dataclass
class Setup:
    """As much of `ModelSetup` as is asked."""

    file: Path | None = QWEN
    server: str | None = None
    names: dict[Path, str] = field(default_factory=lambda: {QWEN: "qwen3-4b", OWN: "my-own"})
    looks: int = 0

    @property
    def remote(self) -> SimpleNamespace:
        return SimpleNamespace(choice=SimpleNamespace(primary=self.server))

    def chat_file(self) -> Path:
        if self.file is None:
            raise ModelMissing("It is gone.", hint="Get it again.")
        return self.file

    def library(self) -> Setup:
        self.looks += 1
        return self

    def name_of(self, path: Path) -> str | None:
        return self.names.get(path)


def called(setup: Setup, name: str) -> str:
    return ModelTitles(cast(ModelSetup, setup)).of(ModelInfo(name, 1024, 0))


@pytest.mark.parametrize(
    ("setup", "name", "title"),
    [
        (Setup(), QWEN.stem, "qwen3-4b"),
        (Setup(OWN), "starter", "my-own"),
        (Setup(Path("/elsewhere/x.gguf")), "x", "x"),
        (Setup(OWN), QWEN.stem, QWEN.stem),  # chosen, and the one before still answers
        (Setup(None), "starter", "starter"),
        (Setup(server="sun/large"), "large", "large"),
    ],
)
def test_it_is_called_as_in_the_place_of_models(setup: Setup, name: str, title: str) -> None:
    assert called(setup, name) == title


def test_the_library_is_looked_into_once_for_each_model() -> None:
    setup = Setup()
    titles = ModelTitles(cast(ModelSetup, setup))
    for _ in range(3):
        titles.of(ModelInfo(QWEN.stem, 1024, 0))
    assert setup.looks == 1
