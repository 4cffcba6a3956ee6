<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>ApprovalCard</name>
    <message>
        <source>Allow for this task</source>
        <translation>允许（这次任务）</translation>
    </message>
    <message>
        <source>Allow for an hour</source>
        <translation>允许一小时</translation>
    </message>
    <message>
        <source>Always allow</source>
        <translation>始终允许</translation>
    </message>
    <message>
        <source>Allow all of it once</source>
        <translation>全部允许一次</translation>
    </message>
    <message>
        <source>One by one</source>
        <translation>逐个决定</translation>
    </message>
    <message>
        <source>once</source>
        <translation>一次</translation>
    </message>
    <message>
        <source>for this task</source>
        <translation>这次任务期间</translation>
    </message>
    <message>
        <source>for an hour</source>
        <translation>一小时内</translation>
    </message>
    <message>
        <source>always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>Longer than once, this holds for: %1</source>
        <translation>长于一次时适用于：%1</translation>
    </message>
    <message>
        <source>In one step: %1 things</source>
        <translation>一步里的 %1 件事</translation>
    </message>
    <message>
        <source>Allow this once</source>
        <translation>仅此一次允许</translation>
    </message>
    <message>
        <source>Don&apos;t allow</source>
        <translation>不允许</translation>
    </message>
    <message>
        <source>Permission asked</source>
        <translation>请求许可</translation>
    </message>
    <message>
        <source>What exactly would be done</source>
        <translation>将要执行的具体内容</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Notice</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>Close this notice</source>
        <translation>关闭此提示</translation>
    </message>
</context>
<context>
    <name>ChatEvents</name>
    <message>
        <source>It was due at {time}, while I was not running.</source>
        <translation>本应在 {time} 提醒，当时程序没有运行。</translation>
    </message>
    <message>
        <source>The beginning of this conversation is summarised for the model.</source>
        <translation>这个对话的开头已为模型整理成摘要。</translation>
    </message>
    <message>
        <source>Every word stays here and can be searched.</source>
        <translation>原话都还在这里，随时可以搜索。</translation>
    </message>
</context>
<context>
    <name>ChatPage</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>To the newest message</source>
        <translation>回到最新消息</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>What fills the model&apos;s window</source>
        <translation>模型窗口里装了什么</translation>
    </message>
    <message>
        <source>That is too long to write here: {count} characters.</source>
        <translation>内容太长，无法写在这里：{count} 个字符。</translation>
    </message>
    <message>
        <source>Save it as a file in the workspace folder and ask me to read it.</source>
        <translation>请保存为工作区文件夹中的文件，再让我读取。</translation>
    </message>
    <message>
        <source>This link was not opened: only web and mail addresses are.</source>
        <translation>没有打开这个链接：只打开网页和邮件地址。</translation>
    </message>
    <message>
        <source>One moment: the assistant is still starting.</source>
        <translation>请稍等：助手正在启动。</translation>
    </message>
    <message>
        <source>Your text is sent as soon as it is ready.</source>
        <translation>准备好后会马上发送你的文字。</translation>
    </message>
</context>
<context>
    <name>CommandMenu</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Files for this message</source>
        <translation>选择要随消息发送的文件</translation>
    </message>
    <message>
        <source>Ask or tell me something</source>
        <translation>问点什么，或告诉我点什么</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line, Escape stops the answer.</source>
        <translation>Enter 发送，Shift+Enter 换行，Esc 停止回答。</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>Add files (Ctrl+Shift+A)</source>
        <translation>添加文件（Ctrl+Shift+A）</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop (Esc)</source>
        <translation>停止 (Esc)</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>发送 (Enter)</translation>
    </message>
