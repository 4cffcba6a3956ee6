<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Attachments</name>
    <message>
        <source>A folder cannot come along: {names}.</source>
        <translation>文件夹不能随消息发送：{names}。</translation>
    </message>
    <message>
        <source>Too large to come along: {names}. {room} fit into one message.</source>
        <translation>太大了，不能随消息发送：{names}。一条消息最多 {room}。</translation>
    </message>
    <message>
        <source>{most} files fit into one message; left out: {names}.</source>
        <translation>一条消息最多 {most} 个文件，没有放进来：{names}。</translation>
    </message>
    <message>
        <source>No longer there: {names}.</source>
        <translation>已经不在了：{names}。</translation>
    </message>
    <message>
        <source>Cannot be read: {names}.</source>
        <translation>读不了：{names}。</translation>
    </message>
    <message>
        <source>There is nothing in it: {names}.</source>
        <translation>里面是空的：{names}。</translation>
    </message>
</context>
<context>
    <name>ChatFiles</name>
    <message>
        <source>Add files…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>I wrote down where it lies, so that I can look there.</source>
        <translation>我写上了它的位置，可以到那里去看。</translation>
    </message>
    <message>
        <source>{file} is no longer there.</source>
        <translation>{file} 已经不在了。</translation>
    </message>
    <message>
        <source>Files of messages are kept for thirty days.</source>
        <translation>随消息发送的文件保留三十天。</translation>
    </message>
</context>
<context>
    <name>Chip</name>
    <message>
        <source>Remove {file}</source>
        <translation>移除 {file}</translation>
    </message>
    <message>
        <source>Remove (Delete)</source>
        <translation>移除（Delete）</translation>
    </message>
</context>
<context>
    <name>Drops</name>
    <message>
        <source>Drop here: it comes along with your message</source>
        <translation>拖到这里，随消息一起发送</translation>
    </message>
</context>
<context>
    <name>FileQuestion</name>
    <message>
        <source>Open a file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>Open this file outside Moltbot?</source>
        <translation>在 Moltbot 之外打开这个文件？</translation>
    </message>
    <message>
        <source>This file might do something when it is opened. Show where it lies?</source>
        <translation>打开这个文件可能会运行什么。要显示它所在的位置吗？</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Show in its folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>GivenRow</name>
    <message>
        <source>picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Files that come along</source>
        <translation>随消息发送的文件</translation>
    </message>
    <message>
        <source>The model reads text alone: it cannot see what is in a picture.</source>
        <translation>这个模型只能读文字，看不到图片里有什么。</translation>
    </message>
</context>
</TS>
