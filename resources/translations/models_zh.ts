<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>Models</name>
    <message>
        <source>The seal is closed, so nothing can be fetched. Open it first.</source>
        <translation>封印已关闭，所以什么都不能下载。请先打开封印。</translation>
    </message>
    <message>
        <source>What was found: {reason}</source>
        <translation>检查结果：{reason}</translation>
    </message>
    <message>
        <source>A token is a short word or a part of a longer one; of Chinese, about a character.</source>
        <translation>词元是一个短词或长词的一部分；中文大约一个字。</translation>
    </message>
    <message>
        <source>From: {source}</source>
        <translation>来源：{source}</translation>
    </message>
    <message>
        <source>Fetched from {hub}</source>
        <translation>下载地址：{hub}</translation>
    </message>
    <message>
        <source>File: {path}</source>
        <translation>文件：{path}</translation>
    </message>
    <message>
        <source>size unknown</source>
        <translation>大小未知</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Asking…</source>
        <translation>正在询问…</translation>
    </message>
    <message>
        <source>{reason} Trying again…</source>
        <translation>{reason} 正在重试…</translation>
    </message>
    <message>
        <source>Checking what is here…</source>
        <translation>正在检查已有的部分…</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>还需 {time}</translation>
    </message>
    <message>
        <source>Too large: it needs {needed} of memory, this computer has {total}.</source>
        <translation>太大：需要 {needed} 内存，这台电脑共有 {total}。</translation>
    </message>
    <message>
        <source>Tight: it needs {needed} of memory, about {free} are free. Close other programs first.</source>
        <translation>勉强：需要 {needed} 内存，空闲约 {free}。请先关闭其他程序。</translation>
    </message>
    <message>
        <source>Tight: it needs {needed} of memory, about {free} are free; conversations get {window} tokens now.</source>
        <translation>勉强：需要 {needed} 内存，空闲约 {free}；现在对话能有 {window} 词元。</translation>
    </message>
    <message>
        <source>It writes more than 100 tokens a second.</source>
        <translation>每秒能写 100 词元以上。</translation>
    </message>
    <message>
        <source>It writes about {count} tokens a second.</source>
        <translation>每秒约写 {count} 词元。</translation>
    </message>
    <message>
        <source>memory search</source>
        <translation>记忆搜索</translation>
    </message>
    <message>
        <source>chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Fetch</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Try it out</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>移出列表</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>All right</source>
        <translation>知道了</translation>
    </message>
    <message>
        <source>Go to the seal</source>
        <translation>去看封印</translation>
    </message>
    <message>
        <source>trying…</source>
        <translation>试用中…</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>unusable</source>
        <translation>不能用</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>paused, {percent} %</source>
        <translation>已暂停，{percent} %</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>太大</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>勉强</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>It did not work. Try again.</source>
        <translation>没有成功。请重试。</translation>
    </message>
    <message>
        <source>This file cannot be used: it is damaged, or no model of a kind that I know. Fetch it again, or remove it.</source>
        <translation>这个文件不能用：它已损坏，或不是我认识的模型。请重新下载，或删除它。</translation>
    </message>
    <message>
        <source>came with the program</source>
        <translation>程序自带</translation>
    </message>
    <message>
        <source>stays where it lies</source>
        <translation>文件在原处</translation>
    </message>
    <message>
        <source>a server of the settings</source>
        <translation>设置里的服务器</translation>
    </message>
    <message>
        <source>of a plugin</source>
        <translation>来自插件</translation>
    </message>
    <message>
        <source>licence unknown</source>
        <translation>许可未知</translation>
    </message>
    <message>
        <source>reads {count} tokens at once</source>
        <translation>一次能读 {count} 词元</translation>
    </message>
    <message>
        <source>It fits: with its conversation and 1 GB to spare it takes {needed} of memory, about {free} are free.</source>
        <translation>放得下：连同对话和 1 GB 余量共需 {needed} 内存，空闲约 {free}。</translation>
    </message>
    <message>
        <source>{name} licence</source>
        <translation>{name} 许可证</translation>
    </message>
    <message>
        <source>It is being loaded and asked something…</source>
        <translation>正在加载并提问…</translation>
    </message>
    <message>
        <source>It works: loaded in {seconds} s</source>
        <translation>可以使用：加载用了 {seconds} 秒</translation>
    </message>
    <message>
        <source>{count} tokens a second</source>
        <translation>每秒 {count} 词元</translation>
    </message>
    <message>
        <source>{size} of memory</source>
        <translation>占用内存 {size}</translation>
    </message>
    <message>
        <source>It wrote: {text}</source>
        <translation>它写道：{text}</translation>
    </message>
