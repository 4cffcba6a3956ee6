"""What the channel says to its owner, in both languages. The page has its own (`page/words.js`)."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    english={
        "port": "WebChat cannot listen on {host}:{port}: {reason}.",
        "port_hint": "Set another `port` under channels.webchat in moltbot.json.",
        "no_target": "“{target}” is no browser that was let in.",
        "gone": "The message is not on the page any more.",
        "upload": "The file did not come over; choose it again.",
        "file": "The file cannot be read: {reason}.",
        "off": "WebChat is not open. Start the assistant with channels.webchat switched on:"
        " moltbot-desktop channels login webchat",
        "link": "Open this in a browser of this computer within two minutes; it is good once:",
        "opened": "WebChat was opened in the browser.",
        "not_kept": "The link could not be made: {reason}.",
        "in_chat": "[Open WebChat]({url}) in a browser of this computer. The link is good once,"
        " within two minutes.",
        "owner": "Only the person at this computer can open WebChat.",
        "nobody": "No browser was let in yet.",
        "forgotten": "{count:browser|browsers} must be let in anew.",
        "help_open": "open it in the browser",
        "help_forget": "let no browser in any more; each needs a new link",
        "help_account": "the account, where there are several",
    },
    chinese={
        "port": "网页聊天无法在 {host}:{port} 上监听：{reason}。",
        "port_hint": "请在 moltbot.json 的 channels.webchat 里换一个 `port`。",
        "no_target": "“{target}”不是已放行的浏览器。",
        "gone": "这条消息已经不在页面上了。",
        "upload": "文件没有传过来，请重新选择。",
        "file": "文件读不了：{reason}。",
        "off": "网页聊天没有打开。请先打开 channels.webchat 再启动助手："
        "moltbot-desktop channels login webchat",
        "link": "请在两分钟内用本机的浏览器打开，只能用一次：",
        "opened": "已在浏览器里打开网页聊天。",
        "not_kept": "无法生成链接：{reason}。",
        "in_chat": "用本机的浏览器[打开网页聊天]({url})。链接两分钟内有效，只能用一次。",
        "owner": "只有坐在这台电脑前的人能打开网页聊天。",
        "nobody": "还没有放行过浏览器。",
        "forgotten": "{count} 个浏览器需要重新放行。",
        "help_open": "直接在浏览器里打开",
        "help_forget": "所有浏览器都要用新链接重新放行",
        "help_account": "账号（有多个时）",
    },
)
