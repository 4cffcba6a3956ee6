"""Sentences of the front desk, in English and Chinese."""

from __future__ import annotations

from collections.abc import Sequence

from moltbot_desktop.core.i18n import Language, Phrases

PHRASES = Phrases(
    english={
        "interrupted": "I was interrupted while I did this, and do not do it twice. Done so far:"
        " {done} Please ask again for what is missing.",
        "not_allowed": "You may not use this here.",
        "failed_here": "Something went wrong here, so I cannot answer that now. Please"
        " write again later.",
        "left": "A new conversation was begun, so I left this one unfinished: “{text}”",
        "not_answered": "A message from {channel} could not be handled now: {problem}",
        "put_aside": "A message of {name} by {channel} broke something in me at {starts} starts, so"
        " I put it aside and do not try it again: “{text}”",
        "put_aside_hint": "It is kept. Answer it yourself, or ask for it in other words.",
        "new_day": "Some time has passed, so this is a new conversation. The old one is kept.",
        "too_many": "Too many messages waited, so this one was left out.",
        "again": "This message came twice and is answered once.",
        "not_kept": "Your message could not be saved, so I did not start: {problem}",
        "inbox_empty": "Nothing waits in the memory inbox.",
        "not_waiting": "Nothing waits under the number {id}. /inbox shows what does.",
        "nothing_to_undo": "There is nothing to undo.",
        "inbox_line": "{id}. {text} — “{quote}”",
        "inbox_how": "/keep N remembers one, /no N drops it, /inbox undo takes the last one back.",
        "unforgotten": "It is back: {path}, line {line}.",
        "erased": "Taken out of {count} of our conversations.",
        "not_erased": "Not taken out of the conversation of {day}: {problem}",
        "said_there": "Said in {count} of our conversations, {places} times in all.",
        "ask_erase": "Nothing brings it back once it is taken out. /erase does it.",
        "nothing_to_erase": "There is nothing to take out. /erase is for right after I forgot a"
        " note; or say which words: /erase my old address",
        "other_process": "Another window has this conversation open, so this is a separate one.",
    },
    chinese={
        "interrupted": "我做到一半被打断了，不会重复做。已完成：{done} 缺少的部分请再说一次。",
        "not_allowed": "你不能在这里使用这个命令。",
        "failed_here": "这边出了点问题，现在没法回答。请过一会儿再发一次。",
        "left": "新的对话已经开始，所以这一条没有做完：“{text}”",
        "not_answered": "来自 {channel} 的一条消息现在无法处理：{problem}",
        "put_aside": "{name} 通过 {channel} 发来的一条消息在 {starts} 次启动时都让我出错，"
        "我已把它搁置，不再尝试：“{text}”",
        "put_aside_hint": "消息还保留着。请你自己回复，或请对方换个说法再发。",
        "new_day": "隔了一段时间，所以开始了新的对话。之前的还保留着。",
        "too_many": "等待的消息太多，这一条没有处理。",
        "again": "这条消息收到了两次，只回答一次。",
        "not_kept": "你的消息没能保存，所以我没有开始：{problem}",
        "inbox_empty": "记忆收件箱是空的。",
        "not_waiting": "没有编号为 {id} 的待定内容，/inbox 可查看。",
        "nothing_to_undo": "没有可以撤销的决定。",
        "inbox_line": "{id}. {text} ——“{quote}”",
        "inbox_how": "/keep N 记住，/no N 不记，/inbox undo 撤销上一次。",
        "unforgotten": "已恢复：{path}，第 {line} 行。",
        "erased": "已从我们的 {count} 个对话里抹掉。",
        "not_erased": "{day} 的对话没有改动：{problem}",
        "said_there": "我们的 {count} 个对话里提到过，共 {places} 处。",
        "ask_erase": "抹掉后无法恢复。/erase 执行。",
        "nothing_to_erase": "没有可以抹掉的内容。/erase 用在我忘记一条笔记之后，"
        "也可以写明要抹掉的话：/erase 我的旧地址",
        "other_process": "另一个窗口正在使用这个对话，这里是一个单独的对话。",
    },
)


def interrupted(done: Sequence[str], language: Language) -> str:
    """What is said of a run that a crash broke off after it had done something."""
    listed = " ".join(f"{one.rstrip('.。')}." for one in done)
    return PHRASES.say("interrupted", language, done=listed)
