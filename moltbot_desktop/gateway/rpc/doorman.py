"""Whether a program that asks over the local socket may have something done.

    await doorman.ask("cron.add", params, Effect.SCHEDULE_WRITE)     # PolicyDenied: it may not

The same verdict as for a tool (`security.policy`): what needs a yes becomes a card in the window,
never an answer over the socket, because a program that asks and says yes to itself would make the
card worthless. Where no window is, it is denied and told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from moltbot_desktop.core.errors import PolicyDenied
from moltbot_desktop.core.events import ApprovalRequested, ApprovalResolved, RunEvent
from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.ids import RunId, SessionKey
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.sdk.tools import Effect
from moltbot_desktop.security.approvals import Approvals
from moltbot_desktop.security.labels import Labels
from moltbot_desktop.security.policy import Decision, Place, Presence, Situation, decide

_PHRASES = Phrases(
    english={
        "title": "{what} (a program on this computer asks)",
        "cron.add": "add a scheduled job",
        "cron.update": "change a scheduled job",
        "cron.remove": "take out a scheduled job",
        "cron.run": "run a scheduled job now",
        "wake": "put a notice into your conversation and look at it now",
        "system-event": "put a notice into your conversation",
        "send": "send a message",
        "reason": "It came over the local socket.",
        "no_window": "{method} needs the owner's yes, and nobody is there to give it.",
        "no_window_hint": "Use the command in a shell, or ask where a window is open.",
        "refused": "The owner did not say yes to {method}.",
    },
    chinese={
        "title": "{what}（这台电脑上的某个程序请求）",
        "cron.add": "添加一个定时任务",
        "cron.update": "更改一个定时任务",
        "cron.remove": "删除一个定时任务",
        "cron.run": "现在运行一个定时任务",
        "wake": "在你的对话里放一条提示并马上处理",
        "system-event": "在你的对话里放一条提示",
        "send": "发送一条消息",
        "reason": "请求来自本机套接字。",
        "no_window": "{method} 需要主人同意，而现在没有人可以回答。",
        "no_window_hint": "请在终端里用相应的命令，或在打开窗口时再试。",
        "refused": "主人没有同意 {method}。",
    },
)


@dataclass(frozen=True)
class Doorman:
    """Lives on the agent's event loop.

    Attributes:
        presence: whether the owner sits at a window of this process.
        session: in whose view a card is shown.
        tell: to the windows.
    """

    approvals: Approvals
    presence: Presence
    session: Callable[[], SessionKey]
    tell: Callable[[RunEvent], None]
    language: Language

    async def ask(self, method: str, params: JsonObject, effect: Effect) -> None:
        """Return when it may be done; `method` has words of its own above.

        Raises:
            PolicyDenied: it may not.
        """
        situation = Situation(effect, Place.NONE, Labels(), self.presence)
        match decide(situation).decision:
            case Decision.AUTO:
                return
            case Decision.DENY:
                raise PolicyDenied(
                    self._say("no_window", method), hint=self._say("no_window_hint", method)
                )
        if not await self._yes(method, params):
            raise PolicyDenied(self._say("refused", method))

    async def _yes(self, method: str, params: JsonObject) -> bool:
        what = _PHRASES.say(method, self.language)
        title = _PHRASES.say("title", self.language, what=what)
        card, session = self.approvals.open(title), self.session()
        run_id = RunId(f"socket-{card}")
        reason = self._say("reason", method)
        self.tell(ApprovalRequested(run_id, session, 1, card, method, params, title, reason))
        allowed, by = False, "cancel"
        try:
            answer = await self.approvals.wait(card)
            allowed, by = answer.allowed, answer.by
        finally:
            self.tell(ApprovalResolved(run_id, session, 2, card, allowed, by))
        return allowed

    def _say(self, key: str, method: str) -> str:
        return _PHRASES.say(key, self.language, method=method)
