"""What stands above the form of the MCP page: how each server is now, a button to start it anew.

mcp_panel(now, language)
mcp_act(now, "reconnect:time", language)            # a sentence
"""

from __future__ import annotations

from moltbot_desktop.app.mcp_in_chat import standing_words
from moltbot_desktop.app.mcp_now import McpNow
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.panels import Panel, PanelAction, PanelPart, PanelRow, Tone
from moltbot_desktop.tools.mcp.values import Standing, State

_AGAIN = "reconnect:"
_TONES = {State.READY: Tone.GOOD, State.WAITING: Tone.BAD, State.BROKEN: Tone.BAD}
_PHRASES = Phrases(
    english={
        "now": "How they stand now",
        "none": "There is none yet. Add one below and save.",
        "not_running": "The assistant does not run right now; below is how it was last.",
        "reconnect": "Reconnect",
        "reconnect_name": "Reconnect {name}",
        "again": "“{name}” is started anew.",
        "gone": "There is no MCP server “{name}” that is switched on.",
        "gone_hint": "Switch it on below and save; it starts by itself then.",
    },
    chinese={
        "now": "现在的情况",
        "none": "还没有服务器。请在下面添加并保存。",
        "not_running": "助手现在没有运行；下面是上次的情况。",
        "reconnect": "重新连接",
        "reconnect_name": "重新连接 {name}",
        "again": "正在重新启动“{name}”。",
        "gone": "没有已启用的 MCP 服务器“{name}”。",
        "gone_hint": "请在下面启用并保存，它会自己启动。",
    },
)


def mcp_panel(now: McpNow, language: Language) -> Panel:
    """A row for each server of the assistant that runs."""
    standings = now.standings()
    empty = _PHRASES.say("not_running" if standings is None else "none", language)
    rows = tuple(_row(one, language) for one in standings or ())
    return (PanelPart(_PHRASES.say("now", language), rows, empty),)


def mcp_act(now: McpNow, action: str, language: Language) -> str:
    """Carry a button out.

    Raises:
        UserInputInvalid: the server is gone or off, or nothing runs.
    """
    name = action.removeprefix(_AGAIN)
    if name != action and now.again(name):
        return _PHRASES.say("again", language, name=name)
    hint = _PHRASES.say("gone_hint", language)
    raise UserInputInvalid(_PHRASES.say("gone", language, name=name), hint=hint)


def _row(one: Standing, language: Language) -> PanelRow:
    name = one.server.name
    can = one.state in _TONES and one.server.problem is None
    label = _PHRASES.say("reconnect", language)
    spoken = _PHRASES.say("reconnect_name", language, name=name)
    actions = (PanelAction(f"{_AGAIN}{name}", label, spoken),) if can else ()
    return PanelRow(name, standing_words(one, language), _TONES.get(one.state, Tone.PLAIN), actions)