</context>
<context>
    <name>ContextPanel</name>
    <message>
        <source>What fills the model&apos;s window</source>
        <translation>模型窗口里装了什么</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Parts of the next request</source>
        <translation>下一次请求的组成</translation>
    </message>
    <message>
        <source>{count} characters</source>
        <translation>{count} 个字符</translation>
    </message>
    <message>
        <source>{count} tokens</source>
        <translation>{count} 个词元</translation>
    </message>
    <message>
        <source>This cannot be counted now.</source>
        <translation>现在无法统计。</translation>
    </message>
    <message>
        <source>The sizes are in characters: this model has not counted all of it.</source>
        <translation>大小按字符计：这个模型还没有数过全部内容。</translation>
    </message>
    <message>
        <source>Tokens can be counted once a model is loaded: send a message first.</source>
        <translation>加载模型之后才能数词元：先发一条消息吧。</translation>
    </message>
    <message>
        <source>{used} of {window} tokens: {percent} % of the window.</source>
        <translation>{window} 个词元的窗口用了 {used} 个，占 {percent}%。</translation>
    </message>
    <message>
        <source>The model has read {cached} of them before.</source>
        <translation>其中 {cached} 个模型之前已经读过。</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Skills</source>
        <translation>技能</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
</context>
<context>
    <name>Desktop</name>
    <message>
        <source>The assistant has stopped unexpectedly.</source>
        <translation>助手意外停止了。</translation>
    </message>
    <message>
        <source>Quit and start again. A note about it is in the logs folder.</source>
        <translation>请退出后重新启动。日志文件夹中有记录。</translation>
    </message>
</context>
<context>
    <name>Editing</name>
    <message>
        <source>You are saying an earlier message in other words. The old one stays.</source>
        <translation>正在修改之前的一条消息，原来的会保留。</translation>
    </message>
    <message>
        <source>Its files stay with it.</source>
        <translation>它的文件会一起保留。</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>不改了</translation>
    </message>
    <message>
        <source>Leave it as it is (Esc)</source>
        <translation>不改了（Esc）</translation>
    </message>
</context>
<context>
    <name>Entrance</name>
    <message>
        <source>Open chat</source>
        <translation>打开对话</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Moltbot is starting</source>
        <translation>Moltbot 正在启动</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Moltbot</source>
        <translation>Moltbot</translation>
    </message>
    <message>
        <source>offline · on this computer</source>
        <translation>离线 · 只在这台电脑上</translation>
    </message>
    <message>
        <source>New chat (Ctrl+N)</source>
        <translation>新对话 (Ctrl+N)</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
</context>
<context>
    <name>Hotkey</name>
    <message>
        <source>Quick question</source>
        <translation>快速提问</translation>
    </message>
</context>
<context>
    <name>InboxDialog</name>
    <message>
        <source>Memory inbox</source>
        <translation>记忆收件箱</translation>
    </message>
    <message>
        <source>Nothing waits. What you mention about yourself in a chat is proposed here.</source>
        <translation>没有等待的内容。你在对话里提到的关于自己的事会出现在这里。</translation>
    </message>
    <message>
        <source>Decided lately</source>
        <translation>最近的决定</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>记住</translation>
    </message>
    <message>
        <source>No</source>
        <translation>不记</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Waiting for your yes</source>
        <translation>等你确认</translation>
    </message>
    <message>
        <source>Takes the place of: {fact}</source>
        <translation>将取代：{fact}</translation>
    </message>
    <message>
        <source>Kept: {fact}</source>
        <translation>已记住：{fact}</translation>
    </message>
    <message>
        <source>Not kept: {fact}</source>
        <translation>不记：{fact}</translation>
    </message>
    <message>
        <source>Remembered: {fact}</source>
        <translation>已按要求记住：{fact}</translation>
    </message>
    <message>
        <source>Undone: {fact}</source>
        <translation>已撤销：{fact}</translation>
    </message>
</context>
<context>
    <name>Language</name>
    <message>
        <source>en</source>
        <translation>zh</translation>
    </message>
</context>
<context>
    <name>LinkQuestion</name>
    <message>
        <source>Open a link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Open this address outside Moltbot?</source>
        <translation>要在 Moltbot 之外打开这个地址吗？</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Chat</source>
        <translation>聊天</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Moltbot Desktop</source>
        <translation>Moltbot 桌面助手</translation>
    </message>
</context>
<context>
    <name>MemoryInbox</name>
    <message>
        <source>Memory inbox ({count})</source>
        <translation>记忆收件箱（{count}）</translation>
    </message>
    <message>
        <source>Memory inbox</source>
        <translation>记忆收件箱</translation>
    </message>
