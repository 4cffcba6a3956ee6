<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>OfferForm</name>
    <message>
        <source>Add “{name}”?</source>
        <translation>要添加“{name}”吗？</translation>
    </message>
    <message>
        <source>Which ones shall be added?</source>
        <translation>要添加哪些？</translation>
    </message>
    <message>
        <source>It is not used before you trust it; that is asked for afterwards.</source>
        <translation>在你信任它之前不会使用；添加之后会再问你。</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Nothing suspicious was found in it.</source>
        <translation>没有发现可疑之处。</translation>
    </message>
</context>
<context>
    <name>SkillDetails</name>
    <message>
        <source>What changed since you trusted it</source>
        <translation>自你信任以来的改动</translation>
    </message>
    <message>
        <source>What changed</source>
        <translation>改动</translation>
    </message>
    <message>
        <source>Its text</source>
        <translation>它的内容</translation>
    </message>
    <message>
        <source>SKILL.md of {name}</source>
        <translation>{name} 的 SKILL.md</translation>
    </message>
    <message>
        <source>Its files: {names}</source>
        <translation>它的文件：{names}</translation>
    </message>
    <message>
        <source>What stands out in it</source>
        <translation>值得注意的地方</translation>
    </message>
    <message>
        <source>Nothing suspicious was found. That is no proof: read its text.</source>
        <translation>没有发现可疑之处。但这不是证明：请读一读它的内容。</translation>
    </message>
    <message>
        <source>What it needs</source>
        <translation>它需要什么</translation>
    </message>
    <message>
        <source>To get what is missing, type in a terminal; I run none of this myself:</source>
        <translation>要装好缺少的东西，请在终端里输入；我自己不会运行这些：</translation>
    </message>
</context>
<context>
    <name>Skills</name>
    <message>
        <source>Trust it…</source>
        <translation>信任它…</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Its settings</source>
        <translation>它的设置</translation>
    </message>
    <message>
        <source>Open the folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Trust it no longer</source>
        <translation>不再信任</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>needs {what}</source>
        <translation>缺少 {what}</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>off</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>new</source>
        <translation>新的</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>有改动</translation>
    </message>
    <message>
        <source>not usable</source>
        <translation>不能用</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>读不了</translation>
    </message>
    <message>
        <source>Ready.</source>
        <translation>可以使用。</translation>
    </message>
    <message>
        <source>Switched off: nobody uses it.</source>
        <translation>已停用：不会使用它。</translation>
    </message>
    <message>
        <source>New: it is not used before you trust it. Look at it below, then decide.</source>
        <translation>新的：在你信任它之前不会使用。请看看下面的内容，再决定。</translation>
    </message>
    <message>
        <source>Changed since you trusted it, so it is not used. Look at what changed, then decide.</source>
        <translation>自你信任以来有了改动，所以没有使用。请看看改了什么，再决定。</translation>
    </message>
    <message>
        <source>It cannot be used yet.</source>
        <translation>还不能使用。</translation>
    </message>
    <message>
        <source>This is no skill that can be read.</source>
        <translation>这里的技能读不出来。</translation>
    </message>
    <message>
        <source>Write /{command} in the chat, or say what you want.</source>
        <translation>在聊天里输入 /{command}，或直接说你想做什么。</translation>
    </message>
    <message>
        <source>Write /{command} in the chat; the model never starts it itself.</source>
        <translation>在聊天里输入 /{command}；模型自己不会启动它。</translation>
    </message>
    <message>
        <source>Say what you want in the chat; a larger model finds it.</source>
        <translation>在聊天里说你想做什么；更大的模型会找到它。</translation>
    </message>
    <message>
        <source>Came with the program: {folder}</source>
        <translation>随程序自带：{folder}</translation>
    </message>
    <message>
        <source>Added: {folder}</source>
        <translation>已添加：{folder}</translation>
    </message>
    <message>
        <source>Yours, in the assistant&apos;s folder: {folder}</source>
        <translation>你自己的，在助手的文件夹里：{folder}</translation>
    </message>
    <message>
        <source>From a folder that the settings name: {folder}</source>
        <translation>来自设置里写明的文件夹：{folder}</translation>
    </message>
    <message>
        <source>A plugin brought it: {folder}</source>
        <translation>由插件带来：{folder}</translation>
    </message>
    <message>
        <source>a computer with {name}</source>
        <translation>{name} 电脑</translation>
    </message>
    <message>
        <source>It works with these tools: {tools}.</source>
        <translation>它会用到这些工具：{tools}。</translation>
    </message>
    <message>
        <source>the program {name}</source>
        <translation>程序 {name}</translation>
    </message>
    <message>
        <source>one of the programs {name}</source>
        <translation>这些程序之一：{name}</translation>
    </message>
    <message>
        <source>the variable {name}</source>
        <translation>变量 {name}</translation>
    </message>
    <message>
        <source>the setting {name}</source>
        <translation>设置 {name}</translation>
    </message>
    <message>
        <source>✓ {need}: there</source>
        <translation>✓ {need}：已有</translation>
    </message>
    <message>
        <source>– {need}: missing</source>
        <translation>– {need}：缺少</translation>
    </message>
    <message>
        <source>Its command goes straight to the tool {tool}.</source>
        <translation>它的命令直接交给工具 {tool}。</translation>
    </message>
    <message>
        <source>… and {count} more</source>
        <translation>…还有 {count} 处</translation>
    </message>
    <message>
        <source>{count} files</source>
        <translation>{count} 个文件</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 个文件</translation>
    </message>
    <message>
        <source>exactly this one is there already</source>
        <translation>与已有的完全相同</translation>
    </message>
    <message>
        <source>takes the place of the one that is there</source>
        <translation>会取代已有的那个</translation>
    </message>
