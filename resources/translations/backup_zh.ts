<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Backup</name>
    <message>
        <source>{count} files, {size}</source>
        <translation>{count} 个文件，{size}</translation>
    </message>
    <message>
        <source>one file, {size}</source>
        <translation>1 个文件，{size}</translation>
    </message>
    <message>
        <source>Not brought in</source>
        <translation>不会导入</translation>
    </message>
    <message>
        <source>{part}: {what}</source>
        <translation>{part}：{what}</translation>
    </message>
    <message>
        <source>{what} ({count})</source>
        <translation>{what}（{count}）</translation>
    </message>
    <message>
        <source>Not in it:</source>
        <translation>没有包含：</translation>
    </message>
    <message>
        <source>would let more happen than now; only a backup of your own may do that</source>
        <translation>会放宽现在的限制；只有你自己的备份才可以</translation>
    </message>
    <message>
        <source>{name}: {why}</source>
        <translation>{name}：{why}</translation>
    </message>
    <message>
        <source>… and {count} more</source>
        <translation>……另有 {count} 项</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
</context>
<context>
    <name>BackupPlace</name>
    <message>
        <source>Backup</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Ctrl+S</source>
        <translation>Ctrl+S</translation>
    </message>
    <message>
        <source>Bring in…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Make a snapshot</source>
        <translation>做一个快照</translation>
    </message>
    <message>
        <source>Get help…</source>
        <translation>请人帮忙…</translation>
    </message>
    <message>
        <source>How everything was at a moment, to be put back.</source>
        <translation>某一刻的全部状态，可以恢复。</translation>
    </message>
    <message>
        <source>Bringing something in was cut off. Bring in the same again to go on, or put back the snapshot of {when}.</source>
        <translation>有一次导入中断了。再导入一次同样的内容可以继续，或者恢复 {when} 的快照。</translation>
    </message>
    <message>
        <source>Nothing is saved yet.</source>
        <translation>还没有保存过。</translation>
    </message>
    <message>
        <source>Save everything that you have said and made into one file, to keep it safe or to take it to another computer. Snapshots of how everything was stand here; one is made before each import and each update.</source>
        <translation>把你说过和做过的一切保存成一个文件，妥善保管，或带到另一台电脑。这里会列出快照，也就是某一刻的全部状态；每次导入和更新之前都会做一个。</translation>
    </message>
    <message>
        <source>Save a backup</source>
        <translation>保存备份</translation>
    </message>
    <message>
        <source>Put everything back…</source>
        <translation>全部恢复…</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>版本 {version}</translation>
    </message>
    <message>
        <source>Snapshot: {when}</source>
        <translation>快照：{when}</translation>
    </message>
    <message>
        <source>It is put back when I start next: quit and start me again.</source>
        <translation>我下次启动时恢复：请退出后再启动我。</translation>
    </message>
    <message>
        <source>One moment…</source>
        <translation>稍等…</translation>
    </message>
    <message>
        <source>Writing it, and reading it back. This may take some minutes…</source>
        <translation>正在写入，并读回核对。可能要几分钟…</translation>
    </message>
    <message>
        <source>Nothing was written.</source>
        <translation>什么都没有写入。</translation>
    </message>
    <message>
        <source>{path} ({size})</source>
        <translation>{path}（{size}）</translation>
    </message>
    <message>
        <source>It was read back, and is whole.</source>
        <translation>已读回核对，内容完整。</translation>
    </message>
    <message>
        <source>The backup is written</source>
        <translation>备份已写好</translation>
    </message>
    <message>
        <source>Reading all of it. This may take some minutes…</source>
        <translation>正在读取全部内容。可能要几分钟…</translation>
    </message>
    <message>
        <source>Nothing was brought in: everything is as it was.</source>
        <translation>什么都没有导入：一切保持原样。</translation>
    </message>
    <message>
        <source>Bringing it in. This may take some minutes…</source>
        <translation>正在导入。可能要几分钟…</translation>
    </message>
    <message>
        <source>The newest snapshot in the list is how it was before; it can be put back.</source>
        <translation>列表里最新的快照就是导入之前的状态，可以恢复。</translation>
    </message>
    <message>
        <source>Everything that can be taken is here already.</source>
        <translation>能导入的内容这里都已经有了。</translation>
    </message>
    <message>
        <source>It is brought in</source>
        <translation>已导入</translation>
    </message>
    <message>
        <source>Written: {path}. Look into it before you give it to anybody.</source>
        <translation>已写好：{path}。给别人之前请先看一下。</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>正在写入…</translation>
    </message>
    <message>
        <source>It is done.</source>
        <translation>已完成。</translation>
    </message>
    <message>
        <source>Where to?</source>
        <translation>保存到哪里？</translation>
    </message>
    <message>
        <source>Where from?</source>
        <translation>从哪里导入？</translation>
    </message>
    <message>
        <source>Backups (*.zip)</source>
        <translation>备份 (*.zip)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>BundleForm</name>
    <message>
        <source>For somebody who helps you</source>
        <translation>给帮你的人</translation>
    </message>
    <message>
        <source>A file that says how the assistant is set up and what went wrong. It has no conversation, no memory, no name and no key in it. This goes in:</source>
        <translation>这个文件说明助手是怎样设置的、出了什么问题。里面没有对话、记忆、名字和密钥。将包含：</translation>
    </message>
    <message>
        <source>Choose a place for it…</source>
        <translation>选择保存位置…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ExportForm</name>
    <message>
        <source>Save a backup</source>
        <translation>保存备份</translation>
    </message>
    <message>
        <source>Everything goes into one file, to keep or to take to another computer. Keys and passwords stay here. What you said stands in it as you said it: keep the file as you keep your diary.</source>
        <translation>全部内容会放进一个文件，可以保存，也可以带到另一台电脑。密钥和密码留在这里。你说过的话会原样写在里面：请像保管日记一样保管它。</translation>
    </message>
    <message>
        <source>Choose a place for it…</source>
        <translation>选择保存位置…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ImportForm</name>
    <message>
        <source>This would be brought in</source>
        <translation>将会导入这些</translation>
    </message>
    <message>
        <source>Bring it in</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>{path}, written on {when}</source>
        <translation>{path}，写于 {when}</translation>
    </message>
    <message>
        <source>Everything that can be taken is here already.</source>
        <translation>能导入的内容这里都已经有了。</translation>
    </message>
    <message>
        <source>It is my own</source>
        <translation>这是我自己的</translation>
    </message>
    <message>
        <source>Take keys and passwords along</source>
        <translation>把密钥和密码一起带来</translation>
    </message>
    <message>
        <source>Tick it only if nobody else has had it in hands: then also comes in what runs programs, lets people in or sends things away.</source>
        <translation>只有没经过别人手的才勾选：这样，会运行程序、放人进来或向外发送的内容也会导入。</translation>
    </message>
    <message>
        <source>A snapshot is made first, so that it can be taken back.</source>
        <translation>会先做一个快照，以便撤回。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ReportForm</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>RestoreForm</name>
    <message>
        <source>Put everything back to {when}?</source>
        <translation>全部恢复到 {when}？</translation>
    </message>
    <message>
        <source>Put it back at the next start</source>
        <translation>下次启动时恢复</translation>
    </message>
    <message>
        <source>Files, settings, conversations, reminders and jobs become what they were then. How they are now becomes a snapshot first, so this can be taken back too.</source>
        <translation>文件、设置、对话、提醒和任务会变回那时的样子。现在的状态会先存成快照，所以这一步也可以撤回。</translation>
    </message>
    <message>
        <source>It is done when the assistant starts next: quit and start it again. What you allowed and took back stays as it is now.</source>
        <translation>助手下次启动时进行：请退出后再启动。你允许过和收回的权限保持现在的样子。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>SourceForm</name>
    <message>
        <source>Bring something in</source>
        <translation>导入内容</translation>
    </message>
    <message>
        <source>From a backup file, or from the folder of Moltbot, Clawdbot or OpenClaw. You see first what would be done. Nothing that is here is overwritten, and the other folder is only read.</source>
        <translation>可以来自备份文件，或 Moltbot、Clawdbot、OpenClaw 的文件夹。你会先看到将要做什么。这里的内容不会被覆盖，对方的文件夹只会被读取。</translation>
    </message>
    <message>
        <source>Found here: {folder}</source>
        <translation>在这里找到：{folder}</translation>
    </message>
    <message>
        <source>Choose a backup file…</source>
        <translation>选择备份文件…</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
</TS>