</context>
<context>
    <name>MessageBar</name>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>More (Menu key)</source>
        <translation>更多（菜单键）</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>Go through the messages</source>
        <translation>逐条浏览消息</translation>
    </message>
</context>
<context>
    <name>Notifier</name>
    <message>
        <source>Missed reminder</source>
        <translation>错过的提醒</translation>
    </message>
    <message>
        <source>Reminder</source>
        <translation>提醒</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Something you wanted to be reminded of.</source>
        <translation>有一件你想被提醒的事。</translation>
    </message>
    <message>
        <source>Moltbot</source>
        <translation>Moltbot</translation>
    </message>
    <message>
        <source>There is news.</source>
        <translation>有新消息。</translation>
    </message>
    <message>
        <source>Moltbot needs your answer</source>
        <translation>Moltbot 需要你的回答</translation>
    </message>
    <message>
        <source>It waits for a yes or no.</source>
        <translation>它在等你同意或拒绝。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>Origins</name>
    <message>
        <source>Asked in the main conversation of {agent}</source>
        <translation>来自 {agent} 的主对话</translation>
    </message>
    <message>
        <source>Asked by a scheduled job</source>
        <translation>来自定时任务</translation>
    </message>
    <message>
        <source>Asked by a helper</source>
        <translation>来自一个助手</translation>
    </message>
    <message>
        <source>Asked by a helper of {agent}</source>
        <translation>来自 {agent} 的一个助手</translation>
    </message>
    <message>
        <source>Asked in {channel} ({who})</source>
        <translation>来自 {channel}（{who}）</translation>
    </message>
    <message>
        <source>Asked in another conversation ({key})</source>
        <translation>来自另一个对话（{key}）</translation>
    </message>
</context>
<context>
    <name>Outside</name>
    <message>
        <source>The key {chord} belongs to another program.</source>
        <translation>按键 {chord} 已被另一个程序占用。</translation>
    </message>
    <message>
        <source>“{chord}” is no key that I could use.</source>
        <translation>“{chord}”不是可以使用的按键。</translation>
    </message>
    <message>
        <source>This desktop did not give me the key {chord}.</source>
        <translation>这个桌面没有把按键 {chord} 交给我。</translation>
    </message>
    <message>
        <source>Choose another one under Settings, or bind a key to “{command}”.</source>
        <translation>请在设置里换一个，或者给“{command}”绑定一个按键。</translation>
    </message>
</context>
<context>
    <name>Places</name>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>日程</translation>
    </message>
    <message>
        <source>Activity</source>
        <translation>活动</translation>
    </message>
    <message>
        <source>Skills</source>
        <translation>技能</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>渠道</translation>
    </message>
    <message>
        <source>Plugins</source>
        <translation>插件</translation>
    </message>
    <message>
        <source>Safety</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>Backup</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Doctor</source>
        <translation>体检</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
</context>
<context>
    <name>ProposalCard</name>
    <message>
        <source>Remember this?</source>
        <translation>要记住吗？</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>记住</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>修改</translation>
    </message>
    <message>
        <source>No</source>
        <translation>不记</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Write it into MEMORY.md</source>
        <translation>写入 MEMORY.md</translation>
    </message>
    <message>
        <source>Do not remember it, and do not ask again</source>
        <translation>不记住，以后也不再问</translation>
    </message>
    <message>
        <source>Later: it waits in the memory inbox</source>
        <translation>以后再说：它会留在记忆收件箱里</translation>
    </message>
    <message>
        <source>Decide later</source>
        <translation>以后再决定</translation>
    </message>
    <message>
        <source>In your words</source>
        <translation>用你自己的话</translation>
    </message>
    <message>
        <source>Keep this? “{fact}”</source>
        <translation>要记住吗？“{fact}”</translation>
    </message>
    <message>
        <source>Takes the place of: {fact}</source>
        <translation>将取代：{fact}</translation>
    </message>
