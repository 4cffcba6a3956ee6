"""Homes of the program as people have them: empty, in use, full, in trouble.

fill(Home.LONG, folder / ".moltbot", language="zh", theme="dark")

What the program can write itself is written by it (the chat, the jobs, a skill); only what
no command makes (hundreds of notes, what is broken) is written as files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path

from moltbot_desktop.sdk.backup import Occasion
from tests.e2e.desktop.books import Books
from tests.e2e.program import Program

_PARAGRAPHS = {
    "en": (
        "This is a note that somebody wrote without ever pressing Enter, because the thought went "
        "on and on, with an address https://example.org/a/very/long/path/that/has/no/space/in/it "
        "and a word like Donaudampfschifffahrtsgesellschaftskapitänsmütze in the middle. "
    ),
    "zh": (
        "这是一条一口气写完的笔记，从头到尾没有换过一行，因为想到哪里就写到哪里，中间还有一个很长的网址"
        " https://example.org/a/very/long/path/that/has/no/space/in/it 和一个很长的单词"
        " Donaudampfschifffahrtsgesellschaftskapitänsmütze，后面接着又写了许多许多字。"
    ),
}
_THINGS = {
    "en": "the blue rope, the spare keys of the boat, two lamps and the good tent",
    "zh": "蓝色的绳子、船的备用钥匙、两盏灯和那顶好帐篷",
}
_OCCASIONS = (
    Occasion.ASKED,
    Occasion.IMPORT,
    Occasion.UPDATE,
    Occasion.RESTORE,
    Occasion.MIGRATION,
)
_NOBODY = "http://127.0.0.1:9"
"""Nothing answers there, and nothing leaves the computer to find that out."""
_REMEMBER = {"en": "Remember that box {number} holds ", "zh": "记住{number}号箱子里有"}
_FACT = {"en": "- Fact {number}: the shelf in row {number} is ", "zh": "- 第{number}排的架子上放着"}
_JOB = {"en": "Job {number}", "zh": "任务{number}"}
_SKILL_NAME = {"en": "a-skill-with-a-rather-long-name-", "zh": "一个名字起得相当长的技能"}


class Home(Enum):
    EMPTY = "empty"
    NORMAL = "normal"
    LONG = "long"
    TROUBLE = "trouble"


def fill(kind: Home, folder: Path, language: str) -> None:
    """Make the home `folder`; `dress` says later in which language and theme it is shown."""
    folder.mkdir(parents=True, mode=0o700)
    dress(folder, language, "light")
    program, books = Program(folder), Books(folder, language)
    if kind is not Home.EMPTY:
        _talk(program, _SAID[language])
        for when, message in _JOBS[language]:
            _check(program, "cron", "add", when, message)
        _check(program, "skills", "new", *_SKILL[language])
        trouble = kind is Home.TROUBLE
        books.permissions(20 if kind is Home.LONG else 1, unwise=trouble)
        books.traffic(14 if kind is Home.LONG else 1, closed=trouble)
        books.another_program()
        books.snapshots(_OCCASIONS if kind is Home.LONG else _OCCASIONS[:2])
    if kind is Home.LONG:
        told, things = _REMEMBER[language], _THINGS[language]
        _talk(program, [told.format(number=number) + things for number in range(20)])
        _much(program, language)
    if kind is Home.TROUBLE:
        _trouble(folder)
        books.spoiled_models()


def dress(folder: Path, language: str, theme: str) -> None:
    """Set language and theme, and leave the other settings as they are."""
    file = folder / "moltbot.json"
    settings = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    settings["ui"] = {"language": language, "theme": theme}
    file.write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")
    file.chmod(0o600)


def _talk(program: Program, lines: Sequence[str]) -> None:
    """In the window's own conversation."""
    text = "".join(f"{line}\n" for line in lines)
    done = program.run("chat", "--json", "--resume", "--local", lines=text)
    assert done.returncode == 0, done.stderr


def _check(program: Program, *arguments: str) -> None:
    done = program.run(*arguments)
    assert done.returncode == 0, done.stderr


