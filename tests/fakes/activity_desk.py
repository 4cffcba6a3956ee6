"""Runs in working memory, and replays whose end a test decides."""

from __future__ import annotations

from dataclasses import replace

from moltbot_desktop.core.errors import MoltbotError, UserInputInvalid
from moltbot_desktop.core.ids import AgentId, SessionId, SessionKey
from moltbot_desktop.core.results import OutcomeKind, Usage
from moltbot_desktop.sdk.activity import (
    ALL_RUNS,
    USUAL_PAGE,
    Origin,
    ReplayReport,
    ReplayWanted,
    RunDetail,
    RunFilter,
    RunPage,
    RunSummary,
)

_FAILED = (OutcomeKind.FAILED, OutcomeKind.TIMED_OUT, OutcomeKind.OUT_OF_BUDGET)
ONE = RunSummary(
    "run-1",
    AgentId("main"),
    SessionKey("agent:main:main"),
    SessionId("s1"),
    Origin.OWNER,
    "2026-11-23T09:15:00.000+00:00",
    2.5,
    OutcomeKind.ANSWERED,
    "",
    "qwen3-4b",
    Usage(1200, 800, 40),
    (),
    0,
    "Weather in Rome?",
    "desktop",
)


def run(number: int, words: str, **changed: object) -> RunSummary:
    """A run like `ONE`, the newer the higher its number."""
    started = f"2026-11-23T09:{number // 60:02}:{number % 60:02}.000+00:00"
    made = replace(ONE, id=f"run-{number}", words=words, started=started)
    return replace(made, **changed)  # type: ignore[arg-type]


class FakeRunsDesk:
    """Promises what `sdk.activity.RunsDesk` does.

    Attributes:
        past: the runs, the newest first.
        details: what is told of a run beside its summary.
        begun: what was to be told anew.
        report: what comes of a replay, None while it goes on.
        refusal: raised by what looks, None for nothing.
        replay_refusal: raised in place of a report.
    """

    def __init__(self) -> None:
        self.past: list[RunSummary] = []
        self.details: dict[str, RunDetail] = {}
        self.begun: list[ReplayWanted] = []
        self.known_agents: tuple[str, ...] = ("main",)
        self.report: ReplayReport | None = None
        self.refusal: MoltbotError | None = None
        self.replay_refusal: MoltbotError | None = None
        self.stopped = 0
        self.asked_details = 0

    def runs(
        self, wanted: RunFilter = ALL_RUNS, before: str = "", limit: int = USUAL_PAGE
    ) -> RunPage:
        if self.refusal is not None:
            raise self.refusal
        found = [one for one in self.past if _is_wanted(one, wanted)]
        begin = next((at for at, one in enumerate(found, 1) if one.id == before), 0)
        shown = tuple(found[begin : begin + limit])
        return RunPage(shown, shown[-1].id if begin + limit < len(found) else "")

    def detail(self, run: str) -> RunDetail:
        self.asked_details += 1
        found = next((one for one in self.past if one.id == run), None)
        if found is None:
            raise UserInputInvalid(f"There is no run “{run}”.")
        return self.details.get(run) or RunDetail(found, found.words, "", (), (), "An answer.")

    def agents(self) -> tuple[str, ...]:
        return self.known_agents

    def models(self) -> tuple[str, ...]:
        return ("qwen3-4b", "starter")

    def begin_replay(self, wanted: ReplayWanted) -> None:
        self.begun.append(wanted)

    def replayed(self) -> ReplayReport | None:
        if self.replay_refusal is not None:
            raise self.replay_refusal
        return self.report

    def stop_replay(self) -> None:
        self.stopped += 1


def _is_wanted(one: RunSummary, wanted: RunFilter) -> bool:
    return (
        wanted.agent in ("", one.agent)
        and wanted.origin in (None, one.origin)
        and (not wanted.failed or one.outcome in _FAILED)
        and all(word in one.words.casefold() for word in wanted.words.casefold().split())
    )
