"""A shelf of models in working memory; what takes its time stands still until a test moves it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from moltbot_desktop.core.errors import ModelMissing, MoltbotError, UserInputInvalid
from moltbot_desktop.core.progress import Phase, TransferProgress
from moltbot_desktop.sdk.model_shelf import (
    CHAT,
    EMBEDDING,
    FitLine,
    JobKind,
    JobState,
    ModelJob,
    ModelLine,
    Shelf,
)

GB = 10**9
FITS = FitLine("fits", 4 * GB, 12 * GB, 16 * GB, 8192, 8192)
TIGHT = FitLine("tight", 11 * GB, 9 * GB, 16 * GB, 8192, 3072)
TOO_LARGE = FitLine("no", 40 * GB, 12 * GB, 16 * GB, 8192, 0)
STARTER = ModelLine(
    "starter", CHAT, here=True, in_use=True, bundled=True, size=4_200_000, licence="Apache-2.0",
    languages=("en", "zh"), context=2048, fit=FITS, path="/opt/moltbot/models/starter.gguf",
)  # fmt: skip
MINILM = ModelLine(
    "minilm", EMBEDDING, here=True, in_use=True, bundled=True, size=25_000_000,
    path="/opt/moltbot/models/minilm.gguf",
)  # fmt: skip
OWN = ModelLine(
    "qwen3-1.7b", CHAT, here=True, size=1_834_426_016, licence="Apache-2.0",
    languages=("en", "zh"), context=32768, fit=FITS, tokens_per_second=21.4,
    path="/home/anna/models/qwen3-1.7b.gguf", about="Faster and smaller.",
    source="Qwen/Qwen3-1.7B-GGUF", sha256="06" * 32,
)  # fmt: skip
OFFER = ModelLine(
    "qwen3-4b", CHAT, here=False, size=2_497_280_736, licence="Apache-2.0",
    languages=("en", "zh", "de"), context=262_144, fit=FITS, tokens_per_second=9.1,
    about="Good all-round answers.", source="bartowski/Qwen3-4B-GGUF", sha256="2f" * 32,
)  # fmt: skip
HUGE = ModelLine(
    "giant", CHAT, here=False, size=38 * GB, licence="MIT", languages=("en",), fit=TOO_LARGE,
    about="For large machines.", source="o/giant",
)  # fmt: skip
SERVER = ModelLine("house/qwen3-32b", CHAT, here=True, context=32768, provided="settings")


class FakeModelDesk:
    """Promises what `sdk.model_shelf.ModelDesk` does.

    Attributes:
        lines, running: what `look` tells.
        refusal: raised instead of anything that changes something, None for nothing.
        overruled: what `use` gives back.
        told: what was asked for, in order.
    """

    def __init__(self, *lines: ModelLine) -> None:
        self.lines = list(lines or (STARTER, MINILM, OWN, OFFER, HUGE))
        self.running: dict[str, ModelJob] = {}
        self.refusal: MoltbotError | None = None
        self.looking: MoltbotError | None = None
        self.overruled = ""
        self.sealed = False
        self.told: list[tuple[str, str]] = []

    # ------------------------------------------------------------------ for tests

    def moves(self, name: str, done: int, *, speed: float = 0.0) -> None:
        """A job has come so far."""
        job = self.running[name]
        line = next((one for one in self.lines if one.name == name), None)
        total = line.size if line is not None and line.size else 1000
        left = (total - done) / speed if speed else None
        progress = TransferProgress(name, Phase.RECEIVING, done, total, speed, left)
        self.running[name] = replace(job, progress=progress)

    def ends(self, name: str, problem: str = "", *, made: str = "") -> None:
        """A job is over; what was fetched is here then."""
        state = JobState.FAILED if problem else JobState.DONE
        job = self.running[name] = replace(
            self.running[name], state=state, problem=problem, made=made or name
        )
        if state is JobState.DONE and job.kind is JobKind.FETCH:
            self._change(name, here=True, fetched=0, path=f"/home/anna/models/{name}.gguf")
        elif state is JobState.DONE and job.kind is JobKind.ADD:
            self.lines.append(replace(OWN, name=made, about="", source="", sha256=""))

    def tried(self, job: ModelJob) -> None:
        self.running[job.name] = job

    # ------------------------------------------------------------------ the desk

    def look(self) -> Shelf:
        if self.looking is not None:
            raise self.looking
        return Shelf(
            tuple(self.lines), self.jobs(), "", self.sealed, "https://hub.example", memory=GB
        )

    def jobs(self) -> tuple[ModelJob, ...]:
        return tuple(self.running.values())

    def fetch(self, name: str) -> None:
        self._begin(name, JobKind.FETCH)

    def add(self, source: Path) -> None:
        self._begin(source.name, JobKind.ADD)

    def point_at(self, source: Path) -> str:
        self._heard("point_at", str(source))
        self.lines.append(replace(OWN, name=source.stem, path=str(source), linked=True))
        return source.stem

    def try_out(self, name: str) -> None:
        self._begin(name, JobKind.TRY)

    def stop(self, name: str) -> None:
        self._heard("stop", name)
        job = self.running.pop(name, None)
        if job is not None and job.kind is JobKind.FETCH and job.progress is not None:
            self._change(name, fetched=job.progress.done)

    def discard(self, name: str) -> None:
        self._heard("discard", name)
        self.running.pop(name, None)
        self._change(name, fetched=0)

    def dismiss(self, name: str) -> None:
        self.told.append(("dismiss", name))
        job = self.running.get(name)
        if job is not None and not job.live:
            del self.running[name]

    def use(self, name: str) -> str:
        self._heard("use", name)
        kind = self._line(name).kind
        for one in [one.name for one in self.lines if one.kind == kind and one.here]:
            self._change(one, in_use=one == name and not self.overruled)
        return self.overruled

    def remove(self, name: str) -> None:
        self._heard("remove", name)
        self.lines = [one for one in self.lines if one.name != name]

    def recommended(self) -> ModelLine | None:
        return next((one for one in self.lines if not one.here), None)

    def _begin(self, name: str, kind: JobKind) -> None:
        self._heard(kind.value, name)
        if (job := self.running.get(name)) is not None and job.live:
            raise UserInputInvalid(f"Something is done with “{name}” just now.")
        if kind is not JobKind.ADD:
            self._line(name)
        self.running[name] = ModelJob(name, kind)

    def _heard(self, what: str, name: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.told.append((what, name))

    def _line(self, name: str) -> ModelLine:
        for one in self.lines:
            if one.name == name:
                return one
        raise ModelMissing(f"There is no model “{name}”.")

    def _change(self, name: str, **values: object) -> None:
        self.lines = [
            replace(one, **values) if one.name == name else one  # type: ignore[arg-type]
            for one in self.lines
        ]
