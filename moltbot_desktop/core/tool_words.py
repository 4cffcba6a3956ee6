"""What a tool does, in words for a person: one table for the window, the terminal and channels.

    tool_words("read", Language.CHINESE).doing      # "正在读取文件"
    tool_words("my_tool", Language.ENGLISH).done    # "my_tool": not ours, so its own name

A tool that the program gains gets its row here; `tests/unit/core/test_tool_words.py` looks for
every `ToolSpec` of `tools` and `extensions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from moltbot_desktop.core.i18n import Language

_OTHER_SIGN = "🧩"


@dataclass(frozen=True)
class ToolWords:
    """What a tool does, in words.

    Attributes:
        sign: a picture for it, where there is no drawing.
        doing: while it does.
        done: when it has.
        meant: when it did not, was not let, or never began: "Remembered … not run" would say two
            things at once.
    """

    sign: str
    doing: str
    done: str
    meant: str


class _Row(NamedTuple):
    """`ToolWords` in both languages: while it does, when it has, when it did not."""

    sign: str
    english: tuple[str, str, str]
    chinese: tuple[str, str, str]


def tool_words(tool: str, language: Language) -> ToolWords:
    """Friendly words for `tool`; its own name for one that is not ours."""
    row = _TABLE.get(tool)
    if row is None:
        return ToolWords(_OTHER_SIGN, tool, tool, tool)
    doing, done, meant = row.chinese if language is Language.CHINESE else row.english
    return ToolWords(row.sign, doing, done, meant)


def argument_word(name: str, language: Language) -> str:
    """What an argument is called to somebody who reads `language`; `name` itself where there is no
    word for it. In English the names speak for themselves."""
    return _ARGUMENTS.get(name, name) if language is Language.CHINESE else name


_ARGUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "path": "路径",
        "from": "从",
        "to": "到",
        "text": "文字",
        "content": "内容",
        "when": "时间",
        "url": "网址",
        "targetUrl": "网址",
        "query": "查找",
        "message": "消息",
        "channel": "渠道",
        "command": "命令",
        "workdir": "文件夹",
        "timeout": "限时（秒）",
        "timeoutSeconds": "限时（秒）",
        "limit": "最多",
        "offset": "从第几项起",
        "lines": "行数",
        "count": "数量",
        "name": "名称",
        "label": "标签",
        "key": "按键",
        "keys": "按键",
        "model": "模型",
        "task": "任务",
        "data": "数据",
        "sheet": "工作表",
        "oldText": "原文",
        "newText": "新内容",
        "expression": "算式",
        "id": "编号",
        "action": "操作",
        "target": "对象",
        "title": "标题",
        "body": "正文",
        "file": "文件",
        "pattern": "样式",
    }
)

_TABLE: Mapping[str, _Row] = MappingProxyType(
    {
        "memory_store": _Row(
            "🧠", ("Remembering", "Remembered", "Remember"), ("正在记住", "已记住", "记住")
        ),
        "memory_search": _Row(
            "🧠",
            ("Looking in memory", "Looked in memory", "Look in memory"),
            ("正在查找记忆", "查找了记忆", "查找记忆"),
        ),
        "memory_get": _Row(
            "🧠",
            ("Reading a memory", "Read a memory", "Read a memory"),
            ("正在读取记忆", "读取记忆", "读取记忆"),
        ),
        "memory_forget": _Row(
            "🧠",
            ("Forgetting a note", "Forgot a note", "Forget a note"),
            ("正在忘记笔记", "忘记了一条笔记", "忘记笔记"),
        ),
        "reminder_add": _Row(
            "⏰",
            ("Setting a reminder", "Set a reminder", "Set a reminder"),
            ("正在设置提醒", "设置提醒", "设置提醒"),
        ),
        "reminder_list": _Row(
            "⏰",
            ("Looking at reminders", "Looked at reminders", "Look at reminders"),
            ("正在查看提醒", "查看了提醒", "查看提醒"),
        ),
        "reminder_cancel": _Row(
            "⏰",
            ("Cancelling a reminder", "Cancelled a reminder", "Cancel a reminder"),
            ("正在取消提醒", "取消了提醒", "取消提醒"),
        ),
        "read": _Row(
            "📖",
            ("Reading a file", "Read a file", "Read a file"),
            ("正在读取文件", "读取文件", "读取文件"),
        ),
        "write": _Row(
            "✍️",
            ("Writing a file", "Wrote a file", "Write a file"),
            ("正在写文件", "写了文件", "写文件"),
        ),
        "edit": _Row(
            "📝",
            ("Changing a file", "Changed a file", "Change a file"),
            ("正在修改文件", "修改了文件", "修改文件"),
        ),
        "apply_patch": _Row(
            "📝",
            ("Changing files", "Changed files", "Change files"),
            ("正在修改文件", "修改了文件", "修改文件"),
        ),
        "list": _Row(
            "📂",
            ("Looking into a folder", "Looked into a folder", "Look into a folder"),
            ("正在查看文件夹", "查看了文件夹", "查看文件夹"),
        ),
        "find_files": _Row(
            "🔎",
            ("Looking for files", "Looked for files", "Look for files"),
            ("正在查找文件", "查找了文件", "查找文件"),
        ),
        "move_file": _Row(
            "📁",
            ("Moving a file", "Moved a file", "Move a file"),
            ("正在移动文件", "移动了文件", "移动文件"),
        ),
        "delete_file": _Row(
            "🗑️",
            ("Moving a file to the trash", "Moved a file to the trash", "Move a file to the trash"),
            ("正在把文件移到回收站", "把文件移到了回收站", "把文件移到回收站"),
        ),
        "undo": _Row("↩️", ("Undoing", "Undone", "Undo"), ("正在撤销", "撤销了", "撤销")),
        "table_query": _Row(
            "📊",
            ("Asking a table", "Asked a table", "Ask a table"),
            ("正在查询表格", "查询了表格", "查询表格"),
        ),
        "find_tool": _Row(
            "🔎",
            ("Looking for a tool", "Looked for a tool", "Look for a tool"),
            ("正在查找工具", "查找了工具", "查找工具"),
        ),
        "calc": _Row(
            "🧮", ("Calculating", "Calculated", "Calculate"), ("正在计算", "计算了", "计算")
        ),
        "cron": _Row(
            "⏰",
            ("Seeing to the schedule", "Saw to the schedule", "See to the schedule"),
            ("正在处理定时任务", "处理了定时任务", "处理定时任务"),
        ),
        "message": _Row(
            "✉️",
            ("Writing to somebody", "Wrote to somebody", "Write to somebody"),
            ("正在给人发消息", "给人发了消息", "给人发消息"),
        ),
        "agents_list": _Row(
            "🧵",
            ("Looking at agents", "Looked at agents", "Look at agents"),
            ("正在查看有哪些智能体", "查看了有哪些智能体", "查看有哪些智能体"),
        ),
        "sessions_spawn": _Row(
            "🧵",
            ("Starting a helper", "Started a helper", "Start a helper"),
            ("正在启动助手", "启动了助手", "启动助手"),
        ),
        "sessions_list": _Row(
            "🧵",
            ("Looking at conversations", "Looked at conversations", "Look at conversations"),
            ("正在查看对话列表", "查看了对话列表", "查看对话列表"),
        ),
        "sessions_history": _Row(
            "🧵",
            ("Reading a conversation", "Read a conversation", "Read a conversation"),
            ("正在读取对话", "读取对话", "读取对话"),
        ),
        "sessions_send": _Row(
            "🧵",
            (
                "Asking another conversation",
                "Asked another conversation",
                "Ask another conversation",
            ),
            ("正在询问另一个对话", "询问了另一个对话", "询问另一个对话"),
        ),
        "session_status": _Row(
            "📊",
            ("Looking at a conversation", "Looked at a conversation", "Look at a conversation"),
            ("正在查看对话", "查看了对话", "查看对话"),
        ),
        "web_fetch": _Row(
            "🌐",
            ("Reading a page", "Read a page", "Read a page"),
            ("正在读取网页", "读取网页", "读取网页"),
        ),
        "web_search": _Row(
            "🔎",
            ("Searching the web", "Searched the web", "Search the web"),
            ("正在搜索网页", "搜索了网页", "搜索网页"),
        ),
        "open": _Row("🖥️", ("Opening", "Opened", "Open"), ("正在打开", "打开了", "打开")),
        "clipboard": _Row(
            "📋",
            ("Using the clipboard", "Used the clipboard", "Use the clipboard"),
            ("正在使用剪贴板", "使用了剪贴板", "使用剪贴板"),
        ),
        "notify": _Row(
            "🔔",
            ("Showing a notification", "Showed a notification", "Show a notification"),
            ("正在显示通知", "显示了通知", "显示通知"),
        ),
        "exec": _Row(
            "🛠️",
            ("Running a command", "Ran a command", "Run a command"),
            ("正在运行命令", "运行了命令", "运行命令"),
        ),
        "process": _Row(
            "🧰",
            ("Seeing to a running program", "Saw to a running program", "See to a running program"),
            ("正在处理运行中的程序", "处理了运行中的程序", "处理运行中的程序"),
        ),
        "screenshot": _Row(
            "📸",
            (
                "Taking a picture of the screen",
                "Took a picture of the screen",
                "Take a picture of the screen",
            ),
            ("正在截屏", "截了屏", "截屏"),
        ),
        "desktop": _Row(
            "🖱️",
            ("Using the screen", "Used the screen", "Use the screen"),
            ("正在操作屏幕", "操作了屏幕", "操作屏幕"),
        ),
        "browser": _Row(
            "🌐",
            ("Using the browser", "Used the browser", "Use the browser"),
            ("正在使用浏览器", "使用了浏览器", "使用浏览器"),
        ),
        "image": _Row(
            "🖼️",
            ("Looking at a picture", "Looked at a picture", "Look at a picture"),
            ("正在查看图片", "查看了图片", "查看图片"),
        ),
        "weather_query": _Row(
            "⛅",
            ("Asking for the weather", "Asked for the weather", "Ask for the weather"),
            ("正在查询天气", "查询了天气", "查询天气"),
        ),
    }
)
OUR_TOOLS = frozenset(_TABLE)
"""Names of all tools that come with the program, those of its plugins too."""
