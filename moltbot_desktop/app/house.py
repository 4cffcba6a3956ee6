"""What stands when an assistant has been built, and its doors are still closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moltbot_desktop.app.agents import AgentBook
from moltbot_desktop.app.commands import Commands
from moltbot_desktop.app.companions import Companions
from moltbot_desktop.app.made import Made
from moltbot_desktop.gateway.front_desk import DeskParts, FrontDesk
from moltbot_desktop.gateway.happenings import Happenings
from moltbot_desktop.gateway.helper_desk import HelperDesk
from moltbot_desktop.gateway.loop_client import Listeners
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.approvals import Approvals


@dataclass(frozen=True)
class House:
    """What everybody who opens a door or keeps something up needs of those inside.

    Attributes:
        tools: of the agent that answers where nobody else is named.
    """

    made: Made
    approvals: Approvals
    book: AgentBook
    commands: Commands
    companions: Companions
    helpers: HelperDesk
    desk: FrontDesk
    happenings: Happenings
    listeners: Listeners
    parts: DeskParts
    tools: Sequence[AnyTool]
