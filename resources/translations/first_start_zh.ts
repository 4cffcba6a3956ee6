<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>FirstStartPlace</name>
    <message>
        <source>To the chat</source>
        <translation>去聊天</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>Nothing here has to be answered, and there is no account. Escape goes to the chat at any time.</source>
        <translation>这里什么都不必回答，也不需要账号。随时按 Esc 就去聊天。</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>What you can say</source>
        <translation>你可以说什么</translation>
    </message>
    <message>
        <source>Where everything is kept</source>
        <translation>所有内容放在哪里</translation>
    </message>
    <message>
        <source>What you have elsewhere</source>
        <translation>你在别处已有的内容</translation>
    </message>
    <message>
        <source>I speak it myself when I start next.</source>
        <translation>我自己从下次启动起说这种语言。</translation>
    </message>
    <message>
        <source>A press says it, and goes to the chat.</source>
        <translation>点一下就说出来，并转到聊天。</translation>
    </message>
    <message>
        <source>Say: {what}</source>
        <translation>说：{what}</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Start with the computer, quietly</source>
        <translation>随电脑启动，不显示窗口</translation>
    </message>
    <message>
        <source>What you say, what I remember, settings and models lie in one folder on this computer:</source>
        <translation>你说的话、我记住的内容、设置和模型都在这台电脑的一个文件夹里：</translation>
    </message>
    <message>
        <source>A backup, or the folder of Moltbot, Clawdbot or OpenClaw, can come along.</source>
        <translation>备份，或 Moltbot、Clawdbot、OpenClaw 的文件夹，都可以带过来。</translation>
    </message>
    <message>
        <source>Found on this computer: {folders}</source>
        <translation>在这台电脑上找到：{folders}</translation>
    </message>
    <message>
        <source>Look what can come along…</source>
        <translation>看看能带来什么…</translation>
    </message>
    <message>
        <source>I start with the computer.</source>
        <translation>我会随电脑启动。</translation>
    </message>
    <message>
        <source>I wait to be started.</source>
        <translation>我等你来启动。</translation>
    </message>
    <message>
        <source>No program here shows folders. It is the one above.</source>
        <translation>这里没有能显示文件夹的程序。位置就是上面那个。</translation>
    </message>
</context>
</TS>
