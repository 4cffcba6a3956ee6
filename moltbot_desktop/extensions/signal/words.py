"""What this channel says to the person, in both languages.

raise ChannelAuthFailed(say("no_account", language), hint=say("no_account_hint", language))
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "missing": "signal-cli is not there: “{command}” was not found on this computer.",
        "missing_hint": "Install it (github.com/AsamK/signal-cli) and name its file in"
        " channels.signal.cliPath, or name one that runs in channels.signal.httpUrl.",
        "not_begun": "signal-cli did not start: {reason}.",
        "not_begun_hint": "Try “signal-cli -a NUMBER receive” in a terminal. Another program may"
        " use the port; channels.signal.httpPort names another.",
        "no_account": "signal-cli does not have the account {account}.",
        "no_account_hint": "Link it: “signal-cli link -n Moltbot” shows a QR code for the Signal"
        " app (Settings, Linked devices). Then put the number into channels.signal.account.",
        "away": "signal-cli does not answer at {place}.",
        "away_hint": "Does “signal-cli daemon --http” run there? See channels.signal.httpUrl.",
        "not_it": "What answers at {place} is not signal-cli (HTTP {status}).",
        "slow": "signal-cli did not answer in time.",
        "broken": "signal-cli gave an answer that cannot be read.",
        "unwell": "signal-cli has trouble: {reason}.",
        "wait": "Signal asks for a pause.",
        "wait_hint": "When it lasts: “signal-cli submitRateLimitChallenge”, see its manual.",
        "key": "The safety number of {place} has changed, and signal-cli sends nothing there.",
        "key_hint": "Compare it with the person, then “signal-cli -a NUMBER trust -v …”.",
        "refused": "Signal refused it: {reason}.",
        "nobody": "Signal did not deliver it: {reason}.",
        "gone": "signal-cli does not have that file any more.",
        "large": "The file is larger than channels.signal.mediaMaxMb allows.",
        "unread": "The file “{name}” cannot be read.",
        "nowhere": "Signal needs a number, an account id or a group, and “{place}” is none.",
        "no_message": "“{message}” is no message of Signal.",
        "ended": "The connection to signal-cli has ended.",
        "not_kept": "A message could not be kept; it is asked for again.",
    },
    chinese={
        "missing": "没有 signal-cli：在这台电脑上找不到“{command}”。",
        "missing_hint": "请安装它（github.com/AsamK/signal-cli），把文件位置填进"
        " channels.signal.cliPath，或者把已经在运行的地址填进 channels.signal.httpUrl。",
        "not_begun": "signal-cli 没有启动：{reason}。",
        "not_begun_hint": "请在终端里试试“signal-cli -a 号码 receive”。端口也可能被别的程序占用，"
        "可以在 channels.signal.httpPort 里换一个。",
        "no_account": "signal-cli 里没有账号 {account}。",
        "no_account_hint": "请先关联：“signal-cli link -n Moltbot”会显示二维码，用 Signal 应用扫描"
        "（设置 → 已关联的设备），再把号码填进 channels.signal.account。",
        "away": "{place} 上的 signal-cli 没有回应。",
        "away_hint": "那里运行着“signal-cli daemon --http”吗？请看 channels.signal.httpUrl。",
        "not_it": "{place} 上回应的不是 signal-cli（HTTP {status}）。",
        "slow": "signal-cli 没有及时回应。",
        "broken": "signal-cli 的回答无法读懂。",
        "unwell": "signal-cli 出了问题：{reason}。",
        "wait": "Signal 要求稍等一会儿。",
        "wait_hint": "如果一直这样，请看 signal-cli 手册里的“submitRateLimitChallenge”。",
        "key": "{place} 的安全码变了，signal-cli 不会往那里发送。",
        "key_hint": "请和对方核对，然后运行“signal-cli -a 号码 trust -v …”。",
        "refused": "Signal 拒绝了：{reason}。",
        "nobody": "Signal 没有送达：{reason}。",
        "gone": "signal-cli 里已经没有这个文件了。",
        "large": "文件超过了 channels.signal.mediaMaxMb 允许的大小。",
        "unread": "读不了文件“{name}”。",
        "nowhere": "Signal 需要号码、账号编号或群组，“{place}”不是。",
        "no_message": "“{message}”不是 Signal 的消息。",
        "ended": "与 signal-cli 的连接已结束。",
        "not_kept": "有一条消息没能保存，会重新取一次。",
    },
)


def say(phrase: str, language: Language, **slots: object) -> str:
    """One sentence."""
    return PHRASES.say(phrase, language, **slots)