def _much(program: Program, language: str) -> None:
    """More of everything than fits on a page, and longer than fits in a line."""
    workspace = program.home / "workspace"
    paragraph, fact = _PARAGRAPHS[language], _FACT[language] + _THINGS[language]
    facts = [fact.format(number=number) for number in range(200)]
    (workspace / "MEMORY.md").write_text("# Memory\n\n" + "\n".join(facts), encoding="utf-8")
    for day in range(1, 29):
        daily = workspace / "memory" / f"2026-02-{day:02}.md"
        daily.write_text(f"# 2026-02-{day:02}\n\n" + f"- 09:00 · {paragraph}\n" * 5, "utf-8")
    jobs = [_job(number, language) for number in range(60)]
    file = program.home.parent / "jobs.json"
    file.write_text(json.dumps({"version": 1, "jobs": jobs}), encoding="utf-8")
    _check(program, "cron", "import", str(file))
    for number in range(30):
        skill = workspace / "skills" / f"{_SKILL_NAME[language]}{number}"
        skill.mkdir(parents=True)
        head = f"---\nname: {skill.name}\ndescription: {paragraph}\n---\n"
        (skill / "SKILL.md").write_text(head + paragraph * 20, encoding="utf-8")


def _job(number: int, language: str) -> Mapping[str, object]:
    name, paragraph = _JOB[language].format(number=number), _PARAGRAPHS[language]
    return {
        "id": f"job-{number}",
        "name": f"{name}: {paragraph}" if number % 10 == 0 else name,
        "enabled": number % 7 != 0,
        "schedule": {"kind": "cron", "expr": f"{number} {number % 24} * * *"},
        "sessionTarget": "isolated",
        "payload": {"kind": "agentTurn", "message": paragraph},
    }


def _trouble(folder: Path) -> None:
    """Broken in as many places as a person might break."""
    settings = json.loads((folder / "moltbot.json").read_text(encoding="utf-8"))
    settings |= {
        "channels": {"telegram": {"enabled": True, "botToken": "1:no", "apiRoot": _NOBODY}},
        "plugins": {"entries": {"telegram": {"enabled": True}}},
        "models": {"path": "/nowhere/a-model.gguf"},
        "mcp": {"servers": {"broken": {"command": "/nowhere/server", "enabled": True}}},
    }
    (folder / "moltbot.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "workspace" / "MEMORY.md").write_bytes(b"# Memory\n\n- \xff\xfe not text\n")
    skill = folder / "workspace" / "skills" / "broken"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: [\n", encoding="utf-8")
    for transcript in folder.glob("agents/*/sessions/*.jsonl"):
        with transcript.open("a", encoding="utf-8") as lines:
            lines.write('{"torn')


_SAID: Mapping[str, Sequence[str]] = {
    "en": (
        "Remember that my dentist is Dr. Okafor, phone 555-0142",
        "Remember that the wifi password hangs inside the kitchen cupboard",
        "Who is my dentist?",
        "Remind me tomorrow at 9 to call Anna",
        "Remind me every Monday at 8 to put the bins out",
        "What is 17% of 340?",
        "By the way, I'm allergic to peanuts. What is 6 times 7?",
        "What reminders do I have?",
    ),
    "zh": (
        "记住我的牙医是王医生，电话 555-0142",
        "记住我的车牌号是沪A12345",
        "我的牙医是谁？",
        "明天上午九点提醒我给安娜打电话",
        "每周一早上八点提醒我倒垃圾",
        "340 的 17% 是多少？",
        "对了，我对花生过敏。6乘7是多少？",
        "我有哪些提醒？",
    ),
}
_SKILL: Mapping[str, tuple[str, str]] = {
    "en": ("garden-log", "Writes down what was planted, and says what is due in the garden."),
    "zh": ("花园日志", "记下种了什么，说说花园里该做什么。"),
}
_JOBS: Mapping[str, Sequence[tuple[str, str]]] = {
    "en": (
        ("every day at 8", "Good morning: what is due today?"),
        ("0 18 * * 5", "Sum up my week"),
    ),
    "zh": (("每天早上八点", "早上好：今天有什么事？"), ("0 18 * * 5", "总结我这一周")),
}
