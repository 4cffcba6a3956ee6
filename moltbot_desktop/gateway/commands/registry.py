"""Every command there is: its names, what may follow it, who may use it, and its line of help.

    COMMANDS["think"].aliases            # ("thinking", "t")
    enabled({"config"})                  # those that exist with commands.config switched on

The names and aliases are the reference's, so that its users need not learn anything, and ours
beside them. A command whose feature this build does not have is known all the same: an honest
answer is better than a model that makes one up.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language


class Who(IntEnum):
    """Who may use a command; each may also what those before it may."""

    CONTACT = 1
    """Anybody who is on a channel's allow list."""
    OWNER = 2
    """The person at this computer."""


class Topic(StrEnum):
    """The part of the list that a command stands in."""

    CONVERSATION = "conversation"
    ANSWERS = "answers"
    MEMORY = "memory"
    SHOWS = "shows"
    MANAGES = "manages"


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        name: without the slash; lower-case.
        english, chinese: one line of help.
        arguments: what may follow, as the help shows it; "" when nothing may, and a name with
            words behind it is then no command.
        lines: what follows may have several lines; otherwise only the first counts.
        switch: the setting below `commands` that must be true; until then nobody sees it.
        directive: it may also stand inside a message that says more.
        built: False when its feature is not in this build, which the answer says.
        heeded: False when what it sets is kept and nothing acts on it yet, which is said too.
        by_hand: it answers cards or changes what is asked about, so no program may give it.
    """

    name: str
    topic: Topic
    english: str
    chinese: str
    aliases: tuple[str, ...] = ()
    arguments: str = ""
    lines: bool = False
    who: Who = Who.CONTACT
    switch: str = ""
    directive: bool = False
    built: bool = True
    heeded: bool = True
    by_hand: bool = False

    def help_line(self, language: Language) -> str:
        form = f"/{self.name} {self.arguments}".rstrip()
        return f"{form} — {self.chinese if language is Language.CHINESE else self.english}"


_DOCKS = ("telegram", "whatsapp", "discord", "googlechat", "slack", "signal", "imessage")
"""Channels that the reference can switch the answers of a conversation over to."""


def _commands() -> tuple[Command, ...]:
    talk, answers, memory = Topic.CONVERSATION, Topic.ANSWERS, Topic.MEMORY
    shows, manages = Topic.SHOWS, Topic.MANAGES
    owner = Who.OWNER
    return (
        Command("help", shows, "what I can do", "我能做什么"),
        Command("commands", shows, "all commands", "所有命令", arguments="[page]"),
        Command("status", shows, "how I am: model, memory, settings", "当前状态：模型、记忆、设置"),
        Command("whoami", shows, "who you are to me", "我眼中的你是谁", aliases=("id",)),
        Command(
            "context",
            shows,
            "what fills the model's window",
            "模型窗口里装了什么",
            arguments="[list|detail]",
            who=owner,
        ),
        Command(
            "new",
            talk,
            "start afresh; words after it are the first message",
            "开始新对话，后面的话就是第一条消息",
            arguments="[message]",
            lines=True,
        ),
        Command(
            "reset",
            talk,
            "the same as /new",
            "与 /new 相同",
            arguments="[message]",
            lines=True,
        ),
        Command("regenerate", talk, "answer the last message once more", "把上一条重新回答一次"),
        Command(
            "edit",
            talk,
            "say the last message differently",
            "换个说法问上一条",
            arguments="new words",
            lines=True,
        ),
        Command(
            "branch",
            talk,
            "the ways this conversation went",
            "这个对话走过的分支",
            arguments="[number]",
        ),
        Command("stop", talk, "stop what is running", "停止正在做的事"),
        Command(
            "compact",
            talk,
            "summarise the older part of this conversation",
            "把对话较早的部分压缩成摘要",
            arguments="[what matters]",
            lines=True,
        ),
        Command(
            "queue",
            talk,
            "what becomes of messages that come while I work",
            "我忙的时候，新消息怎么处理",
            arguments="[collect|followup|steer|steer-backlog|interrupt|default] [debounce:2s]"
            " [cap:20] [drop:old|new|summarize]",
            directive=True,
        ),
        Command(
            "think",
            answers,
            "how hard to think",
            "思考的深度",
            aliases=("thinking", "t"),
            arguments="[off|minimal|low|medium|high|xhigh]",
            directive=True,
        ),
        Command(
            "verbose",
            answers,
            "tell each step as it is done",
            "逐步说明做了什么",
            aliases=("v",),
            arguments="[off|on|full]",
            directive=True,
        ),
        Command(
            "reasoning",
            answers,
            "show what the model thinks",
            "显示模型的思考",
            aliases=("reason",),
            arguments="[off|on|stream]",
            directive=True,
        ),
        Command(
            "model",
            answers,
            "which model answers here",
            "这里用哪个模型回答",
            arguments="[name|default]",
            who=owner,
            directive=True,
        ),
        Command(
            "models",
            answers,
            "the models there are",
            "有哪些模型",
            arguments="[provider]",
            who=owner,
        ),
        Command(
            "usage",
            answers,
            "tokens below each answer",
            "在回答下面显示用量",
            arguments="[off|tokens|full|cost]",
        ),
        Command(
            "activation",
            answers,
            "whether I answer in this group only when mentioned",
            "在群里是否只有被提到才回答",
            arguments="[mention|always]",
        ),
        Command(
            "send",
            answers,
            "whether answers are sent in this conversation",
            "这个对话里是否发送回答",
            arguments="[on|off|inherit]",
            who=owner,
            by_hand=True,
        ),
        Command(
            "memory",
            memory,
            "how memory stands, or what it finds",
            "记忆的状态，或查找记忆",
            arguments="[words]",
            who=owner,
        ),
        Command(
            "inbox",
            memory,
            "what I could remember",
            "可以记住的事",
            arguments="[undo]",
            who=owner,
        ),
        Command(
            "keep",
            memory,
            "remember one of them",
            "记住其中一条",
            arguments="[number] [other words]",
            lines=True,
            who=owner,
        ),
        Command("no", memory, "do not remember it", "不记这一条", arguments="[number]", who=owner),
        Command(
            "unforget", memory, "bring back the note forgotten last", "恢复刚忘掉的一条", who=owner
        ),
        Command(
            "erase",
            memory,
            "take words out of our conversations",
            "从我们的对话里抹掉一些话",
            arguments="[words]",
            lines=True,
            who=owner,
        ),
        Command(
            "skill",
            manages,
            "do something by one of your skills",
            "按某个技能做一件事",
            arguments="name [request]",
            lines=True,
        ),
        Command(
            "cron",
            manages,
            "what is planned",
            "计划中的任务",
            arguments="[list|remove N|run N]",
            who=owner,
            by_hand=True,
        ),
        Command(
            "subagents",
            manages,
            "helpers that work for this conversation",
            "为这个对话工作的助手",
            arguments="[list|stop N|info N|log N|send N message]",
            lines=True,
            who=owner,
        ),
        Command(
            "approve",
            manages,
            "answer a card",
            "回答一张确认卡",
            arguments="[id] yes|no",
            who=owner,
            by_hand=True,
        ),
        Command(
            "allowlist",
            manages,
            "who may write to me",
            "谁可以给我写信息",
            arguments="[channel]",
            who=owner,
        ),
        Command(
            "elevated",
            manages,
            "commands outside the sandbox",
            "在沙箱外运行命令",
            aliases=("elev",),
            arguments="[off|on|ask|full]",
            who=owner,
            by_hand=True,
            directive=True,
            heeded=False,
        ),
        Command(
            "exec",
            manages,
            "how commands run",
            "命令如何运行",
            arguments="[host=] [security=] [ask=] [node=]",
            who=owner,
            by_hand=True,
            directive=True,
            heeded=False,
        ),
        Command(
            "config",
            manages,
            "read or change a setting",
            "查看或修改设置",
            arguments="show|get|set|unset [path] [value]",
            who=owner,
            by_hand=True,
            switch="config",
        ),
        Command(
            "debug",
            manages,
            "settings until the program ends",
            "只在本次运行中有效的设置",
            arguments="show|set|unset|reset [path] [value]",
            who=owner,
            by_hand=True,
            switch="debug",
        ),
        Command(
            "bash",
            manages,
            "run a command",
            "运行一条命令",
            arguments="command",
            who=owner,
            by_hand=True,
            switch="bash",
            built=False,
        ),
        Command(
            "restart", manages, "start again", "重新启动", who=owner, by_hand=True, built=False
        ),
        Command(
            "tts", answers, "read answers aloud", "朗读回答", arguments="[on|off]", built=False
        ),
        *(
            Command(
                f"dock-{channel}",
                talk,
                f"answer on {channel}",
                f"改在 {channel} 上回答",
                aliases=(f"dock_{channel}",),
                who=owner,
                built=False,
            )
            for channel in _DOCKS
        ),
    )


COMMANDS: Mapping[str, Command] = MappingProxyType({one.name: one for one in _commands()})
"""By name, in the order of the help."""

NAMES: Mapping[str, Command] = MappingProxyType(
    {name: one for one in COMMANDS.values() for name in (one.name, *one.aliases)}
)
"""By name or alias."""

SWITCHES = frozenset(one.switch for one in COMMANDS.values() if one.switch)
"""What `commands` in the settings can switch on."""

SIMPLE = frozenset({"help", "commands", "whoami", "status"})
"""They may stand inside a message that says more, and change nothing."""


def enabled(switches: Set[str]) -> tuple[Command, ...]:
    """Those a person can use; `switches` are the hidden ones that the settings show."""
    return tuple(one for one in COMMANDS.values() if not one.switch or one.switch in switches)


def listed(switches: Set[str], who: Who) -> tuple[Command, ...]:
    """What the help of somebody shows: what works here and is theirs to use."""
    return tuple(one for one in enabled(switches) if one.built and one.who <= who)
