<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>PermissionsPlace</name>
    <message>
        <source>Safety</source>
        <translation>安全</translation>
    </message>
    <message>
        <source>Close the seal</source>
        <translation>关上封印</translation>
    </message>
    <message>
        <source>You allowed</source>
        <translation>你允许的</translation>
    </message>
    <message>
        <source>What was done</source>
        <translation>做过的事</translation>
    </message>
    <message>
        <source>What left</source>
        <translation>外发记录</translation>
    </message>
    <message>
        <source>Open the seal</source>
        <translation>打开封印</translation>
    </message>
    <message>
        <source>The newest first.</source>
        <translation>最新的在前。</translation>
    </message>
    <message>
        <source>What I do without asking, because you said so.</source>
        <translation>这些事我不再询问，因为你说过可以。</translation>
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
        <source>Nothing was done yet.</source>
        <translation>还没有做过什么。</translation>
    </message>
    <message>
        <source>What I change, run or send stands here, with who allowed it.</source>
        <translation>我改动、运行或发送的内容都记在这里，并写明是谁允许的。</translation>
    </message>
    <message>
        <source>Nothing has left this computer.</source>
        <translation>没有任何数据离开过这台电脑。</translation>
    </message>
    <message>
        <source>Each address I speak to stands here, with how many bytes went there.</source>
        <translation>我联系过的每个地址和发出的字节数都记在这里。</translation>
    </message>
    <message>
        <source>I ask each time.</source>
        <translation>我每次都会问。</translation>
    </message>
    <message>
        <source>Before I do something that cannot be undone, I show a card. There you can allow it once, for an hour or always; what holds longer stands here.</source>
        <translation>做无法撤销的事之前，我会给你看确认卡。你可以允许一次、一小时或始终；长期有效的都列在这里。</translation>
    </message>
    <message>
        <source>used once</source>
        <translation>用过 1 次</translation>
    </message>
    <message>
        <source>used {count} times</source>
        <translation>用过 {count} 次</translation>
    </message>
    <message>
        <source>not used yet</source>
        <translation>还没用过</translation>
    </message>
    <message>
        <source>{size} sent</source>
        <translation>发出 {size}</translation>
    </message>
    <message>
        <source>Given: {when}</source>
        <translation>允许于：{when}</translation>
    </message>
    <message>
        <source>Until: {when}</source>
        <translation>有效至：{when}</translation>
    </message>
    <message>
        <source>Last used: {when}</source>
        <translation>最近使用：{when}</translation>
    </message>
    <message>
        <source>For the agent {name}</source>
        <translation>适用于智能体 {name}</translation>
    </message>
    <message>
        <source>Take it back</source>
        <translation>收回</translation>
    </message>
    <message>
        <source>When: {when}</source>
        <translation>时间：{when}</translation>
    </message>
    <message>
        <source>Who decided: {who}</source>
        <translation>谁决定的：{who}</translation>
    </message>
    <message>
        <source>What came of it: {outcome}</source>
        <translation>结果：{outcome}</translation>
    </message>
    <message>
        <source>Rule: {rule}</source>
        <translation>规则：{rule}</translation>
    </message>
    <message>
        <source>I ask again: {what}</source>
        <translation>以后会重新询问：{what}</translation>
    </message>
    <message>
        <source>The assistant is not ready yet. Try again in a moment.</source>
        <translation>助手还没有准备好，请稍后再试。</translation>
    </message>
</context>
</TS>
