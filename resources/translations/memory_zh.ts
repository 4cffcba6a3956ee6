<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>ChangeDetails</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>ForgetForm</name>
    <message>
        <source>Looking where it stands…</source>
        <translation>正在查看它出现在哪里…</translation>
    </message>
    <message>
        <source>Take it out of those as well; nothing brings it back</source>
        <translation>也从这些地方去掉；去掉后无法恢复</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>忘记</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Forget this?</source>
        <translation>要忘记这个吗？</translation>
    </message>
    <message>
        <source>For ten minutes the note can be brought back.</source>
        <translation>十分钟内可以恢复这条笔记。</translation>
    </message>
    <message>
        <source>It goes from {files}, from the search index, from what waits in the inbox, and from what models have kept.</source>
        <translation>它会从 {files}、搜索索引、待定内容和模型保存的内容中去掉。</translation>
    </message>
    <message>
        <source>It is said in past conversations ({count}).</source>
        <translation>以前的对话里提到过它（{count} 个）。</translation>
    </message>
</context>
<context>
    <name>HitDetails</name>
    <message>
        <source>Found by: {reasons}. Score: {score} of 1.</source>
        <translation>依据：{reasons}。得分：{score}（满分 1）。</translation>
    </message>
    <message>
        <source>Not your words: {source}</source>
        <translation>不是你说的：{source}</translation>
    </message>
    <message>
        <source>Open the note</source>
        <translation>打开笔记</translation>
    </message>
    <message>
        <source>Forget…</source>
        <translation>忘记…</translation>
    </message>
    <message>
        <source>Said in a conversation; it stands in no note.</source>
        <translation>这是对话里说过的，没有写在笔记里。</translation>
    </message>
</context>
<context>
    <name>Memory</name>
    <message>
        <source>What I always know</source>
        <translation>我始终记得的</translation>
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
        <source>not saved</source>
        <translation>未保存</translation>
    </message>
    <message>
        <source>read only</source>
        <translation>只读</translation>
    </message>
    <message>
        <source>“{quote}”</source>
        <translation>“{quote}”</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>已记住</translation>
    </message>
    <message>
        <source>not kept</source>
        <translation>不记</translation>
    </message>
    <message>
        <source>remembered</source>
        <translation>已按要求记住</translation>
    </message>
    <message>
        <source>undone</source>
        <translation>已撤销</translation>
    </message>
    <message>
        <source>a conversation</source>
        <translation>一次对话</translation>
    </message>
    <message>
        <source>{file}, line {line}</source>
        <translation>{file}，第 {line} 行</translation>
    </message>
    <message>
        <source>words</source>
        <translation>字词</translation>
    </message>
    <message>
        <source>meaning</source>
        <translation>语义</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>nearby</source>
        <translation>相邻</translation>
    </message>
    <message>
        <source>Not your words: {source}</source>
        <translation>不是你说的：{source}</translation>
    </message>
    <message>
        <source>You said on {when}: “{quote}”</source>
        <translation>你在 {when} 说过：“{quote}”</translation>
    </message>
