"""Sentences a run says by itself, in English and Chinese."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from datetime import date

from moltbot_desktop.core.i18n import Language, Phrases
from moltbot_desktop.core.json import JsonValue

PHRASES = Phrases(
    english={
        "quote": "You told me: “{text}” ({path})",
        "confirm": "Did I get that right: {call}? Answer yes, or say it another way.",
        "unsure": "I was not sure that this is meant: {call}.",
        "had_to_ask": "I had to ask first: {question}",
        "not_confirmed": "All right, I left it.",
        "no_eyes": "I keep {names}, but I cannot see what is in a picture: my model reads text "
        "alone.",
        "denied": "I did not do that: it needs your permission ({call}).",
        "refused": "I may not do that: {call}.",
        "no_pause": "I have asked you many times in a few minutes, so I stop here and did not do "
        "this: {call}. Look at what I have done so far; say “go on” and I will ask again.",
        "no_owner": "I did not do that: you said no ({call}).",
        "no_expiry": "I did not do that: nobody answered in time ({call}). Ask again when you are "
        "there.",
        "no_changed": "I did not do that: it changed while you were asked ({call}).",
        "no_book": "I did not do that: the book of permissions could not be written ({call}).",
        "not_allowed": "The settings do not let me use {tool} here.",
        "blocked": "An extension stopped this: {call}. {reason}",
        "no_answer": "The model gave no answer. Try saying it another way.",
        "bad_calls": "The model could not write a usable tool call ({problem}).",
        "loop": "I stopped: “{tool}” gave the same result {times} times.",
        "why_outside": "It is outside your workspace.",
        "why_protected": "This file steers how I or your computer behave.",
        "why_tainted": "Make sure you want this.",
        "why_permission": "This always needs your permission.",
        "why_mode": "In the careful mode I ask first.",
        "replay": "Not carried out in a replay: {call}.",
        "mode": "I may not do that in the mode I am in: {call}. /mode shows it and changes it.",
        "why_loop": "It may be going round in circles.",
        "loop_card": "“{tool}” gave the same result {times} times. Go on?",
        "budget": "I stopped after {calls} tool calls, which is the limit for one request.",
        "timed_out": "This took longer than {seconds} seconds, so I stopped.",
        "cancelled": "Stopped.",
        "cut": "(This reply reached its length limit. Say “go on” for the rest.)",
        "bug": "Something went wrong inside me ({kind}). The log has the details.",
        "too_long": (
            "That is too long for my small built-in model. Say it in a few sentences, or save it "
            "as a file and ask me to read that."
        ),
        "beyond": (
            "That is beyond my small built-in model. It understands commands: /help shows some. "
            "For real conversation, get a larger model under “Models”."
        ),
        "abilities": (
            "I can remember facts and find them again, set reminders, read, write and find files "
            "in the workspace, open pages and programs, and calculate. /help shows examples."
        ),
        "clock": "It is {time}.",
        "ask_when": "When should I remind you?",
        "calendar": "Today is {weekday}, {date}.",
        "of_server": "“{tool}” of the MCP server “{server}”",
        "unseen": "{argument} is nowhere in what you said",
        "memory_store": "remember “{text}”",
        "memory_search": "look in memory for “{query}”",
        "memory_get": "read memory file {path}",
        "memory_forget": "forget the note about “{query}”",
        "reminder_add": "remind you {when}: “{text}”",
        "reminder_cancel": "cancel reminder {id}",
        "reminder_list": "list your reminders",
        "message": "write to {target} on {channel}: “{message}”",
        "sessions_send": "say in another conversation: “{message}”",
        "sessions_spawn": "start a helper: “{task}”",
        "read": "read {path}",
        "write": "write {path}: “{content}”",
        "find_files": "look for files like “{pattern}”",
        "move_file": "move {path} to {to}",
        "edit": "change {path}: “{oldText}” becomes “{newText}”",
        "delete_file": "delete {path} (it goes to the trash)",
        "list": "list the folder {path}",
        "apply_patch": "change files by a patch: {input}",
        "undo": "undo the changes to files of the task {task}",
        "table_query": "look something up in the table {path}",
        "calc": "work out {expression}",
        "exec": "run {command}",
        "open": "open {target}",
        "web_fetch": "read the page {url}",
        "browser": "use the browser ({action})",
        "web_search": "search the web for “{query}”",
        "screenshot": "take a screenshot",
        "desktop": "use your screen: {action}",
        "desktop_windows": "see which windows are open",
        "desktop_observe": "look at the window “{window}” and bring it to the front",
        "desktop_press": "press {marks} in the window I looked at",
        "desktop_type": "type “{text}” into the window I looked at",
        "desktop_keys": "press the keys {keys} in the window I looked at",
        "desktop_screenshot": "take a screenshot",
        "clipboard_read": "read what is on the clipboard",
        "clipboard_write": "put “{text}” on the clipboard",
        "notify": "show on your screen: “{text}”",
        "weather_query": "look up the weather in {city}",
    },
    chinese={
        "quote": "你告诉过我：“{text}”（{path}）",
        "confirm": "我理解得对吗：{call}？回答“是”，或者换个说法。",
        "unsure": "我不确定是不是要我{call}。",
        "had_to_ask": "我得先问一句：{question}",
        "not_confirmed": "好的，我没有做。",
        "no_eyes": "{names} 我收好了，但看不到图片里有什么：我的模型只能读文字。",
        "denied": "我没有做：这需要你的许可（{call}）。",
        "refused": "这件事我不能做：{call}。",
        "not_allowed": "设置不允许我在这里使用 {tool}。",
        "blocked": "有个扩展拦下了：{call}。{reason}",
        "no_answer": "模型没有给出回答，请换个说法试试。",
        "bad_calls": "模型没能写出可用的工具调用（{problem}）。",
        "loop": "我停下了：“{tool}”连续 {times} 次得到同样的结果。",
        "no_pause": "我在几分钟里问了你很多次，所以先停在这里，没有做这件事：{call}。请看看我"
        "做了什么；说“继续”，我会再问。",
        "no_owner": "我没有做：你没有同意（{call}）。",
        "no_expiry": "我没有做：没有人及时回应（{call}）。你在的时候可以再说一次。",
        "no_changed": "没有做：在询问你的时候情况变了（{call}）。",
        "no_book": "没有做：许可记录写不进去（{call}）。",
        "why_outside": "它在你的工作区之外。",
        "why_protected": "这个文件会影响我或这台电脑的行为。",
        "why_tainted": "请确认这是你想要的。",
        "why_permission": "这类操作总是需要你的许可。",
        "why_mode": "谨慎模式下我先问你。",
        "replay": "重放时没有执行：{call}。",
        "mode": "我现在的模式不允许这样做：{call}。输入 /mode 可以查看和更改。",
        "why_loop": "可能在原地打转。",
        "loop_card": "“{tool}”已经 {times} 次得到同样的结果，还要继续吗？",
        "budget": "我停下了：一次请求最多调用 {calls} 次工具。",
        "timed_out": "已经超过 {seconds} 秒，我停下了。",
        "cancelled": "已停止。",
        "cut": "（这条回复到了长度上限，说“继续”可以接着看。）",
        "bug": "程序内部出错了（{kind}），日志里有详细信息。",
        "too_long": ("这段话对我这个内置小模型来说太长了。请用几句话说，或者存成文件再让我读。"),
        "beyond": (
            "这超出了我这个内置小模型的能力。它能听懂命令：/help 有一些例子。"
            "想要真正的对话，请在“模型”里换一个更大的模型。"
        ),
        "abilities": (
            "我可以记住事情并帮你找回，设置提醒，在工作区里读写和查找文件，打开网页和程序，还会计算。"
            "/help 有一些例子。"
        ),
        "clock": "现在是 {time}。",
        "ask_when": "什么时候提醒你？",
        "calendar": "今天是 {date}，{weekday}。",
        "of_server": "MCP 服务器“{server}”的“{tool}”",
        "unseen": "你的话里没有“{argument}”",
        "memory_store": "记住“{text}”",
        "memory_search": "在记忆里查找“{query}”",
        "message": "通过 {channel} 写给 {target}：“{message}”",
        "sessions_send": "在另一个对话里说：“{message}”",
        "sessions_spawn": "启动一个助手：“{task}”",
        "memory_get": "读取记忆文件 {path}",
        "memory_forget": "忘记关于“{query}”的笔记",
        "reminder_add": "{when}提醒你：“{text}”",
        "reminder_cancel": "取消提醒 {id}",
        "reminder_list": "列出你的提醒",
        "read": "读取 {path}",
        "write": "写入 {path}：“{content}”",
        "find_files": "查找文件“{pattern}”",
        "move_file": "把 {path} 移到 {to}",
        "edit": "修改 {path}：把“{oldText}”改成“{newText}”",
        "delete_file": "删除 {path}（放进回收站）",
        "list": "列出文件夹 {path}",
        "apply_patch": "按补丁修改文件：{input}",
        "undo": "撤销任务 {task} 对文件的改动",
        "table_query": "在表格 {path} 里查数据",
        "calc": "计算 {expression}",
        "exec": "运行 {command}",
        "open": "打开 {target}",
        "web_fetch": "读取网页 {url}",
        "browser": "使用浏览器（{action}）",
        "web_search": "在网上搜索“{query}”",
        "screenshot": "截屏",
        "desktop": "操作你的屏幕：{action}",
        "desktop_windows": "看看打开了哪些窗口",
        "desktop_observe": "查看窗口“{window}”并把它移到最前面",
        "desktop_press": "在刚才查看的窗口里按 {marks}",
        "desktop_type": "在刚才查看的窗口里输入“{text}”",
        "desktop_keys": "在刚才查看的窗口里按键 {keys}",
        "desktop_screenshot": "截屏",
        "clipboard_read": "读取剪贴板上的内容",
        "clipboard_write": "把“{text}”放到剪贴板",
        "notify": "在你的屏幕上显示：“{text}”",
        "weather_query": "查询{city}的天气",
    },
)
_OF_SERVER = re.compile(r"mcp__(.+?)__(.+)")
"""The name of a tool that an MCP server offers."""
_SHOWN_VALUE = 120
_WEEKDAYS = {
    Language.ENGLISH: "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    Language.CHINESE: "星期一 星期二 星期三 星期四 星期五 星期六 星期日".split(),
}


def weekday_in_words(day: date, language: Language) -> str:
    return _WEEKDAYS[language][day.weekday()]


def call_in_words(tool: str, arguments: Mapping[str, JsonValue], language: Language) -> str:
    """A call as a person would say it: "remind you in 2 minutes: “call Anna”"."""
    shown = {name: _short(value) for name, value in arguments.items()}
    for key in (f"{tool}_{arguments.get('action')}", tool):
        with contextlib.suppress(KeyError):  # no such row, or an argument is missing
            return PHRASES.say(key, language, **shown)
    inside = ", ".join(f"{name}={value}" for name, value in shown.items())
    if theirs := server_and_tool(tool):
        server, name = theirs
        said = PHRASES.say("of_server", language, server=server, tool=name)
        return f"{said} ({inside})" if inside else said
    return f"{tool}({inside})"


def server_and_tool(name: str) -> tuple[str, str] | None:
    """The MCP server that a tool is of, and what it is called there; None for any other."""
    found = _OF_SERVER.fullmatch(name)
    return (found[1], found[2]) if found else None


def _short(value: JsonValue) -> str:
    """In one line: on a card a line of its own would look like a word of the program's."""
    text = " ↵ ".join(" ".join(line.split()) for line in str(value).strip().splitlines())
    return text if len(text) <= _SHOWN_VALUE else text[: _SHOWN_VALUE - 1] + "…"
