<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Conversations</name>
    <message>
        <source>Pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>Called so</source>
        <translation>名称相符</translation>
    </message>
    <message>
        <source>Said there</source>
        <translation>说过的话</translation>
    </message>
    <message>
        <source>Nothing said yet</source>
        <translation>还没有内容</translation>
    </message>
    <message>
        <source>Scheduled job</source>
        <translation>定时任务</translation>
    </message>
    <message>
        <source>Helper</source>
        <translation>帮手</translation>
    </message>
    <message>
        <source>Elsewhere</source>
        <translation>别处</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>已导入</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>This week</source>
        <translation>本周</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>更早</translation>
    </message>
    <message>
        <source>{tokens} tokens in {seconds} s ({speed} a second)</source>
        <translation>{tokens} 个词元，用时 {seconds} 秒（每秒 {speed} 个）</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Quote</source>
        <translation>引用</translation>
    </message>
    <message>
        <source>An answer is being written: wait for its end, or stop it.</source>
        <translation>正在回答：请等它写完，或让它停下。</translation>
    </message>
    <message>
        <source>Edit and send again…</source>
        <translation>修改后重新发送…</translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation>重新回答</translation>
    </message>
    <message>
        <source>Copy without Markdown</source>
        <translation>复制（不带 Markdown）</translation>
    </message>
    <message>
        <source>Copy the code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>This message is too long for the input.</source>
        <translation>这条消息太长，输入框放不下。</translation>
    </message>
    <message>
        <source>Version before</source>
        <translation>上一个版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一个版本</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Version {number} of {count}</source>
        <translation>第 {number} 个版本，共 {count} 个</translation>
    </message>
</context>
<context>
    <name>ConversationsSide</name>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Bin</source>
        <translation>回收站</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话列表</translation>
    </message>
    <message>
        <source>Search all conversations</source>
        <translation>搜索全部对话</translation>
    </message>
    <message>
        <source>Search all conversations (Ctrl+K)</source>
        <translation>搜索全部对话（Ctrl+K）</translation>
    </message>
    <message>
        <source>Nobody said “{words}” here.</source>
        <translation>这里没有人说过“{words}”。</translation>
    </message>
    <message>
        <source>What you talk about stands here, day by day. Say something first.</source>
        <translation>聊过的内容会按日期列在这里。先说点什么吧。</translation>
    </message>
    <message>
        <source>Nothing is put away. Delete in the list of chats puts one here.</source>
        <translation>还没有归档的对话。在对话列表里按 Delete 即可归档。</translation>
    </message>
    <message>
        <source>The bin is empty.</source>
        <translation>回收站是空的。</translation>
    </message>
    <message>
        <source>Archived: {name}</source>
        <translation>已归档：{name}</translation>
    </message>
    <message>
        <source>In the bin: {name}</source>
        <translation>已放入回收站：{name}</translation>
    </message>
    <message>
        <source>It is back.</source>
        <translation>已恢复。</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>What is it called? Left empty, it goes by its first words.</source>
        <translation>叫什么名字？留空就用开头的话。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Written: {path}</source>
        <translation>已写入：{path}</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Put into the bin</source>
        <translation>放入回收站</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>导出为 Markdown…</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>导出为 JSON…</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation>在这个对话里查找</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Previous (Shift+Enter)</source>
        <translation>上一处 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Next (Enter)</source>
        <translation>下一处 (Enter)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>{current} of {count}</source>
        <translation>第 {current} 处，共 {count} 处</translation>
    </message>
</context>
<context>
    <name>PastChats</name>
    <message>
        <source>List of conversations</source>
        <translation>对话列表</translation>
    </message>
    <message>
        <source>Search all conversations</source>
        <translation>搜索全部对话</translation>
    </message>
    <message>
        <source>Open again what was closed last</source>
        <translation>重新打开刚关闭的对话</translation>
    </message>
    <message>
        <source>List of conversations (Ctrl+B)</source>
        <translation>对话列表 (Ctrl+B)</translation>
    </message>
</context>
<context>
    <name>ReadingBar</name>
    <message>
        <source>An answer is still being written in the other conversation.</source>
        <translation>另一个对话里的回答还在写。</translation>
    </message>
    <message>
        <source>You are only reading this ({source}). Nothing can be said in it from here.</source>
        <translation>这个对话（{source}）在这里只能查看，不能回复。</translation>
    </message>
    <message>
        <source>Back to my conversation</source>
        <translation>回到我的对话</translation>
    </message>
</context>
<context>
    <name>Zoom</name>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Usual size of text</source>
        <translation>恢复默认大小</translation>
    </message>
</context>
</TS>
