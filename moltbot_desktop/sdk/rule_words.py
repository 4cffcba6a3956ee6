"""The rule of the policy that a call fell under, in words.

    rule_words("exec anything, walled, clean", Language.ENGLISH)
    # "a command that may do anything, behind walls, only your own words in the conversation"

The log keeps a rule by its name (`security.policy`), which stays the same whatever is said of it.
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.sdk.modes import Mode, mode_name

_WHOLE = Phrases(
    english={
        "replay": "a past run is only told anew",
        "R8 unknown effect or place": "nobody knows what it does or where",
        "R8 nobody there to ask": "nobody was there to be asked",
        "mode": "the mode you chose ({mode})",
    },
    chinese={
        "replay": "只是重新讲述过去的一次运行",
        "R8 unknown effect or place": "不清楚它做什么、对哪里做",
        "R8 nobody there to ask": "当时没有人可以询问",
        "mode": "你选择的模式（{mode}）",
    },
)
_PARTS = Phrases(
    english={
        "none": "nothing that lasts",
        "memory_read": "a look into my memory",
        "memory_write": "a note to my memory",
        "memory_forget": "a note forgotten",
        "file_read": "reading a file",
        "file_write": "changing a file",
        "file_find": "looking for files",
        "reminder_read": "a look at your reminders",
        "reminder_write": "changing your reminders",
        "schedule_read": "a look at scheduled jobs",
        "schedule_write": "changing scheduled jobs",
        "message": "a message to somebody",
        "reply": "an answer to who asked",
        "send_file": "sending a file to who asked",
        "session_read": "a look at other conversations",
        "session_send": "words to another conversation",
        "helper": "starting a helper",
        "exec": "a command",
        "web_read": "an address or a search of my own",
        "web_named": "an address or a search of yours",
        "browser_look": "a look at an open page",
        "browser_read": "opening an address of yours in the browser",
        "browser_open": "opening an address of my own in the browser",
        "browser_act": "acting on a page in the browser",
        "open_external": "opening something with another program",
        "clipboard_read": "reading the clipboard",
        "clipboard_named": "reading the clipboard you spoke of",
        "clipboard_write": "writing to the clipboard",
        "notify": "a notification",
        "screenshot": "a look at the screen",
        "desktop": "keys and clicks in other programs",
        "foreign": "a tool of somebody else",
        "foreign_allowed": "a tool of somebody else that you allowed",
        "in workspace": "in the workspace",
        "in memory_daily": "in the notes of a day",
        "in protected": "that steers me or the computer",
        "in library": "of my own skills",
        "in outside": "outside the workspace",
        "in app_state": "of this program's own data",
        "looks": "that only looks",
        "adds": "that makes new files",
        "anything": "that may do anything",
        "never": "that reaches for keys or my own data",
        "walled": "behind walls",
        "without walls": "without walls",
        "clean": "only your own words in the conversation",
        "tainted": "words of others in the conversation",
    },
    chinese={
        "none": "不留下任何影响",
        "memory_read": "查看我的记忆",
        "memory_write": "往我的记忆里记一条",
        "memory_forget": "忘掉一条记忆",
        "file_read": "读取文件",
        "file_write": "修改文件",
        "file_find": "查找文件",
        "reminder_read": "查看你的提醒",
        "reminder_write": "更改你的提醒",
        "schedule_read": "查看定时任务",
        "schedule_write": "更改定时任务",
        "message": "给别人发消息",
        "reply": "回复提问的人",
        "send_file": "把文件发给提问的人",
        "session_read": "查看其他对话",
        "session_send": "给另一个对话发话",
        "helper": "启动一个帮手",
        "exec": "运行命令",
        "web_read": "我自己选的网址或搜索词",
        "web_named": "你给的网址或搜索词",
        "browser_look": "再看一眼打开的网页",
        "browser_read": "在浏览器里打开你给的网址",
        "browser_open": "在浏览器里打开我自己选的网址",
        "browser_act": "在浏览器的网页上操作",
        "open_external": "用别的程序打开",
        "clipboard_read": "读取剪贴板",
        "clipboard_named": "读取你提到的剪贴板内容",
        "clipboard_write": "写入剪贴板",
        "notify": "弹出通知",
        "screenshot": "查看屏幕",
        "desktop": "在其他程序里按键和点击",
        "foreign": "别人提供的工具",
        "foreign_allowed": "别人提供、你已允许的工具",
        "in workspace": "在工作区里",
        "in memory_daily": "在当天的笔记里",
        "in protected": "它左右着我或这台电脑",
        "in library": "属于我自带的技能",
        "in outside": "在工作区之外",
        "in app_state": "属于本程序自己的数据",
        "looks": "只查看",
        "adds": "只新建文件",
        "anything": "可能做任何事",
        "never": "会碰到密钥或我自己的数据",
        "walled": "有围墙隔离",
        "without walls": "没有围墙",
        "clean": "对话里只有你自己的话",
        "tainted": "对话里有别人的话",
    },
)


def rule_words(rule: str, language: Language) -> str:
    """`rule` of a verdict in words; as it is where a newer program made it."""
    if rule in _WHOLE.english:
        return _WHOLE.say(rule, language)
    kind, _, rest = rule.partition(" ")
    if kind == "mode" and rest in {mode.value for mode in Mode}:
        return _WHOLE.say("mode", language, mode=mode_name(Mode(rest), language))
    first, *others = rule.split(", ")
    effect, _, how = first.partition(" ")
    parts = [effect, how, *others]
    if not all(part in _PARTS.english for part in parts if part):
        return rule
    said = [_PARTS.say(part, language) for part in parts if part]
    if language is Language.CHINESE:
        return "，".join(said)
    return ", ".join([" ".join(said[: 1 + bool(how)]), *said[1 + bool(how) :]])
