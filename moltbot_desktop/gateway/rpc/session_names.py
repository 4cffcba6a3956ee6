"""Which conversation a program means.

    names.key("main")                    # agent:main:main
    names.key("notes", "work")           # agent:work:notes

One of an agent that the settings do not know is refused: it would be answered by nobody's rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.ids import AgentId, SessionKey
from moltbot_desktop.sessions.keys import agent_of, normalise_agent_id, stored_session_key


@dataclass(frozen=True)
class SessionNames:
    """Attributes:
    default_agent: whose conversation a short key means.
    others: the ids of all other agents.
    """

    default_agent: AgentId
    others: Callable[[], Collection[str]]

    def key(self, text: str, agent: str = "") -> SessionKey:
        """The full key.

        Raises:
            UserInputInvalid: it is none, or of no agent there is.
        """
        key = self.any_key(text, agent)
        known = {normalise_agent_id(one) for one in (self.default_agent, *self.others())}
        if agent_of(key) not in known:
            raise UserInputInvalid(
                f"There is no agent “{agent_of(key)}”.", hint="agents.list names them."
            )
        return key

    def any_key(self, text: str, agent: str = "") -> SessionKey:
        """The same, for a conversation that may have outlived its agent.

        Raises:
            UserInputInvalid: it is no key.
        """
        key = stored_session_key(text, AgentId(agent) or self.default_agent)
        agent_of(key)  # raises for what is no key
        return key
