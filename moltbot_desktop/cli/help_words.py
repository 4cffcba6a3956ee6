"""What `--help` says, in Chinese.

    help_in(parser, Language.CHINESE)      # everything below it is told in Chinese

The grammar (`cli.parser`) is written in English beside what it explains; here each of its
sentences has its Chinese one, looked up as in `core.error_words`. A test reads the whole grammar
and finds what is missing. Names of commands and options stay as they are typed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language

_CHINESE: Mapping[str, str] = MappingProxyType(
    {
        # what argparse says itself
        "positional arguments": "参数",
        "options": "选项",
        "show this help message and exit": "显示这段帮助",
        "show program's version number and exit": "显示版本号",
        # the program and its commands
        "A personal assistant that works offline. Without a command it opens its window, or talks"
        " in the terminal where there is no display.": (
            "离线工作的个人助手。不写命令就打开窗口；没有显示器时在终端里对话。"
        ),
        "start in the tray without opening the window": "启动后留在托盘，不打开窗口",
        "talk in the terminal; piped lines are answered": "在终端里对话；也回答管道送来的每一行",
        "ask one thing, print the answer": "问一件事，打印回答",
        "be an agent in an editor; the editor starts this": "在编辑器里当助手；由编辑器启动",
        "who answers where no agent's folder is open": "打开的不是某个代理的文件夹时由谁回答",
        "search, index or look at the memory": "查找、索引或查看记忆",
        "what the assistant was taught to do": "助手学会做的事（技能）",
        "several assistants, each with a memory of its own": "多个助手，各有各的记忆",
        "small programs of yours that run when something happens": "发生某事时运行的你自己的小程序",
        "what adds tools, commands and more": "增加工具、命令等的插件",
        "keys for models at other addresses": "其他地址上的模型的密钥",
        "see, fetch and choose models": "查看、下载和选择模型",
        "past conversations": "以前的对话",
        "what the assistant did, and how it would do it now": "助手做过什么，现在会怎么做",
        "all runs, the latest first": "全部运行记录，最新的在前",
        "those of one agent": "只看某个智能体的",
        "such as 2026-11-22, 7d, 12h or 30m": "例如 2026-11-22、7d、12h 或 30m",
        "those that failed, were too slow or gave up": "失败、超时或中途放弃的",
        "words of the request or the answer": "请求或回答里的词",
        "the last N; 50": "最近 N 条；默认 50 条",
        "those before that place; a list ends with it": "从该位置往前；列表末尾会给出",
        "all about one: prompt, calls, verdicts, answer": (
            "一次运行的全部：提示词、调用、裁定、回答"
        ),
        "ask the same again without doing anything, and compare": (
            "再问一遍同样的问题并比较，不执行任何操作"
        ),
        "with this model; without it the agent's own": "用这个模型；不写就用智能体自己的",
        "with another version of a skill": "用某个技能的另一个版本",
        "what the assistant does by itself": "助手自己按时做的事",
        "see, change and check the settings": "查看、修改和检查设置",
        "what left this computer, and the seal": "有什么离开了这台电脑，以及封印",
        "how the seal stands, and what left, host by host": "封印的状态，以及按主机列出离开的数据",
        "of the last N days; 7": "最近 N 天；默认 7 天",
        "on: nothing leaves; off: what you switched on may": (
            "on：什么都不离开；off：你打开的功能可以联网"
        ),
        "what you allowed, and what was done": "你允许了什么，做了什么",
        "what is allowed for longer than once": "长于一次的许可",
        "take one back": "收回一个",
        "its id, or the beginning of it": "它的编号，或编号的开头",
        "what was done or refused, and who said so": "做了什么、拒绝了什么，是谁决定的",
        "the last N; 20": "最近 N 条；默认 20 条",
        "take over the rules of an exec-approvals.json": "导入 exec-approvals.json 中的规则",
        "look for what is not safe, and mend it": "查找不安全的地方并修好",
        "security; all there is without one": "security（安全）；不写就是全部",
        "mend what can be mended; asks first": "修好能修的；先询问",
        "do not ask before mending": "修之前不询问",
        "write what helps others help you; no words of yours": (
            "写一份给帮忙的人看的资料；里面没有你的内容"
        ),
        "write a backup of everything, without keys": "备份全部内容，不含密钥",
        "such as backup.zip; must not be there yet": "例如 backup.zip；不能是已有的文件",
        "bring in a backup, or another assistant's folder": "导入备份，或其他助手的文件夹",
        "what export wrote, or such as ~/.openclaw": "export 写出的文件，或例如 ~/.openclaw",
        "only say what would be done": "只说明会做什么",
        "nobody else has had it; take what lets more, too": (
            "没有经过别人的手；放宽权限的内容也导入"
        ),
        "put keys of the other program into the password store": "把另一个程序的密钥放进密码库",
        "memory, workspace, sessions, settings, skills, plugins, schedule, reminders or inbox; may"
        " be said more than once": (
            "memory（记忆）、workspace（文件）、sessions（对话）、settings（设置）、"
            "skills（技能）、plugins（插件）、schedule（任务）、reminders（提醒）或 "
            "inbox（待定记忆）；可以写多次"
        ),
        "how everything was before it was changed": "改动之前的快照",
        "the last five, the newest first": "最近五个，新的在前",
        "one of how everything is now": "为现在的状态做一个",
        "put everything back as it was then": "全部恢复到那时的样子",
        "when the assistant is started next": "在助手下次启动时",
        "how much the assistant may do by itself": "助手自己可以做多少",
        "paused, read-only, careful, normal or trusting": (
            "paused（暂停）、read-only（只读）、careful（谨慎）、normal（正常）或 trusting（信任）"
        ),
        "open the settings window": "打开设置窗口",
        "show the quick question, or hide it; bind a key to this": (
            "显示或隐藏快速提问；可以给它绑定一个按键"
        ),
        "open the window, at a page of it": "打开窗口，并转到其中一页",
        "chat, memory, settings and so on; or a moltbot: link": (
            "chat（对话）、memory（记忆）、settings（设置）等；也可以是 moltbot: 链接"
        ),
        "be there without a window, for a box that is on": "无窗口常驻，适合一直开着的机器",
        "how messengers are connected": "各聊天渠道的连接情况",
        "which channels there are, and what sets one up": "有哪些渠道，怎样设置",
        "say who it is there; keys are typed unseen": "登录；输入的密钥不会显示",
        "forget an account's keys and switch it off": "忘记一个账号的密钥并关闭它",
        "the only or first one without it": "不写就是唯一或第一个账号",
        "strangers who ask to be let in": "请求获准的陌生人",
        "who asks, and who was let in": "谁在请求，谁已获准",
        "let in who was given that code": "批准持有这个配对码的人",
        "do not let them in; they are told nothing": "不批准；对方不会收到通知",
        "any without one": "不写就是任意渠道",
        "as the stranger tells it to you": "对方告诉你的配对码",
        "take back that somebody was let in": "收回对某人的批准",
        "as the list shows it": "列表里显示的 id",
        "how each account stands": "每个账号的状态",
        "try an account's settings; changes nothing": "测试账号的设置，不做任何改动",
        "such as telegram": "例如 telegram",
        "all without one": "不填则全部",
        "how the running assistant is": "正在运行的助手的状态",
        "exit code 0 when the running assistant is well": "正在运行的助手正常时退出码为 0",
        "ask the running assistant for anything, for scripts": (
            "供脚本使用：向正在运行的助手提任何请求"
        ),
        "put files back as they were before the last task": "把文件恢复到上一个任务之前的样子",
        "of another task": "另一个任务的编号",
        "the tasks that changed files, the latest first": "改动过文件的任务，最近的在前",
        "also files that were changed since; a copy is kept": (
            "之后又被改过的文件也恢复；会保留一份副本"
        ),
        "in whose workspace; the default agent's": "在谁的工作区里；默认代理的",
        # options of many
        "a GGUF file to use": "要用的 GGUF 文件",
        "one JSON object per answer": "每个回答一个 JSON 对象",
        "who answers; the default agent": "由谁回答；默认的代理",
        "answer here, even when Moltbot is already running": "即使 Moltbot 已在运行，也在这里回答",
        "go on with the window's conversation": "接着窗口里的对话",
        "print JSON": "打印 JSON",
        "do not ask": "不再询问",
        # memory
        "find notes": "查找笔记",
        "remove a note; shows what it found and asks which": "删除笔记；先列出找到的，再问是哪一条",
        "bring back the note forgotten last": "恢复最后忘记的笔记",
        "what waits for your yes before it is remembered": "等你同意才记住的内容",
        "remember what waits under a number": "记住某个编号下的内容",
        "do not remember it, and do not ask again": "不记住，也不再问",
        "take a decision back; the last one without a number": "撤销决定；不写编号就撤销最后一个",
        "look for anything wrong with the memory": "检查记忆有没有问题",
        "bring the index up to date": "更新索引",
        "what is indexed": "已索引的内容",
        "what to look for": "要查找什么",
        "one query per line; - reads them from standard input": "每行一个查询；- 表示从标准输入读",
        "at most N notes": "最多 N 条笔记",
        "as many notes as fit N characters": "N 个字符装得下多少就多少条",
        "one JSON object per query": "每个查询一个 JSON 对象",
        "whose memory; the default agent's": "谁的记忆；默认代理的",
        "what the note is about": "笔记是关于什么的",
        "the one of that number, without asking": "那个编号的一条，不再询问",
        "take its words out of conversations too, without asking": "同时从对话里抹掉，不再询问",
        "keep nothing to bring it back": "彻底忘记，不能恢复",
        "in these words instead": "改用这些话",
        "the number in the inbox": "收件箱里的编号",
        "make anew what is damaged; your notes are never touched": "重建损坏的部分；不会动你的笔记",
        # skills, hooks, plugins
        "what is there, and why some of it cannot be used": "有哪些，以及为什么有的不能用",
        "all about one": "某一个的全部信息",
        "what is wrong, or could be better; takes a folder or a zip too": (
            "哪里有问题或可以更好；也可以是文件夹或 zip"
        ),
        "look for what is dangerous in a skill, a folder or a zip": (
            "检查技能、文件夹或 zip 里有没有危险内容"
        ),
        "from a folder, a zip or a git repository on this computer": (
            "来自这台电脑上的文件夹、zip 或 git 仓库"
        ),
        "take out one that was installed": "移除已安装的一个",
        "bring back what an install or a remove took away": "恢复安装或移除时去掉的内容",
        "begin one of your own in the workspace": "在工作文件夹里新建自己的一个",
        "say that one from outside may be used as it is now": (
            "允许使用外来的这一个（以它现在的内容）"
        ),
        "take that back; it is off until you trust it again": "取消信任；再次信任之前不会使用",
        "which one, of several in it": "里面有好几个时，选哪一个",
        "what is there, and what of it is on": "有哪些，开了哪些",
        "switch one on, from the next start on": "启用一个，下次启动生效",
        "switch one on": "启用一个",
        "switch one off": "停用一个",
        "have the running program take its code as it is now": "让运行中的程序换用现在的代码",
        "see what changed in one, and take it as it is now": "看看改了什么，接受它现在的样子",
        "what is there, what of it is on, and why": "有哪些、开了哪些、为什么",
        "what a form makes of every manifest below a folder": "把文件夹里每个清单做成表单看看",
        "begin one of your own": "新建自己的一个",
        # MCP servers
        "MCP servers: programs and addresses that offer tools": "MCP 服务器：提供工具的程序和地址",
        "which there are, and how they stood last": "有哪些，上次的情况如何",
        "start one, and show what it offers": "启动一个，看看它提供什么",
        "a new one: a command behind --, or --url": "新建一个：-- 后面写命令，或用 --url",
        "take one out of the settings": "从设置里去掉一个",
        "take over those of another program's file": "从别的程序的文件导入",
        "its address instead of a command": "它的地址，代替命令",
        "a variable for it, or a header of requests to it; keyring:NAME is a key that is kept": (
            "给它的变量，或请求头；keyring:NAME 表示已保存的密钥"
        ),
        # agents
        "all agents, and what is wrong with them": "全部代理，以及它们有什么问题",
        "what holds for one": "某个代理的设置",
        "a new one": "新建一个",
        "take one out of the settings; its files stay": "从设置里去掉一个；它的文件还在",
        "put AGENTS.md, SOUL.md, USER.md ... into a workspace, to be filled in": (
            "把 AGENTS.md、SOUL.md、USER.md 等放进工作文件夹，供你填写"
        ),
        "letters, digits, - and _": "字母、数字、- 和 _",
        "what it is called": "它叫什么",
        "its model; without it that of all agents": "它的模型；不写就用大家的",
        "its notes and files; usually workspace-AGENT": "它的笔记和文件；一般是 workspace-AGENT",
        "whose; the default one's": "谁的；默认代理的",
        # secrets and models
        "keep a key; its value is asked for": "保存密钥；会问你它的值",
        "forget a key": "删除密钥",
        "names of the keys that are kept": "已保存的密钥的名字",
        "what is here, what can be fetched, and whether it fits": "有哪些、能下载哪些、装不装得下",
        "fetch a model; Ctrl-C pauses, the same command goes on": (
            "下载模型；Ctrl-C 暂停，再执行同一命令就继续"
        ),
        "use a model, by name or file, from the next start on": (
            "按名字或文件选用模型，下次启动生效"
        ),
        "add a GGUF file": "添加 GGUF 文件",
        "remove a model; asks first": "删除模型；会先询问",
        "load a model and measure a short answer": "载入模型，测一个简短的回答",
        "leave it where it is": "让它留在原处",
        # conversations
        "all conversations, the latest first": "全部对话，最近的在前",
        "find words in all conversations": "在所有对话里查找",
        "bring in an exported conversation or transcript": "导入导出的对话或对话记录",
        "what was said in one": "某个对话里说了什么",
        "one as a document to read, or to bring in elsewhere": "导出成文档，可以阅读或导入到别处",
        "give one a name; without NAME take it away": "给对话起名；不写 NAME 就去掉名字",
        "put one away; it can still be found": "收起对话；仍然找得到",
        "take it out again": "重新取出",
        "put one into the trash": "放进回收站",
        "bring it back from the trash": "从回收站恢复",
        "new messages go there from now on": "以后的新消息都接在那里",
        "the ways a conversation went; with NUMBER turn to one of them": (
            "对话的各个分支；写 NUMBER 就转到那一个"
        ),
        "those that were put away": "已收起的",
        "those in the trash": "回收站里的",
        "what was said": "说过的话",
        "at most N messages": "最多 N 条消息",
        "what export wrote, or a .jsonl file": "export 写出的文件，或 .jsonl 文件",
        "its id, or the beginning of it; its name": "它的编号或编号的开头；或它的名字",
        "md to read (default), json for everything": "md 便于阅读（默认），json 包含一切",
        "write it there": "写到那里",
        "what to call it": "叫什么名字",
        "the one to turn to": "要转到的那一个",
        # the schedule
        'such as: cron add "every day at 9" "Any news?"': '例如：cron add "每天9点" "有什么新闻？"',
        "change a job": "修改任务",
        "all jobs": "全部任务",
        "whether jobs are carried out, and what is next": "任务是否在执行，下一个是什么",
        "switch a job on": "启用任务",
        "switch a job off": "停用任务",
        "take a job out": "删除任务",
        "let a job run now": "现在就运行任务",
        "how a job went, and what it missed": "任务的结果，以及错过的时间",
        "print all jobs as a jobs.json": "把全部任务打印成 jobs.json",
        "take in the jobs of a jobs.json": "读入 jobs.json 里的任务",
        "in words, or a cron expression": "用话来说，或写 cron 表达式",
        "what to do then": "到时做什么",
        "a notice for the main conversation": "给主对话的一条通知",
        "goes when it has run": "运行一次后就删除",
        "runs late when it was missed": "错过了就补上",
        "the notice does not wait for the next prompt": "通知不等下一次提问",
        "such as Asia/Shanghai": "例如 Asia/Shanghai",
        "id or name": "编号或名字",
        # the settings
        "what a setting is; all that is written without one": "某项设置的值；不写就列出全部已写的",
        "such as: config set ui.theme dark": "例如：config set ui.theme dark",
        "take a setting away; its default holds again": "去掉一项设置，恢复默认值",
        "is anything wrong with the file?": "文件有没有问题？",
        "the JSON Schema of the file, for editors": "文件的 JSON Schema，供编辑器使用",
        "where the file is": "文件在哪里",
        "write older names of settings anew": "把旧的设置名改成新的",
        "like agents.list[0].name": "像 agents.list[0].name 这样",
        "JSON5, or plain text": "JSON5 或纯文本",
        "such as status or sessions.list": "例如 status 或 sessions.list",
        "a JSON object": "一个 JSON 对象",
    }
)


class _Formatter(argparse.HelpFormatter):
    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, "用法：" if prefix is None else prefix)


def help_in(parser: argparse.ArgumentParser, language: Language) -> None:
    """Let `parser`, and all below it, explain itself in `language`; what has no words there stays
    English."""
    if language is not Language.CHINESE:
        return
    parser.formatter_class = _Formatter
    parser.description = _said(parser.description)
    for group in parser._action_groups:
        group.title = _said(group.title)
    for action in parser._actions:
        action.help = _said(action.help)
        if isinstance(action, argparse._SubParsersAction):
            for listed in action._choices_actions:
                listed.help = _said(listed.help)
            for below in action.choices.values():
                help_in(below, language)


def _said(english: str | None) -> str | None:
    return None if english is None else _CHINESE.get(english, english)
