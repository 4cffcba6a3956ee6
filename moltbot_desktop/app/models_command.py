"""`moltbot-desktop models`: what is here, what can be fetched, fetching, choosing, trying out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from moltbot_desktop.app.model_listing import ModelListing
from moltbot_desktop.app.model_setup import ModelSetup, read_model_setup
from moltbot_desktop.app.model_trial import try_model
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_shell import plugin_models_opened
from moltbot_desktop.app.typed import typed_line
from moltbot_desktop.cli.models import ModelsOutput
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.settings import ModelsConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import CatalogueInvalid, ModelMissing, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.progress import Phase
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.models.download import Download, Source, hub_address
from moltbot_desktop.models.gguf_header import read_header
from moltbot_desktop.models.library import InstalledModel, ModelLibrary
from moltbot_desktop.models.pace import Listener, Pace
from moltbot_desktop.models.thread import CancelSource
from moltbot_desktop.security.egress import Egress, EgressRule


def run_models(
    paths: Paths, loaded: LoadedConfig, clock: Clock, arguments: Arguments, language: Language
) -> int:
    """Do what `arguments.action` says; the exit code.

    Raises:
        MoltbotError: it could not be done.
    """
    live = sys.stderr.isatty()
    output = ModelsOutput(sys.stdout, sys.stderr, language, arguments.json, live)
    setup = read_model_setup(paths, loaded, language)
    # Only what fetches needs the catalogue; models that are here are used without it.
    library = setup.library(strict=arguments.action == "pull")
    command = ModelsCommand(setup, library, clock, output)
    match arguments.action:
        case "list":
            with plugin_models_opened(setup, loaded, clock) as unusable:
                for error in unusable:
                    output.note("no_plugin", problem=error)
                return command.list()
        case "pull":
            return command.pull(arguments.name)
        case "use":
            return command.use(arguments.name)
        case "import":
            return command.add(Path(arguments.name), link=arguments.link)
        case "remove":
            return command.remove(arguments.name, _confirmation(arguments.yes))
        case _:
            return command.test(arguments.name)


def _confirmation(yes: bool) -> Callable[[str], bool]:
    """Asks at the terminal; anything but a yes is a no."""

    def ask(question: str) -> bool:
        if yes:
            return True
        if not sys.stdin.isatty():
            raise UserInputInvalid(
                "There is nobody to ask whether it may be removed.", hint="Add --yes."
            )
        sys.stderr.write(question)
        sys.stderr.flush()
        return typed_line().strip().casefold() in ("y", "yes", "是", "好", "可以")

    return ask


@dataclass(frozen=True)
class ModelsCommand:
    """One call of the command, with all it needs."""

    setup: ModelSetup
    library: ModelLibrary
    clock: Clock
    output: ModelsOutput

    @property
    def config(self) -> ModelsConfig:
        return self.setup.models

    # --- list

    def list(self) -> int:
        """Everything that is here and everything that can be fetched."""
        self.output.listing(self._listing.lines())
        try:
            self.setup.library(strict=True)
        except CatalogueInvalid as error:
            self.output.note("no_offers", problem=error)
        return 0

    @property
    def _listing(self) -> ModelListing:
        return ModelListing(self.setup, self.library, self.clock)

    # --- pull

    def pull(self, name: str) -> int:
        """Fetch a model of the catalogue; 130 when it was paused with Ctrl-C."""
        entry = self.library.entry_of(name)
        if entry is None:
            raise ModelMissing(f"The catalogue has no model “{name}”.", hint=_LIST_HINT)
        target = self.library.folder / entry.file
        if target.is_file():
            self.output.result("already", _facts(entry.name, target, False), name=entry.name)
            return 0
        hub = hub_address(self.config.hub, os.environ)
        rule = EgressRule(frozenset({urlsplit(hub).hostname or ""}), public_https=True)
        source = Source(entry.url(hub), entry.bytes, entry.sha256)
        with Egress(rule, way=self.setup.seal.way(Errand(Purpose.DOWNLOAD))) as door:
            download = Download(door, self.clock, self.output.progress)
            try:
                path = download.fetch(source, target)
            except KeyboardInterrupt:
                self.output.end_line()
                self.output.note("paused", name=entry.name)
                return 130
        read_header(path)
        self.output.result("pulled", _facts(entry.name, path, True), name=entry.name)
        return 0

    # --- use

    def use(self, wanted: str) -> int:
        """Remember the choice, and say when a setting overrules it."""
        model = self.library.choose(wanted)
        configured = self._listing.overruled_by(model.kind)
        facts: JsonObject = {
            "name": model.name,
            "kind": model.kind,
            "path": str(model.path),
            "overruled_by": configured,
        }
        self.output.result("used", facts, name=model.name)
        if configured:
            self.output.note("overruled", configured=configured, name=model.name)
        return 0

    # --- import

    def add(self, source: Path, *, link: bool) -> int:
        """Copy a file into the models folder, or point at it; 130 when Ctrl-C stopped it."""
        source = source.expanduser()
        if link:
            model = self.library.add_link(source)
            key, values = "linked_to", {"name": model.name, "path": model.path}
        else:
            try:
                model = self._copied(source)
            except KeyboardInterrupt:
                self.output.end_line()
                self.output.note("stopped")
                return 130
            key, values = "imported", {"name": model.name}
        self.output.result(key, _facts(model.name, model.path, True), **values)
        return 0

    def _copied(self, source: Path) -> InstalledModel:
        size = read_header(source).size_bytes
        tell: Listener = lambda told: self.output.progress(told, copying=True)  # noqa: E731
        pace = Pace(source.name, size, self.clock, tell)
        pace.start(Phase.RECEIVING, 0)
        model = self.library.add_copy(source, lambda more: pace.count(Phase.RECEIVING, more))
        self.output.end_line()
        return model

    # --- remove

    def remove(self, name: str, ask: Callable[[str], bool]) -> int:
        """Ask, then remove; 1 when the person said no."""
        path = self.library.removable(name)
        inside = self.library.folder in path.parents
        key = "remove_file" if inside else "remove_link"
        size = path.stat().st_size / 1e6 if path.is_file() else 0.0
        if not ask(self.output.question(key, name=name, size=size, path=path)):
            self.output.result("kept", {"name": name, "removed": False})
            return 1
        in_use = path in self._listing.in_use()
        self.library.remove(name)
        facts: JsonObject = {
            "name": name,
            "removed": True,
            "path": str(path),
            "file_removed": inside,
        }
        self.output.result("removed", facts, name=name)
        if in_use and path not in self._listing.in_use():
            self.output.note("was_in_use")
        return 0

    # --- test

    def test(self, name: str) -> int:
        """Load it, let it write a little, measure."""
        path = self.library.path_of(name) or Path(name).expanduser()
        if not path.exists():
            raise ModelMissing(f"There is no model “{name}”.", hint=self.library.advice(name))
        read_header(path)
        self.output.note("testing", name=name)
        self.output.check(try_model(self.setup, self.clock, name, path, CancelSource()))
        return 0


_LIST_HINT = "“moltbot-desktop models list” shows what there is."


def _facts(name: str, path: Path, added: bool) -> dict[str, str | bool]:
    return {"name": name, "path": str(path), "added": added}
