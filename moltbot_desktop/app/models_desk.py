"""The desk of the place "Models": the library on the disk, and what is fetched, added, tried out.

    desk = LibraryDesk(paths, loaded, clock, language)
    desk.fetch("qwen3-4b")
    desk.look().jobs
    desk.close()                     # a download goes on where it was at the next start

The settings are read at each call, so that a folder or a hub that was changed holds at once.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from moltbot_desktop.app.model_jobs import Control, ModelJobs, Outcome
from moltbot_desktop.app.model_listing import ModelListing
from moltbot_desktop.app.model_setup import ModelSetup, read_model_setup
from moltbot_desktop.app.model_trial import try_model
from moltbot_desktop.app.paths import Paths
from moltbot_desktop.config.load import LoadedConfig
from moltbot_desktop.config.settings import ModelsConfig
from moltbot_desktop.core.clock import Clock
from moltbot_desktop.core.error_words import in_words
from moltbot_desktop.core.errors import CatalogueInvalid, EgressSealed, ModelMissing
from moltbot_desktop.core.i18n import Language
from moltbot_desktop.core.progress import Phase
from moltbot_desktop.core.traffic import Errand, Purpose
from moltbot_desktop.models.catalogue import CHAT, CatalogueEntry
from moltbot_desktop.models.download import Download, Source, hub_address
from moltbot_desktop.models.fit import Verdict
from moltbot_desktop.models.gguf_header import read_header
from moltbot_desktop.models.machine import process_memory
from moltbot_desktop.models.pace import Pace
from moltbot_desktop.models.partial import PARTIAL_FOLDER
from moltbot_desktop.models.thread import CancelSource
from moltbot_desktop.sdk.model_shelf import JobKind, ModelJob, ModelLine, Shelf
from moltbot_desktop.security.egress import Egress, EgressRule, Timeouts
from moltbot_desktop.security.seal import Seal

_TIMEOUTS = Timeouts(connect=5.0, read=10.0)
"""Whoever presses "pause" while nothing comes in does not wait longer than this."""
_FLUENT = 5.0
"""Tokens a second that somebody likes to read along with."""


class LibraryDesk:
    """A `ModelDesk`. Safe on any thread."""

    def __init__(
        self,
        paths: Paths,
        loaded: Callable[[], LoadedConfig],
        clock: Clock,
        language: Language,
    ) -> None:
        self._paths, self._loaded, self._clock = paths, loaded, clock
        self._language = language
        self._jobs = ModelJobs(language)
        self._one = threading.Lock()

    def close(self) -> None:
        """The program ends: break off what runs; the bytes of a download stay."""
        self._jobs.close()

    # ------------------------------------------------------------------ looking

    def look(self) -> Shelf:
        with self._setup() as setup:
            listing = ModelListing(setup, setup.library(), self._clock)
            usual = ModelsConfig().hub
            hub = hub_address(setup.models.hub, os.environ)
            problem = ""
            try:
                setup.library(strict=True)
            except CatalogueInvalid as error:
                problem = in_words(error, self._language)
            return Shelf(
                models=listing.lines(),
                jobs=self._jobs.now(),
                problem=problem,
                sealed=setup.seal.closed,
                hub=hub,
                hub_is_set=hub != usual,
                folder=str(listing.library.folder),
                memory=process_memory(),
            )

    def jobs(self) -> tuple[ModelJob, ...]:
        return self._jobs.now()

    def recommended(self) -> ModelLine | None:
        chats = [one for one in self.look().models if one.kind == CHAT]
        if any(one.here and not one.bundled for one in chats):
            return None
        return best_offer(chats, self._language)

    # ------------------------------------------------------------------ what takes its time

    def fetch(self, name: str) -> None:
        with self._setup() as setup:
            entry = setup.library(strict=True).entry_of(name)
            if entry is None:
                raise ModelMissing(f"The catalogue has no model “{name}”.")
            if setup.seal.closed:
                raise EgressSealed(
                    "The seal is closed: nothing leaves this computer, so no model can be fetched.",
                    hint="Open the seal under “Safety”, and fetch it again.",
                )
        self._jobs.begin(entry.name, JobKind.FETCH, lambda control: self._fetched(entry, control))

    def _fetched(self, entry: CatalogueEntry, control: Control) -> Outcome:
        with self._setup() as setup:
            hub = hub_address(setup.models.hub, os.environ)
            rule = EgressRule(frozenset({urlsplit(hub).hostname or ""}), public_https=True)
            source = Source(entry.url(hub), entry.bytes, entry.sha256)
            target = setup.library().folder / entry.file
            way = setup.seal.way(Errand(Purpose.DOWNLOAD))
            with Egress(rule, _TIMEOUTS, way=way) as door:
                download = Download(door, self._clock, control.tell, sleep=control.sleep)
                read_header(download.fetch(source, target))
        return Outcome(made=entry.name)

    def add(self, source: Path) -> None:
        size = read_header(source).size_bytes

        def added(control: Control) -> Outcome:
            with self._setup() as setup:
                pace = Pace(source.name, size, self._clock, control.tell)
                pace.start(Phase.RECEIVING, 0)
                model = setup.library().add_copy(
                    source, lambda more: pace.count(Phase.RECEIVING, more)
                )
                return Outcome(made=model.name)

        self._jobs.begin(source.name, JobKind.ADD, added)

    def try_out(self, name: str) -> None:
        with self._setup() as setup:
            path = setup.named_file(name)

        def tried(control: Control) -> Outcome:
            cancel = CancelSource()
            control.on_stop = cancel.cancel
            control.check()
            with self._setup() as setup:
                return Outcome(try_model(setup, self._clock, name, path, cancel))

        self._jobs.begin(name, JobKind.TRY, tried)

    def stop(self, name: str) -> None:
        self._jobs.stop(name)

    def discard(self, name: str) -> None:
        if not self._jobs.stop(name, lambda: self._throw_away(name)):
            self._throw_away(name)
            self._jobs.dismiss(name)

    def dismiss(self, name: str) -> None:
        self._jobs.dismiss(name)

    def _throw_away(self, name: str) -> None:
        """The bytes of a download; a whole model stays."""
        with self._setup() as setup:
            library = setup.library()
            with contextlib.suppress(ModelMissing):
                if library.removable(name).parent.name == PARTIAL_FOLDER:
                    library.remove(name)

    # ------------------------------------------------------------------ what is done at once

    def point_at(self, source: Path) -> str:
        with self._one, self._setup() as setup:
            return setup.library().add_link(source).name

    def use(self, name: str) -> str:
        with self._one, self._setup() as setup:
            library = setup.library()
            model = library.choose(name)
            return ModelListing(setup, library, self._clock).overruled_by(model.kind)

    def remove(self, name: str) -> None:
        self._jobs.require_free(name)
        with self._one, self._setup() as setup:
            setup.library().remove(name)
        self._jobs.dismiss(name)

    @contextmanager
    def _setup(self) -> Iterator[ModelSetup]:
        with Seal(self._paths.home, self._clock) as seal:
            yield read_model_setup(self._paths, self._loaded(), self._language, seal=seal)


def best_offer(
    models: list[ModelLine], language: Language, *, fluent: float = _FLUENT
) -> ModelLine | None:
    """The largest chat model to fetch that fits now, knows the person's language, and writes as
    quickly as one reads; of those that nobody knows the speed of, none. Pure."""
    fitting = [
        one
        for one in models
        if not one.here
        and one.kind == CHAT
        and one.fit is not None
        and one.fit.verdict == Verdict.FITS
        and language.value in one.languages
        and (one.tokens_per_second or 0.0) >= fluent
    ]
    return max(fitting, key=lambda one: one.size or 0, default=None)
