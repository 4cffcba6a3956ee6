<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Activity</name>
    <message>
        <source>Nobody asked for it</source>
        <translation>没有人提问</translation>
    </message>
    <message>
        <source>no end yet</source>
        <translation>还没有结束</translation>
    </message>
    <message>
        <source>answered</source>
        <translation>已回答</translation>
    </message>
    <message>
        <source>said nothing</source>
        <translation>没有出声</translation>
    </message>
    <message>
        <source>waits for you</source>
        <translation>等你回答</translation>
    </message>
    <message>
        <source>answered with another</source>
        <translation>与另一条一起回答</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>took too long</source>
        <translation>超时</translation>
    </message>
    <message>
        <source>gave up</source>
        <translation>中途放弃</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>渠道</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>日程</translation>
    </message>
    <message>
        <source>Helpers</source>
        <translation>子助手</translation>
    </message>
    <message>
        <source>Editors</source>
        <translation>编辑器</translation>
    </message>
    <message>
        <source>Scripts</source>
        <translation>脚本</translation>
    </message>
    <message>
        <source>Hooks</source>
        <translation>钩子</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>其他来源</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>瞬间</translation>
    </message>
    <message>
        <source>{count} s</source>
        <translation>{count} 秒</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} 分 {seconds} 秒</translation>
    </message>
    <message>
        <source>{read} tokens read ({kept} kept from before), {written} written</source>
        <translation>读入 {read} 个词元（其中 {kept} 个是之前保留的），写出 {written} 个</translation>
    </message>
    <message>
        <source>Model: {name}</source>
        <translation>模型：{name}</translation>
    </message>
    <message>
        <source>character</source>
        <translation>性格</translation>
    </message>
    <message>
        <source>its own name</source>
        <translation>自己的名字</translation>
    </message>
    <message>
        <source>tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>skills</source>
        <translation>技能</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>recalled notes</source>
        <translation>想起的笔记</translation>
    </message>
    <message>
        <source>notices</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>Prompt, in characters: {pieces}</source>
        <translation>提示词各部分的字符数：{pieces}</translation>
    </message>
    <message>
        <source>The model holds {count} tokens</source>
        <translation>模型能容纳 {count} 个词元</translation>
    </message>
    <message>
        <source>Memory: {place}</source>
        <translation>记忆：{place}</translation>
    </message>
    <message>
        <source>decided by: {who}</source>
        <translation>决定者：{who}</translation>
    </message>
    <message>
        <source>skill {name}, version {version}</source>
        <translation>技能 {name}，版本 {version}</translation>
    </message>
    <message>
        <source>model not noted</source>
        <translation>没有记录模型</translation>
    </message>
    <message>
        <source>Only then: {call}</source>
        <translation>只有当时有：{call}</translation>
    </message>
    <message>
        <source>As then: {call}</source>
        <translation>与当时相同：{call}</translation>
    </message>
    <message>
        <source>New, with a result of then: {call}</source>
        <translation>新增，用了当时的结果：{call}</translation>
    </message>
    <message>
        <source>New, not carried out: {call}</source>
        <translation>新增，没有执行：{call}</translation>
    </message>
    <message>
        <source>The answer is the same.</source>
        <translation>回答相同。</translation>
    </message>
    <message>
        <source>Not as it was then in the prompt: {names}</source>
        <translation>提示词中与当时不同的部分：{names}</translation>
    </message>
    <message>
        <source>Memories of then that are gone: {count}</source>
        <translation>当时用到、现在已经没有的记忆：{count} 条</translation>
    </message>
