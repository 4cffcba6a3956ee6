<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>DoctorPlace</name>
    <message>
        <source>Doctor</source>
        <translation>体检</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新检查</translation>
    </message>
    <message>
        <source>All is well.</source>
        <translation>一切正常。</translation>
    </message>
    <message>
        <source>I looked at your files, settings, channels, keys, permissions, plugins and skills and found nothing that is unsafe.</source>
        <translation>我检查了你的文件、设置、渠道、密钥、权限、插件和技能，没有发现不安全的地方。</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>怎么办</translation>
    </message>
    <message>
        <source>Mend it</source>
        <translation>修好它</translation>
    </message>
    <message>
        <source>This is done: {what}</source>
        <translation>将执行：{what}</translation>
    </message>
    <message>
        <source>Done: {what}</source>
        <translation>已完成：{what}</translation>
    </message>
    <message>
        <source>Nothing needs you; the notes below are worth knowing.</source>
        <translation>没有需要你处理的；下面的提示值得了解。</translation>
    </message>
    <message>
        <source>Needs you: {count}</source>
        <translation>有 {count} 项需要你处理</translation>
    </message>
    <message>
        <source>serious</source>
        <translation>严重</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>note</source>
        <translation>提示</translation>
    </message>
</context>
</TS>
