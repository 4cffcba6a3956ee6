"""What else there is to see of a place than what one finds there: other parts, forms, questions.

    for scene in SCENES:
        if home in scene.homes:
            scene.play(stage)          # now the window shows it; a picture is taken
            scene.leave(stage)

Words stand here in English, and are pressed in the language of the window.
"""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from moltbot_desktop.ui.place import (
    ACTIVITY,
    BACKUP,
    CHAT,
    MEMORY,
    MODELS,
    PERMISSIONS,
    SCHEDULE,
    SKILLS,
    PlaceId,
)
from tests.e2e.desktop.books import BROKEN, HALF_FETCHED
from tests.e2e.desktop.homes import Home
from tests.e2e.desktop.person import Person
from tests.e2e.program import CHECKOUT, Program

_ANYWHERE = tuple(Home)
_SEGMENT, _BUTTON = "check box", "push button"
_SAID = {
    "en": {
        "search": "dentist",
        "write": "write shopping.txt: milk and eggs",
        "run": "run rm old.txt",
        "file": "picnic.txt",
    },
    "zh": {
        "search": "牙医",
        "write": "写入 购物.txt：牛奶和鸡蛋",
        "run": "运行 rm old.txt",
        "file": "野餐.txt",
    },
}


@dataclass(frozen=True)
class Stage:
    """The window in front of somebody who reads one of the languages."""

    person: Person
    language: str

    def sees(self, words: str, role: str = "") -> None:
        self.person.sees(self.word(words), role)

    def presses(self, words: str, role: str = _BUTTON) -> None:
        self.person.presses(self.word(words), role)
        # The hand rests beside the window, so that nothing looks as if it were pointed at.
        self.person.driver.desktop.xdotool("mousemove", "2", "2")

    def keys(self, *keys: str) -> None:
        self.person.driver.press(*keys)

    def says(self, what: str) -> None:
        self.person.driver.say(self.said(what))

    def said(self, what: str) -> str:
        return _SAID[self.language][what]

    def word(self, words: str) -> str:
        """As the window says it."""
        return words if self.language == "en" else chinese_words()[words]


@dataclass(frozen=True)
class Scene:
    """One more picture.

    Attributes:
        place: where it is.
        homes: those in which there is something to see.
        play: from the place as it is when gone to.
        leave: back to the place as it was.
        whole: it is of the whole screen.
    """

    place: PlaceId
    name: str
    homes: tuple[Home, ...]
    play: Callable[[Stage], None]
    leave: Callable[[Stage], None] = lambda stage: stage.keys("Escape")
    whole: bool = False

    @property
    def title(self) -> str:
        return f"{self.place}.{self.name}"


@cache
def chinese_words() -> Mapping[str, str]:
    """The first translation of each sentence of the window."""
    found: dict[str, str] = {}
    for file in sorted((CHECKOUT / "resources" / "translations").glob("*_zh.ts")):
        for message in ElementTree.parse(file).getroot().iter("message"):
            source, told = message.findtext("source"), message.findtext("translation")
            if source and told:
                found.setdefault(source, told)
    return found


def _part(words: str) -> Callable[[Stage], None]:
    """Another part of the place."""
    return lambda stage: stage.presses(words, _SEGMENT)


def _pressed(words: str) -> Callable[[Stage], None]:
    return lambda stage: stage.presses(words)


def _keys(*keys: str) -> Callable[[Stage], None]:
    return lambda stage: stage.keys(*keys)


def _search_memory(stage: Stage) -> None:
    stage.presses("Search", _SEGMENT)
    stage.keys("ctrl+f")
    stage.person.driver.type_text(stage.said("search"))


def _forget(stage: Stage) -> None:
    _search_memory(stage)
    stage.presses("Forget…")


def _leave_forgetting(stage: Stage) -> None:
    stage.keys("Escape")
    stage.presses("Notes", _SEGMENT)


def _plan_of_import(stage: Stage) -> None:
    stage.presses("Bring in…")
    found = stage.word("Found here: {folder}").split("{", maxsplit=1)[0]
    stage.person.presses(found, _BUTTON)
    stage.sees("This would be brought in")


def _choose_broken(stage: Stage) -> None:
    stage.person.presses(BROKEN, "list item")


def _remove_model(stage: Stage) -> None:
    _choose_broken(stage)
    stage.presses("Remove")
    stage.sees("Cancel", _BUTTON)


def _try_model(stage: Stage) -> None:
    stage.presses("Try it out")
    stage.person.reads(stage.word("It works: loaded in {seconds} s").split("{")[0])


def _ask_about_seal(stage: Stage) -> None:
    stage.presses("What left", _SEGMENT)
    stage.presses("Open the seal")
    stage.sees("Leave it closed", _BUTTON)


def _leave_seal(stage: Stage) -> None:
    stage.presses("Leave it closed")
    stage.presses("You allowed", _SEGMENT)


