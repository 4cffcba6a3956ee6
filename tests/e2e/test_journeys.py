"""What people do with the program, from its first start on: in its window, by mouse and by keys.

Each journey is the whole program on a desktop of its own; what shows is read from the accessibility
tree. See `tests.e2e.desktop.person` for what a failed step leaves behind.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import moltbot_desktop
from tests.e2e.desktop.driver import been_here, wait_until
from tests.e2e.desktop.person import MISSING, PATIENCE_SECONDS, Person, a_person
from tests.e2e.program import CHECKOUT, Program
from tests.fakes.chat_servers import HOST, ngircd
from tests.fakes.irc_people import Person as IrcPerson

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(MISSING), reason=f"needs {MISSING}"),
]
STARTER = CHECKOUT / "resources" / "models" / "starter-q8_0.gguf"
TUTORIAL = Path(moltbot_desktop.__file__).parent / "docs" / "PLUGINS.md"
DENTIST = "my dentist is Dr. Okafor, phone 555-0142"
PLACES = (
    ("ctrl+2", "Memory"),
    ("ctrl+3", "Models"),
    ("ctrl+4", "Schedule"),
    ("ctrl+5", "Activity"),
    ("ctrl+6", "Skills"),
    ("ctrl+7", "Channels"),
    ("ctrl+8", "Plugins"),
    ("ctrl+9", "Safety"),
    ("ctrl+Next", "Backup"),
    ("ctrl+Next", "Doctor"),
    ("ctrl+Next", "Settings"),
)


@pytest.fixture
def newcomer(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Person]:
    """Somebody who has never started it."""
    title = request.node.name.removeprefix("test_").replace("_", "-")
    with a_person(tmp_path, title) as person:
        yield person


@pytest.fixture
def person(newcomer: Person) -> Person:
    """Somebody who knows the window: it opens with the chat."""
    been_here(newcomer.driver.home)
    return newcomer


def settings_of(person: Person) -> dict[str, object]:
    file = person.driver.home / "moltbot.json"
    found: dict[str, object] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return found


def ends_well(person: Person) -> None:
    with person.step("ends it"):
        assert person.driver.quit() == 0
        assert "Traceback" not in person.driver.printed


def test_from_the_first_start_to_the_first_answer(newcomer: Person) -> None:
    with newcomer.step("starts it"):
        newcomer.driver.start()
        newcomer.sees("Welcome", "frame")
    with newcomer.step("looks for where everything is kept"):
        newcomer.reads(str(newcomer.driver.home))
    with newcomer.step("presses an example"):
        newcomer.presses("Say: What is 249 times 18?")
        newcomer.reads("What is 249 times 18?", "= 4482")
    with newcomer.step("asks something else"):
        newcomer.is_on("Message")
        newcomer.says("What is 6 times 7?", "= 42")
    ends_well(newcomer)


def test_something_is_remembered_and_found(person: Person) -> None:
    with person.step("tells it"):
        person.driver.start()
        person.says(f"Remember that {DENTIST}", "I will remember")
    with person.step("asks for it"):
        person.says("Who is my dentist?", "Dr. Okafor", "555-0142")
    with person.step("looks at the note"):
        person.goes("ctrl+2", "Memory")
        person.sees("Today", "list item")
        assert DENTIST in person.reads(f"· {DENTIST}")
    with person.step("searches the memory"):
        person.presses("Search", "check box")
        person.driver.press("ctrl+f")
        person.is_on("Search")
        person.driver.type_text("dentist")
        person.sees(DENTIST, "list item")
        person.reads("Found by: ")
    ends_well(person)


def test_a_model_of_ones_own_is_added_and_answers(person: Person) -> None:
    file = person.driver.home.parent / "my-own.gguf"
    shutil.copy(STARTER, file)
    with person.step("goes to the models"):
        person.driver.start()
        person.goes("ctrl+3", "Models")
        person.sees("starter, in use", "list item")
    with person.step("chooses a file"):
        person.presses("Add a file")
        person.is_on("File name:")
        person.driver.say(str(file))
    with person.step("has it copied"):
        person.sees("Add “my-own.gguf”?")
        person.presses("Copy", "push button")
        person.sees("It is here: my-own")
        assert (person.driver.home / "models" / "files" / "my-own.gguf").exists()
    with person.step("uses it"):
        person.presses("Use it", "push button")
        person.sees("my-own, in use", "list item")
    with person.step("asks it"):
        person.goes("ctrl+1", "Moltbot Desktop")
        person.says("What is 6 times 7?", "= 42")
    ends_well(person)


def test_a_plugin_is_added_switched_on_and_set(person: Person) -> None:
    with person.step("puts the plugin of the tutorial where plugins are"):
        files = dict(
            re.findall(r"```\w+ file=(\S+)\n(.*?)```", TUTORIAL.read_text("utf-8"), re.DOTALL)
        )
        folder = person.driver.home / "extensions" / "dice"
        folder.mkdir(parents=True)
        for name in ("moltbot.plugin.json", "plugin.py"):
            (folder / name).write_text(files[name], "utf-8")
    with person.step("finds it in the window, off"):
        person.driver.start()
        person.goes("ctrl+8", "Plugins")
        person.presses("Dice", "tree item")
        person.reads("Off: it is code of others", str(folder))
    with person.step("switches it on and fills its form"):
        person.presses("Switched on", "check box")
        person.puts("Sides of a die", "20")
        person.presses("Save", "push button")
        person.reads("On: the settings switch it on.")
        entry = {"enabled": True, "config": {"sides": 20}}
        assert settings_of(person) == {"plugins": {"entries": {"dice": entry}}}
    with person.step("uses it, as soon as what was saved is in force"):
        person.goes("ctrl+1", "Moltbot Desktop")
        for number in range(1, 100):  # dice at a time, so that each try has its own answer
            person.driver.say(f"/dice {number}")
            told = person.reads_like(
                re.compile(rf"/dice {number}\b[\s\S]*?(which is off|(\d+)\D*Copy answer)")
            )
            if thrown := told[2]:
                break
        assert number <= int(thrown) <= 20 * number
    ends_well(person)


def test_a_command_is_allowed_and_a_change_undone(person: Person) -> None:
    workspace = person.driver.home / "workspace"
    with person.step("has two files written"):
        person.driver.start()
        for name in ("old.txt", "dear.txt"):
            person.says(f"write {name}: hello", f"I wrote 5 bytes to {name}")
            assert (workspace / name).exists()
    with person.step("has one deleted by a command, and allows that"):
        person.driver.say("run rm old.txt")
        person.sees("Run rm old.txt")
        assert (workspace / "old.txt").exists()
        person.presses_until("Allow this once", lambda: not (workspace / "old.txt").exists())
        person.reads("Ran a command", "rm old.txt", "Copy answer")
    with person.step("forbids it for the other one"):
        person.driver.say("run rm dear.txt")
        person.sees("Run rm dear.txt")
        person.presses_until("Don't allow", lambda: person.shows("Permission asked") is None)
        person.reads("I did not do that", "dear.txt")
        assert (workspace / "dear.txt").exists()
    with person.step("has one more written in a new chat, and takes that back"):
        person.driver.press("ctrl+n")
        person.sees("Hello. What can I keep in mind for you?")
        person.says("write shopping.txt: milk and eggs", "to shopping.txt")
        assert (workspace / "shopping.txt").exists()
        person.presses("Undo", "push button")
        person.reads("As before: shopping.txt")
        assert not (workspace / "shopping.txt").exists()
    ends_well(person)


def test_a_reminder_comes_while_the_window_is_closed(person: Person) -> None:
    with person.step("wants to be reminded"):
        person.driver.start()
        person.says("Remind me in 20 seconds to stretch", "I will remind you")
    with person.step("closes the window"):
        person.driver.close_window()
    with person.step("is reminded by the desktop"):
        person.sees("stretch", "label")
    with person.step("opens the window by what the desktop said"):
        person.presses("stretch", "label")
        person.reads("I will remind you", "Reminder", "stretch")
    ends_well(person)


class Stranger:
    """Somebody on the same IRC network."""

    def __init__(self, runner: asyncio.Runner, port: int) -> None:
        self._runner = runner
        self._person = runner.run(IrcPerson.come("eve", port))

    def says(self, text: str) -> None:
        self._person.write("PRIVMSG", "molty", text)

    def hears(self, pattern: str) -> str:
        """Wait for a line in which this is found; what is found."""
        found: list[str] = []

        def came() -> bool:
            self._runner.run(asyncio.sleep(0))
            told = "\n".join(text for _, _, text in self._person.lines)
            found[:] = re.findall(pattern, told)
            return bool(found)

        wait_until(came, f"{pattern!r} to be heard", PATIENCE_SECONDS)
        return found[-1]

    def goes(self) -> None:
        self._runner.run(self._person.go())


def test_somebody_is_let_in_on_a_channel(person: Person, tmp_path: Path) -> None:
    with ngircd(tmp_path) as server, asyncio.Runner() as runner:
        account = {"host": HOST, "port": server.port, "tls": False, "nick": "molty"}
        file = person.driver.home / "moltbot.json"
        file.write_text(json.dumps({"channels": {"irc": account}}), "utf-8")
        with person.step("switches the channel on"):
            person.driver.start()
            person.goes("ctrl+7", "Channels")
            person.presses("Switch on, IRC")
            person.sees("Connected")
        with person.step("a stranger writes, and is given a code"):
            stranger = Stranger(runner, server.port)
            stranger.says("What is 5 times 5?")
            code = stranger.hears(r"Your code is (\w+)")
        with person.step("compares the code and lets them in"):
            person.sees(f"{code} · eve")
            person.presses("Let in, eve")
            person.reads("eve", "may write to the assistant now")
        with person.step("they are answered"):
            stranger.says("What is 6 times 7?")
            assert stranger.hears(r"= (\d+)") == "42"
            stranger.goes()
        with person.step("finds what was said in the list of conversations"):
            person.goes("ctrl+1", "Moltbot Desktop")
            person.sees("What is 6 times 7?", "list item")
    ends_well(person)


def test_an_old_chat_is_found_in_chinese(person: Person) -> None:
    home = person.driver.home
    (home / "moltbot.json").write_text('{"ui": {"language": "zh"}}', "utf-8")
    said = "记住我的牙医是王医生，电话 555-0142\n/new\n340 的 17% 是多少？\n/new\n"
    done = Program(home).run("chat", "--resume", "--local", lines=said)
    assert done.returncode == 0, done.stderr
    with person.step("starts it, in Chinese"):
        person.driver.start()
        person.sees("Moltbot 桌面助手", "frame")
        person.sees("340 的 17% 是多少？", "list item")
    with person.step("searches all conversations"):
        person.puts("搜索全部对话", "王医生")
        person.sees("名称相符", "list item")
    with person.step("opens the old one"):
        person.presses("记住我的牙医是王医生", "list item")
        person.reads("我的牙医是王医生", "记住了")
    with person.step("goes on with it"):
        person.presses("消息", "text")
        person.says("我的牙医是谁？", "记住了", "复制回答", "王医生")
    ends_well(person)


def test_everything_by_keys_alone(newcomer: Person) -> None:
    keys = newcomer.driver.press
    with newcomer.step("goes past the first page"):
        newcomer.driver.start()
        newcomer.is_on("To the chat")
        keys("Return")
        newcomer.sees("Moltbot Desktop", "frame")
        newcomer.is_on("Message")
    with newcomer.step("asks"):
        newcomer.says("What is 6 times 7?", "= 42")
    for key, place in PLACES:
        with newcomer.step(f"goes to {place}"):
            newcomer.goes(key, place)
    with newcomer.step("finds a setting and changes it"):
        newcomer.sees("General", "tree item")
        keys("ctrl+f")
        newcomer.is_on("Search settings")
        newcomer.driver.type_text("theme")
        newcomer.sees("Look", "combo box")
        keys("Tab")
        newcomer.is_on("Look")
        newcomer.driver.type_text("d")
        keys("ctrl+s")
        wait_until(
            lambda: settings_of(newcomer) == {"ui": {"theme": "dark"}}, "saved", PATIENCE_SECONDS
        )
    with newcomer.step("goes back to the chat"):
        newcomer.goes("Escape", "Moltbot Desktop")
        newcomer.is_on("Message")
    with newcomer.step("quits"):
        keys("ctrl+q")
        wait_until(lambda: not newcomer.driver.running, "the end", PATIENCE_SECONDS)
    ends_well(newcomer)
