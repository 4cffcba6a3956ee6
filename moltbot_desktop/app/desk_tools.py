"""Tools for the desk in front of the screen, for one agent: open.

tools = desk_tools(made)
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from moltbot_desktop.app.made import Made
from moltbot_desktop.sdk.tools import AnyTool
from moltbot_desktop.security.places import Surroundings
from moltbot_desktop.tools.opening.desk import desk_here
from moltbot_desktop.tools.opening.tool import Open, OpenParts


def desk_tools(made: Made) -> Sequence[AnyTool]:
    around = Surroundings(made.workspace, made.paths.home, made.paths.user_home)
    desk = desk_here(os.environ, made.paths.user_home)
    return (Open(OpenParts(desk, around, made.in_thread, lambda: made.seal.closed)),)