def _give_files(stage: Stage) -> None:
    folder = stage.person.driver.home.parent
    picture = CHECKOUT / "resources" / "screenshots" / "chat-light.png"
    files = [folder / stage.said("file"), folder / "2026.csv", picture]
    files[0].write_text("blanket\nbread\n" * 40, "utf-8")
    files[1].write_text("day,cost\n" + "2026-03-01,12\n" * 400, "utf-8")
    stage.person.driver.paste_files(*files)
    stage.person.sees(files[0].name)


def _take_files_back(stage: Stage) -> None:
    for _ in range(3):
        stage.person.presses(stage.word("Remove {file}").split("{")[0], _BUTTON)


def _ask_leave(stage: Stage) -> None:
    workspace = stage.person.driver.home / "workspace"
    (workspace / "old.txt").write_text("old", "utf-8")
    stage.says("run")
    stage.sees("Allow this once", _BUTTON)


def _change_files(stage: Stage) -> None:
    stage.says("write")
    stage.sees("I changed files in this task.")


def _choose_paused(stage: Stage) -> None:
    stage.presses("To fetch", _SEGMENT)
    stage.person.presses(HALF_FETCHED, "list item")


def _welcome(stage: Stage) -> None:
    _shell(stage, "open", "welcome")
    stage.sees("Where everything is kept")


def _shell(stage: Stage, *arguments: str) -> None:
    """As somebody would type it."""
    command = Program(stage.person.driver.home).command(*arguments)
    environment = stage.person.driver.desktop.environment
    subprocess.run(command, env=environment, check=True, timeout=60)


def _quick_question(stage: Stage) -> None:
    _shell(stage, "toggle")
    stage.sees("Quick question")


def _nothing(_stage: Stage) -> None:
    """It is there, or stays."""


SCENES: tuple[Scene, ...] = (
    Scene(MEMORY, "new", (Home.NORMAL,), _keys("ctrl+n")),
    Scene(MEMORY, "inbox", (Home.EMPTY, Home.NORMAL), _part("Inbox"), _part("Notes")),
    Scene(MEMORY, "search", (Home.NORMAL, Home.LONG), _search_memory, _part("Notes")),
    Scene(
        MODELS,
        "to-fetch",
        (Home.NORMAL, Home.TROUBLE),
        _part("To fetch"),
        _part("On this computer"),
    ),
    Scene(MEMORY, "forget", (Home.NORMAL,), _forget, _leave_forgetting),
    Scene(MODELS, "remove", (Home.TROUBLE,), _remove_model),
    Scene(SCHEDULE, "job", (Home.NORMAL, Home.LONG), _keys("End"), _nothing),
    Scene(MODELS, "paused", (Home.TROUBLE,), _choose_paused, _part("On this computer")),
    Scene(MODELS, "servers", (Home.EMPTY,), _part("On servers"), _part("On this computer")),
    Scene(MODELS, "try", (Home.NORMAL,), _try_model, _nothing),
    Scene(SCHEDULE, "new", (Home.NORMAL,), _keys("ctrl+n")),
    Scene(ACTIVITY, "failed", (Home.NORMAL, Home.TROUBLE), _part("Not well"), _part("All")),
    Scene(ACTIVITY, "anew", (Home.NORMAL,), _pressed("Tell it anew")),
    Scene(SKILLS, "trust", (Home.NORMAL,), _pressed("Trust it…")),
    Scene(SKILLS, "new", (Home.NORMAL,), _keys("ctrl+n")),
    Scene(
        PERMISSIONS,
        "done",
        (Home.NORMAL, Home.LONG, Home.TROUBLE),
        _part("What was done"),
        _part("You allowed"),
    ),
    Scene(
        PERMISSIONS,
        "network",
        (Home.EMPTY, Home.NORMAL, Home.LONG),
        _part("What left"),
        _part("You allowed"),
    ),
    Scene(PERMISSIONS, "seal", (Home.TROUBLE,), _ask_about_seal, _leave_seal),
    Scene(BACKUP, "save", (Home.NORMAL,), _keys("ctrl+s")),
    Scene(BACKUP, "bring-in", (Home.NORMAL,), _pressed("Bring in…")),
    Scene(BACKUP, "plan", (Home.NORMAL,), _plan_of_import),
    Scene(BACKUP, "put-back", (Home.NORMAL,), _pressed("Put everything back…")),
    Scene(BACKUP, "help", (Home.NORMAL,), _pressed("Get help…")),
    Scene(MODELS, "broken", (Home.TROUBLE,), _choose_broken, _nothing),
    Scene(CHAT, "welcome", (Home.NORMAL,), _welcome),
    Scene(CHAT, "files", (Home.NORMAL,), _give_files, _take_files_back),
    Scene(CHAT, "undo", (Home.NORMAL,), _change_files, _nothing),
    Scene(CHAT, "permission", (Home.NORMAL,), _ask_leave, _pressed("Don't allow")),
    Scene(CHAT, "quick", (Home.NORMAL,), _quick_question, whole=True),
)
"""In the order in which they are played: what changes something comes last."""
