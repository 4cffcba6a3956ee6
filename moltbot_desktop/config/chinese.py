"""The settings of moltbot.json in Chinese: what a field is called and what it means.

    in_chinese(json_schema())        # the same schema with Chinese titles and descriptions

Meanings are found by the English sentence they are declared with (in `settings` and the sections),
as a translation of a program's messages does; names by the name in the file. A setting that is not
here keeps its English words; a test holds that every one is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.config.settings import WAITS
from moltbot_desktop.core.json import JsonObject, JsonValue

_VALUES = frozenset({"default", "enum", "const", "examples"})
_WAITS = "（会保留；这个版本不使用它。）"


def in_chinese(schema: JsonObject) -> JsonObject:
    """`schema` with what it says to people in Chinese, as far as it is known here."""
    found = _translated(schema)
    return found if isinstance(found, Mapping) else schema


def _translated(schema: JsonValue) -> JsonValue:
    if isinstance(schema, list):
        return [_translated(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, JsonValue] = {}
    for keyword, said in schema.items():
        if keyword == "properties" and isinstance(said, Mapping):
            found[keyword] = {name: _named(name, one) for name, one in said.items()}
        elif keyword == "description" and isinstance(said, str):
            found[keyword] = _meaning(said)
        else:
            found[keyword] = said if keyword in _VALUES else _translated(said)
    return found


def _named(name: str, schema: JsonValue) -> JsonValue:
    found = _translated(schema)
    if name not in NAMES or not isinstance(found, Mapping):
        return found
    return {"title": NAMES[name], **found}


def _meaning(english: str) -> str:
    plain = english.removesuffix(f" {WAITS}")
    chinese = MEANINGS.get(plain)
    if chinese is None:
        return english
    return chinese if plain == english else chinese + _WAITS


NAMES: Mapping[str, str] = MappingProxyType(
    {
        "$schema": "模式",
        "$include": "引入的文件",
        "agents": "代理",
        "defaults": "默认",
        "workspace": "工作区",
        "timeoutSeconds": "时限（秒）",
        "maxToolCalls": "最多工具调用次数",
        "temperature": "温度",
        "language": "语言",
        "skipBootstrap": "不放初始文件",
        "bootstrapMaxChars": "初始文件最多字符数",
        "userTimezone": "你的时区",
        "timeFormat": "时间写法",
        "envelopeTimezone": "消息时间的时区",
        "envelopeTimestamp": "写上消息时间",
        "envelopeElapsed": "写上间隔时间",
        "thinkingDefault": "默认思考程度",
        "verboseDefault": "默认详细程度",
        "elevatedDefault": "默认沙箱外权限",
        "blockStreamingDefault": "默认分段发送",
        "blockStreamingBreak": "分段之处",
        "blockStreamingChunk": "分段长度",
        "minChars": "最少字符数",
        "maxChars": "最多字符数",
        "breakPreference": "分段偏好",
        "blockStreamingCoalesce": "小段合并",
        "idleMs": "安静时间（毫秒）",
        "humanDelay": "像人一样停顿",
        "ownFiles": "我自己的文件",
        "mode": "模式",
        "minMs": "最短（毫秒）",
        "maxMs": "最长（毫秒）",
        "mediaMaxMb": "最大文件（MB）",
        "typingIntervalSeconds": "“正在输入”间隔（秒）",
        "typingMode": "“正在输入”何时开始",
        "compaction": "摘要",
        "reserveTokensFloor": "为回答留出的词元",
        "maxHistoryShare": "对话的最大比例",
        "memoryFlush": "摘要前记录",
        "enabled": "打开",
        "softThresholdTokens": "提前多少词元",
        "prompt": "提示",
        "systemPrompt": "系统提示",
        "contextPruning": "缩短旧结果",
        "ttl": "时限",
        "keepLastAssistants": "保留最近的回答数",
        "softTrimRatio": "缩短的比例",
        "hardClearRatio": "去掉的比例",
        "minPrunableToolChars": "最少可去掉的字符数",
        "softTrim": "缩短",
        "headChars": "开头字符数",
        "tailChars": "结尾字符数",
        "hardClear": "整个去掉",
        "placeholder": "代替的文字",
        "tools": "工具",
        "allow": "允许",
        "deny": "禁止",
        "heartbeat": "心跳",
        "every": "间隔",
        "activeHours": "活动时间",
        "start": "开始",
        "end": "结束",
        "timezone": "时区",
        "model": "模型",
        "session": "对话",
        "target": "告诉哪里",
        "to": "告诉谁",
        "ackMaxChars": "“没有事”的最多字符数",
        "includeReasoning": "包括思考过程",
        "maxConcurrent": "同时最多",
        "subagents": "助手",
        "archiveAfterMinutes": "收起时间（分钟）",
        "memorySearch": "记忆",
        "sources": "来源",
        "extraPaths": "更多路径",
        "chunking": "切分",
        "tokens": "词元数",
        "overlap": "重叠",
        "sync": "更新",
        "onSessionStart": "对话开始时",
        "onSearch": "搜索时",
        "watch": "留意改动",
        "watchDebounceMs": "改动后等待（毫秒）",
        "intervalMinutes": "间隔（分钟）",
        "sessions": "对话",
        "deltaBytes": "增长字节数",
        "deltaMessages": "增长消息数",
        "query": "搜索",
        "maxResults": "最多结果数",
        "cache": "缓存",
        "maxEntries": "最多条目数",
        "capture": "记录事实",
        "longTermBytes": "MEMORY.md 大小（字节）",
        "list": "列表",
        "id": "标识",
        "default": "默认",
        "name": "名称",
        "agentDir": "代理文件夹",
        "primary": "首选",
        "fallbacks": "备用",
        "identity": "身份",
        "theme": "风格",
        "emoji": "表情",
        "avatar": "头像",
        "groupChat": "群聊",
        "mentionPatterns": "叫到它的写法",
        "historyLimit": "历史消息上限",
        "allowAgents": "允许的代理",
        "profile": "成套工具",
        "alsoAllow": "另外允许",
        "byProvider": "按提供方",
        "agentToAgent": "代理之间",
        "elevated": "沙箱之外",
        "allowFrom": "允许谁",
        "exec": "命令",
        "host": "运行位置",
        "security": "安全",
        "ask": "询问",
        "node": "节点",
        "pathPrepend": "优先查找的路径",
        "safeBins": "安全的程序",
        "backgroundMs": "转到后台（毫秒）",
        "timeoutSec": "时限（秒）",
        "cleanupMs": "保留输出（毫秒）",
        "notifyOnExit": "结束时通知",
        "applyPatch": "应用补丁",
        "allowModels": "允许的模型",
        "browser": "浏览器",
        "executablePath": "程序位置",
        "headless": "不显示窗口",
        "noSandbox": "不用沙箱",
        "cdpUrl": "已运行的浏览器",
        "evaluateEnabled": "在网页里运行程序",
        "snapshotDefaults": "网页内容",
        "ssrfPolicy": "本地网络",
        "allowedHostnames": "允许的电脑",
        "web": "网络",
        "fetch": "读取网页",
        "cacheTtlMinutes": "缓存时间（分钟）",
        "maxRedirects": "最多转向次数",
        "userAgent": "程序标识",
        "search": "搜索",
        "provider": "服务",
        "apiKey": "密钥",
        "searxng": "SearXNG",
        "baseUrl": "地址",
        "sandbox": "沙箱",
        "skills": "技能",
        "bindings": "绑定",
        "agentId": "代理",
        "match": "匹配",
        "channel": "频道",
        "accountId": "账号",
        "peer": "对方",
        "kind": "种类",
        "guildId": "Discord服务器",
        "teamId": "Slack工作区",
        "broadcast": "多代理群",
        "strategy": "方式",
        "models": "模型",
        "chat": "对话模型",
        "embedding": "嵌入模型",
        "contextTokens": "窗口（词元）",
        "threads": "线程数",
        "gpuLayers": "显卡层数",
        "kvCache": "对话缓存格式",
        "idleMinutes": "闲置时间（分钟）",
        "isolation": "隔离",
        "savedStateMb": "保存的状态（MB）",
        "typeAhead": "边打字边读",
        "folder": "文件夹",
        "hub": "下载来源",
        "scope": "范围",
        "dmScope": "私聊范围",
        "identityLinks": "身份对应",
        "resetTriggers": "重新开始的消息",
        "reset": "重新开始",
        "atHour": "几点",
        "resetByType": "按种类重新开始",
        "resetByChannel": "按频道重新开始",
        "sendPolicy": "发送规定",
        "rules": "规则",
        "action": "处理",
        "chatType": "对话种类",
        "keyPrefix": "键的开头",
        "maxPingPongTurns": "最多往返次数",
        "retention": "保留",
        "days": "天数",
        "trashDays": "回收站天数",
        "messages": "消息",
        "messagePrefix": "消息前缀",
        "responsePrefix": "回答前缀",
        "queue": "等候",
        "byChannel": "按频道",
        "debounceMs": "等待（毫秒）",
        "debounceMsByChannel": "按频道等待（毫秒）",
        "cap": "上限",
        "drop": "超出时",
        "inbound": "收到的消息",
        "maxPerMinute": "每分钟最多",
        "maxCharacters": "最多字符数",
        "ackReaction": "已看到的表情",
        "ackReactionScope": "表情的范围",
        "removeAckAfterReply": "回答后去掉表情",
        "commands": "聊天命令",
        "native": "菜单中的命令",
        "nativeSkills": "菜单中的技能",
        "text": "文字命令",
        "bash": "运行命令",
        "bashForegroundMs": "转到后台（毫秒）",
        "config": "改动设置",
        "debug": "临时设置",
        "restart": "重新启动",
        "useAccessGroups": "只限名单",
        "cron": "定时任务",
        "store": "存放位置",
        "maxConcurrentRuns": "同时运行",
        "gateway": "网关",
        "http": "网页服务器",
        "endpoints": "接口",
        "chatCompletions": "对话（OpenAI）",
        "embeddings": "向量（OpenAI）",
        "port": "端口",
        "auth": "验证",
        "token": "令牌",
        "hooks": "钩子",
        "internal": "内部",
        "handlers": "处理程序",
        "event": "事件",
        "module": "文件",
        "export": "函数",
        "entries": "条目",
        "env": "环境变量",
        "load": "载入",
        "extraDirs": "更多文件夹",
        "plugins": "插件",
        "paths": "路径",
        "slots": "位置",
        "memory": "记忆",
        "reminders": "提醒",
        "notifications": "通知",
        "notificationText": "通知内容",
        "hotkey": "快捷键",
        "autostart": "随电脑启动",
        "allowBundled": "允许自带的",
        "ui": "界面",
    }
)
"""What a field is called, by its name in the file."""

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "Folder with your notes and files; null is the folder workspace beside this file.": (
            "存放笔记和文件的文件夹；留空（null）则是本文件旁的 workspace 文件夹。"
        ),
        "Longest time one request may take.": "一个请求最多可用的时间。",
        "Most tools one request may use.": "一个请求最多可使用几次工具。",
        "0 always gives the same answer, 1 varies freely.": "0 每次给出同样的回答，1 变化自由。",
        "Language for answers that do not follow from your own words; auto is the system's.": (
            "看不出该用什么语言时的回答语言；auto 与系统相同。"
        ),
        "Do not put AGENTS.md and its like into a new workspace.": (
            "不在新的工作区里放 AGENTS.md 等文件。"
        ),
        "So much of AGENTS.md, SOUL.md and their like is read to the model, each.": (
            "AGENTS.md、SOUL.md 等文件每个最多读给模型多少字符。"
        ),
        "Your time zone, such as Asia/Shanghai; null is this computer's.": (
            "你的时区，例如 Asia/Shanghai；留空（null）则与本机相同。"
        ),
        "How the hour is told.": "时间的写法。",
        'Time zone of the times put before messages: "local", "utc", "user" or a name.': (
            '写在消息前的时间用哪个时区："local"、"utc"、"user" 或时区名称。'
        ),
        "Put the time before messages.": "在消息前写上时间。",
        "And how long ago the last one was.": "以及距上一条消息过了多久。",
        "How much the model thinks before it answers; null is what suits the model.": (
            "模型回答前思考多少；留空（null）则取适合该模型的程度。"
        ),
        "Whether tools are told of.": "是否告知使用了哪些工具。",
        "Whether commands may run outside the sandbox where tools.elevated allows it; null asks.": (
            "在 tools.elevated 允许的地方，命令可否在沙箱外运行；留空（null）则先询问。"
        ),
        "Send a long answer on a channel in parts while it is written.": (
            "长回答还在写的时候就分段发到频道。"
        ),
        "When a part is over.": "什么时候算一段结束。",
        "How long the parts are, in characters.": "每段的长度，以字符计。",
        "Shortest part.": "一段至少这么长。",
        "Longest part.": "一段最多这么长。",
        "Where a part should end.": "一段最好在哪里结束。",
        "How small parts are put together.": "小段怎样合在一起。",
        "Wait for so many characters.": "等到有这么多字符。",
        "And for no more than these.": "最多不超过这么多字符。",
        "Milliseconds of quiet after which it is sent.": "安静这么多毫秒后发出。",
        "Pauses between parts.": "各段之间的停顿。",
        "Whether parts of an answer come with pauses, as a person would write.": (
            "回答的各段之间是否像人打字一样停顿。"
        ),
        "Shortest pause.": "最短的停顿。",
        "Longest pause.": "最长的停顿。",
        "Largest file taken from a channel, in MB.": "从频道接收的文件最大多少 MB。",
        'How often "is typing" is shown again on a channel.': (
            "在频道上隔多久再显示一次“正在输入”。"
        ),
        "When it begins; null is at once in private and with the first words in a group.": (
            "什么时候开始显示；留空（null）时，私聊立即显示，群里在写出第一个字时显示。"
        ),
        "How a conversation that is too long for the window is summarised.": (
            "对话太长、模型窗口放不下时怎样做摘要。"
        ),
        "safeguard summarises a long conversation in parts, default in one go.": (
            "safeguard 把长对话分几部分做摘要，default 一次做完。"
        ),
        "Tokens kept free for an answer before old messages are summarised; never more "
        "than a share of the window that was really allocated.": (
            "为回答留出的词元数，超过时先把旧消息做成摘要；不会超过实际窗口的一定比例。"
        ),
        "The largest share of the window that what is kept of the conversation may have.": (
            "保留下来的对话最多占窗口的比例。"
        ),
        "The silent request before a summary.": "做摘要之前的无声请求。",
        "Note down what matters before a conversation is summarised.": (
            "对话做成摘要之前，先记下重要的内容。"
        ),
        "How long before the summary that happens, in tokens; less in a small window.": (
            "在摘要之前多少词元时进行；窗口小时会更少。"
        ),
        'What the model is asked; "" is the usual text.': '向模型提出的要求；"" 是通常的文字。',
        'Told beside the persona; "" is the usual text.': '写在角色设定旁的话；"" 是通常的文字。',
        "How old results of tools are shortened.": "旧的工具结果怎样缩短。",
        "Whether long old results of tools are shortened in what the model reads; auto "
        "does it where the window gets full, cache-ttl once their time is over.": (
            "模型读到的旧的长工具结果是否缩短；auto 在窗口快满时缩短，cache-ttl 在超过时限后缩短。"
        ),
        'How old a result is then, e.g. "5m".': '多久以后算旧结果，例如 "5m"。',
        "Results after the last so many answers are never shortened.": (
            "最近这么多次回答之后的结果从不缩短。"
        ),
        "From this share of the window on, long results keep their beginning and end.": (
            "占窗口的比例达到这里起，长结果只留开头和结尾。"
        ),
        "From this share on, old results are left out.": "比例达到这里起，旧结果整个去掉。",
        "Results are left out only when they have so many characters together.": (
            "结果合计达到这么多字符才会去掉。"
        ),
        "Characters from which a result is long.": "达到多少字符算长结果。",
        "Characters kept of its beginning.": "开头保留多少字符。",
        "Characters kept of its end.": "结尾保留多少字符。",
        "false never leaves a result out altogether.": "关闭（false）则从不整个去掉结果。",
        "What stands in the place of one that was left out.": "去掉的结果处写什么。",
        "Only results of these tools; none is all.": "只处理这些工具的结果；没有则全部处理。",
        "Never results of these tools.": "从不处理这些工具的结果。",
        "When the assistant looks by itself whether there is something to do.": (
            "助手什么时候自己看看有没有事要做。"
        ),
        'How often, e.g. "30m"; "0m" is never.': '多久一次，例如 "30m"；"0m" 表示从不。',
        "Only between these times; null is always.": "只在这段时间内；留空（null）则随时。",
        'When the heartbeat may begin, e.g. "08:00".': '心跳最早何时开始，例如 "08:00"。',
        'When it ends, e.g. "22:00"; "24:00" is late.': (
            '何时结束，例如 "22:00"；"24:00" 是一天之末。'
        ),
        'Of these times: "user" is yours, "local" this computer\'s, or a name such as '
        "Europe/Berlin.": (
            '这些时间的时区："user" 是你的，"local" 是本机的，或写名称，例如 Europe/Berlin。'
        ),
        "Another model for it; null is the agent's.": (
            "为它另用的模型；留空（null）则用该代理的模型。"
        ),
        "Your conversation with the agent that is told what it finds, by its key.": (
            "把结果告诉你与该代理的哪个对话，写对话的键。"
        ),
        'Where what it finds is told besides the window: "last" is where you last wrote to '
        'the agent, or a channel; "none" is nowhere, not even here.': (
            '除窗口外还告诉哪里："last" 是你最近给该代理写信的地方，或写频道名；"none" 哪里都'
            "不告诉，窗口也不。"
        ),
        "Whom it tells on that channel.": "在那个频道上告诉谁。",
        "So many characters beside HEARTBEAT_OK still count as nothing to tell.": (
            "HEARTBEAT_OK 之外不超过这么多字符，仍算没有事。"
        ),
        "Tell what the model thought, too.": "也告诉模型的思考过程。",
        "How many conversations are answered at the same time.": "同时回答几个对话。",
        "Helpers that an agent starts.": "代理启动的助手。",
        "How many may work at the same time.": "同时最多几个在工作。",
        "Put the conversation of one that is done away after so long; 0 keeps it in the list.": (
            "做完的助手，其对话过多久收起；0 则留在列表里。"
        ),
        "Another model for them; null is the agent's.": (
            "为它们另用的模型；留空（null）则用该代理的模型。"
        ),
        "false switches memory off: nothing is searched, recalled or noted down.": (
            "关闭（false）则没有记忆：不搜索、不回想、不记录。"
        ),
        'What a search looks through: "memory" (your notes), "sessions" (past conversations).': (
            '搜索哪些内容："memory"（你的笔记）、"sessions"（以往的对话）。'
        ),
        "More folders of Markdown notes, or single .md files, to search and never to "
        "change; a relative path starts at the workspace.": (
            "另外要搜索、但从不改动的 Markdown 笔记文件夹或单个 .md 文件；相对路径从工作区算起。"
        ),
        "Length of the pieces that notes are searched in, as tokens of four characters.": (
            "笔记切成多长的片段来搜索，以四个字符的词元计。"
        ),
        "How much of a piece is repeated in the next, in tokens; null is 80, or a fifth of "
        "chunking.tokens where that is less.": (
            "片段之间重复多少词元；留空（null）是 80，chunking.tokens 的五分之一更小时取后者。"
        ),
        "Read changed notes anew when a conversation starts.": "对话开始时重新读取改过的笔记。",
        "Read changed notes anew before each search.": "每次搜索前重新读取改过的笔记。",
        "Watch the notes, and read a changed one anew soon after.": (
            "留意笔记，改动后很快重新读取。"
        ),
        "Milliseconds of quiet after a change before a note is read.": "改动后安静多少毫秒再读取。",
        "Also look for changed notes every so many minutes; 0 does not.": (
            "另外每隔多少分钟查看改过的笔记；0 则不查看。"
        ),
        "A conversation that goes on is read anew after it grew by so many bytes; 0 is any "
        "growth. One that rests for a minute is read anyway.": (
            "进行中的对话增长多少字节后重新读取；0 是任何增长。停了一分钟的对话总会读取。"
        ),
        "The same in messages; whichever comes first.": "同上，以消息数计；先到者为准。",
        "How many places a search gives at most.": "一次搜索最多给出几处。",
        "Keep the meaning of texts that were read before, so that a new index costs no model.": (
            "保留读过的文字的含义，重建索引时就不必再用模型。"
        ),
        "How many texts that is at most; those not needed for longest go first.": (
            "最多保留多少段文字；最久不用的先去掉。"
        ),
        "ask proposes facts about you that you mention, in the inbox; off notes down only "
        "what you tell it to remember.": (
            "ask 把你提到的、关于你的事放进收件箱，问你是否记下；off 只记你要求记住的。"
        ),
        "How large MEMORY.md, which every request can see, may become, in bytes.": (
            "每个请求都能看到的 MEMORY.md 最大多少字节。"
        ),
        "The agents; none is one, called main.": "各个代理；没有则只有一个，名为 main。",
        "Its name in bindings, keys and folders.": "它在绑定、键和文件夹中的名称。",
        "It answers where no binding says otherwise.": "没有绑定另作规定时由它回答。",
        "What it is called in lists.": "它在列表中的名称。",
        "Folder with its notes and files; null is workspace-<id> beside this file, for the "
        "default agent that of all.": (
            "存放它的笔记和文件的文件夹；留空（null）则是本文件旁的 workspace-<id>，默认代理"
            "则用公共的那个。"
        ),
        "Folder of its own state; null is agents/<id>.": (
            "存放它自身状态的文件夹；留空（null）则是 agents/<id>。"
        ),
        "Its model; null is that of all agents.": "它的模型；留空（null）则用所有代理的模型。",
        "The model.": "模型。",
        "Models to try when it fails; null takes those of all agents.": (
            "失败时依次尝试的模型；留空（null）则用所有代理的。"
        ),
        "What of agents.defaults.memorySearch is different for it.": (
            "它与 agents.defaults.memorySearch 不同的地方。"
        ),
        "What of agents.defaults.humanDelay is different for it.": (
            "它与 agents.defaults.humanDelay 不同的地方。"
        ),
        "What of agents.defaults.heartbeat is different for it. As soon as one agent has "
        "this, only those that have it have a heartbeat.": (
            "它与 agents.defaults.heartbeat 不同的地方。一旦有代理写了这一项，就只有写了的代"
            "理才有心跳。"
        ),
        "Who it is.": "它是谁。",
        "What the agent is called.": "代理叫什么名字。",
        "What it is like, in a few words.": "用几个词说说它的性格。",
        "Its emoji.": "它的表情符号。",
        "A picture in its workspace.": "它工作区里的一张图片。",
        "How it takes part in groups.": "它怎样参与群聊。",
        "Regular expressions that count as being spoken to; null is the agent's name.": (
            "算作叫到它的正则表达式；留空（null）则是代理的名字。"
        ),
        "How many messages that were not for the assistant it reads before one that is; "
        "null is 50.": ("在叫到它的消息之前，它读多少条别的消息；留空（null）是 50。"),
        "Helpers that it starts.": "它启动的助手。",
        "Agents it may start as helpers beside itself; * is all.": (
            "除自己外，它可以启动哪些代理作助手；* 表示全部。"
        ),
        "Another model for them.": "为它们另用的模型。",
        "Tools it has, of those all have.": "在大家都有的工具中，它有哪些。",
        "A ready-made choice of tools.": "一套现成的工具。",
        "How much I do by myself: paused runs no tool, read-only changes nothing, careful asks "
        "before every change and before anything leaves, trusting asks less about what can be "
        "undone.": "我自己能做多少：paused（暂停）不运行任何工具，read-only（只读）不做更改，"
        "careful（谨慎）每次更改或有数据离开之前先问，trusting（信任）对能撤销的事少问一些。",
        "Files and folders of the workspace whose words are mine, such as notes or *.md. What else "
        "lies there and was not written for me may hold words of others: once it has read such a "
        "file, the assistant asks before it changes something or sends something out.": (
            "工作区里哪些文件和文件夹的内容是我自己的，例如 notes 或 *.md。其余不是为我写下的文件里"
            "可能有别人的话：助手读过这样的文件后，在更改或发出任何东西之前都会先问。"
        ),
        "Only these tools; null or none is all.": "只用这些工具；留空（null）或没有则全部可用。",
        "These tools beside those of the profile.": "在这套工具之外再加这些。",
        "Never these tools.": "从不使用这些工具。",
        "One more filter for a provider, or one of its models.": (
            "对某个提供方或它的某个模型再加一道筛选。"
        ),
        "Between agents.": "代理之间。",
        "Whether agents may write to each other.": "代理可否互相写信。",
        "Which; none is all, * too.": "哪些代理；没有则是全部，* 也是。",
        "Outside the sandbox.": "沙箱之外。",
        "false allows it to nobody.": "关闭（false）则谁都不可以。",
        "Channel -> who may ask for it; nobody who is not named.": (
            "频道 → 谁可以要求；没有写的人都不可以。"
        ),
        "Commands.": "命令。",
        "Where commands run.": "命令在哪里运行。",
        "Which may run; what the permissions forbid stays forbidden.": (
            "哪些命令可以运行；权限所禁止的仍然禁止。"
        ),
        "When you are asked.": "什么时候询问你。",
        "On which node.": "在哪个节点上。",
        "Folders searched for programs first.": "最先查找程序的文件夹。",
        "Programs that may read standard input without being asked for; null is the usual ones.": (
            "可以读取标准输入而不必询问的程序；留空（null）则是通常的那些。"
        ),
        "Milliseconds after which a command goes on in the background.": (
            "多少毫秒后命令转到后台继续。"
        ),
        "Seconds a command may take.": "一个命令最多可用多少秒。",
        "Milliseconds the output of a finished one is kept.": "命令结束后，输出保留多少毫秒。",
        "Tell the model when one in the background is over.": "后台命令结束时告诉模型。",
        "Offer apply_patch beside write and edit.": "在 write 和 edit 之外提供 apply_patch。",
        "Only to these models; none is all.": "只提供给这些模型；没有则全部提供。",
        "Let me use web pages in a browser; their servers learn of it.": (
            "允许我在浏览器里使用网页；网页的服务器会知道。"
        ),
        "The browser's program; null is the first Chrome, Edge or Chromium that is found.": (
            "浏览器程序；留空（null）则用找到的第一个 Chrome、Edge 或 Chromium。"
        ),
        "Without a window; null is that where there is no screen.": (
            "不显示窗口；留空（null）则在没有屏幕时如此。"
        ),
        "Without the browser's own walls; only inside a container.": (
            "不用浏览器自己的沙箱；只适合容器。"
        ),
        "Address of a running browser to use in place of my own; what it does by itself is not "
        "counted.": "改用已在运行的浏览器，这里填它的地址；它自己的联网不计入。",
        "Let me run programs inside pages; I ask for each.": (
            "允许我在网页里运行程序；每次都会先问。"
        ),
        "Close it after so long without use; 0 keeps it.": "闲置多久后关闭；0 则一直开着。",
        "Characters of a page at once.": "一次给出网页的多少字符。",
        "Computers of your own network that I may look at: host, or host:port.": (
            "我可以访问的你自己网络里的电脑：主机，或主机:端口。"
        ),
        "Reading web pages.": "读取网页。",
        "Let me read web pages; their servers learn that you ask.": (
            "允许我读取网页；网页的服务器会知道你访问了它。"
        ),
        "Characters of one page.": "一页最多多少字符。",
        "Seconds one page may take.": "读取一页最多多少秒。",
        "Minutes the same page is not asked for again.": "同一页多少分钟内不再读取。",
        "How often a server may send on to another address.": "服务器最多可以转到别的地址几次。",
        "What servers are told who asks; null is this program.": (
            "告诉服务器是谁在访问；留空（null）则是本程序。"
        ),
        "Searching the web.": "搜索网络。",
        "Let me ask a search service; your question leaves this computer.": (
            "允许我使用搜索服务；你的问题会离开本机。"
        ),
        "Which search service; null is the one that is set up.": (
            "用哪个搜索服务；留空（null）则是已设置好的那个。"
        ),
        "Key of Brave, better as keyring:NAME or ${NAME}; null takes BRAVE_API_KEY or the "
        "key “brave”.": (
            "Brave 的密钥，最好写成 keyring:NAME 或 ${NAME}；留空（null）则取 BRAVE_API_KEY "
            "或名为 brave 的密钥。"
        ),
        "How many results.": "给出几条结果。",
        "Seconds a search may take.": "搜索最多多少秒。",
        "Minutes the same search is not asked again.": "同样的搜索多少分钟内不再进行。",
        "SearXNG.": "SearXNG。",
        "Address of the SearXNG you use, such as your own.": (
            "你使用的 SearXNG 的地址，例如自己的。"
        ),
        "One more filter for helpers.": "对助手再加一道筛选。",
        "One more filter in a sandbox.": "在沙箱里再加一道筛选。",
        "Skills it may use, by name; null is all.": (
            "它可用的技能，写名称；留空（null）则全部可用。"
        ),
        "Which agent answers which messages.": "哪个代理回答哪些消息。",
        "The agent that answers.": "回答的代理。",
        "Which messages.": "哪些消息。",
        "The channel, e.g. telegram.": "频道，例如 telegram。",
        'Which of its accounts; none is "default", * is any.': (
            '它的哪个账号；没有写则是 "default"，* 是任何账号。'
        ),
        "The person, group or channel.": "个人、群或频道。",
        "A person, a group or a channel.": "是个人、群还是频道。",
        "Its name on that service.": "它在那个服务上的名称。",
        "A Discord server.": "一个 Discord 服务器。",
        "A Slack workspace.": "一个 Slack 工作区。",
        "Groups in which several agents answer.": "由几个代理回答的群。",
        "GGUF file or name of the chat model; null is the built-in starter model.": (
            "对话模型的 GGUF 文件或名称；留空（null）则是内置的入门模型。"
        ),
        "GGUF file or name of the embedding model; null is the one from the set-up.": (
            "嵌入模型的 GGUF 文件或名称；留空（null）则是安装时带的。"
        ),
        "Largest window to allocate; a model with a smaller one gets its own.": (
            "最大分配多大的窗口；窗口更小的模型用自己的大小。"
        ),
        "Processor threads for the models; null leaves the choice to the program.": (
            "模型使用的处理器线程数；留空（null）则由程序决定。"
        ),
        "Layers of the chat model that a graphics card computes; null is all where that is "
        "possible, 0 is none.": ("对话模型有几层由显卡计算；留空（null）则尽量全部，0 则没有。"),
        "How a conversation is held in memory; q8_0 takes half the room and a little accuracy.": (
            "对话在内存中的存放方式；q8_0 占一半空间，准确度略低。"
        ),
        "Give the chat model's memory back after so long without use; 0 keeps it.": (
            "多久不用后归还对话模型的内存；0 则一直保留。"
        ),
        "Where the chat model runs; process survives a crash of llama.cpp and starts slower.": (
            "对话模型在哪里运行；process 不怕 llama.cpp 崩溃，但启动较慢。"
        ),
        "MiB of disk for conversations the model has already read, so that a restart is "
        "quick; 0 saves none.": (
            "用多少 MiB 磁盘保存模型已读过的对话，使重新启动更快；0 则不保存。"
        ),
        "Read along while you type, so that the answer starts sooner; never on battery.": (
            "你打字时就跟着读，让回答更早开始；用电池时从不这样。"
        ),
        "Where model files are kept; null is the home folder's.": (
            "模型文件存放在哪里；留空（null）则在主文件夹里。"
        ),
        "Where models are downloaded from; a mirror such as https://hf-mirror.com works too.": (
            "从哪里下载模型；也可用镜像，例如 https://hf-mirror.com。"
        ),
        "global has one conversation for everybody.": "global 表示所有人共用一个对话。",
        "Who shares a conversation in private chats; main is everybody.": (
            "私聊中谁共用一个对话；main 是所有人。"
        ),
        "A person's name -> who they are on the channels, e.g. telegram:123.": (
            "人名 → 此人在各频道上是谁，例如 telegram:123。"
        ),
        "Messages that start afresh.": "让对话重新开始的消息。",
        "When a conversation starts afresh.": "对话什么时候重新开始。",
        "daily starts afresh every day, idle after a pause.": (
            "daily 每天重新开始，idle 在停顿后重新开始。"
        ),
        "The hour of the day it does.": "在一天中的几点。",
        "After a pause of so many minutes; null is 60 with mode idle, else never.": (
            "停顿多少分钟之后；留空（null）时，模式为 idle 是 60，否则从不。"
        ),
        "What is different for dm, group or thread.": "dm、group 或 thread 有何不同。",
        "What holds for a channel instead of all of that.": "某个频道代替以上规定的内容。",
        "Where answers are sent at all.": "回答可以发到哪里。",
        "Where no rule says otherwise.": "没有规则另作规定时怎样。",
        "A rule that denies beats one that allows.": "禁止的规则优先于允许的规则。",
        "What holds for them.": "对它们怎样处理。",
        "Which conversations.": "哪些对话。",
        "Of this channel.": "属于这个频道的。",
        "Of this kind.": "属于这一类的。",
        "Whose key begins with this.": "键以此开头的。",
        "How often two agents may answer each other.": "两个代理最多互相回答几次。",
        "Conversations in which nothing was said for so many days go to the trash; null "
        "keeps all.": ("多少天没有说话的对话移到回收站；留空（null）则全部保留。"),
        "After so many days in the trash a conversation is gone for good.": (
            "在回收站里多少天后彻底删除。"
        ),
        "Put before messages that come in.": "写在收到的消息前。",
        "Put before answers; {model}, {modelFull}, {provider}, {thinkingLevel} and "
        '{identity.name} are filled in, "auto" is the agent\'s name in brackets.': (
            "写在回答前；{model}、{modelFull}、{provider}、{thinkingLevel} 和 {identity.name}"
            ' 会填入，"auto" 是方括号中的代理名字。'
        ),
        "Groups.": "群聊。",
        "What waits while an answer is made.": "正在回答时，等候的消息怎样处理。",
        "collect answers them together, followup one after the other, steer tells the "
        "model at once, steer-backlog both, interrupt stops what is being done.": (
            "collect 合在一起回答，followup 一条条回答，steer 立即告诉模型，steer-backlog 两"
            "者都做，interrupt 停下正在做的事。"
        ),
        "Another mode for a channel.": "某个频道用的另一种模式。",
        "Milliseconds of quiet before they are taken.": "安静多少毫秒后取出。",
        "The same for a channel.": "同上，用于某个频道。",
        "How many wait at most.": "最多几条等候。",
        "What happens to more: the oldest go, new ones are refused, or the oldest are told "
        "in a line each.": ("再多时怎么办：去掉最旧的、拒绝新的，或把最旧的各用一行告知。"),
        "Messages as they come in.": "收到的消息。",
        "Wait so many milliseconds for more of the same person and take it as one message.": (
            "再等同一个人多少毫秒，把几条消息当作一条。"
        ),
        "Messages a minute that are read of somebody who is on no list by their id; 0 is all.": (
            "不在名单上（以其 id 计）的人，每分钟读取几条消息；0 则全部读取。"
        ),
        "Characters of a message that are read; the rest is cut.": (
            "一条消息读取多少字符；其余截去。"
        ),
        'Emoji that says a message was seen; null is the agent\'s, "" none.': (
            '表示消息已看到的表情；留空（null）则是代理的，"" 则没有。'
        ),
        "Which messages get it.": "哪些消息会有。",
        "Take it away when the answer is there.": "回答之后去掉它。",
        "Show them in the menus of channels that have such.": (
            "在有菜单的频道上，把命令列在菜单里。"
        ),
        "Skills, too.": "技能也列入。",
        "Understand them in what is written.": "识别写在文字里的命令。",
        "Allow /bash and !, which run a command.": "允许 /bash 和 !，它们运行命令。",
        "Milliseconds after which such a command goes on in the background.": (
            "多少毫秒后这样的命令转到后台继续。"
        ),
        "Allow /config, which changes this file.": "允许 /config，它会改动本文件。",
        "Allow /debug, which changes settings until the next start.": (
            "允许 /debug，它改动设置，直到下次启动。"
        ),
        "Allow /restart.": "允许 /restart。",
        "Only people on a channel's list may use them; false lets everybody who may chat.": (
            "只有频道名单上的人可以使用；关闭（false）则能聊天的人都可以。"
        ),
        "false runs no job.": "关闭（false）则不运行任何任务。",
        "A jobs.json of the reference to take jobs from; null is cron/jobs.json beside "
        "this file.": (
            "从参照程序的哪个 jobs.json 取任务；留空（null）则是本文件旁的 cron/jobs.json。"
        ),
        "How many jobs run at the same time.": "同时运行几个任务。",
        "A web server on this computer, for pages and webhooks of plugins. Nobody on "
        "another computer can reach it.": (
            "本机上的网页服务器，供插件的网页和 webhook 使用。别的电脑无法访问。"
        ),
        "Programs on this computer that speak OpenAI's API may ask the assistant and its "
        "local models.": "这台电脑上使用 OpenAI 接口的程序可以向助手和本地模型提问。",
        "They may also have vectors made by the embedding model on this computer.": (
            "它们还可以用本机的嵌入模型生成向量。"
        ),
        "Where it listens; 0 takes a free one.": "在哪个端口；0 则取一个空闲的。",
        "What every request has to carry, or keyring:NAME for one in the password store; "
        "null makes one and keeps it in the file gateway-token.": (
            "每个请求都要带上的内容，或写 keyring:NAME 取自密码库；留空（null）则生成一个，保"
            "存在 gateway-token 文件里。"
        ),
        "Hooks inside.": "内部的钩子。",
        "Whether any is called.": "是否调用钩子。",
        "Single files.": "单个文件。",
        "The event, e.g. command:new.": "事件，例如 command:new。",
        "The Python file that handles it.": "处理它的 Python 文件。",
        "The function in it.": "文件里的函数。",
        "Hooks with a HOOK.md, by name.": "带 HOOK.md 的钩子，按名称。",
        "null is what the hook itself says.": "留空（null）则按钩子自己所说。",
        "Variables the hook is given.": "交给钩子的变量。",
        "More folders with hooks.": "更多存放钩子的文件夹。",
        "false switches every plugin off.": "关闭（false）则关闭所有插件。",
        "When there are any here, no others are on.": "这里写了插件时，其他的都不打开。",
        "These are never on.": "这些插件从不打开。",
        "Folders of plugins, or with plugins in them. Only what an entry switches on is run.": (
            "插件的文件夹，或其中有插件的文件夹。只运行已打开的插件。"
        ),
        'The plugin that keeps the memory; null is memory-core, "none" is no plugin.': (
            '保存记忆的插件；留空（null）则是 memory-core，"none" 则没有插件。'
        ),
        "Show a notification of the system when one is due.": "到时显示系统通知。",
        "Only these of the bundled skills; none is all.": "自带的技能只用这些；没有则全部可用。",
        "More folders of skills, before all others.": "更多存放技能的文件夹，优先于其他所有。",
        "Notice changed skills while they are edited.": "技能在编辑时改动，随即察觉。",
        "Milliseconds of quiet after which a change counts.": "安静多少毫秒后才算改动。",
        "Settings of single skills.": "单个技能的设置。",
        "false takes it out; null leaves it to the skill.": (
            "关闭（false）则去掉它；留空（null）则由技能决定。"
        ),
        'The key it asks for, or "keyring:NAME" for one in the keyring.': (
            '它要求的密钥，或写 "keyring:NAME" 取自密码库。'
        ),
        "Variables for the programs it starts.": "交给它所启动程序的变量。",
        "Colours of the windows.": "窗口的颜色。",
        "Key of the quick question, wherever you are; empty for none.": (
            "在任何地方打开快速提问的按键；留空则没有。"
        ),
        "Notifications say what they are about.": "通知里写出具体内容。",
        "Start hidden with the computer.": "随电脑启动，不显示窗口。",
        "Language of the windows and menus.": "窗口和菜单的语言。",
    }
)
"""What a setting means, by what its declaration says."""
