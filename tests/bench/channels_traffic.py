"""Ten accounts of a channel and a great deal of traffic: `bench_channels`.

    with World(folder) as world:
        await world.open(); world.program.start()
        await world.say_something(chance)
        world.wrong()                  # lost, doubled, conversations out of order

Each message is delivered twice, some a third time much later; the platforms are of our own
(`pigeon_platform`), the program is the real `serve` with a model that answers at once.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.forked_program import ForkedProgram
from tests.fakes.instant import WORD
from tests.fakes.pigeon_platform import TOKEN, PigeonPlatform, add_plugin

PEERS = ("ada", "ben", "eve")
MOST_OPEN = 200
"""Messages that wait for their answers, of all accounts; people write no faster than that."""
_ANEW = 0.04
_PATIENCE = 300.0


def settings(ports: Mapping[str, int]) -> dict[str, object]:
    """moltbot.json for these accounts; nobody's memory is searched."""
    quiet = {
        "memorySearch": {"enabled": False},
        "envelopeTimestamp": "off",
        "envelopeElapsed": "off",
    }
    accounts = {name: {"port": port, "token": TOKEN} for name, port in ports.items()}
    return {
        "agents": {"defaults": quiet},
        "session": {
            "reset": {"mode": "idle", "idleMinutes": 100_000},
            "dmScope": "per-account-channel-peer",
        },
        "messages": {
            "queue": {"debounceMs": 0, "cap": 10_000, "mode": "followup"},
            "inbound": {"debounceMs": 0, "maxPerMinute": 100_000},
            "ackReaction": "",
        },
        "plugins": {"entries": {"pigeon": {"enabled": True}}},
        "channels": {
            "pigeon": {"dmPolicy": "open", "allowFrom": ["*", *PEERS], "accounts": accounts}
        },
    }


@dataclass
class World:
    """The platforms, in this process, and the program in another.

    Attributes:
        asked: what was said, in its order, by account and peer.
        lines: of the last messages, to be delivered once more.
    """

    folder: Path
    accounts: int = 10
    platforms: dict[str, PigeonPlatform] = field(default_factory=dict)
    asked: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    said: int = 0

    async def open(self) -> None:
        """The platforms listen, and the settings are written."""
        for number in range(self.accounts):
            platform = self.platforms[f"a{number}"] = PigeonPlatform()
            await platform.start()
        self.home.mkdir(parents=True)
        add_plugin(self.home)
        ports = {name: one.port for name, one in self.platforms.items()}
        text = json.dumps(settings(ports))
        (self.home / "moltbot.json").write_text(text, encoding="utf-8")

    async def close(self) -> None:
        for one in self.platforms.values():
            await one.stop()

    @property
    def home(self) -> Path:
        return self.folder / ".moltbot"

    @property
    def answered(self) -> int:
        """Answers to what was said; those to /new are not counted."""
        posts = (post for one in self.platforms.values() for post in one.posts.values())
        return sum(WORD.fullmatch(post.text) is not None for post in posts)

    async def say_something(self, chance: random.Random) -> None:
        """A message of anybody's, twice; now and then an old one once more, or a new conversation:
        those that go on are kept in memory, and grow."""
        name, peer = chance.choice(list(self.platforms)), chance.choice(PEERS)
        word = f"m{self.said}"
        self.said += 1
        before = self.asked[name, peer]
        before.append(word)
        platform = self.platforms[name]
        if chance.random() < _ANEW:
            await platform.say(f"new-{word}", "/new", sender=peer, times=2)
        await platform.say(word, word, sender=peer, times=2)
        if chance.random() < 0.2:
            old = chance.choice(before[-30:])
            await platform.say(old, old, sender=peer)

    async def restart(self, name: str, chance: random.Random) -> None:
        """A server goes while its people write, and comes back."""
        await self.platforms[name].stop()
        await asyncio.sleep(chance.random() * 0.2)
        await self.platforms[name].start()

    async def all_answered(self) -> None:
        await becomes(lambda: self.answered >= self.said, self.said_wrong)

    def said_wrong(self) -> str:
        errors = self.folder / "errors.txt"
        return errors.read_text("utf-8", "replace")[-2000:] if errors.exists() else ""

    def wrong(self) -> tuple[int, int, int]:
        """Messages without an answer, answered more than once, places answered out of order."""
        lost = doubled = disordered = 0
        for (name, peer), words in self.asked.items():
            posts = self.platforms[name].posts.values()
            told = [one.text for one in posts if one.to == peer and WORD.fullmatch(one.text)]
            first = list(dict.fromkeys(told))
            lost += len(set(words) - set(first))
            doubled += len(told) - len(first)
            disordered += first != [one for one in words if one in set(first)]
        return lost, doubled, disordered


async def becomes(true: Callable[[], object], otherwise: Callable[[], str]) -> None:
    try:
        async with asyncio.timeout(_PATIENCE):
            while not true():
                await asyncio.sleep(0.005)
    except TimeoutError:
        raise TimeoutError(otherwise()) from None


async def ended(program: ForkedProgram) -> tuple[int, float]:
    """Its exit code, and the seconds that it took to end."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    code = await asyncio.to_thread(program.end)
    return code, loop.time() - begun


def resident_mb(process: int) -> float:
    """Of a process; 0 where no /proc tells."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 1e6