</context>
<context>
    <name>MemoryPlace</name>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>新笔记</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Ctrl+N</translation>
    </message>
    <message>
        <source>Search by meaning…</source>
        <translation>按语义搜索…</translation>
    </message>
    <message>
        <source>It needs a small model, which you can get there.</source>
        <translation>这需要一个小模型，可以在那里获取。</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>待定</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Whose memory</source>
        <translation>谁的记忆</translation>
    </message>
    <message>
        <source>Plain files on this computer.</source>
        <translation>这台电脑上的普通文本文件。</translation>
    </message>
    <message>
        <source>What you mentioned about yourself. I remember it when you say so.</source>
        <translation>你提到过的关于自己的事。你同意了，我才会记住。</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>没有找到。</translation>
    </message>
    <message>
        <source>Try another word.</source>
        <translation>换个词试试。</translation>
    </message>
    <message>
        <source>Nothing waits.</source>
        <translation>没有等待的内容。</translation>
    </message>
    <message>
        <source>What you mention about yourself in a chat is proposed here, with the words it was taken from. I keep only what you say yes to.</source>
        <translation>你在对话里提到的关于自己的事会出现在这里，并附上原话。只有你同意的，我才会记住。</translation>
    </message>
    <message>
        <source>What are you looking for?</source>
        <translation>想找什么？</translation>
    </message>
    <message>
        <source>Ask in your own words: “Who is my dentist?” I show where it stands, why I think so, and can forget it there.</source>
        <translation>用你自己的话问，比如“我的牙医是谁？”。我会指出它写在哪里、为什么是它，也可以在那里忘掉它。</translation>
    </message>
    <message>
        <source>I remember nothing yet.</source>
        <translation>我还什么都没记住。</translation>
    </message>
    <message>
        <source>Tell me in the chat what to remember: “Remember that my dentist is Dr. Okafor.” Or write a note. All of it is plain text, and yours.</source>
        <translation>在对话里告诉我要记住什么，比如“记住我的牙医是李医生”。也可以写一条笔记。这些都是普通文本，都归你所有。</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>写一条笔记</translation>
    </message>
    <message>
        <source>Saved: {path}</source>
        <translation>已保存：{path}</translation>
    </message>
    <message>
        <source>As it was: {path}</source>
        <translation>已恢复原样：{path}</translation>
    </message>
    <message>
        <source>{path} was changed since, so it stays as it is.</source>
        <translation>{path} 后来又有改动，所以保持现状。</translation>
    </message>
    <message>
        <source>{path} was changed meanwhile. Open it to choose what stays.</source>
        <translation>{path} 在此期间被改动了。请打开它，选择保留哪些内容。</translation>
    </message>
    <message>
        <source>What you had typed is gone.</source>
        <translation>你刚才输入的内容已去掉。</translation>
    </message>
    <message>
        <source>I know that already.</source>
        <translation>这个我已经记着了。</translation>
    </message>
    <message>
        <source>Remembered.</source>
        <translation>记住了。</translation>
    </message>
    <message>
        <source>Back in {path}.</source>
        <translation>已恢复到 {path}。</translation>
    </message>
    <message>
        <source>Forgotten: {text}</source>
        <translation>已忘记：{text}</translation>
    </message>
</context>
<context>
    <name>NewNote</name>
    <message>
        <source>What shall I remember?</source>
        <translation>要我记住什么？</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Ctrl+S</source>
        <translation>Ctrl+S</translation>
    </message>
    <message>
        <source>It goes into the notes of today.</source>
        <translation>会记入今天的笔记。</translation>
    </message>
</context>
<context>
    <name>NoteEditor</name>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Ctrl+S</source>
        <translation>Ctrl+S</translation>
    </message>
    <message>
        <source>This note was changed meanwhile, and not by you.</source>
        <translation>这条笔记在此期间被改动了，不是你改的。</translation>
    </message>
    <message>
        <source>Keep both</source>
        <translation>两边都留</translation>
    </message>
    <message>
        <source>Keep mine</source>
        <translation>保留我的</translation>
    </message>
    <message>
        <source>Take the other</source>
        <translation>用对方的</translation>
    </message>
    <message>
        <source>Not saved yet. It is saved with Ctrl+S, and when you leave.</source>
        <translation>尚未保存。按 Ctrl+S 或离开时会保存。</translation>
    </message>
    <message>
        <source>{path} is yours: I only read it.</source>
        <translation>{path} 是你自己的文件：我只读取它。</translation>
    </message>
    <message>
        <source>Some of its characters cannot be read, so it is only shown here. Save it as UTF-8 text in another editor, and it can be changed here again.</source>
        <translation>其中有些字符读不出来，所以这里只能查看。用别的编辑器存成 UTF-8 文本后，就能在这里修改。</translation>
    </message>
</context>
<context>
    <name>ProposalDetails</name>
    <message>
        <source>In your words</source>
        <translation>用你的话</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>记住</translation>
    </message>
    <message>
        <source>Do not keep</source>
        <translation>不记</translation>
    </message>
    <message>
        <source>K or Enter, in the list</source>
        <translation>在列表里按 K 或回车</translation>
    </message>
    <message>
        <source>D or Delete, in the list</source>
        <translation>在列表里按 D 或 Delete</translation>
    </message>
    <message>
        <source>Shall I remember this?</source>
        <translation>要我记住这个吗？</translation>
    </message>
    <message>
        <source>You said on {when}:</source>
        <translation>你在 {when} 说：</translation>
    </message>
    <message>
        <source>“{quote}”</source>
        <translation>“{quote}”</translation>
    </message>
    <message>
        <source>It takes the place of: {fact}</source>
        <translation>它将取代：{fact}</translation>
    </message>
    <message>
        <source>K keeps it, D does not; both can be undone.</source>
        <translation>按 K 记住，按 D 不记；都可以撤销。</translation>
    </message>
</context>
</TS>
