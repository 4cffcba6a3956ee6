"""Everything the starter model says: fixed sentences, and sentences around a field of a result."""

import json
from typing import Any, Final

from starter_model.fillers import Fillers

Result = dict[str, Any]

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
        "time": "It is <time>.",
        "date": "Today is <day>, <date>.",
    },
    "zh": {
        "hello": "你好！请直接说要做什么，例如：明天早上九点提醒我浇花。",
        "thanks": "不客气。",
        "bye": "再见，回头聊。",
        "who": "我是 Moltbot，现在用的是内置的小模型，在你的电脑上运行，能听懂简单的请求。",
        "can": "我可以记住事情并帮你找回，设置提醒，读写和查找文件，打开网页、文档和程序，读取网页，"
        "运行命令，计算，截图，查天气。",
        "time": "现在是 <time>。",
        "date": "今天是 <date>，<day>。",
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
ERRORS: Final = {
    "en": "file not found|permission denied|timed out|denied by the user|no such folder|connection "
    "refused|unknown city|not allowed by the policy|program not found|disk full|network "
    "unreachable|invalid expression|no time understood|offline".split("|"),
    "zh": "文件不存在|权限不足|超时|用户拒绝|网络不可用|程序未安装|磁盘已满|听不懂时间".split("|"),
}


def dump(value: Result, spaced: bool = False) -> str:
    """A tool result as the program feeds it back; now and then with spaces, for robustness."""
    separators = (", ", ": ") if spaced else (",", ":")
    return json.dumps(value, ensure_ascii=False, separators=separators)


class Results:
    """Invents results of a tool call together with the right answer to them."""

    def __init__(self, fillers: Fillers) -> None:
        self.f = fillers
        self.rng = fillers.rng
        self.zh = fillers.zh

    def pick(self, english: str, chinese: str) -> str:
        return chinese if self.zh else english

    def text(self, low: int, high: int) -> str:
        """Free text of a result; the language is mostly that of the user."""
        f = self.f
        if self.zh and f.chance(0.8):
            text = f.one(lambda: f.chinese(max(1, low // 2), max(2, high // 2)), f.fact)
        else:
            text = f.one(lambda: f.daily(low, high), lambda: f.daily(low, high), f.fact)
        return text.replace('"', "")

    def moment(self) -> str:
        n = self.f.number
        day = f"20{n(25, 31)}-{n(1, 12):02d}-{n(1, 28):02d}"
        return f"{day} {n(0, 23):02d}:{n(0, 59):02d}"

    def make(self, tool: str, args: dict[str, str]) -> tuple[Result, str, list[str]]:
        """A result, its answer, and the fields that the answer must quote."""
        if self.f.chance(0.1):
            return self._error()
        outcome: tuple[Result, str, list[str]] = getattr(self, f"_{tool}")(args)
        return outcome

    def _error(self) -> tuple[Result, str, list[str]]:
        message = self.text(2, 6)
        if self.f.chance(0.6):
            message = self.rng.choice(ERRORS["zh" if self.zh and self.f.chance(0.4) else "en"])
        answer = self.pick(f'That did not work: "{message}"', f'没有成功："{message}"')
        return {"error": message}, answer, [message]

    def _memory_file(self) -> str:
        f = self.f
        return f.memfile() if f.chance(0.3) else f"memory/{self.moment()[:10]}.md"

    def _memory_store(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        file = self._memory_file()
        answer = self.pick(f'Got it, I noted that in "{file}".', f'记住了，写在"{file}"里。')
        return {"ok": True, "file": file}, answer, [file]

    def _memory_search(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        if self.f.chance(0.15):
            answer = self.pick("I found nothing about that in memory.", "记忆里没有找到相关内容。")
            return {"results": []}, answer, []
        results = []
        for _index in range(self.rng.choice([1, 1, 2, 3])):
            text = self.f.ownfact().replace('"', "") if self.f.chance(0.5) else self.text(2, 9)
            line = self.f.number(1, 300)
            results.append({"file": self._memory_file(), "line": line, "text": text})
        first = str(results[0]["text"])
        answer = self.pick(f'You told me: "{first}"', f'你告诉过我："{first}"')
        return {"results": results}, answer, [first]

    def _file_text(self, path: str) -> tuple[Result, str, list[str]]:
        text = self.text(2, 14) if self.f.chance(0.95) else ""
        result = {"path": path, "text": text}
        shown = json.dumps(path, ensure_ascii=False)
        if not text:
            return result, self.pick(f"{shown} is empty.", f"{shown}是空的。"), []
        return result, self.pick(f'{shown} says: "{text}"', f'{shown}的内容："{text}"'), [text]

    def _memory_get(self, args: dict[str, str]) -> tuple[Result, str, list[str]]:
        return self._file_text(args["path"])

    def _read(self, args: dict[str, str]) -> tuple[Result, str, list[str]]:
        return self._file_text(args["path"])

    def _reminder_add(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        number, due = self.f.number(1, 400), self.moment()
        answer = self.pick(
            f"Okay, reminder {number} is set for {due}.", f"好的，提醒 {number} 已设在 {due}。"
        )
        return {"ok": True, "id": number, "due": due}, answer, [str(number), due]

    def _reminder_list(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        reminders = []
        for _index in range(self.rng.choice([0, 1, 1, 2, 3])):
            todo = self.f.todo().replace('"', "")
            reminders.append({"id": self.f.number(1, 99), "due": self.moment(), "text": todo})
        if not reminders:
            answer = self.pick("You have no reminders.", "现在没有提醒。")
        else:
            items = [f'{item["id"]}: {item["due"]} "{item["text"]}"' for item in reminders]
            answer = self.pick("Your reminders: ", "你的提醒：") + "; ".join(items)
        return {"reminders": reminders}, answer, [str(item["text"]) for item in reminders]

    def _write(self, args: dict[str, str]) -> tuple[Result, str, list[str]]:
        size, path = self.f.number(2, 900), json.dumps(args["path"], ensure_ascii=False)
        answer = self.pick(f"I wrote {size} bytes to {path}.", f"已把 {size} 字节写入{path}。")
        return {"ok": True, "path": args["path"], "bytes": size}, answer, [str(size), path]

    def _find_files(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        files = [self.f.path() for _ in range(self.rng.choice([0, 1, 1, 2, 3]))]
        result = {"count": len(files), "files": files}
        if not files:
            return result, self.pick("I found no such file.", "没有找到这样的文件。"), []
        shown = [json.dumps(file, ensure_ascii=False) for file in files]
        answer = self.pick(f"I found {len(files)}: ", f"找到 {len(files)} 个：") + ", ".join(shown)
        return result, answer, shown

    def _calc(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        value = self.rng.choice(["", "", "-"]) + self.f.amount()
        answer = self.pick(f"The result is {value}.", f"结果是 {value}。")
        return {"value": value}, answer, [value]

    def _web_fetch(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        title, text = self.text(1, 4), self.text(3, 12)
        answer = self.pick(f'"{title}" says: "{text}"', f'"{title}"写着："{text}"')
        return {"title": title, "text": text}, answer, [title, text]

    def _open(self, args: dict[str, str]) -> tuple[Result, str, list[str]]:
        target = json.dumps(args["target"], ensure_ascii=False)
        result = {"ok": True, "target": args["target"]}
        return result, self.pick(f"I opened {target}.", f"已打开{target}。"), [target]

    def _exec(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        output = self.text(1, 10) if self.f.chance(0.85) else ""
        if self.f.chance(0.2):
            code, output = self.f.number(1, 127), output or "error"
            answer = self.pick(
                f'The command failed with exit code {code}: "{output}"',
                f'命令失败，退出码 {code}："{output}"',
            )
            return {"exit": code, "output": output}, answer, [str(code), output]
        result = {"exit": 0, "output": output}
        if not output:
            answer = self.pick("The command finished without output.", "命令已完成，没有输出。")
            return result, answer, []
        return result, self.pick(f'The output is: "{output}"', f'输出："{output}"'), [output]

    def _screenshot(self, _: dict[str, str]) -> tuple[Result, str, list[str]]:
        folder = self.rng.choice(["screenshots/", "shots/", "/tmp/", "", "Pictures/"])
        path = f"{folder}{self.f.invented()}.png"
        if self.f.chance(0.5):
            path = f"{folder}{self.moment()[:10]}-{self.f.digits(6)}.png"
        answer = self.pick(f'The screenshot is in "{path}".', f'截图保存在"{path}"。')
        return {"ok": True, "path": path}, answer, [path]

    def _weather_query(self, args: dict[str, str]) -> tuple[Result, str, list[str]]:
        f, city = self.f, args["city"]
        skies = (
            "晴 阴 小雨 大雨 多云 雪 雾 雷阵雨"
            if self.zh and f.chance(0.7)
            else ("sunny cloudy rain snow fog windy storm clear drizzle overcast")
        )
        sky, temp, wind = self.rng.choice(skies.split()), f.number(-20, 40), f.number(0, 60)
        result: Result = {"city": city, "temp": temp, "sky": sky, "wind": wind}
        if f.chance(0.4):
            result |= {"temp": f"{temp} °C", "wind": f"{wind} km/h"}
        answer = self.pick(
            f"{city}: {result['temp']}, {sky}, wind {result['wind']}.",
            f"{city}：{result['temp']}，{sky}，风 {result['wind']}。",
        )
        return result, answer, [city, str(result["temp"]), sky, str(result["wind"])]