</context>
<context>
    <name>QuickAsk</name>
    <message>
        <source>Quick question</source>
        <translation>快速提问</translation>
    </message>
    <message>
        <source>Ask Moltbot</source>
        <translation>问 Moltbot</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Add what I copied</source>
        <translation>加上复制的内容</translation>
    </message>
    <message>
        <source>Continue in the chat</source>
        <translation>在对话中继续</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Leave the copied text out</source>
        <translation>不要复制的内容</translation>
    </message>
    <message>
        <source>One moment: the assistant is still starting.</source>
        <translation>请稍等：助手还在启动。</translation>
    </message>
    <message>
        <source>You have not copied any text.</source>
        <translation>你还没有复制文字。</translation>
    </message>
    <message>
        <source>That is too long to ask here: {count} characters.</source>
        <translation>在这里提问太长了：{count} 个字符。</translation>
    </message>
    <message>
        <source>Copied text, {count} characters: {start}</source>
        <translation>复制的内容，{count} 个字符：{start}</translation>
    </message>
</context>
<context>
    <name>Rail</name>
    <message>
        <source>Places</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>{place}, {count} waiting</source>
        <translation>{place}，{count} 项待处理</translation>
    </message>
</context>
<context>
    <name>SealQuestion</name>
    <message>
        <source>Offline seal</source>
        <translation>离线封印</translation>
    </message>
    <message>
        <source>Open the seal?</source>
        <translation>打开封印吗？</translation>
    </message>
    <message>
        <source>What you switched on, such as web pages or a model elsewhere, may then send and receive. You can close it again at any time.</source>
        <translation>之后，你打开的功能（例如网页或其他地方的模型）就可以收发数据。随时可以再关上。</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Leave it closed</source>
        <translation>保持关闭</translation>
    </message>
</context>
<context>
    <name>ShellWords</name>
    <message>
        <source>Open “{place}”</source>
        <translation>打开“{place}”</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>reading {percent} %</source>
        <translation>阅读中 {percent} %</translation>
    </message>
    <message>
        <source>the model loads at your first message</source>
        <translation>发送第一条消息时加载模型</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>模型：{name}</translation>
    </message>
    <message>
        <source>working… (Esc stops)</source>
        <translation>处理中…（Esc 停止）</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Context: {percent} %</source>
        <translation>上下文：{percent}%</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>What fills the model&apos;s window</source>
        <translation>模型窗口里装了什么</translation>
    </message>
    <message>
        <source>What fills the model&apos;s window (Ctrl+M)</source>
        <translation>模型窗口里装了什么（Ctrl+M）</translation>
    </message>
    <message>
        <source>summarising the beginning</source>
        <translation>正在整理对话的开头</translation>
    </message>
