"""What the lower rooms refuse, in the person's language.

    in_words(error, Language.CHINESE)      # "没有任务“x”。用“cron list”可以看到全部任务。"

Rooms that know no person (books, stores, the memory's files) say in English what is wrong. Where
it is told, the sentence is looked up here by its form, as a translation of a program's messages
does; one that is not here is told as it is. A test reads those rooms and finds what is missing.
Rooms that do know the person have `Phrases` of their own, and nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.errors import MoltbotError
from moltbot_desktop.core.i18n import Language, in_one_line

_CHINESE: Mapping[str, str] = MappingProxyType(
    {
        # the command line
        "the following arguments are required: {names}": "还缺少 {names}",
        "unrecognized arguments: {names}": "多了 {names}",
        "argument {name}: invalid choice: {choice} (choose from {choices})": (
            "{name} 不能是 {choice}，可以是 {choices}"
        ),
        "argument {name}: expected one argument": "{name} 后面要写一个值",
        "argument {name}: must be a whole number, 1 or more": "{name} 要是不小于 1 的整数",
        "The settings need a screen, and there is none here.": "设置需要屏幕，这里没有。",
        "Change them with “moltbot-desktop config set”.": (
            "可以用“moltbot-desktop config set”修改设置。"
        ),
        # models in the window
        "The seal is closed: nothing leaves this computer, so no model can be fetched.": (
            "封印已关闭：什么都不会离开这台电脑，所以不能下载模型。"
        ),
        "Open the seal under “Safety”, and fetch it again.": "请在“安全”里打开封印，再下载一次。",
        "Something is done with “{name}” just now.": "“{name}”正在处理中。",
        "Wait until that is over.": "请等它结束。",
        # past conversations in the window
        "This conversation is in the bin.": "这个对话在回收站里。",
        "Bring it back first.": "请先把它恢复。",
        "The assistant is busy or about to end, so nothing was changed.": (
            "助手正忙或即将退出，什么都没有改。"
        ),
        # memory in the window
        "The assistant is not there yet.": "助手还没有准备好。",
        "The assistant is busy.": "助手正忙。",
        "{path} is not text in one encoding, so it is only shown.": (
            "{path} 不是单一编码的文本，所以只能查看。"
        ),
        "Save it as UTF-8 in another editor.": "请用别的编辑器把它存成 UTF-8。",
        # showing something
        "Windows need a screen, and there is none here.": "窗口需要屏幕，这里没有。",
        "Ask in the terminal with “moltbot-desktop ask”.": (
            "可以在终端里用“moltbot-desktop ask”提问。"
        ),
        "There is no such page.": "没有这一页。",
        "This link asks for nothing that I know.": "我不认识这个链接要求的内容。",
        "Links begin with moltbot://ask?text= or moltbot://open/.": (
            "链接要以 moltbot://ask?text= 或 moltbot://open/ 开头。"
        ),
        # the clipboard
        "The window does not answer, so I cannot use the clipboard.": (
            "窗口没有响应，所以用不了剪贴板。"
        ),
        "There is no window yet; try again.": "窗口还没打开，请再试一次。",
        "On this desktop (Wayland) only the window in front may use the clipboard.": (
            "在这个桌面（Wayland）上，只有最前面的窗口可以使用剪贴板。"
        ),
        "Click on my window and ask again.": "请点一下我的窗口，再说一次。",
        # activity
        "The assistant is not ready, so nothing can be told anew.": "助手还没有就绪，无法重放。",
        "The replay was stopped.": "重放已停止。",
        # permissions
        "There is not exactly one permission whose id begins with {id}.": (
            "编号以 {id} 开头的许可不是恰好一个。"
        ),
        "“moltbot-desktop permissions list” shows their ids.": (
            "用“moltbot-desktop permissions list”可以看到编号。"
        ),
        "That is no exec-approvals.json: {why}.": "这不是 exec-approvals.json：{why}。",
        "Name the file exec-approvals.json of Clawdbot, Moltbot or OpenClaw.": (
            "请写 Clawdbot、Moltbot 或 OpenClaw 的 exec-approvals.json 文件。"
        ),
        # strangers who ask to be let in on a channel
        "Nobody who waits has the code {code}.": "等待的人里没有配对码 {code}。",
        "“moltbot-desktop channels pairing list” shows who waits; a code holds for an hour.": (
            "用“moltbot-desktop channels pairing list”可以看到谁在等待；配对码一小时内有效。"
        ),
        "Too many wrong codes were tried, so none is taken now.": (
            "错误的配对码试得太多，现在不再接受。"
        ),
        "Try again in an hour, or let the person in by id with allowFrom.": (
            "请一小时后再试，或把对方的 id 写进 allowFrom。"
        ),
        # files that programs hand over
        "{method}: the parameters hold more than {most} values": (
            "{method}：参数里的值超过 {most} 个"
        ),
        "a frame has at most {most} bytes, with files {more}": (
            "一帧最多 {most} 字节，带文件时最多 {more} 字节"
        ),
        "A command takes no files.": "命令不能带文件。",
        "Give the command first, then send the files.": "请先发命令，再发文件。",
        "`attachments` is a list.": "`attachments` 要是一个列表。",
        "A message takes at most {most} files; these are {count}.": (
            "一条消息最多带 {most} 个文件，这里有 {count} 个。"
        ),
        "Send the rest with another message.": "其余的请用另一条消息发送。",
        "File {number} has no `content` in Base64.": "第 {number} 个文件没有 Base64 的 `content`。",
        "File {number} is a data: address without Base64.": (
            "第 {number} 个文件的 data: 地址里没有 Base64。"
        ),
        "The files of a message have at most {size} MB together.": (
            "一条消息里的文件加起来最多 {size} MB。"
        ),
        "Put a larger one into the workspace and name it in the message.": (
            "更大的文件请放进工作区，并在消息里写明。"
        ),
        "The content of file {number} is no Base64.": "第 {number} 个文件的内容不是 Base64。",
        "File {number} is empty.": "第 {number} 个文件是空的。",
        "File {number} has {size} bytes; the settings allow {most}.": (
            "第 {number} 个文件有 {size} 字节，设置只允许 {most}。"
        ),
        "See `agents.defaults.mediaMaxMb`.": "见 `agents.defaults.mediaMaxMb`。",
        # editors
        "Editors need one more part of the program.": "编辑器需要程序的另一个部件。",
        "Run: pip install 'moltbot-desktop[acp]'": "请运行：pip install 'moltbot-desktop[acp]'",
        "Only conversations in an editor bring something of an editor.": (
            "只有编辑器里的对话才能带来编辑器的内容。"
        ),
        # what leaves this computer
        "The seal is closed: nothing leaves this computer, so {host} is not asked.": (
            "封印已关上：什么都不会离开这台电脑，所以没有访问 {host}。"
        ),
        "moltbot-desktop network seal off opens it.": (
            "用 moltbot-desktop network seal off 可以打开。"
        ),
        "{host} is not asked: this part of the program was given no way out.": (
            "没有访问 {host}：程序的这一部分没有对外的通道。"
        ),
        "Nothing was sent.": "什么都没有发送。",
        "Nothing was sent to it.": "什么都没有发给它。",
        "{host} is not a public computer.": "{host} 不是公共网络上的电脑。",
        "{scheme}://{host} is not encrypted.": "{scheme}://{host} 没有加密。",
        "Use an address with https://.": "请用 https:// 开头的地址。",
        "{host} is not among the computers that may be asked for this.": (
            "{host} 不在允许访问的名单里。"
        ),
        "Check the address in moltbot.json.": "请检查 moltbot.json 里的地址。",
        "{host} sends the request on and on ({times} times).": (
            "{host} 一再转到别处（{times} 次）。"
        ),
        "The server is set up wrongly; try another one.": "服务器设置有误，请换一个。",
        "{host} was not found: this computer is offline, or the name is wrong.": (
            "找不到 {host}：电脑没有联网，或者名字写错了。"
        ),
        "Check the network connection, and try again.": "请检查网络连接，然后再试。",
        "{host} could not be reached.": "连不上 {host}。",
        "{host} did not answer in time.": "{host} 没有及时回应。",
        "The connection to {host} broke ({kind}).": "与 {host} 的连接断了（{kind}）。",
        "“{text}” is not an address.": "“{text}”不是网址。",
        "“{text}” is not an address that can be asked.": "“{text}”不是可以访问的网址。",
        "{host} sends the request to a place that is none.": "{host} 转到了一个不存在的地方。",
        "Only http proxies are supported, and another kind is set for this computer.": (
            "只支持 http 代理，而这台电脑设置的是别的类型。"
        ),
        "Set HTTPS_PROXY to an http:// address, or download the file in a browser.": (
            "请把 HTTPS_PROXY 设为 http:// 地址，或用浏览器下载文件。"
        ),
        # MCP servers
        "There is no program “{name}”.": "没有程序“{name}”。",
        "There is no folder {path}.": "没有文件夹 {path}。",
        # conversations
        "This is no conversation that could be brought in.": "这不是可以导入的对话。",
        "Use a file of “sessions export --format json”, or a transcript (.jsonl).": (
            "请用“sessions export --format json”写出的文件，或对话记录（.jsonl）。"
        ),
        "“{name}” is not the name of a conversation.": "“{name}”不是对话的名字。",
        "It looks like agent:main:main.": "它的样子是 agent:main:main。",
        "There is no conversation called “{name}”.": "没有叫“{name}”的对话。",
        "“sessions list” shows them all.": "用“sessions list”可以看到全部对话。",
        "Nobody can go on with that conversation.": "那个对话不能继续。",
        "There is no run “{name}”.": "没有运行记录“{name}”。",
        "“runs list” shows them all.": "用“runs list”可以看到全部运行记录。",
        "More than one run begins with “{name}”.": "有不止一条运行记录以“{name}”开头。",
        "Write more of its id.": "请把编号写得更长一些。",
        "That is no place in the list of runs.": "运行列表里没有这个位置。",
        "Begin again with the newest.": "请从最新的重新开始。",
        "That run had no words of anybody, so it cannot be asked again.": (
            "那次运行没有任何人的话，所以不能再问一遍。"
        ),
        "Choose one that answered a message.": "请选一次回答过消息的运行。",
        "There is no skill “{name}”.": "没有技能“{name}”。",
        "“skills list” shows them all.": "用“skills list”可以看到全部技能。",
        "It is a transcript of an older program; “sessions import” brings it in.": (
            "它是旧程序的对话记录；可用“sessions import”导入。"
        ),
        "{path} is there already.": "{path} 已经存在。",
        "Move one of the two somewhere else.": "请把其中一个移到别处。",
        "There is no branch {number} in it.": "里面没有第 {number} 个分支。",
        "Leave the number out to see them.": "不写编号就能看到全部分支。",
        "Somebody has just opened it.": "刚好有人打开了它。",
        "Try again.": "请再试一次。",
        "This conversation is open here.": "这个对话正在这里打开着。",
        "This conversation is open in the window.": "这个对话正在窗口里打开着。",
        "Begin a new one first: /new.": "请先开始新对话：/新对话。",
        "{count} conversations are called “{name}”.": "有 {count} 个对话叫“{name}”。",
        "Use the id that “sessions list” shows.": "请用“sessions list”显示的编号。",
        "{name} is not a conversation.": "{name} 不是对话。",
        "Search again.": "请重新查找。",
        "“{name}” is not the name of a transcript.": "“{name}”不是对话记录的名字。",
        "Delete its entry in {path}.": "请在 {path} 里删掉它那一项。",
        "This conversation is open in another Moltbot Desktop.": (
            "这个对话正在另一个 Moltbot Desktop 里打开着。"
        ),
        "Use that one, or close it first.": "请用那一个，或先把它关掉。",
        "There is no message “{id}” in this conversation.": "这个对话里没有消息“{id}”。",
        "List its branches and choose one of them.": "请列出它的分支并选一个。",
        "There is no such message of yours in this conversation.": "这个对话里没有你这样的消息。",
        "Say something first.": "请先说点什么。",
        "An answer is still being written.": "回答还没有写完。",
        "Stop it with /stop.": "可用 /停止 让它停下。",
        "Wait for its end, or stop it.": "请等它写完，或让它停下。",
        "Another conversation is open now.": "现在打开的是另一个对话。",
        "Go back to this one first.": "请先回到这个对话。",
        "This message is not in the conversation any more.": "这条消息已经不在对话里了。",
        "It was forgotten, or the conversation went on another way.": (
            "它被忘掉了，或者对话走了另一条分支。"
        ),
        "A command cannot stand in the place of a message.": "命令不能代替一条消息。",
        "Give it as a message of its own.": "请把它单独作为一条消息发出。",
        "It is being answered just now and was stopped.": "它正在回答，已经让它停下。",
        "Try again in a moment.": "请稍后再试。",
        "{path} is no text.": "{path} 不是文本。",
        "Choose what “sessions export” wrote.": "请选择“sessions export”写出的文件。",
        # the schedule
        "There is no job “{name}”.": "没有任务“{name}”。",
        "`cron list` shows what there is.": "用“cron list”可以看到全部任务。",
        "The book of scheduled jobs is damaged.": "定时任务簿损坏了。",
        "Remove the job and add it again.": "请删掉这个任务再重新添加。",
        "That moment has gone by.": "那个时间已经过去了。",
        "Name a later one.": "请说一个以后的时间。",
        "That never comes.": "那个时间永远不会到。",
        "A reminder comes once a minute at most.": "提醒最多每分钟一次。",
        "Check the day and the month.": "请检查日期和月份。",
        "“{name}” can be several jobs: {ids}.": "“{name}”可能是好几个任务：{ids}。",
        "Use the id.": "请用编号。",
        "It has no schedule.": "它没有时间安排。",
        "A schedule has a kind: at, every, cron or event.": (
            "时间安排要有 kind：at、every、cron 或 event。"
        ),
        "It does nothing.": "它什么也不做。",
        "A payload has a kind: systemEvent or agentTurn.": (
            "payload 要有 kind：systemEvent 或 agentTurn。"
        ),
        "There are no jobs in it.": "里面没有任务。",
        'It should look like {{"version": 1, "jobs": [...]}}.': (
            '它应该是这样的：{{"version": 1, "jobs": [...]}}。'
        ),
        "The job says nothing.": "任务没有内容。",
        "The program ended {count} times in the middle of it.": (
            "程序有 {count} 次中途退出，没能做完。"
        ),
        "Give it something to do.": "请写明要做什么。",
        "A job has room for {most} characters.": "一个任务最多 {most} 个字符。",
        "It says no moment.": "它没有写明时间。",
        "Write it like 2026-12-01T09:00:00Z.": "请写成 2026-12-01T09:00:00Z 这样。",
        "This is not JSON: {why}.": "这不是 JSON：{why}。",
        "There is no time zone “{name}”.": "没有时区“{name}”。",
        "Write it like Europe/Berlin or Asia/Shanghai.": (
            "请写成 Asia/Shanghai 或 Europe/Berlin 这样。"
        ),
        "“{expression}” is not a cron expression: {why}.": (
            "“{expression}”不是 cron 表达式：{why}。"
        ),
        "Write minute hour day month weekday, such as 30 8 * * 1-5.": (
            "请按 分 时 日 月 星期 来写，例如 30 8 * * 1-5。"
        ),
        "That moment is too far away.": "那个时间太远了。",
        "The pause must be at least a second.": "间隔至少要有一秒。",
        "The anchor of the schedule is no moment.": "时间安排的起点不是一个时间。",
        "“{pattern}” is not below the workspace.": "“{pattern}”不在工作文件夹里。",
        "Write a path as seen from the workspace, such as notes/*.md.": (
            "请写从工作文件夹看的路径，例如 notes/*.md。"
        ),
        "Job {number}: {problem}": "第 {number} 个任务：{problem}",
        # memory
        "The memory index is damaged.": "记忆的索引损坏了。",
        "The full text of the memory index is damaged.": "记忆索引的全文部分损坏了。",
        "The index on disk has another version.": "磁盘上的索引是另一个版本。",
        "Install the program again.": "请重新安装本程序。",
        "The part that looks for vectors is missing.": "缺少按向量查找的部分。",
        "There is nothing to remember in that.": "里面没有可以记住的内容。",
        "Say what to keep.": "请写明要记住什么。",
        "That is too long for a note ({count} characters).": (
            "作为一条笔记太长了（{count} 个字符）。"
        ),
        "Keep it under {most}, or save it as a file.": "请不要超过 {most} 个字符，或存成文件。",
        "{path} is not a plain {kind}.": "{path} 不是普通的文件或文件夹。",
        "Move it away, so that notes can be kept there.": "请把它移开，好在那里保存笔记。",
        "Memory is closed.": "记忆已经关闭。",
        "{path} is not a memory file.": "{path} 不是记忆文件。",
        "Memory files are MEMORY.md, the .md files below memory/, and what the settings add.": (
            "记忆文件是 MEMORY.md、memory/ 里的 .md 文件，以及设置里加上的文件。"
        ),
        "{path} is larger than {most} MB.": "{path} 超过了 {most} MB。",
        "Split it into smaller files.": "请把它分成小一些的文件。",
        "Give it a name that does not end in .md.": "请给它一个不以 .md 结尾的名字。",
        "That note is no longer where it was.": "那条笔记已经不在原来的地方。",
        "That note stands in its file again already.": "那条笔记已经又在文件里了。",
        "Nothing waits under the number {number}.": "没有编号为 {number} 的待定内容。",
        "It may have been decided already; `memory inbox` lists what waits.": (
            "也许已经决定过了；用“memory inbox”可以看到还有什么。"
        ),
        "There is nothing to undo.": "没有可以撤销的决定。",
        "There is no task {id} to undo.": "没有可以撤销的任务 {id}。",
        "“moltbot-desktop undo --list” shows those there are.": (
            "“moltbot-desktop undo --list”会列出有哪些。"
        ),
        "There is no change to files that could be undone.": "没有可以撤销的文件改动。",
        "Only what I changed in my workspace lately can be.": "只能撤销我最近在工作区里做的改动。",
        "Records in {folder} without my mark: {count}. An earlier version wrote them, or somebody "
        "else; the files as they were lie beside them.": (
            "{folder} 里没有我的标记的记录：{count} 条，是旧版本或别人写的；原来的文件就放在旁边。"
        ),
        "There is nothing to undo under the number {number}.": (
            "编号 {number} 下没有可以撤销的决定。"
        ),
        "There is nothing to keep in that.": "里面没有可以记住的内容。",
        "{path} was changed: the line is not there any more.": "{path} 被改过：那一行已经不在了。",
        "Nothing was undone; the file can be edited by hand.": (
            "没有撤销任何内容；可以手动修改文件。"
        ),
        "{path} is a link or no plain file.": "{path} 是链接，或不是普通文件。",
        "Memory reads plain files only: put the file itself there.": (
            "记忆只读普通文件：请把文件本身放在那里。"
        ),
        "{path} (line {line}) lies in a folder of your own, which memory only reads.": (
            "{path}（第 {line} 行）在你自己的文件夹里，记忆只会读它。"
        ),
        "Open it in your editor and change it there.": "请在编辑器里打开并修改。",
        "{path} is a past conversation, which memory does not change.": (
            "{path} 是以前的对话，记忆不会改动它。"
        ),
        "Delete the conversation itself to forget it.": "要忘记它，请删除对话本身。",
        "There is no forgotten note to bring back.": "没有可以恢复的笔记。",
        "One can be brought back for ten minutes, the last one only.": (
            "十分钟之内可以恢复，而且只能恢复最后一条。"
        ),
        "There is nothing to look for.": "没有写要查找什么。",
        "Add a query or --batch FILE.": "请加上要查找的话，或 --batch 文件。",
        "There are {count} notes about that, and no number {number}.": (
            "关于它有 {count} 条笔记，没有第 {number} 条。"
        ),
        "Run it without --number to see them.": "不加 --number 就能看到它们。",
        # the disk
        "The disk is full: {path} could not be written.": "磁盘满了：{path} 写不进去。",
        "The disk is full: a database could not be written.": "磁盘满了：数据库写不进去。",
        "Free some space and try again.": "请腾出一些空间再试。",
        "{path} may not be read or written.": "{path} 不允许读写。",
        "A database could not be opened for writing.": "数据库不能写。",
        "Make its folder writable for you, or choose another one with MOLTBOT_HOME.": (
            "请让它所在的文件夹可写，或用 MOLTBOT_HOME 选择别的文件夹。"
        ),
        "{path} could not be used: No such file or directory.": "没有 {path}。",
        "{path} could not be used: Is a directory.": "{path} 是文件夹，不是文件。",
        "{path} is, or lies below, a file where a folder is needed.": (
            "{path} 的位置上是文件，而这里需要文件夹。"
        ),
        "Move that file away, or choose another folder with MOLTBOT_HOME.": (
            "请把那个文件移开，或用 MOLTBOT_HOME 选择别的文件夹。"
        ),
        "{path} could not be used: {why}.": "{path} 用不了：{why}。",
        "{path} is no plain file.": "{path} 不是普通文件。",
        "Move it away, and put a fitting one there.": "请把它移开，换上合适的文件。",
        "Check that the disk is connected and the folder exists.": (
            "请检查磁盘是否连接、文件夹是否存在。"
        ),
        "Another Moltbot Desktop is using {path}.": "另一个 Moltbot Desktop 正在使用 {path}。",
        "Close it, or talk to that one.": "请关闭它，或到那边去说。",
        "What was taken out of {path} is still in its journal.": (
            "从 {path} 里抹掉的内容还在它的日志文件里。"
        ),
        "Another program is reading it. Try again in a moment.": "另一个程序正在读它。请稍后再试。",
        "A database operation failed: {why}.": "数据库操作失败：{why}。",
        "A database file is damaged.": "一个数据库文件损坏了。",
        "It will be built anew.": "会重新建立。",
        "Another program is using a database.": "另一个程序正在使用数据库。",
        "Wait a moment and try again.": "请等一会儿再试。",
        "The disk did not take what was written to a database.": "磁盘没有收下写给数据库的内容。",
        "Check that the disk is connected, sound and not full.": (
            "请检查磁盘是否连接、完好、没有满。"
        ),
        "A database has version {version}, this program knows {known}.": (
            "数据库是第 {version} 版，这个程序只认识第 {known} 版。"
        ),
        "Start the newer Moltbot Desktop that made it.": "请启动写它的那个较新的 Moltbot Desktop。",
        "SQLite refuses {name}={value} here (it stays {seen}).": (
            "SQLite 在这里不接受 {name}={value}（仍然是 {seen}）。"
        ),
        "{path} is not a file.": "{path} 不是文件。",
        "Move it away.": "请把它移开。",
        # models and keys
        "There is no model “{name}”.": "没有模型“{name}”。",
        "“moltbot-desktop models list” shows what there is.": (
            "用“moltbot-desktop models list”可以看到有哪些。"
        ),
        "“{name}” came with the program and stays.": "“{name}”是程序自带的，不能删除。",
        "A model “{name}” is here already.": "已经有模型“{name}”。",
        "Remove that one first, or give the file another name.": (
            "请先删除那一个，或给文件换个名字。"
        ),
        "“{name}” is being fetched just now.": "“{name}”正在下载。",
        "Stop that first, and try again.": "请先停止下载，再试一次。",
        "There is no model file at {path}.": "{path} 没有模型文件。",
        # model files
        "The model file “{name}” cannot be used: {reason}.": "模型文件“{name}”不能用：{reason}。",
        "The model file “{name}” cannot be read: {reason}.": "读不了模型文件“{name}”：{reason}。",
        "The model file “{name}” can no longer be read ({reason}).": (
            "模型文件“{name}”读不了了（{reason}）。"
        ),
        "The model file “{name}” could not be tried out: {reason}.": (
            "没能试用模型文件“{name}”：{reason}。"
        ),
        "The model file “{name}” is not an embedding model.": "模型文件“{name}”不是向量模型。",
        "Choose a model made for embeddings.": "请选择专门做向量的模型。",
        "Choose a chat or instruct model.": "请选择 chat 或 instruct 模型。",
        "Choose a model that comes as one file.": "请选择只有一个文件的模型。",
        "Download the file again, or choose another one.": "请重新下载，或换一个文件。",
        "Download the model again, or choose another one.": "请重新下载模型，或换一个。",
        "Check its permissions and the disk.": "请检查它的权限和磁盘。",
        "Check whether it is still there, and the disk.": "请看看它还在不在，并检查磁盘。",
        "Close other programs and try again.": "请关掉别的程序再试。",
        "it is a folder": "它是一个文件夹",
        "it is not an ordinary file": "它不是普通文件",
        "it is empty": "它是空的",
        "it was made for big-endian computers": "它是给大端序电脑用的",
        "its GGUF version is {version}, and only 2 and 3 are known": (
            "它的 GGUF 版本是 {version}，而我只认识 2 和 3"
        ),
        "it has a vocabulary but no weights": "它有词表，却没有权重",
        "it has no vocabulary": "它没有词表",
        "its vocabulary cannot write a word": "它的词表写不出字",
        "it does not say which architecture it is": "它没有说明是什么架构",
        "it is the picture part of another model, not a model": (
            "它是另一个模型的看图部分，不是完整的模型"
        ),
        "it is one part of a model in {count} files": (
            "它只是一个模型的一部分，整个模型有 {count} 个文件"
        ),
        "it is no model that writes text": "它不是能写文字的模型",
        "it ends in the middle of its header; the file is cut off or damaged": (
            "它在文件头中间就断了，文件不完整或已损坏"
        ),
        "it became shorter while it was read": "读的时候它变短了",
        "{missing} bytes of {needed} are missing; the download was cut off": (
            "{needed} 字节里缺了 {missing} 字节，下载中断过"
        ),
        "it is a web page, not a model: the download went wrong": (
            "它是一个网页，不是模型：下载出了错"
        ),
        "it is only a Git LFS pointer, not the model itself": (
            "它只是一个 Git LFS 指针，不是模型本身"
        ),
        "it is a ZIP or PyTorch file, not a GGUF file": "它是 ZIP 或 PyTorch 文件，不是 GGUF 文件",
        "it is a safetensors file, not a GGUF file": "它是 safetensors 文件，不是 GGUF 文件",
        "it is in an older format than GGUF": "它的格式比 GGUF 还旧",
        "it is filled with zeros: the download was not finished": "它里面全是零：下载没有完成",
        "it is not a GGUF file": "它不是 GGUF 文件",
        "its header claims {claimed} blocks, the file has {found}": (
            "文件头说有 {claimed} 层，文件里有 {found} 层"
        ),
        "its header is damaged ({what})": "它的文件头已损坏（{what}）",
        "far too large": "太大了",
        "alignment": "对齐",
        "it claims {count} {what}": "声称有 {count} 个{what}",
        "blocks": "层",
        "attention heads": "注意力头",
        "tensors": "张量",
        "metadata entries": "元数据项",
        "“{key}” stands in it twice": "“{key}”出现了两次",
        "unknown value type {kind}": "未知的值类型 {kind}",
        "unknown array type {kind}": "未知的数组类型 {kind}",
        "“{name}” has {count} dimensions": "“{name}”有 {count} 维",
        "“{name}” has a size of {size}": "“{name}”的大小是 {size}",
        "the rows of “{name}” do not fit": "“{name}”的行对不上",
        "“{name}” starts at a wrong place": "“{name}”的起点不对",
        "a context length of {length}": "上下文长度是 {length}",
        "an embedding length of {length}": "向量长度是 {length}",
        "“{key}” is {value}": "“{key}”是 {value}",
        # models at work
        "The conversation needs about {needed} tokens and the model's window has {window}.": (
            "这次对话约需 {needed} 个词元，而模型的窗口只有 {window} 个。"
        ),
        "Start a new conversation, or choose a model with a larger window.": (
            "请开始新的对话，或选择窗口更大的模型。"
        ),
        "The model could not be started with a window of {window} tokens: {reason}.": (
            "模型无法以 {window} 个词元的窗口启动：{reason}。"
        ),
        "Close other programs, or choose a smaller model or a smaller window.": (
            "请关掉别的程序，或选择更小的模型或窗口。"
        ),
        "The model cannot go on: {reason}.": "模型无法继续：{reason}。",
        "The model was closed.": "模型已关闭。",
        "The embedding model was closed.": "向量模型已关闭。",
        "What the model has read could not be put aside.": "模型读过的内容没能存起来。",
        "The model gave no result.": "模型没有给出结果。",
        "The model computes nonsense (its weights are damaged).": (
            "模型算出的全是乱码（权重已损坏）。"
        ),
        "The embedding model computes nonsense (its weights are damaged).": (
            "向量模型算出的全是乱码（权重已损坏）。"
        ),
        "The grammar for the tools cannot be used: {reason}.": "工具的语法不能用：{reason}。",
        "A token outside the grammar was chosen.": "选中了语法以外的词元。",
        "The text cannot be embedded: {reason}.": "这段文字无法转成向量：{reason}。",
        "The text is too long for the tokenizer.": "这段文字太长，分词器处理不了。",
        "The model was not loaded because the program is closing.": (
            "程序正在退出，所以没有加载模型。"
        ),
        "Choose a model in GGUF format (a file that ends in .gguf).": (
            "请选择 GGUF 格式的模型（以 .gguf 结尾的文件）。"
        ),
        "There is nobody to ask whether it may be removed.": "没有人可以问能不能删除。",
        "Add --yes.": "请加上 --yes。",
        "This computer has no password store that Moltbot can use.": (
            "这台电脑没有 Moltbot 能用的密码库。"
        ),
        "Unlock it or set one up (GNOME Keyring, KWallet), or put the key into an "
        'environment variable and write "${{NAME}}" into moltbot.json.': (
            "请解锁或设置一个（GNOME Keyring、KWallet），或把密钥放进环境变量，并在 moltbot.jso"
            'n 里写 "${{NAME}}"。'
        ),
        "“{name}” cannot be the name of a secret.": "“{name}”不能作为密钥的名字。",
        "Use letters, digits, “.”, “_” and “-”, at most 64 of them.": (
            "请用字母、数字、“.”、“_”和“-”，最多 64 个。"
        ),
        # what a person says
        "This message has {count} characters; at most {most} fit.": (
            "这条消息有 {count} 个字符；最多 {most} 个。"
        ),
        "Save it as a file in the workspace and ask me to read that file.": (
            "请存成工作文件夹里的文件，再让我去读。"
        ),
        "This message holds a NUL character, which no text has.": (
            "这条消息里有 NUL 字符，文本里不会有它。"
        ),
        "It looks like part of a binary file; send the text of it instead.": (
            "看起来是二进制文件的一部分；请发送其中的文字。"
        ),
        "The message is empty.": "消息是空的。",
        "Type what you would like to know.": "请写你想知道的事。",
        # what a program asks over the local socket
        "there is no method {name}": "没有方法 {name}",
        "{name} failed inside; the details are in the log": "{name} 内部出错；详情在日志里",
        "the assistant has ended": "助手已经结束",
        "the assistant named no conversation": "助手没有说明是哪个对话",
        "this assistant speaks version {own}; you speak {low} to {high}": (
            "这个助手使用第 {own} 版协议；你使用第 {low} 到 {high} 版"
        ),
        "Another Moltbot Desktop is running with this home folder.": (
            "另一个 Moltbot Desktop 正在使用这个主目录。"
        ),
        "Talk to that one, or close it first.": "请到那边去说，或先把它关掉。",
        "this socket belongs to another user": "这个套接字属于另一个用户",
        "at most {most} requests at a time; wait for an answer": (
            "同时最多 {most} 个请求；请等到有回答"
        ),
        "the answer has {count} bytes, more than a frame holds; ask for less": (
            "回答有 {count} 字节，一帧装不下；请少要一些"
        ),
        "{name} is a required property": "缺少 {name}",
        "{method}: Additional properties are not allowed ({names} was unexpected)": (
            "{method} 没有 {names} 这个参数"
        ),
        "{method}: Additional properties are not allowed ({names} were unexpected)": (
            "{method} 没有 {names} 这些参数"
        ),
        "{value} is not of type {kind}": "{value} 的类型不对，应为 {kind}",
        "{value} is not one of {choices}": "{value} 不在 {choices} 之中",
        "{value} should be non-empty": "{value} 不能为空",
        "{value} is too short": "{value} 太短",
        "{value} is too long": "{value} 太长",
        "{value} does not match {pattern}": "{value} 的格式不对（{pattern}）",
        "{value} is less than the minimum of {least}": "{value} 小于最小值 {least}",
        "{value} is greater than the maximum of {most}": "{value} 大于最大值 {most}",
        "`thinking` is one of {levels}.": "`thinking` 可以是 {levels}。",
        "`{name}` is one of {levels}, or null.": "`{name}` 可以是 {levels} 或 null。",
        "This key names a message of somebody else.": "这个 key 已用于别人的消息。",
        "Use a new one for each message.": "每条消息请用新的 key。",
        "A label has at most {most} characters.": "名字最多 {most} 个字符。",
        "Another conversation is called “{name}”.": "已有别的对话叫“{name}”。",
        "There is no agent “{name}”.": "没有代理“{name}”。",
        "agents.list names them.": "agents.list 会列出它们。",
        "models.list shows what there is.": "models.list 会列出已有的模型。",
        "A job has no `{name}` that could be changed.": "任务没有可以修改的 `{name}`。",
        "Which job? `id` is missing.": "哪个任务？缺少 `id`。",
        "cron.list names them.": "cron.list 会列出它们。",
        "A job for `main` has a payload of kind systemEvent, an `isolated` one an agentTurn.": (
            "`main` 的任务要有 systemEvent 类型的 payload，`isolated` 的要有 agentTurn。"
        ),
        "No channel is set up here.": "这里没有设置任何渠道。",
        "Add one under channels first.": "请先在 channels 里添加一个。",
        "The assistant has no conversation there.": "助手在那里没有对话。",
        "Write to it from there first; then it may write back.": (
            "请先从那里给它写信；之后它才能回信。"
        ),
        "Cards are answered at the window alone: a program could say yes to itself.": (
            "确认卡片只能在窗口里回答，否则程序可以自己同意自己。"
        ),
        "No program changes the settings, every permission comes from them; `moltbot-desktop config"
        " set` does.": (
            "程序不能修改设置，因为一切权限都来自设置；请用 `moltbot-desktop config set`。"
        ),
        "There is no network and no other device here; this socket is the only door.": (
            "这里没有网络，也没有其他设备；这个套接字是唯一的入口。"
        ),
        "Nobody puts words into the assistant's mouth; `system-event` leaves a notice for it.": (
            "没有人能替助手说话；`system-event` 可以给它留一条通知。"
        ),
        "A channel's account is set up in moltbot.json.": "渠道的账号在 moltbot.json 里设置。",
        "A channel's account is taken out of moltbot.json.": "渠道的账号在 moltbot.json 里删除。",
        "No program gives the assistant skills; `moltbot-desktop skills install` does, and asks,"
        " also where a newer one takes the place of one that is there.": (
            "没有程序能给助手添加技能；`moltbot-desktop skills install` 可以，并会先问，"
            "用新版本替换已有的技能时也一样。"
        ),
        "Whether a skill is on, its key and its variables are its owner's to say: in moltbot.json"
        " (skills.entries) or in the settings window.": (
            "技能是否启用、它的密钥和变量由主人决定：在 moltbot.json（skills.entries）"
            "或设置窗口里设置。"
        ),
        "It is updated the way it was installed.": "怎样安装的就怎样更新。",
        "There is nothing to be set up before the first question.": "提问之前不需要任何设置。",
        # backups
        "This is no backup of Moltbot Desktop, or it is damaged.": (
            "这不是 Moltbot Desktop 的备份，或者它已损坏。"
        ),
        "Choose a file that “moltbot-desktop export” wrote.": (
            "请选择“moltbot-desktop export”写出的文件。"
        ),
        "A newer Moltbot Desktop made this backup.": "这份备份是更新版本的 Moltbot Desktop 做的。",
        "Update this one first.": "请先更新这里的程序。",
        "Choose another name; nothing is overwritten.": "请换一个名字；不会覆盖任何文件。",
        "The backup did not come back from the disk as it was written.": (
            "从磁盘读回的备份与写入的不一致。"
        ),
        "Check that the disk is sound, or choose another one.": "请检查磁盘，或换一个磁盘。",
        "There is no file {path}.": "没有文件 {path}。",
        "Check the name of the backup.": "请检查备份的文件名。",
        "This backup would unpack to far more than it can hold.": (
            "这份备份解开后会大得不合常理。"
        ),
        "Nobody made it with this program; do not use it.": "它不是用本程序做的，请不要使用。",
        "The backup is damaged: “{name}” is not what it was.": "备份已损坏：“{name}”与原来不同。",
        "Use another copy of it.": "请用它的另一份副本。",
        "The list of {name} in it cannot be read.": "读不懂其中的 {name} 列表。",
        "“{name}” did not come to stand as it should.": "“{name}”没有按预期放好。",
        "Import again, or restore the snapshot that was made before.": (
            "请再导入一次，或恢复之前做的快照。"
        ),
        "There is not exactly one snapshot whose id begins with {name}.": (
            "编号以 {name} 开头的快照不是恰好一个。"
        ),
        "“moltbot-desktop snapshots list” shows their ids.": (
            "用“moltbot-desktop snapshots list”可以看到编号。"
        ),
        "A snapshot's list is damaged.": "快照的清单已损坏。",
        "Moltbot is running; nothing can be put back under it.": "Moltbot 正在运行，这时不能恢复。",
        "Quit it first, or let it be done at its next start: --at-start.": (
            "请先退出它，或让它在下次启动时恢复：--at-start。"
        ),
        "“{name}” is being changed.": "“{name}”正在被修改。",
        "Quit the other program first.": "请先退出另一个程序。",
        "{folder} is no folder of Moltbot, Clawdbot or OpenClaw.": (
            "{folder} 不是 Moltbot、Clawdbot 或 OpenClaw 的文件夹。"
        ),
        "Name the one in which openclaw.json, moltbot.json or clawdbot.json lies.": (
            "请写 openclaw.json、moltbot.json 或 clawdbot.json 所在的文件夹。"
        ),
        "This is another backup than a moment ago.": "这份备份和刚才的不一样了。",
        "Look at its plan again.": "请重新查看计划。",
        "That is this assistant's own folder.": "那是这个助手自己的文件夹。",
        "Name another one.": "请写另一个文件夹。",
        "Something is being imported or restored already.": "正在导入或恢复。",
        "Wait until it is done.": "请等它完成。",
        "This system does not know your home folder.": "系统不知道你的主文件夹在哪里。",
        "Set MOLTBOT_HOME to a folder that you may write, such as /data/moltbot.": (
            "请用 MOLTBOT_HOME 指定一个可写的文件夹，例如 /data/moltbot。"
        ),
    }
)


def sentences() -> tuple[str, ...]:
    """What the program can say in English, with ``{slots}``."""
    return tuple(_CHINESE)


_QUOTED = re.compile(r"“\{(\w+)\}”")


def translated(text: str, language: Language) -> str:
    """One sentence in `language`; as it is where nobody has translated it."""
    if language is not Language.CHINESE:
        return text
    for form, chinese in _forms():
        if match := form.fullmatch(text):
            # What follows may itself be such a sentence: "Job 3: That never comes." What stands
            # in quotes is somebody's own words, whatever they say.
            quoted = _QUOTED.findall(chinese)
            slots = {
                name: said if name in quoted else translated(said, language)
                for name, said in match.groupdict().items()
            }
            return chinese.format(**slots)
    return _by_sentences(text, language)


def _by_sentences(text: str, language: Language) -> str:
    """A text that is a sentence of the table and others after it; else as it is."""
    for end in re.finditer(r"[.?!] ", text):
        first, rest = text[: end.start() + 1], text[end.end() :]
        if (chinese := translated(first, language)) != first:
            return f"{chinese}{translated(rest, language)}"
    return text


def in_words(error: MoltbotError, language: Language) -> str:
    """What is wrong and what to do about it, in one line."""
    return in_one_line(*(translated(one, language) for one in (error.message, error.hint)))


def _forms() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The table as patterns; made when somebody needs it, which is seldom."""
    return tuple((_form(english), chinese) for english, chinese in _CHINESE.items())


def _form(english: str) -> re.Pattern[str]:
    plain = re.escape(english).replace(r"\{\{", r"\{").replace(r"\}\}", r"\}")
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", plain), re.DOTALL)
