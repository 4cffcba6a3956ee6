"""Tools for the desk in front of the screen, for one agent: open, clipboard, notify.

tools = desk_tools(made, listeners.tell)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from moltbot_desktop.app.made import Made
from moltbot_desktop.gateway.client import ClientEvent, Notice, NoticeKind
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.security.policy import Presence
from moltbot_desktop.tools.clipboard import ClipboardTool
from moltbot_desktop.tools.notify import Notify
from moltbot_desktop.tools.opening.desk import desk_here
from moltbot_desktop.tools.opening.tool import Open, OpenParts


def desk_tools(made: Made, tell: Callable[[ClientEvent], None]) -> Sequence[AnyTool]:
    """Nothing comes up on a screen for a script, which has ended before anybody looks."""
    around = Surroundings(made.workspace, made.paths.home, made.paths.user_home)
    desk = desk_here(os.environ, made.paths.user_home)
    opens = Open(OpenParts(desk, around, made.in_thread, lambda: made.seal.closed))
    if made.options.presence is Presence.SCRIPT:
        return (opens,)

    def alert(text: str) -> None:
        tell(Notice(text, kind=NoticeKind.ALERT))

    return (opens, ClipboardTool(made.options.clipboard), Notify(alert))