</context>
<context>
    <name>SkillsPlace</name>
    <message>
        <source>Skills</source>
        <translation>技能</translation>
    </message>
    <message>
        <source>Add…</source>
        <translation>添加…</translation>
    </message>
    <message>
        <source>A folder or a zip; it can also be dropped here. Ctrl+N</source>
        <translation>文件夹或 zip；也可以拖到这里。Ctrl+N</translation>
    </message>
    <message>
        <source>What I was taught. A skill of yours goes into {folder}, and appears here.</source>
        <translation>我学会的本领。你自己的技能放进 {folder}，就会出现在这里。</translation>
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
        <source>There are no skills.</source>
        <translation>还没有技能。</translation>
    </message>
    <message>
        <source>A skill is a page of steps for one kind of work, a SKILL.md in a folder of its own: “Every Friday, read my notes of the week and write down what is open.”</source>
        <translation>技能是一页做某类事情的步骤，是放在自己文件夹里的一个 SKILL.md：“每周五读一遍我这周的笔记，写下还没做完的事。”</translation>
    </message>
    <message>
        <source>Add a skill</source>
        <translation>添加技能</translation>
    </message>
    <message>
        <source>Trusted as it is now: {name}</source>
        <translation>已信任现在的样子：{name}</translation>
    </message>
    <message>
        <source>Not trusted any more, and not used: {name}</source>
        <translation>不再信任，也不再使用：{name}</translation>
    </message>
    <message>
        <source>Switched on: {name}</source>
        <translation>已启用：{name}</translation>
    </message>
    <message>
        <source>Switched off: {name}</source>
        <translation>已停用：{name}</translation>
    </message>
    <message>
        <source>Open this folder outside Moltbot?</source>
        <translation>要在 Moltbot 之外打开这个文件夹吗？</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>No program opened it. The folder is {folder}</source>
        <translation>没有程序能打开它。文件夹是 {folder}</translation>
    </message>
    <message>
        <source>Removed: {name}</source>
        <translation>已移除：{name}</translation>
    </message>
    <message>
        <source>Back: {name}</source>
        <translation>已恢复：{name}</translation>
    </message>
    <message>
        <source>Packed skills (*.zip)</source>
        <translation>打包的技能 (*.zip)</translation>
    </message>
    <message>
        <source>Added: {name}. Another one of that name counts more.</source>
        <translation>已添加：{name}。但另一个同名的技能优先。</translation>
    </message>
    <message>
        <source>Added: {name}. Look at it, then say whether you trust it.</source>
        <translation>已添加：{name}。请看一看，再决定是否信任它。</translation>
    </message>
    <message>
        <source>As it was before: {name}</source>
        <translation>已恢复到以前：{name}</translation>
    </message>
</context>
<context>
    <name>SourceForm</name>
    <message>
        <source>Add a skill</source>
        <translation>添加技能</translation>
    </message>
    <message>
        <source>Choose a folder with a SKILL.md, or a zip of one, or drop it here. It is looked through first; nothing of it is run, and nothing goes over the network.</source>
        <translation>选择带有 SKILL.md 的文件夹或它的 zip，或者拖到这里。会先检查一遍；不会运行其中任何东西，也不会上网。</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Choose a zip…</source>
        <translation>选择 zip…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>TrustQuestion</name>
    <message>
        <source>Trust a skill</source>
        <translation>信任技能</translation>
    </message>
    <message>
        <source>Trust “{name}” as it is now?</source>
        <translation>信任现在的“{name}”吗？</translation>
    </message>
    <message>
        <source>I then do what it says. When one of its files changes, I ask again.</source>
        <translation>之后我会照它说的做。它的文件有改动时，我会再问。</translation>
    </message>
    <message>
        <source>Something dangerous was found in it:</source>
        <translation>里面发现了危险之处：</translation>
    </message>
    <message>
        <source>Trust it</source>
        <translation>信任</translation>
    </message>
    <message>
        <source>Not yet</source>
        <translation>先不</translation>
    </message>
</context>
</TS>
