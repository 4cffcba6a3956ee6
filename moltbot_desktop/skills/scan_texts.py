"""What the scanner says, in English and Chinese: one sentence for each kind of finding."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    english={
        "severity_high": "danger",
        "severity_medium": "look at it",
        "severity_low": "good to know",
        "pipe_to_shell": "It runs what it fetches from the network: “{found}”.",
        "decoded_and_run": "It runs something that is hidden by an encoding: “{found}”.",
        "archive_password": "It names the password of an archive, which hides from scanners what"
        " is inside: “{found}”.",
        "credentials": "It names a place where keys, passwords or cookies lie: “{found}”.",
        "keyring": "It asks for a key or names the password store: “{found}”.",
        "injection": "It speaks to the model against you or its rules: “{found}”.",
        "destroys": "It can delete or overwrite a lot at once: “{found}”.",
        "root": "It wants the rights of the administrator: “{found}”.",
        "own_files": "It names files that decide how I or your computer behave: “{found}”.",
        "network": "It talks to other computers: “{found}”.",
        "address": "It names an address: “{found}”.",
        "blob": "It has data that nobody can read: “{found}”.",
        "invisible": "It has characters that cannot be seen: {found}.",
        "oversized": "It is so large that only its beginning was looked at.",
        "many_files": "There are {found} files; only the first ones were looked at.",
        "program": "It is a program in machine code.",
        "script": "It is a program as text; read it before you run it.",
        "archive": "It is an archive; what is inside was not looked at.",
        "not_text": "It is not text; what it is was not looked at.",
        "link": "It is a link or a device, which may lead anywhere.",
    },
    chinese={
        "severity_high": "危险",
        "severity_medium": "请看一下",
        "severity_low": "供参考",
        "pipe_to_shell": "会直接运行从网上取来的内容：“{found}”。",
        "decoded_and_run": "会运行用编码藏起来的内容：“{found}”。",
        "archive_password": "写明了压缩包的密码，这样扫描就看不到里面：“{found}”。",
        "credentials": "提到了存放密钥、密码或 Cookie 的地方：“{found}”。",
        "keyring": "要用到密钥，或提到了密码库：“{found}”。",
        "injection": "让模型违背你或它的规则：“{found}”。",
        "destroys": "可能一下子删除或覆盖很多东西：“{found}”。",
        "root": "需要管理员权限：“{found}”。",
        "own_files": "提到了决定我或你电脑行为的文件：“{found}”。",
        "network": "会和别的电脑通信：“{found}”。",
        "address": "里面有网址：“{found}”。",
        "blob": "里面有没人看得懂的数据：“{found}”。",
        "invisible": "里面有看不见的字符：{found}。",
        "oversized": "文件太大，只看了开头。",
        "many_files": "共有 {found} 个文件，只看了前面的。",
        "program": "是机器码程序。",
        "script": "是文本形式的程序，运行前请先读一遍。",
        "archive": "是压缩包，里面没有看过。",
        "not_text": "不是文本，内容没有看过。",
        "link": "是链接或设备，可能指向任何地方。",
    },
)
