"""`moltbot-desktop models`: what is here, what can be fetched, fetching, choosing, trying out."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from moltbot_desktop.app.chat_setup import open_local_chat
from moltbot_desktop.app.model_setup import ModelSetup, read_model_setup
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.app.plugin_shell import plugin_models_opened
from moltbot_desktop.app.typed import typed_line
from moltbot_desktop.cli.models import FitLine, ModelCheck, ModelLine, ModelsOutput
from moltbot_desktop.cli.parser import Arguments
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.config.settings import ModelsConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.errors import CatalogueInvalid, ModelMissing, UserInputInvalid
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.json import JsonObject
from moltbot_desktop.core.messages import ChatMessage, Role
from moltbot_desktop.core.progress import Phase
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.models.catalogue import (
    CHAT,
    EMBEDDING,
    CatalogueEntry,
)
from moltbot_desktop.models.download import Download, Source, hub_address
from moltbot_desktop.models.embedding import load_embedder
from moltbot_desktop.models.fit import Need, judge, tokens_per_second
from moltbot_desktop.models.gguf_header import read_header
from moltbot_desktop.models.library import InstalledModel, ModelLibrary
from moltbot_desktop.models.llama import EMBEDDING_WINDOW, default_threads
from moltbot_desktop.models.machine import Memory, memory_speed, process_memory, read_memory
from moltbot_desktop.models.pace import Listener, Pace
from moltbot_desktop.models.partial import Unfinished, unfinished
from moltbot_desktop.models.thread import CancelSource, ModelThread
from moltbot_desktop.sdk.models import (
    ChatModel,
    GenerationDone,
    GenerationRequest,
    PromptEvaluated,
    TextDelta,
)
from moltbot_desktop.security.egress import Egress, EgressRule

_TEST_TOKENS = 48
_TEST_QUESTION = "Say in one sentence what you can do."
_JOIN_SECONDS = 5.0


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
        memory = read_memory()
        threads = self.config.threads or default_threads()
        speed = memory_speed(self.setup.paths.model_state, threads, self.clock)
        self.output.listing(tuple(self._lines(memory, speed)))
        try:
            self.setup.library(strict=True)
        except CatalogueInvalid as error:
            self.output.note("no_offers", problem=error)
        return 0

    def _lines(self, memory: Memory | None, speed: float) -> Iterator[ModelLine]:
        used = self._in_use()
        installed = self.library.installed()
        for model in installed:
            need = Need.of_header(model.header, self.config.kv_cache) if model.header else None
            entry = model.entry
            yield ModelLine(
                name=model.name,
                kind=model.kind,
                here=True,
                in_use=model.path in used,
                bundled=model.bundled,
                linked=model.linked,
                size=model.size,
                licence=_licence(model),
                languages=entry.languages if entry else (),
                context=model.header.context_length if model.header else None,
                fit=self._fit(need, model.kind, memory),
                tokens_per_second=_speed(need, model.kind, speed),
                path=str(model.path),
                about=entry.about[self.setup.language] if entry else "",
                problem=model.problem,
            )
        here = {model.path.name for model in installed}
        paused = {part.name: part for part in unfinished(self.library.folder)}
        for entry in self.library.catalogue:
            if entry.file not in here:
                yield self._offer(entry, paused.pop(entry.file, None), memory, speed)
        for part in paused.values():
            name = part.name.removesuffix(".gguf")
            yield ModelLine(name, CHAT, here=False, size=part.total, fetched=part.done)
        yield from self._elsewhere()

    def _elsewhere(self) -> Iterator[ModelLine]:
        """Those that a provider in the settings or a plugin brings."""
        remote, plugins = self.setup.remote, self.setup.plugin_models
        answering, embedding = remote.choice.primary, self.setup.embedding.plugin
        for provider in remote.providers.values():
            for model in provider.models:
                ref = ModelRef(provider.name, model.id)
                yield _provided(ref, CHAT, "settings", ref == answering, model.context_window)
        for name, brought in plugins.known.items():
            for one in brought.chat_models if name not in remote.providers else ():
                ref = ModelRef(name, one)
                yield _provided(ref, CHAT, "plugin", ref == answering)
            for number, one in enumerate(brought.embedding_models):
                chosen = (ModelRef(name, one), *([ModelRef(name, "")] if number == 0 else []))
                yield _provided(chosen[0], EMBEDDING, "plugin", embedding in chosen)

    def _offer(
        self, entry: CatalogueEntry, part: Unfinished | None, memory: Memory | None, speed: float
    ) -> ModelLine:
        need = Need.of_entry(entry, self.config.kv_cache)
        return ModelLine(
            name=entry.name,
            kind=entry.kind,
            here=False,
            size=part.total if part else entry.bytes,
            fetched=part.done if part else 0,
            licence=entry.licence,
            languages=entry.languages,
            context=entry.context,
            fit=self._fit(need, entry.kind, memory),
            tokens_per_second=_speed(need, entry.kind, speed),
            about=entry.about[self.setup.language],
        )

    def _fit(self, need: Need | None, kind: str, memory: Memory | None) -> FitLine | None:
        if need is None or memory is None:
            return None
        asked = EMBEDDING_WINDOW if kind == EMBEDDING else self.config.context_tokens
        wanted = need.window(asked)
        fit = judge(need, wanted, memory)
        return FitLine(fit.verdict.value, fit.needed, fit.free, fit.total, wanted, fit.window)

    def _in_use(self) -> set[Path]:
        used = set()
        finds = [self.setup.embedding_file]
        if self.setup.remote.choice.primary is None:
            finds.append(self.setup.chat_file)
        for find in finds:
            try:
                used.add(find())
            except ModelMissing:
                continue  # the list is where a person looks up what there is instead
        return used

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
        configured = self._configured(model.kind)
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

    def _configured(self, kind: str) -> str:
        """The setting that wins over a choice, "" for none."""
        if kind == EMBEDDING:
            found = {"models.embedding": self.config.embedding}
        else:
            remote = self.setup.remote.choice.primary
            found = {
                "agents.defaults.model": str(remote) if remote else None,
                "models.chat": self.config.chat,
            }
        return next((f"{path}: {value}" for path, value in found.items() if value), "")

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
        in_use = path in self._in_use()
        self.library.remove(name)
        facts: JsonObject = {
            "name": name,
            "removed": True,
            "path": str(path),
            "file_removed": inside,
        }
        self.output.result("removed", facts, name=name)
        if in_use and path not in self._in_use():
            self.output.note("was_in_use")
        return 0

    # --- test

    def test(self, name: str) -> int:
        """Load it, let it write a little, measure."""
        path = self.library.path_of(name) or Path(name).expanduser()
        if not path.exists():
            raise ModelMissing(f"There is no model “{name}”.", hint=self.library.advice(name))
        header = read_header(path)
        self.output.note("testing", name=name)
        thread = ModelThread()
        thread.start()
        try:
            if header.pooled:
                check = self._test_embedding(thread, name, path)
            else:
                check = asyncio.run(self._test_chat(thread, name, path))
        finally:
            thread.stop()
            thread.join(_JOIN_SECONDS)
        self.output.check(check)
        return 0

    def _test_embedding(self, thread: ModelThread, name: str, path: Path) -> ModelCheck:
        before, start = process_memory(), self.clock.monotonic()
        threads, state = self.config.threads, self.setup.paths.model_state
        embedder = load_embedder(thread, path, threads=threads, state_dir=state)
        loaded = self.clock.monotonic()
        embedder.embed_query(_TEST_QUESTION)
        seconds = self.clock.monotonic() - loaded
        return ModelCheck(name, EMBEDDING, loaded - start, seconds, _grown(before))

    async def _test_chat(self, thread: ModelThread, name: str, path: Path) -> ModelCheck:
        before, start = process_memory(), self.clock.monotonic()
        model = await open_local_chat(self.setup, thread, path)
        loaded = self.clock.monotonic()
        speed, answer = await self._written(model)
        seconds = self.clock.monotonic() - loaded
        memory = _grown(before)
        await model.close()
        return ModelCheck(name, CHAT, loaded - start, seconds, memory, speed, answer)

    async def _written(self, model: ChatModel) -> tuple[float, str]:
        """Tokens a second of a short answer, and the answer."""
        message = ChatMessage(Role.USER, _TEST_QUESTION)
        request = GenerationRequest((message,), max_tokens=_TEST_TOKENS)
        text, read, tokens = "", self.clock.monotonic(), 0
        async for event in model.generate(request, CancelSource()):
            if isinstance(event, PromptEvaluated):
                read = self.clock.monotonic()
            elif isinstance(event, TextDelta):
                text += event.text
            elif isinstance(event, GenerationDone):
                tokens = event.usage.completion_tokens
        return tokens / max(self.clock.monotonic() - read, 1e-3), text


_LIST_HINT = "“moltbot-desktop models list” shows what there is."


def _provided(
    ref: ModelRef, kind: str, by: str, used: bool, window: int | None = None
) -> ModelLine:
    return ModelLine(str(ref), kind, here=True, in_use=used, context=window, provided=by)


def _facts(name: str, path: Path, added: bool) -> dict[str, str | bool]:
    return {"name": name, "path": str(path), "added": added}


def _licence(model: InstalledModel) -> str:
    if model.entry is not None:
        return model.entry.licence
    said = model.header.metadata.get("general.license") if model.header else None
    return said[:60] if isinstance(said, str) else ""


def _speed(need: Need | None, kind: str, memory: float) -> float | None:
    if need is None or kind != CHAT:
        return None
    return round(tokens_per_second(need.weights, memory), 1)


def _grown(before: int | None) -> int | None:
    after = process_memory()
    return None if before is None or after is None else max(after - before, 0)
