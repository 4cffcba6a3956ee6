"""Whom a request asks, and in which conversation. Pure.

    aim_of("moltbot:work", headers)      # AgentAim("work")
    aim_of("local/qwen3-4b", headers)    # LocalAim("qwen3-4b")
    session_of(agent, "ada", headers, new_id)

The names are the reference's: `moltbot` or `clawdbot`, with the agent behind a colon or in the
header `x-moltbot-agent-id`; `user` makes the conversation one that goes on. A program has
conversations of its own alone (``agent:main:openai-user:ada``, ``agent:main:openai:4f2a…``): it is
not the owner, and the owner's conversations hold what was not said to it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.gateway.http.openai_errors import ApiRefusal
from moltbot_desktop.sessions.keys import normalise_agent_id

AGENT = "moltbot"
LOCAL = "local"
_AGENT_ID = r"(?P<agent>[a-z0-9][a-z0-9_-]{0,63})"
_NAMED_AGENT = re.compile(rf"(?:(?:moltbot|clawdbot)[:/]|agent:){_AGENT_ID}")
_AGENTS = frozenset({"moltbot", "clawdbot"})
_BRANDS = ("moltbot", "clawdbot")
_ONCE, _USER = "openai", "openai-user"
_WORD = re.compile(r"[a-z0-9_-]{1,64}")
_OWN_KEY = re.compile(
    rf"(?:agent:{_AGENT_ID}:)?(?P<kind>openai|openai-user):(?P<word>[a-z0-9_-]{{1,64}})"
)
_HASH_CHARACTERS = 12
_KEPT_CHARACTERS = 40

Headers = Mapping[str, str]
"""By any spelling of the name, as HTTP has them."""


@dataclass(frozen=True)
class AgentAim:
    """An agent's turn; "" for the one that answers when nobody is named."""

    agent: AgentId


@dataclass(frozen=True)
class LocalAim:
    """A model of this computer, by itself; "" for the one that the settings name."""

    name: str


def aim_of(model: str, headers: Headers) -> AgentAim | LocalAim:
    """`model` as the request names it; a name alone is one of a local model."""
    lowered = model.strip().lower()
    if lowered in _AGENTS:
        named = _header(headers, "agent-id") or _header(headers, "agent")
        return AgentAim(normalise_agent_id(named) if named else AgentId(""))
    if (match := _NAMED_AGENT.fullmatch(lowered)) is not None:
        return AgentAim(normalise_agent_id(match["agent"]))
    if lowered == LOCAL:
        return LocalAim("")
    prefix = f"{LOCAL}/"
    return LocalAim(model.strip()[len(prefix) :] if lowered.startswith(prefix) else model.strip())


def session_of(
    agent: AgentId, user: str, headers: Headers, new_id: Callable[[], str]
) -> SessionKey:
    """The conversation: the one that a header names, `user`'s, or one for this request alone.

    Raises:
        ApiRefusal: the header names a conversation that is not a program's.
    """
    named = _header(headers, "session-key").strip().lower()
    if named:
        match = _OWN_KEY.fullmatch(named)
        if match is None or match["agent"] not in (None, agent):
            raise ApiRefusal(
                "A program has conversations of its own alone: openai-user:NAME, of the agent"
                " that is asked.",
                "x-moltbot-session-key",
                status=403,
                code="not_allowed",
            )
        return _key(agent, match["kind"], match["word"])
    if user.strip():
        return _key(agent, _USER, _word(user.strip()))
    return _key(agent, _ONCE, _word(new_id()))


def _header(headers: Headers, name: str) -> str:
    return next((found for one in _BRANDS if (found := headers.get(f"x-{one}-{name}", ""))), "")


def _key(agent: AgentId, kind: str, word: str) -> SessionKey:
    return SessionKey(f"agent:{agent}:{kind}:{word}")


def _word(text: str) -> str:
    """One word of a key: as it is where it may stand there, else told from all others by a hash."""
    if _WORD.fullmatch(text):
        return text
    kept = "".join(one for one in text.lower() if _WORD.fullmatch(one))[:_KEPT_CHARACTERS]
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARACTERS]
    return "-".join(filter(None, (kept, digest)))