</context>
<context>
    <name>ModelsPlace</name>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Give memory back</source>
        <translation>释放内存</translation>
    </message>
    <message>
        <source>The model leaves the memory until it is needed again.</source>
        <translation>模型离开内存，需要时再加载。</translation>
    </message>
    <message>
        <source>Add a file</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>A .gguf file; it can also be dropped here. Ctrl+O</source>
        <translation>一个 .gguf 文件，也可以拖到这里。Ctrl+O</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>To fetch</source>
        <translation>可以下载</translation>
    </message>
    <message>
        <source>On servers</source>
        <translation>在服务器上</translation>
    </message>
    <message>
        <source>In memory: {name} {size}</source>
        <translation>在内存里：{name} {size}</translation>
    </message>
    <message>
        <source>The program holds {size} of memory now.</source>
        <translation>程序现在占用 {size} 内存。</translation>
    </message>
    <message>
        <source>The seal is closed: nothing can be fetched until it is opened.</source>
        <translation>封印已关闭：打开之前什么都不能下载。</translation>
    </message>
    <message>
        <source>Nothing found.</source>
        <translation>没有找到。</translation>
    </message>
    <message>
        <source>Try another word.</source>
        <translation>换一个词试试。</translation>
    </message>
    <message>
        <source>No server is set up.</source>
        <translation>还没有设置服务器。</translation>
    </message>
    <message>
        <source>Models can also answer from a server of yours: any that speaks as OpenAI&apos;s do, such as llama-server or vLLM. What you write then goes there.</source>
        <translation>也可以由你自己的服务器上的模型来回答，只要接口与 OpenAI 兼容，例如 llama-server 或 vLLM。这时你写的内容会发到那里。</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>添加服务器</translation>
    </message>
    <message>
        <source>Everything is here.</source>
        <translation>全都有了。</translation>
    </message>
    <message>
        <source>There is no further model to fetch.</source>
        <translation>没有别的模型可以下载了。</translation>
    </message>
    <message>
        <source>There are no models.</source>
        <translation>没有模型。</translation>
    </message>
    <message>
        <source>Fetch one, or add a .gguf file that you have.</source>
        <translation>下载一个，或添加你已有的 .gguf 文件。</translation>
    </message>
    <message>
        <source>It is here: {name}</source>
        <translation>已经就绪：{name}</translation>
    </message>
    <message>
        <source>The settings name another one ({setting}), and that one is used.</source>
        <translation>设置里写的是另一个（{setting}），以它为准。</translation>
    </message>
    <message>
        <source>“{name}” searches the memory from the next start on.</source>
        <translation>从下次启动起，由“{name}”搜索记忆。</translation>
    </message>
    <message>
        <source>“{name}” answers from your next message on.</source>
        <translation>从你的下一条消息起，由“{name}”回答。</translation>
    </message>
    <message>
        <source>Remove “{name}”? This frees {size}; to have it again it must be fetched anew.</source>
        <translation>要删除“{name}”吗？这会腾出 {size}；以后要用需重新下载。</translation>
    </message>
    <message>
        <source>Removed: {name}</source>
        <translation>已删除：{name}</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Forgotten: {name}. Its file stays.</source>
        <translation>已移出列表：{name}。文件还在原处。</translation>
    </message>
    <message>
        <source>Back: {name}</source>
        <translation>已恢复：{name}</translation>
    </message>
    <message>
        <source>Cancel “{name}”? The {size} that are here are thrown away.</source>
        <translation>要取消“{name}”吗？已下载的 {size} 会丢掉。</translation>
    </message>
    <message>
        <source>Throw away</source>
        <translation>丢掉</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation>模型 (*.gguf)</translation>
    </message>
    <message>
        <source>Add “{name}”?</source>
        <translation>要添加“{name}”吗？</translation>
    </message>
    <message>
        <source>It can be copied to the other models, or stay where it lies.</source>
        <translation>可以复制到模型文件夹，也可以留在原处使用。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Leave it there</source>
        <translation>留在原处</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
</TS>
