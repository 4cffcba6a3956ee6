"""The fixed sentences of the starter model: small talk, questions for what is missing, its limits.

The program puts its own words in the place of what the model cannot know: what this build can do,
the time, the date (moltbot_desktop.agent.command_style).

Results of tools are not its business: the program tells them in the tools' own words. A first
version worded them and miscopied about one number in five; leaving that out also makes every
training step cover three times as many requests.
"""

from typing import Final

FALLBACK: Final = {
    "en": "That is beyond my small built-in model. You can add a larger one under Models.",
    "zh": "这超出了我这个内置小模型的能力。你可以在“模型”页面添加更大的模型。",
}
CHAT: Final = {
    "en": {
        "hello": "Hello! Tell me what to do, for example: remind me tomorrow at 9 to water the "
        "plants.",
        "thanks": "You are welcome.",
        "bye": "Goodbye, see you soon.",
        "who": "I am Moltbot, and this is my small built-in model. It runs on your computer and "
        "understands simple requests.",
        "can": "I can remember facts and find them again, set reminders, read, write and find "
        "files, open pages, documents and programs, read web pages, run commands, calculate, take "
        "screenshots and look up the weather.",
        "time": "Let me look at the clock.",
        "date": "Let me look at the calendar.",
    },
    "zh": {
        "hello": "你好！请直接说要做什么，例如：明天早上九点提醒我浇花。",
        "thanks": "不客气。",
        "bye": "再见，回头聊。",
        "who": "我是 Moltbot，现在用的是内置的小模型，在你的电脑上运行，能听懂简单的请求。",
        "can": "我可以记住事情并帮你找回，设置提醒，读写和查找文件，打开网页、文档和程序，读取网页，"
        "运行命令，计算，截图，查天气。",
        "time": "我看一下钟。",
        "date": "我看一下日历。",
    },
}
ASK: Final = {
    "en": {
        "remind": "What should I remind you of, and when? For example: remind me tomorrow at 9 to "
        "water the plants.",
        "remind when": "When should I remind you? Please say it again in one sentence, with the "
        "time.",
        "remember": "What should I remember? For example: remember that the key is in the drawer.",
        "search": "What should I look for? For example: what do you know about the car?",
        "read": "Which file? For example: read notes.txt.",
        "write": "Which file, and what should it contain? For example: write hello to notes.txt.",
        "find": "Which file should I look for? For example: find report.pdf.",
        "run": "Which command should I run? For example: run git status.",
        "open": "What should I open? For example: open Firefox, or open example.org.",
        "web": "Which address? For example: read example.org.",
        "calc": "What should I calculate? For example: what is 12 * 7?",
        "weather": "In which city?",
    },
    "zh": {
        "remind": "要提醒什么，什么时候？例如：明天早上九点提醒我浇花。",
        "remind when": "什么时候提醒你？请连同时间用一句话再说一遍。",
        "remember": "要记住什么？例如：记住钥匙在抽屉里。",
        "search": "要查什么？例如：关于车子你知道什么？",
        "read": "哪个文件？例如：读 notes.txt。",
        "write": "写哪个文件，写什么内容？例如：把你好写到 notes.txt。",
        "find": "要找哪个文件？例如：找 report.pdf。",
        "run": "要运行哪个命令？例如：运行 git status。",
        "open": "要打开什么？例如：打开微信，或打开 example.org。",
        "web": "哪个网址？例如：读一下 example.org。",
        "calc": "要算什么？例如：12*7 等于多少？",
        "weather": "哪个城市？",
    },
}
