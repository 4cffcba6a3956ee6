"""The tool `image`, where the agent's model takes pictures.

lend = ImageTools(made)
lend()                      # (Image,); () where the model reads text alone
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from moltbot_desktop.app.made import Made
from moltbot_desktop.app.model_setup import seeing
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.core.errors import ModelMissing
from moltbot_desktop.sdk.models import ChatModel
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.tools.image import Image


def seeing_model(made: Made) -> ModelRef | None:
    """The agent's own model, if the settings say that it takes pictures."""
    return seeing(made.setup, made.model) if made.options.model is None else None


class ImageTools:
    """Called on the agent's event loop. No fallback is asked: it might not see."""

    def __init__(self, made: Made) -> None:
        self._made = made
        self._on: tuple[AnyTool, ...] = (Image(self._model),)

    def __call__(self) -> tuple[AnyTool, ...]:
        return self._on if self._seeing() is not None else ()

    def _seeing(self) -> ModelRef | None:
        return seeing_model(self._made)

    def _model(self) -> AbstractAsyncContextManager[ChatModel]:
        ref = self._seeing()
        if ref is None:  # it was changed since the tool was lent
            raise ModelMissing("The model reads text alone.", hint="Choose one that sees.")
        return self._made.brain.chat(str(ref))
