"""Session keys: the name of a conversation, as text that is stable across restarts.

All lower-case, parts joined by ``:``::

    agent:<agent>:main
    agent:<agent>:<channel>:dm:<peer>            our default; the reference shares `main`
    agent:<agent>:<channel>:group|channel:<peer>
    agent:<agent>:cron:<job>   agent:<agent>:subagent:<id>
    <any of these>:thread:<id>

Pure text. Who gets which key (bindings, scopes, identity links) is routing's decision.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import DEFAULT_AGENT, AgentId, SessionKey

MAIN = "main"
DEFAULT_ACCOUNT = "default"
_MAX_ID = 64
_VALID_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_FOLDER_NAME = re.compile(r"[a-z0-9_-]{1,64}")  # normalising may leave a leading "_"
_OTHER_CHARACTERS = re.compile(r"[^a-z0-9_-]+")
_THREAD_MARKS = (":thread:", ":topic:")


@dataclass(frozen=True)
class ParsedSessionKey:
    """A key taken apart: `rest` is everything after the agent, e.g. ``telegram:dm:42``."""

    agent: AgentId
    rest: str

    @property
    def is_main(self) -> bool:
        return self.rest == MAIN


def normalise_id(text: str, otherwise: str) -> str:
    """`text` as an identifier: lower-case, other characters as ``-``, at most 64 long.

    `otherwise` is the answer when nothing is left of it.
    """
    lowered = text.strip().lower()
    if _VALID_ID.fullmatch(lowered):
        return lowered
    dashed = _OTHER_CHARACTERS.sub("-", lowered).strip("-")[:_MAX_ID]
    return dashed or otherwise


def normalise_agent_id(text: str) -> AgentId:
    return AgentId(normalise_id(text, DEFAULT_AGENT))


def normalise_account_id(text: str) -> str:
    return normalise_id(text, DEFAULT_ACCOUNT)


def main_session_key(agent: AgentId) -> SessionKey:
    """The owner's own conversation with `agent`."""
    return SessionKey(f"agent:{normalise_agent_id(agent)}:{MAIN}")


def stored_session_key(text: str, agent: AgentId) -> SessionKey:
    """The full key for what a person or a script calls a session.

    "" and ``main`` are the main conversation; anything without ``agent:`` belongs to `agent`.
    """
    lowered = text.strip().lower()
    if lowered in ("", MAIN):
        return main_session_key(agent)
    if lowered.startswith("agent:"):
        return SessionKey(lowered)
    return SessionKey(f"agent:{normalise_agent_id(agent)}:{lowered}")


def parse_session_key(text: str) -> ParsedSessionKey | None:
    """`text` taken apart, or None when it is not a full key. Empty parts are dropped."""
    parts = [part for part in text.strip().split(":") if part]
    if len(parts) < 3 or parts[0] != "agent":
        return None
    return ParsedSessionKey(AgentId(parts[1]), ":".join(parts[2:]))


def agent_of(key: SessionKey) -> AgentId:
    """The agent whose folder holds the session, checked to be usable as a folder name.

    Raises:
        UserInputInvalid: not a session key.
    """
    parsed = parse_session_key(key)
    if parsed is None or not _FOLDER_NAME.fullmatch(parsed.agent):
        raise UserInputInvalid(
            f"“{key[:80]}” is not the name of a conversation.",
            hint="It looks like agent:main:main.",
        )
    return parsed.agent


def thread_key(base: SessionKey, thread_id: str) -> SessionKey:
    """The key of a thread inside `base`; `base` itself when `thread_id` is blank."""
    trimmed = thread_id.strip().lower()
    return SessionKey(f"{base}:thread:{trimmed}") if trimmed else base


def thread_parent(key: SessionKey) -> SessionKey | None:
    """The conversation a thread or topic belongs to, or None when `key` is none."""
    cut = max(key.lower().rfind(mark) for mark in _THREAD_MARKS)
    return SessionKey(key[:cut]) if cut > 0 else None
