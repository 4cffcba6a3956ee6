"""The local web server's settings: off until its owner switches it on."""

from __future__ import annotations

from dataclasses import dataclass

from moltbot_desktop.config.declaration import Section, setting
from moltbot_desktop.config.kinds import Flag, Optional, Text, WholeNumber


@dataclass(frozen=True)
class GatewayConfig(Section):
    http: bool = setting(
        "http.enabled",
        Flag(),
        False,
        "A web server on this computer, for pages and webhooks of plugins. Nobody on another"
        " computer can reach it.",
    )
    chat_completions: bool = setting(
        "http.endpoints.chatCompletions.enabled",
        Flag(),
        False,
        "Programs on this computer that speak OpenAI's API may ask the assistant and its local"
        " models.",
    )
    embeddings: bool = setting(
        "http.endpoints.embeddings.enabled",
        Flag(),
        False,
        "They may also have vectors made by the embedding model on this computer.",
    )
    port: int = setting(
        "port", WholeNumber(0, 65_535), 18_789, "Where it listens; 0 takes a free one."
    )
    token: str | None = setting(
        "auth.token",
        Optional(Text()),
        None,
        "What every request has to carry, or keyring:NAME for one in the password store; null"
        " makes one and keeps it in the file gateway-token.",
    )

    @property
    def listens(self) -> bool:
        """Whether the server is wanted at all."""
        return self.http or self.speaks_openai

    @property
    def speaks_openai(self) -> bool:
        return self.chat_completions or self.embeddings