</context>
<context>
    <name>ActivityPlace</name>
    <message>
        <source>Activity</source>
        <translation>活动</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Not well</source>
        <translation>不顺利的</translation>
    </message>
    <message>
        <source>Where the request came from</source>
        <translation>请求来自哪里</translation>
    </message>
    <message>
        <source>From anywhere</source>
        <translation>所有来源</translation>
    </message>
    <message>
        <source>Which agent</source>
        <translation>哪个智能体</translation>
    </message>
    <message>
        <source>All agents</source>
        <translation>所有智能体</translation>
    </message>
    <message>
        <source>There are older ones</source>
        <translation>还有更早的</translation>
    </message>
    <message>
        <source>Search for them above.</source>
        <translation>请在上面搜索。</translation>
    </message>
    <message>
        <source>Show older ones</source>
        <translation>显示更早的</translation>
    </message>
    <message>
        <source>Press Enter, or click.</source>
        <translation>按回车键，或点击这里。</translation>
    </message>
    <message>
        <source>Everything went well.</source>
        <translation>一切顺利。</translation>
    </message>
    <message>
        <source>What failed, took too long or was given up stands here.</source>
        <translation>失败的、超时的和放弃的都列在这里。</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>没有找到。</translation>
    </message>
    <message>
        <source>Try another word, or look at all of them.</source>
        <translation>换个词试试，或者查看全部。</translation>
    </message>
    <message>
        <source>Nothing was asked yet.</source>
        <translation>还没有任何请求。</translation>
    </message>
    <message>
        <source>Each request stands here with all that followed from it: what I was given, what I called, who allowed it, and my answer. Any of them can be told anew with another model, to compare.</source>
        <translation>每个请求都会列在这里，连同后来发生的一切：我看到了什么、调用了什么、是谁允许的、怎样回答的。每一个都可以换个模型重放一遍，做个比较。</translation>
    </message>
    <message>
        <source>There are runs from before these.</source>
        <translation>在这些之前还有别的运行。</translation>
    </message>
    <message>
        <source>Tell it anew</source>
        <translation>重放一遍</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Ctrl+Shift+C</source>
        <translation>Ctrl+Shift+C</translation>
    </message>
    <message>
        <source>Go to the conversation</source>
        <translation>打开这个对话</translation>
    </message>
    <message>
        <source>The assistant is not ready yet. Try again in a moment.</source>
        <translation>助手还没有准备好，请稍后再试。</translation>
    </message>
    <message>
        <source>Copied.</source>
        <translation>已复制。</translation>
    </message>
</context>
<context>
    <name>FoldedText</name>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
</context>
<context>
    <name>ReplayForm</name>
    <message>
        <source>Tell it anew</source>
        <translation>重放一遍</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>The same words go to a model again, with what it knew then. Nothing is carried out: no file, message, page or memory is touched, and nothing is kept.</source>
        <translation>同样的话会再次交给模型，连同它当时知道的内容。不会执行任何操作：不碰文件、消息、网页和记忆，也不保存任何内容。</translation>
    </message>
    <message>
        <source>The one that answers now</source>
        <translation>现在使用的模型</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>As they are now</source>
        <translation>保持现在的样子</translation>
    </message>
    <message>
        <source>Folder of the other version</source>
        <translation>另一个版本的文件夹</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Skill</source>
        <translation>技能</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>It thinks … {count} s</source>
        <translation>正在思考… {count} 秒</translation>
    </message>
</context>
<context>
    <name>ReplayResult</name>
    <message>
        <source>Then</source>
        <translation>当时</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>What it called</source>
        <translation>它的调用</translation>
    </message>
    <message>
        <source>Where the answers differ</source>
        <translation>回答的不同之处</translation>
    </message>
    <message>
        <source>(no answer)</source>
        <translation>（没有回答）</translation>
    </message>
</context>
<context>
    <name>RunCards</name>
    <message>
        <source>The request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>What it was given</source>
        <translation>它看到的内容</translation>
    </message>
    <message>
        <source>{count} more steps; “Copy” has them all.</source>
        <translation>还有 {count} 个步骤；用“复制”可以得到全部。</translation>
    </message>
    <message>
        <source>Said meanwhile</source>
        <translation>期间又说</translation>
    </message>
    <message>
        <source>What it thought</source>
        <translation>它的思考</translation>
    </message>
    <message>
        <source>The answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>What came back:</source>
        <translation>返回的结果：</translation>
    </message>
</context>
</TS>
