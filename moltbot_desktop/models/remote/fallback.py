"""Several chat models as one: when the first cannot answer, the next is asked, and it is told.

    model = FallbackChatModel([cloud, local], clock=clock, switched=tell_the_person)

A switch happens only before anything of an answer was shown. After the first word the answer
belongs to one model: another would contradict it, or run a tool twice.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import ModelError, MoltbotError
from moltbot_desktop.models.remote.cooldown import Cooldowns, moves_on
from moltbot_desktop.sdk.models import (
    ChatModel,
    GenerationRequest,
    ModelEvent,
    ModelInfo,
    PromptEvaluated,
)
from moltbot_desktop.sdk.tools import CancelToken

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelSwitched:
    """`chosen` is asked from now on in place of `before`.

    Attributes:
        reason: the failure of `before` in one sentence, for the person; "" when `chosen` is
            preferred and has only rested after a failure.
    """

    before: str
    chosen: str
    reason: str


class FallbackChatModel:
    """The `ChatModel` contract over `candidates`, the first preferred.

    Every request begins with the first one that does not rest. Stopping a run never counts as a
    failure. Belongs to one event loop, like its candidates.
    """

    def __init__(
        self,
        candidates: Sequence[ChatModel],
        *,
        clock: Clock,
        switched: Callable[[ModelSwitched], None],
    ) -> None:
        """`candidates`: at least one, with different `info.name`. `switched` is called on the
        event loop each time another model is asked than before; that is logged too.

        Raises:
            ValueError: none, or two of the same name.
        """
        self._candidates = {candidate.info.name: candidate for candidate in candidates}
        if not candidates or len(self._candidates) != len(candidates):
            raise ValueError("fallback candidates need different names, and one at least")
        self._clock = clock
        self._switched = switched
        self._cooldowns = Cooldowns()
        self._current = candidates[0].info.name
        self._trouble: dict[str, str] = {}

    @property
    def info(self) -> ModelInfo:
        """Of the model that would be asked now."""
        return self._candidates[self._order()[0]].info

    async def generate(
        self, request: GenerationRequest, cancel: CancelToken
    ) -> AsyncIterator[ModelEvent]:
        """See `ChatModel.generate`.

        Raises:
            ModelError: of the only model that was asked, or one that names them all.
        """
        errors: dict[str, MoltbotError] = {}
        for name in self._order():
            self._switch_to(name)
            answer = self._candidates[name].generate(request, cancel)
            begun = False
            try:
                async for event in answer:
                    begun = begun or not isinstance(event, PromptEvaluated)
                    yield event
            except MoltbotError as error:
                if cancel.cancelled or not moves_on(error):
                    raise
                self._failed(name, error)
                if begun:
                    raise
                errors[name] = error
            else:
                if not cancel.cancelled:
                    self._cooldowns = self._cooldowns.after_success(name)
                return
            finally:
                if isinstance(answer, AsyncGenerator):
                    await answer.aclose()  # at once, should whoever reads us leave early
        raise _all_failed(errors)

    async def count_tokens(self, text: str) -> int:
        return await self._candidates[self._order()[0]].count_tokens(text)

    async def prefill(self, request: GenerationRequest, cancel: CancelToken) -> None:
        await self._candidates[self._order()[0]].prefill(request, cancel)

    def _order(self) -> list[str]:
        return self._cooldowns.order(self._candidates, self._clock.monotonic())

    def _failed(self, name: str, error: MoltbotError) -> None:
        self._trouble[name] = error.message
        now = self._clock.monotonic()
        self._cooldowns = self._cooldowns.after_failure(name, error, now)

    def _switch_to(self, name: str) -> None:
        before, self._current = self._current, name
        if name == before:
            return
        preferred = next(one for one in self._candidates if one in (before, name)) == name
        reason = "" if preferred else self._trouble.get(before, "")
        _log.warning("%s is asked in place of %s. %s", name, before, reason)
        self._switched(ModelSwitched(before, name, reason))


def _all_failed(errors: Mapping[str, MoltbotError]) -> MoltbotError:
    """The only error, or one that gives every model's reason."""
    *_, last = errors.values()
    if len(errors) == 1:
        return last
    reasons = " ".join(f"{name}: {error.message}" for name, error in errors.items())
    return ModelError(f"No model could answer. {reasons}", hint=last.hint)
