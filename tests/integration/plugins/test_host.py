"""The plugin host over real folders: all or nothing, one at a time, without a new start."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from moltbot_desktop.app.plugins import plugin_notices
from moltbot_desktop.core.errors import UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.plugins.host import PluginHost, PluginRecord
from moltbot_desktop.plugins.registry import Registration
from tests.fakes.plugins import Ground, LendsLittle, Remembers, make_plugin

REGISTER = {
    "tools": "api.register_tool(lambda context: None, names=['sun_tool'])",
    "hooks": "api.on(MessageReceived, print)",
    "internal_hooks": "api.register_hook('command:new', print)",
    "channels": "api.register_channel(PluginChannel('sun', print))",
    "services": "api.register_service(Service())",
    "cli": "api.register_cli(CliCommand('sun', 'sun', '太阳', print))",
    "commands": "api.register_command(PluginCommand('sun', 'sun', '太阳', print))",
    "methods": "api.register_gateway_method(GatewayMethod('sun.now', print))",
    "routes": "api.register_http_route(HttpRoute('/sun', print))",
    "providers": "api.register_provider(PluginProvider('sun'))",
}
IMPORTS = """
from moltbot_desktop.sdk.hooks import MessageReceived
from moltbot_desktop.sdk.plugins import *
class Service:
    id = "clock"
    log = []
    async def start(self): self.log.append("start")
    async def stop(self): self.log.append("stop")
"""


class House:
    """A host with everything around it."""

    def __init__(self, tmp_path: Path, open_seconds: float, patience_seconds: float | None) -> None:
        self.ground = Ground(tmp_path / "extensions")
        self.lender = LendsLittle(tmp_path / "state", {"lab": "s3cret"})
        self.effects = Remembers()
        self.host = PluginHost(
            self.ground.survey,
            self.lender,
            self.effects,
            asyncio.to_thread,
            Language.ENGLISH,
            open_seconds,
            patience_seconds,
        )

    def plugin(self, plugin: str, code: str, **manifest: object) -> None:
        make_plugin(self.ground.folder, plugin, code, **manifest)
        self.ground.on(plugin)

    def record(self, plugin: str) -> PluginRecord:
        return next(one for one in self.host.records() if one.found.id == plugin)

    def status(self) -> dict[str, str]:
        return {one.found.id: one.status.value for one in self.host.records()}


Story = Callable[[House], Awaitable[None]]


def played(
    tmp_path: Path,
    story: Story,
    open_seconds: float = 60.0,
    patience_seconds: float | None = None,
) -> None:
    house = House(tmp_path, open_seconds, patience_seconds)

    async def whole() -> None:
        try:
            await story(house)
        finally:
            await house.host.close()

    asyncio.run(whole())
    assert house.effects.taken == {}
    assert house.lender.lent == []
    assert not [name for name in sys.modules if name.startswith("moltbot_plugin_")]


def test_what_is_switched_on_comes_in_and_nothing_else_is_run(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        house.plugin("sun", f"{IMPORTS}\ndef register(api):\n    {REGISTER['commands']}")
        make_plugin(house.ground.folder, "rain", "raise SystemExit('it was run')")
        await house.host.follow()
        assert house.status() == {"rain": "off", "sun": "on"}
        assert [one.name for one in house.effects.taken["sun"].commands] == ["sun"]
        assert "off until you switch it on" in house.record("rain").reason

    played(tmp_path, story)


@pytest.mark.parametrize("kind", REGISTER)
def test_a_register_that_fails_leaves_nothing_behind(
    tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def story(house: House) -> None:
        caplog.set_level(logging.CRITICAL + 1, "moltbot_desktop")
        whole = f"{IMPORTS}\ndef register(api):\n    {REGISTER[kind]}\n"
        house.plugin("moon", whole)
        await house.host.follow()
        assert len(getattr(house.effects.taken["moon"], kind)) == 1  # it is registered by this
        house.ground.entries.clear()
        house.plugin("sun", f"{whole}    raise ValueError('no sun today')\n")
        await house.host.follow()
        assert house.status() == {"moon": "off", "sun": "broken"}
        assert "no sun today" in house.record("sun").reason
        assert house.record("sun").registration == Registration()
        assert house.effects.taken == {} and house.lender.lent == []

    played(tmp_path, story)


@pytest.mark.expect_log
@pytest.mark.parametrize(
    "code",
    [
        "import no_such_module_anywhere",
        "raise SystemExit(3)",
        "1/0",
        "def register(",
        "register = 3",
        "async def register(api): pass",
        "def register(api): raise SystemExit(3)",
        "async def later(): pass\ndef register(api): return later()",
        "def register(api): api.register_hook('no:such', print)",
        "def register(api): api.on(int, print)",
        "def register(api):\n    for _ in 'ab': api.register_tool(print, names=['same'])",
    ],
)
def test_a_plugin_that_fails_is_told_and_the_others_come_in(tmp_path: Path, code: str) -> None:
    async def story(house: House) -> None:
        house.plugin("a-bad-one", code)
        house.plugin("sun", "def register(api): pass")
        await house.host.follow()
        assert house.status() == {"a-bad-one": "broken", "sun": "on"}
        assert house.record("a-bad-one").reason

    played(tmp_path, story)


@pytest.mark.expect_log
def test_one_that_does_not_come_to_an_end_holds_nobody_up(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        code = """
        import time
        from pathlib import Path
        def register(api):
            while not Path(__file__).with_name("enough").exists():
                time.sleep(0.01)
        """
        house.plugin("a-slow-one", code)
        house.plugin("sun", "def register(api): pass")
        await house.host.follow()
        assert house.status() == {"a-slow-one": "broken", "sun": "on"}
        (house.ground.folder / "a-slow-one" / "enough").touch()
        while "a-slow-one" in house.lender.lent:  # what came too late goes at once
            await asyncio.sleep(0.01)

    played(tmp_path, story, open_seconds=0.5)


WAITS = """
import time
from pathlib import Path
def register(api):
    while not Path(__file__).with_name("enough").exists():
        time.sleep(0.01)
