"""What is set for one run: by its message, else for its conversation, else for all.

    own = RunSettings(think="high")                        # /think high, in this message
    own.over(of_conversation(kept)).over(RunSettings(verbose="off"))

A message that was collected with others goes by the last one's.
"""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.sessions.settings import SessionSettings

OWN_MODEL = "default"
"""The agent's own model, whatever was set for the conversation."""


@dataclass(frozen=True)
class RunSettings:
    """A field is "" where nothing is set.

    Attributes:
        think: how hard, as in `GenerationRequest.thinking`.
        verbose: whether steps are told on a channel: ``off``, ``on`` or ``full`` with results.
        reasoning: whether what the model thinks is shown: ``off``, ``on`` or ``stream``.
        model: of the library, or ``provider/model``, or `OWN_MODEL`.
        seconds: how long it may take at most, 0 for as long as any run.
    """

    think: str = ""
    verbose: str = ""
    reasoning: str = ""
    model: str = ""
    seconds: float = 0.0

    def over(self, usual: RunSettings) -> RunSettings:
        """These, and `usual` where they say nothing."""
        return RunSettings(
            self.think or usual.think,
            self.verbose or usual.verbose,
            self.reasoning or usual.reasoning,
            self.model or usual.model,
            self.seconds or usual.seconds,
        )

    @property
    def other_model(self) -> str:
        """The model to ask in place of the agent's own, "" for that."""
        return "" if self.model.casefold() == OWN_MODEL else self.model


NOTHING_SET = RunSettings()


def of_conversation(settings: SessionSettings) -> RunSettings:
    """What is set for a conversation."""
    model = "/".join(filter(None, (settings.model_provider, settings.model)))
    return RunSettings(settings.think, settings.verbose, settings.reasoning, model)
