"""Plugins on the disk, and a program around them that only remembers."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from moltbot_desktop.config.plugin_entries import PluginEntry
from moltbot_desktop.core.clock import ManualClock
from moltbot_desktop.core.errors import PluginInvalid, SecretsUnavailable
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.plugins.discovery import FoundPlugin, Origin, PluginRoot, discover
from moltbot_desktop.plugins.enablement import Wish
from moltbot_desktop.plugins.host import Survey
from moltbot_desktop.plugins.manifest import PluginManifest
from moltbot_desktop.plugins.opening import Lent
from moltbot_desktop.plugins.registry import Registration
from moltbot_desktop.sdk.plugins import PluginRuntime
from tests.fakes.memory import FakeMemory


def make_plugin(
    folder: Path, plugin: str, code: str = "def register(api): pass", **manifest: object
) -> Path:
    """A plugin in ``folder/plugin``, with what is given of its manifest."""
    place = folder / plugin
    place.mkdir(parents=True, exist_ok=True)
    told = {"id": plugin, "configSchema": {"type": "object"}, **manifest}
    (place / "moltbot.plugin.json").write_text(json.dumps(told))
    (place / "plugin.py").write_text(textwrap.dedent(code))
    return place


@dataclass
class LendsLittle:
    """A `Lender`; `lent` are the plugins that have something now."""

    state: Path
    secrets: Mapping[str, str] = field(default_factory=dict)
    python: str = "python3"
    clock: ManualClock = field(
        default_factory=lambda: ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    )
    lent: list[str] = field(default_factory=list)

    def secret(self, name: str) -> str:
        if name not in self.secrets:
            raise SecretsUnavailable(f"no secret {name}")
        return self.secrets[name]

    def lend(self, manifest: PluginManifest, config: JsonObject) -> Lent:
        self.lent.append(manifest.id)
        runtime = PluginRuntime(
            "1",
            Language.ENGLISH,
            self.clock,
            self.state / manifest.id,
            NoWeb(),
            lambda _memory: (),
            FakeMemory({}),
            lambda text, _most: (text,),
        )
        return Lent(runtime, lambda: self.lent.remove(manifest.id))


class NoWeb:
    def get(self, url: str, *, max_bytes: int = 0) -> object:
        raise AssertionError(url)


@dataclass
class Remembers:
    """`Effects` that keeps what is in effect, by plugin."""

    taken: dict[str, Registration] = field(default_factory=dict)
    refuse: str = ""

    def take(self, plugin: FoundPlugin, registration: Registration) -> Callable[[], None]:
        if plugin.id == self.refuse:
            raise PluginInvalid("not in this house")
        self.taken[plugin.id] = registration
        return lambda: self.taken.pop(plugin.id) and None


@dataclass
class Ground:
    """A folder of plugins and the owner's word about them."""

    folder: Path
    entries: dict[str, PluginEntry] = field(default_factory=dict)

    def on(self, plugin: str, **config: object) -> None:
        self.entries[plugin] = PluginEntry(True, config)

    def survey(self) -> Survey:
        found = discover([PluginRoot(Origin.OWN, self.folder)], installed=False)
        said = {name: bool(one.enabled) for name, one in self.entries.items()}
        return Survey(found, Wish(said=said), dict(self.entries))
