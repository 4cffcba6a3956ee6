"""`notify`: a short text comes up on the person's screen, as a notification of the desktop.

    {"text": "The backup is done."}

For what the person wants to see while they do something else. It stands in the conversation too,
so nothing is lost where no desktop shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.i18n import Phrases
from moltbot_desktop.sdk.tools import Effect, ToolContext, ToolInput, ToolResult, ToolSpec
from moltbot_desktop.tools.replies import arguments, ask, one_line, text_argument

_LONGEST = 300
_PHRASES = Phrases(
    {"ask": "What shall the notification say?", "shown": "Shown: “{text}”"},
    {"ask": "通知里写什么？", "shown": "已显示：“{text}”"},
)


@dataclass(frozen=True)
class Notify:
    """`show` is called on the event loop."""

    show: Callable[[str], None]

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(
            "notify",
            "Show a notification on the person's screen.",
            arguments(("text",), text=text_argument()),
            Effect.NOTIFY,
            core=False,
            keywords="notification popup alert desktop message tell 通知 弹窗 提示 桌面",
        )

    async def wait(self, given: ToolInput, context: ToolContext) -> ToolResult:
        text = one_line(given.text("text"), _LONGEST)
        if not text:
            return ask("text", _PHRASES.say("ask", context.language))
        # Desktops understand marks in a notification: links, and pictures that they would fetch.
        self.show(text.replace("<", "‹").replace(">", "›"))
        return ToolResult({"ok": True}, _PHRASES.say("shown", context.language, text=text))