</context>
<context>
    <name>Tools</name>
    <message>
        <source>waits for your yes</source>
        <translation>等你同意</translation>
    </message>
    <message>
        <source>did not work</source>
        <translation>没有成功</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>未获允许</translation>
    </message>
    <message>
        <source>not in this version</source>
        <translation>此版本没有</translation>
    </message>
    <message>
        <source>not run</source>
        <translation>未执行</translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>From memory: {places}</source>
        <translation>来自记忆：{places}</translation>
    </message>
    <message>
        <source>no longer there</source>
        <translation>已经不在了</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation>思考中…</translation>
    </message>
    <message>
        <source>Thoughts</source>
        <translation>思考过程</translation>
    </message>
    <message>
        <source>Stopped here – this answer is not finished</source>
        <translation>到此停止 – 这个回答没有写完</translation>
    </message>
    <message>
        <source>Broken off – this answer is not finished</source>
        <translation>已中断 – 这个回答没有写完</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>排队中</translation>
    </message>
    <message>
        <source>not answered: stopped before its turn</source>
        <translation>未回答：还没轮到就停止了</translation>
    </message>
    <message>
        <source>Load earlier messages</source>
        <translation>加载更早的消息</translation>
    </message>
    <message>
        <source>… {count} more characters are not shown</source>
        <translation>…… 另有 {count} 个字符未显示</translation>
    </message>
    <message>
        <source>Reminder</source>
        <translation>提醒</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>{count} times, the last one:</source>
        <translation>共 {count} 次，最近一次：</translation>
    </message>
    <message>
        <source>{file} is being kept…</source>
        <translation>正在保存 {file}…</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Let nothing leave this computer</source>
        <translation>不让任何数据离开这台电脑</translation>
    </message>
    <message>
        <source>Moltbot is still here</source>
        <translation>Moltbot 还在这里</translation>
    </message>
    <message>
        <source>Click this icon to open it again; Quit is in its menu.</source>
        <translation>点击此图标可再次打开；菜单中可以退出。</translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation>打开对话</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Quick question</source>
        <translation>快速提问</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>No reminders set</source>
        <translation>没有提醒</translation>
    </message>
    <message>
        <source>Reminders set: {count}</source>
        <translation>提醒：{count} 个</translation>
    </message>
    <message>
        <source>No model loaded yet</source>
        <translation>尚未加载模型</translation>
    </message>
    <message>
        <source>Model: {name}, {size}</source>
        <translation>模型：{name}，{size}</translation>
    </message>
    <message>
        <source>For one hour</source>
        <translation>一小时</translation>
    </message>
    <message>
        <source>Until tomorrow morning</source>
        <translation>到明天早上</translation>
    </message>
    <message>
        <source>Until I say so</source>
        <translation>直到我说继续</translation>
    </message>
    <message>
        <source>Do nothing by yourself</source>
        <translation>先别自己做事</translation>
    </message>
    <message>
        <source>Go on (paused until {time})</source>
        <translation>继续（已暂停到 {time}）</translation>
    </message>
    <message>
        <source>Go on (paused)</source>
        <translation>继续（已暂停）</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Reminders due: {count}</source>
        <translation>到期的提醒：{count}</translation>
    </message>
    <message>
        <source>Give the model&apos;s memory back ({size})</source>
        <translation>释放模型占用的内存（{size}）</translation>
    </message>
    <message>
        <source>Moltbot</source>
        <translation>Moltbot</translation>
    </message>
    <message>
        <source>Moltbot is thinking</source>
        <translation>Moltbot 正在思考</translation>
    </message>
    <message>
        <source>Moltbot needs your answer</source>
        <translation>Moltbot 需要你的回答</translation>
    </message>
    <message>
        <source>Moltbot has a problem</source>
        <translation>Moltbot 遇到了问题</translation>
    </message>
    <message>
        <source>Paused: jobs and messages wait</source>
        <translation>已暂停：任务和消息都在等待</translation>
    </message>
    <message>
        <source>In an hour</source>
        <translation>一小时后</translation>
    </message>
    <message>
        <source>In {minutes} minutes</source>
        <translation>{minutes} 分钟后</translation>
    </message>
    <message>
        <source>No walls hold commands here: I ask before most of them</source>
        <translation>这台电脑上没有隔离命令的围墙：多数命令我会先问你</translation>
    </message>
    <message>
        <source>Sealed: nothing leaves this computer</source>
        <translation>封印已关上：什么都不会离开这台电脑</translation>
    </message>
    <message>
        <source>Nothing has left this computer today</source>
        <translation>今天没有任何数据离开这台电脑</translation>
    </message>
    <message>
        <source>{size} left this computer today</source>
        <translation>今天有 {size} 离开了这台电脑</translation>
    </message>
</context>
<context>
    <name>UndoBar</name>
    <message>
        <source>I changed files in this task.</source>
        <translation>这次任务改动了文件。</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Close this notice</source>
        <translation>关闭这条提示</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Remember that my dentist is Dr. Okafor, phone 555-0142</source>
        <translation>记住我的牙医是李医生，电话 555-0142</translation>
    </message>
    <message>
        <source>Who is my dentist?</source>
        <translation>我的牙医是谁？</translation>
    </message>
    <message>
        <source>Remind me in 10 minutes to call Anna</source>
        <translation>10分钟后提醒我给小王打电话</translation>
    </message>
    <message>
        <source>What reminders do I have?</source>
        <translation>我有哪些提醒？</translation>
    </message>
    <message>
        <source>What is 249 times 18?</source>
        <translation>249乘以18是多少？</translation>
    </message>
    <message>
        <source>Hello. What can I keep in mind for you?</source>
        <translation>你好。要我替你记住什么？</translation>
    </message>
    <message>
        <source>I work on this computer alone. What you tell me stays here. Try one of these:</source>
        <translation>我只在这台电脑上工作，你说的话不会离开这里。试试这些：</translation>
    </message>
    <message>
        <source>Example: {request}</source>
        <translation>示例：{request}</translation>
    </message>
</context>
</TS>
