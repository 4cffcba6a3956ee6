<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>PlanForm</name>
    <message>
        <source>The assistant does it by itself</source>
        <translation>由助手自己完成</translation>
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
        <source>Change</source>
        <translation>修改</translation>
    </message>
    <message>
        <source>Something new</source>
        <translation>新的安排</translation>
    </message>
    <message>
        <source>When?</source>
        <translation>什么时候？</translation>
    </message>
    <message>
        <source>in 45 minutes · Friday at 14:30 · every day at 9</source>
        <translation>45分钟后 · 周五14:30 · 每天9点</translation>
    </message>
    <message>
        <source>What shall the assistant do?</source>
        <translation>要助手做什么？</translation>
    </message>
    <message>
        <source>Remind you of what?</source>
        <translation>要提醒你什么？</translation>
    </message>
    <message>
        <source>A reminder comes at a time. This the assistant does by itself.</source>
        <translation>提醒按时间响；这件事由助手自己去做。</translation>
    </message>
    <message>
        <source>{when}: {times} …</source>
        <translation>{when}：{times} …</translation>
    </message>
</context>
<context>
    <name>Schedule</name>
    <message>
        <source>yesterday {time}</source>
        <translation>昨天 {time}</translation>
    </message>
    <message>
        <source>today {time}</source>
        <translation>今天 {time}</translation>
    </message>
    <message>
        <source>tomorrow {time}</source>
        <translation>明天 {time}</translation>
    </message>
    <message>
        <source>due</source>
        <translation>到期</translation>
    </message>
    <message>
        <source>reminder</source>
        <translation>提醒</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>off</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>job</source>
        <translation>任务</translation>
    </message>
</context>
<context>
    <name>SchedulePlace</name>
    <message>
        <source>Schedule</source>
        <translation>日程</translation>
    </message>
    <message>
        <source>New</source>
        <translation>新建</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Ctrl+N</translation>
    </message>
    <message>
        <source>Jobs are switched off in the settings; reminders still come.</source>
        <translation>定时任务已在设置中关闭；提醒照常。</translation>
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
        <source>Nothing is planned.</source>
        <translation>还没有安排。</translation>
    </message>
    <message>
        <source>I can remind you, or do something by myself: “every weekday at 8:30, tell me what is on today”. You can also just say it in the chat.</source>
        <translation>我可以提醒你，也可以自己做事：“每个工作日8点半，告诉我今天有什么安排”。也可以直接在聊天里告诉我。</translation>
    </message>
    <message>
        <source>Plan something</source>
        <translation>安排一件事</translation>
    </message>
    <message>
        <source>Noted on {moment}</source>
        <translation>记于 {moment}</translation>
    </message>
    <message>
        <source>In 10 minutes</source>
        <translation>10分钟后</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>修改</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Next: {moment}</source>
        <translation>下次：{moment}</translation>
    </message>
    <message>
        <source>Switch off</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>启用</translation>
    </message>
    <message>
        <source>Run now</source>
        <translation>现在运行</translation>
    </message>
    <message>
        <source>It has not run yet.</source>
        <translation>还没有运行过。</translation>
    </message>
    <message>
        <source>How it went</source>
        <translation>运行情况</translation>
    </message>
    <message>
        <source>The words of others asked for it: {who}</source>
        <translation>由他人的内容提出：{who}</translation>
    </message>
    <message>
        <source>Planned: {what}</source>
        <translation>已安排：{what}</translation>
    </message>
    <message>
        <source>Changed: {what}</source>
        <translation>已修改：{what}</translation>
    </message>
    <message>
        <source>I remind you again in 10 minutes.</source>
        <translation>10分钟后我再提醒你。</translation>
    </message>
    <message>
        <source>It begins in a moment: {name}</source>
        <translation>马上开始：{name}</translation>
    </message>
    <message>
        <source>On: {name}</source>
        <translation>已启用：{name}</translation>
    </message>
    <message>
        <source>Off: {name}</source>
        <translation>已停用：{name}</translation>
    </message>
    <message>
        <source>Deleted: {name}</source>
        <translation>已删除：{name}</translation>
    </message>
    <message>
        <source>Back: {name}</source>
        <translation>已恢复：{name}</translation>
    </message>
</context>
</TS>
