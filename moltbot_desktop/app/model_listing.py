"""Every model there is, a line each: files that are here, what can be fetched, what others bring.

    listing = ModelListing(setup, setup.library(), clock)
    for line in listing.lines(): ...

For the terminal and the window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from moltbot_desktop.app.model_setup import ModelSetup
from moltbot_desktop.config.providers import ModelRef
from moltbot_desktop.config.settings import ModelsConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.error_words import translated
from moltbot_desktop.core.errors import ModelMissing
from moltbot_desktop.models.catalogue import CHAT, EMBEDDING, CatalogueEntry
from moltbot_desktop.models.fit import Need, judge, tokens_per_second
from moltbot_desktop.models.library import InstalledModel, ModelLibrary
from moltbot_desktop.models.llama import EMBEDDING_WINDOW, default_threads
from moltbot_desktop.models.machine import Memory, memory_speed, read_memory
from moltbot_desktop.models.partial import Unfinished, unfinished
from moltbot_desktop.sdk.model_shelf import FitLine, ModelLine


@dataclass(frozen=True)
class ModelListing:
    """Looks at the disk at each call."""

    setup: ModelSetup
    library: ModelLibrary
    clock: Clock

    @property
    def config(self) -> ModelsConfig:
        return self.setup.models

    def lines(self) -> tuple[ModelLine, ...]:
        """Everything that is here and everything that can be fetched."""
        memory = read_memory()
        threads = self.config.threads or default_threads()
        speed = memory_speed(self.setup.paths.model_state, threads, self.clock)
        return tuple(self._lines(memory, speed))

    def in_use(self) -> set[Path]:
        """The files that answer and embed, as far as it is one here."""
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

    def overruled_by(self, kind: str) -> str:
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

    def _lines(self, memory: Memory | None, speed: float) -> Iterator[ModelLine]:
        used = self.in_use()
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
                problem=translated(model.problem, self.setup.language),
                source=entry.repo if entry else "",
                sha256=(entry.sha256 or "") if entry else "",
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
            source=entry.repo,
            sha256=entry.sha256 or "",
        )

    def _fit(self, need: Need | None, kind: str, memory: Memory | None) -> FitLine | None:
        if need is None or memory is None:
            return None
        asked = EMBEDDING_WINDOW if kind == EMBEDDING else self.config.context_tokens
        wanted = need.window(asked)
        fit = judge(need, wanted, memory)
        return FitLine(fit.verdict.value, fit.needed, fit.free, fit.total, wanted, fit.window)


def _provided(
    ref: ModelRef, kind: str, by: str, used: bool, window: int | None = None
) -> ModelLine:
    return ModelLine(str(ref), kind, here=True, in_use=used, context=window, provided=by)


def _licence(model: InstalledModel) -> str:
    if model.entry is not None:
        return model.entry.licence
    said = model.header.metadata.get("general.license") if model.header else None
    return said[:60] if isinstance(said, str) else ""


def _speed(need: Need | None, kind: str, memory: float) -> float | None:
    if need is None or kind != CHAT:
        return None
    return round(tokens_per_second(need.weights, memory), 1)