"""


async def until(fits: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not fits():
            await asyncio.sleep(0.01)


def test_one_that_nobody_waits_for_comes_in_later(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        late: list[str] = []
        house.host.came_late = lambda one: late.append(f"{one.found.id} {one.status}")
        house.plugin("a-slow-one", WAITS)
        house.plugin("sun", "def register(api): pass")
        await house.host.follow()
        await until(lambda: house.status()["sun"] == "on")
        assert house.status()["a-slow-one"] == "starting"
        assert "still starting" in house.record("a-slow-one").reason
        (notice,) = plugin_notices((house.record("a-slow-one"),), Language.ENGLISH)
        assert "not in yet" in notice.text
        await until(lambda: "a-slow-one" in house.lender.lent)
        await house.host.follow()  # nothing has changed, so it is not begun again
        assert house.lender.lent.count("a-slow-one") == 1
        (house.ground.folder / "a-slow-one" / "enough").touch()
        await until(lambda: "a-slow-one on" in late)
        assert house.status() == {"a-slow-one": "on", "sun": "on"}
        assert "a-slow-one" in house.effects.taken

    played(tmp_path, story, patience_seconds=0.1)


@pytest.mark.expect_log
def test_one_that_never_comes_is_given_up_later(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        house.plugin("a-slow-one", WAITS)
        await house.host.follow()
        assert house.status() == {"a-slow-one": "starting"}
        await until(lambda: house.status() == {"a-slow-one": "broken"})
        assert "not ready after" in house.record("a-slow-one").reason
        await until(lambda: "a-slow-one" in house.lender.lent)
        (house.ground.folder / "a-slow-one" / "enough").touch()
        await until(lambda: "a-slow-one" not in house.lender.lent)

    played(tmp_path, story, open_seconds=1.0, patience_seconds=0.1)


@pytest.mark.parametrize("switched_off", [True, False])
def test_one_that_still_comes_can_be_let_go(tmp_path: Path, switched_off: bool) -> None:
    async def story(house: House) -> None:
        house.plugin("a-slow-one", WAITS)
        await house.host.follow()
        assert house.status() == {"a-slow-one": "starting"}
        await until(lambda: house.lender.lent == ["a-slow-one"])
        if switched_off:
            house.ground.entries.clear()
            await house.host.follow()
            assert house.status() == {"a-slow-one": "off"}
        else:
            await house.host.close()
        (house.ground.folder / "a-slow-one" / "enough").touch()
        await until(lambda: house.lender.lent == [])
        assert house.effects.taken == {}

    played(tmp_path, story, patience_seconds=0.1)


@pytest.mark.expect_log
def test_a_name_that_another_plugin_has_is_a_reason(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        house.plugin("moon", f"{IMPORTS}\ndef register(api):\n    {REGISTER['commands']}")
        house.plugin("sun", f"{IMPORTS}\ndef register(api):\n    {REGISTER['commands']}")
        house.plugin("stars", "def register(api): pass")
        house.effects.refuse = "stars"
        await house.host.follow()
        assert house.status() == {"moon": "on", "stars": "broken", "sun": "broken"}
        assert "moon" in house.record("sun").reason

    played(tmp_path, story)


def test_settings_are_checked_and_filled_in_before_the_plugin_is_run(tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {
            "units": {"type": "string", "default": "metric"},
            "days": {"type": "integer"},
            "key": {"type": "string"},
        },
    }
    code = """
    from moltbot_desktop.sdk.plugins import *
    def register(api):
        said = " ".join(f"{name}={api.config[name]}" for name in sorted(api.config))
        api.register_command(PluginCommand("sun", said, "太阳", print))
    """

    async def story(house: House) -> None:
        house.plugin("sun", code, configSchema=schema)
        house.ground.on("sun", days="many")
        await house.host.follow()
        (mistake,) = house.record("sun").mistakes
        assert mistake.path == "days"
        house.ground.on("sun", days=3, key="keyring:lab")
        await house.host.follow()
        (command,) = house.effects.taken["sun"].commands
        assert command.english == "days=3 key=s3cret units=metric"
        before = house.effects.taken["sun"]
        await house.host.follow()
        assert house.effects.taken["sun"] is before  # nothing changed, so nothing was opened again

    played(tmp_path, story)


def test_what_is_missing_is_told_with_the_line_to_run(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        needs = {"packages": ["no-such-package-anywhere>=2"], "bins": ["no-such-program"]}
        house.plugin("sun", "raise SystemExit('it was run')", requires=needs)
        await house.host.follow()
        record = house.record("sun")
        assert record.status.value == "broken"
        assert record.hint == 'python3 -m pip install "no-such-package-anywhere>=2"'

    played(tmp_path, story)


def test_a_changed_plugin_is_reloaded_and_an_unwanted_one_goes(tmp_path: Path) -> None:
    code = f"{IMPORTS}\ndef register(api):\n    {REGISTER['commands']}\n    {REGISTER['services']}"

    async def story(house: House) -> None:
        house.plugin("sun", code)
        await house.host.follow()
        first = house.effects.taken["sun"]
        assert first.services[0].log == ["start"]
        house.plugin("sun", code.replace("'sun', 'sun'", "'sol', 'sun'"))
        await house.host.reload("sun")
        assert [one.name for one in house.effects.taken["sun"].commands] == ["sol"]
        assert first.services[0].log == ["start", "stop"]
        with pytest.raises(UserInputInvalid):
            await house.host.reload("nobody")
        house.ground.entries.clear()
        await house.host.follow()
        assert house.effects.taken == {} and house.status() == {"sun": "off"}
        with pytest.raises(UserInputInvalid):
            await house.host.reload("sun")

    played(tmp_path, story)


@pytest.mark.expect_log
def test_services_start_in_order_stop_in_reverse_and_one_that_fails_stops_nobody(
    tmp_path: Path,
) -> None:
    code = """
    from pathlib import Path
    class Service:
        def __init__(self, name, log): self.id, self.log = name, log
        async def start(self):
            self.log.append(f"+{self.id}")
            if self.id == "b": raise SystemExit(1)
        async def stop(self):
            self.log.append(f"-{self.id}")
            if self.id == "c": raise ValueError
    def register(api):
        log = []
        for name in "abc": api.register_service(Service(name, log))
    """
    logs: list[list[str]] = []

    async def story(house: House) -> None:
        house.plugin("sun", code)
        await house.host.follow()
        assert house.status() == {"sun": "on"}
        logs.append(house.effects.taken["sun"].services[0].log)

    played(tmp_path, story)
    assert logs == [["+a", "+b", "+c", "-c", "-a"]]


def test_two_plugins_may_have_files_of_one_name(tmp_path: Path) -> None:
    code = """
    import helper
    from . import other
    from moltbot_desktop.sdk.plugins import *
    def register(api):
        said = helper.NAME + other.NAME
        api.register_command(PluginCommand(api.id, said, "", print))
    """

    async def story(house: House) -> None:
        for plugin in ("sun", "moon"):
            house.plugin(plugin, code)
            folder = house.ground.folder / plugin
            (folder / "helper.py").write_text(f"NAME = '{plugin}'")
            (folder / "other.py").write_text(f"NAME = '-{plugin}'")
        await house.host.follow()
        said = {name: one.commands[0].english for name, one in house.effects.taken.items()}
        assert said == {"sun": "sun-sun", "moon": "moon-moon"}
        assert "helper" not in sys.modules
        assert not [place for place in sys.path if str(house.ground.folder) in place]

    played(tmp_path, story)


def test_a_folder_without_code_is_broken_and_told_to_who_switched_it_on(tmp_path: Path) -> None:
    async def story(house: House) -> None:
        for name in ("sun", "rain"):
            (make_plugin(house.ground.folder, name) / "plugin.py").unlink()
        house.ground.on("sun")
        await house.host.follow()
        assert house.status() == {"sun": "broken", "rain": "broken"}
        assert "no plugin.py" in house.record("rain").reason
        told = plugin_notices(house.host.records(), Language.ENGLISH)
        assert ["“sun”" in one.text for one in told] == [True]

    played(tmp_path, story)
